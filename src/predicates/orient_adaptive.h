// The exact sign of orientation determinants for coordinates of moderate magnitude, by expansions. C17 and
// OpenCL C. orient.h asks here only for what its filter left undecided.
//
// based on: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
// 1997. Deviations: the bounds are our own and looser, and the last stage restarts from the coordinates.
//
// The range. Let every coordinate be 0 or 2^-250 <= |x| <= 2^250. Then each is a multiple of u = 2^-302,
// hence so are all rounded differences and their tails, and every product of up to three of them, every
// component and every error term below is a multiple of u^3 = 2^-906. A multiple of 2^-1074 below the normal
// range is represented exactly, so no operation loses anything to underflow. Nothing exceeds 2^760, and no
// factor of a product exceeds 2^510, so nothing overflows, the split of Dekker's product included.
#ifndef TD_PREDICATES_ORIENT_ADAPTIVE_H
#define TD_PREDICATES_ORIENT_ADAPTIVE_H

#include "../math/vec3.h"
#include "expansion.h"

#define TD_EXPANSION_SMALLEST 0x1p-250
#define TD_EXPANSION_LARGEST  0x1p+250

TD_INLINE int td_in_expansion_range(double x) {
    const double size = fabs(x);
    return size == 0.0 || (size >= TD_EXPANSION_SMALLEST && size <= TD_EXPANSION_LARGEST);
}

TD_INLINE int td_point_in_expansion_range(td_vec3 p) {
    return td_in_expansion_range(p.x) && td_in_expansion_range(p.y) && td_in_expansion_range(p.z);
}

TD_INLINE int td_triangle_in_expansion_range(td_triangle t) {
    return td_point_in_expansion_range(t.p0) && td_point_in_expansion_range(t.p1) &&
           td_point_in_expansion_range(t.p2);
}

// Sign of the determinant of (a - c, b - c). All coordinates in the expansion range.
TD_INLINE int td_orient2d_adaptive(double ax, double ay, double bx, double by, double cx, double cy) {
    double h[12];
    const td_double2 acx = td_two_diff(ax, cx);
    const td_double2 acy = td_two_diff(ay, cy);
    const td_double2 bcx = td_two_diff(bx, cx);
    const td_double2 bcy = td_two_diff(by, cy);
    if (acx.high * bcy.high == 0.0 && acy.high * bcx.high == 0.0) {
        return 0; // both products have a factor zero: a head is zero only if its tail is
    }
    if (acx.low == 0.0 && acy.low == 0.0 && bcx.low == 0.0 && bcy.low == 0.0) {
        const int length = td_expansion_minor(h, acx.high, bcy.high, acy.high, bcx.high);
        return td_expansion_sign(h, length);
    }
    double ab[4];
    double bc[4];
    double ca[4];
    double ab_bc[8];
    const int ab_length = td_expansion_minor(ab, ax, by, ay, bx);
    const int bc_length = td_expansion_minor(bc, bx, cy, by, cx);
    const int ca_length = td_expansion_minor(ca, cx, ay, cy, ax);
    const int ab_bc_length = td_expansion_sum(ab_bc, ab, ab_length, bc, bc_length);
    return td_expansion_sign(h, td_expansion_sum(h, ab_bc, ab_bc_length, ca, ca_length));
}

// A difference of points: `head` as rounded, `tail` what rounding lost.
typedef struct td_exact_difference {
    td_vec3 head, tail;
} td_exact_difference;

TD_INLINE td_exact_difference td_difference(td_vec3 p, td_vec3 q) {
    const td_double2 x = td_two_diff(p.x, q.x);
    const td_double2 y = td_two_diff(p.y, q.y);
    const td_double2 z = td_two_diff(p.z, q.z);
    td_exact_difference r;
    r.head = td_vec3_make(x.high, y.high, z.high);
    r.tail = td_vec3_make(x.low, y.low, z.low);
    return r;
}

