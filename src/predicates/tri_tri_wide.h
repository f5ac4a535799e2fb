// 16 triangle-triangle tests at once, in float32, each with one of three answers: apart, intersecting, or
// undecided.
//
// Separating axes of two triangles (a0, a0 + e0, a0 + e1) and (b0, b0 + f0, b0 + f1): the normals m = e0 x e1
// and n = f0 x f1, and the nine products of an edge of each. With v = b0 - a0 everything on these axes is
// made of
//     m.v  m.f0  m.f1    n.v  n.e0  n.e1    T_ij = v.(e_i x f_j)
// by additions: the offset between edges i and j is T_ij for edges that start at a0 and b0, and for the third
// edges e2 = e1 - e0, f2 = f1 - f0
//     o_2j = T_1j - T_0j - m.f_j      o_i2 = T_i1 - T_i0 - n.e_i
//     o_22 = T_11 - T_10 - T_01 + T_00 - n.e2 - m.f2
// and the extents of the triangles on the axis are m.f_j and n.e_i up to sign.
//
// Triangles are apart if one axis separates them by more than its error bound; they intersect if all eleven
// overlap by more than it (then they are in general position, and the eleven axes suffice). docs/exactness.md
// derives the bounds: with u = 2^-24, S the size of the two quads and the distance between their centres, and
// r_a, r_b the edge lengths, the error is below 2^9 u S r_a^2 on m, 2^9 u S r_b^2 on n and 2^11 u S r_a r_b
// on an edge axis.
#ifndef TD_PREDICATES_TRI_TRI_WIDE_H
#define TD_PREDICATES_TRI_TRI_WIDE_H

#include "../math/wide.h"

// 2^9 u: the factor of S in the bound of a normal axis.
#define TD_TRIANGLE_ERROR 0x1p-15f

// Below this, float32 may have lost bits to underflow.
#define TD_UNDERFLOW_GUARD 1e-32f

// Four triangles of B, turned into A's frame but not shifted.
typedef struct td_turned_quad {
    float b0[3][4], f0[3][4], f1[3][4], n[3][4];
    float scale[4];
} td_turned_quad;

typedef struct td_wide_verdict {
    uint32_t maybe; // not apart: lanes that intersect or are undecided
    uint32_t sure;  // lanes that certainly intersect
} td_wide_verdict;

TD_OP td_wf td_wide_dot(const td_wf a[3], const td_wf b[3]) {
    return td_wf_fma(a[0], b[0], td_wf_fma(a[1], b[1], td_wf_mul(a[2], b[2])));
}

TD_OP void td_wide_cross(td_wf out[3], const td_wf a[3], const td_wf b[3]) {
    out[0] = td_wf_fms(a[1], b[2], td_wf_mul(a[2], b[1]));
    out[1] = td_wf_fms(a[2], b[0], td_wf_mul(a[0], b[2]));
    out[2] = td_wf_fms(a[0], b[1], td_wf_mul(a[1], b[0]));
}

TD_OP void td_wide_spread(td_wf out[3], const float v[3][4], int g)
{
    for (int k = 0; k < 3; ++k) {
        out[k] = td_wf_spread(v[k], g);
    }
}

// The largest value on one axis by which two intervals are apart (negative: by which they overlap at least),
// doubled. Offset o; A reaches from 0 to p, B from o to o + q.
TD_OP td_wf td_wide_gap(td_wf o, td_wf p, td_wf q, td_wf radii) {
    const td_wf two = td_wf_set1(2.0f);
    return td_wf_sub(td_wf_abs(td_wf_fma(two, o, td_wf_sub(q, p))), radii);
}

// A plane against the three corners of the other triangle, at heights s0, s1, s2: how far all are on one
// side.
TD_OP td_wf td_wide_side(td_wf s0, td_wf s1, td_wf s2) {
    const td_wf low = td_wf_min(s0, td_wf_min(s1, s2));
    const td_wf high = td_wf_max(s0, td_wf_max(s1, s2));
    return td_wf_max(low, td_wf_sub(td_wf_set1(0.0f), high));
}

