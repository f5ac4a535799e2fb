// The world's bodies: who they are, what they weigh, how they move when they are pushed.
#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/stage.h"

#include <math.h>
#include <string.h>

static td_world_def test_weightless(void) {
    td_world_def def = td_default_world_def();
    def.gravity[1] = 0;
    def.sleep_speed = 0;
    return def;
}

static bool test_same_id(td_body_id a, td_body_id b) {
    return a.index == b.index && a.generation == b.generation;
}

static void test_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.15g, expected %.15g within %g", value, expected, tolerance);
    }
}

static void test_near_vector(const double value[3], double x, double y, double z, double tolerance) {
    test_near(value[0], x, tolerance);
    test_near(value[1], y, tolerance);
    test_near(value[2], z, tolerance);
}

// ---------------------------------------------------------------------------------------------------------
// Who they are

static void test_all_refuse(test_stage *stage, td_body_id id) {
    const double zero[3] = {0};
    const td_pose pose = td_pose_identity();
    td_body_state state;
    td_world *world = stage->world;
    assert_false(td_body_exists(world, id));
    assert_int_equal(td_get_body(&state, world, id), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "no body"));
    assert_int_equal(td_set_body_pose(world, id, &pose), TD_ERROR_ARGUMENT);
    assert_int_equal(td_set_body_velocity(world, id, zero, zero), TD_ERROR_ARGUMENT);
    assert_int_equal(td_apply_force(world, id, zero, NULL), TD_ERROR_ARGUMENT);
    assert_int_equal(td_apply_torque(world, id, zero), TD_ERROR_ARGUMENT);
    assert_int_equal(td_apply_impulse(world, id, zero, NULL), TD_ERROR_ARGUMENT);
    assert_int_equal(td_wake_body(world, id), TD_ERROR_ARGUMENT);
    assert_int_equal(td_remove_body(world, id), TD_ERROR_ARGUMENT);
}

static void test_ids(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    td_body_id ids[5];
    for (int i = 0; i < 5; ++i) {
        const td_body_def def = test_body(box, 3 * i, 0, 0);
        ids[i] = test_stage_add(&stage, &def);
        assert_true(ids[i].index > 0 && td_body_exists(stage.world, ids[i]));
        assert_true(test_same_id(td_body_at(stage.world, (uint32_t)i), ids[i]));
    }
    assert_int_equal(td_remove_body(stage.world, ids[1]), TD_OK);
    assert_int_equal(td_remove_body(stage.world, ids[3]), TD_OK);
    assert_int_equal(td_body_count(stage.world), 3);
    test_all_refuse(&stage, ids[1]);
    // In the order of their indices, without the gaps.
    assert_true(test_same_id(td_body_at(stage.world, 0), ids[0]));
    assert_true(test_same_id(td_body_at(stage.world, 1), ids[2]));
    assert_true(test_same_id(td_body_at(stage.world, 2), ids[4]));
    const td_body_def def = test_body(box, 50, 0, 0);
    const td_body_id again = test_stage_add(&stage, &def);
    assert_int_equal(again.index, ids[1].index); // the place is used again, under another generation
    assert_int_not_equal(again.generation, ids[1].generation);
    test_all_refuse(&stage, ids[1]);
    assert_true(test_same_id(td_body_at(stage.world, 1), again));
    test_stage_run(&stage, 3);
    test_all_refuse(&stage, ids[3]);
    test_all_refuse(&stage, (td_body_id){0});
    test_all_refuse(&stage, (td_body_id){77, 1});
    test_all_refuse(&stage, (td_body_id){UINT32_MAX, 1});
    test_stage_clear(&stage);
}

