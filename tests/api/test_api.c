// The C API as a program sees it that has only the headers and the shared library: every area of it used
// once, from C. tests/api/test_api.cpp does the same from C++. What the functions compute is tested
// elsewhere; here, that they can be called as documented. No cmocka, so that nothing else is linked.
#include <tandem/tandem.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_check(bool holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "test_api.c:%d: %s (last error: %s)\n", line, what, td_error_message());
        exit(1);
    }
}
#define CHECK(condition) test_check(condition, #condition, __LINE__)

// ---------------------------------------------------------------------------------------------------------
// What a caller may bring. The task system promises two workers and runs everything in turn on one thread, so
// that the ledger needs no lock.

typedef struct test_ledger {
    size_t blocks, bytes; // held now
    uint32_t task_runs;
} test_ledger;

static void *test_allocate(size_t size, size_t alignment, void *user) {
    test_ledger *ledger = user;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        ledger->blocks += 1;
        ledger->bytes += size;
    }
    return memory;
}

static void test_release(void *memory, size_t size, void *user) {
    test_ledger *ledger = user;
    ledger->blocks -= 1;
    ledger->bytes -= size;
    free(memory);
}

static void test_run_tasks(td_task_fn *task, uint32_t count, void *payload, void *user) {
    test_ledger *ledger = user;
    ledger->task_runs += 1;
    for (uint32_t item = 0; item < count; ++item) {
        task(item, payload);
    }
}

// ---------------------------------------------------------------------------------------------------------

static void test_names(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TD_VERSION_MAJOR, TD_VERSION_MINOR, TD_VERSION_PATCH);
    CHECK(strcmp(td_version(), version) == 0);
    CHECK(strcmp(td_result_name(TD_OK), "ok") == 0);
    CHECK(strcmp(td_inside_name(TD_INSIDE_A_IN_B), "a_in_b") == 0);
    td_isa isa = TD_ISA_AUTO;
    CHECK(td_isa_from_name(&isa, "scalar") == TD_OK && isa == TD_ISA_SCALAR);
    CHECK(td_isa_available(isa));
    CHECK(strcmp(td_isa_name(isa), "scalar") == 0);
    CHECK(td_isa_from_name(&isa, "abacus") == TD_ERROR_ARGUMENT);
    CHECK(strstr(td_error_message(), "abacus") != NULL);
    CHECK(td_shape_count() > 0 && td_strategy_count() > 0);
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        CHECK(td_shape_name(i)[0] != '\0' && td_shape_description(i)[0] != '\0');
    }
    for (uint32_t i = 0; i < td_strategy_count(); ++i) {
        CHECK(td_strategy_name(i)[0] != '\0' && td_strategy_description(i)[0] != '\0');
    }
}

static void test_uninitialised_definition_is_caught(void) {
    td_context_def def;
    memset(&def, 0, sizeof def);
    td_context *context = NULL;
    CHECK(td_create_context(&context, &def) == TD_ERROR_ARGUMENT);
    CHECK(context == NULL);
    CHECK(strstr(td_error_message(), "td_default_context_def") != NULL);
}

