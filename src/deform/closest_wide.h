// The nearest points of closest.h, one pair of features per lane of float64: by the same operations in the
// same order, so the same bits in every instruction set. Part of files named *_wide.c.
#ifndef TD_DEFORM_CLOSEST_WIDE_H
#define TD_DEFORM_CLOSEST_WIDE_H

#include "../math/wide64.h"

#include <stdbool.h>

typedef struct td_wd3 {
    td_wd x, y, z;
} td_wd3;

TD_OP td_wd3 td_wd3_add(td_wd3 a, td_wd3 b) {
    return (td_wd3){a.x + b.x, a.y + b.y, a.z + b.z};
}

TD_OP td_wd3 td_wd3_sub(td_wd3 a, td_wd3 b) {
    return (td_wd3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TD_OP td_wd3 td_wd3_scale(td_wd3 a, td_wd s) {
    return (td_wd3){a.x * s, a.y * s, a.z * s};
}

TD_OP td_wd3 td_wd3_cross(td_wd3 a, td_wd3 b) {
    return (td_wd3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TD_OP td_wd3 td_wd3_pick(td_wdm mask, td_wd3 yes, td_wd3 no) {
    return (td_wd3){td_wd_pick(mask, yes.x, no.x), td_wd_pick(mask, yes.y, no.y),
                    td_wd_pick(mask, yes.z, no.z)};
}

TD_OP td_wd td_wd3_dot(td_wd3 a, td_wd3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// As td_closest; within: 1 or 0.
typedef struct td_wide_closest {
    td_wd weight[4];
    td_wd3 way;
    td_wd within;
} td_wide_closest;

// Point i of every lane, which begins at `place` of what at[l] points to.
TD_OP td_wd3 td_wd3_gather(const double *const *at, int place) {
    return (td_wd3){td_wd_gather(at, place), td_wd_gather(at, place + 1), td_wd_gather(at, place + 2)};
}

// Of the cases of td_closest_vertex_face the first that holds: what holds for later ones is overwritten.
TD_OP td_wide_closest td_wide_closest_face(td_wd3 p, td_wd3 a, td_wd3 b, td_wd3 c) {
    const td_wd zero = td_wd_set1(0), one = td_wd_set1(1);
    const td_wd3 ab = td_wd3_sub(b, a), ac = td_wd3_sub(c, a), ap = td_wd3_sub(p, a), bp = td_wd3_sub(p, b),
                 cp = td_wd3_sub(p, c);
    const td_wd d1 = td_wd3_dot(ab, ap), d2 = td_wd3_dot(ac, ap), d3 = td_wd3_dot(ab, bp),
                d4 = td_wd3_dot(ac, bp), d5 = td_wd3_dot(ab, cp), d6 = td_wd3_dot(ac, cp);
    const td_wd va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const td_wd k = one / (va + vb + vc);
    td_wd v = vb * k, w = vc * k, within = one;
    const td_wd along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    td_wdm is =
        td_wdm_and(td_wd_le(va, zero), td_wdm_and(td_wd_le(zero, d4 - d3), td_wd_le(zero, d5 - d6))); // on bc
    w = td_wd_pick(is, along, w);
    v = td_wd_pick(is, one - along, v);
    within = td_wd_pick(is, zero, within);
    is = td_wdm_and(td_wd_le(vb, zero), td_wdm_and(td_wd_le(zero, d2), td_wd_le(d6, zero))); // on ac
    w = td_wd_pick(is, d2 / (d2 - d6), w);
    v = td_wd_pick(is, zero, v);
    within = td_wd_pick(is, zero, within);
    is = td_wdm_and(td_wd_le(zero, d6), td_wd_le(d5, d6)); // at c
    w = td_wd_pick(is, one, w);
    v = td_wd_pick(is, zero, v);
    within = td_wd_pick(is, zero, within);
    is = td_wdm_and(td_wd_le(vc, zero), td_wdm_and(td_wd_le(zero, d1), td_wd_le(d3, zero))); // on ab
    w = td_wd_pick(is, zero, w);
    v = td_wd_pick(is, d1 / (d1 - d3), v);
    within = td_wd_pick(is, zero, within);
    is = td_wdm_and(td_wd_le(zero, d3), td_wd_le(d4, d3)); // at b
    w = td_wd_pick(is, zero, w);
    v = td_wd_pick(is, one, v);
    within = td_wd_pick(is, zero, within);
    is = td_wdm_and(td_wd_le(d1, zero), td_wd_le(d2, zero)); // at a
    w = td_wd_pick(is, zero, w);
    v = td_wd_pick(is, zero, v);
    within = td_wd_pick(is, zero, within);
    return (td_wide_closest){.weight = {one, -(one - v - w), -v, -w},
                             .way = td_wd3_sub(ap, td_wd3_add(td_wd3_scale(ab, v), td_wd3_scale(ac, w))),
                             .within = within};
}

TD_OP td_wd td_part_of(td_wd x) {
    const td_wd zero = td_wd_set1(0), one = td_wd_set1(1);
    return td_wd_pick(td_wd_lt(x, zero), zero, td_wd_pick(td_wd_lt(one, x), one, x));
}

// As td_closest_edges.
TD_OP td_wide_closest td_wide_closest_edges(td_wd3 a0, td_wd3 a1, td_wd3 b0, td_wd3 b1) {
    const td_wd zero = td_wd_set1(0), one = td_wd_set1(1);
    const td_wd3 d1 = td_wd3_sub(a1, a0), d2 = td_wd3_sub(b1, b0), r = td_wd3_sub(a0, b0);
    const td_wd a = td_wd3_dot(d1, d1), e = td_wd3_dot(d2, d2), f = td_wd3_dot(d2, r), c = td_wd3_dot(d1, r),
                b = td_wd3_dot(d1, d2);
    const td_wd denominator = a * e - b * b;
    const td_wdm crosses = td_wd_lt(td_wd_set1(1e-9) * a * e, denominator);
    const td_wd free_s = td_wd_pick(crosses, (b * f - c * e) / denominator, td_wd_set1(0.5));
    const td_wd first_s = td_part_of(free_s);
    const td_wd free_t = td_wd_pick(td_wd_lt(zero, e), (b * first_s + f) / e, zero);
    const td_wd t = td_part_of(free_t);
    const td_wd again = td_wd_pick(td_wd_lt(zero, a), td_part_of((b * t - c) / a), zero);
    const td_wd s = td_wd_pick(td_wd_lt(t, free_t), again, td_wd_pick(td_wd_lt(free_t, t), again, first_s));
    const td_wdm inside_s = td_wdm_and(td_wd_lt(zero, s), td_wd_lt(s, one)),
                 inside_t = td_wdm_and(td_wd_lt(zero, t), td_wd_lt(t, one));
    return (td_wide_closest){.weight = {one - s, s, -(one - t), -t},
                             .way = td_wd3_sub(td_wd3_add(r, td_wd3_scale(d1, s)), td_wd3_scale(d2, t)),
                             .within =
                                 td_wd_pick(td_wdm_and(crosses, td_wdm_and(inside_s, inside_t)), one, zero)};
}

TD_OP td_wide_closest td_wide_closest_of(const td_wd3 p[4], bool edges) {
    return edges ? td_wide_closest_edges(p[0], p[1], p[2], p[3])
                 : td_wide_closest_face(p[0], p[1], p[2], p[3]);
}

// How far the first feature is ahead of the second along a direction, times its length.
TD_OP td_wd td_wide_ahead_along(const td_wd3 p[4], bool edges, td_wd3 direction) {
    td_wd height[3];
    for (int i = 0; i < 3; ++i) {
        height[i] = td_wd3_dot(direction, td_wd3_sub(p[i], p[3]));
    }
    const td_wd least = edges ? td_wd_min(height[0], height[1]) : height[0];
    const td_wd most = edges ? height[2] : td_wd_max(height[1], height[2]);
    return least - td_wd_max(most, td_wd_set1(0));
}

#endif
