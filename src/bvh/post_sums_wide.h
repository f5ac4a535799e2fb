// What nodes pass up in a refit, four nodes at a time, one per lane. For files that are compiled once per
// instruction set.
#ifndef TD_BVH_POST_SUMS_WIDE_H
#define TD_BVH_POST_SUMS_WIDE_H

#include "../math/d4.h"
#include "../math/wide.h"
#include "corners_wide.h"
#include "postorder_refit.h"

typedef struct td_sums4 {
    td_d4 weight, mean[3], spread[6], surface; // as in td_moments
    td_f4 lower[3], upper[3];
} td_sums4;

// ---------------------------------------------------------------------------------------------------------
// Memory

TD_OP void td_load_boxes4(td_sums4 *out, const td_post_sum *const from[4]) {
    td_f4 low[4], high[4], columns[4];
    for (int i = 0; i < 4; ++i) {
        low[i] = td_f4_load(from[i]->lower);
        high[i] = td_f4_load(from[i]->upper);
    }
    td_f4_transposed(columns, low);
    memcpy(out->lower, columns, sizeof out->lower);
    td_f4_transposed(columns, high);
    memcpy(out->upper, columns, sizeof out->upper);
}

TD_OP void td_load_moments4(td_sums4 *out, const td_post_sum *const from[4]) {
    td_d4 r[3][4];
    for (int i = 0; i < 4; ++i) {
        const double *numbers = (const double *)(const void *)from[i];
        for (int part = 0; part < 3; ++part) {
            r[part][i] = td_d4_load(numbers + 4 * part);
        }
    }
    for (int part = 0; part < 3; ++part) {
        td_d4_transpose(r[part]);
    }
    out->weight = r[0][0];
    memcpy(out->mean, &r[0][1], sizeof out->mean);
    memcpy(out->spread, r[1], 4 * sizeof r[1][0]);
    memcpy(out->spread + 4, r[2], 2 * sizeof r[2][0]);
    out->surface = r[2][2];
}

TD_OP void td_store_boxes4(td_post_sum *const to[4], const td_sums4 *sums) {
    td_f4 low[4] = {sums->lower[0], sums->lower[1], sums->lower[2], sums->lower[2]}, columns[4];
    td_f4 high[4] = {sums->upper[0], sums->upper[1], sums->upper[2], sums->upper[2]};
    td_f4_transposed(columns, low);
    for (int i = 0; i < 4; ++i) {
        td_f4_store(to[i]->lower, columns[i]);
    }
    td_f4_transposed(columns, high);
    for (int i = 0; i < 4; ++i) {
        td_f4_store(to[i]->upper, columns[i]);
    }
}

TD_OP void td_store_moments4(td_post_sum *const to[4], const td_sums4 *sums) {
    td_d4 r[3][4] = {{sums->weight, sums->mean[0], sums->mean[1], sums->mean[2]},
                     {sums->spread[0], sums->spread[1], sums->spread[2], sums->spread[3]},
                     {sums->spread[4], sums->spread[5], sums->surface, sums->surface}};
    for (int part = 0; part < 3; ++part) {
        td_d4_transpose(r[part]);
        for (int i = 0; i < 4; ++i) {
            td_d4_store((double *)(void *)to[i] + 4 * part, r[part][i]);
        }
    }
}

