// The middle of measured times.
#ifndef TD_CLI_MEDIAN_H
#define TD_CLI_MEDIAN_H

#include <stdint.h>

// Sorts `values`; of an even number the mean of the middle two. `count` is at least 1.
double td_cli_median(double *values, uint32_t count);

#endif
