// Whether pairs of features that the walk has left stay apart in an outlook: those along some direction
// farther from each other than they may be at both ends, and so all the time.
#ifndef TD_DEFORM_APART_H
#define TD_DEFORM_APART_H

#include "../core/context.h"

enum { TD_APART_LANES = 8 };

// Lane l: four points v f0 f1 f2 or a0 a1 b0 b1, each at at[i][l]: x, y, z at the beginning, and at the end.
typedef struct td_apart_points {
    const double *at[4][TD_APART_LANES];
} td_apart_points;

// Bit l: they stay more than `reach` apart.
typedef uint32_t td_stay_apart_fn(const td_apart_points *points, bool edges, double reach);
td_stay_apart_fn *td_stay_apart_for(td_isa isa);

td_stay_apart_fn td_stay_apart_scalar;
#if defined(__x86_64__)
td_stay_apart_fn td_stay_apart_sse4, td_stay_apart_avx2, td_stay_apart_avx512;
#elif defined(__aarch64__)
td_stay_apart_fn td_stay_apart_neon;
#endif

#endif
