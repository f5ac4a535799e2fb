// Contacts of shapes that are round, have legs, holes or hardly any thickness, and of meshes in a tangle.
#include "test_contacts_support.h"

static const td_vec3 test_up = {0, 1, 0};

static double test_degrees(td_vec3 a, td_vec3 b) {
    return atan2(td_length(td_cross(a, b)), td_dot(a, b)) * 180 / 3.141592653589793;
}

static td_mesh *test_ground(test_stage *stage, double wide) {
    const double box[1][6] = {{0, -0.5, 0, wide, 1, wide}};
    return test_stage_boxes(stage, box, 1);
}

// ---------------------------------------------------------------------------------------------------------
// Balls

static void test_ball_on_plane(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *ground = test_ground(&stage, 6), *ball = test_stage_shape(&stage, "sphere", 2);
    test_random random = {11};
    for (int i = 0; i < 40; ++i) {
        const double depth = test_random_range(&random, 0.01, 0.1);
        td_pose pose = test_random_pose(&random, 1);
        pose.position[1] = 1 - depth;
        const test_found found = test_find(&stage, ground, ball, &pose);
        assert_int_equal(found.regions, 1);
        test_normals_are(&found, test_up, 1e-12);
        test_depth_is(test_deepest(&found), depth, 0.05 * depth + 0.001); // it has facets, not quite 1 m out
        for (size_t k = 0; k < found.count; ++k) {
            const td_vec3 p = found.contacts[k].point;
            const double off = hypot(p.x - pose.position[0], p.z - pose.position[2]);
            assert_true(off <= sqrt(2 * depth) + 0.01); // the rim of the cap
        }
    }
    test_stage_clear(&stage);
}

// Two balls, each of its own size: along the line of their centres.
static void test_ball_on_ball(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *big = test_stage_shape(&stage, "sphere", 2), *small = test_scaled(&stage, big, 0.6);
    test_random random = {12};
    double most_degrees = 0, most_off = 0;
    for (int i = 0; i < 60; ++i) {
        const double depth = test_random_range(&random, 0.02, 0.1);
        td_pose pose = test_random_pose(&random, 1);
        td_vec3 way = td_vec3_make(pose.position[0], pose.position[1], pose.position[2]);
        way = td_scale(way, 1 / td_length(way));
        const td_vec3 at = td_scale(way, 1.6 - depth);
        pose.position[0] = at.x;
        pose.position[1] = at.y;
        pose.position[2] = at.z;
        const test_found found = test_find(&stage, big, small, &pose);
        assert_int_equal(found.regions, 1);
        for (size_t k = 0; k < found.count; ++k) {
            most_degrees = fmax(most_degrees, test_degrees(found.contacts[k].normal, way));
        }
        most_off = fmax(most_off, fabs(test_deepest(&found) - depth) / depth);
        assert_true(test_apart(found.contacts[0].point, td_scale(way, 1 - 0.5 * depth)) < 0.4);
    }
    print_message("balls: normals off by up to %.2f degrees, depths by up to %.1f%%\n", most_degrees,
                  100 * most_off);
    assert_true(most_degrees < 2);
    assert_true(most_off < 0.12);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Several regions

// The lowest point of each quarter of the cow, about its middle: its feet.
static int test_feet_below(const td_mesh *cow, double height) {
    double lower[3], upper[3];
    bool feet[4] = {false};
    td_mesh_bounds(lower, upper, cow);
    for (uint32_t i = 0; i < td_mesh_vertex_count(cow); ++i) {
        double p[3];
        td_mesh_vertex(p, cow, i);
        if (p[1] < height) {
            feet[(p[0] > 0.5 * (lower[0] + upper[0]) ? 1 : 0) +
                 (p[2] > 0.5 * (lower[2] + upper[2]) ? 2 : 0)] = true;
        }
    }
    return feet[0] + feet[1] + feet[2] + feet[3];
}

static void test_cow_stands(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *ground = test_ground(&stage, 6);
    for (uint32_t subdivide = 0; subdivide < 2; ++subdivide) {
        const td_mesh *cow = test_stage_shape(&stage, "cow", subdivide);
        double lower[3], upper[3];
        td_mesh_bounds(lower, upper, cow);
        const double depth = 0.03 * (upper[1] - lower[1]);
        assert_int_equal(test_feet_below(cow, lower[1] + depth), 4);
        const td_pose pose = test_place(0, -lower[1] - depth, 0);
        const test_found found = test_find(&stage, ground, cow, &pose);
        assert_int_equal(found.regions, 4);
        test_normals_are(&found, test_up, 1e-12);
        test_depth_is(test_deepest(&found), depth, 1e-9);
        for (uint32_t r = 0; r < 4; ++r) {
            const td_found_contact *of_region[TEST_MOST_CONTACTS];
            const size_t count = test_of_region(of_region, &found, r);
            assert_in_range(count, 1, TD_REGION_POINTS);
        }
    }
    test_stage_clear(&stage);
}

// A staple over a bar: both of its legs press on it, from either side.
static void test_staple_on_bar(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    static const double parts[3][6] = {
        {-0.5, 0, 0, 0.2, 1, 0.4}, {0.5, 0, 0, 0.2, 1, 0.4}, {0, 0.7, 0, 1.2, 0.4, 0.4}};
    const td_mesh *staple = test_stage_boxes(&stage, parts, 3);
    const td_mesh *bar = test_stage_box(&stage, 0.82, 0.3, 3); // the gap is 0.8 wide
    const td_pose pose = test_place(0, 0.1, 0);
    const test_found found = test_find(&stage, bar, staple, &pose);
    assert_int_equal(found.regions, 2);
    for (size_t i = 0; i < found.count; ++i) {
        const td_found_contact *c = &found.contacts[i];
        const td_vec3 outward = td_vec3_make(c->point.x > 0 ? 1 : -1, 0, 0);
        assert_true(test_apart(c->normal, outward) <= 1e-12);
        test_depth_is(c->depth, 0.01, 1e-9);
        assert_true(fabs(fabs(c->point.x) - 0.405) <= 1e-9);
    }
    test_stage_clear(&stage);
}

// A torus that hangs on a peg: its inner side rests on top of it.
static void test_torus_on_peg(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *torus = test_stage_shape(&stage, "torus", 1);
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, torus);
    // The axis of the torus is the one along which it is flat; it is laid along z.
    td_pose lay = td_pose_identity();
    const double flat_y = upper[1] - lower[1], flat_x = upper[0] - lower[0];
    if (flat_y < 0.9 * flat_x) {
        test_turn(lay.rotation, 1, 0, 0, 90);
    }
    const td_mesh *ring = test_moved(&stage, torus, &lay, 1);
    const td_mesh *peg = test_stage_box(&stage, 0.3, 0.3, 3);
    // The hole has a radius of 0.45 m: its top goes 0.02 m into the peg, whose top is at 0.15.
    const td_pose pose = test_place(0, 0.15 - 0.45 - 0.02, 0);
    const test_found found = test_find(&stage, peg, ring, &pose);
    assert_true(found.count > 0);
    td_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < found.count; ++i) {
        sum = td_add(sum, td_scale(found.contacts[i].normal, found.contacts[i].depth));
    }
    assert_true(test_degrees(sum, test_up) < 2);
    assert_true(test_deepest(&found) >= 0.015);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Thin ones, tangles: what is found stays within reason, which test_find checks

