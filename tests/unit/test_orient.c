// Orientation signs against GMP: every stage on its own, and together over all of float64.
#include "predicates/big_orient.h"
#include "predicates/orient.h"
#include "support/cmocka_all.h"
#include "support/exact_oracle.h"
#include "support/random.h"

#include <stdio.h>

typedef struct test_state {
    test_oracle *oracle;
    test_random random;
    long count[3]; // of the signs -1, 0, +1
} test_state;

static void test_print_point(const char *name, td_vec3 p) {
    print_error("  %s = (%a, %a, %a)\n", name, p.x, p.y, p.z);
}

// All stages that may be asked for these points.
static void test_check_orient3d(test_state *s, td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    const int expected = test_oracle_orient3d(s->oracle, a, b, c, d);
    const int filtered = td_orient_plane_filter(td_orient_plane_make(a, b, c), d);
    const int whole = td_orient3d(a, b, c, d);
    const int big = td_big_orient3d(a, b, c, d);
    bool right = (filtered == 0 || filtered == expected) && whole == expected && big == expected;
    if (td_point_in_expansion_range(a) && td_point_in_expansion_range(b) && td_point_in_expansion_range(c) &&
        td_point_in_expansion_range(d)) {
        right = right && td_orient3d_adaptive(a, b, c, d) == expected &&
                td_orient3d_exhaustive(a, b, c, d) == expected;
    }
    if (!right) {
        test_print_point("a", a);
        test_print_point("b", b);
        test_print_point("c", c);
        test_print_point("d", d);
        fail_msg("orient3d should be %d; filter %d, whole %d, integers %d", expected, filtered, whole, big);
    }
    ++s->count[expected + 1];
}

static void test_check_orient2d(test_state *s, const double a[2], const double b[2], const double c[2]) {
    const int expected = test_oracle_orient2d(s->oracle, a, b, c);
    const int whole = td_orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);
    const int exact = td_orient2d_exact(a[0], a[1], b[0], b[1], c[0], c[1]);
    const int big = td_big_orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);
    if (whole != expected || exact != expected || big != expected) {
        fail_msg("orient2d of (%a, %a), (%a, %a), (%a, %a) should be %d; whole %d, exact %d, integers %d",
                 a[0], a[1], b[0], b[1], c[0], c[1], expected, whole, exact, big);
    }
    ++s->count[expected + 1];
}

static test_state test_begin(uint64_t seed) {
    return (test_state){.oracle = test_oracle_create(), .random = {seed}};
}

static void test_end(test_state *s, const char *what, bool zeros_expected) {
    print_message("%s: %ld negative, %ld zero, %ld positive\n", what, s->count[0], s->count[1], s->count[2]);
    assert_true(s->count[0] > 0 && s->count[2] > 0);
    assert_true(!zeros_expected || s->count[1] > 0);
    test_oracle_destroy(s->oracle);
}

static double test_uniform(test_random *random) {
    return test_random_range(random, -1, 1);
}

static td_vec3 test_uniform_point(test_random *random) {
    const double x = test_uniform(random);
    const double y = test_uniform(random);
    return td_vec3_make(x, y, test_uniform(random));
}

// A few units in the last place away, mostly none.
static double test_nudge(test_random *random, double x) {
    for (int steps = test_random_int(random, -3, 3); steps > 0; --steps) {
        x = nextafter(x, test_random_int(random, 0, 1) ? INFINITY : -INFINITY);
    }
    return x;
}

static td_vec3 test_nudge_point(test_random *random, td_vec3 p) {
    const double x = test_nudge(random, p.x);
    const double y = test_nudge(random, p.y);
    return td_vec3_make(x, y, test_nudge(random, p.z));
}

static double test_grid(test_random *random, double unit) {
    return unit * test_random_int(random, -3, 3);
}

static td_vec3 test_grid_point(test_random *random, td_vec3 unit) {
    const double x = test_grid(random, unit.x);
    const double y = test_grid(random, unit.y);
    return td_vec3_make(x, y, test_grid(random, unit.z));
}

// Any finite double, all exponents equally likely; now and then zero.
static double test_any(test_random *random) {
    const uint64_t bits = test_random_bits(random);
    if (bits % 16 == 0) {
        return 0;
    }
    const double mantissa = test_random_range(random, 1, 2);
    const double x = ldexp(mantissa, test_random_int(random, -1074, 1023));
    return bits & 16 ? x : -x;
}

