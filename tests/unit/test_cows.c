// 8 x 8 x 8 cows fall onto a plane: after 400 steps they are at rest in a heap, none of them below the plane
// or gone, and none of them deep inside another. Of the cow that is built in, and of the one of the data
// folder.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <tandem/scene.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_COWS = 512, TEST_STEPS = 400, TEST_SLABS = 64 };

// ---------------------------------------------------------------------------------------------------------
// How deep vertices of one cow are inside another, found the plain way: what the world says of its own
// contacts is no proof.

typedef struct test_solid {
    const td_mesh *mesh;
    uint32_t vertex_count, triangle_count;
    double (*vertices)[3];
    uint32_t (*triangles)[3];
    double lower[3], upper[3];
    uint32_t *slabs[TEST_SLABS]; // triangles that reach into a slab of y
    uint32_t slab_counts[TEST_SLABS];
} test_solid;

static int test_slab_of(const test_solid *solid, double y) {
    const double part = (y - solid->lower[1]) / (solid->upper[1] - solid->lower[1]);
    const int slab = (int)floor(part * TEST_SLABS);
    return slab < 0 ? 0 : slab >= TEST_SLABS ? TEST_SLABS - 1 : slab;
}

static void test_fill_slabs(test_solid *solid) {
    for (int s = 0; s < TEST_SLABS; ++s) {
        solid->slabs[s] = malloc(solid->triangle_count * sizeof **solid->slabs);
        assert_non_null(solid->slabs[s]);
    }
    for (uint32_t t = 0; t < solid->triangle_count; ++t) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int k = 0; k < 3; ++k) {
            low = fmin(low, solid->vertices[solid->triangles[t][k]][1]);
            high = fmax(high, solid->vertices[solid->triangles[t][k]][1]);
        }
        for (int s = test_slab_of(solid, low); s <= test_slab_of(solid, high); ++s) {
            solid->slabs[s][solid->slab_counts[s]++] = t;
        }
    }
}

static test_solid test_make_solid(const td_mesh *mesh) {
    test_solid solid = {.mesh = mesh,
                        .vertex_count = td_mesh_vertex_count(mesh),
                        .triangle_count = td_mesh_triangle_count(mesh)};
    solid.vertices = malloc(solid.vertex_count * sizeof *solid.vertices);
    solid.triangles = malloc(solid.triangle_count * sizeof *solid.triangles);
    assert_true(solid.vertices != NULL && solid.triangles != NULL);
    for (uint32_t v = 0; v < solid.vertex_count; ++v) {
        td_mesh_vertex(solid.vertices[v], mesh, v);
    }
    for (uint32_t t = 0; t < solid.triangle_count; ++t) {
        td_mesh_triangle(solid.triangles[t], mesh, t);
    }
    td_mesh_bounds(solid.lower, solid.upper, mesh);
    test_fill_slabs(&solid);
    return solid;
}

static void test_free_solid(test_solid *solid) {
    for (int s = 0; s < TEST_SLABS; ++s) {
        free(solid->slabs[s]);
    }
    free(solid->vertices);
    free(solid->triangles);
}

// Whether the line from p towards +x meets the triangle.
static bool test_ray_meets(const test_solid *solid, uint32_t triangle, const double p[3]) {
    const double *a = solid->vertices[solid->triangles[triangle][0]];
    const double *b = solid->vertices[solid->triangles[triangle][1]];
    const double *c = solid->vertices[solid->triangles[triangle][2]];
    const double u = (b[1] - p[1]) * (c[2] - p[2]) - (b[2] - p[2]) * (c[1] - p[1]);
    const double v = (c[1] - p[1]) * (a[2] - p[2]) - (c[2] - p[2]) * (a[1] - p[1]);
    const double w = (a[1] - p[1]) * (b[2] - p[2]) - (a[2] - p[2]) * (b[1] - p[1]);
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) {
        return false;
    }
    const double sum = u + v + w;
    return sum != 0 && (u * a[0] + v * b[0] + w * c[0]) / sum > p[0];
}

static bool test_is_inside(const test_solid *solid, const double p[3]) {
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] > solid->lower[k] && p[k] < solid->upper[k])) {
            return false;
        }
    }
    const int slab = test_slab_of(solid, p[1]);
    bool inside = false;
    for (uint32_t i = 0; i < solid->slab_counts[slab]; ++i) {
        inside ^= test_ray_meets(solid, solid->slabs[slab][i], p);
    }
    return inside;
}

