// Numbers that make no sense are refused, by name; a state that gets beyond all numbers stops the world where
// it was.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void test_refused(td_result result, td_result expected, const char *word) {
    if (result != expected) {
        fail_msg("'%s': %s, expected %s", word, td_result_name(result), td_result_name(expected));
    }
    if (strstr(td_error_message(), word) == NULL) {
        fail_msg("the message does not say '%s': %s", word, td_error_message());
    }
}

// ---------------------------------------------------------------------------------------------------------
// Worlds

typedef struct test_field {
    const char *name;
    size_t offset;
    double bad[4]; // beside NaN and infinities; NaN: no more
} test_field;

#define TEST_WORLD_FIELD(field) #field, offsetof(td_world_def, field)

static const test_field test_world_fields[] = {
    {"gravity", offsetof(td_world_def, gravity), {1e7, -1e300, NAN}},
    {"gravity", offsetof(td_world_def, gravity) + sizeof(double), {1e7, NAN}},
    {"gravity", offsetof(td_world_def, gravity) + 2 * sizeof(double), {-1e7, NAN}},
    {TEST_WORLD_FIELD(step), {0, -1.0 / 60, 1e9, 1e-300}},
    {TEST_WORLD_FIELD(slop), {-1e-9, 1, NAN}},
    {TEST_WORLD_FIELD(push_speed), {-1, 1e300, NAN}},
    {TEST_WORLD_FIELD(bounce_speed), {-1, 1e300, NAN}},
    {TEST_WORLD_FIELD(sleep_speed), {-1, 1e300, NAN}},
    {TEST_WORLD_FIELD(sleep_time), {-1, 1e300, NAN}},
};

static void test_world_number(td_context *context, const test_field *field, double number) {
    td_world_def def = td_default_world_def();
    td_world *world = (td_world *)&def;
    memcpy((char *)&def + field->offset, &number, sizeof number);
    test_refused(td_create_world(&world, context, &def), TD_ERROR_ARGUMENT, field->name);
    assert_null(world);
}

static void test_world_numbers(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const size_t count = sizeof test_world_fields / sizeof test_world_fields[0];
    for (size_t i = 0; i < count; ++i) {
        const test_field *field = &test_world_fields[i];
        test_world_number(stage.context, field, NAN);
        test_world_number(stage.context, field, INFINITY);
        test_world_number(stage.context, field, -INFINITY);
        for (int k = 0; k < 4 && !isnan(field->bad[k]); ++k) {
            if (k == 0 || field->bad[k] != 0) { // what is left out is 0
                test_world_number(stage.context, field, field->bad[k]);
            }
        }
    }
    test_stage_clear(&stage);
}

static void test_world_counts(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_world *world;
    td_world_def def = td_default_world_def();
    def.substeps = 0;
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "substeps");
    def.substeps = UINT32_MAX;
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "substeps");
    def = td_default_world_def();
    def.iterations = 0;
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "iterations");
    def = td_default_world_def();
    def.relaxations = UINT32_MAX;
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "relaxations");
    def = td_default_world_def();
    def.cookie = 0;
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "td_default_world_def");
    assert_null(world);
    test_stage_clear(&stage);
}

// Names are checked when the world is made, not in the middle of a simulation.
static void test_world_names(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_world *world;
    td_world_def def = td_default_world_def();
    def.broad = "grid";
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "grid");
    def = td_default_world_def();
    def.strategy = "guesswork";
    test_refused(td_create_world(&world, stage.context, &def), TD_ERROR_ARGUMENT, "guesswork");
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Bodies

#define TEST_BODY_FIELD(field) #field, offsetof(td_body_def, field)

static const test_field test_body_fields[] = {
    {"position", offsetof(td_body_def, pose.position), {1e300, NAN}},
    {"position", offsetof(td_body_def, pose.position) + 2 * sizeof(double), {-1e300, NAN}},
    {"velocity", offsetof(td_body_def, velocity), {1e300, NAN}},
    {"velocity", offsetof(td_body_def, velocity) + sizeof(double), {1e300, NAN}},
    {"spin", offsetof(td_body_def, spin), {1e300, NAN}},
    {"spin", offsetof(td_body_def, spin) + 2 * sizeof(double), {1e300, NAN}},
    {TEST_BODY_FIELD(density), {-1000, 0, 1e300, NAN}},
    {TEST_BODY_FIELD(mass), {-1, 1e300, NAN}},
    {TEST_BODY_FIELD(friction), {-0.1, 1e300, NAN}},
    {TEST_BODY_FIELD(restitution), {-0.1, 1.1, NAN}},
    {TEST_BODY_FIELD(gravity_scale), {1e300, NAN}},
    {TEST_BODY_FIELD(linear_damping), {-1, 1e300, NAN}},
    {TEST_BODY_FIELD(angular_damping), {-1, 1e300, NAN}},
};

