// What is in exported files beside the motions: meshes and their normals, materials, names; tables of poses;
// one frame as a mesh.
#include "io/export_shading.h"
#include "test_export_support.h"

// ---------------------------------------------------------------------------------------------------------
// Structure

// Meshes are in the file once, whatever the number of bodies; positions have their bounds; normals have
// length 1; views say what they are for.
static void test_structure(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 20});
    test_export_to(desk->written, recording, NULL);
    test_glb glb = test_open_glb(desk->written);
    const cJSON *asset = test_member(glb.json, "asset"), *mesh;
    char generator[64];
    snprintf(generator, sizeof generator, "tandem %s", td_version());
    assert_string_equal(test_member(asset, "version")->valuestring, "2.0");
    assert_string_equal(test_member(asset, "generator")->valuestring, generator);
    int positions[8], seen = 0, both_sides = 0;
    cJSON_ArrayForEach(mesh, test_member(glb.json, "meshes")) {
        const cJSON *primitive = cJSON_GetArrayItem(test_member(mesh, "primitives"), 0);
        const cJSON *attributes = test_member(primitive, "attributes");
        const int position = (int)test_number(attributes, "POSITION", -1);
        const cJSON *accessor = test_entry(&glb, "accessors", position);
        const cJSON *view = test_entry(&glb, "bufferViews", (int)test_number(accessor, "bufferView", -1));
        assert_int_equal((int)test_number(view, "target", 0), 34962);
        size_t count, normal_count, corner_count;
        double *at = test_read_accessor(&glb, position, 3, &count), lower[3], upper[3];
        test_read_numbers(lower, test_member(accessor, "min"), 3);
        test_read_numbers(upper, test_member(accessor, "max"), 3);
        for (size_t i = 0; i < 3 * count; ++i) {
            assert_true(at[i] >= lower[i % 3] && at[i] <= upper[i % 3]);
        }
        double *normals =
            test_read_accessor(&glb, (int)test_number(attributes, "NORMAL", -1), 3, &normal_count);
        assert_int_equal(normal_count, count);
        for (size_t i = 0; i < count; ++i) {
            assert_true(fabs(hypot(hypot(normals[3 * i], normals[3 * i + 1]), normals[3 * i + 2]) - 1) <
                        1e-6);
        }
        double *corners =
            test_read_accessor(&glb, (int)test_number(primitive, "indices", -1), 1, &corner_count);
        const bool sheet = strcmp(test_member(mesh, "name")->valuestring, "sheet") == 0;
        assert_int_equal(corner_count, sheet ? 6 : 36);
        assert_int_equal(count, sheet ? 4 : 24); // a box has creases all around
        for (size_t i = 0; i < corner_count; ++i) {
            assert_true(corners[i] < (double)count);
        }
        const cJSON *material = test_entry(&glb, "materials", (int)test_number(primitive, "material", -1));
        assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(material, "doubleSided")), sheet);
        both_sides += sheet;
        assert_true(seen < 8);
        positions[seen++] = position;
        free(at);
        free(normals);
        free(corners);
    }
    assert_int_equal(both_sides, 1);
    int boxes = 0;
    for (int i = 1; i < seen; ++i) {
        boxes += positions[i] == positions[0]; // other colours of the box, on the same numbers
    }
    assert_int_equal(boxes, seen - 2);
    test_close_glb(&glb);
    td_close_recording(recording);
}

static const char *test_node_name(const test_glb *glb, int node) {
    return test_member(test_entry(glb, "nodes", node), "name")->valuestring;
}

static void test_names(void **state) {
    test_desk *desk = *state;
    static const test_plan plan = {.frames = 2,
                                   .names = {"a \"b\" \\",
                                             "K\xc3\xbc"
                                             "bel\n\x01",
                                             "same", "same", "same.3"}};
    td_recording *recording = test_recorded(desk, &plan);
    test_export_to(desk->written, recording, NULL);
    test_glb glb = test_open_glb(desk->written);
    assert_string_equal(test_node_name(&glb, 0), plan.names[0]);
    assert_string_equal(test_node_name(&glb, 1), "K\xc3\xbc"
                                                 "bel__");
    assert_string_equal(test_node_name(&glb, 2), "same");
    assert_string_equal(test_node_name(&glb, 3), "same.3.3"); // "same.3" is taken
    assert_string_equal(test_node_name(&glb, 4), "same.3");
    assert_string_equal(test_node_name(&glb, 5), "camera");
    assert_string_equal(test_node_name(&glb, 6), "motions");
    test_close_glb(&glb);
    td_close_recording(recording);
    // Not UTF-8, empty, and as the nodes that bodies do not have.
    static const test_plan odd = {.frames = 2,
                                  .names = {"\xff"
                                            "a\xc3",
                                            "", "camera", "motions", ""}};
    recording = test_recorded(desk, &odd);
    test_export_to(desk->written, recording, NULL);
    glb = test_open_glb(desk->written);
    static const char *const wanted[] = {("\xef\xbf\xbd"
                                          "a\xef\xbf\xbd"),
                                         "body",
                                         "camera",
                                         "motions",
                                         "body.4",
                                         "camera.5",
                                         "motions.6"};
    for (int i = 0; i < 7; ++i) {
        assert_string_equal(test_node_name(&glb, i), wanted[i]);
    }
    test_close_glb(&glb);
    td_close_recording(recording);
}

