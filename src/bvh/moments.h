// Moments of surfaces: area, centre, covariance. Each about its own mean, so that nothing cancels in small
// surfaces far from the origin. C17 and OpenCL C with float64.
#ifndef TD_BVH_MOMENTS_H
#define TD_BVH_MOMENTS_H

#include "../math/shared.h"

// Of a surface, or of vertices if it has no area.
typedef struct td_moments {
    double weight; // area; or vertices
    int surface;
    double mean[3];
    double spread[6]; // sum of weight (x - mean)(x - mean)^T: xx, yy, zz, xy, yz, zx
} td_moments;

static inline void td_add_spread(double spread[6], double weight, const double d[3]) {
    spread[0] += weight * d[0] * d[0];
    spread[1] += weight * d[1] * d[1];
    spread[2] += weight * d[2] * d[2];
    spread[3] += weight * d[0] * d[1];
    spread[4] += weight * d[1] * d[2];
    spread[5] += weight * d[2] * d[0];
}

static inline td_moments td_moments_of_triangle(double (*corner)[3]) {
    td_moments m = {0};
    double e[2][3], normal[3], area2 = 0;
    for (int k = 0; k < 3; ++k) {
        m.mean[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        e[0][k] = corner[1][k] - corner[0][k];
        e[1][k] = corner[2][k] - corner[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        normal[k] = e[0][k1] * e[1][k2] - e[0][k2] * e[1][k1];
        area2 += normal[k] * normal[k];
    }
    m.surface = area2 > 0;
    m.weight = m.surface ? 0.5 * sqrt(area2) : 3;
    // A triangle's covariance about its centre is a twelfth of the sum over its corners.
    const double corner_weight = m.surface ? m.weight / 12 : 1;
    for (int i = 0; i < 3; ++i) {
        const double d[3] = {corner[i][0] - m.mean[0], corner[i][1] - m.mean[1], corner[i][2] - m.mean[2]};
        td_add_spread(m.spread, corner_weight, d);
    }
    return m;
}

static inline td_moments td_join_moments(td_moments a, td_moments b) {
    if (a.surface != b.surface) {
        return a.surface ? a : b;
    }
    const double weight = a.weight + b.weight, share = b.weight / weight;
    const double d[3] = {b.mean[0] - a.mean[0], b.mean[1] - a.mean[1], b.mean[2] - a.mean[2]};
    for (int k = 0; k < 6; ++k) {
        a.spread[k] += b.spread[k];
    }
    td_add_spread(a.spread, a.weight * share, d);
    for (int k = 0; k < 3; ++k) {
        a.mean[k] += share * d[k];
    }
    a.weight = weight;
    return a;
}

#endif
