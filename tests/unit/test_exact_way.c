// Exact ways: masts as thin as wires on thick bodies, which steps of a hundred times their width pass by the
// hundred, meet; and the time of a meeting is the one that can be computed by hand.
#include "dynamics/exact_way.h"
#include "dynamics/surface.h"
#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/stage.h"

#include <math.h>

enum { TEST_SHOTS = 24 };

static test_stage test_make_stage(bool exact, uint32_t threads, td_isa isa) {
    td_world_def def = td_default_world_def();
    def.gravity[1] = 0;
    def.exact_ways = exact;
    return test_stage_make(&def, threads, isa);
}

// A cube with a mast of 2 mm on top.
static td_mesh *test_masted_cube(test_stage *stage) {
    static const double boxes[2][6] = {{0, 0, 0, 0.5, 0.5, 0.5}, {0, 0.95, 0, 0.002, 1.5, 0.002}};
    return test_stage_boxes(stage, boxes, 2);
}

// The mast of one flies at the mast of another, which lies across. Returns whether they ever touched.
static bool test_cross_masts(bool exact, uint64_t seed, uint32_t threads, td_isa isa, uint64_t *hash) {
    test_stage stage = test_make_stage(exact, threads, isa);
    test_random random = {seed};
    td_mesh *mesh = test_masted_cube(&stage);
    td_body_def fixed = test_body(mesh, 0, 1.2, -0.95);
    fixed.kind = TD_BODY_STATIC;
    test_turn(fixed.pose.rotation, 1, 0, 0, 90);
    (void)test_stage_add(&stage, &fixed);
    td_body_def flying =
        test_body(mesh, -test_random_range(&random, 1, 2), 0, test_random_range(&random, -0.4, 0.4));
    flying.velocity[0] = test_random_range(&random, 15, 40);
    flying.spin[0] = test_random_range(&random, -2, 2);
    (void)test_stage_add(&stage, &flying);
    bool touched = false;
    for (int s = 0; s < 12; ++s) {
        test_stage_run(&stage, 1);
        touched |= stage.report.contacts > 0;
    }
    if (hash != NULL) {
        *hash = td_hash_world(stage.world);
    }
    test_stage_clear(&stage);
    return touched;
}

static void test_masts(void **state) {
    (void)state;
    uint32_t caught = 0, caught_by_paces = 0;
    for (uint64_t seed = 1; seed <= TEST_SHOTS; ++seed) {
        caught += test_cross_masts(true, seed, 1, TD_ISA_AUTO, NULL);
        caught_by_paces += test_cross_masts(false, seed, 1, TD_ISA_AUTO, NULL);
    }
    print_message("of %d masts, exact ways catch %u, paces %u\n", TEST_SHOTS, caught, caught_by_paces);
    assert_int_equal(caught, TEST_SHOTS);
    assert_true(caught_by_paces < TEST_SHOTS); // or this test says nothing
}

static void test_same_everywhere(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        uint64_t one, two, scalar;
        (void)test_cross_masts(true, seed, 1, TD_ISA_AUTO, &one);
        (void)test_cross_masts(true, seed, 2, TD_ISA_AUTO, &two);
        (void)test_cross_masts(true, seed, 1, TD_ISA_SCALAR, &scalar);
        assert_true(one == two);
        assert_true(one == scalar);
    }
}

// ---------------------------------------------------------------------------------------------------------
// By hand

typedef struct test_ways {
    test_stage stage;
    td_continuous *query;
    td_surface surfaces[2];
    td_body bodies[2];
    td_exact_way ways[2];
} test_ways;

static void test_ways_make(test_ways *ways) {
    *ways = (test_ways){.stage = test_make_stage(false, 1, TD_ISA_AUTO)};
    assert_int_equal(td_create_continuous(&ways->query, ways->stage.context), TD_OK);
    // A bar along x whose mesh lies off its own origin, and a small block.
    const double bar[1][6] = {{3, 0, 0, 2, 0.1, 0.1}};
    const td_mesh *meshes[2] = {test_stage_boxes(&ways->stage, bar, 1),
                                test_stage_box(&ways->stage, 0.02, 0.02, 0.02)};
    const td_vec3 centres[2] = {td_vec3_make(3, 0, 0), td_vec3_make(0, 0, 0)};
    const td_placement still = {td_vec3_make(0, 0, 0), td_quat_make(0, 0, 0, 1)};
    for (int i = 0; i < 2; ++i) {
        ways->surfaces[i] = (td_surface){.mesh = meshes[i], .centre = centres[i]};
        ways->bodies[i] = (td_body){.surface = &ways->surfaces[i]};
        ways->ways[i] = (td_exact_way){&ways->bodies[i], still, still};
    }
}

