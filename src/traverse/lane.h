// One lane of a tile: the float32 filters as a single work-item of a device runs them. C17 and OpenCL C.
//
// The mathematics are those of box_box_wide.h and tri_tri_wide.h with one float per register. What differs
// from the native tiles (tiles_wide.h): a work-item turns its triangle of B by itself, and where the device
// has no float64 the way between the quads is computed in pairs of floats. docs/exactness.md bounds both.
//
// A device needs correctly rounded float32 +, -, * and fma (the full profile of OpenCL has them); subnormal
// numbers it may flush.
#ifndef TD_TRAVERSE_LANE_H
#define TD_TRAVERSE_LANE_H

#if !defined(__OPENCL_VERSION__) && !defined(TD_WIDE_ISA)
#define TD_WIDE_ISA        scalar
#define TD_WIDE_ISA_scalar 1
#endif

#include "../bvh/blocked_node.h"
#include "../predicates/box_box_wide.h"
#include "../predicates/tri_tri_wide.h"

// Where B stands, as in td_frame: x -> ratio unit x + shift. A float64 number is float32 of it (high) plus
// float32 of what is left (low): 49 bits. 112 bytes.
typedef struct td_lane_frame {
    float unit[9], unit_low[9];
    float shift[3], shift_low[3];
    float ratio; // a power of two
    float slack;
    float grain; // td_frame's, and what the pairs of floats add
    float spare; // 0
} td_lane_frame;

// What a lane says about two triangles.
#define TD_LANE_APART     0u
#define TD_LANE_UNDECIDED 1u
#define TD_LANE_SURE      2u // they intersect

#ifndef __OPENCL_VERSION__
#include "frame.h"

// Error of a way between quads by the code below, in units of 1 + 1.74 ratio: docs/exactness.md, "One lane".
#define TD_LANE_ERROR 0x1p-41

static inline void td_split_double(float *high, float *low, double x) {
    // GCC 12 vectorises two of these side by side and drops the rounding, so that low is 0: volatile prevents
    // it.
    const volatile float rounded = (float)x;
    *high = rounded;
    *low = (float)(x - (double)*high);
}

// `frame` must be usable.
static inline td_lane_frame td_lane_frame_make(const td_frame *frame) {
    td_lane_frame out = {.ratio = (float)frame->ratio, .slack = frame->slack};
    TD_UNROLL
    for (int k = 0; k < 9; ++k) {
        td_split_double(&out.unit[k], &out.unit_low[k], frame->rotation[k] / frame->ratio);
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        td_split_double(&out.shift[k], &out.shift_low[k], frame->shift[k]);
    }
    // Rounded up: the factor 1 + 2^-20 is more than the two roundings can take away.
    const double grain = (double)frame->grain + 0x1p24 * TD_LANE_ERROR * (1 + 1.74 * frame->ratio);
    out.grain = (float)(grain * (1 + 0x1p-20));
    return out;
}
#endif

// ---------------------------------------------------------------------------------------------------------
// Boxes

TD_INLINE td_wide_frame td_lane_wide_frame(const td_lane_frame *frame) {
    td_wide_frame wide;
    TD_UNROLL
    for (int k = 0; k < 9; ++k) {
        wide.unit[k] = frame->unit[k];
        wide.unit_reach[k] = TD_ABSF(frame->unit[k]);
        wide.rotation[k] = frame->unit[k] * frame->ratio; // exact
        wide.reach[k] = TD_ABSF(wide.rotation[k]);
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        wide.shift[k] = frame->shift[k];
    }
    wide.slack = frame->slack;
    wide.ratio = frame->ratio;
    return wide;
}

// 1: box lane & 3 of `a` may meet box lane >> 2 of `b`; 0: they are apart. `slabs_a` and `slabs_b` are all
// slabs of the two hierarchies; they are read if both blocks are leaf blocks. Imaginary nodes are apart from
// everything.
TD_INLINE td_u32 td_lane_boxes(TD_GLOBAL const td_block *a, TD_GLOBAL const td_slabs *slabs_a,
                               TD_GLOBAL const td_block *b, TD_GLOBAL const td_slabs *slabs_b, td_u32 lane,
                               const td_lane_frame *frame) {
    const td_wide_frame wide = td_lane_wide_frame(frame);
    const int slabs = a->leaf != 0 && b->leaf != 0;
    td_wide_boxes boxes_a = {a->center, a->half, 0, 0, 0}, boxes_b = {b->center, b->half, 0, 0, 0};
    if (slabs) {
        TD_GLOBAL const td_slabs *sa = slabs_a + a->slabs, *sb = slabs_b + b->slabs;
        boxes_a.normal = sa->normal;
        boxes_a.slab_middle = sa->middle;
        boxes_a.slab_half = sa->half;
        boxes_b.normal = sb->normal;
        boxes_b.slab_middle = sb->middle;
        boxes_b.slab_half = sb->half;
    }
    return td_boxes_overlap_group(&boxes_a, &boxes_b, &wide, slabs, (int)lane);
}

