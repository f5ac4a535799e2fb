// What inspection counts: small cases by hand, and every mesh of the data folder against its statistics.
#include "query/inspect.h"
#include "test_mesh_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static td_mesh_report test_inspect(td_context *context, const double *positions, uint32_t vertex_count,
                                   const uint32_t *triangles, uint32_t triangle_count) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = vertex_count;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    def.borrow = true;
    td_trimesh mesh;
    td_mesh_report report;
    assert_int_equal(td_trimesh_create(&mesh, context, &def), TD_OK);
    assert_int_equal(td_inspect_trimesh(&report, context, &mesh), TD_OK);
    td_trimesh_destroy(&mesh);
    return report;
}

// A tetrahedron far from the origin: its volume must not drown in the coordinates.
static void test_measures(void **state) {
    const double at = 1e7;
    const double positions[4][3] = {{at, at, at}, {at + 1, at, at}, {at, at + 1, at}, {at, at, at + 1}};
    const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const td_mesh_report r = test_inspect(*state, positions[0], 4, triangles[0], 4);
    assert_true(r.closed);
    assert_true(fabs(r.volume - 1.0 / 6) < 1e-12);
    assert_true(fabs(r.area - (1.5 + sqrt(3.0) / 2)) < 1e-12);
    assert_true(r.lower[0] == at && r.upper[2] == at + 1);
    assert_int_equal(r.boundary_edges + r.nonmanifold_edges + r.misoriented_edges, 0);
}

static void test_oddities(void **state) {
    // 0 1 2 3 on a line, 4 beside it, 5 at the place of 4, 6 unused, 7 unused at the place of 0.
    const double positions[8][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0},
                                    {0, 1, 0}, {0, 1, 0}, {9, 9, 9}, {0, 0, 0}};
    const uint32_t triangles[6][3] = {
        {0, 1, 4}, // edges 01, 14, 40
        {0, 1, 5}, // the same positions in the same direction: a duplicate
        {1, 4, 5}, // names one position twice: uses edge 14 once each way
        {0, 1, 2}, // on a line: edges 01, 12, 20
        {4, 4, 5}, // a point: no edge
        {2, 4, 3}, // edges 24, 43, 32
    };
    const td_mesh_report r = test_inspect(*state, positions[0], 8, triangles[0], 6);
    assert_int_equal(r.vertices, 8);
    assert_int_equal(r.distinct_positions, 6);
    assert_int_equal(r.triangles, 6);
    assert_int_equal(r.duplicate_triangles, 1);
    assert_int_equal(r.repeated_vertex, 2);
    assert_int_equal(r.zero_area, 1);
    assert_int_equal(r.unreferenced_vertices, 2);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.misoriented_edges, 1); // 40, twice the same way
    assert_int_equal(r.nonmanifold_edges, 2); // 01 three times, 14 four times
    assert_int_equal(r.boundary_edges, 5);    // 12, 20, 24, 43, 32
    assert_false(r.closed);
}

// A triangle whose area is far below what doubles resolve, and one that is exactly on a line.
static void test_zero_area_is_exact(void **state) {
    const double positions[5][3] = {
        {0, 0, 0}, {1e-300, 0, 0}, {0, 1e-300, 0}, {0x1.fffffffffffffp0, 0x1.fffffffffffffp0, 0}, {1, 1, 0}};
    const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 4, 3}};
    const td_mesh_report r = test_inspect(*state, positions[0], 5, triangles[0], 2);
    assert_int_equal(r.zero_area, 1);
    assert_int_equal(r.repeated_vertex, 0);
}

static void test_components(void **state) {
    const double positions[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0},
                                    {6, 0, 0}, {5, 1, 0}, {8, 8, 8}};
    const uint32_t triangles[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 6, 6}};
    const td_mesh_report r = test_inspect(*state, positions[0], 7, triangles[0], 3);
    assert_int_equal(r.components, 3);
}

// ---------------------------------------------------------------------------------------------------------

// The columns of the statistics that a report answers, in their order after the name.
enum { TEST_COLUMNS = 12, TEST_POLYGONS = 3 };

static void test_check_row(td_context *context, const char *file, const unsigned wanted[TEST_COLUMNS]) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TD_TEST_DATA, file);
    td_load_def load = td_default_load_def();
    load.weld = false;
    td_mesh_arrays mesh;
    if (td_read_mesh_file(&mesh, context, path, &load) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    const td_mesh_report r =
        test_inspect(context, mesh.positions, mesh.vertex_count, mesh.triangles, mesh.triangle_count);
    td_release_mesh_arrays(&mesh, context);
    const unsigned found[TEST_COLUMNS] = {
        r.vertices,
        r.distinct_positions,
        r.triangles,
        wanted[TEST_POLYGONS],
        r.boundary_edges,
        r.nonmanifold_edges,
        r.misoriented_edges,
        r.repeated_vertex,
        r.zero_area,
        r.duplicate_triangles,
        r.unreferenced_vertices,
        r.components,
    };
    for (int c = 0; c < TEST_COLUMNS; ++c) {
        if (found[c] != wanted[c]) {
            fail_msg("%s: column %d after the name is %u, wanted %u", file, c, found[c], wanted[c]);
        }
    }
}

static void test_statistics_of_the_data(void **state) {
    FILE *csv = fopen(TD_TEST_DATA "/meshes/STATS.csv", "r");
    if (csv == NULL) {
        print_message("skipped: there is no %s\n", TD_TEST_DATA "/meshes/STATS.csv");
        skip();
    }
    char line[1024];
    assert_non_null(fgets(line, sizeof line, csv));
    const char *header = "file,vertices,distinct_positions,triangles_after_fan,polygons_gt3,boundary_edges,"
                         "nonmanifold_edges,misoriented_edges,repeated_index_tris,zero_area_tris,"
                         "duplicate_tris,isolated_vertices,components,";
    assert_int_equal(strncmp(line, header, strlen(header)), 0);
    int rows = 0;
    while (fgets(line, sizeof line, csv) != NULL) {
        char file[512];
        unsigned n[TEST_COLUMNS];
        const int fields = sscanf(line, "%511[^,],%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,", file, &n[0], &n[1],
                                  &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10], &n[11]);
        assert_int_equal(fields, 1 + TEST_COLUMNS);
        test_check_row(*state, file, n);
        ++rows;
    }
    fclose(csv);
    assert_true(rows > 0);
    print_message("%d meshes agree with their statistics\n", rows);
}

static td_result test_inspect_allocating(td_context *context) {
    static const double positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t triangle[3] = {0, 1, 2};
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    td_trimesh mesh;
    td_result result = td_trimesh_create(&mesh, context, &def);
    if (result == TD_OK) {
        td_mesh_report report;
        result = td_inspect_trimesh(&report, context, &mesh);
        td_trimesh_destroy(&mesh);
    }
    return result;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    test_run_out_of_memory(test_inspect_allocating);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_oddities),
        cmocka_unit_test(test_zero_area_is_exact),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_statistics_of_the_data),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
