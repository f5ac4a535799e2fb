// Soft bodies that lie still: who sleeps, who does not, and who is woken.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>

static td_body_id test_add_sheet(test_stage *stage, const td_soft_def *soft, double y) {
    td_body_def def = test_body(test_stage_shape(stage, "sheet", 4), 0, y, 0);
    def.kind = TD_BODY_SOFT;
    def.mass = 1;
    def.soft = soft;
    return test_stage_add(stage, &def);
}

static void test_run_until_asleep(test_stage *stage, td_body_id id, int most) {
    for (int i = 0; i < most && test_stage_body(stage, id).awake; ++i) {
        test_stage_run(stage, 1);
    }
    assert_false(test_stage_body(stage, id).awake);
}

// Three sheets of 2 m upon each other on a block.
typedef struct test_layers {
    test_stage stage;
    td_body_id block, sheet[3];
} test_layers;

static test_layers test_lay(double width) {
    const td_world_def def = td_default_world_def();
    test_layers layers = {.stage = test_stage_make(&def, 2, TD_ISA_AUTO)};
    test_stage_add_static(&layers.stage, test_stage_box(&layers.stage, 20, 2, 20), 0, -1, 0);
    const td_body_def block = test_body(test_stage_box(&layers.stage, width, 0.6, width), 0, 0.3, 0);
    layers.block = test_stage_add(&layers.stage, &block);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.02;
    soft.damping = 3;
    for (int i = 0; i < 3; ++i) {
        layers.sheet[i] = test_add_sheet(&layers.stage, &soft, 0.65 + 0.05 * i);
    }
    for (int i = 0; i < 3; ++i) {
        test_run_until_asleep(&layers.stage, layers.sheet[i], 900);
    }
    return layers;
}

// Everything sleeps, and nothing moves by a bit from then on.
static void test_layers_sleep(void **state) {
    (void)state;
    test_layers layers = test_lay(0.6);
    test_stage_run(&layers.stage, 60);
    const uint64_t hash = td_hash_world(layers.stage.world);
    test_stage_run(&layers.stage, 30);
    assert_true(td_hash_world(layers.stage.world) == hash);
    assert_int_equal(layers.stage.report.awake, 0);
    assert_int_equal(layers.stage.report.soft_awake, 0);
    assert_true(layers.stage.report.kinetic_energy == 0);
    test_stage_clear(&layers.stage);
}

// What falls on the uppermost wakes it, and all below it; then they sleep again.
static void test_ball_wakes(void **state) {
    (void)state;
    test_layers layers = test_lay(0.6);
    td_body_def ball = test_body(test_stage_shape(&layers.stage, "sphere", 1), 0, 1.8, 0);
    ball.mass = 1;
    const td_body_id id = test_stage_add(&layers.stage, &ball);
    bool woken[3] = {false};
    for (int i = 0; i < 60; ++i) {
        test_stage_run(&layers.stage, 1);
        for (int k = 0; k < 3; ++k) {
            woken[k] = woken[k] || test_stage_body(&layers.stage, layers.sheet[k]).awake;
        }
    }
    assert_true(woken[0] && woken[1] && woken[2]);
    assert_int_equal(td_remove_body(layers.stage.world, id), TD_OK);
    for (int k = 0; k < 3; ++k) {
        test_run_until_asleep(&layers.stage, layers.sheet[k], 900);
    }
    test_stage_clear(&layers.stage);
}

static double test_highest(const test_stage *stage, td_body_id id) {
    const double *x;
    uint32_t count;
    assert_int_equal(td_get_positions(&x, &count, stage->world, id), TD_OK);
    double highest = x[1];
    for (uint32_t v = 1; v < count; ++v) {
        highest = fmax(highest, x[3 * (size_t)v + 1]);
    }
    return highest;
}

// What they lie on goes: they fall.
static void test_block_goes(void **state) {
    (void)state;
    test_layers layers = test_lay(2.4);
    assert_int_equal(td_remove_body(layers.stage.world, layers.block), TD_OK);
    test_stage_run(&layers.stage, 60);
    for (int k = 0; k < 3; ++k) {
        assert_true(test_highest(&layers.stage, layers.sheet[k]) < 0.5); // the block was 0.6 m high
    }
    test_stage_clear(&layers.stage);
}

// One vertex of many that goes somewhere keeps a body awake, however slow the mean of all is: until it has
// become slow itself. The sheet holds it so weakly that it goes on by itself.
static void test_one_goes_on(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; ++fast) {
        td_world_def def = td_default_world_def();
        def.gravity[1] = 0;
        test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
        td_soft_def soft = td_default_soft_def();
        soft.thickness = 0.001;
        soft.stretch = 1e-6;
        soft.shear = soft.bend = soft.damping = 0;
        const td_body_id sheet = test_add_sheet(&stage, &soft, 0);
        const double *x;
        uint32_t count;
        assert_int_equal(td_get_positions(&x, &count, stage.world, sheet), TD_OK);
        const uint32_t middle = count / 2;
        const double speed = fast ? 0.15 : 0.02, impulse[3] = {0, speed / count, 0};
        assert_int_equal(td_apply_impulse(stage.world, sheet, impulse, x + 3 * (size_t)middle), TD_OK);
        test_stage_run(&stage, 60);
        assert_int_equal(td_get_positions(&x, &count, stage.world, sheet), TD_OK);
        const td_body_state now = test_stage_body(&stage, sheet);
        assert_true(sqrt(2 * now.kinetic_energy / now.mass) < def.sleep_speed);
        assert_true(now.awake == fast);
        assert_true(!fast || x[3 * (size_t)middle + 1] > 0.1);
        test_stage_clear(&stage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_sleep),
        cmocka_unit_test(test_ball_wakes),
        cmocka_unit_test(test_block_goes),
        cmocka_unit_test(test_one_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
