#include "median.h"

#include <stdlib.h>

static int td_compare_values(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double td_cli_median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, td_compare_values);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}
