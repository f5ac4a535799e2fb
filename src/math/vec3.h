// Vectors of three doubles, by value. C17 and OpenCL C.
#ifndef TD_MATH_VEC3_H
#define TD_MATH_VEC3_H

#include "shared.h"

typedef struct td_vec3 {
    double x, y, z;
} td_vec3;

TD_INLINE td_vec3 td_vec3_make(double x, double y, double z) {
    td_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

TD_INLINE td_vec3 td_add(td_vec3 a, td_vec3 b) {
    return td_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

TD_INLINE td_vec3 td_sub(td_vec3 a, td_vec3 b) {
    return td_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

TD_INLINE td_vec3 td_scale(td_vec3 a, double s) {
    return td_vec3_make(a.x * s, a.y * s, a.z * s);
}

TD_INLINE double td_dot(td_vec3 a, td_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_INLINE td_vec3 td_cross(td_vec3 a, td_vec3 b) {
    return td_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

TD_INLINE int td_same_point(td_vec3 a, td_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// A closed triangle; corners may coincide or lie on a line.
typedef struct td_triangle {
    td_vec3 p0, p1, p2;
} td_triangle;

#endif
