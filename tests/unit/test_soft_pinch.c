// Heavy bodies with sheets of some grams between them: they stay as far apart as the layers are thick, what
// one loses the other gains, and layers hold by friction.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>
#include <string.h>

static const double test_thickness = 0.02;

// A sheet of 2 m, of 50 g.
static td_body_id test_add_sheet(test_stage *stage, double y, double friction) {
    td_soft_def soft = td_default_soft_def();
    soft.thickness = test_thickness;
    soft.damping = 2;
    td_body_def def = test_body(test_stage_shape(stage, "sheet", 4), 0, y, 0);
    def.kind = TD_BODY_SOFT;
    def.mass = 0.05;
    def.friction = friction;
    def.soft = &soft;
    return test_stage_add(stage, &def);
}

static td_body_id test_add_box(test_stage *stage, double mass, double y, double velocity) {
    td_body_def box = test_body(test_stage_box(stage, 0.5, 0.4, 0.5), 0.03, y, 0.02);
    box.mass = mass;
    box.velocity[1] = velocity;
    return test_stage_add(stage, &box);
}

// Half a ton on layers on a ground: 10,000 times as heavy as each, some millions of times as their vertices.
static void test_weight_on_layers(void **state) {
    (void)state;
    for (int layers = 1; layers <= 4; layers += 3) {
        const td_world_def def = td_default_world_def();
        test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
        test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
        td_body_id sheet[4];
        for (int i = 0; i < layers; ++i) {
            sheet[i] = test_add_sheet(&stage, (1.05 + 1.1 * i) * test_thickness, 0.5);
        }
        const td_body_id box = test_add_box(&stage, 500, 0.25 + 1.1 * (layers + 1) * test_thickness, 0);
        uint64_t held = 0;
        double lowest = INFINITY;
        for (int i = 0; i < 240; ++i) {
            test_stage_run(&stage, 1);
            held += stage.report.soft_held;
            lowest = fmin(lowest, test_stage_body(&stage, box).centre[1] - 0.2);
        }
        print_message("%d layers: the box is %.1f mm above the ground, %.1f at least, held back %llu times\n",
                      layers, 1e3 * (test_stage_body(&stage, box).centre[1] - 0.2), 1e3 * lowest,
                      (unsigned long long)held);
        assert_true(lowest > 0.99 * (layers + 1) * test_thickness);
        assert_int_equal(held, 0); // thousands, before bodies could pinch, and by walls that sleep
        assert_int_equal(stage.report.soft_passed, 0);
        assert_false(test_stage_body(&stage, box).awake);
        for (int i = 0; i < layers; ++i) {
            assert_false(test_stage_body(&stage, sheet[i]).awake);
        }
        test_stage_clear(&stage);
    }
}

// Without gravity one box flies against another one that is as heavy, with two sheets between them: both go
// on at half its speed, and nothing of the momentum is lost.
static void test_momentum_through_layers(void **state) {
    (void)state;
    td_world_def def = td_default_world_def();
    memset(def.gravity, 0, sizeof def.gravity);
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    test_add_sheet(&stage, -0.015, 0.5);
    test_add_sheet(&stage, 0.015, 0.5);
    const td_body_id below = test_add_box(&stage, 200, -0.3, 0), above = test_add_box(&stage, 200, 0.3, -1);
    for (int i = 0; i < 60; ++i) {
        test_stage_run(&stage, 1);
        const double apart =
            test_stage_body(&stage, above).centre[1] - test_stage_body(&stage, below).centre[1] - 0.4;
        assert_true(apart > 2.4 * test_thickness);
        assert_int_equal(stage.report.soft_held, 0);
    }
    double momentum = 0;
    for (uint32_t i = 0; i < td_body_count(stage.world); ++i) {
        momentum += test_stage_body(&stage, td_body_at(stage.world, i)).momentum[1];
    }
    assert_true(fabs(momentum + 200) < 1e-9 * 200);
    assert_true(fabs(test_stage_body(&stage, below).velocity[1] + 0.5) < 0.05);
    assert_true(fabs(test_stage_body(&stage, above).velocity[1] + 0.5) < 0.05);
    test_stage_clear(&stage);
}

// On a slope of 17 degrees, by way of gravity: a friction of 0.6 holds what lies on a sheet, one of 0.1 does
// not.
static double test_slide(double friction) {
    td_world_def def = td_default_world_def();
    def.gravity[0] = 0.3 * -def.gravity[1];
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    td_body_def ground = test_body(test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    ground.kind = TD_BODY_STATIC;
    ground.friction = friction;
    test_stage_add(&stage, &ground);
    test_add_sheet(&stage, 1.05 * test_thickness, friction);
    td_body_def def_box = test_body(test_stage_box(&stage, 0.5, 0.4, 0.5), 0, 0.2 + 2.1 * test_thickness, 0);
    def_box.mass = 100;
    def_box.friction = friction;
    const td_body_id box = test_stage_add(&stage, &def_box);
    test_stage_run(&stage, 60);
    const double slid = test_stage_body(&stage, box).centre[0];
    test_stage_clear(&stage);
    return slid;
}

static void test_friction_through_layers(void **state) {
    (void)state;
    const double holds = test_slide(0.6), slides = test_slide(0.1);
    print_message("slid by %.1f mm with a friction of 0.6, %.2f m with 0.1\n", 1e3 * holds, slides);
    assert_true(fabs(holds) < 0.01);
    assert_true(slides > 0.5 && slides < 1.5); // 0.98 m by the law of Coulomb
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_on_layers),
        cmocka_unit_test(test_momentum_through_layers),
        cmocka_unit_test(test_friction_through_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
