// Pictures against a renderer of the test's own, and against what is known of a sphere.
#include "support/cmocka_all.h"

#include "render/light.h"
#include "test_render_support.h"

#include <string.h>

// A torus around a turned box, a knot behind it and a sphere inside the torus' reach.
static test_scenery test_some_bodies(td_context *context) {
    test_scenery s = {.context = context};
    td_pose turned = test_at(0.3, 0.2, -0.1);
    turned.rotation[0] = 0.5;
    turned.rotation[1] = 0.5;
    turned.rotation[2] = -0.5;
    turned.rotation[3] = 0.5;
    test_scenery_add(&s, "torus", 0, test_at(0, 0.1, 0));
    test_scenery_add(&s, "box", 0, turned);
    test_scenery_add(&s, "sphere", 0, test_at(-1.1, 0.4, 0.9));
    return s;
}

static int test_difference(uint8_t byte, long double expected) {
    return abs((int)byte - (int)lrintl(expected));
}

// ---------------------------------------------------------------------------------------------------------
// Against the test's own renderer

// Silhouettes and normals, pixel by pixel.
static void test_normals_as_traced_here(void **state) {
    test_scenery s = test_some_bodies(test_context(state));
    td_render_def def = test_view_of(&s, 61, 47);
    def.colours = TD_COLOUR_NORMAL;
    def.flat = true;
    uint8_t *pixels = test_draw(&s, &def), *empty = test_draw(&(test_scenery){.context = s.context}, &def);
    uint32_t hits = 0, compared = 0;
    for (uint32_t i = 0; i < def.width * def.height; ++i) {
        long double origin[3], direction[3];
        test_camera_ray(origin, direction, &def, i % def.width, i / def.width);
        const test_seen seen = test_trace(&s, origin, direction);
        hits += seen.hit;
        compared += seen.clear;
        for (uint32_t k = 0; seen.clear && k < 3; ++k) {
            const long double expected = seen.hit ? 255 * (0.5L + seen.normal[k] / 2) : empty[3 * i + k];
            if (test_difference(pixels[3 * i + k], expected) > 1) {
                fail_msg("pixel %u, %u, colour %u: %d, expected %Lf", i % def.width, i / def.width, k,
                         pixels[3 * i + k], expected);
            }
        }
    }
    assert_in_range(hits, 600, def.width * def.height - 600);
    assert_true(compared > def.width * def.height * 95 / 100); // the others are too near to an edge
    free(pixels);
    free(empty);
    test_scenery_clear(&s);
}

typedef struct test_light_count {
    uint32_t lit, shaded, away;
} test_light_count;

// The light on a flat body, by the numbers of light.h but with shadows found here.
static void test_expect_lit(const test_scenery *s, const td_render_def *def, const test_seen *seen,
                            const long double origin[3], const long double direction[3], const uint8_t *pixel,
                            test_light_count *count) {
    const td_vec3 way = td_vec3_make(def->sun[0], def->sun[1], def->sun[2]);
    const td_vec3 sun = td_scale(way, 1 / sqrt(td_dot(way, way)));
    long double from[3], towards[3] = {(long double)sun.x, (long double)sun.y, (long double)sun.z};
    for (int k = 0; k < 3; ++k) {
        from[k] = origin[k] + seen->t * direction[k] + 1e-8L * seen->normal[k];
    }
    const test_seen shadow = test_trace(s, from, towards);
    const td_vec3 normal =
        td_vec3_make((double)seen->normal[0], (double)seen->normal[1], (double)seen->normal[2]);
    const double fall = td_dot(normal, sun);
    if (!shadow.clear || fabs(fall) < 1e-6) {
        return;
    }
    const bool lit = fall > 0 && !shadow.hit;
    ++*(fall <= 0 ? &count->away : lit ? &count->lit : &count->shaded);
    td_vec3 eye = td_vec3_make(-(double)direction[0], -(double)direction[1], -(double)direction[2]);
    eye = td_scale(eye, 1 / sqrt(td_dot(eye, eye)));
    const td_vec3 half = td_add(eye, sun);
    const double shine = pow(fmax(td_dot(normal, half) / sqrt(td_dot(half, half)), 0), 16);
    const td_vec3 sky = td_sky_light(normal), light = td_sun_light();
    const double skies[3] = {sky.x, sky.y, sky.z}, suns[3] = {light.x, light.y, light.z};
    for (int k = 0; k < 3; ++k) {
        const double colour = td_to_linear((double)s->bodies[seen->body].colour[k]);
        const double all =
            colour * (skies[k] + (lit ? fall * suns[k] : 0)) + (lit ? 0.08 * shine * suns[k] : 0);
        if (test_difference(pixel[k], 255 * (long double)td_to_srgb(td_tone(all))) > 1) {
            fail_msg("body %zu, triangle %u, colour %d: %d, expected %f", seen->body, seen->triangle, k,
                     pixel[k], 255 * td_to_srgb(td_tone(all)));
        }
    }
}

