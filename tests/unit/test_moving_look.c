// Several motions of four points looked at together: what is called apart is apart, in the registers of every
// instruction set, and a batch says what its tests say one after the other.
#include "predicates/moving_look.h"

#include "core/context.h"
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/moving_cases.h"

#include <tandem/continuous.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEST_MANY = 21 }; // two full looks, and a part of one

static void test_put_points(double *out, const td_moving_points *points) {
    for (int i = 0; i < 8; ++i) {
        const td_vec3 p = points->at[i / 4][i % 4];
        out[3 * i] = p.x;
        out[3 * i + 1] = p.y;
        out[3 * i + 2] = p.z;
    }
}

// Ordinary ones, degenerate ones, and both at sizes at which nothing may be concluded.
static void test_fill(double *positions, test_random *random, int round, int kind) {
    for (int i = 0; i < TEST_MANY; ++i) {
        td_moving_points points;
        if ((round + i) % 3 == 0) {
            int mode = test_random_int(random, 0, TEST_MOVING_DEGENERATE - 1);
            mode = test_moving_is_slow(mode) ? 0 : mode;
            points = test_degenerate_moving(random, mode, kind);
        } else {
            points = test_random_moving(random, test_random_int(random, 0, TEST_MOVING_MODES - 1), kind);
        }
        test_put_points(positions + 24 * i, &points);
        const double scale = i % 7 == 3 ? ldexp(1, test_random_int(random, -330, 330)) : 1;
        for (int k = 0; k < 24; ++k) {
            positions[24 * i + k] *= scale;
        }
    }
}

static void test_same_as_one_by_one(void **state) {
    (void)state;
    long apart = 0, looked = 0;
    const td_moving_def def = td_default_moving_def();
    for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
        if (!td_isa_available((td_isa)isa)) {
            continue;
        }
        td_context *context = NULL;
        td_context_def context_def = td_default_context_def();
        context_def.isa = (td_isa)isa;
        assert_int_equal(td_create_context(&context, &context_def), TD_OK);
        test_random random = {77};
        for (int round = 0; round < test_rounds(400); ++round) {
            const int kind = round % 2;
            double positions[24 * TEST_MANY];
            td_moving_contact together[TEST_MANY];
            test_fill(positions, &random, round, kind);
            assert_int_equal(
                td_test_moving_batch(together, context, &def, (td_feature_pair)kind, positions, TEST_MANY),
                TD_OK);
            for (size_t i = 0; i < TEST_MANY; ++i) {
                td_moving_contact alone;
                const double *those = positions + 24 * i;
                const uint32_t bits = td_moving_look_for((td_isa)isa)(those, 1, kind);
                assert_int_equal(td_test_moving_batch(&alone, context, &def, (td_feature_pair)kind, those, 1),
                                 TD_OK);
                assert_true(bits == 0 || !alone.touching);
                assert_true(alone.touching == together[i].touching && alone.certain == together[i].certain &&
                            alone.time == together[i].time);
                apart += bits != 0;
                looked += !alone.touching;
            }
        }
        td_destroy_context(context);
    }
    print_message("%ld of %ld that are apart are so at first sight\n", apart, looked);
    assert_true(apart > looked / 5); // motions that are meant to be hard
}

// Nothing is concluded beside a number that is none, and the batch names it.
static void test_not_finite(void **state) {
    (void)state;
    double positions[24 * TEST_MANY];
    td_moving_contact contacts[TEST_MANY];
    test_random random = {5};
    const td_moving_def def = td_default_moving_def();
    for (int round = 0; round < 60; ++round) {
        test_fill(positions, &random, round, 0);
        const int bad = test_random_int(&random, 0, 24 * TEST_MANY - 1);
        positions[bad] = round % 3 == 0 ? NAN : round % 3 == 1 ? INFINITY : -INFINITY;
        for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
            const int first = bad / 24 / TD_MOVING_LOOK * TD_MOVING_LOOK;
            const size_t count =
                TEST_MANY - first < TD_MOVING_LOOK ? (size_t)(TEST_MANY - first) : TD_MOVING_LOOK;
            if (td_isa_available((td_isa)isa)) {
                assert_int_equal(td_moving_look_for((td_isa)isa)(positions + 24 * first, count, 0), 0);
            }
        }
        char expected[64];
        snprintf(expected, sizeof expected, "test %d: coordinate %d of point %d at t = %d", bad / 24, bad % 3,
                 bad % 24 / 3 % 4, bad % 24 / 12);
        assert_int_equal(
            td_test_moving_batch(contacts, NULL, &def, TD_PAIR_VERTEX_FACE, positions, TEST_MANY),
            TD_ERROR_ARGUMENT);
        assert_non_null(strstr(td_error_message(), expected));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_one_by_one),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
