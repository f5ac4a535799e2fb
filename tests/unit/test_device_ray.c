// Rays on a device: the hits are the native ones, to the bit, of rays of every kind at meshes of every kind.
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/results.h"

#include <tandem/tandem.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_place {
    test_heap heap;
    td_context *context;
    td_device *device, *without_float64; // null: there is none
    td_query *query;
} test_place;

static int test_open(void **state) {
    test_place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    test_heap_recover(&place->heap);
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    def.allocator = test_heap_allocator(&place->heap);
    test_ok(td_create_context(&place->context, &def));
    test_ok(td_create_query(&place->query, place->context));
    td_device_def device_def = td_default_device_def();
    if (td_create_device(&place->device, place->context, &device_def) == TD_OK) {
        td_device_info info;
        td_device_describe(&info, place->device);
        print_message("device: %s\n", info.name);
        device_def.without_float64 = true;
        test_ok(td_create_device(&place->without_float64, place->context, &device_def));
    } else {
        print_message("no usable OpenCL device, all is skipped: %s\n", td_error_message());
    }
    *state = place;
    return 0;
}

static int test_close(void **state) {
    test_place *place = *state;
    td_destroy_query(place->query);
    td_destroy_device(place->without_float64);
    td_destroy_device(place->device);
    td_destroy_context(place->context);
    assert_int_equal(atomic_load(&place->heap.blocks), 0);
    assert_int_equal(atomic_load(&place->heap.mistakes), 0);
    free(place);
    return 0;
}

#define TEST_NEEDS_DEVICE(place)                                                                             \
    if ((place)->device == NULL) {                                                                           \
        skip();                                                                                              \
    }

// ---------------------------------------------------------------------------------------------------------

static bool test_same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

// Returns how many rays hit.
static size_t test_same_hits(const td_ray_hit *found, const td_ray_hit *expected, size_t count,
                             const char *what) {
    size_t hits = 0;
    for (size_t i = 0; i < count; ++i) {
        const td_ray_hit *a = &found[i], *b = &expected[i];
        if (a->hit != b->hit || a->triangle != b->triangle || a->side != b->side ||
            !test_same_bits(a->t, b->t) || !test_same_bits(a->u, b->u) || !test_same_bits(a->v, b->v)) {
            fail_msg("%s, ray %zu: hit %d, triangle %u, t %.17g; expected %d, %u, %.17g", what, i, a->hit,
                     a->triangle, a->t, b->hit, b->triangle, b->t);
        }
        hits += a->hit;
    }
    return hits;
}

// Both modes, natively and on the device, against brute force where that is not too much. Returns how many
// rays hit.
static size_t test_compare(const test_place *place, const td_mesh *mesh, const td_pose *pose,
                           const td_ray *rays, size_t count, const char *name) {
    td_ray_hit *expected = calloc(count, sizeof *expected), *found = calloc(count, sizeof *found);
    assert_true(expected != NULL && found != NULL);
    size_t hits = 0;
    for (int mode = TD_RAY_CLOSEST; mode <= TD_RAY_ANY; ++mode) {
        char what[128];
        td_ray_def def = td_default_ray_def();
        def.mode = (td_ray_mode)mode;
        def.brute = td_mesh_triangle_count(mesh) < 1000;
        test_ok(td_cast_rays(expected, mesh, pose, rays, count, &def));
        def.brute = false;
        test_ok(td_cast_rays(found, mesh, pose, rays, count, &def));
        snprintf(what, sizeof what, "%s, mode %d, native", name, mode);
        test_same_hits(found, expected, count, what);
        def.device = place->device;
        def.query = place->query;
        test_ok(td_cast_rays(found, mesh, pose, rays, count, &def));
        snprintf(what, sizeof what, "%s, mode %d, device", name, mode);
        hits = test_same_hits(found, expected, count, what);
    }
    free(expected);
    free(found);
    return hits;
}

enum { TEST_RAYS = 400, TEST_WAYS = 5 };

static double test_any_number(test_random *random, double size) {
    return test_random_range(random, -size, size);
}

// At random; on the grid, hence through corners, edges and in planes; from far away; from the surface; with
// bounds.
static td_ray test_ray_of(test_random *random, const test_mesh *mesh, int way, double scale) {
    td_ray ray = {.t_max = INFINITY};
    const uint32_t vertex = (uint32_t)test_random_int(random, 0, (int)mesh->vertex_count - 1);
    for (int k = 0; k < 3; ++k) {
        const double corner = mesh->positions[3 * (size_t)vertex + (size_t)k];
        ray.origin[k] =
            way == 1 ? scale * test_random_int(random, -3, 3) : scale * test_any_number(random, 3);
        if (way == 3) {
            ray.origin[k] = corner;
        }
        if (way == 2) {
            ray.origin[k] *= 1e6;
        }
        ray.direction[k] = way == 1   ? (double)test_random_int(random, -1, 1)
                           : way == 2 ? corner - ray.origin[k]
                                      : test_any_number(random, 1);
    }
    if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0) {
        ray.direction[2] = -1;
    }
    if (way == 4) {
        ray.t_min = scale * test_any_number(random, 2);
        ray.t_max = ray.t_min + scale * test_any_number(random, 2);
    }
    return ray;
}

