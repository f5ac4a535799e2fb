#include "distance_oracle.h"

#include <gmp.h>
#include <stdbool.h>

typedef struct test_point {
    mpq_t x[3];
} test_point;

static void test_point_init(test_point *p) {
    mpq_inits(p->x[0], p->x[1], p->x[2], NULL);
}

static void test_point_clear(test_point *p) {
    mpq_clears(p->x[0], p->x[1], p->x[2], NULL);
}

static void test_point_at(test_point *r, td_vec3 from, td_vec3 to, double t) {
    const double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    mpq_t time, end;
    mpq_inits(time, end, NULL);
    mpq_set_d(time, t);
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(r->x[k], a[k]);
        mpq_set_d(end, b[k]);
        mpq_sub(end, end, r->x[k]);
        mpq_mul(end, end, time);
        mpq_add(r->x[k], r->x[k], end);
    }
    mpq_clears(time, end, NULL);
}

static void test_point_subtract(test_point *r, const test_point *a, const test_point *b) {
    for (int k = 0; k < 3; ++k) {
        mpq_sub(r->x[k], a->x[k], b->x[k]);
    }
}

static void test_point_dot(mpq_t r, const test_point *a, const test_point *b) {
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(r, 0, 1);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, a->x[k], b->x[k]);
        mpq_add(r, r, product);
    }
    mpq_clear(product);
}

static void test_point_cross(test_point *r, const test_point *a, const test_point *b) { // r is neither
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(r->x[k], a->x[(k + 1) % 3], b->x[(k + 2) % 3]);
        mpq_mul(product, a->x[(k + 2) % 3], b->x[(k + 1) % 3]);
        mpq_sub(r->x[k], r->x[k], product);
    }
    mpq_clear(product);
}

static void test_take_least(mpq_t least, bool *any, const mpq_t square) {
    if (!*any || mpq_cmp(square, least) < 0) {
        mpq_set(least, square);
        *any = true;
    }
}

// The square of the distance of v from the edge e0 e1.
static void test_offer_edge(mpq_t least, bool *any, const test_point *v, const test_point *e0,
                            const test_point *e1) {
    test_point edge, way;
    mpq_t along, length, square;
    test_point_init(&edge);
    test_point_init(&way);
    mpq_inits(along, length, square, NULL);
    test_point_subtract(&edge, e1, e0);
    test_point_subtract(&way, v, e0);
    test_point_dot(along, &way, &edge);
    test_point_dot(length, &edge, &edge);
    test_point_dot(square, &way, &way);
    if (mpq_sgn(along) > 0 && mpq_cmp(along, length) >= 0) {
        test_point_subtract(&way, v, e1);
        test_point_dot(square, &way, &way);
    } else if (mpq_sgn(along) > 0) { // |way|^2 - along^2 / length
        mpq_mul(along, along, along);
        mpq_div(along, along, length);
        mpq_sub(square, square, along);
    }
    test_take_least(least, any, square);
    test_point_clear(&edge);
    test_point_clear(&way);
    mpq_clears(along, length, square, NULL);
}

// The square of the distance of the plane of p and q from x, if x's image in it is alpha p + beta q with
// conditions that are those of a triangle or of two edges.
static void test_offer_plane(mpq_t least, bool *any, const test_point *p, const test_point *q,
                             const test_point *x, int kind) {
    test_point n, c;
    mpq_t area, alpha, beta, height;
    test_point_init(&n);
    test_point_init(&c);
    mpq_inits(area, alpha, beta, height, NULL);
    test_point_cross(&n, p, q);
    test_point_dot(area, &n, &n);
    test_point_cross(&c, x, q);
    test_point_dot(alpha, &c, &n);
    test_point_cross(&c, p, x);
    test_point_dot(beta, &c, &n);
    if (kind == TD_EDGE_EDGE) { // x = alpha p - beta q + height
        mpq_neg(beta, beta);
    }
    bool inside = mpq_sgn(area) > 0 && mpq_sgn(alpha) >= 0 && mpq_sgn(beta) >= 0;
    if (kind == TD_VERTEX_FACE) {
        mpq_add(alpha, alpha, beta);
        inside = inside && mpq_cmp(alpha, area) <= 0;
    } else {
        inside = inside && mpq_cmp(alpha, area) <= 0 && mpq_cmp(beta, area) <= 0;
    }
    if (inside) {
        test_point_dot(height, &n, x);
        mpq_mul(height, height, height);
        mpq_div(height, height, area);
        test_take_least(least, any, height);
    }
    test_point_clear(&n);
    test_point_clear(&c);
    mpq_clears(area, alpha, beta, height, NULL);
}

int test_compare_distance(const td_moving_points *points, int kind, double t, double limit) {
    static const int edges[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 3, 1}},
                                       {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
    test_point at[4], way[3];
    mpq_t least, square;
    bool any = false;
    mpq_inits(least, square, NULL);
    for (int i = 0; i < 4; ++i) {
        test_point_init(&at[i]);
        test_point_at(&at[i], points->at[0][i], points->at[1][i], t);
    }
    for (int i = 0; i < 3; ++i) {
        test_point_init(&way[i]);
    }
    const bool face = kind == TD_VERTEX_FACE;
    test_point_subtract(&way[0], &at[face ? 2 : 1], &at[face ? 1 : 0]);
    test_point_subtract(&way[1], &at[3], &at[face ? 1 : 2]);
    test_point_subtract(&way[2], &at[face ? 0 : 2], &at[face ? 1 : 0]);
    test_offer_plane(least, &any, &way[0], &way[1], &way[2], kind);
    for (int i = 0; i < 4; ++i) {
        const int *e = edges[kind][i];
        test_offer_edge(least, &any, &at[e[0]], &at[e[1]], &at[e[2]]);
    }
    mpq_set_d(square, limit);
    mpq_mul(square, square, square);
    const int sign = mpq_cmp(least, square);
    for (int i = 0; i < 4; ++i) {
        test_point_clear(&at[i]);
    }
    for (int i = 0; i < 3; ++i) {
        test_point_clear(&way[i]);
    }
    mpq_clears(least, square, NULL);
    return (sign > 0) - (sign < 0);
}
