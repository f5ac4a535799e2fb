// Rays as a caller casts them: poses, ranges, modes, ties, closed meshes, and what is refused.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "test_ray_support.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static td_ray test_ray(double ox, double oy, double oz, double dx, double dy, double dz) {
    return (td_ray){{ox, oy, oz}, {dx, dy, dz}, 0, INFINITY};
}

static td_ray_hit test_closest(const td_mesh *mesh, td_ray ray) {
    td_ray_hit hit;
    const td_ray_def def = td_default_ray_def();
    assert_int_equal(td_cast_rays(&hit, mesh, NULL, &ray, 1, &def), TD_OK);
    return hit;
}

static td_context *test_context(void **state) {
    return ((test_variants *)*state)->items[0].context;
}

static td_mesh *test_unit_cube(void **state) {
    test_mesh cube = test_cube(0, 1);
    td_mesh *mesh = test_mesh_build(test_context(state), &cube);
    test_mesh_free(&cube);
    assert_non_null(mesh);
    return mesh;
}

// ---------------------------------------------------------------------------------------------------------

static void test_cube_from_outside(void **state) {
    td_mesh *mesh = test_unit_cube(state);
    const td_ray_hit hit = test_closest(mesh, test_ray(-3, 0.25, 0.125, 2, 0, 0));
    assert_true(hit.hit && hit.t == 1 && hit.side == 1);
    uint32_t corners[3];
    double p[3][3], at[3];
    td_mesh_triangle(corners, mesh, hit.triangle);
    for (int i = 0; i < 3; ++i) {
        td_mesh_vertex(p[i], mesh, corners[i]);
    }
    for (int k = 0; k < 3; ++k) {
        at[k] = (1 - hit.u - hit.v) * p[0][k] + hit.u * p[1][k] + hit.v * p[2][k];
    }
    assert_true(at[0] == -1 && fabs(at[1] - 0.25) < 1e-15 && fabs(at[2] - 0.125) < 1e-15);
    assert_int_equal(test_closest(mesh, test_ray(0, 0, 0, 0, 0.5, 0)).side, -1);
    assert_true(test_closest(mesh, test_ray(0, 0, 0, 0, 0.5, 0)).t == 2);
    assert_false(test_closest(mesh, test_ray(-3, 0, 0, -1, 0, 0)).hit);
    assert_false(test_closest(mesh, test_ray(-3, 1.0000001, 0, 1, 0, 0)).hit);
    td_destroy_mesh(mesh);
}

// On the surface, along it, past its edge.
static void test_cube_touched(void **state) {
    td_mesh *mesh = test_unit_cube(state);
    td_ray_hit hit = test_closest(mesh, test_ray(1, 0.25, 0.5, 1, 0, 0)); // leaves the surface
    assert_true(hit.hit && hit.t == 0 && hit.side == -1);
    hit = test_closest(mesh, test_ray(-3, 1, 0.25, 1, 0, 0)); // along a face
    assert_true(hit.hit && hit.t == 2);
    hit = test_closest(mesh, test_ray(-3, 1, 1, 1, 0, 0)); // along an edge
    assert_true(hit.hit && hit.t == 2);
    hit = test_closest(mesh, test_ray(-3, -1, 1, 1, 1, 0)); // through the middle of an edge
    assert_true(hit.hit && hit.t == 2);
    hit = test_closest(mesh, test_ray(-2, 2, 2, 1, -1, -1)); // through a corner
    assert_true(hit.hit && hit.t == 1);
    td_ray inside = test_ray(0.25, 1, 0.5, 1, 0, 0); // starts within the face it runs along
    hit = test_closest(mesh, inside);
    assert_true(hit.hit && hit.t == 0 && hit.side == 0);
    inside.t_min = 0.5;
    hit = test_closest(mesh, inside);
    assert_true(hit.hit && hit.t == 0.5 && hit.u >= 0 && hit.v >= 0 && hit.u + hit.v <= 1);
    td_destroy_mesh(mesh);
}

