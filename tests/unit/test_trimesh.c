// Taking mesh arrays over: what is refused and how it is said, what is measured, what is connected.
#include "mesh/trimesh.h"
#include "support/random.h"
#include "test_mesh_support.h"

#include <math.h>
#include <string.h>

static const double test_tetrahedron[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
static const uint32_t test_tetrahedron_triangles[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};

static td_mesh_def test_tetrahedron_def(void) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = test_tetrahedron;
    def.vertex_count = 4;
    def.triangles = test_tetrahedron_triangles[0];
    def.triangle_count = 4;
    def.name = "tetra";
    return def;
}

static void test_refused(void **state, const td_mesh_def *def, td_result wanted, const char *message) {
    td_trimesh mesh;
    assert_int_equal(td_trimesh_create(&mesh, *state, def), wanted);
    assert_string_equal(td_error_message(), message);
}

static void test_copied(void **state) {
    const td_mesh_def def = test_tetrahedron_def();
    td_trimesh mesh;
    assert_int_equal(td_trimesh_create(&mesh, *state, &def), TD_OK);
    assert_string_equal(mesh.name, "tetra");
    assert_false(mesh.borrowed);
    assert_true(mesh.positions != (const unsigned char *)test_tetrahedron);
    assert_memory_equal(mesh.positions, test_tetrahedron, sizeof test_tetrahedron);
    assert_memory_equal(mesh.indices, test_tetrahedron_triangles, sizeof test_tetrahedron_triangles);
    assert_true(mesh.closed);
    assert_int_equal(mesh.seed_count, 1);
    assert_int_equal(mesh.seeds[0], 0);
    assert_true(td_same_point(mesh.lower, td_vec3_make(0, 0, -1)));
    assert_true(td_same_point(mesh.upper, td_vec3_make(1, 1, 0)));
    assert_true(mesh.largest == 1);
    assert_null(mesh.weld); // no two vertices coincide
    assert_int_equal(td_trimesh_bytes(&mesh), 4 * 24 + 12 * 4 + 1 * 4 + sizeof "tetra");
    td_trimesh_destroy(&mesh);
}

// float32, more per vertex than its position, not copied.
static void test_borrowed_strided_floats(void **state) {
    float vertices[4][5];
    for (int v = 0; v < 4; ++v) {
        for (int k = 0; k < 5; ++k) {
            vertices[v][k] = k < 3 ? (float)(test_tetrahedron[v][k] + 0.1) : NAN;
        }
    }
    td_mesh_def def = test_tetrahedron_def();
    def.scalar = TD_FLOAT32;
    def.positions = vertices;
    def.position_stride = sizeof vertices[0];
    def.borrow = true;
    def.name = NULL;
    td_trimesh mesh;
    assert_int_equal(td_trimesh_create(&mesh, *state, &def), TD_OK);
    assert_ptr_equal(mesh.positions, vertices);
    assert_ptr_equal(mesh.indices, test_tetrahedron_triangles);
    assert_string_equal(mesh.name, "");
    assert_true(td_trimesh_vertex(&mesh, 1).x == (double)(float)1.1);
    assert_true(mesh.largest == (double)(float)1.1);
    assert_int_equal(td_trimesh_bytes(&mesh), 1 * 4 + 1);
    td_trimesh_destroy(&mesh);

    def.borrow = false;
    assert_int_equal(td_trimesh_create(&mesh, *state, &def), TD_OK);
    assert_int_equal(mesh.stride, 3 * sizeof(float));
    assert_true(td_trimesh_vertex(&mesh, 3).z == (double)(float)-0.9);
    td_trimesh_destroy(&mesh);
}