// ---------------------------------------------------------------------------------------------------------
// Normals

// Those of a ball point away from its middle, and no vertex is split; those of a cylinder's caps along it.
static void test_normals(void **state) {
    td_context *context = ((test_desk *)*state)->context;
    td_mesh *sphere;
    assert_int_equal(td_create_shape(&sphere, context, "sphere", 1), TD_OK);
    const uint32_t vertices = td_mesh_vertex_count(sphere), triangles = td_mesh_triangle_count(sphere);
    td_mesh_arrays arrays = {.vertex_count = vertices, .triangle_count = triangles};
    arrays.positions = malloc(3 * sizeof(double) * vertices);
    arrays.triangles = malloc(3 * sizeof(uint32_t) * triangles);
    for (uint32_t v = 0; v < vertices; ++v) {
        td_mesh_vertex(arrays.positions + 3 * (size_t)v, sphere, v);
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        td_mesh_triangle(arrays.triangles + 3 * (size_t)t, sphere, t);
    }
    td_shaded_mesh shaded;
    assert_int_equal(td_shade_mesh(&shaded, context, &arrays), TD_OK);
    assert_int_equal(shaded.vertex_count, vertices);
    assert_true(shaded.closed);
    for (size_t i = 0; i < 3 * (size_t)vertices; i += 3) {
        const float *n = shaded.normals + i, *p = shaded.positions + i;
        const float length = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        assert_true(n[0] * p[0] + n[1] * p[1] + n[2] * p[2] > 0.99F * length);
    }
    td_release_shaded_mesh(&shaded, context);
    free(arrays.positions);
    free(arrays.triangles);
    td_destroy_mesh(sphere);
}

// Vertices that are not welded, triangles without area, vertices that nobody names, and a fan of many.
static void test_odd_meshes(void **state) {
    td_context *context = ((test_desk *)*state)->context;
    double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 9, 9, 9};
    uint32_t triangles[] = {0, 1, 2, 3, 4, 5, 0, 0, 1, 0, 1, 3};
    const td_mesh_arrays flat = {
        .positions = positions, .triangles = triangles, .vertex_count = 7, .triangle_count = 4};
    td_shaded_mesh shaded;
    assert_int_equal(td_shade_mesh(&shaded, context, &flat), TD_OK);
    // Four corners of the square, and six of two triangles without area, which share nothing.
    assert_int_equal(shaded.vertex_count, 10);
    assert_false(shaded.closed);
    for (int i = 0; i < 6; ++i) {
        assert_true(shaded.normals[3 * shaded.corners[i] + 2] == 1);
    }
    td_release_shaded_mesh(&shaded, context);
    positions[0] = 1e40;
    test_expect_sentence(td_shade_mesh(&shaded, context, &flat), TD_ERROR_UNSUPPORTED,
                         "vertex 0: x is 1e+40");

    enum { FAN = 200000 };
    td_mesh_arrays fan = {.vertex_count = FAN + 1, .triangle_count = FAN};
    fan.positions = calloc(3 * ((size_t)FAN + 1), sizeof(double));
    fan.triangles = malloc(3 * sizeof(uint32_t) * FAN);
    for (uint32_t i = 0; i < FAN; ++i) {
        const double angle = 6.283185307179586 * i / FAN;
        fan.positions[3 * (size_t)i + 3] = cos(angle);
        fan.positions[3 * (size_t)i + 4] = sin(angle);
        fan.triangles[3 * (size_t)i] = 0;
        fan.triangles[3 * (size_t)i + 1] = i + 1;
        fan.triangles[3 * (size_t)i + 2] = (i + 1) % FAN + 1;
    }
    assert_int_equal(td_shade_mesh(&shaded, context, &fan), TD_OK);
    assert_int_equal(shaded.vertex_count, FAN + 1);
    td_release_shaded_mesh(&shaded, context);
    free(fan.positions);
    free(fan.triangles);
}

