// Recordings without a scene behind them: what is put down comes back, within the precision that is promised,
// in whatever order it is asked for. What happens to damaged files is in test_record_damage.c.
#include "io/record_frame.h"
#include "support/random.h"
#include "test_record_support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------------
// Bytes

static uint32_t test_slow_crc(const uint8_t *bytes, size_t size) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * size; ++i) {
        const uint32_t bit = (crc ^ (uint32_t)bytes[i / 8] >> i % 8) & 1u;
        crc = crc >> 1 ^ (bit != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

static void test_checksums(void **state) {
    (void)state;
    td_crc_tables tables;
    td_fill_crc_tables(&tables);
    assert_int_equal(td_crc32(&tables, 0, "123456789", 9), 0xcbf43926u); // the check value of the catalogue
    assert_int_equal(td_fnv_add(TD_FNV_START, 0x0123456789abcdefu), 0x37eb3f3347761c55u);
    test_random random = {1};
    uint8_t bytes[100];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)test_random_bits(&random);
    }
    for (size_t from = 0; from < 10; ++from) {
        for (size_t to = from; to < sizeof bytes; ++to) {
            const uint32_t whole = td_crc32(&tables, 0, bytes + from, to - from);
            assert_int_equal(whole, test_slow_crc(bytes + from, to - from));
            const size_t middle = from + (to - from) / 3;
            const uint32_t first = td_crc32(&tables, 0, bytes + from, middle - from);
            assert_int_equal(td_crc32(&tables, first, bytes + middle, to - middle), whole);
        }
    }
}

static void test_numbers_as_bytes(void **state) {
    td_context *context = ((test_bench *)*state)->context;
    static const int64_t numbers[] = {
        0, 1, -1, 63, 64, -64, -65, 8191, 8192, INT64_C(1) << 52, -(INT64_C(1) << 52)};
    td_byte_writer writer = {.context = context};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const size_t before = writer.bytes.count;
        td_put_signed(&writer, numbers[i]);
        assert_true(writer.bytes.count - before <= TD_VARINT_MOST);
        assert_int_equal(writer.bytes.count - before == 1, numbers[i] >= -64 && numbers[i] < 64);
    }
    td_put_f64(&writer, -0.1);
    td_put_text(&writer, "text", 4);
    td_put_text(&writer, "a\0b", 3);
    td_byte_reader reader = td_read_bytes_of(&writer.bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        assert_int_equal(td_take_signed(&reader), numbers[i]);
    }
    assert_true(td_take_f64(&reader) == -0.1);
    size_t length;
    assert_string_equal(td_take_text(&reader, &length), "text");
    assert_int_equal(length, 4);
    assert_false(reader.failed);
    td_take_text(&reader, &length); // a text with a zero inside is none
    assert_true(reader.failed);
    static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    reader = (td_byte_reader){.at = endless, .end = endless + sizeof endless};
    td_take_varint(&reader);
    assert_true(reader.failed);
    td_array_release(context, &writer.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Precision

static void test_precision(void **state) {
    (void)state;
    static const double centres[] = {0, 0.3, -1e3, 6.4e6, 1e12};
    static const double sizes[] = {1e-6, 1, 50, 1e4};
    test_random random = {2};
    for (size_t c = 0; c < sizeof centres / sizeof *centres; ++c) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            double lower[3], upper[3];
            for (int k = 0; k < 3; ++k) {
                lower[k] = centres[c] - sizes[s];
                upper[k] = centres[c] + sizes[s];
            }
            const double diagonal = sqrt(12) * sizes[s];
            const td_pose_grid grid = td_choose_grid(lower, upper, 0);
            const td_pose_grid fine = td_choose_grid(lower, upper, 1e-3 * sizes[s]);
            int exponent;
            assert_true(frexp(grid.unit, &exponent) == 0.5);
            const double rounding = fabs(centres[c]) * 0x1p-52; // of the box itself
            assert_true(grid.unit <= 1e-6 * diagonal + rounding && grid.unit >= 0.4e-6 * diagonal - rounding);
            assert_true(fine.unit <= 1e-3 * sizes[s] * 0x1p-15);
            for (int i = 0; i < 200; ++i) {
                // Ten times beyond the box as well: what falls off must not lose its precision.
                const td_pose pose = test_random_pose(&random, 10 * sizes[s]);
                td_pose moved = pose;
                for (int k = 0; k < 3; ++k) {
                    moved.position[k] += centres[c];
                }
                const td_grid_pose coded = td_pose_to_grid(&moved, &grid);
                const td_pose back = td_pose_from_grid(&coded, &grid);
                const double most = 0.5 * grid.unit + (fabs(centres[c]) + 10 * sizes[s]) * 0x1p-51;
                for (int k = 0; k < 3; ++k) {
                    assert_true(fabs(back.position[k] - moved.position[k]) <= most);
                }
                assert_true(test_angle(back.rotation, pose.rotation) < 1.9e-5);
                assert_int_equal(td_check_pose(&back), TD_OK);
            }
        }
    }
}

