// Pictures are the same bytes on all ways; the pattern and the camera; what is refused, and what is odd.
#include "support/cmocka_all.h"

#include "render/pattern.h"
#include "support/heap.h"
#include "test_render_support.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// The pattern and the camera

// Of the first 2^m points every box of area 2^-m, however long, has just one.
static void test_pattern_is_even(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 200; ++seed) {
        for (int m = 2; m <= 6; m += 2) {
            for (int wide = 0; wide <= m; ++wide) {
                uint32_t found[64] = {0};
                for (uint32_t i = 0; i < 1u << m; ++i) {
                    const td_spot spot = td_pattern(seed * 77777u, seed % 3, i);
                    assert_true(spot.x >= 0 && spot.x < 1 && spot.y >= 0 && spot.y < 1);
                    const uint32_t x = (uint32_t)ldexp(spot.x, wide), y = (uint32_t)ldexp(spot.y, m - wide);
                    ++found[x + (y << wide)];
                }
                for (uint32_t i = 0; i < 1u << m; ++i) {
                    assert_int_equal(found[i], 1);
                }
            }
        }
    }
}

// All vertices are in the picture, and they fill it in one direction at least.
static void test_framing(void **state) {
    test_random random = {11};
    for (int round = 0; round < 30; ++round) {
        test_scenery s = {.context = test_context(state)};
        const int bodies = 1 + round % 5;
        for (int i = 0; i < bodies; ++i) {
            test_scenery_add(&s, i % 2 ? "knot" : "box", 0, test_random_pose(&random, 4));
        }
        td_camera camera = {.field_of_view = 0.3 + 0.1 * (round % 12)};
        const double proportions = test_random_range(&random, 0.4, 2.5);
        double direction[3];
        for (int k = 0; k < 3; ++k) {
            direction[k] = test_random_range(&random, -1, 1);
        }
        assert_int_equal(
            td_frame_bodies(&camera, s.context, s.bodies, s.count, proportions, round % 3 ? direction : NULL),
            TD_OK);
        long double o[3], f[3], right[3], up[3], given[3] = {0, 1, 0}, most = 0;
        for (int k = 0; k < 3; ++k) {
            o[k] = (long double)camera.eye[k];
            f[k] = (long double)camera.look_at[k] - o[k];
        }
        test_unit(f);
        test_cross_product(right, f, given);
        test_unit(right);
        test_cross_product(up, right, f);
        const long double slope = tanl((long double)camera.field_of_view / 2);
        for (size_t body = 0; body < s.count; ++body) {
            for (uint32_t v = 0; v < td_mesh_vertex_count(s.meshes[body]); ++v) {
                long double p[3];
                test_place(p, &s.bodies[body], s.meshes[body], v);
                for (int k = 0; k < 3; ++k) {
                    p[k] -= o[k];
                }
                const long double depth = test_dot(p, f);
                const long double across = test_dot(p, right) / (depth * slope * (long double)proportions);
                const long double upwards = test_dot(p, up) / (depth * slope);
                assert_true(depth > 0 && fabsl(across) <= 1 && fabsl(upwards) <= 1);
                most = fmaxl(most, fmaxl(fabsl(across), fabsl(upwards)));
            }
        }
        assert_true(most > 0.5L);
        test_scenery_clear(&s);
    }
}

// One far away from hundreds does not make all others small.
static void test_framing_leaves_outliers(void **state) {
    test_scenery s = {.context = test_context(state)};
    test_random random = {5};
    for (int i = 0; i < TEST_MOST_BODIES; ++i) {
        test_scenery_add(&s, "box", 0, test_random_pose(&random, 3));
    }
    td_camera near = {.field_of_view = 0.6}, far = near;
    assert_int_equal(td_frame_bodies(&near, s.context, s.bodies, s.count, 1.5, NULL), TD_OK);
    s.bodies[7].pose.position[1] = -1e6;
    assert_int_equal(td_frame_bodies(&far, s.context, s.bodies, s.count, 1.5, NULL), TD_OK);
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(near.eye[k] - far.eye[k]) < 20);
    }
    test_scenery_clear(&s);
}

// ---------------------------------------------------------------------------------------------------------
// All ways

static td_pose test_pose_of(test_random *random) {
    td_pose pose = test_random_pose(random, 2.5);
    pose.position[1] = fabs(pose.position[1]);
    return pose;
}