static void test_what_was_given(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 2, 3);
    char name[] = "brick";
    td_body_def def = test_body(box, 1, 2, 3);
    def.name = name;
    def.user = 0xfeedfacecafebeefu;
    def.velocity[0] = 4;
    def.spin[2] = 5;
    test_turn(def.pose.rotation, 0, 0, 1, 90);
    const td_body_id id = test_stage_add(&stage, &def);
    name[0] = 'x'; // names are copied
    const td_body_state body = test_stage_body(&stage, id);
    assert_string_equal(body.name, "brick");
    assert_true(body.user == 0xfeedfacecafebeefu && body.mesh == box && body.kind == TD_BODY_DYNAMIC);
    assert_true(body.awake);
    test_near_vector(body.velocity, 4, 0, 0, 0);
    test_near_vector(body.spin, 0, 0, 5, 0);
    test_near_vector(body.pose.position, 1, 2, 3, 1e-15);
    test_near_vector(body.centre, 1, 2, 3, 1e-15);
    test_near(body.radius, sqrt(14) / 2, 1e-12);
    assert_string_equal(td_body_kind_name(TD_BODY_STATIC), "static");
    td_body_kind kind = TD_BODY_STATIC;
    assert_int_equal(td_body_kind_from_name(&kind, "kinematic"), TD_OK);
    assert_int_equal(kind, TD_BODY_KINEMATIC);
    assert_int_equal(td_body_kind_from_name(&kind, "rigid"), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "rigid"));
    test_stage_clear(&stage);
}

// No body, one body, and bodies that come and go between steps.
static void test_few(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    const td_touch *overlaps;
    size_t count;
    const uint64_t empty = td_hash_world(stage.world);
    test_stage_run(&stage, 2);
    assert_int_equal(stage.report.step, 1);
    assert_int_equal(stage.report.bodies, 0);
    assert_true(td_hash_world(stage.world) == empty);
    assert_int_equal(td_find_overlaps(&overlaps, &count, stage.world), TD_OK);
    assert_int_equal(count, 0);
    assert_int_equal(td_body_at(stage.world, 0).index, 0);
    const td_body_def def = test_body(box, 0, 5, 0);
    const td_body_id id = test_stage_add(&stage, &def);
    assert_true(td_hash_world(stage.world) != empty);
    test_stage_run(&stage, 1);
    assert_int_equal(stage.report.bodies, 1);
    assert_int_equal(stage.report.awake, 1);
    assert_int_equal(stage.report.islands, 1);
    assert_int_equal(td_contact_count(stage.world), 0);
    assert_int_equal(td_remove_body(stage.world, id), TD_OK);
    test_stage_run(&stage, 1);
    assert_int_equal(td_body_count(stage.world), 0);
    assert_true(td_hash_world(stage.world) == empty);
    test_near(stage.report.time, 4.0 / 60, 1e-15);
    test_stage_clear(&stage);
}

// Bodies that fall in one after the other, while others are taken away.
static void test_coming_and_going(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 2, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1), *torus = test_stage_shape(&stage, "torus", 0);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    enum { TEST_ROOM = 12 };
    td_body_id ids[TEST_ROOM] = {{0}};
    test_random random = {3};
    for (int step = 0; step < 400; ++step) {
        const int slot = test_random_int(&random, 0, TEST_ROOM - 1);
        if (step % 5 == 0 && td_body_exists(stage.world, ids[slot])) {
            assert_int_equal(td_remove_body(stage.world, ids[slot]), TD_OK);
        } else if (step % 5 == 0) {
            td_body_def def = test_body(slot % 2 == 0 ? box : torus, test_random_range(&random, -2, 2), 4,
                                        test_random_range(&random, -2, 2));
            ids[slot] = test_stage_add(&stage, &def);
        }
        test_stage_run(&stage, 1);
        assert_int_equal(stage.report.contacts, td_contact_count(stage.world));
        assert_int_equal(stage.report.bodies, td_body_count(stage.world));
        for (size_t i = 0; i < td_contact_count(stage.world); ++i) {
            const td_contact contact = td_get_contact(stage.world, i);
            assert_true(td_body_exists(stage.world, contact.a) && td_body_exists(stage.world, contact.b));
        }
    }
    for (uint32_t i = 0; i < td_body_count(stage.world); ++i) {
        assert_true(test_stage_body(&stage, td_body_at(stage.world, i)).centre[1] > -0.6);
    }
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// What they weigh