static test_mesh test_make(test_random *random, int kind, uint32_t count) {
    switch (kind) {
    case 0:
        return test_soup(random, count);
    case 1:
        return test_grid_soup(random, count);
    case 2:
        return test_flat_soup(random, count);
    case 3:
        return test_thin_soup(random, count);
    case 4:
        return test_strip(random, count);
    case 5:
        return test_progression(30, 0.5);
    default:
        return test_cube(0, 1);
    }
}

static void test_random_rays(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    test_random random = {1801};
    static const double scales[] = {1, 1, 1e100, 1e-100, 1e-250, 1.0 / 3};
    td_ray *rays = malloc(TEST_RAYS * sizeof *rays);
    assert_non_null(rays);
    size_t hits = 0;
    const int rounds = getenv("TD_TEST_SIMULATED") != NULL ? 3 : 60;
    for (int round = 0; round < rounds; ++round) {
        const double scale = scales[round % 6];
        const uint32_t count = (uint32_t)test_random_int(&random, 1, 300);
        test_mesh arrays = test_make(&random, round % 7, count);
        test_mesh_scale(&arrays, scale);
        td_mesh *mesh = test_mesh_build(place->context, &arrays);
        for (int i = 0; i < TEST_RAYS; ++i) {
            rays[i] = test_ray_of(&random, &arrays, i % TEST_WAYS, scale);
        }
        const td_pose pose = test_random_pose(&random, scale);
        char name[64];
        snprintf(name, sizeof name, "round %d, kind %d, scale %g", round, round % 7, scale);
        hits += test_compare(place, mesh, NULL, rays, TEST_RAYS, name);
        hits += test_compare(place, mesh, &pose, rays, TEST_RAYS, name);
        td_destroy_mesh(mesh);
        test_mesh_free(&arrays);
    }
    free(rays);
    assert_true(hits > 100);
}

// More rays than go in one launch, at a mesh that is not small.
static void test_many(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    const size_t count = getenv("TD_TEST_SIMULATED") != NULL ? 300 : 150000;
    td_mesh *mesh;
    test_ok(td_create_shape(&mesh, place->context, "knot", 1));
    td_ray *rays = malloc(count * sizeof *rays);
    assert_non_null(rays);
    test_random random = {1802};
    for (size_t i = 0; i < count; ++i) {
        rays[i] = (td_ray){.t_max = INFINITY};
        for (int k = 0; k < 3; ++k) {
            rays[i].origin[k] = test_any_number(&random, 3);
            rays[i].direction[k] = test_any_number(&random, 1) - 0.3 * rays[i].origin[k];
        }
    }
    const size_t hits = test_compare(place, mesh, NULL, rays, count, "knot");
    assert_true(hits > count / 50 && hits < count);
    free(rays);
    td_destroy_mesh(mesh);
}

static void test_refused(td_result result, td_result wanted, const char *word) {
    if (result != wanted || strstr(td_error_message(), word) == NULL) {
        fail_msg("expected %s with '%s', got %s: %s", td_result_name(wanted), word, td_result_name(result),
                 td_error_message());
    }
}

static void test_refusals(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    test_mesh cube = test_cube(0, 1);
    td_mesh *mesh = test_mesh_build(place->context, &cube);
    td_ray rays[3];
    td_ray_hit hits[3];
    for (int i = 0; i < 3; ++i) {
        rays[i] = (td_ray){.direction = {1, 0, 0}, .t_max = INFINITY};
    }
    td_ray_def def = td_default_ray_def();
    def.device = place->device;
    test_refused(td_cast_rays(hits, mesh, NULL, rays, 3, &def), TD_ERROR_ARGUMENT, "need a query");
    def.query = place->query;
    test_ok(td_cast_rays(hits, mesh, NULL, rays, 0, &def));
    test_ok(td_cast_rays(hits, mesh, NULL, rays, 3, &def));
    assert_true(hits[2].hit && hits[2].t == 1);
    rays[1].direction[0] = 0;
    test_refused(td_cast_rays(hits, mesh, NULL, rays, 3, &def), TD_ERROR_ARGUMENT, "ray 1: its direction");
    rays[1].direction[0] = NAN;
    test_refused(td_cast_rays(hits, mesh, NULL, rays, 3, &def), TD_ERROR_ARGUMENT, "ray 1: direction x");
    rays[1].direction[0] = 1;
    def.brute = true;
    test_refused(td_cast_rays(hits, mesh, NULL, rays, 3, &def), TD_ERROR_UNSUPPORTED, "natively only");
    def.brute = false;
    def.device = place->without_float64;
    test_refused(td_cast_rays(hits, mesh, NULL, rays, 3, &def), TD_ERROR_UNSUPPORTED, "float64");
    td_destroy_mesh(mesh);
    test_mesh_free(&cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rays),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
