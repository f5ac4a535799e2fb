// Rays by the hierarchy give what brute force gives, bit by bit, on every instruction set and number of
// threads: thousands of rays that go together or alone, in ranges, under poses, from far away, through tall
// hierarchies.
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/variants.h"

#include <tandem/ray.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_SIDE = 24, TEST_RAYS = TEST_SIDE * TEST_SIDE };

typedef struct test_walk {
    test_mesh mesh;
    const td_pose *pose;
    td_ray rays[TEST_RAYS];
    const char *name;
} test_walk;

static test_walk test_one; // too large for some stacks

static void test_cast(td_ray_hit *out, const td_mesh *mesh, td_ray_mode mode, bool brute, size_t at_once) {
    td_ray_def def = td_default_ray_def();
    def.mode = mode;
    def.brute = brute;
    for (size_t i = 0; i < TEST_RAYS; i += at_once) {
        const size_t count = TEST_RAYS - i < at_once ? TEST_RAYS - i : at_once;
        assert_int_equal(td_cast_rays(out + i, mesh, test_one.pose, test_one.rays + i, count, &def), TD_OK);
    }
}

static void test_compare(const td_ray_hit *expected, const td_ray_hit *given, td_ray_mode mode,
                         const char *variant) {
    for (int i = 0; i < TEST_RAYS; ++i) {
        const td_ray_hit *a = &expected[i], *b = &given[i];
        const bool same = mode == TD_RAY_ANY
                              ? a->hit == b->hit && b->triangle == TD_NO_TRIANGLE && b->t == 0
                              : a->hit == b->hit && a->triangle == b->triangle && a->side == b->side &&
                                    memcmp(&a->t, &b->t, 3 * sizeof(double)) == 0;
        if (!same) {
            fail_msg("%s, %s, mode %d, ray %d: triangle %u at %.17g, by brute force %u at %.17g",
                     test_one.name, variant, (int)mode, i, b->triangle, b->t, a->triangle, a->t);
        }
    }
}

// Returns how many rays hit. Frees the mesh.
static int test_walk_as_brute(void **state) {
    static td_ray_hit expected[TEST_RAYS], given[TEST_RAYS];
    // Full sheets of rays, small ones, one not full; full ones again, once there are fans for those apart.
    static const size_t at_once[5] = {TEST_RAYS, 1, 3, 21, TEST_RAYS};
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        td_mesh *mesh = test_mesh_build(variants->items[v].context, &test_one.mesh);
        assert_non_null(mesh);
        if (v == 0) {
            test_cast(expected, mesh, TD_RAY_CLOSEST, true, TEST_RAYS);
        }
        for (int mode = 0; mode < 2; ++mode) {
            for (int i = 0; i < 5; ++i) {
                test_cast(given, mesh, (td_ray_mode)mode, false, at_once[i]);
                test_compare(expected, given, (td_ray_mode)mode, variants->items[v].name);
            }
        }
        td_destroy_mesh(mesh);
    }
    test_mesh_free(&test_one.mesh);
    int hits = 0;
    for (int i = 0; i < TEST_RAYS; ++i) {
        hits += expected[i].hit;
    }
    return hits;
}

// A camera `distance` away looks at the box [-size, size]^3; the odd rows of the picture are in random order,
// and some rays have ranges.
static void test_look(double distance, double size, test_random *random) {
    for (int i = 0; i < TEST_RAYS; ++i) {
        td_ray *ray = &test_one.rays[i];
        const int x = i / TEST_SIDE % 2 == 1 ? test_random_int(random, 0, TEST_SIDE - 1) : i % TEST_SIDE;
        const int y = i / TEST_SIDE % 2 == 1 ? test_random_int(random, 0, TEST_SIDE - 1) : i / TEST_SIDE;
        const double a = size * (2.0 * x / TEST_SIDE - 1), b = size * (2.0 * y / TEST_SIDE - 1);
        const double origin[3] = {0.6 * distance, -0.48 * distance, 0.64 * distance};
        const double aim[3] = {0.8 * a, 1.0 * a + 0.1 * b, b};
        for (int k = 0; k < 3; ++k) {
            ray->origin[k] = origin[k];
            ray->direction[k] = (aim[k] - origin[k]) / distance;
        }
        ray->t_min = i % 5 == 4 ? distance * test_random_range(random, 0.5, 1.5) : 0;
        ray->t_max = i % 7 == 6 ? distance * test_random_range(random, 0.5, 1.5) : INFINITY;
    }
}

static void test_shuffle(test_random *random) {
    for (int i = TEST_RAYS - 1; i > 0; --i) {
        const int other = test_random_int(random, 0, i);
        const td_ray ray = test_one.rays[i];
        test_one.rays[i] = test_one.rays[other];
        test_one.rays[other] = ray;
    }
}

static void test_take_shape(void **state, const char *name, uint32_t subdivide) {
    td_mesh *shape;
    assert_int_equal(td_create_shape(&shape, ((test_variants *)*state)->items[0].context, name, subdivide),
                     TD_OK);
    test_one.mesh = test_copy_of(shape);
    test_one.name = name;
    test_one.pose = NULL;
    td_destroy_mesh(shape);
}

