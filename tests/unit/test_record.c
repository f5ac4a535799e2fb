// Recordings without a scene behind them: what is put down comes back, within the precision that is promised,
// in whatever order it is asked for. What happens to damaged files is in test_record_damage.c.
#include "io/record_frame.h"
#include "support/random.h"
#include "test_record_support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------------
// Whole recordings

static void test_expect_motions(td_recording *recording, uint64_t frame) {
    td_recorded_motion found[TEST_BODIES];
    const test_frame wanted = test_make_frame(frame);
    assert_int_equal(td_read_motions(found, recording, frame), TD_OK);
    for (int body = 0; body < TEST_BODIES; ++body) {
        const double speed = wanted.motions[body].speed;
        assert_true(fabs(found[body].speed - speed) <= speed / 256);
        assert_int_equal(found[body].awake, wanted.motions[body].awake);
    }
}

static void test_expect_contacts(td_recording *recording, uint64_t frame) {
    const td_recorded_contact *found;
    size_t count;
    const test_frame wanted = test_make_frame(frame);
    assert_int_equal(td_read_contacts(&found, &count, recording, frame), TD_OK);
    assert_int_equal(count, wanted.contact_count);
    for (size_t i = 0; i < count; ++i) {
        const td_recorded_contact *contact = &wanted.contacts[i];
        const double sign = contact->a < contact->b ? 1 : -1;
        assert_int_equal(found[i].a, sign > 0 ? contact->a : contact->b);
        assert_int_equal(found[i].b, sign > 0 ? contact->b : contact->a);
        assert_true(fabs(found[i].impulse - contact->impulse) <= contact->impulse / 256);
        double along = 0;
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs(found[i].point[k] - contact->point[k]) < 1.1e-3); // of 1.4 m
            along += sign * found[i].normal[k] * contact->normal[k];
        }
        assert_true(along > 0.9998); // 1.1 degrees
    }
}

static void test_expect_report(td_recording *recording, uint64_t frame) {
    td_step_report found;
    const td_frame_numbers wanted = test_numbers(frame);
    assert_int_equal(td_read_report(&found, recording, frame), TD_OK);
    if (frame == 0) {
        const td_step_report none = {0};
        assert_memory_equal(&found, &none, sizeof none);
        return;
    }
    assert_int_equal(found.step, frame - 1);
    assert_int_equal(found.bodies, TEST_BODIES);
    assert_true(found.time == wanted.time && found.kinetic_energy == wanted.kinetic_energy &&
                found.potential_energy == wanted.potential_energy && found.residual == wanted.residual &&
                found.penetration == wanted.penetration);
    assert_true(found.awake == wanted.awake && found.islands == wanted.islands &&
                found.passes == wanted.passes && found.colours == wanted.colours);
    assert_true(found.broad_pairs == wanted.broad_pairs && found.colliding_pairs == wanted.colliding_pairs &&
                found.faces == wanted.faces && found.regions == wanted.regions &&
                found.contacts == wanted.contacts && found.stopped_bodies == wanted.stopped_bodies);
    const bool timed = td_recording_about(recording).timed;
    const double ms = timed ? (double)frame : 0, more = timed ? 0.5 : 0;
    assert_true(found.total_ms == ms && found.broad_ms == ms + more && found.traversal_ms == ms + 2 * more &&
                found.contacts_ms == ms + 3 * more && found.solver_ms == ms + 4 * more &&
                found.copy_ms == ms + 5 * more && found.kernel_ms == ms + 6 * more);
}

static void test_expect_frame(td_recording *recording, uint64_t frame) {
    td_pose poses[TEST_BODIES], wanted[TEST_BODIES];
    td_frame_numbers numbers;
    uint64_t hash;
    assert_int_equal(td_read_frame(poses, &hash, recording, frame), TD_OK);
    assert_int_equal(td_read_frame_numbers(NULL, &numbers, recording, frame), TD_OK);
    assert_int_equal(hash, test_hash(frame));
    assert_int_equal(td_recording_hash(recording, frame), test_hash(frame));
    const td_frame_numbers expected =
        frame > 0 ? test_numbers(frame) : (td_frame_numbers){.hash = test_hash(0)};
    assert_memory_equal(&numbers, &expected, sizeof numbers);
    test_poses(wanted, frame);
    const double unit = td_recording_grid(recording).unit;
    for (int body = 0; body < TEST_BODIES; ++body) {
        for (int k = 0; k < 3; ++k) {
            const double most = 0.5 * unit + fabs(wanted[body].position[k]) * 0x1p-51;
            assert_true(fabs(poses[body].position[k] - wanted[body].position[k]) <= most);
        }
        assert_true(test_angle(poses[body].rotation, wanted[body].rotation) < 1.9e-5);
    }
    test_expect_motions(recording, frame);
    test_expect_contacts(recording, frame);
    test_expect_report(recording, frame);
}

