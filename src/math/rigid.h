// Rigid motions as the queries mean them. C17 and OpenCL C.
//
// The coordinates of a placed mesh are *defined* by the sequence of float64 operations in td_rigid_make and
// td_rigid_apply: contraction is off, so every processor computes the same bits.
#ifndef TD_MATH_RIGID_H
#define TD_MATH_RIGID_H

#include "vec3.h"

typedef struct td_rigid {
    td_vec3 row0, row1, row2; // of the rotation matrix
    td_vec3 position;
} td_rigid;

// From a position and a quaternion x, y, z, w of norm about 1, normalised here. The unit quaternions with
// exact matrices (identity, half turns about an axis) give exact matrices.
TD_INLINE td_rigid td_rigid_make(td_vec3 position, double x, double y, double z, double w) {
    const double norm = sqrt(x * x + y * y + z * z + w * w);
    x = x / norm;
    y = y / norm;
    z = z / norm;
    w = w / norm;
    td_rigid m;
    m.row0 = td_vec3_make(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y));
    m.row1 = td_vec3_make(2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x));
    m.row2 = td_vec3_make(2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y));
    m.position = position;
    return m;
}

TD_INLINE td_vec3 td_rigid_apply(td_rigid m, td_vec3 v) {
    return td_vec3_make(td_dot(m.row0, v) + m.position.x, td_dot(m.row1, v) + m.position.y,
                        td_dot(m.row2, v) + m.position.z);
}

TD_INLINE td_triangle td_rigid_apply_triangle(td_rigid m, td_triangle t) {
    td_triangle r;
    r.p0 = td_rigid_apply(m, t.p0);
    r.p1 = td_rigid_apply(m, t.p1);
    r.p2 = td_rigid_apply(m, t.p2);
    return r;
}

#endif
