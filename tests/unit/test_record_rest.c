// Contacts of a world whose bodies fall, come to rest, sleep and are woken: every frame of the recording has
// those that the world had, to the last bit of what is put down, in whatever order frames are read. Frames
// leave out what rests; here is the proof that nothing is lost by it.
#include "io/record_contact.h"
#include "support/random.h"
#include "test_record_support.h"

enum { TEST_MOST_BODIES = 8, TEST_MOST_POINTS = 96, TEST_MOST_FRAMES = 400 };

typedef struct test_moment {
    td_pose poses[TEST_MOST_BODIES];
    bool awake[TEST_MOST_BODIES];
    double speeds[TEST_MOST_BODIES];
    td_recorded_contact contacts[TEST_MOST_POINTS];
    size_t contact_count;
} test_moment;

typedef struct test_history {
    test_moment moments[TEST_MOST_FRAMES];
    uint64_t frames;
    td_scene *scene;
    td_recorder *recorder;
} test_history;

// A pile of three, one beside it, and one on a lift. Where `sleep_time` is less than a step, bodies that are
// woken may sleep again at its end.
static const char test_scene_text[] =
    "{\"tandem\": 1, \"name\": \"rest\", \"parameters\": {\"sleep_time\": 0.25},\n"
    " \"sleep_time\": \"$sleep_time\",\n"
    " \"meshes\": {\"box\": {\"shape\": \"box\"}, \"cow\": {\"shape\": \"cow\", \"fit\": 1},\n"
    "             \"ground\": {\"shape\": \"box\", \"scale\": [20, 1, 20]}},\n"
    " \"bodies\": [{\"name\": \"lift\", \"kind\": \"kinematic\", \"mesh\": \"box\", \"position\": [6, 2, "
    "0]},\n"
    "  {\"name\": \"low\", \"mesh\": \"box\", \"position\": [0, 1.02, 0]},\n"
    "  {\"name\": \"ground\", \"kind\": \"static\", \"mesh\": \"ground\"},\n"
    "  {\"name\": \"middle\", \"mesh\": \"box\", \"position\": [0.25, 2.05, 0.125]},\n"
    "  {\"name\": \"high\", \"mesh\": \"box\", \"position\": [0, 3.1, 0]},\n"
    "  {\"name\": \"cow\", \"mesh\": \"cow\", \"position\": [3, 1.5, 0], \"spin\": [0.5, 1, 2]},\n"
    "  {\"name\": \"lifted\", \"mesh\": \"box\", \"position\": [6, 3.02, 0]}]}";

static void test_look(test_history *history) {
    assert_true(history->frames < TEST_MOST_FRAMES);
    test_moment *moment = &history->moments[history->frames++];
    const td_world *world = td_scene_world(history->scene);
    for (uint32_t i = 0; i < td_body_count(world); ++i) {
        td_body_state body;
        assert_int_equal(td_get_body(&body, world, td_body_at(world, i)), TD_OK);
        moment->poses[i] = body.pose;
        moment->awake[i] = body.kind == TD_BODY_DYNAMIC && body.awake;
        moment->speeds[i] = sqrt(body.velocity[0] * body.velocity[0] + body.velocity[1] * body.velocity[1] +
                                 body.velocity[2] * body.velocity[2]);
    }
    moment->contact_count = td_contact_count(world);
    assert_true(moment->contact_count <= TEST_MOST_POINTS);
    for (size_t i = 0; i < moment->contact_count; ++i) {
        const td_contact contact = td_get_contact(world, i);
        td_recorded_contact *out = &moment->contacts[i];
        // No body was removed: their numbers are those of the recording, and one more.
        *out = (td_recorded_contact){
            .a = contact.a.index - 1, .b = contact.b.index - 1, .impulse = contact.impulse};
        memcpy(out->point, contact.point, sizeof out->point);
        memcpy(out->normal, contact.normal, sizeof out->normal);
    }
}