// Where the ground is seen: as it would be without bodies, or darker, just where they hide the sun.
static void test_expect_ground(const test_scenery *s, const td_render_def *def, const long double origin[3],
                               const long double direction[3], const uint8_t *pixel, const uint8_t *empty,
                               test_light_count *count) {
    const long double t = ((long double)def->height_of_ground - origin[1]) / direction[1];
    long double from[3], towards[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = origin[k] + t * direction[k];
        towards[k] = (long double)def->sun[k];
    }
    const test_seen shadow = test_trace(s, from, towards);
    if (!shadow.clear) {
        return;
    }
    ++*(shadow.hit ? &count->shaded : &count->lit);
    for (int k = 0; k < 3; ++k) {
        if (shadow.hit ? pixel[k] + 20 > empty[k] : pixel[k] != empty[k]) {
            fail_msg("ground at %Lg, %Lg: %d, and %d without bodies, but the sun is %s", from[0], from[2],
                     pixel[k], empty[k], shadow.hit ? "hidden" : "seen");
        }
    }
}

static void test_sun_as_traced_here(void **state) {
    test_scenery s = test_some_bodies(test_context(state));
    td_render_def def = test_view_of(&s, 61, 47);
    def.flat = true;
    def.ground = true;
    def.height_of_ground = td_lowest_height(s.bodies, s.count) - 0.5;
    uint8_t *pixels = test_draw(&s, &def), *empty = test_draw(&(test_scenery){.context = s.context}, &def);
    test_light_count bodies = {0}, ground = {0};
    for (uint32_t i = 0; i < def.width * def.height; ++i) {
        long double origin[3], direction[3];
        test_camera_ray(origin, direction, &def, i % def.width, i / def.width);
        const test_seen seen = test_trace(&s, origin, direction);
        if (seen.clear && seen.hit) {
            test_expect_lit(&s, &def, &seen, origin, direction, &pixels[3 * i], &bodies);
        } else if (seen.clear && direction[1] < -0.2L) { // not so far away that shadows have faded
            test_expect_ground(&s, &def, origin, direction, &pixels[3 * i], &empty[3 * i], &ground);
        }
    }
    assert_true(bodies.lit > 200 && bodies.shaded > 30 && bodies.away > 50);
    assert_true(ground.lit > 200 && ground.shaded > 60);
    free(pixels);
    free(empty);
    test_scenery_clear(&s);
}

// ---------------------------------------------------------------------------------------------------------
// What is known without tracing