TD_INLINE int td_is_zero(td_vec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

// h = the determinant of (u, v, w) exactly; returns its length, at most 24.
TD_INLINE int td_expansion_determinant(double *h, td_vec3 u, td_vec3 v, td_vec3 w) {
    double minor[4];
    double x[8];
    double y[8];
    double z[8];
    double xy[16];
    const int x_length = td_expansion_scale(x, minor, td_expansion_minor(minor, u.y, v.z, u.z, v.y), w.x);
    const int y_length = td_expansion_scale(y, minor, td_expansion_minor(minor, u.z, v.x, u.x, v.z), w.y);
    const int z_length = td_expansion_scale(z, minor, td_expansion_minor(minor, u.x, v.y, u.y, v.x), w.z);
    const int xy_length = td_expansion_sum(xy, x, x_length, y, y_length);
    return td_expansion_sum(h, xy, xy_length, z, z_length);
}

// What the tails add to the determinant of the heads, to first order, in rounded arithmetic.
TD_INLINE double td_tail_correction(td_exact_difference u, td_exact_difference v, td_exact_difference w) {
    const td_vec3 by_uv = td_add(td_cross(u.head, v.tail), td_cross(u.tail, v.head));
    return td_dot(w.head, by_uv) + td_dot(w.tail, td_cross(u.head, v.head));
}

// The sum of the absolute values of the six products of which the determinant consists.
TD_INLINE double td_permanent(td_vec3 u, td_vec3 v, td_vec3 w) {
    return (fabs(u.y * v.z) + fabs(u.z * v.y)) * fabs(w.x) + (fabs(u.z * v.x) + fabs(u.x * v.z)) * fabs(w.y) +
           (fabs(u.x * v.y) + fabs(u.y * v.x)) * fabs(w.z);
}

// h = a z (b c + c d + d b), a term of td_orient3d_exhaustive; returns its length, at most 24.
TD_INLINE int td_expansion_face(double *h, td_vec3 b, td_vec3 c, td_vec3 d, double z) {
    double bc[4];
    double cd[4];
    double db[4];
    double bcd[8];
    double sum[12];
    const int bc_length = td_expansion_minor(bc, b.x, c.y, b.y, c.x);
    const int cd_length = td_expansion_minor(cd, c.x, d.y, c.y, d.x);
    const int db_length = td_expansion_minor(db, d.x, b.y, d.y, b.x);
    const int bcd_length = td_expansion_sum(bcd, bc, bc_length, cd, cd_length);
    return td_expansion_scale(h, sum, td_expansion_sum(sum, bcd, bcd_length, db, db_length), z);
}

// The whole determinant from the coordinates themselves: 96 products and sums, a microsecond or two. Expands
// the 4x4 determinant of rows (x y z 1) along its z column.
TD_INLINE int td_orient3d_exhaustive(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    double face0[24];
    double face1[24];
    double left[48];
    double right[48];
    double all[96];
    int length0 = td_expansion_face(face0, b, c, d, -a.z);
    int length1 = td_expansion_face(face1, a, c, d, b.z);
    const int left_length = td_expansion_sum(left, face0, length0, face1, length1);
    length0 = td_expansion_face(face0, a, b, d, -c.z);
    length1 = td_expansion_face(face1, a, b, c, d.z);
    const int right_length = td_expansion_sum(right, face0, length0, face1, length1);
    return td_expansion_sign(all, td_expansion_sum(all, left, left_length, right, right_length));
}

// Sign of the determinant of (b - a, c - a, d - a). All coordinates in the expansion range.
//
// With e = 2^-53, heads x and tails |t| <= e |x|, the determinant is D0 + D1 + D2 + D3 by the number of tails
// in each product; D0 is had as an expansion of at most 24 components. Let S be the sum of their absolute
// values and P the permanent of the heads.
//   - Summing the components in doubles errs by at most 23.1 e S.
//   - The products in D1 sum up, absolutely, to at most 3 e P; each goes through at most 8 roundings in
//     td_tail_correction, which errs by at most 24.1 e^2 P.
//   - |D2 + D3| <= 3.1 e^2 P.
//   - Adding the two parts errs by at most e (S + 3.1 e P) (1 + 30 e).
// Together at most 24.2 e S + 30.4 e^2 P; rounding in S, P and the bound itself is covered by 26 and 40.
TD_INLINE int td_orient3d_adaptive(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    if (td_same_point(d, a) || td_same_point(d, b) || td_same_point(d, c) || td_same_point(b, c)) {
        return 0; // triangles of one mesh share corners
    }
    const td_exact_difference u = td_difference(b, a);
    const td_exact_difference v = td_difference(c, a);
    const td_exact_difference w = td_difference(d, a);
    const double permanent = td_permanent(u.head, v.head, w.head);
    if (permanent == 0.0) {
        return 0; // every product has a factor zero
    }
    double det0[24];
    const int length = td_expansion_determinant(det0, u.head, v.head, w.head);
    if (td_is_zero(u.tail) && td_is_zero(v.tail) && td_is_zero(w.tail)) {
        return td_expansion_sign(det0, length);
    }
    double sum = 0.0;
    double size = 0.0;
    for (int i = 0; i < length; ++i) {
        sum += det0[i];
        size += fabs(det0[i]);
    }
    const double det = sum + td_tail_correction(u, v, w);
    const double bound = 26.0 * 0x1p-53 * size + 40.0 * 0x1p-106 * permanent;
    if (fabs(det) > bound) {
        return td_sign(det);
    }
    return td_orient3d_exhaustive(a, b, c, d);
}

#endif
