// What stands, stands: towers and stacks rest for a minute of simulated time, and go to sleep.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>

enum { TEST_MINUTE = 3600 }; // steps of 1/60 s

static double test_drift(const test_stage *stage, td_body_id id, const double from[3]) {
    const td_body_state body = test_stage_body(stage, id);
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += (body.centre[k] - from[k]) * (body.centre[k] - from[k]);
    }
    return sqrt(sum);
}

// Boxes of 1 m in columns; returns the farthest that one of them got from where it began.
static double test_stand(test_stage *stage, const td_mesh *box, int wide, int high, double gap) {
    enum { TEST_MOST = 216 };
    td_body_id ids[TEST_MOST];
    double from[TEST_MOST][3];
    int count = 0;
    (void)test_stage_add_static(stage, test_stage_box(stage, 40, 1, 40), 0, -0.5, 0);
    for (int y = 0; y < high; ++y) {
        for (int x = 0; x < wide; ++x) {
            for (int z = 0; z < wide; ++z) {
                const double place[3] = {x * (1 + gap), y + 0.5, z * (1 + gap)};
                const td_body_def body = test_body(box, place[0], place[1], place[2]);
                for (int k = 0; k < 3; ++k) {
                    from[count][k] = place[k];
                }
                ids[count++] = test_stage_add(stage, &body);
            }
        }
    }
    test_stage_run(stage, TEST_MINUTE);
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, test_drift(stage, ids[i], from[i]));
    }
    return most;
}

// Contacts are springs, if stiff ones: what is to stand on them without giving way wants more sub-steps.
static td_world_def test_stiff(void) {
    td_world_def def = td_default_world_def();
    def.substeps = 12;
    def.iterations = 2;
    def.relaxations = 2;
    return def;
}

static void test_tower(void **state) {
    (void)state;
    const td_world_def def = test_stiff();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const double drift = test_stand(&stage, test_stage_box(&stage, 1, 1, 1), 1, 10, 0);
    print_message("a tower of 10 boxes: farthest drift %.4f m in 60 s, %u awake\n", drift,
                  stage.report.awake);
    assert_true(drift < 0.01);
    assert_int_equal(stage.report.awake, 0);
    test_stage_clear(&stage);
}

// The same without sleep, which would hide creeping.
static void test_sleepless_tower(void **state) {
    (void)state;
    td_world_def def = test_stiff();
    def.sleep_speed = 0;
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const double drift = test_stand(&stage, test_stage_box(&stage, 1, 1, 1), 1, 10, 0);
    print_message("without sleep: farthest drift %.4f m in 60 s\n", drift);
    assert_true(drift < 0.05);
    test_stage_clear(&stage);
}

static void test_stack(void **state) {
    (void)state;
    const td_world_def def = test_stiff();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    const double drift = test_stand(&stage, test_stage_box(&stage, 1, 1, 1), 6, 6, 0.005);
    print_message("a stack of 6 x 6 x 6 boxes: farthest drift %.4f m in 60 s, %u awake\n", drift,
                  stage.report.awake);
    assert_true(drift < 0.01);
    assert_int_equal(stage.report.awake, 0);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_sleepless_tower),
        cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
