// The axes of oriented boxes, four nodes at a time, one per lane. For files that are compiled once per
// instruction set, and OpenCL C with float64.
#ifndef TD_BVH_OBB_AXES_WIDE_H
#define TD_BVH_OBB_AXES_WIDE_H

#include "../math/d4.h"
#include "../math/wide.h"
#include "../predicates/obb_obb.h"
#include "moments.h"

typedef struct td_axes4 {
    td_d4 at[3][3]; // axis, coordinate
} td_axes4;

enum { TD_SWEEPS = 2 };

TD_OP td_d4 td_dot3(const td_d4 a[3], const td_d4 b[3]) {
    return td_d4_add(td_d4_add(td_d4_mul(a[0], b[0]), td_d4_mul(a[1], b[1])), td_d4_mul(a[2], b[2]));
}

// c x + s y and c y - s x.
TD_OP void td_rotate(td_d4 *x, td_d4 *y, td_d4 c, td_d4 s) {
    const td_d4 before = *x;
    *x = td_d4_add(td_d4_mul(c, before), td_d4_mul(s, *y));
    *y = td_d4_sub(td_d4_mul(c, *y), td_d4_mul(s, before));
}

// One rotation that brings m[p][q] near zero; axes p and q turn along. Approximate: half the angle is right
// if it is small, else it is pi / 8. Based on: McAdams, Selle, Tamstorf, Teran and Sifakis, Computing the
// singular value decomposition of 3x3 matrices, 2011. Of m the diagonal and the upper half count.
TD_OP void td_turn_axes(td_axes4 *axes, td_d4 m[3][3], int p, int q) {
    td_d4 *mpp = &m[p][p], *mqq = &m[q][q], *mpq = &m[p][q];
    const int r = 3 - p - q;
    const td_d4 cosine = td_d4_mul(td_d4_set1(2), td_d4_sub(*mpp, *mqq)), sine = *mpq;
    const td_d4 cosine2 = td_d4_mul(cosine, cosine), sine2 = td_d4_mul(sine, sine);
    const td_d4 factor = td_d4_inverse(td_d4_sqrt(td_d4_add(cosine2, sine2)));
    const td_d4 large = td_d4_mul(td_d4_set1(5.82842712474619), sine2); // (1 + sqrt 2)^2
    const td_d4 ch =
        td_d4_pick(large, cosine2, td_d4_mul(cosine, factor), td_d4_set1(0.9238795325112867)); // cos pi / 8
    const td_d4 sh = td_d4_pick(large, cosine2, td_d4_mul(sine, factor), td_d4_set1(0.3826834323650898));
    const td_d4 c = td_d4_sub(td_d4_mul(ch, ch), td_d4_mul(sh, sh));
    const td_d4 s = td_d4_mul(td_d4_set1(2), td_d4_mul(ch, sh));
    // m becomes R m R^T.
    td_d4 top[2] = {*mpp, *mpq}, bottom[2] = {*mpq, *mqq};
    td_rotate(&top[0], &bottom[0], c, s);
    td_rotate(&top[1], &bottom[1], c, s);
    td_rotate(&top[0], &top[1], c, s);
    td_rotate(&bottom[0], &bottom[1], c, s);
    *mpp = top[0];
    *mpq = m[q][p] = top[1];
    *mqq = bottom[1];
    td_rotate(&m[p][r], &m[q][r], c, s);
    m[r][p] = m[p][r];
    m[r][q] = m[q][r];
    for (int k = 0; k < 3; ++k) {
        td_rotate(&axes->at[p][k], &axes->at[q][k], c, s);
    }
}

