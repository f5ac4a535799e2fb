// The built-in shapes keep what their table promises, at several subdivisions; and the parts that make them.
#include "mesh/arrays.h"
#include "mesh/halfedge.h"
#include "mesh/polygonise.h"
#include "mesh/shapes.h"
#include "mesh/subdivide.h"
#include "predicates/tri_tri.h"
#include "query/inspect.h"
#include "test_mesh_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Changes with every change of the cow, on purpose or not.
#define TEST_COW_HASH 0x0ce21d0feba1ace8u

static td_mesh_arrays test_shape(td_context *context, const char *name, uint32_t subdivide) {
    td_mesh_arrays mesh;
    if (td_shape_arrays(&mesh, context, name, subdivide) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return mesh;
}

static td_mesh_report test_report(td_context *context, const td_mesh_arrays *arrays) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays->positions;
    def.vertex_count = arrays->vertex_count;
    def.triangles = arrays->triangles;
    def.triangle_count = arrays->triangle_count;
    def.borrow = true;
    td_trimesh mesh;
    td_mesh_report report;
    assert_int_equal(td_trimesh_create(&mesh, context, &def), TD_OK);
    assert_int_equal(td_inspect_trimesh(&report, context, &mesh), TD_OK);
    td_trimesh_destroy(&mesh);
    return report;
}

// A closed connected surface without a flaw, about the origin, of the size that the API states.
static bool test_is_ring(const char *name) {
    static const char *const rings[] = {"torus", "ring", "knot", "hoop", "clover", "wave", "pretzel"};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; ++i) {
        if (strcmp(name, rings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void test_check_surface(td_context *context, const char *name, const td_mesh_arrays *arrays) {
    const td_mesh_report r = test_report(context, arrays);
    const bool open = strcmp(name, "sheet") == 0;
    const bool flawless = r.distinct_positions == r.vertices && r.nonmanifold_edges == 0 &&
                          r.misoriented_edges == 0 && r.repeated_vertex == 0 && r.zero_area == 0 &&
                          r.duplicate_triangles == 0 && r.unreferenced_vertices == 0 && r.components == 1;
    if (!flawless || r.closed == open || (r.boundary_edges > 0) != open || (!open && !(r.volume > 0))) {
        fail_msg("%s of %u triangles has a flaw", name, r.triangles);
    }
    if (open) { // a square of edge 2, facing up
        assert_true(fabs(r.area - 4) < 1e-12);
        return;
    }
    // Euler's formula: V - E + F is 2 of a ball, 0 of a ring. Every triangle has 3 halves of edges.
    const int64_t euler = (int64_t)r.vertices - r.triangles / 2;
    assert_int_equal(euler, test_is_ring(name) ? 0 : 2);
    for (int k = 0; k < 3; ++k) {
        assert_true(r.lower[k] < 0 && r.upper[k] > 0);
        assert_true(r.upper[k] - r.lower[k] > 0.29 && r.upper[k] - r.lower[k] < 2.01);
    }
}

typedef struct test_box {
    double lower[3], upper[3];
} test_box;

static td_triangle test_triangle(const td_mesh_arrays *mesh, uint32_t triangle) {
    const uint32_t *i = mesh->triangles + 3 * (size_t)triangle;
    return (td_triangle){td_arrays_vertex(mesh, i[0]), td_arrays_vertex(mesh, i[1]),
                         td_arrays_vertex(mesh, i[2])};
}

static bool test_boxes_overlap(const test_box *a, const test_box *b) {
    for (int k = 0; k < 3; ++k) {
        if (a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k]) {
            return false;
        }
    }
    return true;
}

static bool test_share_vertex(const uint32_t *a, const uint32_t *b) {
    for (int i = 0; i < 3; ++i) {
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2]) {
            return true;
        }
    }
    return false;
}

