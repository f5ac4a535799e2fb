// Unit quaternions x, y, z, w and symmetric 3x3 matrices in float64, by value: what moving bodies need. Only
// + - * / and square roots, so that every processor computes the same bits.
#ifndef TD_MATH_QUAT_H
#define TD_MATH_QUAT_H

#include "rigid.h"

typedef struct td_quat {
    double x, y, z, w;
} td_quat;

// Rows of a matrix.
typedef struct td_mat3 {
    td_vec3 row0, row1, row2;
} td_mat3;

// A symmetric matrix.
typedef struct td_sym3 {
    double xx, yy, zz, xy, xz, yz;
} td_sym3;

TD_INLINE td_quat td_quat_make(double x, double y, double z, double w) {
    td_quat q;
    q.x = x;
    q.y = y;
    q.z = z;
    q.w = w;
    return q;
}

TD_INLINE td_quat td_quat_mul(td_quat a, td_quat b) {
    return td_quat_make(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

TD_INLINE td_quat td_quat_conjugate(td_quat q) {
    return td_quat_make(-q.x, -q.y, -q.z, q.w);
}

TD_INLINE td_quat td_quat_normalise(td_quat q) {
    const double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return td_quat_make(q.x * s, q.y * s, q.z * s, q.w * s);
}

// q + h/2 (spin, 0) q: the tangent step, not normalised.
TD_INLINE td_quat td_quat_turn(td_quat q, td_vec3 spin, double h) {
    const td_quat d = td_quat_mul(td_quat_make(spin.x, spin.y, spin.z, 0.0), q);
    const double k = 0.5 * h;
    return td_quat_make(q.x + k * d.x, q.y + k * d.y, q.z + k * d.z, q.w + k * d.w);
}

// Of a unit quaternion.
TD_INLINE td_mat3 td_quat_matrix(td_quat q) {
    td_mat3 m;
    m.row0 = td_vec3_make(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z),
                          2.0 * (q.x * q.z + q.w * q.y));
    m.row1 = td_vec3_make(2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z),
                          2.0 * (q.y * q.z - q.w * q.x));
    m.row2 = td_vec3_make(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x),
                          1.0 - 2.0 * (q.x * q.x + q.y * q.y));
    return m;
}

TD_INLINE td_vec3 td_mat3_apply(td_mat3 m, td_vec3 v) {
    return td_vec3_make(td_dot(m.row0, v), td_dot(m.row1, v), td_dot(m.row2, v));
}

// The transpose, which undoes a rotation.
TD_INLINE td_vec3 td_mat3_unapply(td_mat3 m, td_vec3 v) {
    return td_vec3_make(m.row0.x * v.x + m.row1.x * v.y + m.row2.x * v.z,
                        m.row0.y * v.x + m.row1.y * v.y + m.row2.y * v.z,
                        m.row0.z * v.x + m.row1.z * v.y + m.row2.z * v.z);
}

TD_INLINE td_vec3 td_sym3_apply(td_sym3 s, td_vec3 v) {
    return td_vec3_make(s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                        s.xz * v.x + s.yz * v.y + s.zz * v.z);
}

// R S R^T: the matrix S of a body's own axes, in the world.
TD_INLINE td_sym3 td_sym3_rotate(td_sym3 s, td_mat3 r) {
    const td_vec3 c0 = td_sym3_apply(s, r.row0), c1 = td_sym3_apply(s, r.row1), c2 = td_sym3_apply(s, r.row2);
    td_sym3 out;
    out.xx = td_dot(r.row0, c0);
    out.yy = td_dot(r.row1, c1);
    out.zz = td_dot(r.row2, c2);
    out.xy = td_dot(r.row0, c1);
    out.xz = td_dot(r.row0, c2);
    out.yz = td_dot(r.row1, c2);
    return out;
}

// Of a positive definite matrix.
TD_INLINE td_sym3 td_sym3_inverse(td_sym3 s) {
    const double a = s.yy * s.zz - s.yz * s.yz, b = s.xz * s.yz - s.xy * s.zz, c = s.xy * s.yz - s.xz * s.yy;
    const double k = 1.0 / (s.xx * a + s.xy * b + s.xz * c);
    td_sym3 out;
    out.xx = a * k;
    out.xy = b * k;
    out.xz = c * k;
    out.yy = (s.xx * s.zz - s.xz * s.xz) * k;
    out.yz = (s.xy * s.xz - s.xx * s.yz) * k;
    out.zz = (s.xx * s.yy - s.xy * s.xy) * k;
    return out;
}

TD_INLINE double td_length(td_vec3 v) {
    return sqrt(td_dot(v, v));
}

#endif