static void test_refused_definitions(void **state) {
    td_mesh_def def = test_tetrahedron_def();
    def.cookie = 0;
    test_refused(state, &def, TD_ERROR_ARGUMENT,
                 "the definition struct was not initialised: start from td_default_mesh_def()");
    def = test_tetrahedron_def();
    def.scalar = (td_scalar)7;
    test_refused(state, &def, TD_ERROR_ARGUMENT, "tetra: scalar 7 is neither TD_FLOAT64 nor TD_FLOAT32");
    def = test_tetrahedron_def();
    def.positions = NULL;
    test_refused(state, &def, TD_ERROR_ARGUMENT, "tetra: positions is null, but there should be 4 vertices");
    def = test_tetrahedron_def();
    def.triangles = NULL;
    test_refused(state, &def, TD_ERROR_ARGUMENT, "tetra: triangles is null, but there should be 4 triangles");
    def = test_tetrahedron_def();
    def.position_stride = 16;
    test_refused(state, &def, TD_ERROR_ARGUMENT,
                 "tetra: a position stride of 16 bytes is too small: three coordinates take 24 bytes");
    def.position_stride = 28;
    test_refused(state, &def, TD_ERROR_ARGUMENT,
                 "tetra: a position stride of 28 bytes is no multiple of a coordinate's 8 bytes");
    def = test_tetrahedron_def();
    def.positions = (const unsigned char *)test_tetrahedron + 4;
    test_refused(state, &def, TD_ERROR_ARGUMENT, "tetra: positions is not aligned to a coordinate's 8 bytes");
    def = test_tetrahedron_def();
    def.triangles = (const uint32_t *)(const void *)((const unsigned char *)test_tetrahedron_triangles + 2);
    test_refused(state, &def, TD_ERROR_ARGUMENT, "tetra: triangles is not aligned to an index's 4 bytes");
    def = test_tetrahedron_def();
    def.triangle_count = UINT32_MAX;
    test_refused(state, &def, TD_ERROR_UNSUPPORTED,
                 "tetra: 4294967295 triangles on 4 vertices are too many: the most are 1073741824 and "
                 "2147483648");
}

static void test_refused_contents(void **state) {
    td_mesh_def def = test_tetrahedron_def();
    def.triangle_count = 0;
    test_refused(state, &def, TD_ERROR_MESH, "tetra: there are no triangles");
    def = test_tetrahedron_def();
    def.vertex_count = 3;
    test_refused(state, &def, TD_ERROR_MESH,
                 "tetra: triangle 1 refers to vertex 3, but there are only 3 vertices");
    def.vertex_count = 0;
    def.positions = NULL;
    def.name = NULL;
    test_refused(state, &def, TD_ERROR_MESH,
                 "mesh: triangle 0 refers to vertex 0, but there are only 0 vertices");
    double vertices[5][3];
    memcpy(vertices, test_tetrahedron, sizeof test_tetrahedron);
    vertices[4][0] = 1;
    vertices[4][1] = INFINITY;
    vertices[4][2] = 0;
    def = test_tetrahedron_def();
    def.positions = vertices;
    def.vertex_count = 5; // the last one belongs to no triangle, but is looked at all the same
    test_refused(state, &def, TD_ERROR_MESH, "tetra: vertex 4 is at (1, inf, 0), which is not finite");
    for (int k = 0; k < 3; ++k) {
        vertices[4][1] = 0;
        vertices[4][k] = NAN;
        td_trimesh mesh;
        assert_int_equal(td_trimesh_create(&mesh, *state, &def), TD_ERROR_MESH);
        vertices[4][k] = 0;
    }
}

static void test_bounds_are_of_used_vertices(void **state) {
    double vertices[6][3];
    memcpy(vertices, test_tetrahedron, sizeof test_tetrahedron);
    for (int k = 0; k < 3; ++k) {
        vertices[4][k] = 1e300;
        vertices[5][k] = -1e300;
    }
    td_mesh_def def = test_tetrahedron_def();
    def.positions = vertices;
    def.vertex_count = 6;
    td_trimesh mesh;
    assert_int_equal(td_trimesh_create(&mesh, *state, &def), TD_OK);
    assert_true(mesh.largest == 1);
    assert_true(td_same_point(mesh.lower, td_vec3_make(0, 0, -1)));
    assert_int_equal(mesh.seed_count, 1);
    td_trimesh_destroy(&mesh);
}

enum { TEST_MOST_VERTICES = 20, TEST_MOST_TRIANGLES = 24 };