static void test_masses(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_body_def def = test_body(test_stage_box(&stage, 1, 2, 3), 0, 0, 0);
    def.density = 500;
    def.spin[0] = 1;
    def.spin[1] = 1;
    def.spin[2] = 1;
    td_body_state body = test_stage_body(&stage, test_stage_add(&stage, &def));
    test_near(body.mass, 3000, 1e-9);
    test_near_vector(body.angular_momentum, 250 * (4 + 9), 250 * (1 + 9), 250 * (1 + 4), 1e-8);
    test_near(body.kinetic_energy, 0.5 * 250 * (13 + 10 + 5), 1e-8);
    def.mass = 6; // instead of the density
    body = test_stage_body(&stage, test_stage_add(&stage, &def));
    test_near(body.mass, 6, 0);
    test_near_vector(body.angular_momentum, 0.5 * 13, 0.5 * 10, 0.5 * 5, 1e-11);
    td_body_def ball = test_body(test_stage_shape(&stage, "sphere", 3), 0, 0, 0);
    ball.density = 1;
    ball.spin[1] = 2;
    ball.velocity[0] = 3;
    body = test_stage_body(&stage, test_stage_add(&stage, &ball));
    const double mass = 4.0 / 3 * 3.141592653589793; // of the ball; the mesh is a little smaller
    test_near(body.mass, mass, 0.002 * mass);
    test_near(body.angular_momentum[1], 0.4 * mass * 2, 0.003 * mass);
    test_near(body.momentum[0], 3 * body.mass, 1e-12);
    test_near(body.kinetic_energy, 0.5 * body.mass * 9 + 0.5 * body.angular_momentum[1] * 2, 1e-11);
    // The others have none.
    def.kind = TD_BODY_KINEMATIC;
    body = test_stage_body(&stage, test_stage_add(&stage, &def));
    assert_true(body.mass == 0 && body.kinetic_energy == 0);
    test_near_vector(body.momentum, 0, 0, 0, 0);
    test_stage_clear(&stage);
}