// Rotations where the components tie, and those by nothing, which come back as they are.
static void test_special_rotations(void **state) {
    (void)state;
    const td_pose_grid grid = {{0, 0, 0}, 1};
    for (int i = 0; i < 81; ++i) {
        td_pose pose = td_pose_identity();
        double square = 0;
        for (int k = 0, rest = i; k < 4; ++k, rest /= 3) {
            pose.rotation[k] = rest % 3 - 1;
            square += pose.rotation[k] * pose.rotation[k];
        }
        for (int k = 0; k < 4 && square > 0; ++k) {
            pose.rotation[k] /= sqrt(square);
        }
        if (square > 0) {
            const td_grid_pose coded = td_pose_to_grid(&pose, &grid);
            const td_pose back = td_pose_from_grid(&coded, &grid);
            assert_true(test_angle(back.rotation, pose.rotation) < 1.9e-5);
        }
        if (square == 1) {
            const td_grid_pose coded = td_pose_to_grid(&pose, &grid);
            const td_pose back = td_pose_from_grid(&coded, &grid);
            for (int k = 0; k < 4; ++k) {
                assert_true(fabs(back.rotation[k]) == fabs(pose.rotation[k]));
            }
        }
    }
}

static void test_odd_boxes(void **state) {
    (void)state;
    static const double zero[3], huge[3] = {1e300, 1e300, 1e300}, low[3] = {-1e300, -1e300, -1e300};
    const td_pose_grid point = td_choose_grid(zero, zero, 0), all = td_choose_grid(low, huge, 1);
    assert_true(point.unit > 0 && point.origin[0] == 0);
    assert_true(all.unit > 0 && isfinite(all.unit) && all.origin[1] == 0);
}

// ---------------------------------------------------------------------------------------------------------
// Whole recordings

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
}

static void test_round_trip(void **state) {
    test_bench *bench = *state;
    const uint64_t frames = 150;
    const uint64_t hash = test_record(bench->context, bench->path, frames);
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    assert_string_equal(info.scene, "test");
    assert_true(info.step == 0.25);
    assert_int_equal(info.bodies, TEST_BODIES);
    assert_int_equal(info.meshes, 1);
    assert_int_equal(info.frames, frames);
    assert_true(info.complete);
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
    td_close_recording(recording);
}

// Any order gives the same bits as one after the other.
static void test_seeking(void **state) {
    test_bench *bench = *state;
    enum { FRAMES = 200 };
    static td_pose all[FRAMES][TEST_BODIES];
    test_record(bench->context, bench->path, FRAMES);
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
    }
    td_close_recording(recording);
}