static const double TEST_POSITIONS[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t TEST_TRIANGLES[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static td_mesh *test_tetrahedron(td_context *context) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = TEST_POSITIONS;
    def.vertex_count = 4;
    def.triangles = TEST_TRIANGLES;
    def.triangle_count = 4;
    def.name = "tetrahedron";
    td_mesh *mesh = NULL;
    CHECK(td_create_mesh(&mesh, context, &def) == TD_OK);
    return mesh;
}

static void test_mesh(td_context *context) {
    td_mesh *mesh = test_tetrahedron(context);
    CHECK(strcmp(td_mesh_name(mesh), "tetrahedron") == 0);
    CHECK(td_mesh_vertex_count(mesh) == 4 && td_mesh_triangle_count(mesh) == 4);
    CHECK(td_mesh_is_closed(mesh));
    double vertex[3], lower[3], upper[3];
    uint32_t triangle[3];
    td_mesh_vertex(vertex, mesh, 3);
    CHECK(vertex[2] >= 1 && vertex[2] <= 1);
    td_mesh_triangle(triangle, mesh, 1);
    CHECK(triangle[0] == 0 && triangle[1] == 1 && triangle[2] == 3);
    td_mesh_bounds(lower, upper, mesh);
    CHECK(lower[0] <= 0 && upper[0] >= 1);
    td_mesh_report report;
    CHECK(td_inspect_mesh(&report, context, mesh) == TD_OK);
    CHECK(report.closed && report.components == 1 && report.volume > 0.16 && report.volume < 0.17);
    td_hierarchy_report hierarchy;
    CHECK(td_inspect_hierarchy(&hierarchy, context, mesh) == TD_OK);
    CHECK(hierarchy.blocks >= 1 && hierarchy.hierarchy_bytes > 0);
    td_destroy_mesh(mesh);

    td_mesh_def def = td_default_mesh_def();
    const uint32_t wrong[] = {0, 1, 9};
    def.positions = TEST_POSITIONS;
    def.vertex_count = 4;
    def.triangles = wrong;
    def.triangle_count = 1;
    CHECK(td_create_mesh(&mesh, context, &def) == TD_ERROR_MESH && mesh == NULL);
    CHECK(strstr(td_error_message(), "9") != NULL);
    td_destroy_mesh(NULL);
}

static void test_poses(td_context *context) {
    td_pose pose = td_pose_identity();
    CHECK(td_check_pose(&pose) == TD_OK);
    const double matrix[12] = {0, 0, 1, 5, 0, 1, 0, 6, -1, 0, 0, 7};
    CHECK(td_pose_from_matrix(&pose, matrix) == TD_OK);
    const double point[3] = {1, 0, 0};
    double moved[3];
    td_pose_apply(moved, &pose, point);
    CHECK(moved[0] > 4.99 && moved[0] < 5.01 && moved[2] > 5.99 && moved[2] < 6.01);
    pose.rotation[3] = 2;
    CHECK(td_check_pose(&pose) == TD_ERROR_POSE);

    static const char text[] = "# two poses\n0 0 0 0 0 0 1\n1,0,0,1, 0,1,0,2, 0,0,1,3\n";
    td_pose *poses = NULL;
    size_t count = 0;
    CHECK(td_read_pose_memory(&poses, &count, context, text, sizeof text - 1, "text") == TD_OK && count == 2);
    CHECK(poses[1].position[2] >= 3 && poses[1].position[2] <= 3);
    td_release_poses(poses, count, context);
    CHECK(td_read_pose_file(&poses, &count, context, "no/such/file") == TD_ERROR_FILE);
    CHECK(strstr(td_error_message(), "no/such/file") != NULL);
}

static void test_queries(td_context *context) {
    td_mesh *tetrahedron = test_tetrahedron(context), *sphere = NULL;
    CHECK(td_create_shape(&sphere, context, "sphere", 0) == TD_OK);
    td_query *query = NULL;
    CHECK(td_create_query(&query, context) == TD_OK);
    td_collide_def def = td_default_collide_def();
    td_collide_result one, batch[3];

    CHECK(td_collide(&one, query, tetrahedron, sphere, NULL, &def) == TD_OK);
    CHECK(one.colliding && one.pair_count > 0 && one.pairs != NULL);
    for (uint64_t i = 1; i < one.pair_count; ++i) {
        const td_pair before = one.pairs[i - 1], here = one.pairs[i];
        CHECK(before.a < here.a || (before.a == here.a && before.b < here.b));
    }
    const uint64_t pair_count = one.pair_count;

    td_pose poses[3] = {td_pose_identity(), td_pose_identity(), td_pose_identity()};
    poses[1].position[0] = 100;
    def.mode = TD_MODE_COUNT;
    CHECK(td_collide_batch(batch, query, tetrahedron, sphere, poses, 3, &def) == TD_OK);
    CHECK(batch[0].pair_count == pair_count && batch[2].pair_count == pair_count && !batch[1].colliding);
    def.mode = TD_MODE_FIRST;
    for (uint32_t i = 0; i < td_strategy_count(); ++i) {
        def.strategy = td_strategy_name(i);
        CHECK(td_collide(&one, query, tetrahedron, sphere, poses, &def) == TD_OK && one.pair_count == 1);
    }
    def = td_default_collide_def();
    CHECK(td_self_collide(&one, query, sphere, &def) == TD_OK && !one.colliding);
    const td_ray ray = {{-5, 0.01, 0.02}, {1, 0, 0}, 0, 1e9};
    td_ray_def ray_def = td_default_ray_def();
    td_ray_hit hit;
    CHECK(td_cast_rays(&hit, sphere, NULL, &ray, 1, &ray_def) == TD_OK && hit.hit && hit.side == 1 &&
          hit.t > 0);
    ray_def.mode = TD_RAY_ANY;
    CHECK(td_cast_rays(&hit, sphere, NULL, &ray, 1, &ray_def) == TD_OK && hit.hit);
    CHECK(hit.triangle == TD_NO_TRIANGLE);
    def.strategy = "guess";
    CHECK(td_self_collide(&one, query, sphere, &def) == TD_ERROR_ARGUMENT);
    CHECK(strstr(td_error_message(), "guess") != NULL);

    td_destroy_query(query);
    td_destroy_mesh(sphere);
    td_destroy_mesh(tetrahedron);
}

static void test_pictures(td_context *context) {
    td_mesh *mesh = test_tetrahedron(context);
    td_render_mesh *drawn = NULL;
    CHECK(td_create_render_mesh(&drawn, context, mesh) == TD_OK);
    td_render_body body = {.mesh = drawn, .pose = td_pose_identity()};
    td_body_colour(body.colour, 0);
    td_render_def def = td_default_render_def();
    def.width = def.height = 16;
    CHECK(td_frame_bodies(&def.camera, context, &body, 1, 1, NULL) == TD_OK);
    CHECK(td_lowest_height(&body, 1) >= 0 && td_lowest_height(&body, 1) <= 0);
    uint8_t pixels[3 * 16 * 16];
    td_render_report report;
    CHECK(td_render_picture(pixels, &report, context, &body, 1, &def) == TD_OK);
    CHECK(report.camera_rays == 16 * 16 * 16 && report.sun_rays > 0);
    td_update_render_mesh(drawn);
    td_still_colour(body.colour);
    td_scale_colour(body.colour, 0.5);
    def.cookie = 0;
    CHECK(td_render_picture(pixels, NULL, context, &body, 1, &def) == TD_ERROR_ARGUMENT);
    td_destroy_render_mesh(drawn);
    td_destroy_render_mesh(NULL);
    td_destroy_mesh(mesh);
}

static void test_moving(td_context *context) {
    // A vertex falls through a triangle half way; an edge passes above another one.
    double positions[48] = {0.25, 0.25, 1, 0, 0, 0, 1,  0, 0, 0, 1, 0, 0.25, 0.25, -1, 0,
                            0,    0,    1, 0, 0, 0, 1,  0, 2, 2, 1, 0, 0,    0,    1,  0,
                            0,    0,    1, 0, 2, 2, -1, 0, 0, 0, 1, 0, 0,    0,    1,  0};
    td_moving_def def = td_default_moving_def();
    td_moving_contact contact, contacts[2];
    CHECK(td_test_vertex_face(&contact, context, &def, positions) == TD_OK);
    CHECK(contact.touching && contact.certain && contact.time <= 0.5 && contact.time >= 0.5 - 1e-6);
    CHECK(td_test_edge_edge(&contact, context, &def, positions) == TD_OK);
    CHECK(contact.certain);
    CHECK(td_test_moving_batch(contacts, context, &def, TD_PAIR_VERTEX_FACE, positions, 2) == TD_OK);
    CHECK(contacts[0].touching && !contacts[1].touching && contacts[1].time >= 1);
    def.separation = 0.5;
    CHECK(td_test_vertex_face(&contact, context, &def, positions) == TD_OK);
    CHECK(contact.touching && contact.time <= 0.25 && contact.time >= 0.25 - 1e-6);
    def.separation = -1;
    CHECK(td_test_vertex_face(&contact, context, &def, positions) == TD_ERROR_ARGUMENT);
    CHECK(strstr(td_error_message(), "separation") != NULL);
    def = td_default_moving_def();
    def.budget = 1;
    CHECK(td_test_vertex_face(&contact, context, &def, positions) == TD_OK && contact.touching);
    positions[30] = (double)HUGE_VALF;
    CHECK(td_test_moving_batch(contacts, context, &def, TD_PAIR_EDGE_EDGE, positions, 2) ==
          TD_ERROR_ARGUMENT);
    CHECK(strstr(td_error_message(), "test 1: coordinate 0 of point 2 at t = 0") != NULL);
    def.cookie = 0;
    CHECK(td_test_edge_edge(&contact, context, &def, positions) == TD_ERROR_ARGUMENT);
    CHECK(strstr(td_error_message(), "td_default_moving_def") != NULL);
    CHECK(strcmp(td_feature_pair_name(TD_PAIR_EDGE_EDGE), "edge-edge") == 0);
}

static void test_files(td_context *context) {
    static const char path[] = "test_api_c.ply";
    td_mesh *mesh = test_tetrahedron(context), *again = NULL;
    const td_load_def def = td_default_load_def();
    CHECK(td_mesh_format_known(path) && !td_mesh_format_known("x.doc"));
    CHECK(td_save_mesh(context, mesh, path) == TD_OK);
    CHECK(td_load_mesh(&again, context, path, &def) == TD_OK);
    CHECK(td_mesh_triangle_count(again) == 4);
    td_destroy_mesh(again);
    td_destroy_mesh(mesh);
    td_mesh_arrays arrays;
    CHECK(td_read_mesh_file(&arrays, context, path, &def) == TD_OK && arrays.vertex_count == 4);
    td_release_mesh_arrays(&arrays, context);
    remove(path);

    static const char text[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    CHECK(td_read_mesh_memory(&arrays, context, text, sizeof text - 1, "t.off", &def) == TD_OK);
    CHECK(arrays.triangle_count == 1);
    td_release_mesh_arrays(&arrays, context);
}

int main(void) {
    test_ledger ledger = {0};
    test_names();
    test_uninitialised_definition_is_caught();

    td_context_def def = td_default_context_def();
    def.allocator = (td_allocator){test_allocate, test_release, &ledger};
    def.tasks = (td_task_system){test_run_tasks, 2, &ledger};
    td_context *context = NULL;
    CHECK(td_create_context(&context, &def) == TD_OK);
    CHECK(td_context_thread_count(context) == 2 && td_context_isa(context) != TD_ISA_AUTO);
    test_mesh(context);
    test_poses(context);
    test_queries(context);
    test_pictures(context);
    test_moving(context);
    test_files(context);
    td_destroy_context(context);
    td_destroy_context(NULL);
    CHECK(ledger.blocks == 0 && ledger.bytes == 0);
    CHECK(ledger.task_runs > 0);
    puts("api_c: ok");
    return 0;
}
