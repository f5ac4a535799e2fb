// What the nodes of a job pass up (post_sum.h) by vectors: leaves four at a time, the others one after the
// other. The operations are those of moments.h and post_sum.h, so the bits are the same. For files that are
// compiled once per instruction set.
#ifndef TD_BVH_POSTORDER_SUM_WIDE_H
#define TD_BVH_POSTORDER_SUM_WIDE_H

#include "corners_wide.h"
#include "postorder_refit.h"

// ---------------------------------------------------------------------------------------------------------
// Leaves

TD_OP td_d4 td_product_sum(td_d4 a, td_d4 b, td_d4 c, td_d4 d) {
    return td_d4_add(td_d4_mul(a, b), td_d4_mul(c, d));
}

// As td_moments_of_triangle, of four triangles, one per lane: all numbers in their order.
TD_OP void td_find_moments(td_d4 m[12], const td_corners *corners) {
    const td_d4(*c)[3] = corners->at;
    td_d4 e[2][3], s[3], area2 = td_d4_set1(0), edges = td_d4_set1(0);
    for (int k = 0; k < 3; ++k) {
        s[k] = td_d4_add(td_d4_add(c[0][k], c[1][k]), c[2][k]);
        e[0][k] = td_d4_sub(c[1][k], c[0][k]);
        e[1][k] = td_d4_sub(c[2][k], c[0][k]);
        edges = td_d4_add(edges, td_product_sum(e[0][k], e[0][k], e[1][k], e[1][k]));
    }
    for (int k = 0; k < 3; ++k) {
        const int y = (k + 1) % 3, z = (k + 2) % 3;
        const td_d4 normal = td_d4_sub(td_d4_mul(e[0][y], e[1][z]), td_d4_mul(e[0][z], e[1][y]));
        area2 = td_d4_add(area2, td_d4_mul(normal, normal));
    }
    m[0] = td_d4_add(td_d4_mul(td_d4_set1(0.5), td_d4_sqrt(area2)), td_d4_mul(td_d4_set1(TD_HAIR), edges));
    const td_d4 third = td_d4_mul(m[0], td_d4_set1(1.0 / 3)), twelfth = td_d4_mul(m[0], td_d4_set1(1.0 / 12));
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3;
        const td_d4 own = td_product_sum(c[0][k], c[0][k], c[1][k], c[1][k]);
        const td_d4 mixed = td_product_sum(c[0][k], c[0][l], c[1][k], c[1][l]);
        m[1 + k] = td_d4_mul(third, s[k]);
        m[4 + k] =
            td_d4_mul(twelfth, td_d4_add(td_d4_add(own, td_d4_mul(c[2][k], c[2][k])), td_d4_mul(s[k], s[k])));
        m[7 + k] = td_d4_mul(twelfth,
                             td_d4_add(td_d4_add(mixed, td_d4_mul(c[2][k], c[2][l])), td_d4_mul(s[k], s[l])));
    }
    m[10] = m[11] = td_d4_set1(0);
}

// To the first `count` of the leaves whose lanes these are.
TD_OP void td_hand_out_moments(td_post_sum *const sums[4], uint32_t count, const td_d4 m[12]) {
    for (int part = 0; part < 12; part += 4) {
        td_d4 rows[4] = {m[part], m[part + 1], m[part + 2], m[part + 3]};
        td_d4_transpose(rows);
        for (uint32_t i = 0; i < count; ++i) {
            td_d4_store((double *)&sums[i]->moments + part, rows[i]);
        }
    }
}

// As td_sum_corners. c[i][k]: coordinate k of corner i, a leaf per lane.
TD_OP void td_hand_out_boxes(td_post_sum *const sums[4], uint32_t count, td_f4 c[3][3]) {
    td_f4 lower[4], upper[4], rows[4];
    for (int axis = 0; axis < 3; ++axis) {
        const td_f4 least = td_f4_min(c[2][axis], td_f4_min(c[0][axis], c[1][axis]));
        const td_f4 greatest = td_f4_max(c[2][axis], td_f4_max(c[0][axis], c[1][axis]));
        lower[axis] = td_f4_sub(least, td_slack(least));
        upper[axis] = td_f4_add(greatest, td_slack(greatest));
    }
    lower[3] = upper[3] = td_f4_set1(0);
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

// As td_add_sum, of two. `out` may be `a`.
TD_OP void td_sum_two(td_post_sum *out, const td_post_sum *a, const td_post_sum *b, bool moments) {
    td_f4_store(out->lower, td_f4_min(td_f4_load(b->lower), td_f4_load(a->lower)));
    td_f4_store(out->upper, td_f4_max(td_f4_load(b->upper), td_f4_load(a->upper)));
    if (moments) {
        const double *x = (const double *)&a->moments, *y = (const double *)&b->moments;
        double *z = (double *)&out->moments;
        for (int part = 0; part < 12; part += 4) {
            td_d4_store(z + part, td_d4_add(td_d4_load(x + part), td_d4_load(y + part)));
        }
    }
}

// As td_set_box.
TD_OP void td_set_node_box(td_boxf *box, const td_post_sum *sum) {
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

#endif