// ---------------------------------------------------------------------------------------------------------

static void test_shapes_seen(void **state) {
    static const char *const names[] = {"cow", "knot", "box"};
    for (int i = 0; i < 3; ++i) {
        test_random random = {(uint64_t)i};
        test_take_shape(state, names[i], 0);
        test_look(3, 1, &random);
        assert_true(test_walk_as_brute(state) > TEST_RAYS / 10);
    }
}

static void test_from_within(void **state) {
    test_random random = {11};
    test_take_shape(state, "sphere", 2);
    test_look(0.01, 1, &random);
    for (int i = 0; i < TEST_RAYS; ++i) {
        test_one.rays[i].t_min = 0;
        test_one.rays[i].t_max = INFINITY;
    }
    assert_int_equal(test_walk_as_brute(state), TEST_RAYS);
}

static void test_from_far_away(void **state) {
    static const double distances[] = {1e3, 1e6, 1e9, 1e12, 1e14, 1e20, 1e200};
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; ++i) {
        test_random random = {i};
        test_take_shape(state, "box", 0);
        test_look(distances[i], 1, &random);
        test_one.name = "far away";
        test_walk_as_brute(state);
    }
}

// Triangles that lie upon each other, seen from so far that doubles all but lose which is nearer: what a walk
// may leave out must not depend on that.
static void test_flat_from_far_away(void **state) {
    static const double distances[] = {1e3, 1e5, 1e6, 1e8};
    int hits = 0;
    for (int round = 0; round < 8; ++round) {
        test_random random = {700 + (uint64_t)round};
        const double distance = distances[round % 4];
        test_one.mesh = round < 4 ? test_flat_soup(&random, 120) : test_grid_soup(&random, 120);
        test_one.name = "flat, from far away";
        test_one.pose = NULL;
        for (int i = 0; i < TEST_RAYS; ++i) {
            td_ray *ray = &test_one.rays[i];
            *ray = (td_ray){.t_max = i % 3 == 0 ? 1 + test_random_range(&random, -1e-9, 1e-9) : INFINITY};
            for (int k = 0; k < 3; ++k) {
                ray->origin[k] = test_random_range(&random, -distance, distance);
                ray->direction[k] = test_random_range(&random, -2, k == 2 ? -2 : 2) - ray->origin[k];
                ray->direction[k] += k == 2 ? 2 : 0; // aims at the plane z = 0
            }
        }
        hits += test_walk_as_brute(state);
    }
    assert_true(hits > TEST_RAYS);
}

// Ranges that begin or end with a hit, or the double before or after it; rays that reach behind where they
// start; directions along axes, or nearly, and of odd lengths; from within the mesh to far outside.
static void test_ranges_at_hits(void **state) {
    static const double distances[] = {0.1, 1, 3, 20, 31, 33, 40, 1000};
    static const double lengths[] = {1, 0x1p-59, 0x1p-61, 0x1p59, 0x1p61, 1e-300, 1e300, 3};
    static td_ray_hit hits[TEST_RAYS];
    for (int round = 0; round < 8; ++round) {
        test_random random = {40 + (uint64_t)round};
        test_take_shape(state, round % 2 == 0 ? "cow" : "sphere", 1);
        test_look(distances[round], 0.7, &random);
        for (int i = 0; i < TEST_RAYS; ++i) {
            td_ray *ray = &test_one.rays[i];
            ray->t_min = i % 4 == 0 ? -INFINITY : i % 4 == 1 ? -0.0 : 0;
            ray->t_max = INFINITY;
            for (int k = 0; k < 3; ++k) {
                ray->direction[k] *= i % 9 == k ? 0 : i % 9 == k + 3 ? 1e-13 : 1;
                ray->direction[k] *= i % 3 == 0 ? lengths[i / 3 % 8] : 1;
            }
        }
        td_mesh *mesh = test_mesh_build(((test_variants *)*state)->items[0].context, &test_one.mesh);
        test_cast(hits, mesh, TD_RAY_CLOSEST, true, TEST_RAYS);
        td_destroy_mesh(mesh);
        for (int i = 0; i < TEST_RAYS; ++i) {
            if (hits[i].hit) {
                const double t = hits[i].t;
                const double at[4] = {t, nextafter(t, INFINITY), nextafter(t, -INFINITY), INFINITY};
                test_one.rays[i].t_min = i % 2 == 0 ? at[i / 2 % 3] : test_one.rays[i].t_min;
                test_one.rays[i].t_max = i % 5 < 3 ? at[i / 5 % 4] : INFINITY;
            }
        }
        test_one.name = "ranges at hits";
        assert_true(test_walk_as_brute(state) > TEST_RAYS / 20);
    }
}

static void test_under_poses(void **state) {
    test_random random = {5};
    for (int i = 0; i < 3; ++i) {
        const td_pose pose = test_random_pose(&random, 0.2);
        test_take_shape(state, "cow", 0);
        test_look(3, 1, &random);
        test_one.pose = &pose;
        assert_true(test_walk_as_brute(state) > TEST_RAYS / 20);
    }
}