// One group of a tile. `offset` is the centre of B's quad minus that of A's; `size` is S TD_TRIANGLE_ERROR and `grain` as
// in frame.h.
TD_OP td_wide_verdict td_wide_triangles(const float origin[3][4], const float edge0[3][4],
                                        const float edge1[3][4], const float scale[4],
                                        const td_turned_quad *b, const td_wf offset[3], td_wf size,
                                        td_wf grain, uint32_t lanes, int g) {
    td_wf e0[3], e1[3], m[3], v[3], f0[3], f1[3], n[3];
    td_wide_spread(f0, b->f0, g);
    td_wide_spread(f1, b->f1, g);
    td_wide_spread(n, b->n, g);
    for (int k = 0; k < 3; ++k) {
        e0[k] = td_wf_repeat(edge0[k], g);
        e1[k] = td_wf_repeat(edge1[k], g);
        v[k] = td_wf_sub(td_wf_add(td_wf_spread(b->b0[k], g), offset[k]), td_wf_repeat(origin[k], g));
    }
    td_wide_cross(m, e0, e1);
    const td_wf mv = td_wide_dot(m, v), mf0 = td_wide_dot(m, f0), mf1 = td_wide_dot(m, f1);
    const td_wf nv = td_wide_dot(n, v), ne0 = td_wide_dot(n, e0), ne1 = td_wide_dot(n, e1);
    const td_wf side_a = td_wide_side(mv, td_wf_add(mv, mf0), td_wf_add(mv, mf1));
    const td_wf side_b = td_wide_side(nv, td_wf_sub(nv, ne0), td_wf_sub(nv, ne1));
    const td_wf guard = td_wf_set1(TD_UNDERFLOW_GUARD);
    const td_wf ra = td_wf_add(td_wf_repeat(scale, g), grain), rb = td_wf_spread(b->scale, g);
    const td_wf size_a = td_wf_mul(size, ra), size_b = td_wf_mul(size, rb);
    const td_wf bound_a = td_wf_fma(size_a, ra, guard), bound_b = td_wf_fma(size_b, rb, guard);
    const td_wm near_planes = td_wf_le_and(td_wf_le(side_a, bound_a), side_b, bound_b);
    td_wide_verdict verdict = {td_wm_bits(near_planes) & lanes, 0};
    if (verdict.maybe == 0) {
        return verdict;
    }
    td_wf g0[3], g1[3];
    td_wide_cross(g0, v, e0);
    td_wide_cross(g1, v, e1);
    const td_wf t00 = td_wide_dot(g0, f0), t01 = td_wide_dot(g0, f1);
    const td_wf t10 = td_wide_dot(g1, f0), t11 = td_wide_dot(g1, f1);
    const td_wf mf2 = td_wf_sub(mf1, mf0), ne2 = td_wf_sub(ne1, ne0);
    const td_wf d0 = td_wf_sub(t10, t00), d1 = td_wf_sub(t11, t01);
    const td_wf zero = td_wf_set1(0.0f);
    const td_wf o20 = td_wf_sub(d0, mf0), o21 = td_wf_sub(d1, mf1);
    const td_wf o02 = td_wf_sub(td_wf_sub(t01, t00), ne0), o12 = td_wf_sub(td_wf_sub(t11, t10), ne1);
    const td_wf o22 = td_wf_sub(td_wf_sub(td_wf_sub(d1, d0), ne2), mf2);
    const td_wf am0 = td_wf_abs(mf0), am1 = td_wf_abs(mf1), am2 = td_wf_abs(mf2);
    const td_wf an0 = td_wf_abs(ne0), an1 = td_wf_abs(ne1), an2 = td_wf_abs(ne2);
    // A's third corner is at -m.f_j for its edges 0 and 2, at +m.f_j for edge 1; B's at n.e_i for 0 and 2,
    // -n.e_i for 1.
    td_wf gap = td_wide_gap(t00, td_wf_sub(zero, mf0), ne0, td_wf_add(am0, an0));
    gap = td_wf_max(gap, td_wide_gap(t01, td_wf_sub(zero, mf1), td_wf_sub(zero, ne0), td_wf_add(am1, an0)));
    gap = td_wf_max(gap, td_wide_gap(o02, td_wf_sub(zero, mf2), ne0, td_wf_add(am2, an0)));
    gap = td_wf_max(gap, td_wide_gap(t10, mf0, ne1, td_wf_add(am0, an1)));
    gap = td_wf_max(gap, td_wide_gap(t11, mf1, td_wf_sub(zero, ne1), td_wf_add(am1, an1)));
    gap = td_wf_max(gap, td_wide_gap(o12, mf2, ne1, td_wf_add(am2, an1)));
    gap = td_wf_max(gap, td_wide_gap(o20, td_wf_sub(zero, mf0), ne2, td_wf_add(am0, an2)));
    gap = td_wf_max(gap, td_wide_gap(o21, td_wf_sub(zero, mf1), td_wf_sub(zero, ne2), td_wf_add(am1, an2)));
    gap = td_wf_max(gap, td_wide_gap(o22, td_wf_sub(zero, mf2), ne2, td_wf_add(am2, an2)));
    const td_wf bound = td_wf_fma(td_wf_mul(size_a, td_wf_set1(8.0f)), rb, guard); // gap is doubled
    verdict.maybe &= td_wm_bits(td_wf_le(gap, bound));
    if (verdict.maybe == 0) {
        return verdict;
    }
    const td_wm overlap =
        td_wf_le_and(td_wf_lt(side_a, td_wf_sub(zero, bound_a)), side_b, td_wf_sub(zero, bound_b));
    verdict.sure = td_wm_bits(td_wf_le_and(overlap, gap, td_wf_sub(zero, bound))) & verdict.maybe;
    return verdict;
}

#endif
