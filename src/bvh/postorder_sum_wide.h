// What the nodes of a job pass up (post_sum.h) by vectors: leaves four at a time, the others one after the
// other. The operations are those of moments.h and post_sum.h, so the bits are the same. For files that are
// compiled once per instruction set.
#ifndef TD_BVH_POSTORDER_SUM_WIDE_H
#define TD_BVH_POSTORDER_SUM_WIDE_H

#include "corners_wide.h"
#include "obb_axes_wide.h"
#include "postorder_refit.h"

TD_OP td_f4 td_f4_at(const float *p) {
    td_f4 a;
    memcpy(&a, p, sizeof a);
    return a;
}

// ---------------------------------------------------------------------------------------------------------
// Leaves

// Of four triangles, one per lane.
typedef struct td_moments4 {
    td_d4 weight, surface; // surface: twice the area, squared
    td_d4 mean[3], spread[6];
} td_moments4;

// As td_add_spread.
TD_OP void td_add_spread4(td_d4 spread[6], td_d4 weight, const td_d4 d[3]) {
    for (int k = 0; k < 3; ++k) {
        const td_d4 part = td_d4_mul(weight, d[k]);
        spread[k] = td_d4_add(spread[k], td_d4_mul(part, d[k]));
        spread[3 + k] = td_d4_add(spread[3 + k], td_d4_mul(part, d[(k + 1) % 3]));
    }
}

// As td_moments_of_triangle.
TD_OP void td_find_moments(td_moments4 *m, const td_corners *corners) {
    const td_d4(*c)[3] = corners->at;
    td_d4 e[2][3];
    for (int k = 0; k < 3; ++k) {
        m->mean[k] = td_d4_div(td_d4_add(td_d4_add(c[0][k], c[1][k]), c[2][k]), td_d4_set1(3));
        e[0][k] = td_d4_sub(c[1][k], c[0][k]);
        e[1][k] = td_d4_sub(c[2][k], c[0][k]);
    }
    m->surface = td_d4_set1(0);
    for (int k = 0; k < 3; ++k) {
        const int y = (k + 1) % 3, z = (k + 2) % 3;
        const td_d4 normal = td_d4_sub(td_d4_mul(e[0][y], e[1][z]), td_d4_mul(e[0][z], e[1][y]));
        m->surface = td_d4_add(m->surface, td_d4_mul(normal, normal));
    }
    const td_d4 zero = td_d4_set1(0), area = td_d4_mul(td_d4_set1(0.5), td_d4_sqrt(m->surface));
    m->weight = td_d4_pick(zero, m->surface, area, td_d4_set1(3));
    const td_d4 corner_weight =
        td_d4_pick(zero, m->surface, td_d4_div(m->weight, td_d4_set1(12)), td_d4_set1(1));
    for (int k = 0; k < 6; ++k) {
        m->spread[k] = zero;
    }
    for (int i = 0; i < 3; ++i) {
        const td_d4 d[3] = {td_d4_sub(c[i][0], m->mean[0]), td_d4_sub(c[i][1], m->mean[1]),
                            td_d4_sub(c[i][2], m->mean[2])};
        td_add_spread4(m->spread, corner_weight, d);
    }
}

// Three vectors of one lane per node become one of three lanes for each of the first `count` nodes.
TD_OP void td_hand_out(double *const out[4], uint32_t count, const td_d4 v[3]) {
    td_d4 rows[4] = {v[0], v[1], v[2], v[2]};
    td_d4_transpose(rows);
    for (uint32_t i = 0; i < count; ++i) {
        td_d4_store(out[i], rows[i]);
    }
}

TD_OP void td_hand_out_moments(td_node_sum *const sums[4], uint32_t count, const td_moments4 *m) {
    double *mean[4], *own[4], *mixed[4], weight[4], surface[4];
    for (uint32_t i = 0; i < 4; ++i) {
        mean[i] = sums[i]->mean;
        own[i] = sums[i]->spread[0];
        mixed[i] = sums[i]->spread[1];
    }
    td_hand_out(mean, count, m->mean);
    td_hand_out(own, count, m->spread);
    td_hand_out(mixed, count, m->spread + 3);
    td_d4_store(weight, m->weight);
    td_d4_store(surface, m->surface);
    for (uint32_t i = 0; i < count; ++i) {
        sums[i]->weight = weight[i];
        sums[i]->surface = surface[i] > 0;
    }
}