static void test_ranges(void **state) {
    td_mesh *mesh = test_unit_cube(state);
    const struct {
        double t_min, t_max;
        bool hit;
        double t;
    } cases[] = {
        {0, INFINITY, true, 2},
        {0, 2, true, 2},
        {0, nextafter(2, 0), false, 0},
        {2, 2, true, 2},
        {3, INFINITY, true, 4},
        {3, 3.5, false, 0},
        {5, INFINITY, false, 0},
        {5, 1, false, 0},
        {2, 1, false, 0},
        {-INFINITY, 0, false, 0},
        {-INFINITY, INFINITY, true, 2},
        {INFINITY, INFINITY, false, 0},
        {-1e300, 1e300, true, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        td_ray ray = test_ray(-3, 0.25, 0.125, 1, 0, 0);
        ray.t_min = cases[i].t_min;
        ray.t_max = cases[i].t_max;
        const td_ray_hit hit = test_closest(mesh, ray);
        if (hit.hit != cases[i].hit || (hit.hit && hit.t != cases[i].t)) {
            fail_msg("range %g to %g: hit %d at %g", ray.t_min, ray.t_max, hit.hit, hit.t);
        }
        assert_int_equal(hit.triangle == TD_NO_TRIANGLE, !hit.hit);
        td_ray_def any = td_default_ray_def();
        td_ray_hit some;
        any.mode = TD_RAY_ANY;
        assert_int_equal(td_cast_rays(&some, mesh, NULL, &ray, 1, &any), TD_OK);
        assert_int_equal(some.hit, cases[i].hit);
    }
    td_destroy_mesh(mesh);
}

// Of triangles at the same t the lowest number, wherever the hierarchy put them.
static void test_ties(void **state) {
    test_random random = {7};
    for (int round = 0; round < 20; ++round) {
        test_mesh one = test_soup(&random, 50), two = test_join(&one, &one);
        uint32_t place[100];
        test_mesh_shuffle(&two, place, &random);
        td_mesh *mesh = test_mesh_build(test_context(state), &two);
        for (int i = 0; i < 50; ++i) {
            const td_ray_hit hit = test_closest(mesh, test_ray(-4, test_random_range(&random, -1, 1),
                                                               test_random_range(&random, -1, 1), 1, 0, 0));
            for (uint32_t k = 0; hit.hit && k < hit.triangle; ++k) {
                const td_triangle a = test_mesh_triangle(&two, k), b = test_mesh_triangle(&two, hit.triangle);
                assert_memory_not_equal(&a, &b, sizeof a);
            }
        }
        td_destroy_mesh(mesh);
        test_mesh_free(&one);
        test_mesh_free(&two);
    }
}

// A pose moves the mesh: the hits are those of the mesh itself with the ray moved back.
static void test_poses(void **state) {
    td_mesh *mesh = test_unit_cube(state);
    const td_ray_def def = td_default_ray_def();
    for (int turn = 0; turn < TEST_EXACT_TURNS; ++turn) {
        td_pose pose = test_exact_turn(turn);
        pose.position[0] = 5;
        pose.position[2] = -7;
        double origin[3], tip[3];
        const double from[3] = {-3, 0.25, 0.125}, to[3] = {-2, 0.25, 0.125};
        td_pose_apply(origin, &pose, from);
        td_pose_apply(tip, &pose, to);
        const td_ray ray = test_ray(origin[0], origin[1], origin[2], tip[0] - origin[0], tip[1] - origin[1],
                                    tip[2] - origin[2]);
        td_ray_hit hit, plain = test_closest(mesh, test_ray(-3, 0.25, 0.125, 1, 0, 0));
        assert_int_equal(td_cast_rays(&hit, mesh, &pose, &ray, 1, &def), TD_OK);
        assert_true(hit.hit && hit.t == plain.t && hit.triangle == plain.triangle && hit.side == 1);
    }
    td_destroy_mesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------

enum { TEST_AIMED = 4096 };

// Rays from inside a closed mesh, or along lines from far outside, all of them exactly through corners or the
// middles of edges: not one may slip through.
static void test_nothing_slips_through(void **state) {
    const test_variants *variants = *state;
    static td_ray rays[TEST_AIMED];
    static td_ray_hit hits[TEST_AIMED];
    const td_ray_def def = td_default_ray_def();
    for (int v = 0; v < variants->count; ++v) {
        td_mesh *shape;
        assert_int_equal(td_create_shape(&shape, variants->items[v].context, "sphere", 3), TD_OK);
        test_mesh source = test_copy_of(shape);
        td_destroy_mesh(shape);
        for (size_t i = 0; i < 3 * (size_t)source.vertex_count; ++i) {
            source.positions[i] = rint(source.positions[i] * 0x1p20) * 0x1p-20; // so that aims are exact
        }
        td_mesh *mesh = test_mesh_build(variants->items[v].context, &source);
        assert_true(td_mesh_is_closed(mesh));
        test_random random = {3};
        for (int i = 0; i < TEST_AIMED; ++i) {
            const uint32_t triangle = (uint32_t)test_random_int(&random, 0, (int)source.triangle_count - 1);
            const uint32_t *corner = source.triangles + 3 * (size_t)triangle;
            const double *p = source.positions + 3 * (size_t)corner[0],
                         *q = source.positions + 3 * (size_t)corner[i % 2];
            const bool inside = i / 2 % 2 == 0;
            for (int k = 0; k < 3; ++k) {
                const double aim = (p[k] + q[k]) / 2, step = test_random_int(&random, -8, 8) * 0x1p-8;
                rays[i].origin[k] = inside ? step : 4 * aim + step;
                rays[i].direction[k] = aim - rays[i].origin[k];
            }
            rays[i].t_min = 0;
            rays[i].t_max = INFINITY;
        }
        assert_int_equal(td_cast_rays(hits, mesh, NULL, rays, TEST_AIMED, &def), TD_OK);
        for (int i = 0; i < TEST_AIMED; ++i) {
            if (!hits[i].hit || hits[i].t > 1 + 1e-12) {
                fail_msg("%s: ray %d, t %.17g", variants->items[v].name, i, hits[i].t);
            }
        }
        td_destroy_mesh(mesh);
        test_mesh_free(&source);
    }
}

static void test_refused(void **state) {
    td_mesh *mesh = test_unit_cube(state);
    td_ray_def def = td_default_ray_def();
    static td_ray rays[2000];
    static td_ray_hit hits[2000];
    const struct {
        size_t field;
        double value;
        const char *says;
    } cases[] = {
        {offsetof(td_ray, origin) + 8, NAN, "origin y"},
        {offsetof(td_ray, origin), INFINITY, "origin x"},
        {offsetof(td_ray, origin) + 16, 1e308, "origin z"},
        {offsetof(td_ray, direction) + 8, NAN, "direction y"},
        {offsetof(td_ray, direction), -INFINITY, "direction x"},
        {offsetof(td_ray, t_min), NAN, "t_min"},
        {offsetof(td_ray, t_max), NAN, "t_max"},
        {offsetof(td_ray, direction), 0, "zero"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        for (int way = 0; way < 3; ++way) { // together, apart, by brute force
            for (int i = 0; i < 2000; ++i) {
                rays[i] = test_ray(-3, way == 1 && i % 2 == 1 ? 0.75 : 0.25, 0.125, 1, 0, 0);
            }
            memcpy((char *)&rays[1234] + cases[c].field, &cases[c].value, sizeof(double));
            memcpy((char *)&rays[1900] + cases[c].field, &cases[c].value, sizeof(double));
            def.brute = way == 2;
            assert_int_equal(td_cast_rays(hits, mesh, NULL, rays, 2000, &def), TD_ERROR_ARGUMENT);
            assert_non_null(strstr(td_error_message(), "ray 1234"));
            assert_non_null(strstr(td_error_message(), cases[c].says));
        }
    }
    const td_ray_def blank = {0};
    assert_int_equal(td_cast_rays(hits, mesh, NULL, rays, 1, &blank), TD_ERROR_ARGUMENT);
    def.mode = (td_ray_mode)7;
    assert_int_equal(td_cast_rays(hits, mesh, NULL, rays, 1, &def), TD_ERROR_ARGUMENT);
    def.mode = TD_RAY_ANY;
    assert_int_equal(td_cast_rays(NULL, mesh, NULL, NULL, 0, &def), TD_OK);
    td_pose pose = td_pose_identity();
    pose.rotation[0] = 1;
    assert_int_equal(td_cast_rays(hits, mesh, &pose, rays, 1, &def), TD_ERROR_POSE);
    td_destroy_mesh(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube_from_outside),
        cmocka_unit_test(test_cube_touched),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_nothing_slips_through),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
