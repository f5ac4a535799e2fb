// Whether pairs of features stay apart in an outlook, one per lane of float64. The nearest points are those
// of closest.h by the same operations in the same order, so what stays apart is the same in every instruction
// set.
#include "../math/wide64.h"
#include "apart.h"

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

TD_OP td_wd td_wd3_dot(td_wd3 a, td_wd3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// ---------------------------------------------------------------------------------------------------------
// From the nearest point of the second feature to that of the first

// Of the cases of td_closest_vertex_face the first that holds: what holds for later ones is overwritten.
TD_OP td_wd3 td_way_to_face(td_wd3 p, td_wd3 a, td_wd3 b, td_wd3 c) {
    const td_wd zero = td_wd_set1(0), one = td_wd_set1(1);
    const td_wd3 ab = td_wd3_sub(b, a), ac = td_wd3_sub(c, a), ap = td_wd3_sub(p, a), bp = td_wd3_sub(p, b),
                 cp = td_wd3_sub(p, c);
    const td_wd d1 = td_wd3_dot(ab, ap), d2 = td_wd3_dot(ac, ap), d3 = td_wd3_dot(ab, bp),
                d4 = td_wd3_dot(ac, bp), d5 = td_wd3_dot(ab, cp), d6 = td_wd3_dot(ac, cp);
    const td_wd va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const td_wd k = one / (va + vb + vc);
    td_wd v = vb * k, w = vc * k;
    const td_wd along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    td_wdm is =
        td_wdm_and(td_wd_le(va, zero), td_wdm_and(td_wd_le(zero, d4 - d3), td_wd_le(zero, d5 - d6))); // on bc
    w = td_wd_pick(is, along, w);
    v = td_wd_pick(is, one - along, v);
    is = td_wdm_and(td_wd_le(vb, zero), td_wdm_and(td_wd_le(zero, d2), td_wd_le(d6, zero))); // on ac
    w = td_wd_pick(is, d2 / (d2 - d6), w);
    v = td_wd_pick(is, zero, v);
    is = td_wdm_and(td_wd_le(zero, d6), td_wd_le(d5, d6)); // at c
    w = td_wd_pick(is, one, w);
    v = td_wd_pick(is, zero, v);
    is = td_wdm_and(td_wd_le(vc, zero), td_wdm_and(td_wd_le(zero, d1), td_wd_le(d3, zero))); // on ab
    w = td_wd_pick(is, zero, w);
    v = td_wd_pick(is, d1 / (d1 - d3), v);
    is = td_wdm_and(td_wd_le(zero, d3), td_wd_le(d4, d3)); // at b
    w = td_wd_pick(is, zero, w);
    v = td_wd_pick(is, one, v);
    is = td_wdm_and(td_wd_le(d1, zero), td_wd_le(d2, zero)); // at a
    w = td_wd_pick(is, zero, w);
    v = td_wd_pick(is, zero, v);
    return td_wd3_sub(ap, td_wd3_add(td_wd3_scale(ab, v), td_wd3_scale(ac, w)));
}

TD_OP td_wd td_part_of(td_wd x) {
    const td_wd zero = td_wd_set1(0), one = td_wd_set1(1);
    return td_wd_pick(td_wd_lt(x, zero), zero, td_wd_pick(td_wd_lt(one, x), one, x));
}

// As td_closest_edges.
TD_OP td_wd3 td_way_of_edges(td_wd3 a0, td_wd3 a1, td_wd3 b0, td_wd3 b1) {
    const td_wd zero = td_wd_set1(0);
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
    return td_wd3_sub(td_wd3_add(r, td_wd3_scale(d1, s)), td_wd3_scale(d2, t));
}

// ---------------------------------------------------------------------------------------------------------
// Whether they are apart

// How far the first feature is ahead of the second along a direction, times its length.
TD_OP td_wd td_wide_ahead(const td_wd3 p[4], bool edges, td_wd3 direction) {
    td_wd height[3];
    for (int i = 0; i < 3; ++i) {
        height[i] = td_wd3_dot(direction, td_wd3_sub(p[i], p[3]));
    }
    const td_wd least = edges ? td_wd_min(height[1], height[0]) : height[0];
    const td_wd most = edges ? height[2] : td_wd_max(height[2], height[1]);
    return least - td_wd_max(td_wd_set1(0), most);
}

TD_OP td_wdm td_wide_beyond(td_wd3 p[2][4], bool edges, td_wd3 direction, td_wd reach) {
    const td_wd within = reach * td_wd_sqrt(td_wd3_dot(direction, direction));
    const td_wd before = td_wide_ahead(p[0], edges, direction), after = td_wide_ahead(p[1], edges, direction);
    const td_wdm apart = td_wdm_and(td_wd_lt(within, before), td_wd_lt(within, after));
    return td_wdm_and(apart, td_wd_lt(td_wd_set1(0), before));
}

TD_OP uint32_t td_apart_lanes(const td_apart_points *points, size_t first, bool edges, double reach) {
    td_wd3 p[2][4];
    for (int t = 0; t < 2; ++t) {
        for (int i = 0; i < 4; ++i) {
            const double *const *of = points->at[i] + first;
            p[t][i] =
                (td_wd3){td_wd_gather(of, 3 * t), td_wd_gather(of, 3 * t + 1), td_wd_gather(of, 3 * t + 2)};
        }
    }
    const td_wd3 *q = p[0];
    const td_wd3 middles =
        edges ? td_wd3_sub(td_wd3_add(q[0], q[1]), td_wd3_add(q[2], q[3]))
              : td_wd3_sub(td_wd3_scale(q[0], td_wd_set1(3)), td_wd3_add(q[1], td_wd3_add(q[2], q[3])));
    const td_wd3 way =
        edges ? td_way_of_edges(q[0], q[1], q[2], q[3]) : td_way_to_face(q[0], q[1], q[2], q[3]);
    return td_wdm_bits(td_wide_beyond(p, edges, middles, td_wd_set1(reach))) |
           td_wdm_bits(td_wide_beyond(p, edges, way, td_wd_set1(reach)));
}

// From middle to middle; then along the way between the nearest points at the beginning.
uint32_t TD_WIDE(td_stay_apart)(const td_apart_points *points, bool edges, double reach) {
    uint32_t apart = 0;
    for (size_t first = 0; first < TD_APART_LANES; first += TD_LANES64) {
        apart |=
            (edges ? td_apart_lanes(points, first, true, reach) : td_apart_lanes(points, first, false, reach))
            << first;
    }
    return apart;
}
