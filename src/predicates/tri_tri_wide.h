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
// derives the bounds: with u = 2^-24, S the sizes of the two quads and the distance between their centres,
// and r_a, r_b the edge lengths, the errors are below 92 u S r_a^2 on m, 92 u S r_b^2 on n and 575 u S r_a
// r_b on an edge axis; 128 and 640 are used.
#ifndef TD_PREDICATES_TRI_TRI_WIDE_H
#define TD_PREDICATES_TRI_TRI_WIDE_H

#include "../math/wide.h"

// The factors of S in the bounds: 128 u on a normal, five times that on an edge axis.
#define TD_TRIANGLE_ERROR 0x1p-17f
#define TD_EDGE_FACTOR    5.0f

// Below this, float32 may have lost bits to underflow.
#define TD_UNDERFLOW_GUARD 1e-32f

typedef struct td_wide_verdict {
    td_u32 maybe; // not apart: lanes that intersect or are undecided
    td_u32 sure;  // lanes that certainly intersect
} td_wide_verdict;

TD_OP td_wf td_wide_dot(const td_wf a[3], const td_wf b[3]) {
    return td_wf_fma(a[0], b[0], td_wf_fma(a[1], b[1], td_wf_mul(a[2], b[2])));
}

TD_OP void td_wide_cross(td_wf out[3], const td_wf a[3], const td_wf b[3]) {
    out[0] = td_wf_fms(a[1], b[2], td_wf_mul(a[2], b[1]));
    out[1] = td_wf_fms(a[2], b[0], td_wf_mul(a[0], b[2]));
    out[2] = td_wf_fms(a[0], b[1], td_wf_mul(a[1], b[0]));
}

// Twice the distance by which two intervals are apart (negative: by which they overlap). `offset` is that of
// their starts, `middle` twice the further way to their middles, `radii` the sum of their lengths.
TD_OP td_wf td_wide_gap(td_wf offset, td_wf middle, td_wf radii) {
    return td_wf_sub(td_wf_abs(td_wf_fma(td_wf_set1(2.0f), offset, middle)), radii);
}

// A plane against the three corners of the other triangle, at heights s0, s1, s2: how far all are on one
// side.
TD_OP td_wf td_wide_side(td_wf s0, td_wf s1, td_wf s2) {
    const td_wf low = td_wf_min(s0, td_wf_min(s1, s2));
    const td_wf high = td_wf_max(s0, td_wf_max(s1, s2));
    return td_wf_max(low, td_wf_sub(td_wf_set1(0.0f), high));
}

// What the error bounds are made of.
typedef struct td_wide_errors {
    td_wf size;  // S TD_TRIANGLE_ERROR
    td_wf grain; // as in frame.h
    td_wf trace; // 16 u grain
} td_wide_errors;

// Triangles of A against triangles of B, as tests need them: loaded by whoever has them.
typedef struct td_wide_triangles {
    td_wf e0[3], e1[3];       // edges of A
    td_wf f0[3], f1[3], n[3]; // edges of B and their product, turned into A's frame
    td_wf v[3];               // from the first corner of A's to that of B's
    td_wf length_a, length_b; // of the longest edges, at least
} td_wide_triangles;

// What the planes say, and what the axes of edges go on with.
typedef struct td_wide_terms {
    td_wf mf0, mf1, ne0, ne1;
    td_wf side_a, side_b;   // by how much the planes of A and of B separate; negative: not
    td_wf bound_a, bound_b; // bounds of the errors of these
    td_wf bound_edges;      // bound of the error on an edge axis
} td_wide_terms;

TD_OP void td_wide_planes(td_wide_terms *t, const td_wide_triangles *in, const td_wide_errors *errors) {
    td_wf m[3];
    td_wide_cross(m, in->e0, in->e1);
    const td_wf mv = td_wide_dot(m, in->v), nv = td_wide_dot(in->n, in->v);
    t->mf0 = td_wide_dot(m, in->f0);
    t->mf1 = td_wide_dot(m, in->f1);
    t->ne0 = td_wide_dot(in->n, in->e0);
    t->ne1 = td_wide_dot(in->n, in->e1);
    t->side_a = td_wide_side(mv, td_wf_add(mv, t->mf0), td_wf_add(mv, t->mf1));
    t->side_b = td_wide_side(nv, td_wf_sub(nv, t->ne0), td_wf_sub(nv, t->ne1));
    // Lengths with the float64 error on top, once in full (grain) and once as it counts beside a full one
    // (trace).
    const td_wf guard = td_wf_set1(TD_UNDERFLOW_GUARD);
    const td_wf la = in->length_a, lb = in->length_b;
    const td_wf ra = td_wf_add(la, errors->grain), rb = td_wf_add(lb, errors->grain);
    const td_wf sa = td_wf_mul(td_wf_add(la, errors->trace), errors->size);
    const td_wf sb = td_wf_mul(td_wf_add(lb, errors->trace), errors->size);
    t->bound_a = td_wf_fma(sa, ra, guard);
    t->bound_b = td_wf_fma(sb, rb, guard);
    t->bound_edges =
        td_wf_fma(td_wf_max(td_wf_mul(sa, rb), td_wf_mul(sb, ra)), td_wf_set1(TD_EDGE_FACTOR), guard);
}