// A spike through a plate.
static void test_spike(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *cone = test_stage_shape(&stage, "cone", 0), *spike = test_scaled(&stage, cone, 0.3);
    const td_mesh *plate = test_stage_box(&stage, 2, 0.01, 2);
    test_random random = {13};
    for (int i = 0; i < 300; ++i) {
        const td_pose pose = test_random_pose(&random, 0.1);
        const test_found found = test_find(&stage, plate, spike, &pose);
        assert_true(found.count <= TD_REGION_POINTS * (size_t)found.regions);
    }
    test_stage_clear(&stage);
}

static void test_tangle(test_stage *stage, const td_mesh *a, const td_mesh *b, double spread, int poses) {
    test_random random = {14};
    int met = 0;
    for (int i = 0; i < poses; ++i) {
        const td_pose pose = test_random_pose(&random, spread);
        const test_found found = test_find(stage, a, b, &pose);
        met += found.pairs > 0;
        // Surfaces that cross, rather than touch, have contacts.
        assert_true(found.pairs < 8 || found.count > 0);
        assert_true(found.count <= TD_REGION_POINTS * (size_t)found.regions);
    }
    assert_true(met > poses / 4);
}

static void test_tangles(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *cow = test_stage_shape(&stage, "cow", 0), *knot = test_stage_shape(&stage, "knot", 0);
    const td_mesh *bowl = test_stage_shape(&stage, "bowl", 0), *torus = test_stage_shape(&stage, "torus", 0);
    test_tangle(&stage, cow, cow, 0.4, 300);
    test_tangle(&stage, knot, knot, 0.8, 100);
    test_tangle(&stage, knot, torus, 0.8, 100);
    test_tangle(&stage, bowl, cow, 0.8, 100);
    test_stage_clear(&stage);
}

// The same mesh in the same place: every triangle lies in another one.
static void test_coincident(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    static const char *const shapes[] = {"box", "sphere", "cow", "tetrahedron"};
    for (int i = 0; i < 4; ++i) {
        const td_mesh *mesh = test_stage_shape(&stage, shapes[i], 0);
        const td_pose pose = td_pose_identity();
        const test_found found = test_find(&stage, mesh, mesh, &pose);
        assert_true(found.pairs > 0);
        const td_pose near = test_place(0x1p-40, 0, -0x1p-42);
        (void)test_find(&stage, mesh, mesh, &near);
    }
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_on_plane), cmocka_unit_test(test_ball_on_ball),
        cmocka_unit_test(test_cow_stands),    cmocka_unit_test(test_staple_on_bar),
        cmocka_unit_test(test_torus_on_peg),  cmocka_unit_test(test_spike),
        cmocka_unit_test(test_tangles),       cmocka_unit_test(test_coincident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