static void test_sphere_is_round(void **state) {
    test_scenery s = {.context = test_context(state)};
    test_scenery_add(&s, "sphere", 4, test_at(3, -2, 1));
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, s.meshes[0]);
    const double radius = upper[1];
    td_render_def def = test_small_def(101, 101);
    def.colours = TD_COLOUR_NORMAL;
    def.camera = (td_camera){{3, -2, 1 + 10 * radius}, {3, -2, 1}, {0, 1, 0}, 0.25};
    uint8_t *pixels = test_draw(&s, &def), *empty = test_draw(&(test_scenery){.context = s.context}, &def);
    for (uint32_t i = 0; i < def.width * def.height; ++i) {
        long double o[3], d[3];
        test_camera_ray(o, d, &def, i % def.width, i / def.width);
        const long double centre[3] = {3, -2, 1};
        const long double m[3] = {o[0] - centre[0], o[1] - centre[1], o[2] - centre[2]};
        const long double a = test_dot(d, d), b = test_dot(m, d), r = (long double)radius;
        const long double root = b * b - a * (test_dot(m, m) - r * r);
        if (fabsl(root) < 0.02L * a * r * r) {
            continue; // at the rim, where the mesh is no sphere
        }
        const long double t = (-b - sqrtl(fmaxl(root, 0))) / a;
        for (uint32_t k = 0; k < 3; ++k) {
            const long double normal = (m[k] + t * d[k]) / r;
            const long double expected = root > 0 ? 255 * (0.5L + normal / 2) : empty[3 * i + k];
            assert_true(test_difference(pixels[3 * i + k], expected) <= (root > 0 ? 2 : 0));
        }
    }
    free(pixels);
    free(empty);
    test_scenery_clear(&s);
}

// A box is flat and has creases, a sphere is smooth: with and without `flat`.
static void test_creases(void **state) {
    test_scenery s = {.context = test_context(state)};
    test_scenery_add(&s, "box", 2, test_at(0, 0, 0));
    td_render_def def = test_view_of(&s, 40, 40);
    def.colours = TD_COLOUR_NORMAL;
    uint8_t *smooth = test_draw(&s, &def);
    def.flat = true;
    uint8_t *flat = test_draw(&s, &def);
    assert_memory_equal(smooth, flat, 3 * 40 * 40);
    free(smooth);
    free(flat);
    test_scenery_clear(&s);

    s.context = test_context(state);
    test_scenery_add(&s, "sphere", 1, test_at(0, 0, 0));
    def.flat = false;
    smooth = test_draw(&s, &def);
    def.flat = true;
    flat = test_draw(&s, &def);
    assert_true(memcmp(smooth, flat, 3 * 40 * 40) != 0);
    free(smooth);
    free(flat);
    test_scenery_clear(&s);
}

static uint32_t test_count_red(const uint8_t *pixels, uint32_t count) {
    uint32_t red = 0;
    for (uint32_t i = 0; i < count; ++i) {
        red += pixels[3 * i] > 2 * pixels[3 * i + 1] && pixels[3 * i] > 2 * pixels[3 * i + 2];
    }
    return red;
}

static void test_marks(void **state) {
    test_scenery s = {.context = test_context(state)};
    td_render_body *body = test_scenery_add(&s, "sphere", 0, test_at(0, 0, 0));
    td_render_def def = test_view_of(&s, 50, 50);
    body->colour[0] = body->colour[1] = body->colour[2] = 0.6f;
    uint32_t all[4096];
    const uint32_t count = td_mesh_triangle_count(s.meshes[0]);
    for (uint32_t i = 0; i < count; ++i) {
        all[i] = i;
    }
    uint8_t *none = test_draw(&s, &def), *empty = test_draw(&(test_scenery){.context = s.context}, &def);
    body->marked = all;
    body->marked_count = count;
    uint8_t *every = test_draw(&s, &def);
    assert_int_equal(test_count_red(none, 2500), 0);
    const uint32_t disc = test_count_red(every, 2500);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 2500; ++i) {
        seen += memcmp(&none[3 * i], &empty[3 * i], 3) != 0;
    }
    assert_true(disc > 1200 && disc == seen);
    uint32_t sum = 0; // each triangle alone: together the disc
    for (uint32_t i = 0; i < count; ++i) {
        body->marked = &all[i];
        body->marked_count = 1;
        uint8_t *one = test_draw(&s, &def);
        sum += test_count_red(one, 2500);
        free(one);
    }
    assert_int_equal(sum, disc);
    free(none);
    free(empty);
    free(every);
    test_scenery_clear(&s);
}