static double test_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double test_segment_distance(const double p[3], const double a[3], const double b[3]) {
    double d[3], e[3], rest[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = b[k] - a[k];
        e[k] = p[k] - a[k];
    }
    const double length = test_dot(d, d);
    const double t = length > 0 ? fmin(fmax(test_dot(d, e) / length, 0), 1) : 0;
    for (int k = 0; k < 3; ++k) {
        rest[k] = e[k] - t * d[k];
    }
    return sqrt(test_dot(rest, rest));
}

static double test_triangle_distance(const test_solid *solid, uint32_t triangle, const double p[3]) {
    const double *corners[3];
    for (int k = 0; k < 3; ++k) {
        corners[k] = solid->vertices[solid->triangles[triangle][k]];
    }
    double e1[3], e2[3], d[3], n[3];
    for (int k = 0; k < 3; ++k) {
        e1[k] = corners[1][k] - corners[0][k];
        e2[k] = corners[2][k] - corners[0][k];
        d[k] = p[k] - corners[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        n[k] = e1[(k + 1) % 3] * e2[(k + 2) % 3] - e1[(k + 2) % 3] * e2[(k + 1) % 3];
    }
    const double a = test_dot(e1, e1), b = test_dot(e1, e2), c = test_dot(e2, e2);
    const double f = test_dot(d, e1), g = test_dot(d, e2), det = a * c - b * b;
    const double u = c * f - b * g, v = a * g - b * f;
    if (det > 0 && u >= 0 && v >= 0 && u + v <= det) {
        return fabs(test_dot(d, n)) / sqrt(test_dot(n, n));
    }
    double least = DBL_MAX;
    for (int k = 0; k < 3; ++k) {
        least = fmin(least, test_segment_distance(p, corners[k], corners[(k + 1) % 3]));
    }
    return least;
}

static double test_depth(const test_solid *solid, const double p[3]) {
    double least = DBL_MAX;
    for (uint32_t t = 0; t < solid->triangle_count; ++t) {
        least = fmin(least, test_triangle_distance(solid, t, p));
    }
    return least;
}

// v + 2 q x (q x v + w v); `back`: by the inverse.
static void test_rotate(double out[3], const double rotation[4], const double v[3], bool back) {
    const double w = back ? -rotation[3] : rotation[3], *q = rotation;
    double t[3];
    for (int k = 0; k < 3; ++k) {
        t[k] = q[(k + 1) % 3] * v[(k + 2) % 3] - q[(k + 2) % 3] * v[(k + 1) % 3] + w * v[k];
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = v[k] + 2 * (q[(k + 1) % 3] * t[(k + 2) % 3] - q[(k + 2) % 3] * t[(k + 1) % 3]);
    }
}

static void test_to_world(double out[3], const td_pose *pose, const double p[3]) {
    test_rotate(out, pose->rotation, p, false);
    for (int k = 0; k < 3; ++k) {
        out[k] += pose->position[k];
    }
}

// How deep the deepest vertex of one body is inside another of the same mesh; 0 if none is.
static double test_deepest_vertex(const test_solid *solid, const td_body_state *of, const td_body_state *in) {
    double deepest = 0;
    for (uint32_t v = 0; v < solid->vertex_count; ++v) {
        double world[3], local[3];
        test_to_world(world, &of->pose, solid->vertices[v]);
        for (int k = 0; k < 3; ++k) {
            world[k] -= in->pose.position[k];
        }
        test_rotate(local, in->pose.rotation, world, true);
        if (test_is_inside(solid, local)) {
            deepest = fmax(deepest, test_depth(solid, local));
        }
    }
    return deepest;
}

// ---------------------------------------------------------------------------------------------------------

typedef struct test_heap {
    double peak, end;         // J: mean kinetic energy per body
    double reported;          // m: the deepest contact of the last step
    double deepest, below;    // m: the deepest vertex inside another cow, and below the plane
    double radius;            // m, of a cow
    double farthest, highest; // m
    uint32_t count, awake;
} test_heap;

static td_body_state test_body_at(const td_world *world, uint32_t place) {
    td_body_state body;
    assert_int_equal(td_get_body(&body, world, td_body_at(world, place)), TD_OK);
    return body;
}

static void test_measure_cow(test_heap *heap, const test_solid *solid, const td_body_state *body) {
    heap->radius = body->radius;
    heap->farthest = fmax(heap->farthest, hypot(body->centre[0], body->centre[2]));
    heap->highest = fmax(heap->highest, body->centre[1]);
    for (uint32_t v = 0; v < solid->vertex_count; ++v) {
        double point[3];
        test_to_world(point, &body->pose, solid->vertices[v]);
        heap->below = fmax(heap->below, -point[1]);
    }
    ++heap->count;
}

static void test_measure_pairs(test_heap *heap, const test_solid *solid, const td_body_state *bodies,
                               uint32_t count) {
    char worst[128] = "";
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < count; ++k) {
            double apart[3];
            for (int c = 0; c < 3; ++c) {
                apart[c] = bodies[i].centre[c] - bodies[k].centre[c];
            }
            const double reach = bodies[i].radius + bodies[k].radius;
            if (i == k || test_dot(apart, apart) > reach * reach) {
                continue;
            }
            const double depth = test_deepest_vertex(solid, &bodies[i], &bodies[k]);
            if (depth > heap->deepest) {
                heap->deepest = depth;
                (void)snprintf(worst, sizeof worst, "%s in %s", bodies[i].name, bodies[k].name);
            }
        }
    }
    print_message("  deepest vertex: %.5f m, of %s\n", heap->deepest, worst);
}

