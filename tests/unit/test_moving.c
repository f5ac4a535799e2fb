// Four moving points against rational arithmetic: the filter and the integers, on random and on degenerate
// motions. With TD_TEST_LONG: 1,000,000 of the former, 100,000 of the latter.
#include "predicates/moving_decide.h"
#include "predicates/moving_exact.h"
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/moving_cases.h"

#include <math.h>
#include <stdlib.h>

static bool test_is_long(void) {
    return getenv("TD_TEST_LONG") != NULL;
}

static void test_print_counts(const char *name, const test_moving_counts *counts) {
    print_message("%-22s %ld touching, %ld apart; %ld left open by the filter; at most %zu limbs\n", name,
                  counts->touching, counts->apart, counts->undecided, counts->most_limbs);
}

static void test_random_motions(void **state) {
    (void)state;
    const int rounds = (test_is_long() ? 1000000 : test_rounds(20000)) / TEST_MOVING_MODES + 1;
    for (int mode = 0; mode < TEST_MOVING_MODES; ++mode) {
        test_random random = {100 + (uint64_t)mode};
        test_moving_counts counts = {0};
        for (int i = 0; i < rounds; ++i) {
            const td_moving_points points = test_random_moving(&random, mode, i % 2);
            test_check_moving(&counts, &points, i % 2);
        }
        test_print_counts(test_moving_mode_name(mode), &counts);
        assert_true(counts.apart > 0 && counts.touching > 0);
        assert_true(counts.most_limbs < TD_MOVING_STACK_LIMBS);
    }
}

static void test_degenerate_motions(void **state) {
    (void)state;
    for (int mode = 0; mode < TEST_MOVING_DEGENERATE; ++mode) {
        // Numbers of thousands of bits take the oracle a second.
        const int many = (test_is_long() ? 100000 : test_rounds(5000)) / (TEST_MOVING_DEGENERATE - 2) + 1;
        const int rounds = test_moving_is_slow(mode) ? test_rounds(3) : many;
        test_random random = {200 + (uint64_t)mode};
        test_moving_counts counts = {0};
        for (int i = 0; i < rounds; ++i) {
            const td_moving_points points = test_degenerate_moving(&random, mode, i % 2);
            test_check_moving(&counts, &points, i % 2);
        }
        test_print_counts(test_moving_degenerate_name(mode), &counts);
        assert_true(counts.touching > 0 || test_moving_is_slow(mode));
    }
}

// Numbers as long as they get: 53 bits at both ends of float64. The arena holds them, in any order of the
// points, and the answer comes through the memory of a context.
static void test_widest_ranges(void **state) {
    (void)state;
    td_context *context = NULL;
    const td_context_def context_def = td_default_context_def();
    const td_moving_def def = td_default_moving_def();
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    td_big_arena arena = {.limbs = malloc(TD_MOVING_EXACT_LIMBS * sizeof(td_limb)),
                          .size = TD_MOVING_EXACT_LIMBS};
    test_random random = {31};
    for (int i = 0; i < test_rounds(24); ++i) {
        double x[24];
        td_moving_points points, turned;
        for (int k = 0; k < 24; ++k) {
            const int exponent = i % 3 == 0 ? test_random_int(&random, -1074, 1022) : k % 2 ? 1022 : -1074;
            x[k] = ldexp(1 + test_random_unit(&random), exponent) * (test_random_int(&random, 0, 1) ? 1 : -1);
        }
        for (int k = 0; k < 8; ++k) {
            points.at[k / 4][k % 4] = td_vec3_make(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
        }
        turned = points;
        for (int end = 0; end < 2; ++end) { // another corner first, or the other end
            turned.at[end][2] = points.at[end][3];
            turned.at[end][3] = points.at[end][2];
        }
        const td_moving_result a = td_moving_exact(&arena, &points, i % 2, td_moving_anywhere());
        const td_moving_result b = td_moving_exact(&arena, &turned, i % 2, td_moving_anywhere());
        td_moving_contact contact;
        assert_int_equal(td_decide_moving(&contact, context, &points, i % 2, &def), TD_OK);
        assert_true(!arena.exhausted && a.state == b.state);
        assert_true(contact.certain && contact.touching == (a.state == TD_MOVING_TOUCHING));
        assert_true(!contact.touching ||
                    (a.lower <= b.upper && b.lower <= a.upper && contact.time <= a.upper));
    }
    print_message("%zu of %d limbs\n", arena.most, (int)TD_MOVING_EXACT_LIMBS);
    assert_true(arena.most > TD_MOVING_STACK_LIMBS && arena.most < TD_MOVING_EXACT_LIMBS / 2);
    free(arena.limbs);
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_motions),
        cmocka_unit_test(test_degenerate_motions),
        cmocka_unit_test(test_widest_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
