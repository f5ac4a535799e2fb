// The corners of four triangles, gathered from a mesh into the local coordinates of its hierarchy. For files
// that are compiled once per instruction set.
#ifndef TD_BVH_CORNERS_WIDE_H
#define TD_BVH_CORNERS_WIDE_H

#include "../math/d4.h"
#include "../math/wide.h"
#include "refit.h"

// One coordinate of one corner of four triangles is a vector.
typedef struct td_corners {
    td_d4 at[3][3]; // corner, axis
} td_corners;

// How far float32 may be from what float64 may mean: local coordinates carry an error of at most 2^-52, the
// conversion and the subtraction (addition) of this 2^-24 of the value each.
static inline td_f4 td_slack(td_f4 a) {
    const td_f4 magnitude = td_f4_max(a, td_f4_sub(td_f4_set1(0), a));
    return td_f4_add(td_f4_mul(magnitude, td_f4_set1(0x3p-24f)), td_f4_set1(0x1p-49f));
}

TD_OP void td_to_local4(td_d4 x[3], const td_refit_source *source) {
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] =
            td_d4_mul(td_d4_sub(x[axis], td_d4_set1(source->origin[axis])), td_d4_set1(source->scale[0]));
    }
    if (source->scale[1] != 1) { // rare: meshes of huge or tiny extent
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = td_d4_mul(x[axis], td_d4_set1(source->scale[1]));
        }
    }
}

TD_OP void td_gather_float64(td_corners *out, const td_quad_corners *vertices,
                             const td_refit_source *source) {
    const unsigned char *base = source->positions;
    const size_t stride = source->stride;
    for (int k = 0; k < 3; ++k) {
        const double *a = (const double *)(const void *)(base + vertices->corner[k][0] * stride);
        const double *b = (const double *)(const void *)(base + vertices->corner[k][1] * stride);
        const double *c = (const double *)(const void *)(base + vertices->corner[k][2] * stride);
        const double *d = (const double *)(const void *)(base + vertices->corner[k][3] * stride);
        td_d4_gather(out->at[k], a, b, c, d);
        td_to_local4(out->at[k], source);
    }
}

TD_OP void td_gather_float32(td_corners *out, const td_quad_corners *vertices,
                             const td_refit_source *source) {
    const unsigned char *base = source->positions;
    const size_t stride = source->stride;
    for (int k = 0; k < 3; ++k) {
        const float *a = (const float *)(const void *)(base + vertices->corner[k][0] * stride);
        const float *b = (const float *)(const void *)(base + vertices->corner[k][1] * stride);
        const float *c = (const float *)(const void *)(base + vertices->corner[k][2] * stride);
        const float *d = (const float *)(const void *)(base + vertices->corner[k][3] * stride);
        for (int axis = 0; axis < 3; ++axis) {
            out->at[k][axis] = td_d4_widen(td_f4_set(a[axis], b[axis], c[axis], d[axis]));
        }
        td_to_local4(out->at[k], source);
    }
}

TD_OP void td_gather_corners(td_corners *out, const td_quad_corners *vertices,
                             const td_refit_source *source) {
    if (source->scalar == TD_FLOAT64) {
        td_gather_float64(out, vertices, source);
    } else {
        td_gather_float32(out, vertices, source);
    }
}

#endif