// A sheet of 1 m by 2 m: a thin plate.
static void test_sheet(void **state) {
    (void)state;
    static const double positions[12] = {0, 0, 0, 1, 0, 0, 1, 0, 2, 0, 0, 2};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = positions;
    mesh_def.vertex_count = 4;
    mesh_def.triangles = triangles;
    mesh_def.triangle_count = 2;
    td_mesh *sheet;
    assert_int_equal(td_create_mesh(&sheet, stage.context, &mesh_def), TD_OK);
    td_body_def def = test_body(test_stage_keep(&stage, sheet), 10, 5, 0);
    def.mass = 12;
    for (int k = 0; k < 3; ++k) {
        def.spin[k] = 1;
    }
    const td_body_state body = test_stage_body(&stage, test_stage_add(&stage, &def));
    test_near(body.mass, 12, 0);
    test_near_vector(body.centre, 10.5, 5, 1, 1e-12);
    test_near_vector(body.angular_momentum, 4, 5, 1, 1e-12); // m/12 b^2, m/12 (a^2 + b^2), m/12 a^2
    // As a static body it needs no mass.
    def.kind = TD_BODY_STATIC;
    def.mass = 0;
    (void)test_stage_add(&stage, &def);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// How they move

static void test_pushes(void **state) {
    (void)state;
    const td_world_def world = test_weightless();
    test_stage stage = test_stage_make(&world, 1, TD_ISA_AUTO);
    td_body_def def = test_body(test_stage_box(&stage, 1, 2, 3), 1, 2, 3);
    def.mass = 12; // moments 13, 10, 5
    const td_body_id id = test_stage_add(&stage, &def);
    const double impulse[3] = {0, 24, 0}, point[3] = {1.5, 2, 3};
    assert_int_equal(td_apply_impulse(stage.world, id, impulse, point), TD_OK);
    td_body_state body = test_stage_body(&stage, id); // at once
    test_near_vector(body.velocity, 0, 2, 0, 1e-14);
    test_near_vector(body.spin, 0, 0, 12.0 / 5, 1e-13);
    const double zero[3] = {0};
    assert_int_equal(td_set_body_velocity(stage.world, id, zero, zero), TD_OK);
    assert_int_equal(td_set_body_pose(stage.world, id, &def.pose), TD_OK);
    const double force[3] = {0, 0, 720}, torque[3] = {0, 600, 0};
    assert_int_equal(td_apply_force(stage.world, id, force, NULL), TD_OK);
    assert_int_equal(td_apply_torque(stage.world, id, torque), TD_OK);
    body = test_stage_body(&stage, id); // not yet
    test_near_vector(body.velocity, 0, 0, 0, 0);
    test_stage_run(&stage, 1);
    body = test_stage_body(&stage, id);
    test_near_vector(body.velocity, 0, 0, 1, 1e-12); // 720 N / 12 kg for 1/60 s
    test_near_vector(body.spin, 0, 1, 0, 1e-12);     // 600 N m / 10 kg m^2 for 1/60 s
    test_stage_run(&stage, 1);                       // of the next step only
    body = test_stage_body(&stage, id);
    test_near_vector(body.velocity, 0, 0, 1, 1e-12);
    // A force that acts beside the centre turns, too.
    assert_int_equal(td_set_body_velocity(stage.world, id, zero, zero), TD_OK);
    assert_int_equal(td_set_body_pose(stage.world, id, &def.pose), TD_OK);
    const double pull[3] = {0, 720, 0};
    assert_int_equal(td_apply_force(stage.world, id, pull, point), TD_OK);
    test_stage_run(&stage, 1);
    body = test_stage_body(&stage, id);
    test_near_vector(body.velocity, 0, 1, 0, 1e-12);
    test_near_vector(body.spin, 0, 0, 720 * 0.5 / 5 / 60, 1e-10);
    test_stage_clear(&stage);
}

// Gravity is taken as often as the body asks for; damping slows down as an exponential does.
static void test_gravity_and_damping(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    static const double scales[] = {1, 0, -0.5, 2};
    td_body_id ids[4];
    for (int i = 0; i < 4; ++i) {
        td_body_def def = test_body(box, 10 * i, 0, 0);
        def.gravity_scale = scales[i];
        def.may_sleep = false;
        ids[i] = test_stage_add(&stage, &def);
    }
    td_body_def damped = test_body(box, 0, 0, 50);
    damped.gravity_scale = 0;
    damped.velocity[0] = 10;
    damped.spin[1] = 10;
    damped.linear_damping = 1;
    damped.angular_damping = 2;
    const td_body_id slow = test_stage_add(&stage, &damped);
    test_stage_run(&stage, 60);
    for (int i = 0; i < 4; ++i) {
        const td_body_state body = test_stage_body(&stage, ids[i]);
        test_near(body.velocity[1], -9.81 * scales[i], 1e-9);
        test_near(body.centre[1], -0.5 * 9.81 * scales[i], 0.01 * 9.81 * fabs(scales[i]));
    }
    const td_body_state body = test_stage_body(&stage, slow);
    test_near(body.velocity[0], 10 * exp(-1), 0.05);
    test_near(body.spin[1], 10 * exp(-2), 0.05);
    test_stage_clear(&stage);
}

static void test_static_stays(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    td_body_def def = test_body(box, 0, 0, 0);
    def.kind = TD_BODY_STATIC;
    def.velocity[1] = 5; // means nothing to it
    const td_body_id id = test_stage_add(&stage, &def);
    const td_body_state before = test_stage_body(&stage, id);
    test_near_vector(before.velocity, 0, 0, 0, 0);
    td_body_def hammer = test_body(box, 0.2, 3, 0.1);
    hammer.velocity[1] = -20;
    hammer.density = 20000;
    (void)test_stage_add(&stage, &hammer);
    const double push[3] = {1e6, 1e6, 1e6};
    assert_int_equal(td_apply_impulse(stage.world, id, push, push), TD_OK);
    assert_int_equal(td_apply_force(stage.world, id, push, push), TD_OK);
    assert_int_equal(td_set_body_velocity(stage.world, id, push, push), TD_ERROR_ARGUMENT);
    test_stage_run(&stage, 60);
    const td_body_state after = test_stage_body(&stage, id);
    assert_memory_equal(&before.pose, &after.pose, sizeof before.pose);
    test_near_vector(after.velocity, 0, 0, 0, 0);
    test_stage_clear(&stage);
}

// A wall that moves goes its way and takes with it what it meets.
static void test_kinematic_pushes(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 30, 1, 30), 0, -0.5, 0);
    td_body_def wall = test_body(box, -2, 0.6, 0);
    wall.kind = TD_BODY_KINEMATIC;
    const td_body_def crate = test_body(box, 0, 0.5, 0);
    const td_body_id pusher = test_stage_add(&stage, &wall), pushed = test_stage_add(&stage, &crate);
    test_stage_run(&stage, 120);
    assert_false(test_stage_body(&stage, pushed).awake);
    const double velocity[3] = {1, 0, 0}, still[3] = {0};
    assert_int_equal(td_set_body_velocity(stage.world, pusher, velocity, still), TD_OK);
    test_stage_run(&stage, 180);
    const td_body_state w = test_stage_body(&stage, pusher), c = test_stage_body(&stage, pushed);
    test_near_vector(w.centre, 1, 0.6, 0, 1e-9); // nothing holds it up
    test_near(c.centre[0], 2, 0.02);
    test_near(c.velocity[0], 1, 0.1);
    assert_true(c.awake);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Scales

