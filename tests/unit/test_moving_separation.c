// Minimum separation against rational distances at many times: no approach is missed, no time is late, what
// is certain is so, and bounds of the distance hold.
#include "predicates/moving_decide.h"
#include "predicates/moving_separation.h"
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/distance_oracle.h"
#include "support/moving_cases.h"

#include <math.h>

enum { TEST_SAMPLES = 24 };

typedef struct test_counts {
    long touching, apart, uncertain;
} test_counts;

static td_moving_contact test_ask(const td_moving_points *points, int kind, double separation,
                                  uint32_t budget) {
    td_moving_def def = td_default_moving_def();
    def.separation = separation;
    def.budget = budget;
    td_moving_contact contact;
    assert_int_equal(td_decide_moving(&contact, NULL, points, kind, &def), TD_OK);
    return contact;
}

// The first of some times at which they are near enough; 2 if there is none.
static double test_first_near_sample(const td_moving_points *points, int kind, double separation) {
    for (int i = 0; i <= TEST_SAMPLES; ++i) {
        const double t = (double)i / TEST_SAMPLES;
        if (test_compare_distance(points, kind, t, separation) <= 0) {
            return t;
        }
    }
    return 2;
}

static double test_fastest(const td_moving_points *points) {
    double most = 0;
    for (int i = 0; i < 4; ++i) {
        const td_vec3 way = td_sub(points->at[1][i], points->at[0][i]);
        most = fmax(most, fabs(way.x) + fabs(way.y) + fabs(way.z));
    }
    return 2 * most;
}

static void test_check_separation(test_counts *counts, const td_moving_points *points, int kind,
                                  double separation) {
    const td_moving_contact contact = test_ask(points, kind, separation, 0);
    const td_moving_contact bounded = test_ask(points, kind, separation, 3);
    const double sample = test_first_near_sample(points, kind, separation);
    bool right = contact.touching ? contact.time <= sample : contact.certain && sample > 1;
    right = right && (bounded.touching ? bounded.time <= fmin(sample, 1) : bounded.certain && sample > 1);
    right = right && (contact.touching || contact.certain);
    if (contact.touching && contact.certain) {
        // A little later they are near enough; and what is reported is never far from it.
        const double reach = nextafter((separation + test_fastest(points) * 1e-6) * (1 + 1e-12), INFINITY);
        right = right && test_compare_distance(points, kind, contact.time, reach) <= 0;
    }
    if (!right) {
        test_print_moving(points, kind);
        fail_msg(
            "separation %.17g: touching %d, certain %d at %.17g (budget: %d, %d at %.17g); near at %.17g",
            separation, contact.touching, contact.certain, contact.time, bounded.touching, bounded.certain,
            bounded.time, sample);
    }
    counts->touching += contact.touching;
    counts->apart += !contact.touching;
    counts->uncertain += !contact.certain;
}

static void test_random_separations(void **state) {
    (void)state;
    const int rounds = test_rounds(200);
    for (int mode = 0; mode < TEST_MOVING_MODES; ++mode) {
        test_random random = {300 + (uint64_t)mode};
        test_counts counts = {0};
        for (int i = 0; i < rounds; ++i) {
            const td_moving_points points = test_random_moving(&random, mode, i % 2);
            test_check_separation(&counts, &points, i % 2, ldexp(test_random_unit(&random), -(i % 16)));
        }
        print_message("%-22s %ld touching, %ld apart, %ld not certain\n", test_moving_mode_name(mode),
                      counts.touching, counts.apart, counts.uncertain);
        assert_true(counts.uncertain * 10 < rounds);
    }
}

static void test_degenerate_separations(void **state) {
    (void)state;
    const int rounds = test_rounds(60);
    for (int mode = 0; mode < TEST_MOVING_DEGENERATE; ++mode) {
        test_random random = {400 + (uint64_t)mode};
        test_counts counts = {0};
        for (int i = 0; i < rounds; ++i) {
            const td_moving_points points = test_degenerate_moving(&random, mode, i % 2);
            const double separation = mode == 7 ? 0x1p-1073 : mode == 8 || mode == 9 ? 0x1p890 : 0.5;
            test_check_separation(&counts, &points, i % 2, separation);
        }
        print_message("%-22s %ld touching, %ld apart, %ld not certain\n", test_moving_degenerate_name(mode),
                      counts.touching, counts.apart, counts.uncertain);
    }
}

// A vertex that falls onto a triangle from 1 to -1: at a distance of 1/4 when t = 3/8.
static void test_known_time(void **state) {
    (void)state;
    const td_moving_points fall = {{{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                    {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}};
    const td_moving_contact contact = test_ask(&fall, TD_VERTEX_FACE, 0.25, 0);
    assert_true(contact.touching && contact.certain);
    assert_true(contact.time <= 0.375 && contact.time >= 0.375 - 1e-6);
    // It ends at a distance of exactly 1: touching, and only rounding keeps it from being certain.
    td_moving_points rise = fall;
    rise.at[0][0].z = 3;
    rise.at[1][0].z = 1;
    const td_moving_contact last = test_ask(&rise, TD_VERTEX_FACE, 1, 0);
    assert_true(last.touching && last.time <= 1 && last.time >= 1 - 1e-6);
    rise.at[1][0].z = 1 + 1e-9;
    assert_false(test_ask(&rise, TD_VERTEX_FACE, 1, 0).touching);
}

static void test_distance_bounds(void **state) {
    (void)state;
    test_random random = {17};
    for (int i = 0; i < test_rounds(4000); ++i) {
        const int kind = i % 2;
        const td_moving_points points = test_random_moving(&random, i % TEST_MOVING_MODES, kind);
        const td_separation_problem problem = td_pose_separation(&points, kind, 1);
        const double t = test_random_int(&random, 0, 64) / 64.0;
        const td_distance_bounds bounds = td_moving_distance(&problem, t);
        const double lower = ldexp(fmax(bounds.lower, 0), problem.unit_exponent);
        assert_true(test_compare_distance(&points, kind, t, lower) >= 0);
        assert_true(test_compare_distance(&points, kind, t, ldexp(bounds.upper, problem.unit_exponent)) <= 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_time),
        cmocka_unit_test(test_distance_bounds),
        cmocka_unit_test(test_random_separations),
        cmocka_unit_test(test_degenerate_separations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