// Less sky is seen in a corner than on a plane, and nothing of it in a closed box.
static void test_occlusion(void **state) {
    test_scenery s = {.context = test_context(state)};
    td_render_body *body = test_scenery_add(&s, "box", 0, test_at(0, 0, 0));
    body->colour[0] = body->colour[1] = body->colour[2] = 0.7f;
    td_render_def def = test_small_def(8, 8);
    def.sky_rays = 16;
    def.camera = (td_camera){{0.1, 0.05, 0}, {1, 0.05, 0}, {0, 1, 0}, 0.5};
    uint8_t *inside = test_draw(&s, &def);
    for (int i = 0; i < 3 * 64; ++i) {
        assert_true(inside[i] < 90); // bounced light only
    }
    def.camera = (td_camera){{0, 10, 0}, {0, 0, 0}, {0, 0, 1}, 0.02};
    uint8_t *above = test_draw(&s, &def);
    for (int i = 0; i < 3 * 64; ++i) {
        assert_true(above[i] > 180);
    }
    free(inside);
    free(above);
    test_scenery_clear(&s);
}

static void test_deformed_as_made_anew(void **state) {
    td_context *context = test_context(state);
    td_mesh *shape = NULL, *bent = NULL, *fresh = NULL;
    assert_int_equal(td_create_shape(&shape, context, "torus", 1), TD_OK);
    const uint32_t vertices = td_mesh_vertex_count(shape), count = td_mesh_triangle_count(shape);
    double *from = malloc(3 * vertices * sizeof *from), *to = malloc(3 * vertices * sizeof *to);
    uint32_t *triangles = malloc(3 * count * sizeof *triangles);
    assert_true(from && to && triangles);
    for (uint32_t v = 0; v < vertices; ++v) {
        td_mesh_vertex(from + 3 * v, shape, v);
        to[3 * v] = from[3 * v] * 1.2;
        to[3 * v + 1] = from[3 * v + 1] + 0.2 * from[3 * v] * from[3 * v];
        to[3 * v + 2] = from[3 * v + 2] * 0.8;
    }
    for (uint32_t t = 0; t < count; ++t) {
        td_mesh_triangle(triangles + 3 * t, shape, t);
    }
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = from;
    mesh_def.vertex_count = vertices;
    mesh_def.triangles = triangles;
    mesh_def.triangle_count = count;
    mesh_def.deformable = true;
    assert_int_equal(td_create_mesh(&bent, context, &mesh_def), TD_OK);
    mesh_def.positions = to;
    assert_int_equal(td_create_mesh(&fresh, context, &mesh_def), TD_OK);
    test_scenery a = {.context = context, .count = 1}, b = {.context = context, .count = 1};
    assert_int_equal(td_create_render_mesh(&a.models[0], context, bent), TD_OK);
    assert_int_equal(td_create_render_mesh(&b.models[0], context, fresh), TD_OK);
    assert_int_equal(td_set_positions(NULL, bent, TD_FLOAT64, to, 0, TD_REBUILD_NEVER), TD_OK);
    td_update_render_mesh(a.models[0]);
    a.meshes[0] = bent;
    b.meshes[0] = fresh;
    a.bodies[0] = (td_render_body){a.models[0], td_pose_identity(), {0.5f, 0.6f, 0.7f}, false, NULL, 0};
    b.bodies[0] = (td_render_body){b.models[0], td_pose_identity(), {0.5f, 0.6f, 0.7f}, false, NULL, 0};
    td_render_def def = test_view_of(&b, 64, 48);
    def.sky_rays = 2;
    uint8_t *first = test_draw(&a, &def), *second = test_draw(&b, &def);
    assert_memory_equal(first, second, 3 * 64 * 48);
    free(first);
    free(second);
    test_scenery_clear(&a);
    test_scenery_clear(&b);
    td_destroy_mesh(shape);
    free(from);
    free(to);
    free(triangles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals_as_traced_here),
        cmocka_unit_test(test_sun_as_traced_here),
        cmocka_unit_test(test_sphere_is_round),
        cmocka_unit_test(test_creases),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_occlusion),
        cmocka_unit_test(test_deformed_as_made_anew),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
