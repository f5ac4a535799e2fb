// The common case of ray_tri.h with the three edges of the triangle side by side in registers: each lane does
// the operations of ray_tri_filter.h in their order, so every bit of the answer is the same.
#ifndef TD_PREDICATES_RAY_TRI_EDGES_H
#define TD_PREDICATES_RAY_TRI_EDGES_H

#include "ray_tri_filter.h"

#include <stdbool.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

// Everything here is inlined, so there is no call whose ABI could differ between instruction sets.
#pragma GCC diagnostic ignored "-Wpsabi"

// A number of each corner, or of the edge opposite to it; the fourth says nothing.
typedef double td_trio __attribute__((vector_size(32)));
typedef int64_t td_trio_bits __attribute__((vector_size(32)));

// The corners of a triangle, by axis.
typedef struct td_corner_trio {
    td_trio along[3];
} td_corner_trio;

typedef struct td_plain_meeting {
    int state;    // TD_LINE_x; the rest is of TD_LINE_MEETS
    bool astride; // the origin is not before or behind all of the corners: t has yet to get its sign
    int side;     // as td_meeting has them
    double t, u, v;
} td_plain_meeting;

#define TD_TRIO_OP static inline __attribute__((always_inline))

TD_TRIO_OP td_trio td_trio_size(td_trio a) {
    return (td_trio)((td_trio_bits)a & INT64_MAX);
}

// Where a > b: a bit each.
TD_TRIO_OP unsigned td_trio_above(td_trio a, td_trio b) {
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GT_OQ)) & 7u;
#else
    return (unsigned)(a[0] > b[0]) | (unsigned)(a[1] > b[1]) << 1 | (unsigned)(a[2] > b[2]) << 2;
#endif
}

TD_TRIO_OP td_trio td_trio_next(td_trio a) {
    return (td_trio){a[1], a[2], a[0], a[1]};
}

TD_TRIO_OP td_trio td_trio_last(td_trio a) {
    return (td_trio){a[2], a[0], a[1], a[2]};
}

TD_TRIO_OP double td_trio_sum(td_trio a) {
    return a[0] + a[1] + a[2];
}

// Where all is known of the sides: as td_line_crossing weighs the corners, and td_place_on_line (ray_tri.h)
// places the point.
TD_TRIO_OP td_plain_meeting td_weigh_trio(const td_line *line, td_trio det, td_trio bound, td_trio corner) {
    td_plain_meeting r;
    const double sum = td_trio_sum(det), part = td_trio_sum(bound) / fabs(sum);
    const double low = td_smaller(corner[0], td_smaller(corner[1], corner[2])),
                 high = td_larger(corner[0], td_larger(corner[1], corner[2]));
    const td_trio weight = det / sum;
    const double mean = td_trio_sum(weight * corner), d = td_component(line->direction, line->axis);
    const double t = td_smaller(td_larger(mean, low), high) / d;
    const bool plain = fabs(sum) < 0x1p1000 && part <= 0.5 && part * (high - low) <= line->grain;
    r.state = plain ? TD_LINE_MEETS : TD_LINE_OPEN;
    r.astride = !(low > 0 || high < 0);
    r.side = sum > 0 ? -1 : 1;
    r.t = r.astride ? t : td_signed_t(t, (low > 0) == (d > 0) ? 1 : -1);
    r.u = weight[1];
    r.v = weight[2];
    return r;
}

TD_TRIO_OP td_plain_meeting td_line_meets_trio(const td_line *line, const td_corner_trio *triangle) {
    const td_vec3 o = line->origin, d = line->direction;
    const td_trio corner[3] = {triangle->along[0] - o.x, triangle->along[1] - o.y, triangle->along[2] - o.z};
    const td_trio px = td_trio_next(corner[0]), py = td_trio_next(corner[1]), pz = td_trio_next(corner[2]);
    const td_trio qx = td_trio_last(corner[0]), qy = td_trio_last(corner[1]), qz = td_trio_last(corner[2]);
    // As td_side_of_edge.
    const double tiny = 0x1p-1000;
    const td_trio rx = py * qz, ry = pz * qx, rz = px * qy, sx = pz * qy, sy = px * qz, sz = py * qx;
    const td_trio sizex = td_trio_size(rx) + td_trio_size(sx) + tiny,
                  sizey = td_trio_size(ry) + td_trio_size(sy) + tiny,
                  sizez = td_trio_size(rz) + td_trio_size(sz) + tiny;
    const td_trio permanent = fabs(d.x) * sizex + fabs(d.y) * sizey + fabs(d.z) * sizez;
    const td_trio det = d.x * (rx - sx) + d.y * (ry - sy) + d.z * (rz - sz);
    const td_trio bound = 10.0 * 0x1p-53 * permanent + 0x1p-1070;
    const unsigned positive = td_trio_above(det, bound), negative = td_trio_above(-bound, det);
    if (positive != 7u && negative != 7u) {
        td_plain_meeting r;
        r.state = positive != 0 && negative != 0 ? TD_LINE_MISSES : TD_LINE_OPEN;
        return r;
    }
    return td_weigh_trio(line, det, bound, corner[line->axis]);
}

#endif
