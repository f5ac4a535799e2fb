// What the nodes of a post-order hierarchy pass up while it is refitted. C17 and OpenCL C with float64.
#ifndef TD_BVH_POST_SUM_H
#define TD_BVH_POST_SUM_H

#include "../predicates/box_box.h"
#include "moments.h"

// 128 bytes, as vectors want them: of `lower` and `upper` the last says nothing.
typedef struct td_post_sum {
    td_moments moments; // where there are oriented boxes
    float lower[4], upper[4];
} td_post_sum;

static inline void td_set_box(td_boxf *box, const td_post_sum *sum) {
    for (int k = 0; k < 3; ++k) {
        const float center = 0.5f * sum->lower[k] + 0.5f * sum->upper[k];
        const float above = sum->upper[k] - center, below = center - sum->lower[k];
        const float half = above > below ? above : below;
        box->center[k] = center;
        box->half[k] = half + half * 0x1p-22f; // covers the rounding of the subtraction
    }
}

static inline void td_add_sum(td_post_sum *sum, const td_post_sum *other, int moments) {
    for (int k = 0; k < 3; ++k) {
        sum->lower[k] = other->lower[k] < sum->lower[k] ? other->lower[k] : sum->lower[k];
        sum->upper[k] = other->upper[k] > sum->upper[k] ? other->upper[k] : sum->upper[k];
    }
    if (moments) {
        sum->moments = td_join_moments(sum->moments, other->moments);
    }
}

static inline float td_slack1(float a) {
    return TD_ABSF(a) * 0x3p-24f + 0x1p-49f;
}

// The box of a triangle by its local corners.
static inline void td_sum_corners(td_post_sum *sum, double (*corner)[3]) {
    for (int k = 0; k < 3; ++k) {
        const float a = (float)corner[0][k], b = (float)corner[1][k], c = (float)corner[2][k];
        const float low = a < b ? a : b, high = a > b ? a : b;
        const float least = c < low ? c : low, greatest = c > high ? c : high;
        sum->lower[k] = least - td_slack1(least);
        sum->upper[k] = greatest + td_slack1(greatest);
    }
}

#endif
