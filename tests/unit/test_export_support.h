// What the tests of exports share: a recording of motions that are known, and a reader of .glb files that was
// written by the specification and knows nothing of the writer.
#ifndef TD_TESTS_EXPORT_SUPPORT_H
#define TD_TESTS_EXPORT_SUPPORT_H

#include "io/record.h"
#include "test_io_support.h"

#include <cjson/cJSON.h>
#include <math.h>

// ---------------------------------------------------------------------------------------------------------
// A recording

enum { TEST_GROUND, TEST_TUMBLER, TEST_JUMPER, TEST_RESTING, TEST_FLAG, TEST_BODIES, TEST_JUMP_FRAMES = 40 };

static const double test_step = 1.0 / 60;

typedef struct test_plan {
    uint64_t frames;
    double offset;                  // m, of everything, along x and z
    const char *names[TEST_BODIES]; // null: their own
    uint32_t bodies;                // 0: all
    double flight;                  // m, of the flag along z, per frame
} test_plan;

static inline td_pose test_pose_at(const test_plan *plan, uint32_t body, uint64_t frame) {
    const double t = (double)frame * test_step;
    td_pose pose = td_pose_identity();
    double axis[3] = {0, 1, 0}, angle = 0;
    switch (body) {
    case TEST_GROUND:
        pose.position[1] = -1;
        break;
    case TEST_TUMBLER: // thrown, and spinning
        pose.position[0] = -4 + 2 * t;
        pose.position[1] = 1 + 6 * t - 4.905 * t * t;
        axis[0] = 0.6;
        axis[1] = 0;
        axis[2] = 0.8;
        angle = 7 * t;
        break;
    case TEST_JUMPER: // falls, and is put back, in its first rotation
        pose.position[1] = 50 - 3 * test_step * (double)(frame % TEST_JUMP_FRAMES);
        angle = 2 * test_step * (double)(frame % TEST_JUMP_FRAMES) + 1;
        break;
    case TEST_RESTING: // slides to a halt
        pose.position[2] = 5 + 0.5 * fmin(t, 0.5);
        break;
    default: // turns, on its place
        pose.position[0] = 5;
        pose.position[2] = plan->flight * (double)frame;
        angle = t;
    }
    for (int k = 0; k < 3; ++k) {
        pose.rotation[k] = axis[k] * sin(0.5 * angle);
    }
    pose.rotation[3] = cos(0.5 * angle);
    pose.position[0] += plan->offset;
    pose.position[2] += plan->offset;
    return pose;
}

static inline double test_speed(uint32_t body, uint64_t frame) {
    const double t = (double)frame * test_step;
    return body == TEST_TUMBLER ? hypot(2, 6 - 9.81 * t) : body == TEST_JUMPER ? 3 : 0;
}

// A box and an open sheet of two triangles.
static inline void test_make_meshes(td_mesh *out[2], td_context *context) {
    static const double positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    assert_int_equal(td_create_shape(&out[0], context, "box", 0), TD_OK);
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    assert_int_equal(td_create_mesh(&out[1], context, &def), TD_OK);
}

static inline void test_fill_frame(td_pose *poses, td_recorded_motion *motions, const test_plan *plan,
                                   uint64_t frame) {
    for (uint32_t body = 0; body < TEST_BODIES; ++body) {
        poses[body] = test_pose_at(plan, body, frame);
        motions[body] =
            (td_recorded_motion){test_speed(body, frame), body == TEST_TUMBLER || body == TEST_JUMPER};
    }
}

static inline void test_write_recording(td_context *context, const char *path, const test_plan *plan) {
    static const char *const names[TEST_BODIES] = {"ground", "tumbler", "jumper", "resting", "flag"};
    td_mesh *meshes[2];
    test_make_meshes(meshes, context);
    const td_record_mesh named[2] = {{"box", meshes[0]}, {"sheet", meshes[1]}};
    td_record_body bodies[TEST_BODIES];
    for (uint32_t i = 0; i < TEST_BODIES; ++i) {
        bodies[i] = (td_record_body){i == TEST_GROUND ? TD_BODY_STATIC
                                     : i == TEST_FLAG ? TD_BODY_KINEMATIC
                                                      : TD_BODY_DYNAMIC,
                                     i == TEST_FLAG, plan->names[i] != NULL ? plan->names[i] : names[i]};
    }
    const td_record_content content = {.scene = "motions",
                                       .text = "{}",
                                       .step = test_step,
                                       .meshes = named,
                                       .mesh_count = 2,
                                       .bodies = bodies,
                                       .body_count = plan->bodies > 0 ? plan->bodies : TEST_BODIES};
    td_pose poses[TEST_BODIES];
    td_recorded_motion motions[TEST_BODIES];
    const td_recorded_state state = {.poses = poses, .motions = motions};
    td_recorder *recorder = NULL;
    test_fill_frame(poses, motions, plan, 0);
    assert_int_equal(td_begin_recorder(&recorder, context, path, &content, &state, 0), TD_OK);
    for (uint64_t frame = 1; frame < plan->frames; ++frame) {
        test_fill_frame(poses, motions, plan, frame);
        const td_frame_numbers numbers = {.steps = frame, .time = test_step * (double)frame};
        assert_int_equal(td_record_state(recorder, &state, &numbers), TD_OK);
    }
    assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
    td_destroy_mesh(meshes[0]);
    td_destroy_mesh(meshes[1]);
}

