// What rigid bodies hold each other by also holds against soft ones: friction on a ground, and the ground
// itself.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>

// A sheet of 2 m; upright ones have no weight.
static td_body_id test_add_sheet(test_stage *stage, double mass, double x, double y, bool upright) {
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.02;
    soft.damping = 2;
    td_body_def def = test_body(test_stage_shape(stage, "sheet", 4), x, y, 0);
    test_turn(def.pose.rotation, 0, 0, 1, upright ? 90 : 0);
    def.kind = TD_BODY_SOFT;
    def.mass = mass;
    def.gravity_scale = upright ? 0 : 1;
    def.soft = &soft;
    return test_stage_add(stage, &def);
}

static td_body_id test_add_cube(test_stage *stage, double size, double mass, double y, bool may_sleep) {
    td_body_def cube = test_body(test_stage_box(stage, size, size, size), 0, y, 0);
    cube.mass = mass;
    cube.may_sleep = may_sleep;
    return test_stage_add(stage, &cube);
}

// A cube of 10 kg, whose friction holds 49 N, and an upright sheet of 1 kg without weight beside it.
typedef struct test_shove {
    test_stage stage;
    td_body_id cube, sheet;
} test_shove;

static test_shove test_shove_make(void) {
    const td_world_def def = td_default_world_def();
    test_shove shove = {.stage = test_stage_make(&def, 2, TD_ISA_AUTO)};
    test_stage_add_static(&shove.stage, test_stage_box(&shove.stage, 40, 2, 40), 0, -1, 0);
    shove.cube = test_add_cube(&shove.stage, 3, 10, 1.5, false);
    shove.sheet = test_add_sheet(&shove.stage, 1, -1.525, 1.5, true);
    return shove;
}

// Returns how far the cube has come.
static double test_push(test_shove *shove, double newtons, int steps) {
    const double before = test_stage_body(&shove->stage, shove->cube).centre[0];
    const double force[3] = {newtons, 0, 0};
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(td_apply_force(shove->stage.world, shove->sheet, force, NULL), TD_OK);
        test_stage_run(&shove->stage, 1);
    }
    return test_stage_body(&shove->stage, shove->cube).centre[0] - before;
}

static void test_friction_holds(void **state) {
    (void)state;
    test_shove shove = test_shove_make();
    const double held = test_push(&shove, 20, 120), slid = test_push(&shove, 80, 60);
    print_message("pushed by 20 N for 2 s the cube has come %.2f mm, then by 80 N for 1 s %.2f m\n",
                  1e3 * held, slid);
    assert_true(fabs(held) < 2e-3); // without grips by 20 / 10 m/s^2 in every step anew: 67 mm
    const double expected = 0.5 * (80 - 0.5 * 10 * 9.81) / 11;
    assert_true(fabs(slid - expected) < 0.1 * expected);
    test_stage_clear(&shove.stage);
}

// A sheet pushes a cube that stands on a plate on ice: friction takes the plate along, though no soft body is
// near it, and nothing of the momentum is lost between them.
static void test_momentum_is_handed_on(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_shove shove = {.stage = test_stage_make(&def, 2, TD_ISA_AUTO)};
    td_body_def ice = test_body(test_stage_box(&shove.stage, 40, 2, 40), 0, -1, 0);
    ice.kind = TD_BODY_STATIC;
    ice.friction = 0;
    test_stage_add(&shove.stage, &ice);
    td_body_def plate = test_body(test_stage_box(&shove.stage, 3, 0.4, 3), 0, 0.2, 0);
    plate.mass = 20;
    const td_body_id below = test_stage_add(&shove.stage, &plate);
    shove.cube = test_add_cube(&shove.stage, 2.4, 10, 1.6, false);
    shove.sheet = test_add_sheet(&shove.stage, 1, -1.225, 1.6, true);
    (void)test_push(&shove, 20, 60);
    const td_body_state cube = test_stage_body(&shove.stage, shove.cube),
                        sheet = test_stage_body(&shove.stage, shove.sheet),
                        under = test_stage_body(&shove.stage, below);
    const double all = cube.momentum[0] + sheet.momentum[0] + under.momentum[0];
    print_message("20 N for 1 s: %.3f N s in all, cube %.3f m/s, plate %.3f m/s\n", all, cube.velocity[0],
                  under.velocity[0]);
    assert_true(fabs(all - 20) < 0.01 * 20);
    assert_true(fabs(cube.velocity[0] - under.velocity[0]) < 0.1 * under.velocity[0]);
    test_stage_clear(&shove.stage);
}

// A cube on a sheet on a cube on a ground: the lower one is not pushed into that.
static void test_ground_bears(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    const td_body_id below = test_add_cube(&stage, 1, 100, 0.5, true),
                     above = test_add_cube(&stage, 1, 400, 1.55, true);
    test_add_sheet(&stage, 0.1, 0, 1.025, false);
    double lowest = INFINITY, apart = INFINITY;
    uint64_t held = 0;
    for (int i = 0; i < 240; ++i) {
        test_stage_run(&stage, 1);
        const double low = test_stage_body(&stage, below).centre[1],
                     high = test_stage_body(&stage, above).centre[1];
        lowest = fmin(lowest, low - 0.5);
        apart = fmin(apart, high - low - 1);
        held += stage.report.soft_held;
    }
    const double low = test_stage_body(&stage, below).centre[1] - 0.5;
    print_message("the lower cube was %.2f mm in the ground and is %.2f, the upper one %.2f mm above it\n",
                  -1e3 * lowest, -1e3 * low, 1e3 * apart);
    assert_true(lowest > -2e-3); // without grips: 56 mm
    assert_true(apart > 0.95 * 0.04);
    assert_int_equal(held, 0);
    assert_false(test_stage_body(&stage, below).awake);
    assert_false(test_stage_body(&stage, above).awake);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_holds),
        cmocka_unit_test(test_momentum_is_handed_on),
        cmocka_unit_test(test_ground_bears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
