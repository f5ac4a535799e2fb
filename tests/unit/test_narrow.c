// The narrow phase by rays (td_world_def.narrow) and what the tracer has for it: vertices that lie on the
// other's side, and rays that reach out of thin parts. Tests of worlds are run with rays as a whole beside
// this (tests/CMakeLists.txt).
#include "support/cmocka_all.h"
#include "support/results.h"
#include "support/stage.h"
#include "support/variants.h"

#include <tandem/scene.h>
#include <tandem/traced.h>

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// The tracer

enum { TEST_MOST = 64 };

typedef struct test_found {
    td_traced_contact items[TEST_MOST];
    size_t count;
} test_found;

static test_found test_trace_two(td_context *context, const td_tracer_def *def, const td_mesh *a,
                                 const td_mesh *b, td_pose pose) {
    const td_traced_object objects[2] = {{.key = 1, .mesh = a, .pose = td_pose_identity()},
                                         {.key = 2, .mesh = b, .pose = pose}};
    const td_traced_pair pair = {0, 1};
    td_tracer *tracer;
    td_traced_result result;
    test_found found = {.count = 0};
    test_ok(td_create_tracer(&tracer, context, def));
    for (int step = 0; step < 3; ++step) { // temporal data must change nothing
        test_ok(td_trace(&result, tracer, objects, 2, &pair, 1));
        assert_true(result.contact_count <= TEST_MOST);
        if (step > 0) {
            assert_int_equal(found.count, result.contact_count);
        }
        found.count = result.contact_count;
        memcpy(found.items, result.contacts, found.count * sizeof *found.items);
    }
    td_destroy_tracer(tracer);
    return found;
}

// Every way finds what brute force finds. Returns how many there are.
static size_t test_same_everywhere(double touch, double reach, const td_mesh *a, const td_mesh *b,
                                   td_context *context, td_pose pose) {
    td_tracer_def def = td_default_tracer_def();
    def.touch = touch;
    def.reach = reach;
    def.brute = true;
    const test_found expected = test_trace_two(context, &def, a, b, pose);
    td_device *device = test_open_device(context, false, 0);
    for (int way = 0; way < (device != NULL ? 8 : 4); ++way) {
        def.brute = false;
        def.iterative = way & 1;
        def.naive = way & 2;
        def.device = way & 4 ? device : NULL;
        const test_found found = test_trace_two(context, &def, a, b, pose);
        assert_int_equal(found.count, expected.count);
        for (size_t i = 0; i < found.count; ++i) {
            const td_traced_contact *f = &found.items[i], *e = &expected.items[i];
            assert_true(f->side == e->side && f->vertex == e->vertex && f->triangle == e->triangle);
            assert_memory_equal(&f->depth, &e->depth, sizeof f->depth);
        }
    }
    td_destroy_device(device);
    return expected.count;
}

static td_pose test_over(double x, double y) {
    td_pose pose = td_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    return pose;
}

// A box upon another, corner over corner but for a little: each ray starts on a side of the other box.
static void test_touching_corners(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    td_context *context = stage.context;
    assert_int_equal(test_same_everywhere(0, 0, box, box, context, test_over(1e-6, 1 - 1e-4)), 0);
    assert_int_equal(test_same_everywhere(0.01, 0, box, box, context, test_over(1e-6, 1 - 1e-4)), 8);
    assert_int_equal(test_same_everywhere(0.01, 0, box, box, context, test_over(0, 1 - 1e-4)), 8);
    // Beside each other by more than the overlap is high: the rays pass above the other's edge.
    assert_int_equal(test_same_everywhere(0.01, 0, box, box, context, test_over(0.01, 1 - 1e-4)), 4);
    test_stage_clear(&stage);
}

// A thin rod, upright in the ground: its corners' rays leave it before they leave the ground.
static void test_thin_parts(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *ground = test_stage_box(&stage, 4, 1, 4), *rod = test_stage_box(&stage, 0.1, 1, 0.1);
    td_context *context = stage.context;
    const td_pose in = test_over(0, 1 - 0.015);
    assert_true(test_same_everywhere(0, 0, ground, rod, context, in) < 4);
    assert_int_equal(test_same_everywhere(0, 1, ground, rod, context, in), 4);
    test_stage_clear(&stage);
}

