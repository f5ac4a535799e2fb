#include "moving_oracle.h"

#include "rational_roots.h"

#include <math.h>

enum { TEST_SPARE = 4 };

typedef struct test_motion {
    test_poly at[4][3];          // the points
    test_poly spare[TEST_SPARE]; // for what is computed on the way
} test_motion;

static double test_axis_of(td_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

// Coordinates are multiplied by a power of two that makes them whole, which changes no sign.
static unsigned long test_bits_below_one(const td_moving_points *points) {
    int most = 0;
    for (int i = 0; i < 24; ++i) {
        int exponent = 0;
        const double x = test_axis_of(points->at[i / 12][i / 3 % 4], i % 3);
        frexp(x, &exponent);
        most = x != 0 && 53 - exponent > most ? 53 - exponent : most;
    }
    return (unsigned long)most;
}

static void test_motion_init(test_motion *m, const td_moving_points *points) {
    const unsigned long bits = test_bits_below_one(points);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            test_poly_init(&m->at[i][k]);
            test_poly_line(&m->at[i][k], test_axis_of(points->at[0][i], k),
                           test_axis_of(points->at[1][i], k));
            mpq_mul_2exp(m->at[i][k].c[0], m->at[i][k].c[0], bits);
            mpq_mul_2exp(m->at[i][k].c[1], m->at[i][k].c[1], bits);
        }
    }
    for (int i = 0; i < TEST_SPARE; ++i) {
        test_poly_init(&m->spare[i]);
    }
}

static void test_motion_clear(test_motion *m) {
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            test_poly_clear(&m->at[i][k]);
        }
    }
    for (int i = 0; i < TEST_SPARE; ++i) {
        test_poly_clear(&m->spare[i]);
    }
}

// r = the component k of (b - a) x (d - c): twice the area of a triangle seen along an axis, if a is c.
static void test_area(test_poly *r, test_motion *m, int a, int b, int c, int d, int k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    test_poly *s = m->spare;
    test_poly_subtract(&s[0], &m->at[b][i], &m->at[a][i]);
    test_poly_subtract(&s[1], &m->at[d][j], &m->at[c][j]);
    test_poly_multiply(&s[2], &s[0], &s[1]);
    test_poly_subtract(&s[0], &m->at[b][j], &m->at[a][j]);
    test_poly_subtract(&s[1], &m->at[d][i], &m->at[c][i]);
    test_poly_multiply(&s[3], &s[0], &s[1]);
    test_poly_subtract(r, &s[2], &s[3]);
}

// r = the volume of the four points: (p1 - p0) x (p2 - p0) . (p3 - p0).
static void test_volume(test_poly *r, test_motion *m) {
    test_poly area, way, product;
    test_poly_init(&area);
    test_poly_init(&way);
    test_poly_init(&product);
    r->degree = -1;
    for (int k = 0; k < 3; ++k) {
        test_area(&area, m, 0, 1, 0, 2, k);
        test_poly_subtract(&way, &m->at[3][k], &m->at[0][k]);
        test_poly_multiply(&product, &area, &way);
        test_poly_add(r, r, &product);
    }
    test_poly_clear(&area);
    test_poly_clear(&way);
    test_poly_clear(&product);
}

static int test_area_sign(test_motion *m, test_root *t, int a, int b, int c, int d, int k) {
    test_poly area;
    test_poly_init(&area);
    test_area(&area, m, a, b, c, d, k);
    const int sign = test_sign_at_root(t, &area);
    test_poly_clear(&area);
    return sign;
}

// ---------------------------------------------------------------------------------------------------------
// The primitives at a time

static bool test_on_segment(test_motion *m, test_root *t, int v, int a, int b) {
    for (int k = 0; k < 3; ++k) {
        test_poly way;
        test_poly_init(&way);
        test_poly_subtract(&way, &m->at[v][k], &m->at[a][k]);
        const int from_a = test_sign_at_root(t, &way);
        test_poly_subtract(&way, &m->at[v][k], &m->at[b][k]);
        const int from_b = test_sign_at_root(t, &way);
        test_poly_clear(&way);
        if (from_a * from_b > 0 || test_area_sign(m, t, a, b, a, v, k) != 0) {
            return false;
        }
    }
    return true;
}

