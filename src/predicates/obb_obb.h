// One test of two oriented boxes, by the test of boxes along axes (box_box.h) in the frame of A's box. C17
// and OpenCL C.
//
// Box A holds x if |A (x - c_a)| <= h_a, box B holds y if |B (y - c_b)| <= h_b, component by component, with
// the stored matrices of axes A and B; x = r R y + s. With x' = A (x - c_a) and y' = B (y - c_b),
//
//   x' = r (A R B^-1) y' + A (r R c_b + s - c_a),
//
// so two boxes about the origin meet at a place whose rotation is A R B^-1. It is computed as (A U) B^T, with
// U = R rounded. What that adds to the error of the test, with u = 2^-24 and S = 1 + radius of B + distance
// as in docs/exactness.md: all sizes below are in A's units; meshes lie within the ball of radius sqrt(3)
// about their origin, so half-sizes are at most sqrt(3) and centres at most 3 (B's: times r) from there.
//
//   shift          each coordinate of r U c_b + s - c_a: 12.2 u S; turned by A: 30.2 u S in all, 52.3 u S as
//                  a vector
//   rotation       A U: 4 u per entry; times B^T: sqrt(3) 4 u + 3 u; B^T for B^-1: |B B^T - I| <= 3.5 u, as
//                  the entries of B are rounded. Together 13.5 u per entry, 23.4 u per row or column
//   axes of A      30.2 (shift) + 40.5 (rotation times half-sizes) + 8.7 (rounding of the test)     80 u S
//   axes of B      112 (its own axes are perpendicular within 37.4 u) + 52.3 + 18                  183 u S
//   products       125 (cross products of inexact axes, times half-sizes) + 52.3 + 30              208 u S
//
// The slack of place is 64 u S + 8 eta; four times that is 256 u S and more than what eta contributes.
#ifndef TD_PREDICATES_OBB_OBB_H
#define TD_PREDICATES_OBB_OBB_H

#include "box_box.h"

// An oriented box: |axis_k . (x - center)| <= half_k for everything below, axis k in row k. 64 bytes.
typedef struct td_obbf {
    float center[3];
    float half[3];
    float axes[9]; // orthonormal up to float32 rounding
    float spare;
} td_obbf;

#define TD_OBB_SLACK 4.0f // times the slack of boxes along axes

TD_INLINE int td_obb_overlaps(TD_GLOBAL const td_obbf *a, TD_GLOBAL const td_obbf *b,
                              const td_placef *place) {
    td_boxf box_a, box_b;
    td_placef between;
    float apart[3], turned[9]; // r U c_b + s - c_a; A U
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        float center = 0;
        TD_UNROLL
        for (int l = 0; l < 3; ++l) {
            center += place->unit[3 * k + l] * (b->center[l] * place->ratio);
        }
        apart[k] = center + place->shift[k] - a->center[k];
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        between.shift[k] =
            a->axes[3 * k] * apart[0] + a->axes[3 * k + 1] * apart[1] + a->axes[3 * k + 2] * apart[2];
        TD_UNROLL
        for (int l = 0; l < 3; ++l) {
            turned[3 * k + l] = a->axes[3 * k] * place->unit[l] + a->axes[3 * k + 1] * place->unit[3 + l] +
                                a->axes[3 * k + 2] * place->unit[6 + l];
        }
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        TD_UNROLL
        for (int l = 0; l < 3; ++l) {
            between.unit[3 * k + l] = turned[3 * k] * b->axes[3 * l] +
                                      turned[3 * k + 1] * b->axes[3 * l + 1] +
                                      turned[3 * k + 2] * b->axes[3 * l + 2];
        }
        box_a.center[k] = box_b.center[k] = 0;
        box_a.half[k] = a->half[k];
        box_b.half[k] = b->half[k];
    }
    between.ratio = place->ratio;
    between.slack = place->slack * TD_OBB_SLACK;
    return td_box_overlaps(box_a, box_b, between);
}

#endif