static void test_body_number(test_stage *stage, const td_mesh *mesh, const test_field *field, double number) {
    td_body_def def = test_body(mesh, 0, 0, 0);
    td_body_id id = {7, 7};
    def.name = "culprit";
    memcpy((char *)&def + field->offset, &number, sizeof number);
    test_refused(td_add_body(&id, stage->world, &def), TD_ERROR_ARGUMENT, field->name);
    test_refused(TD_ERROR_ARGUMENT, TD_ERROR_ARGUMENT, "culprit");
    assert_true(id.index == 0 && td_body_count(stage->world) == 0);
}

static void test_body_numbers(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    const size_t count = sizeof test_body_fields / sizeof test_body_fields[0];
    for (size_t i = 0; i < count; ++i) {
        const test_field *field = &test_body_fields[i];
        test_body_number(&stage, box, field, NAN);
        test_body_number(&stage, box, field, INFINITY);
        test_body_number(&stage, box, field, -INFINITY);
        for (int k = 0; k < 4 && !isnan(field->bad[k]); ++k) {
            test_body_number(&stage, box, field, field->bad[k]);
        }
    }
    test_stage_run(&stage, 1); // nothing was left behind
    test_stage_clear(&stage);
}

static void test_body_others(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    td_body_id id;
    td_body_def def = test_body(box, 0, 0, 0);
    def.cookie = 0;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_ARGUMENT, "td_default_body_def");
    def = test_body(NULL, 0, 0, 0);
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_ARGUMENT, "mesh");
    def = test_body(box, 0, 0, 0);
    def.kind = (td_body_kind)9;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_ARGUMENT, "kind");
    def = test_body(box, 0, 0, 0);
    def.name = "skewed";
    def.pose.rotation[3] = 2;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_POSE, "skewed");
    def.pose.rotation[3] = NAN;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_POSE, "skewed");
    // Moments that float64 cannot hold.
    def = test_body(box, 0, 0, 0);
    def.name = "speck";
    def.mass = 1e-320;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_MESH, "speck");
    assert_int_equal(td_body_count(stage.world), 0);
    test_stage_clear(&stage);
}

static td_mesh *test_mesh(test_stage *stage, const double *positions, uint32_t vertices,
                          const uint32_t *triangles, uint32_t count, const char *name) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    def.name = name;
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    return test_stage_keep(stage, mesh);
}