// The boxes of `count` of the four, as queries read them.
TD_OP void td_store_query_boxes4(td_boxf *const to[4], uint32_t count, const td_sums4 *sums) {
    td_f4 rows[8], first[4], second[4];
    for (int k = 0; k < 3; ++k) {
        const td_f4 lower = sums->lower[k], upper = sums->upper[k], part = td_f4_set1(0.5f);
        const td_f4 center = td_f4_add(td_f4_mul(part, lower), td_f4_mul(part, upper));
        const td_f4 half = td_f4_max(td_f4_sub(upper, center), td_f4_sub(center, lower));
        rows[k] = center;
        rows[3 + k] = td_f4_add(half, td_f4_mul(half, td_f4_set1(0x1p-22f))); // covers the subtraction
    }
    rows[6] = rows[7] = rows[5];
    td_f4_transposed(first, rows);
    td_f4_transposed(second, rows + 4);
    for (uint32_t i = 0; i < count; ++i) {
        _Alignas(16) float box[8];
        td_f4_store(box, first[i]);
        td_f4_store(box + 4, second[i]);
        memcpy(to[i], box, sizeof *to[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Triangles. c[i][k]: coordinate k of corner i.

TD_OP void td_box_triangles4(td_sums4 *out, td_d4 c[3][3]) {
    for (int k = 0; k < 3; ++k) {
        const td_f4 p = td_d4_narrow(c[0][k]), q = td_d4_narrow(c[1][k]), r = td_d4_narrow(c[2][k]);
        const td_f4 least = td_f4_min(r, td_f4_min(p, q)), greatest = td_f4_max(r, td_f4_max(p, q));
        out->lower[k] = td_f4_sub(least, td_slack(least));
        out->upper[k] = td_f4_add(greatest, td_slack(greatest));
    }
}

TD_OP void td_add_spread4(td_d4 spread[6], td_d4 weight, const td_d4 d[3]) {
    const td_d4 x = td_d4_mul(weight, d[0]), y = td_d4_mul(weight, d[1]), z = td_d4_mul(weight, d[2]);
    spread[0] = td_d4_add(spread[0], td_d4_mul(x, d[0]));
    spread[1] = td_d4_add(spread[1], td_d4_mul(y, d[1]));
    spread[2] = td_d4_add(spread[2], td_d4_mul(z, d[2]));
    spread[3] = td_d4_add(spread[3], td_d4_mul(x, d[1]));
    spread[4] = td_d4_add(spread[4], td_d4_mul(y, d[2]));
    spread[5] = td_d4_add(spread[5], td_d4_mul(z, d[0]));
}

// As td_moments_of_triangle.
TD_OP void td_weigh_triangles4(td_sums4 *out, td_d4 c[3][3]) {
    td_d4 e[2][3], normal[3];
    const td_d4 zero = td_d4_set1(0), three = td_d4_set1(3);
    for (int k = 0; k < 3; ++k) {
        out->mean[k] = td_d4_div(td_d4_add(td_d4_add(c[0][k], c[1][k]), c[2][k]), three);
        e[0][k] = td_d4_sub(c[1][k], c[0][k]);
        e[1][k] = td_d4_sub(c[2][k], c[0][k]);
    }
    for (int k = 0; k < 3; ++k) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        normal[k] = td_d4_sub(td_d4_mul(e[0][k1], e[1][k2]), td_d4_mul(e[0][k2], e[1][k1]));
    }
    const td_d4 area2 = td_d4_add(td_d4_add(td_d4_mul(normal[0], normal[0]), td_d4_mul(normal[1], normal[1])),
                                  td_d4_mul(normal[2], normal[2]));
    const td_d4 area = td_d4_mul(td_d4_set1(0.5), td_d4_sqrt(area2));
    out->surface = td_d4_pick(zero, area2, td_d4_set1(1), zero);
    out->weight = td_d4_pick(zero, area2, area, three);
    const td_d4 corner_weight = td_d4_pick(zero, area2, td_d4_div(area, td_d4_set1(12)), td_d4_set1(1));
    for (int k = 0; k < 6; ++k) {
        out->spread[k] = zero;
    }
    for (int i = 0; i < 3; ++i) {
        const td_d4 d[3] = {td_d4_sub(c[i][0], out->mean[0]), td_d4_sub(c[i][1], out->mean[1]),
                            td_d4_sub(c[i][2], out->mean[2])};
        td_add_spread4(out->spread, corner_weight, d);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Joining

TD_OP void td_join_boxes4(td_sums4 *a, const td_sums4 *b) {
    for (int k = 0; k < 3; ++k) {
        a->lower[k] = td_f4_min(b->lower[k], a->lower[k]);
        a->upper[k] = td_f4_max(b->upper[k], a->upper[k]);
    }
}

// Where one is a surface and the other is not, the surface alone counts; where `wanted` is 0, a stays.
TD_OP td_d4 td_pick_joined(const td_d4 *a, const td_d4 *b, td_d4 joined, const td_sums4 *first,
                           const td_sums4 *second, td_d4 wanted) {
    const td_d4 one = td_d4_pick(second->surface, first->surface, *a, joined);
    return td_d4_pick(td_d4_set1(0), wanted, td_d4_pick(first->surface, second->surface, *b, one), *a);
}

// As td_join_moments.
TD_OP void td_join_moments4(td_sums4 *a, const td_sums4 *b, td_d4 wanted) {
    const td_d4 weight = td_d4_add(a->weight, b->weight), share = td_d4_div(b->weight, weight);
    td_d4 d[3], spread[6], mean[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = td_d4_sub(b->mean[k], a->mean[k]);
        mean[k] = td_d4_add(a->mean[k], td_d4_mul(share, d[k]));
    }
    for (int k = 0; k < 6; ++k) {
        spread[k] = td_d4_add(a->spread[k], b->spread[k]);
    }
    td_add_spread4(spread, td_d4_mul(a->weight, share), d);
    const td_sums4 first = *a;
    for (int k = 0; k < 3; ++k) {
        a->mean[k] = td_pick_joined(&first.mean[k], &b->mean[k], mean[k], &first, b, wanted);
    }
    for (int k = 0; k < 6; ++k) {
        a->spread[k] = td_pick_joined(&first.spread[k], &b->spread[k], spread[k], &first, b, wanted);
    }
    a->weight = td_pick_joined(&first.weight, &b->weight, weight, &first, b, wanted);
    a->surface = td_pick_joined(&first.surface, &b->surface, first.surface, &first, b, wanted);
}

#endif