static test_history *test_begin_history(test_bench *bench, const char *sleep_time) {
    test_history *history = calloc(1, sizeof *history);
    assert_non_null(history);
    const char *parameters[] = {sleep_time};
    td_scene_def def = td_default_scene_def();
    def.parameters = parameters;
    def.parameter_count = 1;
    if (td_parse_scene(&history->scene, bench->context, test_scene_text, strlen(test_scene_text), "rest.json",
                       NULL, &def) != TD_OK ||
        td_create_recorder(&history->recorder, bench->context, history->scene, bench->path, NULL) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    test_look(history);
    return history;
}

// Records a frame after so many steps, `frames` times.
static void test_go_on(test_history *history, int frames, int steps) {
    for (int frame = 0; frame < frames; ++frame) {
        td_step_report report;
        for (int step = 0; step < steps; ++step) {
            assert_int_equal(td_step_scene(&report, history->scene), TD_OK);
        }
        assert_int_equal(td_record_frame(history->recorder, history->scene, &report), TD_OK);
        test_look(history);
    }
}

static td_body_id test_body(const test_history *history, const char *name) {
    td_world *world = td_scene_world(history->scene);
    for (uint32_t i = 0; i < td_body_count(world); ++i) {
        td_body_state body;
        assert_int_equal(td_get_body(&body, world, td_body_at(world, i)), TD_OK);
        if (strcmp(body.name, name) == 0) {
            return td_body_at(world, i);
        }
    }
    fail_msg("no body %s", name);
    return (td_body_id){0};
}

static void test_push(const test_history *history, const char *name, double velocity) {
    assert_int_equal(td_set_body_velocity(td_scene_world(history->scene), test_body(history, name),
                                          (double[3]){0, velocity, 0}, (double[3]){0, 0, 0}),
                     TD_OK);
}

// ---------------------------------------------------------------------------------------------------------
// Looking back

static td_cast test_cast_of(const td_recording *recording, td_context *context) {
    td_cast cast;
    const td_recording_info info = td_recording_about(recording);
    assert_int_equal(td_create_cast(&cast, context, info.bodies, info.meshes), TD_OK);
    for (uint32_t body = 0; body < info.bodies; ++body) {
        const td_recorded_body recorded = td_recording_body(recording, body);
        cast.bodies[body] = (td_cast_body){recorded.kind, recorded.mesh, 0};
    }
    for (uint32_t i = 0; i < info.meshes; ++i) {
        const td_mesh_arrays *mesh = td_recording_mesh(recording, i);
        for (size_t vertex = 0; vertex < mesh->vertex_count; ++vertex) {
            td_extend_box(&cast.boxes[i], mesh->positions + 3 * vertex);
        }
    }
    return cast;
}

static void test_expect_moment(td_recording *recording, const td_cast *cast, const test_moment *moment,
                               uint64_t frame) {
    td_pose poses[TEST_MOST_BODIES];
    td_recorded_motion motions[TEST_MOST_BODIES];
    const td_recorded_contact *found;
    size_t count;
    assert_int_equal(td_read_frame(poses, NULL, recording, frame), TD_OK);
    assert_int_equal(td_read_motions(motions, recording, frame), TD_OK);
    assert_int_equal(td_read_contacts(&found, &count, recording, frame), TD_OK);
    for (uint32_t body = 0; body < cast->body_count; ++body) {
        assert_int_equal(motions[body].awake, moment->awake[body]);
        assert_true(fabs(motions[body].speed - moment->speeds[body]) <= moment->speeds[body] / 256);
    }
    assert_int_equal(count, moment->contact_count);
    for (size_t i = 0; i < count; ++i) {
        const td_grid_contact coded = td_contact_to_grid(&moment->contacts[i], cast, moment->poses);
        const td_recorded_contact wanted = td_contact_from_grid(&coded, cast, poses);
        assert_true(found[i].a == wanted.a && found[i].b == wanted.b && found[i].impulse == wanted.impulse);
        assert_memory_equal(found[i].point, wanted.point, sizeof wanted.point);
        assert_memory_equal(found[i].normal, wanted.normal, sizeof wanted.normal);
    }
}

// How many frames are key frames that need not be, but for their contacts.
static int test_count_extra_keys(const char *path) {
    static size_t offsets[TEST_MOST_FRAMES + 16];
    test_bytes file = test_read_file(path);
    const size_t chunks = test_find_chunks(offsets, TEST_MOST_FRAMES + 16, &file);
    int extra = 0;
    for (size_t i = 0; i < chunks; ++i) {
        const uint8_t *chunk = file.bytes + offsets[i];
        extra += memcmp(chunk, "KEYF", 4) == 0 &&
                 td_load_little(chunk + TD_CHUNK_HEAD_BYTES, 8) % TD_FRAMES_PER_KEY != 0;
    }
    free(file.bytes);
    return extra;
}

// Reads all frames forwards, backwards and at random. Returns how many extra key frames there are.
static int test_end_history(test_bench *bench, test_history *history) {
    assert_int_equal(td_close_recorder(history->recorder, NULL), TD_OK);
    td_recording *recording = test_open(bench);
    td_cast cast = test_cast_of(recording, bench->context);
    const uint64_t frames = history->frames;
    assert_int_equal(td_recording_about(recording).frames, frames);
    assert_true(td_recording_about(recording).complete && !td_recording_about(recording).timed);
    for (uint64_t frame = 0; frame < frames; ++frame) {
        test_expect_moment(recording, &cast, &history->moments[frame], frame);
    }
    for (uint64_t frame = frames; frame-- > 0;) {
        test_expect_moment(recording, &cast, &history->moments[frame], frame);
    }
    test_random random = {7};
    for (int i = 0; i < 300; ++i) {
        const uint64_t frame = (uint64_t)test_random_int(&random, 0, (int)frames - 1);
        test_expect_moment(recording, &cast, &history->moments[frame], frame);
    }
    td_release_cast(&cast, bench->context);
    td_close_recording(recording);
    td_destroy_scene(history->scene);
    free(history);
    return test_count_extra_keys(bench->path);
}

static uint32_t test_awake(const test_history *history) {
    const test_moment *last = &history->moments[history->frames - 1];
    uint32_t count = 0;
    for (int body = 0; body < TEST_MOST_BODIES; ++body) {
        count += last->awake[body];
    }
    return count;
}

static size_t test_touching(const test_history *history) {
    return history->moments[history->frames - 1].contact_count;
}

// ---------------------------------------------------------------------------------------------------------

// One body after the other is woken; the others sleep on or wake by it. The rule that leaves out what rests
// holds: no key frame is needed for it.
static void test_sleep_and_wake(void **state) {
    test_bench *bench = *state;
    test_history *history = test_begin_history(bench, "sleep_time=0.25");
    assert_int_equal(test_awake(history), 5);
    test_go_on(history, 150, 1);
    assert_int_equal(test_awake(history), 0);
    assert_true(test_touching(history) >= 12);
    test_push(history, "high", 2);
    test_go_on(history, 20, 1);
    assert_true(test_awake(history) > 0 && test_awake(history) < 5);
    test_go_on(history, 70, 1);
    assert_int_equal(test_awake(history), 0);
    test_push(history, "lift", -0.5);
    test_go_on(history, 10, 1);
    assert_int_equal(test_awake(history), 1);
    test_push(history, "lift", 0);
    test_push(history, "cow", 3);
    test_go_on(history, 100, 1);
    assert_int_equal(test_end_history(bench, history), 0);
}

// A lift that is put elsewhere leaves the one on it without a hold.
static void test_put_elsewhere(void **state) {
    test_bench *bench = *state;
    test_history *history = test_begin_history(bench, "sleep_time=0.25");
    test_go_on(history, 150, 1);
    assert_int_equal(test_awake(history), 0);
    td_pose pose = td_pose_identity();
    pose.position[0] = -6;
    pose.position[1] = 2;
    assert_int_equal(td_set_body_pose(td_scene_world(history->scene), test_body(history, "lift"), &pose),
                     TD_OK);
    test_go_on(history, 50, 1);
    assert_true(history->moments[160].awake[6]);
    test_end_history(bench, history);
}

// Frames far apart: what wakes may sleep again before the next.
static void test_skipped_steps(void **state) {
    test_bench *bench = *state;
    test_history *history = test_begin_history(bench, "sleep_time=0.05");
    test_go_on(history, 10, 30);
    assert_int_equal(test_awake(history), 0);
    test_push(history, "high", 0.3);
    test_go_on(history, 5, 60);
    assert_int_equal(test_awake(history), 0);
    assert_true(test_end_history(bench, history) >= 1);
}

// Bodies that are woken sleep again at the end of the same step.
static void test_short_sleep(void **state) {
    test_bench *bench = *state;
    test_history *history = test_begin_history(bench, "sleep_time=0.001");
    test_go_on(history, 100, 1);
    for (int i = 0; i < 20; ++i) {
        test_push(history, i % 2 == 0 ? "high" : "low", 0);
        test_go_on(history, 2, 1);
    }
    test_push(history, "middle", 1);
    test_go_on(history, 60, 1);
    assert_true(test_end_history(bench, history) >= 1);
}

// After a step that failed the world has forgotten its contacts, those of bodies that sleep, too.
static void test_failed_step(void **state) {
    test_bench *bench = *state;
    test_history *history = test_begin_history(bench, "sleep_time=0.25");
    test_go_on(history, 150, 1);
    assert_int_equal(test_awake(history), 0);
    td_step_report report;
    test_push(history, "cow", 1e25);
    assert_int_equal(td_step_scene(&report, history->scene), TD_ERROR_NUMBERS);
    test_push(history, "cow", 0);
    test_go_on(history, 40, 1);
    assert_int_equal(test_end_history(bench, history), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sleep_and_wake), cmocka_unit_test(test_put_elsewhere),
        cmocka_unit_test(test_skipped_steps), cmocka_unit_test(test_short_sleep),
        cmocka_unit_test(test_failed_step)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
