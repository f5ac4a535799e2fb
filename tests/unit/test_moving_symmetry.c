// The same motion told otherwise has the same answer: corners and edges in another order, time reversed, all
// moved by the same way or scaled by a power of two, where that is exact.
#include "predicates/moving_decide.h"
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/moving_cases.h"

#include <math.h>

static td_moving_contact test_ask(td_context *context, const td_moving_points *points, int kind) {
    const td_moving_def def = td_default_moving_def();
    td_moving_contact contact;
    assert_int_equal(td_decide_moving(&contact, context, points, kind, &def), TD_OK);
    return contact;
}

static td_moving_points test_reordered(const td_moving_points *points, const int order[4]) {
    td_moving_points r;
    for (int i = 0; i < 8; ++i) {
        r.at[i / 4][i % 4] = points->at[i / 4][order[i % 4]];
    }
    return r;
}

static td_moving_points test_reversed(const td_moving_points *points) {
    td_moving_points r;
    for (int i = 0; i < 8; ++i) {
        r.at[i / 4][i % 4] = points->at[1 - i / 4][i % 4];
    }
    return r;
}

static td_moving_points test_placed_points(const td_moving_points *points, double scale, td_vec3 shift) {
    td_moving_points r;
    for (int i = 0; i < 8; ++i) {
        r.at[i / 4][i % 4] = td_add(td_scale(points->at[i / 4][i % 4], scale), shift);
    }
    return r;
}

static void test_expect_same(td_context *context, const td_moving_points *points,
                             const td_moving_points *other, int kind, bool same_time, const char *what) {
    const td_moving_contact a = test_ask(context, points, kind), b = test_ask(context, other, kind);
    if (a.touching != b.touching || !a.certain || !b.certain ||
        (same_time && a.touching && fabs(a.time - b.time) > 1e-6)) {
        test_print_moving(points, kind);
        fail_msg("%s: touching %d at %.17g becomes %d at %.17g", what, a.touching, a.time, b.touching,
                 b.time);
    }
}

// `exact`: the coordinates are small whole numbers, or sixteenths, which may be shifted and scaled.
static void test_check_symmetries(td_context *context, const td_moving_points *points, int kind, bool exact,
                                  test_random *random) {
    static const int orders[2][7][4] = {
        {{0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}, {0, 1, 2, 3}, {0, 1, 2, 3}},
        {{1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}}};
    for (int i = 0; i < 7; ++i) {
        const td_moving_points other = test_reordered(points, orders[kind][i]);
        test_expect_same(context, points, &other, kind, true, "another order");
    }
    const td_moving_points back = test_reversed(points);
    test_expect_same(context, points, &back, kind, false, "reversed time");
    if (exact) {
        const double step = ldexp(1, test_random_int(random, 0, 40));
        const td_moving_points shifted = test_placed_points(points, 1, td_vec3_make(step, -step, 4 * step));
        test_expect_same(context, points, &shifted, kind, true, "shifted");
        const td_moving_points scaled =
            test_placed_points(points, ldexp(1, test_random_int(random, -400, 400)), td_vec3_make(0, 0, 0));
        test_expect_same(context, points, &scaled, kind, true, "scaled");
    }
}

static void test_symmetries(void **state) {
    (void)state;
    td_context *context = NULL;
    const td_context_def def = td_default_context_def();
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    test_random random = {55};
    for (int i = 0; i < test_rounds(14000); ++i) {
        const int kind = i % 2, mode = i % TEST_MOVING_MODES;
        const td_moving_points points = test_random_moving(&random, mode, kind);
        test_check_symmetries(context, &points, kind, mode < 2, &random);
    }
    for (int i = 0; i < test_rounds(6000); ++i) {
        const int kind = i % 2, mode = i / 2 % TEST_MOVING_DEGENERATE;
        if (!test_moving_is_slow(mode)) {
            const td_moving_points points = test_degenerate_moving(&random, mode, kind);
            test_check_symmetries(context, &points, kind, mode < 5, &random);
        }
    }
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_symmetries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