static void test_expect_missing_arguments(td_recording *recording) {
    td_recorded_motion motions[TEST_BODIES];
    td_step_report report;
    const td_recorded_contact *contacts;
    size_t count;
    const uint64_t frames = td_recording_about(recording).frames;
    test_expect_sentence(td_read_motions(NULL, recording, 0), TD_ERROR_ARGUMENT, "output");
    test_expect_sentence(td_read_contacts(&contacts, NULL, recording, 0), TD_ERROR_ARGUMENT, "count");
    test_expect_sentence(td_read_report(NULL, recording, 0), TD_ERROR_ARGUMENT, "output");
    test_expect_sentence(td_read_report(&report, NULL, 0), TD_ERROR_ARGUMENT, "recording");
    test_expect_sentence(td_read_motions(motions, recording, frames), TD_ERROR_ARGUMENT, "no frame");
    test_expect_sentence(td_read_contacts(&contacts, &count, recording, frames), TD_ERROR_ARGUMENT,
                         "no frame");
    assert_true(contacts == NULL && count == 0);
}

static void test_round_trip(void **state) {
    test_bench *bench = *state;
    const uint64_t frames = 150;
    const uint64_t hash = test_record(bench->context, bench->path, frames, true);
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    assert_string_equal(info.scene, "test");
    assert_true(info.step == 0.25);
    assert_int_equal(info.bodies, TEST_BODIES);
    assert_int_equal(info.meshes, 1);
    assert_int_equal(info.frames, frames);
    assert_true(info.complete);
    assert_true(info.timed);
    assert_int_equal(info.lost_bytes, 0);
    assert_int_equal(info.hash, hash);
    uint64_t sum = TD_FNV_START;
    for (uint64_t frame = 0; frame < frames; ++frame) {
        sum = td_fnv_add(sum, test_hash(frame));
    }
    assert_int_equal(hash, sum);
    assert_string_equal(td_recording_text(recording), "{\"a\": 1}");
    assert_string_equal(td_recording_version(recording), td_version());
    assert_string_equal(td_recording_path(recording), bench->path);
    assert_string_equal(td_recording_body(recording, 0).name, "ground");
    assert_string_equal(td_recording_body(recording, 2).name, "");
    assert_int_equal(td_recording_body(recording, 3).kind, TD_BODY_KINEMATIC);
    assert_int_equal(td_recording_body(recording, 3).mesh, 0);
    for (uint64_t frame = 0; frame < frames; ++frame) {
        test_expect_frame(recording, frame);
    }
    // The box of the start is 10 by 1 by 0.1 m.
    assert_true(td_recording_grid(recording).unit <= 1e-5);
    td_pose poses[TEST_BODIES];
    test_expect_sentence(td_read_frame(poses, NULL, recording, frames), TD_ERROR_ARGUMENT, "no frame 150");
    test_expect_missing_arguments(recording);
    td_close_recording(recording);
}

// Any order gives the same bits as one after the other.
static void test_seeking(void **state) {
    test_bench *bench = *state;
    enum { FRAMES = 200 };
    static td_pose all[FRAMES][TEST_BODIES];
    test_record(bench->context, bench->path, FRAMES, false);
    td_recording *recording = test_open(bench);
    for (uint64_t frame = 0; frame < FRAMES; ++frame) {
        assert_int_equal(td_read_frame(all[frame], NULL, recording, frame), TD_OK);
    }
    test_random random = {3};
    for (int i = 0; i < 500; ++i) {
        td_pose poses[TEST_BODIES];
        uint64_t hash;
        const uint64_t frame = (uint64_t)test_random_int(&random, 0, FRAMES - 1);
        assert_int_equal(td_read_frame(poses, &hash, recording, frame), TD_OK);
        assert_int_equal(hash, test_hash(frame));
        assert_memory_equal(poses, all[frame], sizeof poses);
        test_expect_frame(recording, frame);
    }
    td_close_recording(recording);
}

