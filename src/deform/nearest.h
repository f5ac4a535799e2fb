// What contacts are told at the beginning of a lap, several side by side: where the two are nearest, and how
// fast they move.
#ifndef TD_DEFORM_NEAREST_H
#define TD_DEFORM_NEAREST_H

#include "../core/context.h"

enum { TD_NEAREST_LANES = 8 };

// Lane l: four points v f0 f1 f2 or a0 a1 b0 b1, each at at[i][l].
typedef struct td_nearest_points {
    const double *at[4][TD_NEAREST_LANES];
    const double *velocity[4][TD_NEAREST_LANES]; // of soft points, m/s
    double soft[4][TD_NEAREST_LANES];            // 1 of soft points, 0 of others
    double other[3][TD_NEAREST_LANES];           // m: the way in the lap of whatever is not the first feature
    double time;                                 // s: of the lap
} td_nearest_points;

typedef struct td_nearest {
    double from[TD_NEAREST_LANES];      // m: how far apart
    double normal[3][TD_NEAREST_LANES]; // from the second feature to the first; 0 if they touch
    double clear[TD_NEAREST_LANES];     // m: ... along the normal, at least
    double side[TD_NEAREST_LANES];      // of a face: below zero if the vertex is behind it
    double within[TD_NEAREST_LANES];    // 1: at no border, else 0
    double main[TD_NEAREST_LANES];      // corners, as td_soft_contact has them
    double way[TD_NEAREST_LANES];       // m: the longest in the lap of a soft point, relative to `other`
} td_nearest;

typedef void td_find_nearest_fn(td_nearest *out, const td_nearest_points *points, bool edges);
td_find_nearest_fn *td_find_nearest_for(td_isa isa);

td_find_nearest_fn td_find_nearest_scalar;
#if defined(__x86_64__)
td_find_nearest_fn td_find_nearest_sse4, td_find_nearest_avx2, td_find_nearest_avx512;
#elif defined(__aarch64__)
td_find_nearest_fn td_find_nearest_neon;
#endif

#endif
