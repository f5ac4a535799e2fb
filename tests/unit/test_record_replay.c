// Recordings of real scenes: they hold what the world held, and run again to the same bits.
#include "support/heap.h"
#include "test_record_support.h"

enum { TEST_STEPS = 80, TEST_MOST_BODIES = 8 };

// Falls on the ground, one turning; a third body moves along.
static const char test_scene_text[] =
    "{\"tandem\": 1, \"name\": \"two\", \"step\": 0.0166, \"steps\": 80,\n"
    " \"meshes\": {\"box\": {\"shape\": \"box\"}, \"ground\": {\"shape\": \"box\", \"scale\": [10, 1, "
    "10]}},\n"
    " \"bodies\": [{\"name\": \"ground\", \"kind\": \"static\", \"mesh\": \"ground\"},\n"
    "  {\"name\": \"first\", \"mesh\": \"box\", \"position\": [0, 1.25, 0]},\n"
    "  {\"name\": \"second\", \"mesh\": \"box\", \"position\": [0.25, 2.5, 0.125], \"spin\": [0.5, 1, 2]},\n"
    "  {\"name\": \"mover\", \"kind\": \"kinematic\", \"mesh\": \"box\", \"position\": [3, 3, 0],"
    " \"velocity\": [0.1, 0, 0]}]}";