// Orthonormal to float64 rounding; the third is the product of the others. Where the first two hardly span a
// plane, what is left of the second is rounding: there they become those of the coordinates.
TD_OP void td_straighten(td_axes4 *axes) {
    td_d4(*v)[3] = axes->at;
    const td_d4 before = td_dot3(v[1], v[1]), length = td_d4_sqrt(td_dot3(v[0], v[0]));
    const td_d4 factor = td_d4_inverse(length);
    for (int k = 0; k < 3; ++k) {
        v[0][k] = td_d4_mul(v[0][k], factor);
    }
    const td_d4 along = td_dot3(v[0], v[1]);
    for (int k = 0; k < 3; ++k) {
        v[1][k] = td_d4_sub(v[1][k], td_d4_mul(along, v[0][k]));
    }
    const td_d4 left = td_dot3(v[1], v[1]), factor1 = td_d4_inverse(td_d4_sqrt(left));
    for (int k = 0; k < 3; ++k) {
        v[1][k] = td_d4_mul(v[1][k], factor1);
    }
    // Squares that are subnormal, or would be, have lost their digits as well.
    const td_d4 least = td_d4_max(td_d4_mul(before, td_d4_set1(0x1p-40)), td_d4_set1(0x1p-900));
    const td_d4 enough = td_d4_pick(length, td_d4_set1(0x1p-450), td_d4_set1(0), left);
    for (int k = 0; k < 3; ++k) {
        const int y = (k + 1) % 3, z = (k + 2) % 3;
        v[2][k] = td_d4_sub(td_d4_mul(v[0][y], v[1][z]), td_d4_mul(v[0][z], v[1][y]));
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            v[i][k] = td_d4_pick(least, enough, v[i][k], td_d4_set1(i == k ? 1 : 0));
        }
    }
}

// What rotations are to make diagonal: the covariance, xx yy zz xy yz zx, along the axes.
TD_OP void td_spread_along(td_d4 m[3][3], const td_axes4 *axes, const td_d4 spread[6]) {
    td_d4 part[3][3];
    const td_d4 rows[3][3] = {{spread[0], spread[3], spread[5]},
                              {spread[3], spread[1], spread[4]},
                              {spread[5], spread[4], spread[2]}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            part[i][j] = td_dot3(axes->at[i], rows[j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            m[i][j] = m[j][i] = td_dot3(part[i], axes->at[j]);
        }
    }
}

// From the axes of the boxes towards the principal axes of the moments: a deformation is small from one refit
// to the next, and any axes give a box that is right.
TD_OP void td_find_axes(td_axes4 *axes, const td_obbf *const boxes[4], const td_moments *const moments[4]) {
    td_d4 spread[6], m[3][3];
    for (int k = 0; k < 9; ++k) {
        axes->at[k / 3][k % 3] = td_d4_widen(
            td_f4_set(boxes[0]->axes[k], boxes[1]->axes[k], boxes[2]->axes[k], boxes[3]->axes[k]));
    }
    for (int k = 0; k < 6; ++k) {
        spread[k] = td_d4_set(moments[0]->spread[k], moments[1]->spread[k], moments[2]->spread[k],
                              moments[3]->spread[k]);
    }
    td_spread_along(m, axes, spread);
    for (int sweep = 0; sweep < TD_SWEEPS; ++sweep) {
        td_turn_axes(axes, m, 0, 1);
        td_turn_axes(axes, m, 1, 2);
        td_turn_axes(axes, m, 0, 2);
    }
    td_straighten(axes);
}

// Those of four triangles: along the longest edge and the normal. c[i][k]: coordinate k of corner i.
TD_OP void td_find_leaf_axes(td_axes4 *axes, td_d4 c[3][3]) {
    td_d4 edge[3][3];
    for (int k = 0; k < 3; ++k) {
        edge[0][k] = td_d4_sub(c[1][k], c[0][k]);
        edge[1][k] = td_d4_sub(c[2][k], c[1][k]);
        edge[2][k] = td_d4_sub(c[0][k], c[2][k]);
    }
    const td_d4 square0 = td_dot3(edge[0], edge[0]), square1 = td_dot3(edge[1], edge[1]),
                square2 = td_dot3(edge[2], edge[2]), larger = td_d4_max(square0, square1);
    for (int k = 0; k < 3; ++k) {
        const td_d4 first = td_d4_pick(square0, square1, edge[1][k], edge[0][k]);
        const td_d4 second = td_d4_pick(square0, square1, edge[2][k], edge[1][k]); // the one that follows
        axes->at[0][k] = td_d4_pick(larger, square2, edge[2][k], first);
        axes->at[1][k] = td_d4_pick(larger, square2, edge[0][k], second);
    }
    td_straighten(axes);
}

TD_OP void td_store_axes(td_obbf *const boxes[4], const td_axes4 *axes, td_u32 count) {
    for (int k = 0; k < 9; ++k) {
        TD_ALIGN16 float lane[4];
        td_f4_store(lane, td_d4_narrow(axes->at[k / 3][k % 3]));
        for (td_u32 i = 0; i < count; ++i) {
            boxes[i]->axes[k] = lane[i];
        }
    }
}

#endif
