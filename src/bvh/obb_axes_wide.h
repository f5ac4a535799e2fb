// The axes of oriented boxes, a box per lane. For files that are compiled once per instruction set, and
// OpenCL C with float64. Any axes give a box that is right: so float32 is enough to find them, and only at
// the end float64 makes them orthonormal.
#ifndef TD_BVH_OBB_AXES_WIDE_H
#define TD_BVH_OBB_AXES_WIDE_H

#include "../math/wide_lanes.h"
#include "moments.h"

typedef struct td_axes {
    td_wf at[3][3]; // axis, coordinate; right-handed
} td_axes;

TD_OP td_wf td_dot3(const td_wf a[3], const td_wf b[3]) {
    return td_wf_add(td_wf_add(td_wf_mul(a[0], b[0]), td_wf_mul(a[1], b[1])), td_wf_mul(a[2], b[2]));
}

TD_OP td_wf64 td_dot3_64(const td_wf64 a[3], const td_wf64 b[3]) {
    return td_wf64_add(td_wf64_add(td_wf64_mul(a[0], b[0]), td_wf64_mul(a[1], b[1])),
                       td_wf64_mul(a[2], b[2]));
}

// ---------------------------------------------------------------------------------------------------------
// Orthonormal

// To float64 rounding what was so within 2^-15, then rounded to float32: one step of Newton's method for
// lengths, whose error is squared; what is along another axis is taken away.
TD_OP void td_straighten(td_axes *axes) {
    const td_wf64 half = td_wf64_set1(0.5), much = td_wf64_set1(1.5);
    td_wf64 v[3][3];
    for (int k = 0; k < 3; ++k) {
        v[0][k] = td_wf64_widen(axes->at[0][k]);
        v[1][k] = td_wf64_widen(axes->at[1][k]);
    }
    const td_wf64 factor0 = td_wf64_sub(much, td_wf64_mul(half, td_dot3_64(v[0], v[0])));
    for (int k = 0; k < 3; ++k) {
        v[0][k] = td_wf64_mul(v[0][k], factor0);
    }
    const td_wf64 along = td_dot3_64(v[0], v[1]);
    for (int k = 0; k < 3; ++k) {
        v[1][k] = td_wf64_sub(v[1][k], td_wf64_mul(along, v[0][k]));
    }
    const td_wf64 factor1 = td_wf64_sub(much, td_wf64_mul(half, td_dot3_64(v[1], v[1])));
    for (int k = 0; k < 3; ++k) {
        v[1][k] = td_wf64_mul(v[1][k], factor1);
    }
    for (int k = 0; k < 3; ++k) {
        const int y = (k + 1) % 3, z = (k + 2) % 3;
        v[2][k] = td_wf64_sub(td_wf64_mul(v[0][y], v[1][z]), td_wf64_mul(v[0][z], v[1][y]));
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            axes->at[i][k] = td_wf64_narrow(v[i][k]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Principal axes

// c x + s y and c y - s x.
TD_OP void td_rotate(td_wf *x, td_wf *y, td_wf c, td_wf s) {
    const td_wf before = *x;
    *x = td_wf_add(td_wf_mul(c, before), td_wf_mul(s, *y));
    *y = td_wf_sub(td_wf_mul(c, *y), td_wf_mul(s, before));
}

// One rotation of Jacobi's method, which makes m[p][q] zero; axes p and q turn along, by at most pi / 4. Of m
// the diagonal and what is right of it count; its trace is about one. What is near zero already hardly turns
// anything: no box gains by that.
TD_OP void td_turn_axes(td_axes *axes, td_wf m[3][3], int p, int q) {
    const int r = 3 - p - q;
    td_wf *mpr = p < r ? &m[p][r] : &m[r][p], *mqr = q < r ? &m[q][r] : &m[r][q];
    const td_wf zero = td_wf_set1(0), one = td_wf_set1(1), mpq = m[p][q];
    const td_wf apart = td_wf_sub(m[p][p], m[q][q]), twice = td_wf_add(mpq, mpq);
    const td_wf square = td_wf_add(td_wf_mul(apart, apart), td_wf_mul(twice, twice));
    const td_wf root = td_wf_sqrt(td_wf_max(square, td_wf_set1(0x1p-40f))); // never zero
    const td_wf sum = td_wf_add(td_wf_abs(apart), root);
    const td_wf tangent = td_wf_div(td_wf_pick(apart, zero, td_wf_sub(zero, twice), twice), sum);
    const td_wf c = td_wf_div(one, td_wf_sqrt(td_wf_add(one, td_wf_mul(tangent, tangent))));
    const td_wf s = td_wf_mul(tangent, c), moved = td_wf_mul(tangent, mpq);
    // m becomes R m R^T.
    m[p][p] = td_wf_add(m[p][p], moved);
    m[q][q] = td_wf_sub(m[q][q], moved);
    m[p][q] = zero;
    td_rotate(mpr, mqr, c, s);
    for (int k = 0; k < 3; ++k) {
        td_rotate(&axes->at[p][k], &axes->at[q][k], c, s);
    }
}

// The covariance from moments, in units of its trace; of what is smaller than a millionth (2^-20) of the mesh
// it is nothing but rounding, and small. Numbers in the order of td_moments.
TD_OP void td_find_spread(td_wf spread[6], const td_wf64 moments[10]) {
    const td_wf64 weight = td_wf64_add(moments[0], td_wf64_set1(0x1p-1000)); // nothing has the mean 0
    const td_wf64 inverse = td_wf64_div(td_wf64_set1(1), weight);
    td_wf64 mean[3];
    for (int k = 0; k < 3; ++k) {
        mean[k] = td_wf64_mul(moments[1 + k], inverse);
    }
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3;
        spread[k] =
            td_wf64_narrow(td_wf64_sub(td_wf64_mul(moments[4 + k], inverse), td_wf64_mul(mean[k], mean[k])));
        spread[3 + k] =
            td_wf64_narrow(td_wf64_sub(td_wf64_mul(moments[7 + k], inverse), td_wf64_mul(mean[k], mean[l])));
    }
    const td_wf trace = td_wf_add(td_wf_add(spread[0], spread[1]), spread[2]);
    const td_wf unit = td_wf_div(td_wf_set1(1), td_wf_max(trace, td_wf_set1(0x1p-40f)));
    for (int k = 0; k < 6; ++k) {
        spread[k] = td_wf_mul(spread[k], unit);
    }
}

// What rotations are to make diagonal: the covariance along the axes.
TD_OP void td_spread_along(td_wf m[3][3], const td_axes *axes, const td_wf spread[6]) {
    td_wf part[3][3];
    const td_wf rows[3][3] = {{spread[0], spread[3], spread[5]},
                              {spread[3], spread[1], spread[4]},
                              {spread[5], spread[4], spread[2]}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            part[i][j] = td_dot3(axes->at[i], rows[j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            m[i][j] = td_dot3(part[i], axes->at[j]);
        }
    }
}

// From where the axes are towards the principal axes of the moments: a deformation is small from one refit
// to the next, so a sweep and one more rotation will do.
TD_OP void td_find_axes(td_axes *axes, const td_wf64 moments[10]) {
    td_wf spread[6], m[3][3];
    td_find_spread(spread, moments);
    td_spread_along(m, axes, spread);
    td_turn_axes(axes, m, 0, 1);
    td_turn_axes(axes, m, 1, 2);
    td_turn_axes(axes, m, 0, 2);
    td_turn_axes(axes, m, 0, 1);
    td_straighten(axes);
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

// b without what is along the unit vector a.
TD_OP void td_take_along(td_wf b[3], const td_wf a[3]) {
    const td_wf along = td_dot3(a, b);
    for (int k = 0; k < 3; ++k) {
        b[k] = td_wf_sub(b[k], td_wf_mul(along, a[k]));
    }
}

TD_OP void td_normalize(td_wf v[3], td_wf square) {
    const td_wf factor = td_wf_div(td_wf_set1(1), td_wf_sqrt(square));
    for (int k = 0; k < 3; ++k) {
        v[k] = td_wf_mul(v[k], factor);
    }
}

// Those of triangles: along the longest edge and the normal. c[i][k]: coordinate k of corner i. A triangle
// that is hardly more than its longest edge has none but that, and one that is a point has no edge: any will
// do.
TD_OP void td_find_leaf_axes(td_axes *axes, td_wf c[3][3]) {
    td_wf edge[3][3], *long_edge = axes->at[0], *other = axes->at[1];
    for (int k = 0; k < 3; ++k) {
        edge[0][k] = td_wf_sub(c[1][k], c[0][k]);
        edge[1][k] = td_wf_sub(c[2][k], c[1][k]);
        edge[2][k] = td_wf_sub(c[0][k], c[2][k]);
    }
    const td_wf square0 = td_dot3(edge[0], edge[0]), square1 = td_dot3(edge[1], edge[1]),
                square2 = td_dot3(edge[2], edge[2]), larger = td_wf_max(square0, square1),
                largest = td_wf_max(larger, square2);
    for (int k = 0; k < 3; ++k) {
        const td_wf first = td_wf_pick(square0, square1, edge[1][k], edge[0][k]);
        const td_wf second = td_wf_pick(square0, square1, edge[2][k], edge[1][k]); // the one that follows
        const td_wf unit = td_wf_set1(k == 0 ? 1 : 0);
        long_edge[k] = td_wf_pick(larger, square2, edge[2][k], first);
        long_edge[k] = td_wf_pick(largest, td_wf_set1(0x1p-80f), unit, long_edge[k]);
        other[k] = td_wf_pick(larger, square2, edge[0][k], second);
    }
    td_normalize(long_edge, td_dot3(long_edge, long_edge));
    // The axis of x or y, whichever is not near the edge.
    td_wf any[3];
    const td_wf near_x = td_wf_abs(long_edge[0]), zero = td_wf_set1(0), one = td_wf_set1(1);
    any[0] = td_wf_pick(near_x, td_wf_set1(0.75f), one, zero);
    any[1] = td_wf_sub(one, any[0]);
    any[2] = zero;
    td_take_along(other, long_edge);
    td_take_along(any, long_edge);
    const td_wf left = td_dot3(other, other);
    const td_wf least = td_wf_max(td_wf_mul(largest, td_wf_set1(0x1p-22f)), td_wf_set1(0x1p-80f));
    for (int k = 0; k < 3; ++k) {
        other[k] = td_wf_pick(left, least, any[k], other[k]);
    }
    td_normalize(other, td_dot3(other, other));
    td_take_along(other, long_edge); // at first up to 2^-12 is left, and so the length is right to 2^-24
    td_straighten(axes);
}

#endif
