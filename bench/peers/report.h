// What the comparison prints and keeps: medians, rows of a CSV file, the name of the processor.
#ifndef TD_BENCH_REPORT_H
#define TD_BENCH_REPORT_H

#include <tandem/base.h>

typedef struct td_report_row {
    const char *isa;    // tandem's; "" for the others
    const char *mesh;   // "cow" or "cow+spot"
    uint32_t triangles; // of A and B together if there are two
    const char *set;    // pose set, builder quality or ""
    const char *mode;   // all, first, self, build
    const char *library;
    const char *version;
    uint32_t threads;
    uint32_t poses;
    bool pairs_hidden; // the library does not tell: no number is written
    uint64_t pairs;
    uint32_t differing; // poses whose count is not tandem's
    uint32_t repeats;
    double ms;    // median, per pose (self and build: per call)
    double ratio; // to tandem on one thread: how many times as long
} td_report_row;

// Appends; writes the header line first if the file is new or empty.
td_result td_append_csv(const char *path, const td_report_row *rows, uint32_t count);

double td_median(double *values, uint32_t count); // sorts them; 0 if there are none

const char *td_processor_name(void); // as the system calls it, or "unknown"

#endif
