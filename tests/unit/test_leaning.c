// Rigid bodies that lean on soft ones tremble: they lie still while they get nowhere, however long the others
// of their island take.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include "dynamics/sets.h"
#include "dynamics/world.h"

enum { TEST_FIRST, TEST_SECOND, TEST_BODIES };

// Two bodies of one island, both of which lean on something soft.
typedef struct test_lean {
    test_stage stage;
    td_world *world;
} test_lean;

static test_lean test_lean_make(void) {
    td_world_def def = td_default_world_def();
    def.gravity[1] = 0;
    test_lean lean = {.stage = test_stage_make(&def, 1, TD_ISA_AUTO)};
    lean.world = lean.stage.world;
    const td_mesh *box = test_stage_box(&lean.stage, 1, 1, 1);
    for (int i = 0; i < TEST_BODIES; ++i) {
        const td_body_def body = test_body(box, 5 * i, 0, 0);
        (void)test_stage_add(&lean.stage, &body);
    }
    test_stage_run(&lean.stage, 1);
    (void)td_unite(lean.world->parents.items, TEST_FIRST, TEST_SECOND);
    return lean;
}

// For a time: each body goes that fast in the end, and trembles faster.
static void test_lean_on(test_lean *lean, double time, double first, double second) {
    const double speeds[TEST_BODIES] = {first, second}, step = lean->world->def.step;
    for (int s = 0; s < (int)(time / step + 0.5); ++s) {
        for (int i = 0; i < TEST_BODIES; ++i) {
            td_body *body = &lean->world->bodies.items[i];
            body->leaning = 1;
            body->at.position.x += speeds[i] * step;
            body->velocity = td_vec3_make(0, s % 2 ? 0.2 : -0.2, 0);
        }
        td_put_to_sleep(lean->world);
    }
}

static int test_count_awake(const test_lean *lean) {
    return lean->world->bodies.items[TEST_FIRST].awake + lean->world->bodies.items[TEST_SECOND].awake;
}

// By less than 25 mm in half a second at the default settings.
static void test_who_gets_nowhere_sleeps(void **state) {
    (void)state;
    test_lean lean = test_lean_make();
    test_lean_on(&lean, 0.4, 0.03, 0);
    assert_int_equal(test_count_awake(&lean), TEST_BODIES);
    test_lean_on(&lean, 0.2, 0.03, 0);
    assert_int_equal(test_count_awake(&lean), 0);
    test_stage_clear(&lean.stage);
}

static void test_who_gets_away_does_not(void **state) {
    (void)state;
    test_lean lean = test_lean_make();
    test_lean_on(&lean, 20, 0.07, 0);
    assert_int_equal(test_count_awake(&lean), TEST_BODIES);
    test_stage_clear(&lean.stage);
}

// One creeps, far in the end, while another goes somewhere: as soon as that has lain still for long enough,
// by whatever the first has crept by then, both sleep.
static void test_who_waits_may_creep(void **state) {
    (void)state;
    for (int i = 0; i < 40; ++i) {
        test_lean lean = test_lean_make();
        test_lean_on(&lean, 2 + 0.1 * i, 0.03, 0.3);
        assert_int_equal(test_count_awake(&lean), TEST_BODIES);
        test_lean_on(&lean, 0.4, 0.03, 0);
        assert_int_equal(test_count_awake(&lean), TEST_BODIES);
        test_lean_on(&lean, 0.25, 0.03, 0);
        assert_int_equal(test_count_awake(&lean), 0);
        test_stage_clear(&lean.stage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_gets_nowhere_sleeps),
        cmocka_unit_test(test_who_gets_away_does_not),
        cmocka_unit_test(test_who_waits_may_creep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