static void test_random_points(void **state) {
    (void)state;
    test_state s = test_begin(1);
    for (int i = 0; i < 30000; ++i) {
        const td_vec3 a = test_uniform_point(&s.random);
        const td_vec3 b = test_uniform_point(&s.random);
        const td_vec3 c = test_uniform_point(&s.random);
        test_check_orient3d(&s, a, b, c, test_uniform_point(&s.random));
    }
    test_end(&s, "random", false);
}

// Points on a plane as well as doubles can say, moved by a few units in the last place, at many offsets.
static void test_nearly_coplanar(void **state) {
    (void)state;
    test_state s = test_begin(2);
    for (int i = 0; i < 100000; ++i) {
        const double offset = ldexp(test_uniform(&s.random), test_random_int(&s.random, -20, 60));
        const td_vec3 shift = td_vec3_make(offset, -offset, offset / 3);
        const td_vec3 a = td_add(test_uniform_point(&s.random), shift);
        const td_vec3 b = td_add(test_uniform_point(&s.random), shift);
        const td_vec3 c = td_add(test_uniform_point(&s.random), shift);
        const double u = test_uniform(&s.random);
        const double v = test_uniform(&s.random);
        td_vec3 d = td_add(a, td_add(td_scale(td_sub(b, a), u), td_scale(td_sub(c, a), v)));
        if (i % 8 == 0) {
            d = td_scale(td_add(a, b), 0.5); // often exact
        }
        test_check_orient3d(&s, a, b, c, i % 2 ? d : test_nudge_point(&s.random, d));
    }
    test_end(&s, "nearly coplanar", true);
}

static void test_nearly_collinear(void **state) {
    (void)state;
    test_state s = test_begin(3);
    for (int i = 0; i < 100000; ++i) {
        const double offset = ldexp(test_uniform(&s.random), test_random_int(&s.random, -20, 60));
        const double a[2] = {test_uniform(&s.random) + offset, test_uniform(&s.random) - offset};
        const double b[2] = {test_uniform(&s.random) + offset, test_uniform(&s.random) - offset};
        const double t = i % 4 == 0 ? 0.5 : test_uniform(&s.random);
        const double x = a[0] + t * (b[0] - a[0]);
        const double y = a[1] + t * (b[1] - a[1]);
        const double c[2] = {test_nudge(&s.random, x), test_nudge(&s.random, y)};
        test_check_orient2d(&s, a, b, c);
    }
    test_end(&s, "nearly collinear", true);
}

// Small multiples of units of any magnitude, and of one that is no dyadic fraction: many zeros. The units
// take the determinants through subnormals, and the differences beyond the largest double.
static void test_grids(void **state) {
    (void)state;
    const double units[] = {1, 0.1, 0x1p-1074, 1e-300, 1e-160, 1e-76, 1e75, 1e150, 1e300, 0x1p1022 / 3};
    const int unit_count = (int)(sizeof units / sizeof *units);
    test_state s = test_begin(4);
    for (int i = 0; i < 60000; ++i) {
        td_vec3 unit = {units[i % unit_count], units[i % unit_count], units[i % unit_count]};
        if (i % 3 == 0) {
            unit.y = units[test_random_int(&s.random, 0, unit_count - 1)];
            unit.z = units[test_random_int(&s.random, 0, unit_count - 1)];
        }
        const td_vec3 a = test_grid_point(&s.random, unit);
        const td_vec3 b = test_grid_point(&s.random, unit);
        const td_vec3 c = test_grid_point(&s.random, unit);
        const td_vec3 d = test_grid_point(&s.random, unit);
        test_check_orient3d(&s, a, b, c, d);
        test_check_orient3d(&s, a, b, c, test_nudge_point(&s.random, d));
        test_check_orient2d(&s, (const double[2]){a.x, a.y}, (const double[2]){b.x, b.y},
                            (const double[2]){c.x, c.y});
    }
    test_end(&s, "grids", true);
}