static void test_refuses(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_tracer *tracer;
    td_tracer_def def = td_default_tracer_def();
    def.touch = -1;
    test_fails(td_create_tracer(&tracer, stage.context, &def), TD_ERROR_ARGUMENT, "touch is -1");
    def = td_default_tracer_def();
    def.reach = 2;
    test_fails(td_create_tracer(&tracer, stage.context, &def), TD_ERROR_ARGUMENT, "reach is 2");
    td_world *world;
    td_world_def other = td_default_world_def();
    other.narrow = (td_narrow)7;
    test_fails(td_create_world(&world, stage.context, &other), TD_ERROR_ARGUMENT, "narrow is 7");
    td_narrow narrow;
    test_fails(td_narrow_from_name(&narrow, "boxes"), TD_ERROR_ARGUMENT, "expected triangles or rays");
    assert_string_equal(td_narrow_name(TD_NARROW_RAYS), "rays");
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Worlds

// A sheet has no inside: contacts with it are those of triangles, and it is told.
static void test_open_meshes(void **state) {
    (void)state;
    td_world_def def = td_default_world_def();
    def.narrow = TD_NARROW_RAYS;
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    const double corners[] = {-3, 0, -3, 3, 0, -3, 3, 0, 3, -3, 0, 3};
    const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    td_mesh_def sheet = td_default_mesh_def();
    sheet.positions = corners;
    sheet.vertex_count = 4;
    sheet.triangles = triangles;
    sheet.triangle_count = 2;
    td_mesh *mesh;
    test_ok(td_create_mesh(&mesh, stage.context, &sheet));
    (void)test_stage_add_static(&stage, test_stage_keep(&stage, mesh), 0, 0, 0);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 4, 1, 4), 8, -0.5, 0);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    const td_body_def on_sheet = test_body(box, 0, 0.6, 0), on_box = test_body(box, 8, 0.6, 0);
    const td_body_id a = test_stage_add(&stage, &on_sheet), b = test_stage_add(&stage, &on_box);
    uint64_t traced = 0, untraced = 0, rays = 0;
    for (int i = 0; i < 120; ++i) {
        test_stage_run(&stage, 1);
        traced += stage.report.traced_pairs;
        untraced += stage.report.untraced_pairs;
        rays += stage.report.traced_rays;
    }
    assert_true(traced > 0 && untraced > 0 && rays >= 4 * traced);
    assert_true(test_stage_body(&stage, a).centre[1] > 0.49 && test_stage_body(&stage, a).centre[1] < 0.51);
    assert_true(test_stage_body(&stage, b).centre[1] > 0.49 && test_stage_body(&stage, b).centre[1] < 0.51);
    test_stage_clear(&stage);
}

static uint64_t test_run_scene(td_context *context, const char *text, const char *narrow, char **out_text) {
    td_scene_def def = td_default_scene_def();
    def.narrow = narrow;
    td_scene *scene;
    test_ok(td_parse_scene(&scene, context, text, strlen(text), "test", NULL, &def));
    for (int i = 0; i < 60; ++i) {
        test_ok(td_step_scene(NULL, scene));
    }
    const uint64_t hash = td_hash_scene(scene);
    if (out_text != NULL) {
        *out_text = strdup(td_scene_text(scene));
    }
    td_destroy_scene(scene);
    return hash;
}

// What a scene says, and what is said instead, stays in its text: so a recording is replayed alike.
static void test_scenes_remember(void **state) {
    (void)state;
    static const char plain[] =
        "{\"tandem\": 1, \"meshes\": {\"cow\": {\"shape\": \"cow\"}, \"ground\": {\"shape\": \"box\", "
        "\"scale\": "
        "[20, 1, 20]}}, \"bodies\": [{\"mesh\": \"ground\", \"kind\": \"static\"},"
        "{\"mesh\": \"cow\", \"position\": [0, 1.5, 0], \"grid\": {\"count\": [2, 2, 2], \"spacing\": [1, 1, "
        "1], \"turn\": true}}]}";
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    char *text;
    const uint64_t triangles = test_run_scene(stage.context, plain, NULL, NULL),
                   rays = test_run_scene(stage.context, plain, "rays", &text);
    assert_true(triangles != rays);
    assert_true(test_run_scene(stage.context, plain, "triangles", NULL) == triangles);
    assert_true(test_run_scene(stage.context, text, NULL, NULL) == rays);
    assert_true(test_run_scene(stage.context, text, "triangles", NULL) == triangles);
    free(text);
    td_scene *scene;
    const td_scene_def def = td_default_scene_def();
    static const char wrong[] = "{\"tandem\": 1, \"narrow\": \"boxes\", \"bodies\": []}";
    test_fails(td_parse_scene(&scene, stage.context, wrong, strlen(wrong), "wrong", NULL, &def),
               TD_ERROR_FORMAT, "expected \"triangles\" or \"rays\"");
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touching_corners), cmocka_unit_test(test_thin_parts),
        cmocka_unit_test(test_refuses),          cmocka_unit_test(test_open_meshes),
        cmocka_unit_test(test_scenes_remember),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