// Key frames are where they should be, and where contacts of bodies at rest changed: at 70.
static void test_kinds_of_frames(void **state) {
    test_bench *bench = *state;
    enum { FRAMES = 150, HEADER = 4 };
    size_t offsets[2 * FRAMES + 8];
    test_record(bench->context, bench->path, FRAMES, true);
    test_bytes file = test_read_file(bench->path);
    assert_int_equal(test_find_chunks(offsets, 2 * FRAMES + 8, &file), HEADER + 2 * FRAMES - 1 + 1);
    for (size_t frame = 0; frame < FRAMES; ++frame) {
        const size_t chunk = HEADER + (frame == 0 ? 0 : 2 * frame - 1);
        const bool key = frame % 64 == 0 || frame == 70;
        assert_memory_equal(file.bytes + offsets[chunk], key ? "KEYF" : "FRAM", 4);
        if (frame > 0) {
            assert_memory_equal(file.bytes + offsets[chunk + 1], "TIME", 4);
        }
    }
    free(file.bytes);
}

static void test_mesh_bits(void **state) {
    test_bench *bench = *state;
    // One that float32 holds, one that it does not.
    td_mesh *meshes[2] = {NULL, test_tetrahedron(bench->context)};
    assert_int_equal(td_create_shape(&meshes[0], bench->context, "box", 1), TD_OK);
    const td_record_mesh named[2] = {{"box", meshes[0]}, {"tetrahedron", meshes[1]}};
    const td_record_content content = {.scene = "", .text = "", .step = 1, .meshes = named, .mesh_count = 2};
    td_recorder *recorder = NULL;
    assert_int_equal(
        td_begin_recorder(&recorder, bench->context, bench->path, &content, &(td_recorded_state){0}, 0),
        TD_OK);
    assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
    td_recording *recording = test_open(bench);
    for (uint32_t i = 0; i < 2; ++i) {
        const td_mesh_arrays *arrays = td_recording_mesh(recording, i);
        assert_string_equal(td_recording_mesh_name(recording, i), named[i].name);
        assert_int_equal(arrays->single_precision, i == 0);
        assert_int_equal(arrays->vertex_count, td_mesh_vertex_count(meshes[i]));
        assert_int_equal(arrays->triangle_count, td_mesh_triangle_count(meshes[i]));
        for (uint32_t vertex = 0; vertex < arrays->vertex_count; ++vertex) {
            double at[3];
            td_mesh_vertex(at, meshes[i], vertex);
            assert_memory_equal(at, arrays->positions + 3 * (size_t)vertex, sizeof at);
        }
        for (uint32_t triangle = 0; triangle < arrays->triangle_count; ++triangle) {
            uint32_t corners[3];
            td_mesh_triangle(corners, meshes[i], triangle);
            assert_memory_equal(corners, arrays->triangles + 3 * (size_t)triangle, sizeof corners);
        }
        td_destroy_mesh(meshes[i]);
    }
    assert_int_equal(td_recording_about(recording).bodies, 0);
    assert_int_equal(td_recording_about(recording).frames, 1);
    td_close_recording(recording);
}

// A body that rests costs nothing between key frames, and one that creeps a few bytes.
static void test_size_of_frames(void **state) {
    test_bench *bench = *state;
    td_mesh *mesh = test_tetrahedron(bench->context);
    const td_record_content content = test_content(mesh);
    td_pose poses[TEST_BODIES];
    const td_recorded_state posed = {.poses = poses}; // nothing else
    td_recorder *recorder = NULL;
    test_poses(poses, 0);
    assert_int_equal(td_begin_recorder(&recorder, bench->context, bench->path, &content, &posed, 0), TD_OK);
    struct stat status;
    off_t before = 0;
    for (uint64_t frame = 1; frame <= 64; ++frame) {
        assert_int_equal(stat(bench->path, &status), 0); // each frame is in the file at once
        before = status.st_size;
        poses[1].position[0] += frame >= 32 ? 1e-4 : 0;
        const td_frame_numbers numbers = test_numbers(frame);
        assert_int_equal(td_record_state(recorder, &posed, &numbers), TD_OK);
        assert_int_equal(stat(bench->path, &status), 0);
        const off_t bodies = status.st_size - before - TD_CHUNK_EXTRA_BYTES - TD_FRAME_HEAD_BYTES;
        if (frame < 32) {
            assert_int_equal(bodies, 0);
        } else if (frame < 64) {
            assert_in_range(bodies, 7, 8);
        } else {
            assert_in_range(bodies, TEST_BODIES * 7, TEST_BODIES * 20);
        }
    }
    assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
    td_destroy_mesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------
// Errors of the writer

static void test_full_disk(void **state) {
    test_bench *bench = *state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: there is no /dev/full\n");
        return;
    }
    td_mesh *mesh = test_tetrahedron(bench->context);
    test_expect_sentence(test_try_record(bench->context, mesh, "/dev/full", 3, false, NULL), TD_ERROR_FILE,
                         "/dev/full: could not be written");
    td_destroy_mesh(mesh);
}