// Every pair of triangles that share no vertex, boxes first.
static uint32_t test_count_self_intersections(const td_mesh_arrays *mesh) {
    test_box *boxes = malloc(mesh->triangle_count * sizeof *boxes);
    assert_non_null(boxes);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *i = mesh->triangles + 3 * (size_t)t;
        for (size_t k = 0; k < 3; ++k) {
            const double x[3] = {mesh->positions[3 * (size_t)i[0] + k], mesh->positions[3 * (size_t)i[1] + k],
                                 mesh->positions[3 * (size_t)i[2] + k]};
            boxes[t].lower[k] = fmin(x[0], fmin(x[1], x[2]));
            boxes[t].upper[k] = fmax(x[0], fmax(x[1], x[2]));
        }
    }
    uint32_t count = 0;
    for (uint32_t a = 0; a < mesh->triangle_count; ++a) {
        for (uint32_t b = a + 1; b < mesh->triangle_count; ++b) {
            if (test_boxes_overlap(&boxes[a], &boxes[b]) &&
                !test_share_vertex(mesh->triangles + 3 * (size_t)a, mesh->triangles + 3 * (size_t)b)) {
                count += td_triangles_intersect(test_triangle(mesh, a), test_triangle(mesh, b)) != 0;
            }
        }
    }
    free(boxes);
    return count;
}

static void test_every_shape(void **state) {
    assert_true(td_shape_count() >= 5);
    for (uint32_t s = 0; s < td_shape_count(); ++s) {
        const char *name = td_shape_name(s);
        uint32_t triangle_count = 0;
        for (uint32_t subdivide = 0; subdivide < 3; ++subdivide) {
            td_mesh_arrays mesh = test_shape(*state, name, subdivide);
            assert_int_equal(mesh.triangle_count, subdivide == 0 ? mesh.triangle_count : 4 * triangle_count);
            triangle_count = mesh.triangle_count;
            test_check_surface(*state, name, &mesh);
            if (triangle_count < 10000) {
                assert_int_equal(test_count_self_intersections(&mesh), 0);
            }
            td_arrays_release(&mesh, *state);
        }
    }
    assert_null(td_shape_name(td_shape_count()));
    assert_null(td_shape_description(td_shape_count()));
}

// "...: 320 triangles".
static void test_descriptions(void **state) {
    for (uint32_t s = 0; s < td_shape_count(); ++s) {
        td_mesh_arrays mesh = test_shape(*state, td_shape_name(s), 0);
        unsigned stated = 0;
        assert_int_equal(sscanf(strrchr(td_shape_description(s), ':'), ": %u triangles", &stated), 1);
        assert_int_equal(stated, mesh.triangle_count);
        td_arrays_release(&mesh, *state);
    }
}

static double test_worst_quality(const td_mesh_arrays *mesh) {
    double worst = 1;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const td_triangle p = test_triangle(mesh, t);
        const td_vec3 a = td_sub(p.p1, p.p0);
        const td_vec3 b = td_sub(p.p2, p.p0);
        const td_vec3 c = td_sub(p.p2, p.p1);
        const td_vec3 n = td_cross(a, b);
        worst =
            fmin(worst, 2 * sqrt(3.0) * sqrt(td_dot(n, n)) / (td_dot(a, a) + td_dot(b, b) + td_dot(c, c)));
    }
    return worst;
}

// The cow is the shape that benchmarks use: its size is fixed, its triangles are sound, and the finest of its
// levels that is used has no self-intersections.
static void test_cow(void **state) {
    td_mesh_arrays mesh = test_shape(*state, "cow", 0);
    assert_int_equal(mesh.triangle_count, 1500);
    assert_true(test_worst_quality(&mesh) > 0.5); // an equilateral triangle: 1
    td_arrays_release(&mesh, *state);
    mesh = test_shape(*state, "cow", 2);
    assert_int_equal(mesh.triangle_count, 24000);
    assert_true(test_worst_quality(&mesh) > 0.4);
    assert_int_equal(test_count_self_intersections(&mesh), 0);
    td_arrays_release(&mesh, *state);
}