// A context, and files in a folder of its own.
typedef struct test_desk {
    td_context *context;
    char folder[256], recorded[512], written[512];
} test_desk;

static inline int test_make_desk(void **state) {
    static test_desk desk;
    desk.context = test_context();
    test_make_folder(desk.folder);
    snprintf(desk.recorded, sizeof desk.recorded, "%s/a.rec", desk.folder);
    snprintf(desk.written, sizeof desk.written, "%s/a.glb", desk.folder);
    *state = &desk;
    return 0;
}

static inline int test_drop_desk(void **state) {
    test_desk *desk = *state;
    unlink(desk->recorded);
    unlink(desk->written);
    assert_int_equal(rmdir(desk->folder), 0); // nothing else was left there
    td_destroy_context(desk->context);
    return 0;
}

static inline td_recording *test_recorded(test_desk *desk, const test_plan *plan) {
    td_recording *recording = NULL;
    test_write_recording(desk->context, desk->recorded, plan);
    if (td_open_recording(&recording, desk->context, desk->recorded) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return recording;
}

static inline void test_export_to(const char *path, td_recording *recording, const td_export_def *def) {
    if (td_export_recording(NULL, recording, path, def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
}

static inline char *test_whole_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

// ---------------------------------------------------------------------------------------------------------
// A .glb file

typedef struct test_glb {
    char *file;
    size_t size;
    cJSON *json;
    const char *buffer;
    size_t buffer_size;
} test_glb;

static inline uint32_t test_u32(const char *bytes) {
    uint32_t out; // these tests run on little-endian machines, as the file is
    memcpy(&out, bytes, sizeof out);
    return out;
}

static inline cJSON *test_member(const cJSON *object, const char *key) {
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (item == NULL) {
        fail_msg("there is no %s", key);
    }
    return item;
}

static inline double test_number(const cJSON *object, const char *key, double otherwise) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return item != NULL ? item->valuedouble : otherwise;
}

static inline cJSON *test_entry(const test_glb *glb, const char *list, int index) {
    cJSON *entry = cJSON_GetArrayItem(test_member(glb->json, list), index);
    assert_non_null(entry);
    return entry;
}

static inline test_glb test_open_glb(const char *path) {
    test_glb glb = {0};
    glb.file = test_whole_file(path, &glb.size);
    assert_memory_equal(glb.file, "glTF", 4);
    assert_int_equal(test_u32(glb.file + 4), 2);
    assert_int_equal(test_u32(glb.file + 8), glb.size);
    const uint32_t length = test_u32(glb.file + 12);
    assert_int_equal(length % 4, 0);
    assert_memory_equal(glb.file + 16, "JSON", 4);
    glb.json = cJSON_ParseWithLength(glb.file + 20, length);
    assert_non_null(glb.json);
    const size_t rest = 20 + (size_t)length;
    if (rest < glb.size) {
        glb.buffer_size = test_u32(glb.file + rest);
        assert_int_equal(glb.buffer_size % 4, 0);
        assert_memory_equal(glb.file + rest + 4, "BIN", 4);
        glb.buffer = glb.file + rest + 8;
        assert_int_equal(rest + 8 + glb.buffer_size, glb.size);
        assert_true(test_number(test_entry(&glb, "buffers", 0), "byteLength", 0) == (double)glb.buffer_size);
    }
    return glb;
}

static inline void test_close_glb(test_glb *glb) {
    cJSON_Delete(glb->json);
    free(glb->file);
}

static inline double test_component(const char *at, int component) {
    float real;
    uint16_t number;
    switch (component) {
    case 5126:
        memcpy(&real, at, sizeof real);
        return (double)real;
    case 5123:
        memcpy(&number, at, sizeof number);
        return number;
    default:
        assert_int_equal(component, 5125);
        return test_u32(at);
    }
}

// The numbers of an accessor, for free(); *count becomes how many elements of `size` numbers.
static inline double *test_read_accessor(const test_glb *glb, int index, size_t size, size_t *count) {
    const cJSON *accessor = test_entry(glb, "accessors", index);
    const cJSON *view = test_entry(glb, "bufferViews", (int)test_number(accessor, "bufferView", -1));
    const int component = (int)test_number(accessor, "componentType", 0);
    const size_t bytes = component == 5123 ? 2 : 4;
    const char *type = test_member(accessor, "type")->valuestring;
    assert_string_equal(type, size == 1 ? "SCALAR" : size == 3 ? "VEC3" : "VEC4");
    *count = (size_t)test_number(accessor, "count", 0);
    const size_t within = (size_t)test_number(accessor, "byteOffset", 0);
    const size_t start = (size_t)test_number(view, "byteOffset", 0) + within;
    assert_true(within + *count * size * bytes <= (size_t)test_number(view, "byteLength", 0));
    assert_true(start % 4 == 0 && start + *count * size * bytes <= glb->buffer_size);
    double *out = malloc(*count * size * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < *count * size; ++i) {
        out[i] = test_component(glb->buffer + start + i * bytes, component);
    }
    return out;
}

static inline void test_read_numbers(double *out, const cJSON *array, int count) {
    assert_int_equal(cJSON_GetArraySize(array), count);
    for (int i = 0; i < count; ++i) {
        out[i] = cJSON_GetArrayItem(array, i)->valuedouble;
    }
}

#endif