static td_scene *test_scene(td_context *context) {
    td_scene *scene = NULL;
    const td_scene_def def = td_default_scene_def();
    if (td_parse_scene(&scene, context, test_scene_text, strlen(test_scene_text), "two.json", NULL, &def) !=
        TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return scene;
}

// Records the scene; `poses` gets those of every frame.
static uint64_t test_record_scene(test_bench *bench, td_pose (*poses)[TEST_MOST_BODIES]) {
    td_scene *scene = test_scene(bench->context);
    td_world *world = td_scene_world(scene);
    td_recorder *recorder = NULL;
    assert_int_equal(td_create_recorder(&recorder, bench->context, scene, bench->path, NULL), TD_OK);
    for (int frame = 0; frame <= TEST_STEPS; ++frame) {
        for (uint32_t i = 0; poses != NULL && i < td_body_count(world); ++i) {
            td_body_state body;
            assert_int_equal(td_get_body(&body, world, td_body_at(world, i)), TD_OK);
            poses[frame][i] = body.pose;
        }
        td_step_report report;
        if (frame < TEST_STEPS) {
            assert_int_equal(td_step_scene(&report, scene), TD_OK);
            assert_int_equal(td_record_frame(recorder, scene, &report), TD_OK);
        }
    }
    uint64_t hash;
    assert_int_equal(td_close_recorder(recorder, &hash), TD_OK);
    td_destroy_scene(scene);
    return hash;
}

static void test_holds_the_world(void **state) {
    test_bench *bench = *state;
    static td_pose poses[TEST_STEPS + 1][TEST_MOST_BODIES];
    const uint64_t hash = test_record_scene(bench, poses);
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    assert_string_equal(info.scene, "two");
    assert_int_equal(info.bodies, 4);
    assert_int_equal(info.meshes, 2);
    assert_int_equal(info.frames, TEST_STEPS + 1);
    assert_int_equal(info.hash, hash);
    assert_true(info.complete && info.step == 0.0166);
    static const char *const names[] = {"ground", "first", "second", "mover"};
    for (uint32_t i = 0; i < info.bodies; ++i) {
        const td_recorded_body body = td_recording_body(recording, i);
        assert_string_equal(body.name, names[i]);
        assert_string_equal(td_recording_mesh_name(recording, body.mesh), i == 0 ? "ground" : "box");
    }
    assert_int_equal(td_recording_body(recording, 0).kind, TD_BODY_STATIC);
    assert_int_equal(td_recording_body(recording, 3).kind, TD_BODY_KINEMATIC);
    const double unit = td_recording_grid(recording).unit;
    assert_true(unit <= 1e-6 * 15); // the ground's diagonal is 14 m
    for (uint64_t frame = 0; frame < info.frames; ++frame) {
        td_pose found[TEST_MOST_BODIES];
        td_frame_numbers numbers;
        assert_int_equal(td_read_frame_numbers(found, &numbers, recording, frame), TD_OK);
        assert_int_equal(numbers.steps, frame);
        assert_true(fabs(numbers.time - 0.0166 * (double)frame) < 1e-9);
        for (uint32_t i = 0; i < info.bodies; ++i) {
            for (int k = 0; k < 3; ++k) {
                assert_true(fabs(found[i].position[k] - poses[frame][i].position[k]) <= 0.5001 * unit);
            }
            assert_true(test_angle(found[i].rotation, poses[frame][i].rotation) < 1.9e-5);
        }
    }
    td_close_recording(recording);
}

// ---------------------------------------------------------------------------------------------------------
// Replays

static void test_expect_replay(td_context *context, const char *path, const td_scene_def *def,
                               uint64_t frames, uint64_t different) {
    td_recording *recording = NULL;
    td_replay_result result;
    assert_int_equal(td_open_recording(&recording, context, path), TD_OK);
    const td_result replayed = def != NULL ? td_replay_recording_with(&result, recording, def, NULL, NULL)
                                           : td_replay_recording(&result, recording, NULL, NULL);
    if (replayed != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    assert_int_equal(result.verified, different == UINT64_MAX);
    assert_int_equal(result.frames, frames);
    if (result.verified) {
        assert_int_equal(result.hash, td_recording_about(recording).hash);
    } else {
        assert_int_equal(result.first_different, different);
    }
    td_close_recording(recording);
}

static void test_verified(void **state) {
    test_bench *bench = *state;
    test_record_scene(bench, NULL);
    test_expect_replay(bench->context, bench->path, NULL, TEST_STEPS + 1, UINT64_MAX);
    td_scene_def def = td_default_scene_def();
    def.strategy = "stack";
    def.volume = TD_VOLUME_OBB;
    test_expect_replay(bench->context, bench->path, &def, TEST_STEPS + 1, UINT64_MAX);
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        td_context_def other = td_default_context_def();
        other.thread_count = threads;
        other.isa = TD_ISA_SCALAR;
        td_context *context = NULL;
        assert_int_equal(td_create_context(&context, &other), TD_OK);
        test_expect_replay(context, bench->path, NULL, TEST_STEPS + 1, UINT64_MAX);
        td_destroy_context(context);
    }
}

// Cut off in the middle: what is left is verified.
static void test_verified_when_cut(void **state) {
    test_bench *bench = *state;
    test_record_scene(bench, NULL);
    test_bytes file = test_read_file(bench->path);
    size_t offsets[TEST_STEPS + 16] = {0};
    test_find_chunks(offsets, TEST_STEPS + 16, &file);
    const size_t frame_0 = 5; // behind INFO, SCEN, two MESH, BODY
    assert_int_equal(truncate(bench->path, (off_t)offsets[frame_0 + 30] + 10), 0);
    test_expect_replay(bench->context, bench->path, NULL, 30, UINT64_MAX);
    free(file.bytes);
}

// A hash that is not that of the state, with its checksum made right.
static void test_tampered(void **state) {
    test_bench *bench = *state;
    test_record_scene(bench, NULL);
    test_bytes file = test_read_file(bench->path);
    size_t offsets[TEST_STEPS + 16] = {0};
    test_find_chunks(offsets, TEST_STEPS + 16, &file);
    uint8_t *chunk = file.bytes + offsets[5 + 20];
    const size_t size = offsets[5 + 21] - offsets[5 + 20] - TD_CHUNK_SUM_BYTES;
    assert_int_equal(td_load_little(chunk + TD_CHUNK_HEAD_BYTES, 8), 20);
    chunk[TD_CHUNK_HEAD_BYTES + 16] ^= 1u;
    td_crc_tables tables;
    td_fill_crc_tables(&tables);
    td_store_little(chunk + size, td_crc32(&tables, 0, chunk, size), TD_CHUNK_SUM_BYTES);
    test_write_file(bench->path, file.bytes, file.size);
    test_expect_replay(bench->context, bench->path, NULL, 21, 20);
    free(file.bytes);
}

static bool test_stop_at_30(uint64_t done, uint64_t total, void *user) {
    assert_int_equal(total, TEST_STEPS + 1);
    assert_true(done >= *(uint64_t *)user && done <= total);
    *(uint64_t *)user = done;
    return done < 30;
}

static void test_cancelled(void **state) {
    test_bench *bench = *state;
    test_record_scene(bench, NULL);
    td_recording *recording = test_open(bench);
    td_replay_result result;
    uint64_t last = 0;
    test_expect_sentence(td_replay_recording(&result, recording, test_stop_at_30, &last), TD_ERROR_CANCELLED,
                         "frame 30 of 81");
    assert_false(result.verified);
    assert_int_equal(last, 30);
    td_close_recording(recording);
}

// A text that is no scene: the one of the small recording.
static void test_no_scene(void **state) {
    test_bench *bench = *state;
    test_record(bench->context, bench->path, 3, false);
    td_recording *recording = test_open(bench);
    td_replay_result result;
    test_expect_sentence(td_replay_recording(&result, recording, NULL, NULL), TD_ERROR_FORMAT, bench->path);
    test_expect_sentence(td_replay_recording(NULL, recording, NULL, NULL), TD_ERROR_ARGUMENT, "output");
    td_close_recording(recording);
}

// ---------------------------------------------------------------------------------------------------------
// What cannot be recorded

static void test_bodies_that_go(void **state) {
    test_bench *bench = *state;
    td_scene *scene = test_scene(bench->context);
    td_recorder *recorder = NULL;
    td_step_report report;
    assert_int_equal(td_create_recorder(&recorder, bench->context, scene, bench->path, NULL), TD_OK);
    assert_int_equal(td_step_scene(&report, scene), TD_OK);
    test_expect_sentence(td_record_frame(recorder, scene, NULL), TD_ERROR_ARGUMENT, "report");
    td_world *world = td_scene_world(scene);
    assert_int_equal(td_remove_body(world, td_body_at(world, 3)), TD_OK);
    test_expect_sentence(td_record_frame(recorder, scene, &report), TD_ERROR_ARGUMENT, "come or go");
    assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
    td_recording *recording = test_open(bench);
    assert_int_equal(td_recording_about(recording).frames, 1);
    td_close_recording(recording);
    td_destroy_scene(scene);
}

static void test_failing_allocations(void **state) {
    test_bench *bench = *state;
    static test_heap heap;
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = test_heap_allocator(&heap);
    td_context *context = NULL;
    test_heap_recover(&heap);
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_scene *scene = test_scene(bench->context);
    const long blocks = atomic_load(&heap.blocks);
    long at = 0;
    for (bool reached = true; reached; ++at) {
        test_heap_fail(&heap, at, at + 1);
        td_recorder *recorder = NULL;
        td_result result = td_create_recorder(&recorder, context, scene, bench->path, NULL);
        if (result == TD_OK) {
            result = td_close_recorder(recorder, NULL);
        }
        reached = atomic_load(&heap.failures) > 0;
        test_heap_recover(&heap);
        assert_int_equal(atomic_load(&heap.blocks), blocks);
        assert_int_equal(result, reached ? TD_ERROR_MEMORY : TD_OK);
    }
    assert_true(at >= 8);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
    td_destroy_scene(scene);
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_the_world),   cmocka_unit_test(test_verified),
        cmocka_unit_test(test_verified_when_cut), cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_cancelled),         cmocka_unit_test(test_no_scene),
        cmocka_unit_test(test_bodies_that_go),    cmocka_unit_test(test_failing_allocations)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