static void test_meshes_without_inside(void **state) {
    (void)state;
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    static const uint32_t outward[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const uint32_t inward[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_body_id id;
    td_body_def def = test_body(test_mesh(&stage, corners, 4, outward, 3, "tent"), 0, 0, 0);
    def.name = "camp";
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_MESH, "camp");
    test_refused(TD_ERROR_MESH, TD_ERROR_MESH, "tent");
    test_refused(TD_ERROR_MESH, TD_ERROR_MESH, "mass"); // what to do about it
    def.mass = 3;
    assert_int_equal(td_add_body(&id, stage.world, &def), TD_OK);
    def.mesh = test_mesh(&stage, corners, 4, inward, 4, "glove");
    def.mass = 0;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_MESH, "glove");
    def.mesh = test_mesh(&stage, line, 3, (const uint32_t[3]){0, 1, 2}, 1, "wire");
    def.mass = 1;
    test_refused(td_add_body(&id, stage.world, &def), TD_ERROR_MESH, "wire");
    // None of them matters to a body that does not move.
    def.kind = TD_BODY_STATIC;
    def.mass = 0;
    assert_int_equal(td_add_body(&id, stage.world, &def), TD_OK);
    assert_int_equal(td_body_count(stage.world), 2);
    test_stage_run(&stage, 5);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Pushes

static void test_bad_pushes(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_body_def def = test_body(test_stage_box(&stage, 1, 1, 1), 0, 0, 0);
    const td_body_id id = test_stage_add(&stage, &def);
    const uint64_t hash = td_hash_world(stage.world);
    const double fine[3] = {1, 2, 3};
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; ++i) {
        double bad[3] = {1, 2, 3};
        bad[i % 3] = values[i / 3];
        td_pose pose = td_pose_identity();
        pose.position[i % 3] = values[i / 3];
        test_refused(td_apply_force(stage.world, id, bad, NULL), TD_ERROR_ARGUMENT, "force");
        test_refused(td_apply_force(stage.world, id, fine, bad), TD_ERROR_ARGUMENT, "point");
        test_refused(td_apply_torque(stage.world, id, bad), TD_ERROR_ARGUMENT, "torque");
        test_refused(td_apply_impulse(stage.world, id, bad, NULL), TD_ERROR_ARGUMENT, "impulse");
        test_refused(td_apply_impulse(stage.world, id, fine, bad), TD_ERROR_ARGUMENT, "point");
        test_refused(td_set_body_velocity(stage.world, id, bad, fine), TD_ERROR_ARGUMENT, "velocity");
        test_refused(td_set_body_velocity(stage.world, id, fine, bad), TD_ERROR_ARGUMENT, "spin");
        test_refused(td_set_body_pose(stage.world, id, &pose), TD_ERROR_POSE, "position");
        assert_true(td_hash_world(stage.world) == hash); // what was refused did nothing
    }
    test_stage_run(&stage, 1); // nor does it come with the next step
    const td_body_state body = test_stage_body(&stage, id);
    assert_true(body.velocity[0] == 0 && body.velocity[2] == 0);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Beyond all numbers

typedef td_result test_push(td_world *world, td_body_id id);

static td_result test_push_force(td_world *world, td_body_id id) {
    const double push[3] = {1e30, -1e30, 1e30};
    return td_apply_force(world, id, push, NULL);
}

static td_result test_push_torque(td_world *world, td_body_id id) {
    const double push[3] = {1e30, 1e30, -1e30};
    return td_apply_torque(world, id, push);
}

static td_result test_push_impulse(td_world *world, td_body_id id) {
    const double push[3] = {0, -1e30, 0};
    return td_apply_impulse(world, id, push, NULL);
}

static td_result test_push_twist(td_world *world, td_body_id id) {
    const double push[3] = {0, -1e30, 0}, point[3] = {0.4, 0, 0.3};
    return td_apply_impulse(world, id, push, point);
}

// A pile of two boxes on a ground, and one that is pushed beyond all numbers.
static void test_push_too_far(test_push *push, double mass, double height) {
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    td_body_def def = test_body(box, 0, 0.5, 0);
    (void)test_stage_add(&stage, &def);
    def.pose.position[0] = height < 10 ? 0 : 8; // above nothing but the ground
    def.pose.position[1] = height;
    def.mass = mass;
    def.name = "rocket";
    const td_body_id id = test_stage_add(&stage, &def);
    test_stage_run(&stage, 20);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(push(stage.world, id), TD_OK);
    }
    const uint64_t hash = td_hash_world(stage.world);
    td_step_report report;
    for (int i = 0; i < 3; ++i) { // it does not get any better by being tried again
        // In contact, the body below is crushed beyond all numbers as well: one of them is named.
        test_refused(td_step_world(&report, stage.world), TD_ERROR_NUMBERS,
                     height < 10 ? "body '" : "rocket");
        test_refused(TD_ERROR_NUMBERS, TD_ERROR_NUMBERS, "step 20");
        assert_true(td_hash_world(stage.world) == hash);
    }
    // Without it the world goes on, and the report goes on counting.
    assert_int_equal(td_remove_body(stage.world, id), TD_OK);
    test_stage_run(&stage, 30);
    assert_int_equal(stage.report.step, 49);
    const td_body_state low = test_stage_body(&stage, td_body_at(stage.world, 1));
    assert_true(fabs(low.centre[1] - 0.5) < 0.01);
    test_stage_clear(&stage);
}

static void test_forces_too_large(void **state) {
    (void)state;
    static test_push *const pushes[] = {test_push_force, test_push_torque, test_push_impulse,
                                        test_push_twist};
    for (int i = 0; i < 4; ++i) {
        test_push_too_far(pushes[i], 1, 1.5); // in contact
        test_push_too_far(pushes[i], 1, 50);  // free
        test_push_too_far(pushes[i], 1e-100, 50);
    }
}

// A step that fails leaves the beginnings and ends of touches to one that does not.
static void test_events_after_failure(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    const td_body_id ground = test_stage_add_static(&stage, test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    td_body_def def = test_body(box, 0, 0.499, 0);
    const td_body_id lands = test_stage_add(&stage, &def);
    def.pose.position[1] = 50;
    def.mass = 1;
    const td_body_id rocket = test_stage_add(&stage, &def);
    assert_int_equal(test_push_force(stage.world, rocket), TD_OK);
    td_step_report report;
    assert_int_equal(td_step_world(&report, stage.world), TD_ERROR_NUMBERS);
    assert_int_equal(td_remove_body(stage.world, rocket), TD_OK);
    test_stage_run(&stage, 1);
    const td_touches touches = td_last_touches(stage.world);
    assert_int_equal(touches.began_count, 1);
    assert_true(touches.began[0].a.index == ground.index && touches.began[0].b.index == lands.index);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world_numbers),        cmocka_unit_test(test_world_counts),
        cmocka_unit_test(test_world_names),          cmocka_unit_test(test_body_numbers),
        cmocka_unit_test(test_body_others),          cmocka_unit_test(test_meshes_without_inside),
        cmocka_unit_test(test_bad_pushes),           cmocka_unit_test(test_forces_too_large),
        cmocka_unit_test(test_events_after_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