// A box is dropped from its own size above a ground; it lies on it in the end.
static void test_drop_at_scale(double size, double step, double far) {
    td_world_def def = td_default_world_def();
    def.step = step;
    def.sleep_speed *= sqrt(size);
    def.bounce_speed *= sqrt(size);
    def.push_speed *= sqrt(size);
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, size, size, size);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 20 * size, size, 20 * size), far,
                                far - 0.5 * size, -far);
    td_body_def body = test_body(box, far + 0.1 * size, far + size, -far);
    test_turn(body.pose.rotation, 0, 1, 0, 33);
    const td_body_id id = test_stage_add(&stage, &body);
    test_stage_run(&stage, 400);
    const td_body_state after = test_stage_body(&stage, id);
    print_message("a box of %g m at %g m: rests %.3g of its size above the ground\n", size, far,
                  (after.centre[1] - far) / size - 0.5);
    // Contacts with what does not move are springs of 120 Hz at most, on which it sags by g / (2 pi 120
    // Hz)^2.
    test_near(after.centre[1], far + 0.5 * size, 0.001 * size + 17.3e-6);
    test_near(after.centre[0], far + 0.1 * size, 0.01 * size);
    assert_true(sqrt(after.velocity[0] * after.velocity[0] + after.velocity[1] * after.velocity[1]) <
                0.01 * sqrt(9.81 * size));
    test_stage_clear(&stage);
}

static void test_scales(void **state) {
    (void)state;
    test_drop_at_scale(1, 1.0 / 60, 0);
    test_drop_at_scale(0.001, 1.0 / 60 * sqrt(0.001), 0);
    test_drop_at_scale(1000, 1.0 / 60 * sqrt(1000), 0);
    test_drop_at_scale(1, 1.0 / 60, 1e5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),          cmocka_unit_test(test_what_was_given),
        cmocka_unit_test(test_few),          cmocka_unit_test(test_coming_and_going),
        cmocka_unit_test(test_masses),       cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_pushes),       cmocka_unit_test(test_gravity_and_damping),
        cmocka_unit_test(test_static_stays), cmocka_unit_test(test_kinematic_pushes),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