// Every coordinate of its own magnitude, from subnormal to 1.8e308.
static void test_mixed_magnitudes(void **state) {
    (void)state;
    test_state s = test_begin(5);
    for (int i = 0; i < 20000; ++i) {
        double x[12];
        for (int k = 0; k < 12; ++k) {
            // Coordinates that repeat make cancellation likely.
            x[k] = k > 0 && test_random_int(&s.random, 0, 3) == 0 ? x[test_random_int(&s.random, 0, k - 1)]
                                                                  : test_any(&s.random);
        }
        test_check_orient3d(&s, td_vec3_make(x[0], x[1], x[2]), td_vec3_make(x[3], x[4], x[5]),
                            td_vec3_make(x[6], x[7], x[8]), td_vec3_make(x[9], x[10], x[11]));
        test_check_orient2d(&s, x, x + 2, x + 4);
    }
    test_end(&s, "mixed magnitudes", true);
}

// At the ends of the range of expansions, and beyond them where products of three begin to vanish or
// overflow.
static void test_range_ends(void **state) {
    (void)state;
    const int exponents[] = {249, 250, 251, 270, 300, 330, 341, 342, 345, 360, 390, 450};
    test_state s = test_begin(6);
    for (int i = 0; i < 60000; ++i) {
        const int exponent = exponents[i % 12];
        const bool mixed = test_random_int(&s.random, 0, 1);
        int sign = test_random_int(&s.random, 0, 1) ? 1 : -1;
        double x[12];
        for (int k = 0; k < 12; ++k) {
            sign = mixed && test_random_int(&s.random, 0, 1) ? -sign : sign;
            x[k] =
                ldexp(i % 5 ? test_uniform(&s.random) : test_random_int(&s.random, -2, 2), sign * exponent);
        }
        const td_vec3 a = td_vec3_make(x[0], x[1], x[2]);
        const td_vec3 b = td_vec3_make(x[3], x[4], x[5]);
        const td_vec3 c = td_vec3_make(x[6], x[7], x[8]);
        td_vec3 d = td_vec3_make(x[9], x[10], x[11]);
        if (i % 3) {
            d = test_nudge_point(&s.random, td_add(b, td_sub(c, a)));
        }
        test_check_orient3d(&s, a, b, c, d);
        test_check_orient2d(&s, x, x + 2, x + 4);
    }
    test_end(&s, "range ends", true);
}

// The convention itself, by hand.
static void test_conventions(void **state) {
    (void)state;
    const td_vec3 o = {0, 0, 0};
    const td_vec3 x = {1, 0, 0};
    const td_vec3 y = {0, 1, 0};
    const td_vec3 z = {0, 0, 1};
    assert_int_equal(td_orient3d(o, x, y, z), 1);
    assert_int_equal(td_orient3d(o, y, x, z), -1);
    assert_int_equal(td_orient3d(o, x, y, td_vec3_make(5, 7, 0)), 0);
    assert_int_equal(td_orient2d(0, 0, 1, 0, 0, 1), 1);
    assert_int_equal(td_orient2d(0, 0, 0, 1, 1, 0), -1);
    assert_int_equal(td_orient2d(0, 0, 1, 1, 2, 2), 0);
    // A difference that overflows, a product that vanishes.
    assert_int_equal(td_orient2d(-1.7e308, 0, 1.7e308, 0, 0, 5e-324), 1);
    assert_int_equal(td_orient3d(o, td_scale(x, 5e-324), td_scale(y, 5e-324), td_scale(z, 5e-324)), 1);
}

// Ordinary points must be decided by the filter, or it is no filter.
static void test_filter_decides(void **state) {
    (void)state;
    test_random random = {7};
    int undecided = 0;
    for (int i = 0; i < 100000; ++i) {
        const td_vec3 a = test_uniform_point(&random);
        const td_vec3 b = test_uniform_point(&random);
        const td_vec3 c = test_uniform_point(&random);
        undecided += td_orient_plane_filter(td_orient_plane_make(a, b, c), test_uniform_point(&random)) == 0;
    }
    assert_true(undecided <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conventions),     cmocka_unit_test(test_random_points),
        cmocka_unit_test(test_nearly_coplanar), cmocka_unit_test(test_nearly_collinear),
        cmocka_unit_test(test_grids),           cmocka_unit_test(test_mixed_magnitudes),
        cmocka_unit_test(test_range_ends),      cmocka_unit_test(test_filter_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