// The disk fills up within a frame, as far as the file can tell: the frames before stay, the recorder refuses
// more, and the recording says that it has no end.
static void test_disk_fills_up(void **state) {
    test_bench *bench = *state;
    td_mesh *mesh = test_tetrahedron(bench->context);
    td_recorder *recorder = NULL;
    assert_int_equal(test_begin(&recorder, bench->context, mesh, bench->path), TD_OK);
    struct stat status;
    assert_int_equal(stat(bench->path, &status), 0);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {(rlim_t)status.st_size + 50, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const td_result result = test_record_next(recorder, 1, true);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    test_expect_sentence(result, TD_ERROR_FILE, bench->path);
    test_expect_sentence(test_record_next(recorder, 1, true), TD_ERROR_FILE, "no more frames");
    test_expect_sentence(td_close_recorder(recorder, NULL), TD_ERROR_FILE, "not complete");
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    assert_int_equal(info.frames, 1);
    assert_int_equal(info.lost_bytes, 0);
    assert_false(info.complete);
    test_expect_frame(recording, 0);
    td_close_recording(recording);
    td_destroy_mesh(mesh);
}

static void test_bad_paths(void **state) {
    test_bench *bench = *state;
    td_mesh *mesh = test_tetrahedron(bench->context);
    test_expect_sentence(test_try_record(bench->context, mesh, bench->folder, 3, false, NULL), TD_ERROR_FILE,
                         bench->folder);
    td_recording *recording = NULL;
    unlink(bench->path);
    test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FILE,
                         bench->path);
    test_expect_sentence(td_open_recording(&recording, bench->context, bench->folder), TD_ERROR_FILE,
                         "no regular file");
    assert_int_equal(mkfifo(bench->path, 0600), 0);
    test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FILE,
                         "no regular file");
    unlink(bench->path);
    test_expect_sentence(td_open_recording(NULL, bench->context, bench->path), TD_ERROR_ARGUMENT, "output");
    assert_null(recording);
    td_close_recording(NULL);
    test_expect_sentence(td_close_recorder(NULL, NULL), TD_ERROR_ARGUMENT, "recorder");
    td_destroy_mesh(mesh);
}

// A frame that is refused leaves no trace: the recording goes on.
static void test_refused_frames(void **state) {
    test_bench *bench = *state;
    td_mesh *mesh = test_tetrahedron(bench->context);
    td_recorder *recorder = NULL;
    assert_int_equal(test_begin(&recorder, bench->context, mesh, bench->path), TD_OK);
    td_frame_numbers numbers = test_numbers(1);
    test_frame frame = test_make_frame(1);
    td_recorded_state bad = test_state(&frame, false);
    frame.poses[2].position[1] = NAN;
    test_expect_sentence(td_record_state(recorder, &bad, &numbers), TD_ERROR_POSE, "frame 1, body 2");
    frame = test_make_frame(1);
    frame.contacts[1].b = TEST_BODIES;
    test_expect_sentence(td_record_state(recorder, &bad, &numbers), TD_ERROR_ARGUMENT, "contact 1");
    frame.contacts[1].b = 0;
    test_expect_sentence(td_record_state(recorder, &bad, &numbers), TD_ERROR_ARGUMENT, "no pair");
    frame = test_make_frame(1);
    frame.contacts[0].b = 3;
    test_expect_sentence(td_record_state(recorder, &bad, &numbers), TD_ERROR_ARGUMENT, "order");
    frame = test_make_frame(1);
    numbers.steps = 0;
    test_expect_sentence(td_record_state(recorder, &bad, &numbers), TD_ERROR_ARGUMENT, "step 0");
    assert_int_equal(test_record_next(recorder, 1, false), TD_OK);
    assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
    td_recording *recording = test_open(bench);
    assert_int_equal(td_recording_about(recording).frames, 2);
    assert_true(td_recording_about(recording).complete);
    test_expect_frame(recording, 1);
    td_close_recording(recording);
    td_destroy_mesh(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_seeking),
        cmocka_unit_test(test_mesh_bits),      cmocka_unit_test(test_kinds_of_frames),
        cmocka_unit_test(test_size_of_frames), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_disk_fills_up),  cmocka_unit_test(test_bad_paths),
        cmocka_unit_test(test_refused_frames)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
