// A gas of circles that all start with the same speed tends to the distribution of Maxwell and Boltzmann: in
// the plane, the share of circles faster than v is exp(-v^2 / <v^2>).
#include "test_planar_support.h"

enum { TEST_BINS = 24 };

// Chi-square of the speeds against bins that should hold equally many.
static double test_chi_square(test_plane *plane) {
    td_planar_state *states = malloc(plane->count * sizeof *states);
    assert_non_null(states);
    test_ok(td_get_planar_states(states, plane->planar));
    uint32_t bins[TEST_BINS] = {0};
    double mean = 0;
    for (uint32_t i = 0; i < plane->count; ++i) {
        const double *v = states[i].velocity;
        mean += (v[0] * v[0] + v[1] * v[1]) / plane->count;
    }
    for (uint32_t i = 0; i < plane->count; ++i) {
        const double *v = states[i].velocity;
        const double below = 1 - exp(-(v[0] * v[0] + v[1] * v[1]) / mean);
        const int bin = (int)(below * TEST_BINS);
        ++bins[bin < TEST_BINS ? bin : TEST_BINS - 1];
    }
    free(states);
    const double expected = (double)plane->count / TEST_BINS;
    double sum = 0;
    for (int i = 0; i < TEST_BINS; ++i) {
        sum += (bins[i] - expected) * (bins[i] - expected) / expected;
    }
    return sum;
}

static void test_maxwell_boltzmann(void **state) {
    (void)state;
    test_plane plane = test_scatter(20000, 0, 2026);
    plane.def.step = 0.5;
    test_begin(&plane);
    const double before = test_chi_square(&plane);
    test_ok(td_step_planar(plane.planar, 150));
    const td_planar_report report = test_report(&plane);
    const double after = test_chi_square(&plane);
    print_message("chi-square of %d bins: %.4g at the start, %.4g after %.3g collisions per circle\n",
                  TEST_BINS, before, after, 2 * report.collisions / plane.count);
    assert_true(before > 1000);
    // 23 degrees of freedom: 49.73 is exceeded once in a thousand times. Speeds are not fitted: their mean
    // square is the energy, which is kept.
    assert_true(after < 49.73);
    test_is_conserved(&plane, &report);
    test_end(&plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_maxwell_boltzmann)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