// ---------------------------------------------------------------------------------------------------------
// The way from the centre of A's quad to that of B's, coordinate k: float32 of ratio unit x + shift - y.

#if defined(TD_HAS_FLOAT64) && !defined(TD_LANE_PAIRS)

TD_INLINE double td_join(float high, float low) {
    return (double)high + (double)low;
}

TD_INLINE float td_lane_offset(const td_lane_frame *frame, int k, TD_GLOBAL const float *x, float y) {
    double turned = 0;
    TD_UNROLL
    for (int l = 0; l < 3; ++l) {
        turned += td_join(frame->unit[3 * k + l], frame->unit_low[3 * k + l]) * (double)x[l];
    }
    return (float)(turned * (double)frame->ratio + td_join(frame->shift[k], frame->shift_low[k]) - (double)y);
}

#else // TD_LANE_PAIRS: as if there were no float64

#ifdef __OPENCL_VERSION__
#define TD_FMAF fma
#else
#define TD_FMAF fmaf
#endif

// sum + rest = a + b exactly (Knuth). `rest` is returned.
TD_INLINE float td_two_sum(float *sum, float a, float b) {
    const float s = a + b, part = s - a;
    *sum = s;
    return (a - (s - part)) + (b - part);
}

TD_INLINE float td_lane_offset(const td_lane_frame *frame, int k, TD_GLOBAL const float *x, float y) {
    const float ratio = frame->ratio;
    float product[3], rest[3], low = frame->shift_low[k];
    TD_UNROLL
    for (int l = 0; l < 3; ++l) {
        const float r = frame->unit[3 * k + l] * ratio; // exact
        product[l] = r * x[l];
        rest[l] = TD_FMAF(r, x[l], -product[l]);
        low = TD_FMAF(frame->unit_low[3 * k + l] * ratio, x[l], low);
    }
    float sum;
    const float q0 = td_two_sum(&sum, frame->shift[k], -y);
    const float q1 = td_two_sum(&sum, sum, product[0]);
    const float q2 = td_two_sum(&sum, sum, product[1]);
    const float q3 = td_two_sum(&sum, sum, product[2]);
    return sum + ((((q0 + q1) + (q2 + q3)) + ((rest[0] + rest[1]) + rest[2])) + low);
}

#endif

// ---------------------------------------------------------------------------------------------------------
// Triangles

// Corner or edge `lane` of v, turned into A's frame by the rows of `rotation`.
TD_INLINE void td_lane_turn(float out[3], const td_lane_frame *frame, TD_GLOBAL const float (*v)[4],
                            td_u32 lane) {
    const float x[3] = {v[0][lane], v[1][lane], v[2][lane]};
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        const float row[3] = {frame->unit[3 * k] * frame->ratio, frame->unit[3 * k + 1] * frame->ratio,
                              frame->unit[3 * k + 2] * frame->ratio};
        out[k] = td_wide_dot(row, x);
    }
}

// Triangle `lane_a` of quad `a` against triangle `lane_b` of quad `b`: TD_LANE_APART, TD_LANE_UNDECIDED or
// TD_LANE_SURE. An empty lane is apart from everything.
TD_INLINE td_u32 td_lane_triangles(TD_GLOBAL const td_quad *a, td_u32 lane_a, TD_GLOBAL const td_quad *b,
                                   td_u32 lane_b, const td_lane_frame *frame) {
    td_wide_triangles triangles;
    if (a->scale[lane_a] < 0.0f || b->scale[lane_b] < 0.0f) {
        return TD_LANE_APART;
    }
    float first[3], size = a->size + (b->size * frame->ratio + frame->grain);
    td_lane_turn(first, frame, b->origin, lane_b);
    td_lane_turn(triangles.f0, frame, b->edge0, lane_b);
    td_lane_turn(triangles.f1, frame, b->edge1, lane_b);
    td_wide_cross(triangles.n, triangles.f0, triangles.f1);
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        const float offset = td_lane_offset(frame, k, b->center, a->center[k]);
        size += TD_ABSF(offset);
        triangles.e0[k] = a->edge0[k][lane_a];
        triangles.e1[k] = a->edge1[k][lane_a];
        triangles.v[k] = (first[k] + offset) - a->origin[k][lane_a];
    }
    triangles.length_a = a->scale[lane_a];
    triangles.length_b = b->scale[lane_b] * frame->ratio;
    const td_wide_errors errors = {size * TD_TRIANGLE_ERROR, frame->grain, frame->grain * 0x1p-20f};
    td_wide_terms terms;
    td_wide_planes(&terms, &triangles, &errors);
    if (td_wide_near_planes(&terms) == 0) {
        return TD_LANE_APART;
    }
    const td_wide_verdict verdict = td_wide_decide(&terms, &triangles);
    return verdict.maybe + (verdict.sure & verdict.maybe);
}

#endif