static void test_mesh_bits(void **state) {
    test_bench *bench = *state;
    // One that float32 holds, one that it does not.
    td_mesh *meshes[2] = {NULL, test_tetrahedron(bench->context)};
    assert_int_equal(td_create_shape(&meshes[0], bench->context, "box", 1), TD_OK);
    const td_record_mesh named[2] = {{"box", meshes[0]}, {"tetrahedron", meshes[1]}};
    const td_record_content content = {.scene = "", .text = "", .step = 1, .meshes = named, .mesh_count = 2};
    td_recorder *recorder = NULL;
    assert_int_equal(td_begin_recorder(&recorder, bench->context, bench->path, &content, NULL, 0), TD_OK);
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
    td_recorder *recorder = NULL;
    test_poses(poses, 0);
    assert_int_equal(td_begin_recorder(&recorder, bench->context, bench->path, &content, poses, 0), TD_OK);
    struct stat status;
    off_t before = 0;
    for (uint64_t frame = 1; frame <= 64; ++frame) {
        assert_int_equal(stat(bench->path, &status), 0); // each frame is in the file at once
        before = status.st_size;
        poses[1].position[0] += frame >= 32 ? 1e-4 : 0;
        const td_frame_numbers numbers = test_numbers(frame);
        assert_int_equal(td_record_poses(recorder, poses, &numbers), TD_OK);
        assert_int_equal(stat(bench->path, &status), 0);
        const off_t bodies = status.st_size - before - TD_CHUNK_EXTRA_BYTES - TD_FRAME_NUMBERS_BYTES;
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
    test_expect_sentence(test_try_record(bench->context, mesh, "/dev/full", 3, NULL), TD_ERROR_FILE,
                         "/dev/full: could not be written");
    td_destroy_mesh(mesh);
}

// The disk fills up within a frame, as far as the file can tell: the frames before stay, the recorder refuses
// more, and the recording says that it has no end.
static void test_disk_fills_up(void **state) {
    test_bench *bench = *state;
    td_mesh *mesh = test_tetrahedron(bench->context);
    const td_record_content content = test_content(mesh);
    td_pose poses[TEST_BODIES];
    td_recorder *recorder = NULL;
    test_poses(poses, 0);
    assert_int_equal(td_begin_recorder(&recorder, bench->context, bench->path, &content, poses, test_hash(0)),
                     TD_OK);
    struct stat status;
    assert_int_equal(stat(bench->path, &status), 0);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {(rlim_t)status.st_size + 50, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    td_frame_numbers numbers = test_numbers(1);
    const td_result result = td_record_poses(recorder, poses, &numbers);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    test_expect_sentence(result, TD_ERROR_FILE, bench->path);
    test_expect_sentence(td_record_poses(recorder, poses, &numbers), TD_ERROR_FILE, "no more frames");
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
    test_expect_sentence(test_try_record(bench->context, mesh, bench->folder, 3, NULL), TD_ERROR_FILE,
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
    const td_record_content content = test_content(mesh);
    td_pose poses[TEST_BODIES];
    td_recorder *recorder = NULL;
    test_poses(poses, 0);
    assert_int_equal(td_begin_recorder(&recorder, bench->context, bench->path, &content, poses, test_hash(0)),
                     TD_OK);
    td_frame_numbers numbers = test_numbers(1);
    test_poses(poses, 1);
    poses[2].position[1] = NAN;
    test_expect_sentence(td_record_poses(recorder, poses, &numbers), TD_ERROR_POSE, "frame 1, body 2");
    test_poses(poses, 1);
    numbers.steps = 0;
    test_expect_sentence(td_record_poses(recorder, poses, &numbers), TD_ERROR_ARGUMENT, "step 0");
    numbers.steps = 1;
    assert_int_equal(td_record_poses(recorder, poses, &numbers), TD_OK);
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
        cmocka_unit_test(test_checksums),      cmocka_unit_test(test_numbers_as_bytes),
        cmocka_unit_test(test_precision),      cmocka_unit_test(test_special_rotations),
        cmocka_unit_test(test_odd_boxes),      cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_seeking),        cmocka_unit_test(test_mesh_bits),
        cmocka_unit_test(test_size_of_frames), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_disk_fills_up),  cmocka_unit_test(test_bad_paths),
        cmocka_unit_test(test_refused_frames)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
