// Bodies that begin deep inside each other come apart, without an explosion.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>

enum { TEST_STEPS = 300 }; // 5 s

static double test_speed(const test_stage *stage, td_body_id id) {
    const td_body_state body = test_stage_body(stage, id);
    const double *v = body.velocity, *w = body.spin;
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                         body.radius * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!isfinite(speed)) {
        fail_msg("body '%s' has a speed of %g m/s", body.name, speed);
    }
    return speed;
}

typedef struct test_outcome {
    double fastest; // m/s, of a body's surface, at the end of a step
    double deepest; // m, in the end
} test_outcome;

static test_outcome test_part(test_stage *stage, const td_body_id *ids, int count) {
    test_outcome outcome = {0};
    for (int i = 0; i < TEST_STEPS; ++i) {
        test_stage_run(stage, 1);
        for (int k = 0; k < count; ++k) {
            outcome.fastest = fmax(outcome.fastest, test_speed(stage, ids[k]));
        }
    }
    outcome.deepest = stage->report.penetration;
    return outcome;
}

// Weightless: what speed there is comes from pushing apart. A surface that turns about the centre is pushed
// from both of its ends at most.
static void test_apart_alone(const char *what, const td_mesh *(*make)(test_stage *, int), const double at[3],
                             double degrees) {
    td_world_def def = td_default_world_def();
    def.gravity[1] = 0;
    def.sleep_speed = 0;
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    td_body_def first = test_body(make(&stage, 0), 0, 0, 0),
                second = test_body(make(&stage, 1), at[0], at[1], at[2]);
    test_turn(second.pose.rotation, 0.6, 0.8, 0, degrees);
    const td_body_id ids[2] = {test_stage_add(&stage, &first), test_stage_add(&stage, &second)};
    const td_touch *overlaps;
    size_t count;
    assert_int_equal(td_find_overlaps(&overlaps, &count, stage.world), TD_OK);
    assert_int_equal(count, 1);
    const test_outcome outcome = test_part(&stage, ids, 2);
    const double size = fmin(test_stage_body(&stage, ids[0]).radius, test_stage_body(&stage, ids[1]).radius);
    print_message("%-34s fastest %.2f m/s, in the end %.2f%% deep\n", what, outcome.fastest,
                  100 * outcome.deepest / size);
    assert_true(outcome.fastest < 4 * def.push_speed);
    assert_true(outcome.deepest <= 0.02 * size);
    test_stage_clear(&stage);
}

static const td_mesh *test_cows(test_stage *stage, int which) {
    (void)which;
    return test_stage_shape(stage, "cow", 0);
}

static const td_mesh *test_boxes(test_stage *stage, int which) {
    (void)which;
    return test_stage_box(stage, 1, 1, 1);
}

static const td_mesh *test_box_in_box(test_stage *stage, int which) {
    const double size = which == 0 ? 1 : 0.3;
    return test_stage_box(stage, size, size, size);
}

static void test_two_apart(void **state) {
    (void)state;
    test_apart_alone("cows, half in each other", test_cows, (const double[3]){0.3, 0.2, 0.1}, 70);
    test_apart_alone("cows, nearly in the same place", test_cows, (const double[3]){0.02, 0.05, 0.03}, 10);
    test_apart_alone("boxes, half in each other", test_boxes, (const double[3]){0.5, 0.1, 0.2}, 0);
    test_apart_alone("boxes, one turned", test_boxes, (const double[3]){0.1, 0.3, 0.05}, 50);
    test_apart_alone("a box swallowed by a larger one", test_box_in_box, (const double[3]){0.1, 0.2, 0.05},
                     20);
    test_apart_alone("a box swallowed, centre in centre", test_box_in_box, (const double[3]){0, 0, 0}, 0);
}

// Several cows in one place, on the ground. A leg may end up jammed in a gap that is too narrow for it,
// pushed from both sides: it stays there, a little deeper than what is free to move.
static void test_heap_of_cows(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 2, TD_ISA_AUTO);
    const td_mesh *cow = test_stage_shape(&stage, "cow", 0);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    enum { TEST_COWS = 6 };
    td_body_id ids[TEST_COWS];
    for (int i = 0; i < TEST_COWS; ++i) {
        td_body_def body = test_body(cow, 0.1 * i, 0.9 + 0.05 * i, 0.07 * (i % 3));
        test_turn(body.pose.rotation, 0, 0.6, 0.8, 47 * i);
        ids[i] = test_stage_add(&stage, &body);
    }
    const test_outcome outcome = test_part(&stage, ids, TEST_COWS);
    double lowest = 1;
    for (int i = 0; i < TEST_COWS; ++i) {
        lowest = fmin(lowest, test_stage_body(&stage, ids[i]).centre[1]);
    }
    const double size = test_stage_body(&stage, ids[0]).radius;
    print_message("%-34s fastest %.2f m/s, in the end %.2f%% deep, lowest centre at %.2f m\n",
                  "a heap of cows", outcome.fastest, 100 * outcome.deepest / size, lowest);
    assert_true(outcome.fastest < 15); // 3 m/s of each push, and a fall of two metres
    assert_true(outcome.deepest <= 0.02 * size);
    assert_true(lowest > 0);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_apart),
        cmocka_unit_test(test_heap_of_cows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