static uint8_t *test_draw_heap(td_context *context, bool brute, td_render_report *report) {
    test_scenery s = {.context = context};
    test_random random = {3};
    for (int i = 0; i < 12; ++i) {
        test_scenery_add(&s, i % 3 ? "torus" : "box", 0, test_pose_of(&random))->fades = i == 0;
    }
    td_render_def def = test_view_of(&s, 45, 33);
    def.samples = brute ? 2 : 18; // of several passes
    def.sky_rays = 2;
    def.ground = true;
    def.height_of_ground = -1;
    def.brute = brute;
    uint8_t *pixels = malloc(3 * 45 * 33);
    assert_non_null(pixels);
    assert_int_equal(td_render_picture(pixels, report, context, s.bodies, s.count, &def), TD_OK);
    if (brute) { // the same with the hierarchies
        def.brute = false;
        uint8_t *again = test_draw(&s, &def);
        assert_memory_equal(pixels, again, 3 * 45 * 33);
        free(again);
    }
    test_scenery_clear(&s);
    return pixels;
}

static void test_same_bytes_on_all_ways(void **state) {
    const test_variants *variants = *state;
    td_render_report first, other;
    uint8_t *expected = test_draw_heap(variants->items[0].context, false, &first);
    assert_true(first.camera_rays == 45 * 33 * 18 && first.sun_rays > 0 && first.sky_rays > first.sun_rays);
    for (int i = 1; i < variants->count; ++i) {
        uint8_t *pixels = test_draw_heap(variants->items[i].context, false, &other);
        if (memcmp(pixels, expected, 3 * 45 * 33) != 0) {
            fail_msg("%s draws another picture than %s", variants->items[i].name, variants->items[0].name);
        }
        assert_true(first.sun_rays == other.sun_rays && first.sky_rays == other.sky_rays);
        free(pixels);
    }
    free(expected);
    free(test_draw_heap(variants->items[0].context, true, NULL));
}

// ---------------------------------------------------------------------------------------------------------
// What is refused

static void test_expect_refused(const test_scenery *s, const td_render_def *def, td_result expected,
                                const char *words) {
    static uint8_t pixels[3 * 16 * 16];
    assert_int_equal(td_render_picture(pixels, NULL, s->context, s->bodies, s->count, def), expected);
    if (strstr(td_error_message(), words) == NULL) {
        fail_msg("'%s' is not in: %s", words, td_error_message());
    }
}

static bool test_stop(uint64_t done, uint64_t total, void *user) {
    (void)user;
    assert_true(done <= total);
    return false;
}

static void test_refusals(void **state) {
    test_scenery s = {.context = test_context(state)};
    td_render_body *body = test_scenery_add(&s, "box", 0, test_at(0, 0, 0));
    const td_render_def good = test_small_def(16, 16);
    td_render_def def = good;
    def.cookie = 0;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "td_default_render_def");
    def = good;
    def.width = 0;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "width");
    def = good;
    def.samples = 5000;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "samples is 5000; expected 1 to 4096");
    def = good;
    def.sky_rays = 65;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "sky is 65");
    def = good;
    def.camera.eye[1] = NAN;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "y of the eye");
    def = good;
    def.camera.look_at[2] = 5;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "the eye is the point");
    def = good;
    def.camera.up[1] = 0;
    def.camera.up[2] = 3;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "its own up");
    def = good;
    def.camera.field_of_view = 4;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "field of view");
    def = good;
    def.sun[0] = def.sun[1] = def.sun[2] = 0;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "sun");
    def = good;
    def.ground = true;
    def.height_of_ground = INFINITY;
    test_expect_refused(&s, &def, TD_ERROR_ARGUMENT, "ground");
    def = good;
    def.progress = test_stop;
    test_expect_refused(&s, &def, TD_ERROR_CANCELLED, "cancelled");
    body->pose.rotation[0] = 2;
    test_expect_refused(&s, &good, TD_ERROR_POSE, "");
    body->pose = test_at(1e120, 0, 0);
    test_expect_refused(&s, &good, TD_ERROR_UNSUPPORTED, "body 0");
    body->pose = td_pose_identity();
    body->colour[1] = 1.5f;
    test_expect_refused(&s, &good, TD_ERROR_ARGUMENT, "green");
    body->colour[1] = 1;
    static const uint32_t marks[] = {3, 2};
    body->marked = marks;
    body->marked_count = 2;
    test_expect_refused(&s, &good, TD_ERROR_ARGUMENT, "marked triangle 1 is 2");
    body->marked_count = 0;
    td_camera camera = {.field_of_view = 0.5};
    assert_int_equal(td_frame_bodies(&camera, s.context, s.bodies, 0, 1, NULL), TD_ERROR_ARGUMENT);
    assert_int_equal(td_frame_bodies(&camera, s.context, s.bodies, 1, 0, NULL), TD_ERROR_ARGUMENT);
    test_scenery_clear(&s);
}

