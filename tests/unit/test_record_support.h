// A small recording without a scene behind it: a few bodies of one tetrahedron that move, rest, touch and fly
// off.
#ifndef TD_TESTS_RECORD_SUPPORT_H
#define TD_TESTS_RECORD_SUPPORT_H

#include "io/record.h"
#include "io/record_chunk.h"
#include "test_io_support.h"

#include <fcntl.h>
#include <math.h>

enum { TEST_BODIES = 4, TEST_MOST_CONTACTS = 4, TEST_HASH_STEP = 1000003 };

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

// Body 1 sleeps from frame 21 on, but for frames 40 to 50.
static inline bool test_sleeps(uint64_t frame) {
    return frame > 20 && (frame < 40 || frame > 50);
}

static inline td_recorded_contact test_contact(uint32_t a, uint32_t b, double x, double impulse) {
    return (td_recorded_contact){
        .a = a, .b = b, .point = {x, 0.5, 0.05}, .normal = {0.36, 0.48, -0.8}, .impulse = impulse};
}

typedef struct test_frame {
    td_pose poses[TEST_BODIES];
    td_recorded_motion motions[TEST_BODIES];
    td_recorded_contact contacts[TEST_MOST_CONTACTS];
    size_t contact_count;
    td_record_times times;
} test_frame;

// Body 1 touches the ground in two points, in one of them while it is awake again; 2, which always moves,
// touches it in every third frame. What the rocket, which is kinematic, touches stays the same, but for
// frame 70.
static inline test_frame test_make_frame(uint64_t frame) {
    test_frame out = {.contact_count = 0};
    test_poses(out.poses, frame);
    const double t = (double)(frame < 20 ? frame : 20);
    out.motions[1] = (td_recorded_motion){test_sleeps(frame) ? 0 : 0.01 * t + 0.125, !test_sleeps(frame)};
    out.motions[2] = (td_recorded_motion){3.3 + (double)frame, true};
    out.motions[3] = (td_recorded_motion){1e3, false};
    out.contacts[out.contact_count++] = test_contact(0, 1, 0.75, 2 + t);
    if (frame < 40) {
        out.contacts[out.contact_count++] = test_contact(0, 1, 1, 7);
    }
    out.contacts[out.contact_count++] = test_contact(0, 3, frame < 70 ? 0.25 : 0.375, 1e-3);
    if (frame % 3 == 0) {
        out.contacts[out.contact_count++] = test_contact(2, 1, 3.5, 0); // in the other order
    }
    for (int stage = 0; stage < TD_STAGE_COUNT; ++stage) {
        out.times.ms[stage] = (float)frame + 0.5F * (float)stage;
    }
    return out;
}

static inline td_recorded_state test_state(const test_frame *frame, bool timed) {
    return (td_recorded_state){.poses = frame->poses,
                               .motions = frame->motions,
                               .contacts = frame->contacts,
                               .contact_count = frame->contact_count,
                               .times = timed ? &frame->times : NULL};
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
                              .residual = 0.125,
                              .awake = 3,
                              .islands = 2,
                              .passes = 4,
                              .colours = 6,
                              .broad_pairs = 9,
                              .colliding_pairs = 5,
                              .faces = (uint64_t)1 << 40,
                              .regions = 8,
                              .contacts = 7,
                              .stopped_bodies = 10};
}

static inline td_result test_begin(td_recorder **out, td_context *context, const td_mesh *mesh,
                                   const char *path) {
    const td_record_content content = test_content(mesh);
    const test_frame start = test_make_frame(0);
    const td_recorded_state state = test_state(&start, false);
    return td_begin_recorder(out, context, path, &content, &state, test_hash(0));
}

static inline td_result test_record_next(td_recorder *recorder, uint64_t frame, bool timed) {
    const test_frame made = test_make_frame(frame);
    const td_recorded_state state = test_state(&made, timed);
    const td_frame_numbers numbers = test_numbers(frame);
    return td_record_state(recorder, &state, &numbers);
}

static inline td_result test_try_record(td_context *context, const td_mesh *mesh, const char *path,
                                        uint64_t frames, bool timed, uint64_t *hash) {
    td_recorder *recorder = NULL;
    td_result result = test_begin(&recorder, context, mesh, path);
    for (uint64_t frame = 1; frame < frames && result == TD_OK; ++frame) {
        result = test_record_next(recorder, frame, timed);
    }
    if (recorder != NULL) {
        const td_result closed = td_close_recorder(recorder, hash);
        result = result == TD_OK ? closed : result;
    }
    return result;
}

static inline uint64_t test_record(td_context *context, const char *path, uint64_t frames, bool timed) {
    uint64_t hash = 0;
    td_mesh *mesh = test_tetrahedron(context);
    const td_result result = test_try_record(context, mesh, path, frames, timed, &hash);
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