static void test_measure(test_heap *heap, const td_world *world) {
    static td_body_state cows[TEST_COWS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < td_body_count(world); ++i) {
        const td_body_state body = test_body_at(world, i);
        if (body.kind == TD_BODY_DYNAMIC) {
            assert_true(count < TEST_COWS);
            cows[count++] = body;
        }
    }
    test_solid solid = test_make_solid(cows[0].mesh);
    for (uint32_t i = 0; i < count; ++i) {
        assert_ptr_equal(cows[i].mesh, solid.mesh);
        test_measure_cow(heap, &solid, &cows[i]);
    }
    test_measure_pairs(heap, &solid, cows, count);
    test_free_solid(&solid);
}

static test_heap test_drop(const char *mesh) {
    td_context *context = NULL;
    td_scene *scene = NULL;
    const td_context_def context_def = td_default_context_def();
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    td_scene_def def = td_default_scene_def();
    def.narrow = test_narrow();
    if (mesh != NULL) {
        def.meshes = &mesh;
        def.mesh_count = 1;
    }
    if (td_load_scene(&scene, context, "cows", &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    test_heap heap = {0};
    td_step_report report = {0};
    for (int s = 0; s < TEST_STEPS; ++s) {
        if (td_step_scene(&report, scene) != TD_OK) {
            fail_msg("%s", td_error_message());
        }
        heap.peak = fmax(heap.peak, report.kinetic_energy / TEST_COWS);
    }
    heap.end = report.kinetic_energy / TEST_COWS;
    heap.reported = report.penetration;
    heap.awake = report.awake;
    test_measure(&heap, td_scene_world(scene));
    td_destroy_scene(scene);
    td_destroy_context(context);
    return heap;
}

static void test_expect_rest(const char *name, const test_heap *heap) {
    print_message(
        "%s: %u cows of radius %.3f m; mean kinetic energy %.4g J at the end, %.4g J at its peak; %u awake\n"
        "  deepest contact %.5f m, %.5f m below the plane; farthest out %.1f m, highest %.1f m\n",
        name, heap->count, heap->radius, heap->end, heap->peak, heap->awake, heap->reported, heap->below,
        heap->farthest, heap->highest);
    assert_int_equal(heap->count, TEST_COWS);
    assert_true(heap->peak > 0);
    assert_true(heap->end < 0.01 * heap->peak);
    // The plane ends 100 m from its middle; the heap has no reason to get near.
    assert_true(heap->farthest < 60);
    assert_true(heap->highest < 30);
    assert_true(heap->below < 0.02 * heap->radius);
    assert_true(heap->reported < 0.02 * heap->radius);
    assert_true(heap->deepest < 0.02 * heap->radius);
}

static void test_built_in(void **state) {
    (void)state;
    const test_heap heap = test_drop(NULL);
    test_expect_rest("the built-in cow", &heap);
}

static void test_data(void **state) {
    (void)state;
    const char *path = TD_TEST_DATA "/meshes/cow.obj";
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        print_message("meshes/cow.obj is not in the data folder: the heap of detailed cows is left out\n");
        skip();
    }
    (void)fclose(file);
    const test_heap heap = test_drop("cow=" TD_TEST_DATA "/meshes/cow.obj");
    test_expect_rest("meshes/cow.obj", &heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