static bool test_vertex_on_face(test_motion *m, test_root *t) {
    for (int k = 0; k < 3; ++k) {
        const int side = test_area_sign(m, t, 1, 2, 1, 3, k);
        if (side != 0) {
            return test_area_sign(m, t, 1, 2, 1, 0, k) * side >= 0 &&
                   test_area_sign(m, t, 2, 3, 2, 0, k) * side >= 0 &&
                   test_area_sign(m, t, 3, 1, 3, 0, k) * side >= 0;
        }
    }
    return test_on_segment(m, t, 0, 1, 2) || test_on_segment(m, t, 0, 2, 3) || test_on_segment(m, t, 0, 3, 1);
}

static bool test_edges_meet(test_motion *m, test_root *t) {
    for (int k = 0; k < 3; ++k) {
        if (test_area_sign(m, t, 0, 1, 2, 3, k) != 0) {
            return test_area_sign(m, t, 0, 1, 0, 2, k) * test_area_sign(m, t, 0, 1, 0, 3, k) <= 0 &&
                   test_area_sign(m, t, 2, 3, 2, 0, k) * test_area_sign(m, t, 2, 3, 2, 1, k) <= 0;
        }
    }
    return test_on_segment(m, t, 0, 2, 3) || test_on_segment(m, t, 1, 2, 3) ||
           test_on_segment(m, t, 2, 0, 1) || test_on_segment(m, t, 3, 0, 1);
}

// ---------------------------------------------------------------------------------------------------------

typedef struct test_search {
    test_motion motion;
    int kind;
    double lower, upper;
    test_root roots[TEST_POLY_MOST];
    test_moving_truth truth;
} test_search;

// The four points are known to be in a plane at this time.
static void test_try_time(test_search *search, test_root *t) {
    const bool meet = search->kind == TD_VERTEX_FACE ? test_vertex_on_face(&search->motion, t)
                                                     : test_edges_meet(&search->motion, t);
    if (meet) {
        search->truth.touching = true;
        search->truth.none_before &= test_compare_root(t, search->lower) >= 0;
        search->truth.some_until |= test_compare_root(t, search->upper) <= 0;
    }
}

static void test_try_roots(test_search *search, const test_poly *f) {
    if (f->degree < 0) {
        return;
    }
    const int count = test_find_roots(search->roots, f);
    for (int i = 0; i < count; ++i) {
        test_try_time(search, &search->roots[i]);
    }
}

// Always in a plane: something changes only when points come to be on a line, or in order along an axis.
static void test_try_planar(test_search *search) {
    mpq_t zero;
    mpq_init(zero);
    test_root_set(&search->roots[0], zero);
    mpq_clear(zero);
    test_try_time(search, &search->roots[0]);
    test_poly f;
    test_poly_init(&f);
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < a; ++b) {
                test_poly_subtract(&f, &search->motion.at[a][k], &search->motion.at[b][k]);
                test_try_roots(search, &f);
                for (int c = 0; c < b; ++c) {
                    test_area(&f, &search->motion, a, b, a, c, k);
                    test_try_roots(search, &f);
                }
            }
        }
        test_area(&f, &search->motion, 0, 1, 2, 3, k);
        test_try_roots(search, &f);
    }
    test_poly_clear(&f);
}

test_moving_truth test_moving_oracle(const td_moving_points *points, int kind, double lower, double upper) {
    test_search search = {.kind = kind, .lower = lower, .upper = upper, .truth = {false, true, false}};
    test_poly volume;
    test_motion_init(&search.motion, points);
    test_poly_init(&volume);
    for (int i = 0; i < TEST_POLY_MOST; ++i) {
        test_root_init(&search.roots[i]);
    }
    test_volume(&volume, &search.motion);
    if (volume.degree >= 0) {
        test_try_roots(&search, &volume);
    } else {
        test_try_planar(&search);
    }
    for (int i = 0; i < TEST_POLY_MOST; ++i) {
        test_root_clear(&search.roots[i]);
    }
    test_poly_clear(&volume);
    test_motion_clear(&search.motion);
    return search.truth;
}