// Coordinates where float32 ends, and hierarchies as tall as they get.
static void test_odd_meshes(void **state) {
    test_random random = {9};
    test_take_shape(state, "cow", 0);
    test_mesh_shift(&test_one.mesh, 4e6, -3e6, 5e6);
    test_look(3, 1, &random);
    for (int i = 0; i < TEST_RAYS; ++i) {
        test_one.rays[i].origin[0] += 4e6;
        test_one.rays[i].origin[1] -= 3e6;
        test_one.rays[i].origin[2] += 5e6;
    }
    assert_true(test_walk_as_brute(state) > TEST_RAYS / 10);

    test_one.mesh = test_progression(150, 0.5);
    test_one.name = "progression";
    test_look(3, 1, &random);
    test_walk_as_brute(state);

    test_one.mesh = test_nested_shells(60, 0.75);
    test_one.name = "shells";
    test_look(3, 1, &random);
    assert_true(test_walk_as_brute(state) > TEST_RAYS / 10);

    test_one.mesh = test_repeated_triangle(500);
    test_one.name = "one triangle again and again";
    test_look(3, 1, &random);
    test_walk_as_brute(state);
}

// What is kept for calls with one ray is of the positions it was made of: new ones, by a refit and by a
// build, have it made anew.
static void test_new_positions(void **state) {
    static td_ray_hit expected[TEST_RAYS], given[TEST_RAYS];
    const test_variants *variants = *state;
    test_random random = {17};
    test_take_shape(state, "cow", 1);
    test_look(3, 1, &random);
    td_mesh_def def = td_default_mesh_def();
    def.scalar = TD_FLOAT64;
    def.positions = test_one.mesh.positions;
    def.vertex_count = test_one.mesh.vertex_count;
    def.triangles = test_one.mesh.triangles;
    def.triangle_count = test_one.mesh.triangle_count;
    def.deformable = true;
    for (int v = 0; v < variants->count; ++v) {
        td_mesh *mesh;
        assert_int_equal(td_create_mesh(&mesh, variants->items[v].context, &def), TD_OK);
        for (int turn = 0; turn < 4; ++turn) {
            for (int again = 0; again < 8; ++again) { // more calls than it takes to have them made
                test_cast(given, mesh, TD_RAY_CLOSEST, false, 1);
            }
            test_cast(expected, mesh, TD_RAY_CLOSEST, true, TEST_RAYS);
            test_compare(expected, given, TD_RAY_CLOSEST, variants->items[v].name);
            for (uint32_t i = 0; i < 3 * test_one.mesh.vertex_count; ++i) {
                test_one.mesh.positions[i] *= i % 3 == 1 ? 0.8 : 1.1;
            }
            const td_rebuild rebuild = turn % 2 == 0 ? TD_REBUILD_NEVER : TD_REBUILD_ALWAYS;
            assert_int_equal(td_set_positions(NULL, mesh, TD_FLOAT64, test_one.mesh.positions, 0, rebuild),
                             TD_OK);
        }
        td_destroy_mesh(mesh);
    }
    test_mesh_free(&test_one.mesh);
}

// What is kept for calls with one ray may fail to be made, at each of its allocations: rays are answered all
// the same.
static void test_fans_without_memory(void **state, size_t at_once) {
    static td_ray_hit expected[TEST_RAYS], given[TEST_RAYS];
    test_heap heap = {0};
    td_context_def def = td_default_context_def();
    def.allocator = test_heap_allocator(&heap);
    def.thread_count = 1;
    td_context *context;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    test_random random = {19};
    test_take_shape(state, "torus", 0);
    test_look(3, 1, &random);
    test_shuffle(&random);
    long failures = 1;
    for (long at = 0; failures > 0; ++at) {
        td_mesh *mesh = test_mesh_build(context, &test_one.mesh);
        assert_non_null(mesh);
        const long blocks = atomic_load(&heap.blocks);
        test_cast(expected, mesh, TD_RAY_CLOSEST, true, TEST_RAYS);
        test_heap_fail(&heap, at, LONG_MAX);
        test_cast(given, mesh, TD_RAY_CLOSEST, false, at_once);
        failures = atomic_load(&heap.failures);
        test_heap_recover(&heap);
        test_compare(expected, given, TD_RAY_CLOSEST, "without memory");
        assert_true((failures == 0) == (atomic_load(&heap.blocks) > blocks)); // made, or nothing left of it
        assert_true(failures > 0 || at > 0);
        td_destroy_mesh(mesh);
        assert_int_equal(atomic_load(&heap.mistakes), 0);
    }
    test_mesh_free(&test_one.mesh);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
}

static void test_without_memory(void **state) {
    test_fans_without_memory(state, 1);
    test_fans_without_memory(state, TEST_RAYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_seen),    cmocka_unit_test(test_from_within),
        cmocka_unit_test(test_from_far_away),  cmocka_unit_test(test_under_poses),
        cmocka_unit_test(test_odd_meshes),     cmocka_unit_test(test_flat_from_far_away),
        cmocka_unit_test(test_new_positions),  cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_ranges_at_hits),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
