// Whether two triangles overlap, by separating axes in float64: for libraries that find candidate pairs and
// leave the triangle test to the caller. Rounding is not guarded against: touching triangles may go either
// way.
#ifndef TD_BENCH_TRIANGLE_TEST_H
#define TD_BENCH_TRIANGLE_TEST_H

#include "math/vec3.h"

static inline double td_least(double a, double b, double c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static inline double td_greatest(double a, double b, double c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

static inline bool td_axis_separates(td_vec3 axis, const td_vec3 a[3], const td_vec3 b[3]) {
    const double a0 = td_dot(axis, a[0]), a1 = td_dot(axis, a[1]), a2 = td_dot(axis, a[2]);
    const double b0 = td_dot(axis, b[0]), b1 = td_dot(axis, b[1]), b2 = td_dot(axis, b[2]);
    return td_least(a0, a1, a2) > td_greatest(b0, b1, b2) || td_least(b0, b1, b2) > td_greatest(a0, a1, a2);
}

// The two normals, the nine products of edges, and for triangles in one plane the normals of the edges in it.
static inline bool td_triangles_overlap(const td_vec3 a[3], const td_vec3 b[3]) {
    const td_vec3 edges_a[3] = {td_sub(a[1], a[0]), td_sub(a[2], a[1]), td_sub(a[0], a[2])};
    const td_vec3 edges_b[3] = {td_sub(b[1], b[0]), td_sub(b[2], b[1]), td_sub(b[0], b[2])};
    const td_vec3 normal_a = td_cross(edges_a[0], edges_a[1]);
    const td_vec3 normal_b = td_cross(edges_b[0], edges_b[1]);
    if (td_axis_separates(normal_a, a, b) || td_axis_separates(normal_b, a, b)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (td_axis_separates(td_cross(edges_a[i], edges_b[j]), a, b)) {
                return false;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        if (td_axis_separates(td_cross(normal_a, edges_a[i]), a, b) ||
            td_axis_separates(td_cross(normal_b, edges_b[i]), a, b)) {
            return false;
        }
    }
    return true;
}

#endif