// Sizes at the ends of what float64 can hold: no picture is wrong enough to crash.
static void test_odd_sizes(void **state) {
    static const double sizes[] = {1e-100, 1e-9, 1e9, 1e90};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const double size = sizes[i];
        const double corners[] = {-size, -size, 0, size, -size, 0, 0, size, 0, 0, 0, 0};
        const uint32_t triangles[] = {0, 1, 2, 3, 3, 3, 0, 1, 1}; // two of them without area
        td_mesh_def mesh_def = td_default_mesh_def();
        mesh_def.positions = corners;
        mesh_def.vertex_count = 4;
        mesh_def.triangles = triangles;
        mesh_def.triangle_count = 3;
        test_scenery s = {.context = test_context(state), .count = 1};
        assert_int_equal(td_create_mesh(&s.meshes[0], s.context, &mesh_def), TD_OK);
        assert_int_equal(td_create_render_mesh(&s.models[0], s.context, s.meshes[0]), TD_OK);
        s.bodies[0] = (td_render_body){.mesh = s.models[0], .pose = td_pose_identity()};
        td_render_def def = test_view_of(&s, 16, 16);
        def.colours = TD_COLOUR_NORMAL;
        uint8_t *pixels = test_draw(&s, &def);
        assert_true(abs(pixels[3 * (8 * 16 + 8) + 2] - 255) <= 1); // its normal is z
        free(pixels);
        def.colours = TD_COLOUR_BODY;
        def.ground = true;
        def.sky_rays = 1;
        free(test_draw(&s, &def));
        test_scenery_clear(&s);
    }
}

// Has the meshes make what they keep for rays that come alone (ray.h), without which rays are answered all
// the same: so that every allocation which is left is one that a picture cannot do without.
static void test_cast_lone_rays(const test_scenery *s) {
    const td_ray_def def = td_default_ray_def();
    const td_ray ray = {.origin = {0, 0, -9}, .direction = {0, 0, 1}, .t_max = 20};
    for (size_t i = 0; i < s->count; ++i) {
        td_ray_hit hit;
        for (uint32_t k = 0; k <= td_mesh_triangle_count(s->meshes[i]); ++k) {
            assert_int_equal(td_cast_rays(&hit, s->meshes[i], NULL, &ray, 1, &def), TD_OK);
        }
    }
}

static void test_memory_runs_out(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    def.allocator = test_heap_allocator(&heap);
    test_scenery s = {0};
    assert_int_equal(td_create_context(&s.context, &def), TD_OK);
    test_scenery_add(&s, "torus", 0, test_at(0, 0, 0));
    test_scenery_add(&s, "box", 0, test_at(0, 1, 0));
    test_cast_lone_rays(&s);
    const long blocks = atomic_load(&heap.blocks);
    long at = 0;
    for (bool failed = true; failed; ++at) {
        static uint8_t pixels[3 * 16 * 16];
        const td_render_def small = test_small_def(16, 16);
        td_render_mesh *model = NULL;
        test_heap_fail(&heap, at, at + 1);
        td_result result = td_create_render_mesh(&model, s.context, s.meshes[0]);
        assert_true((result == TD_OK) == (model != NULL));
        td_destroy_render_mesh(model);
        if (result == TD_OK) {
            result = td_render_picture(pixels, NULL, s.context, s.bodies, s.count, &small);
        }
        failed = atomic_load(&heap.failures) > 0;
        test_heap_recover(&heap);
        assert_int_equal(result, failed ? TD_ERROR_MEMORY : TD_OK);
        assert_int_equal(atomic_load(&heap.blocks), blocks);
        assert_int_equal(atomic_load(&heap.mistakes), 0);
    }
    assert_true(at > 8);
    td_context *context = s.context;
    test_scenery_clear(&s);
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern_is_even),
        cmocka_unit_test(test_framing),
        cmocka_unit_test(test_framing_leaves_outliers),
        cmocka_unit_test(test_same_bytes_on_all_ways),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_odd_sizes),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
