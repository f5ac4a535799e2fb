// What the comparison of rays prints and keeps.
#ifndef TD_BENCH_RAY_REPORT_H
#define TD_BENCH_RAY_REPORT_H

#include <tandem/base.h>

#include <stddef.h>

// What a library says that tandem does not, by kind.
typedef struct td_ray_differences {
    size_t missed;   // tandem hits
    size_t invented; // tandem does not
    size_t as_near;  // another triangle, at a t that float32 cannot tell apart
    size_t farther, nearer;
    size_t any; // any hit is not tandem's
} td_ray_differences;

typedef struct td_ray_row {
    const char *isa; // tandem's; "" for the others
    const char *mesh;
    uint32_t triangles;
    const char *set;  // camera, diffuse, shuffled
    const char *mode; // closest, any
    const char *library;
    const char *version;
    size_t rays;
    size_t differing, as_near; // rays whose answer is not tandem's: in earnest, and within float32
    uint32_t repeats;
    double rate;  // median, million rays/s
    double ratio; // tandem's rate, all rays in one call, over this
} td_ray_row;

void td_print_differences(const char *library, const td_ray_differences *differences);
void td_print_ray_row(const td_ray_row *row, double best_rate);

// Appends; writes the header line first if the file is new or empty.
td_result td_append_ray_csv(const char *path, const td_ray_row *rows, uint32_t count);

#endif