// As td_sum_corners.
TD_OP void td_hand_out_boxes(td_node_sum *const sums[4], uint32_t count, const td_corners *corners) {
    td_f4 lower[4], upper[4], rows[4];
    for (int axis = 0; axis < 3; ++axis) {
        const td_f4 a = td_d4_narrow(corners->at[0][axis]), b = td_d4_narrow(corners->at[1][axis]),
                    c = td_d4_narrow(corners->at[2][axis]);
        const td_f4 least = td_f4_min(c, td_f4_min(a, b)), greatest = td_f4_max(c, td_f4_max(a, b));
        lower[axis] = td_f4_sub(least, td_slack(least));
        upper[axis] = td_f4_add(greatest, td_slack(greatest));
    }
    lower[3] = lower[2];
    upper[3] = upper[2];
    td_f4_transposed(rows, lower);
    for (uint32_t i = 0; i < count; ++i) {
        td_f4_store(sums[i]->lower, rows[i]);
    }
    td_f4_transposed(rows, upper);
    for (uint32_t i = 0; i < count; ++i) {
        td_f4_store(sums[i]->upper, rows[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Others

// As td_join_moments. `out` may be `a`.
TD_OP void td_join_wide(td_node_sum *out, const td_node_sum *a, const td_node_sum *b) {
    if (a->surface != b->surface) {
        const td_node_sum *kept = a->surface ? a : b;
        td_d4_store(out->mean, td_d4_load(kept->mean));
        td_d4_store(out->spread[0], td_d4_load(kept->spread[0]));
        td_d4_store(out->spread[1], td_d4_load(kept->spread[1]));
        out->weight = kept->weight;
        out->surface = kept->surface;
        return;
    }
    const double weight = a->weight + b->weight, share = b->weight / weight;
    const td_d4 mean = td_d4_load(a->mean), d = td_d4_sub(td_d4_load(b->mean), mean);
    const td_d4 part = td_d4_mul(td_d4_set1(a->weight * share), d);
    const td_d4 own = td_d4_add(td_d4_load(a->spread[0]), td_d4_load(b->spread[0]));
    const td_d4 mixed = td_d4_add(td_d4_load(a->spread[1]), td_d4_load(b->spread[1]));
    td_d4_store(out->spread[0], td_d4_add(own, td_d4_mul(part, d)));
    td_d4_store(out->spread[1], td_d4_add(mixed, td_d4_mul(part, td_d4_turned(d))));
    td_d4_store(out->mean, td_d4_add(mean, td_d4_mul(td_d4_set1(share), d)));
    out->weight = weight;
    out->surface = a->surface;
}

// As td_add_sum, of two.
TD_OP void td_sum_two(td_node_sum *out, const td_node_sum *a, const td_node_sum *b, bool moments) {
    td_f4_store(out->lower, td_f4_min(td_f4_load(b->lower), td_f4_load(a->lower)));
    td_f4_store(out->upper, td_f4_max(td_f4_load(b->upper), td_f4_load(a->upper)));
    if (moments) {
        td_join_wide(out, a, b);
    }
}

// As td_set_box.
TD_OP void td_set_node_box(td_boxf *box, const td_node_sum *sum) {
    const td_f4 lower = td_f4_load(sum->lower), upper = td_f4_load(sum->upper), middle = td_f4_set1(0.5f);
    const td_f4 center = td_f4_add(td_f4_mul(middle, lower), td_f4_mul(middle, upper));
    const td_f4 reach = td_f4_max(td_f4_sub(upper, center), td_f4_sub(center, lower));
    TD_ALIGN16 float out[2][4];
    td_f4_store(out[0], center);
    td_f4_store(out[1], td_f4_add(reach, td_f4_mul(reach, td_f4_set1(0x1p-22f))));
    for (int k = 0; k < 3; ++k) {
        box->center[k] = out[0][k];
        box->half[k] = out[1][k];
    }
}

// What the root of a job passes on.
TD_OP void td_pass_on(td_post_sum *out, const td_node_sum *sum) {
    out->moments.weight = sum->weight;
    out->moments.surface = (int)sum->surface;
    for (int k = 0; k < 3; ++k) {
        out->moments.mean[k] = sum->mean[k];
        out->moments.spread[k] = sum->spread[0][k];
        out->moments.spread[3 + k] = sum->spread[1][k];
        out->lower[k] = sum->lower[k];
        out->upper[k] = sum->upper[k];
    }
}

// ---------------------------------------------------------------------------------------------------------
// Axes of four nodes

// A box per lane; the rows of axes overlap in memory, and `spare` follows the last.
TD_OP void td_load_axes(td_axes4 *axes, td_obbf *const boxes[4]) {
    for (int row = 0; row < 3; ++row) {
        const td_f4 rows[4] = {td_f4_at(boxes[0]->axes + 3 * row), td_f4_at(boxes[1]->axes + 3 * row),
                               td_f4_at(boxes[2]->axes + 3 * row), td_f4_at(boxes[3]->axes + 3 * row)};
        td_f4 columns[4];
        td_f4_transposed(columns, rows);
        for (int k = 0; k < 3; ++k) {
            axes->at[row][k] = td_d4_widen(columns[k]);
        }
    }
}

TD_OP void td_hand_out_axes(td_obbf *const boxes[4], uint32_t count, const td_axes4 *axes) {
    for (int row = 0; row < 3; ++row) { // ascending: each overwrites what is one too many of the last
        const td_f4 columns[4] = {td_d4_narrow(axes->at[row][0]), td_d4_narrow(axes->at[row][1]),
                                  td_d4_narrow(axes->at[row][2]), td_f4_set1(0)};
        td_f4 rows[4];
        td_f4_transposed(rows, columns);
        for (uint32_t i = 0; i < count; ++i) {
            memcpy(boxes[i]->axes + 3 * row, &rows[i], sizeof rows[i]);
        }
    }
}

TD_OP void td_load_spread(td_d4 spread[6], const td_node_sum *const sums[4]) {
    for (int part = 0; part < 2; ++part) {
        td_d4 rows[4] = {td_d4_load(sums[0]->spread[part]), td_d4_load(sums[1]->spread[part]),
                         td_d4_load(sums[2]->spread[part]), td_d4_load(sums[3]->spread[part])};
        td_d4_transpose(rows);
        for (int k = 0; k < 3; ++k) {
            spread[3 * part + k] = rows[k];
        }
    }
}

#endif
