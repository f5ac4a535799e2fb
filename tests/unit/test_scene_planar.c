// Planar scenes: what their texts mean, what is refused, and that recordings of them run again to the same
// bits.
#include "io/scene.h"
#include "support/cmocka_all.h"
#include "support/heap.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "{\"tandem\": 1, \"step\": 0.05, \"steps\": 20, \"planar\": "
#define ROOM "\"room\": [10, 5]"

static td_context *test_context(test_heap *heap) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    if (heap != NULL) {
        def.allocator = test_heap_allocator(heap);
    }
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

static td_result test_parse(td_scene **out, td_context *context, const char *text) {
    const td_scene_def def = td_default_scene_def();
    return td_parse_scene(out, context, text, strlen(text), "plane", NULL, &def);
}

static void test_objects(void **state) {
    (void)state;
    td_context *context = test_context(NULL);
    td_scene *scene = NULL;
    const char *text =
        HEAD "{" ROOM ", \"objects\": ["
             "{\"circle\": 0.5, \"position\": [2, 2], \"velocity\": [1, -1], \"mass\": 3},"
             "{\"regular\": 1, \"corners\": 3, \"position\": [5, 2], \"angle\": 0.25, \"spin\": 2},"
             "{\"polygon\": [[0, 0], [1, 0], [1, 1], [0, 1]], \"position\": [8, 3], "
             "\"static\": true}]}}";
    if (test_parse(&scene, context, text) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    assert_null(td_scene_world(scene));
    assert_int_equal(td_scene_body_count(scene), 3);
    td_planar *planar = td_scene_planar(scene);
    td_planar_state states[3];
    assert_int_equal(td_get_planar_states(states, planar), TD_OK);
    assert_true(states[0].velocity[1] == -1 && states[1].spin == 2 && states[1].angle == 0.25);
    assert_true(states[2].position[0] == 8.5 && states[2].position[1] == 3.5); // its centre of mass
    assert_true(td_planar_body_is_static(planar, 2) && !td_planar_body_is_static(planar, 1));
    assert_int_equal(td_scene_mesh_count(scene), 3 + 4); // and walls
    for (uint32_t i = 0; i < td_scene_mesh_count(scene); ++i) {
        assert_true(td_mesh_is_closed(td_scene_mesh(scene, i)));
    }
    td_step_report report;
    assert_int_equal(td_step_scene(&report, scene), TD_OK);
    assert_int_equal(report.bodies, 3);
    assert_int_equal(report.awake, 2);
    assert_true(report.time == 0.05 && report.step == 0);
    td_destroy_scene(scene);
    td_destroy_context(context);
}

static const struct {
    const char *text, *says;
} test_wrong[] = {
    {"{" ROOM "}", "planar: expected \"scatter\" or \"objects\""},
    {"{\"objects\": [{\"circle\": 1}]}", "planar: expected a \"room\""},
    {"{\"scatter\": {\"count\": 3}}", "planar.scatter: expected \"fill\" here, or a \"room\""},
    {"{" ROOM ", \"scatter\": {\"count\": 3, \"fill\": 0.1}}",
     "planar.scatter.fill: there is a \"room\", too"},
    {"{" ROOM ", \"scatter\": {\"count\": 3000}}", "object 57 of 3000 does not fit"},
    {"{" ROOM ", \"scatter\": {}}", "planar.scatter: expected a \"count\""},
    {"{" ROOM ", \"stepping\": \"last\", \"scatter\": {\"count\": 3}}",
     "planar.stepping: \"last\" is no stepping: expected \"ordered\" or \"first\""},
    {"{" ROOM ", \"reduction\": \"five\", \"scatter\": {\"count\": 3}}",
     "expected \"classic\", \"six\" or \"four-six\""},
    {"{" ROOM ", \"restitution\": 2, \"scatter\": {\"count\": 3}}", "planar.restitution"},
    {"{" ROOM ", \"gravity\": 2, \"scatter\": {\"count\": 3}}", "planar.gravity: unknown key"},
    {"{" ROOM
     ", \"objects\": [{\"circle\": 1, \"position\": [2, 2]}, {\"circle\": 0, \"position\": [5, 2]}]}",
     "planar: object 1: radius 0"},
    {"{" ROOM ", \"objects\": [{\"circle\": 1, \"position\": [2, 2], \"mass\": -1}]}", "object 0: mass -1"},
    {"{" ROOM
     ", \"objects\": [{\"circle\": 1, \"position\": [2, 2]}, {\"circle\": 1, \"position\": [3, 2]}]}",
     "object 1 overlaps object 0"},
    {"{" ROOM ", \"objects\": [{\"circle\": 1, \"position\": [0.5, 2]}]}", "object 0 is outside the room"},
    {"{" ROOM ", \"objects\": [{\"polygon\": [[0, 0], [0, 1], [1, 0]], \"position\": [2, 2]}]}",
     "object 0: the corners of its polygon go clockwise"},
    {"{" ROOM ", \"objects\": [{\"polygon\": [[0, 0], [2, 0], [0.5, 0.5], [0, 2]], \"position\": [2, 2]}]}",
     "object 0: its polygon is not convex"},
    {"{" ROOM ", \"objects\": [{\"circle\": 1, \"regular\": 1}]}", "objects[0]: expected one of \"circle\""},
    {"{" ROOM ", \"objects\": [{\"regular\": 1}]}", "objects[0]: \"corners\""},
    {"{" ROOM ", \"objects\": [{\"circle\": 1, \"colour\": 1}]}", "planar.objects[0]"},
    {"3", "planar"},
};

static void test_refused(void **state) {
    (void)state;
    td_context *context = test_context(NULL);
    for (size_t i = 0; i < sizeof test_wrong / sizeof *test_wrong; ++i) {
        char text[600];
        snprintf(text, sizeof text, HEAD "%s}", test_wrong[i].text);
        td_scene *scene = NULL;
        if (test_parse(&scene, context, text) == TD_OK ||
            strstr(td_error_message(), test_wrong[i].says) == NULL) {
            fail_msg("%s: expected '%s', got '%s'", text, test_wrong[i].says, td_error_message());
        }
        assert_null(scene);
    }
    td_scene *scene = NULL;
    const char *both = "{\"tandem\": 1, \"bodies\": [], \"planar\": {" ROOM ", \"scatter\": {\"count\": 3}}}";
    assert_int_equal(test_parse(&scene, context, both), TD_ERROR_FORMAT);
    assert_non_null(strstr(td_error_message(), "bodies: a planar scene has no \"bodies\""));
    td_destroy_context(context);
}

// Recorded, read, and run again: in frames of several steps, too.
static void test_recorded(void **state) {
    (void)state;
    static const char *const sections[] = {
        "{\"scatter\": {\"count\": 50, \"corners\": 3, \"fill\": 0.2, \"speed\": 3, \"spin\": 4, \"seed\": "
        "5}}",
        "{\"stepping\": \"first\", \"broad\": \"all\", \"steps_per_frame\": 7, "
        "\"scatter\": {\"count\": 50, \"fill\": 0.2, \"speed\": 3, \"seed\": 5}}"};
    td_context *context = test_context(NULL);
    char path[256];
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tandem-planar-XXXXXX", base != NULL ? base : "/tmp");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < 2; ++i) {
        char text[400];
        snprintf(text, sizeof text, HEAD "%s}", sections[i]);
        td_scene *scene = NULL;
        td_recorder *recorder = NULL;
        assert_int_equal(test_parse(&scene, context, text), TD_OK);
        assert_int_equal(td_create_recorder(&recorder, context, scene, path, NULL), TD_OK);
        for (int step = 0; step < 20; ++step) {
            td_step_report report;
            assert_int_equal(td_step_scene(&report, scene), TD_OK);
            assert_int_equal(report.step, step);
            assert_int_equal(td_record_frame(recorder, scene, &report), TD_OK);
        }
        const uint64_t hash = td_hash_scene(scene);
        assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
        td_recording *recording = NULL;
        assert_int_equal(td_open_recording(&recording, context, path), TD_OK);
        assert_int_equal(td_recording_about(recording).frames, 21);
        assert_int_equal(td_recording_about(recording).bodies, 50 + 4);
        td_pose poses[54];
        uint64_t recorded;
        assert_int_equal(td_read_frame(poses, &recorded, recording, 20), TD_OK);
        assert_int_equal(recorded, hash);
        td_planar_state states[50];
        assert_int_equal(td_get_planar_states(states, td_scene_planar(scene)), TD_OK);
        for (int k = 0; k < 50; ++k) {
            assert_true(fabs(poses[k].position[0] - states[k].position[0]) < 1e-3);
            assert_true(fabs(poses[k].position[2] + states[k].position[1]) < 1e-3);
            assert_true(fabs(poses[k].position[1]) < 1e-3);
        }
        td_replay_result replay;
        assert_int_equal(td_replay_recording(&replay, recording, NULL, NULL), TD_OK);
        assert_true(replay.verified);
        assert_int_equal(replay.frames, 21);
        td_close_recording(recording);
        td_destroy_scene(scene);
    }
    unlink(path);
    td_destroy_context(context);
}

static void test_no_memory(void **state) {
    (void)state;
    const char *text = HEAD "{" ROOM ", \"objects\": [{\"circle\": 1, \"position\": [2, 2]}, "
                            "{\"polygon\": [[0, 0], [1, 0], [0, 1]], \"position\": [5, 2]}]}}";
    td_result result = TD_ERROR_MEMORY;
    for (long allowed = 0; result != TD_OK; ++allowed) {
        assert_true(allowed < 2000);
        test_heap heap = {0};
        td_context *context = test_context(&heap);
        td_scene *scene = NULL;
        test_heap_fail(&heap, allowed, LONG_MAX);
        result = test_parse(&scene, context, text);
        assert_true(result == TD_OK || result == TD_ERROR_MEMORY);
        td_destroy_scene(scene);
        td_destroy_context(context);
        assert_int_equal(atomic_load(&heap.blocks), 0);
        assert_int_equal(atomic_load(&heap.mistakes), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