// Lanes that no plane separates for certain.
TD_OP td_u32 td_wide_near_planes(const td_wide_terms *t) {
    return td_wm_bits(td_wf_le_and(td_wf_le(t->side_a, t->bound_a), t->side_b, t->bound_b));
}

// Twice the gaps on the nine axes of two edges: gaps[3 j + i] for edge i of A and edge j of B.
TD_OP void td_wide_edge_gaps(td_wf gaps[9], const td_wide_terms *t, const td_wide_triangles *in) {
    td_wf g0[3], g1[3];
    td_wide_cross(g0, in->v, in->e0);
    td_wide_cross(g1, in->v, in->e1);
    const td_wf t00 = td_wide_dot(g0, in->f0), t01 = td_wide_dot(g0, in->f1);
    const td_wf t10 = td_wide_dot(g1, in->f0), t11 = td_wide_dot(g1, in->f1);
    const td_wf zero = td_wf_set1(0.0f), p0 = t->mf0, p1 = t->mf1, q0 = t->ne0, q1 = t->ne1;
    const td_wf p2 = td_wf_sub(p1, p0), q2 = td_wf_sub(q1, q0);
    const td_wf o20 = td_wf_sub(td_wf_sub(t10, t00), p0), o21 = td_wf_sub(td_wf_sub(t11, t01), p1);
    const td_wf o02 = td_wf_sub(td_wf_sub(t01, t00), q0), o12 = td_wf_sub(td_wf_sub(t11, t10), q1);
    const td_wf o22 = td_wf_sub(td_wf_sub(o12, o02), p2);
    const td_wf a0 = td_wf_abs(p0), a1 = td_wf_abs(p1), a2 = td_wf_abs(p2);
    const td_wf b0 = td_wf_abs(q0), b1 = td_wf_abs(q1), b2 = td_wf_abs(q2);
    // A's third corner is at -m.f_j for its edges 0 and 2, at +m.f_j for edge 1; B's at n.e_i for its edges 0
    // and 2, at -n.e_i for edge 1. So the middles are apart by 2 o + (sum or difference of the two).
    const td_wf s00 = td_wf_add(q0, p0), s10 = td_wf_sub(q1, p0), s20 = td_wf_add(q2, p0);
    const td_wf s01 = td_wf_sub(p1, q0), s11 = td_wf_add(p1, q1), s21 = td_wf_sub(p1, q2);
    const td_wf s02 = td_wf_add(q0, p2), s12 = td_wf_sub(q1, p2), s22 = td_wf_add(q2, p2);
    gaps[0] = td_wide_gap(t00, s00, td_wf_add(a0, b0));
    gaps[1] = td_wide_gap(t10, s10, td_wf_add(a0, b1));
    gaps[2] = td_wide_gap(o20, s20, td_wf_add(a0, b2));
    gaps[3] = td_wide_gap(t01, s01, td_wf_add(a1, b0));
    gaps[4] = td_wide_gap(t11, td_wf_sub(zero, s11), td_wf_add(a1, b1));
    gaps[5] = td_wide_gap(o21, s21, td_wf_add(a1, b2));
    gaps[6] = td_wide_gap(o02, s02, td_wf_add(a2, b0));
    gaps[7] = td_wide_gap(o12, s12, td_wf_add(a2, b1));
    gaps[8] = td_wide_gap(o22, s22, td_wf_add(a2, b2));
}

// The largest of them.
TD_OP td_wf td_wide_edge_gap(const td_wide_terms *t, const td_wide_triangles *in) {
    td_wf gaps[9];
    td_wide_edge_gaps(gaps, t, in);
    td_wf gap = gaps[0];
    TD_UNROLL
    for (int k = 1; k < 9; ++k) {
        gap = td_wf_max(gap, gaps[k]);
    }
    return gap;
}

TD_OP td_wide_verdict td_wide_decide(const td_wide_terms *t, const td_wide_triangles *in) {
    const td_wf zero = td_wf_set1(0.0f), gap = td_wide_edge_gap(t, in);
    const td_wf bound = td_wf_add(t->bound_edges, t->bound_edges); // the gap is doubled
    const td_wm near_edges = td_wf_le(gap, bound);
    const td_wm over_planes = td_wf_le_and(td_wf_le(t->side_a, td_wf_sub(zero, t->bound_a)), t->side_b,
                                           td_wf_sub(zero, t->bound_b));
    return (td_wide_verdict){td_wm_bits(near_edges) & td_wide_near_planes(t),
                             td_wm_bits(td_wf_le_and(over_planes, gap, td_wf_sub(zero, bound)))};
}

#endif