static void test_ways_clear(test_ways *ways) {
    td_destroy_continuous(ways->query);
    test_stage_clear(&ways->stage);
}

static td_quat test_about_z(double degrees) {
    const double half = degrees * 3.14159265358979323846 / 360;
    return td_quat_make(0, 0, sin(half), cos(half));
}

// The bar's end, 1 m from its centre, turns by 90 degrees; the block is in its way at 45.
static void test_turning_bar(void **state) {
    (void)state;
    test_ways ways;
    test_ways_make(&ways);
    ways.ways[0].to.rotation = test_about_z(90);
    const double at = 0.9 * sqrt(0.5);
    ways.ways[1].from.position = ways.ways[1].to.position = td_vec3_make(at, at, 0);
    double fraction;
    assert_int_equal(td_first_touch(&fraction, ways.query, ways.ways), TD_OK);
    // The upper side of the bar, 0.05 above its middle line, meets the nearer corners of the block: in the
    // frame turned by 45 degrees the block's lowest corner is 0.01 sqrt 2 below its middle.
    const double middle = atan2(0.05, sqrt(0.81 - 0.05 * 0.05)), corner = 0.0142 / 0.9;
    const double expected = (45 - (middle + corner) * 180 / 3.14159265358979323846) / 90;
    assert_true(fabs(fraction - expected) < 1e-3);
    for (int k = 0; k < 2; ++k) { // nearly there, and just beyond
        const double time = fraction + (k == 0 ? -1e-4 : 1e-4);
        const td_placement a = td_exact_way_at(&ways.ways[0], time), b = td_exact_way_at(&ways.ways[1], time);
        const td_pose pose = td_relative_pose(&ways.bodies[0], &a, &ways.bodies[1], &b);
        td_query *query;
        td_collide_result result;
        const td_collide_def def = td_default_collide_def();
        assert_int_equal(td_create_query(&query, ways.stage.context), TD_OK);
        assert_int_equal(
            td_collide(&result, query, ways.surfaces[0].mesh, ways.surfaces[1].mesh, &pose, &def), TD_OK);
        assert_int_equal(result.colliding, k == 1);
        td_destroy_query(query);
    }
    test_ways_clear(&ways);
}

static void test_no_meeting(void **state) {
    (void)state;
    test_ways ways;
    test_ways_make(&ways);
    ways.ways[0].to.rotation = test_about_z(90);
    ways.ways[1].from.position = td_vec3_make(1.2, 1.2, 0); // beyond the reach of the bar's end
    ways.ways[1].to.position = td_vec3_make(2, 0, 0);       // where the bar has been
    double fraction;
    assert_int_equal(td_first_touch(&fraction, ways.query, ways.ways), TD_OK);
    assert_true(isinf(fraction));
    test_ways_clear(&ways);
}

static void test_even_turn(void **state) {
    (void)state;
    const td_exact_way way = {
        NULL, {td_vec3_make(1, 2, 3), test_about_z(10)}, {td_vec3_make(3, 2, 1), test_about_z(170)}};
    for (int k = 0; k <= 10; ++k) {
        const double fraction = k / 10.0;
        const td_placement at = td_exact_way_at(&way, fraction);
        const td_quat expected = test_about_z(10 + 160 * fraction);
        assert_true(fabs(at.rotation.z - expected.z) < 1e-8 && fabs(at.rotation.w - expected.w) < 1e-8);
        assert_true(fabs(at.position.x - (1 + 2 * fraction)) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_turn),       cmocka_unit_test(test_turning_bar),
        cmocka_unit_test(test_no_meeting),      cmocka_unit_test(test_masts),
        cmocka_unit_test(test_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
