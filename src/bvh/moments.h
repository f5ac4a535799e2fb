// Moments of surfaces about the local origin: they add up. C17 and OpenCL C with float64.
//
// The covariance is a difference of what is up to the size of the mesh squared, so of a part of size s (the
// mesh has 1) it is off by 2^-52 / s^2 of itself. The overlap test of oriented boxes allows for 2^-16
// (obb_obb.h): where that error matters, how a box is turned does not.
#ifndef TD_BVH_MOMENTS_H
#define TD_BVH_MOMENTS_H

#include "../math/shared.h"

// 96 bytes.
typedef struct td_moments {
    double weight;    // area, and a hair for what has none
    double first[3];  // sum of weight x
    double second[6]; // sum of weight x x^T: xx, yy, zz, xy, yz, zx
    double spare[2];  // zero
} td_moments;

// The part of its squared edges that a triangle counts beside its area: so that segments have a direction.
#define TD_HAIR 0x1p-40

// Over a triangle, x x^T has the mean (sum of c c^T + s s^T) / 12, where c are its corners and s is their
// sum.
static inline td_moments td_moments_of_triangle(double (*corner)[3]) {
    td_moments m;
    double e[2][3], s[3], area2 = 0, edges = 0;
    for (int k = 0; k < 3; ++k) {
        s[k] = corner[0][k] + corner[1][k] + corner[2][k];
        e[0][k] = corner[1][k] - corner[0][k];
        e[1][k] = corner[2][k] - corner[0][k];
        edges += e[0][k] * e[0][k] + e[1][k] * e[1][k];
    }
    for (int k = 0; k < 3; ++k) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        const double normal = e[0][k1] * e[1][k2] - e[0][k2] * e[1][k1];
        area2 += normal * normal;
    }
    m.weight = 0.5 * sqrt(area2) + TD_HAIR * edges;
    const double third = m.weight * (1.0 / 3), twelfth = m.weight * (1.0 / 12);
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3;
        m.first[k] = third * s[k];
        m.second[k] = twelfth * (corner[0][k] * corner[0][k] + corner[1][k] * corner[1][k] +
                                 corner[2][k] * corner[2][k] + s[k] * s[k]);
        m.second[3 + k] = twelfth * (corner[0][k] * corner[0][l] + corner[1][k] * corner[1][l] +
                                     corner[2][k] * corner[2][l] + s[k] * s[l]);
    }
    m.spare[0] = m.spare[1] = 0;
    return m;
}

static inline td_moments td_join_moments(td_moments a, td_moments b) {
    a.weight += b.weight;
    for (int k = 0; k < 3; ++k) {
        a.first[k] += b.first[k];
    }
    for (int k = 0; k < 6; ++k) {
        a.second[k] += b.second[k];
    }
    return a;
}

#endif
