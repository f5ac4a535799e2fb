// A small recording without a scene behind it: a few bodies of one tetrahedron that move, rest and fly off.
#ifndef TD_TESTS_RECORD_SUPPORT_H
#define TD_TESTS_RECORD_SUPPORT_H

#include "io/record.h"
#include "io/record_chunk.h"
#include "test_io_support.h"

#include <fcntl.h>
#include <math.h>

enum { TEST_BODIES = 4, TEST_HASH_STEP = 1000003 };

static inline td_mesh *test_tetrahedron(td_context *context) {
    static const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.1};
    static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 4;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_mesh(&mesh, context, &def), TD_OK);
    return mesh;
}

// Body 0 never moves, 1 creeps and stops at frame 20, 2 tumbles through the air, 3 goes beyond all bounds.
static inline void test_poses(td_pose poses[TEST_BODIES], uint64_t frame) {
    const double t = (double)frame;
    for (int body = 0; body < TEST_BODIES; ++body) {
        poses[body] = td_pose_identity();
        poses[body].position[0] = 3 * body;
    }
    poses[1].position[1] = 1e-3 * fmin(t, 20);
    poses[2].position[1] = 0.1 * t - 0.002 * t * t;
    const double angle = 0.07 * t;
    poses[2].rotation[0] = 0.6 * sin(angle);
    poses[2].rotation[2] = 0.8 * sin(angle);
    poses[2].rotation[3] = cos(angle);
    poses[3].position[2] = frame < 3 ? t : ldexp(1, (int)(10 * (frame % 40)));
}

static inline uint64_t test_hash(uint64_t frame) {
    return frame * TEST_HASH_STEP + 17;
}

static inline td_record_content test_content(const td_mesh *mesh) {
    static td_record_mesh meshes[1];
    static const td_record_body bodies[TEST_BODIES] = {{TD_BODY_STATIC, 0, "ground"},
                                                       {TD_BODY_DYNAMIC, 0, "creeper"},
                                                       {TD_BODY_DYNAMIC, 0, ""},
                                                       {TD_BODY_KINEMATIC, 0, "rocket"}};
    meshes[0] = (td_record_mesh){"tetrahedron", mesh};
    return (td_record_content){.scene = "test",
                               .text = "{\"a\": 1}",
                               .step = 0.25,
                               .meshes = meshes,
                               .mesh_count = 1,
                               .bodies = bodies,
                               .body_count = TEST_BODIES};
}

static inline td_frame_numbers test_numbers(uint64_t frame) {
    return (td_frame_numbers){.frame = frame,
                              .steps = frame,
                              .hash = test_hash(frame),
                              .time = 0.25 * (double)frame,
                              .kinetic_energy = 1.5,
                              .potential_energy = -2,
                              .penetration = 1e-3,
                              .awake = 3,
                              .islands = 2,
                              .colliding_pairs = 5,
                              .faces = (uint64_t)1 << 40,
                              .contacts = 7};
}

static inline td_result test_try_record(td_context *context, const td_mesh *mesh, const char *path,
                                        uint64_t frames, uint64_t *hash) {
    const td_record_content content = test_content(mesh);
    td_pose poses[TEST_BODIES];
    td_recorder *recorder = NULL;
    test_poses(poses, 0);
    td_result result = td_begin_recorder(&recorder, context, path, &content, poses, test_hash(0));
    for (uint64_t frame = 1; frame < frames && result == TD_OK; ++frame) {
        test_poses(poses, frame);
        const td_frame_numbers numbers = test_numbers(frame);
        result = td_record_poses(recorder, poses, &numbers);
    }
    if (recorder != NULL) {
        const td_result closed = td_close_recorder(recorder, hash);
        result = result == TD_OK ? closed : result;
    }
    return result;
}

static inline uint64_t test_record(td_context *context, const char *path, uint64_t frames) {
    uint64_t hash = 0;
    td_mesh *mesh = test_tetrahedron(context);
    const td_result result = test_try_record(context, mesh, path, frames, &hash);
    td_destroy_mesh(mesh);
    if (result != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return hash;
}

typedef struct test_bytes {
    uint8_t *bytes;
    size_t size;
} test_bytes;

static inline test_bytes test_read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    test_bytes out = {malloc(1 << 20), 0};
    assert_non_null(out.bytes);
    out.size = fread(out.bytes, 1, 1 << 20, file);
    assert_true(out.size > 0 && out.size < 1 << 20);
    fclose(file);
    return out;
}

// The offsets of the chunks; `count` of them, the file's end behind the last.
static inline size_t test_find_chunks(size_t *offsets, size_t room, const test_bytes *file) {
    size_t count = 0, at = TD_RECORD_START_BYTES;
    while (at < file->size) {
        assert_true(count + 1 < room);
        offsets[count++] = at;
        at += (size_t)td_load_little(file->bytes + at + 4, 8) + TD_CHUNK_EXTRA_BYTES;
    }
    assert_int_equal(at, file->size);
    offsets[count] = at;
    return count;
}

static inline double test_angle(const double a[4], const double b[4]) {
    // Of the quaternion that leads from one to the other: its vector part, which is exact for small angles.
    const double x = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
    const double y = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
    const double z = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
    return 2 * asin(fmin(1, sqrt(x * x + y * y + z * z)));
}

// A context, and a file in a folder of its own.
typedef struct test_bench {
    td_context *context;
    char folder[256], path[512];
} test_bench;

static inline int test_make_bench(void **state) {
    static test_bench bench;
    bench.context = test_context();
    test_make_folder(bench.folder);
    snprintf(bench.path, sizeof bench.path, "%s/a.rec", bench.folder);
    *state = &bench;
    return 0;
}

static inline int test_drop_bench(void **state) {
    test_bench *bench = *state;
    unlink(bench->path);
    rmdir(bench->folder);
    td_destroy_context(bench->context);
    return 0;
}

static inline td_recording *test_open(test_bench *bench) {
    td_recording *recording = NULL;
    if (td_open_recording(&recording, bench->context, bench->path) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return recording;
}

#endif