// What is computed from + - * / and square roots alone is the same everywhere: FNV-1a over all the bits.
static void test_same_on_every_machine(void **state) {
    td_mesh_arrays mesh = test_shape(*state, "cow", 1);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; ++i) {
        uint64_t bits;
        memcpy(&bits, &mesh.positions[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh.triangle_count; ++i) {
        hash = (hash ^ mesh.triangles[i]) * 0x100000001b3u;
    }
    td_arrays_release(&mesh, *state);
    assert_int_equal(hash, TEST_COW_HASH);
}

// Curved shapes approach their volume as they are subdivided.
static void test_volumes(void **state) {
    const double pi = 3.14159265358979324;
    const struct {
        const char *name;
        double volume;
    } rows[] = {
        {"box", 1},
        {"tetrahedron", 1.0 / 3},
        {"octahedron", 4.0 / 3},
        {"sphere", 4 * pi / 3},
        {"cylinder", pi / 4},
        {"cone", pi / 12},
        {"capsule", pi * 0.09 * (1 + 4 * 0.3 / 3)},
        {"torus", 2 * pi * 0.7 * pi * 0.0625},
        {"ring", 2 * pi * 0.8 * pi * 0.0225},
        {"bowl", 2 * pi / 3 * (1 - 0.729)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        td_mesh_arrays mesh = test_shape(*state, rows[i].name, 3);
        const double volume = test_report(*state, &mesh).volume;
        td_arrays_release(&mesh, *state);
        assert_true(fabs(volume / rows[i].volume - 1) < 2e-3);
    }
}

static void test_refused_shapes(void **state) {
    td_mesh_arrays mesh;
    assert_int_equal(td_shape_arrays(&mesh, *state, "cube", 0), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "there is no shape \"cube\"; known are box, "));
    assert_non_null(strstr(td_error_message(), ", cow"));
    assert_int_equal(td_shape_arrays(&mesh, *state, NULL, 0), TD_ERROR_ARGUMENT);
    for (uint32_t subdivide = 13; subdivide != 0; subdivide *= 3) { // up to beyond 32 bits
        assert_int_equal(td_shape_arrays(&mesh, *state, "box", subdivide), TD_ERROR_ARGUMENT);
        assert_non_null(strstr(td_error_message(), "box: 12 triangles split in four"));
        if (subdivide > UINT32_MAX / 3) {
            break;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

// Edges are shared, non-manifold ones as well; sides from a vertex to itself stay there.
static void test_subdivide_odd_triangles(void **state) {
    double positions[5][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0, -2, 0}};
    uint32_t triangles[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 0, 4}, {2, 2, 3}};
    const td_mesh_arrays mesh = {positions[0], triangles[0], 5, 4, false};
    td_mesh_arrays fine;
    assert_int_equal(td_subdivide(&fine, *state, &mesh, NULL), TD_OK);
    assert_int_equal(fine.triangle_count, 16);
    assert_int_equal(fine.vertex_count, 5 + 8); // 01 02 12 03 13 04 14 23
    for (uint32_t t = 0; t < 4; ++t) {
        const uint32_t *f = fine.triangles + 12 * (size_t)t;
        const uint32_t corner[3] = {f[0], f[4], f[8]};
        const uint32_t middle[3] = {f[1], f[5], f[6]};
        for (int k = 0; k < 3; ++k) {
            const uint32_t next = triangles[t][(k + 1) % 3];
            assert_int_equal(corner[k], triangles[t][k]);
            for (int axis = 0; axis < 3; ++axis) {
                const double half = (positions[corner[k]][axis] + positions[next][axis]) / 2;
                assert_true(fine.positions[3 * (size_t)middle[k] + (size_t)axis] == half);
            }
        }
    }
    assert_int_equal(fine.triangles[12 * 3 + 1], 2); // the middle of the side from 2 to 2
    td_arrays_release(&fine, *state);
}

static void test_halfedges_refuse(void **state) {
    double positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    td_mesh_arrays mesh = {positions[0], triangles[0], 4, 3, false};
    td_halfedge_mesh halfedges;
    assert_int_equal(td_halfedge_create(&halfedges, *state, &mesh), TD_ERROR_MESH); // open
    mesh.triangle_count = 4;
    triangles[3][1] = 3;
    triangles[3][2] = 2;
    assert_int_equal(td_halfedge_create(&halfedges, *state, &mesh), TD_ERROR_MESH); // misoriented
    triangles[3][1] = 1;
    assert_int_equal(td_halfedge_create(&halfedges, *state, &mesh), TD_ERROR_MESH); // one vertex twice
}

// Random collapses and flips, as far as they are allowed, keep a closed manifold.
static void test_halfedges_stay_manifold(void **state) {
    td_mesh_arrays sphere = test_shape(*state, "sphere", 0);
    td_halfedge_mesh mesh;
    assert_int_equal(td_halfedge_create(&mesh, *state, &sphere), TD_OK);
    enum { HALF_EDGES = 3 * 320 };
    assert_int_equal(3 * mesh.triangle_count, HALF_EDGES);
    uint64_t random = 1;
    for (int i = 0; i < 2000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t h = (uint32_t)(random >> 33) % HALF_EDGES;
        if (mesh.origin[h] == TD_DEAD) {
            continue;
        }
        if (i % 2 == 0 && td_halfedge_may_flip(&mesh, h)) {
            td_halfedge_flip(&mesh, h);
        } else if (i % 2 == 1 && td_halfedge_may_collapse(&mesh, h)) {
            td_halfedge_collapse(&mesh, h);
        }
        for (uint32_t g = 0; g < 3 * mesh.triangle_count; ++g) {
            if (mesh.origin[g] != TD_DEAD) {
                assert_int_equal(mesh.twin[mesh.twin[g]], g);
                assert_int_equal(mesh.origin[mesh.twin[g]], td_halfedge_target(&mesh, g));
                assert_int_equal(mesh.origin[mesh.leaving[mesh.origin[g]]], mesh.origin[g]);
            }
        }
    }
    td_mesh_arrays result;
    assert_int_equal(td_halfedge_to_arrays(&result, *state, &mesh), TD_OK);
    const td_mesh_report r = test_report(*state, &result);
    assert_true(r.triangles < 100);
    assert_int_equal(r.boundary_edges + r.nonmanifold_edges + r.misoriented_edges + r.repeated_vertex, 0);
    assert_int_equal(r.unreferenced_vertices, 0);
    td_arrays_release(&result, *state);
    td_halfedge_destroy(&mesh, *state);
    td_arrays_release(&sphere, *state);
}

// Noise makes every case of the tetrahedra occur; positive at the faces, so that the surface closes.
static double test_noise(td_vec3 p, const void *payload) {
    const double *size = payload;
    if (p.x == 0 || p.y == 0 || p.z == 0 || p.x == *size || p.y == *size || p.z == *size) {
        return 1;
    }
    uint64_t bits = (uint64_t)p.x + 64 * (uint64_t)p.y + 4096 * (uint64_t)p.z + 1;
    bits *= 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
    return (double)(int64_t)(bits ^ (bits >> 32));
}

static void test_polygonise_noise(void **state) {
    const td_grid grid = {{0, 0, 0}, 1, {12, 12, 12}};
    const double size = 11;
    td_mesh_arrays mesh;
    assert_int_equal(td_polygonise(&mesh, *state, &grid, test_noise, &size), TD_OK);
    const td_mesh_report r = test_report(*state, &mesh);
    assert_true(r.triangles > 5000);
    assert_true(r.closed);
    assert_int_equal(r.distinct_positions, r.vertices);
    assert_int_equal(r.boundary_edges + r.nonmanifold_edges + r.misoriented_edges + r.zero_area, 0);
    assert_true(r.volume > 0);
    td_arrays_release(&mesh, *state);
}

// ---------------------------------------------------------------------------------------------------------

static td_result test_make_and_release(td_context *context, const char *name, uint32_t subdivide) {
    td_mesh_arrays mesh;
    const td_result result = td_shape_arrays(&mesh, context, name, subdivide);
    if (result == TD_OK) {
        td_arrays_release(&mesh, context);
    }
    return result;
}

static td_result test_make_box(td_context *context) {
    return test_make_and_release(context, "box", 2);
}

static td_result test_make_sphere(td_context *context) {
    return test_make_and_release(context, "sphere", 1);
}

static td_result test_make_cow(td_context *context) {
    return test_make_and_release(context, "cow", 0);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    test_run_out_of_memory(test_make_box);
    test_run_out_of_memory(test_make_sphere);
    test_run_out_of_memory(test_make_cow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_cow),
        cmocka_unit_test(test_same_on_every_machine),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_refused_shapes),
        cmocka_unit_test(test_subdivide_odd_triangles),
        cmocka_unit_test(test_halfedges_refuse),
        cmocka_unit_test(test_halfedges_stay_manifold),
        cmocka_unit_test(test_polygonise_noise),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