// ---------------------------------------------------------------------------------------------------------
// Tables and meshes

static void test_table(void **state) {
    test_desk *desk = *state;
    static const test_plan plan = {.frames = 12, .names = {"a,\"b\"\nc"}};
    td_recording *recording = test_recorded(desk, &plan);
    td_export_def def = td_default_export_def();
    def.format = TD_EXPORT_CSV; // whatever the name says
    def.first = 1;
    def.last = 9;
    def.every = 4;
    td_export_report report;
    assert_int_equal(td_export_recording(&report, recording, desk->written, &def), TD_OK);
    assert_int_equal(report.frames, 3);
    size_t size;
    char *text = test_whole_file(desk->written, &size), *line = text;
    assert_int_equal(report.bytes, size);
    static const char header[] = "frame,time,body,name,x,y,z,qx,qy,qz,qw,speed,awake\n";
    assert_int_equal(strncmp(text, header, strlen(header)), 0);
    line += strlen(header);
    for (uint64_t frame = 1; frame <= 9; frame += 4) {
        td_pose poses[TEST_BODIES];
        assert_int_equal(td_read_frame(poses, NULL, recording, frame), TD_OK);
        for (uint32_t body = 0; body < TEST_BODIES; ++body) {
            static const char *const names[TEST_BODIES] = {"\"a,\"\"b\"\"\nc\"", "tumbler", "jumper",
                                                           "resting", "flag"};
            double n[13];
            n[0] = strtod(line, &line);
            n[1] = strtod(line + 1, &line);
            n[2] = strtod(line + 1, &line);
            assert_int_equal(strncmp(line + 1, names[body], strlen(names[body])), 0);
            line += 1 + strlen(names[body]);
            for (int i = 4; i < 13; ++i) {
                assert_int_equal(*line, ',');
                n[i] = strtod(line + 1, &line);
            }
            assert_int_equal(*line++, '\n');
            assert_true(n[0] == (double)frame && n[1] == test_step * (double)frame && n[2] == body);
            assert_memory_equal(n + 4, poses[body].position, 3 * sizeof *n);
            assert_memory_equal(n + 7, poses[body].rotation, 4 * sizeof *n);
            assert_true(fabs(n[11] - test_speed(body, frame)) <= 0.01 * test_speed(body, frame));
            assert_true(n[12] == (body == TEST_TUMBLER || body == TEST_JUMPER));
        }
    }
    assert_int_equal(*line, '\0');
    free(text);
    td_close_recording(recording);
}

static void test_one_frame(void **state) {
    test_desk *desk = *state;
    static const test_plan plan = {.frames = 12, .names = {[TEST_FLAG] = "tumbler"}};
    td_recording *recording = test_recorded(desk, &plan);
    td_pose poses[TEST_BODIES];
    assert_int_equal(td_read_frame(poses, NULL, recording, 7), TD_OK);
    for (td_export_format format = TD_EXPORT_OBJ; format <= TD_EXPORT_STL; ++format) {
        char path[600];
        snprintf(path, sizeof path, "%s/a.%s", desk->folder, td_export_format_name(format));
        assert_true(td_export_is_mesh(format));
        td_export_def def = td_default_export_def();
        def.first = 7;
        test_export_to(path, recording, &def);
        const td_load_def load = test_load_def(false);
        td_mesh_arrays arrays;
        assert_int_equal(td_read_mesh_file(&arrays, desk->context, path, &load), TD_OK);
        assert_int_equal(arrays.triangle_count, 4 * 12 + 2);
        size_t corner = 0;
        for (uint32_t body = 0; body < TEST_BODIES; ++body) {
            const td_mesh_arrays *mesh = td_recording_mesh(recording, body == TEST_FLAG);
            for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i, ++corner) {
                double wanted[3];
                const double *found = arrays.positions + 3 * (size_t)arrays.triangles[corner];
                td_pose_apply(wanted, &poses[body], mesh->positions + 3 * (size_t)mesh->triangles[i]);
                for (int k = 0; k < 3; ++k) {
                    assert_true(fabs(found[k] - wanted[k]) <= (format == TD_EXPORT_STL ? 1e-5 : 0));
                }
            }
        }
        td_release_mesh_arrays(&arrays, desk->context);
        if (format == TD_EXPORT_OBJ) {
            size_t size;
            char *text = test_whole_file(path, &size);
            assert_non_null(strstr(text, "\no ground\nv "));
            assert_non_null(strstr(text, "\no tumbler.4\nv "));
            free(text);
        }
        unlink(path);
    }
    td_close_recording(recording);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_structure, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_names, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_normals, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_odd_meshes, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_table, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_one_frame, test_make_desk, test_drop_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
