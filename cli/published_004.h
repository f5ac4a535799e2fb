// What paper 004 printed: seconds per 1,000 runs or steps, on a GeForce 7900 GS and a Core 2 Duo of 1.86 GHz.
#ifndef TD_CLI_PUBLISHED_004_H
#define TD_CLI_PUBLISHED_004_H

#include <stdint.h>

enum { TD_PUBLISHED_004_SIZES = 5 }; // 2^8 to 2^12; 0 where the paper has none

typedef struct td_published_column {
    int table;
    const char *column;
    double seconds[TD_PUBLISHED_004_SIZES];
} td_published_column;

extern const td_published_column td_published_004[];
extern const uint32_t td_published_004_count;

#endif