// The same by comparing all edges with all, and by spreading labels until nothing changes.
static void test_check_topology(const td_trimesh *mesh) {
    const uint32_t corner_count = 3 * mesh->triangle_count;
    uint32_t corner[3 * TEST_MOST_TRIANGLES] = {0};
    uint32_t label[TEST_MOST_VERTICES] = {0};
    assert_true(mesh->triangle_count <= TEST_MOST_TRIANGLES && mesh->vertex_count <= TEST_MOST_VERTICES);
    for (uint32_t i = 0; i < corner_count; ++i) {
        corner[i] = td_trimesh_welded(mesh, mesh->indices[i]);
    }
    bool closed = true;
    for (uint32_t i = 0; i < corner_count; ++i) {
        const uint32_t a = corner[i];
        const uint32_t b = corner[i % 3 == 2 ? i - 2 : i + 1];
        uint32_t uses = 0;
        for (uint32_t j = 0; j < corner_count; ++j) {
            const uint32_t c = corner[j];
            const uint32_t d = corner[j % 3 == 2 ? j - 2 : j + 1];
            uses += (a == c && b == d) || (a == d && b == c);
        }
        closed = closed && (a == b || uses % 2 == 0);
    }
    assert_int_equal(mesh->closed, closed);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        label[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < corner_count; ++i) {
            uint32_t *here = &label[corner[i]];
            uint32_t *next = &label[corner[i % 3 == 2 ? i - 2 : i + 1]];
            const uint32_t low = *here < *next ? *here : *next;
            changed = changed || *here != low || *next != low;
            *here = *next = low;
        }
    }
    uint32_t found = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        bool used = false;
        for (uint32_t i = 0; i < corner_count; ++i) {
            used = used || corner[i] == v;
        }
        if (used && label[v] == v) {
            assert_true(found < mesh->seed_count);
            assert_int_equal(mesh->seeds[found], v);
            ++found;
        }
    }
    assert_int_equal(found, mesh->seed_count);
}

// Random triangles, repeated corners and repeated positions among them; some meshes are everything twice,
// which makes them closed.
static void test_random_topology(void **state) {
    test_random random = {7};
    int closed_count = 0;
    for (int round = 0; round < 400; ++round) {
        double vertices[TEST_MOST_VERTICES][3];
        uint32_t triangles[TEST_MOST_TRIANGLES][3];
        const int vertex_count = test_random_int(&random, 1, TEST_MOST_VERTICES);
        const int triangle_count = test_random_int(&random, 1, TEST_MOST_TRIANGLES / 2);
        const int span = test_random_int(&random, 1, 12);
        for (int v = 0; v < vertex_count; ++v) {
            for (int k = 0; k < 3; ++k) {
                vertices[v][k] = k == 0 ? test_random_int(&random, 0, span) : 0;
            }
        }
        for (int t = 0; t < triangle_count; ++t) {
            for (int k = 0; k < 3; ++k) {
                triangles[t][k] = (uint32_t)test_random_int(&random, 0, vertex_count - 1);
            }
        }
        const bool twice = round % 2 == 1;
        if (twice) {
            memcpy(triangles + triangle_count, triangles, (size_t)triangle_count * sizeof *triangles);
        }
        td_mesh_def def = td_default_mesh_def();
        def.positions = vertices;
        def.vertex_count = (uint32_t)vertex_count;
        def.triangles = triangles[0];
        def.triangle_count = (uint32_t)(twice ? 2 * triangle_count : triangle_count);
        td_trimesh mesh;
        assert_int_equal(td_trimesh_create(&mesh, *state, &def), TD_OK);
        test_check_topology(&mesh);
        closed_count += mesh.closed;
        td_trimesh_destroy(&mesh);
    }
    assert_in_range(closed_count, 200, 399); // both answers were seen
}

static td_result test_create_and_destroy(td_context *context) {
    // Two tetrahedra that share no vertex, but one position.
    double vertices[8][3];
    uint32_t triangles[8][3];
    for (int v = 0; v < 8; ++v) {
        for (int k = 0; k < 3; ++k) {
            vertices[v][k] = v < 4 ? test_tetrahedron[v][k] : -test_tetrahedron[v - 4][k];
            triangles[v][k] = test_tetrahedron_triangles[v % 4][k] + (v < 4 ? 0 : 4);
        }
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = vertices;
    def.vertex_count = 8;
    def.triangles = triangles[0];
    def.triangle_count = 8;
    td_trimesh mesh;
    const td_result result = td_trimesh_create(&mesh, context, &def);
    if (result == TD_OK) {
        assert_int_equal(td_trimesh_welded(&mesh, 4), 0);
        assert_int_equal(mesh.seed_count, 1);
        assert_true(mesh.closed);
        td_trimesh_destroy(&mesh);
    }
    return result;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    test_run_out_of_memory(test_create_and_destroy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copied),
        cmocka_unit_test(test_borrowed_strided_floats),
        cmocka_unit_test(test_refused_definitions),
        cmocka_unit_test(test_refused_contents),
        cmocka_unit_test(test_bounds_are_of_used_vertices),
        cmocka_unit_test(test_random_topology),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
