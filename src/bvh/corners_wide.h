// The corners of four triangles, gathered from a mesh into the local coordinates of its hierarchy. For files
// that are compiled once per instruction set.
#ifndef TD_BVH_CORNERS_WIDE_H
#define TD_BVH_CORNERS_WIDE_H

#include "corners.h"
#include "refit.h"

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
        td_to_local4(out->at[k], &source->frame);
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
        td_to_local4(out->at[k], &source->frame);
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
