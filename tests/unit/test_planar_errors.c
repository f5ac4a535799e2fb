// What the planar simulator refuses, with the object's index, and what a failing allocator does to it.
#include "support/heap.h"
#include "test_planar_support.h"

#include <limits.h>

static td_planar_body_def test_circle(double x, double y) {
    td_planar_body_def body = td_default_planar_body_def();
    body.radius = 1;
    body.position[0] = x;
    body.position[1] = y;
    return body;
}

static td_planar_def test_room(void) {
    td_planar_def def = td_default_planar_def();
    def.room[0] = def.room[1] = 10;
    return def;
}

static void test_refused_with(const td_planar_def *def, const td_planar_body_def *bodies, uint32_t count,
                              const char *part) {
    td_context *context = test_plane_context(1);
    td_planar *planar = (td_planar *)1;
    const td_result result = td_create_planar(&planar, context, def, bodies, count);
    if (result == TD_OK || strstr(td_error_message(), part) == NULL || planar != NULL) {
        fail_msg("expected '%s', got %s: %s", part, td_result_name(result), td_error_message());
    }
    td_destroy_context(context);
}

// The second of two bodies is wrong.
static void test_refused(td_planar_body_def body, const char *part) {
    const td_planar_def def = test_room();
    const td_planar_body_def bodies[] = {test_circle(2, 2), body};
    test_refused_with(&def, bodies, 2, part);
}

static void test_bad_bodies(void **state) {
    (void)state;
    td_planar_body_def body = test_circle(5, 5);
    body.radius = 0;
    test_refused(body, "object 1: radius 0: expected a number > 0");
    body.radius = NAN;
    test_refused(body, "object 1: radius");
    body = test_circle(5, 5);
    body.mass = -1;
    test_refused(body, "object 1: mass -1");
    body.mass = 0;
    body.density = 0;
    test_refused(body, "object 1: density 0");
    body = test_circle(5, 5);
    body.velocity[1] = INFINITY;
    test_refused(body, "object 1: velocity y");
    body = test_circle(5, 5);
    body.is_static = true;
    body.velocity[0] = 1;
    test_refused(body, "object 1: is static and has a velocity");
    body.cookie = 0;
    test_refused(body, "td_default_planar_body_def");
}

static void test_bad_places(void **state) {
    (void)state;
    test_refused(test_circle(3, 2), "object 1 overlaps object 0 at the start, by 1 m");
    test_refused(test_circle(9.5, 5), "object 1 is outside the room");
    test_refused(test_circle(5, -3), "object 1 is outside the room");
    test_refused(test_circle(5000, 5), "object 1 is outside the room");
}

static td_planar_body_def test_polygon(const double *corners, uint32_t count) {
    td_planar_body_def body = test_circle(6, 6);
    body.kind = TD_PLANAR_POLYGON;
    body.corners = corners;
    body.corner_count = count;
    return body;
}

static void test_bad_polygons(void **state) {
    (void)state;
    const double clockwise[] = {0, 0, 0, 1, 1, 1, 1, 0};
    test_refused(test_polygon(clockwise, 4), "object 1: the corners of its polygon go clockwise");
    const double dart[] = {0, 0, 2, 0, 0.5, 0.5, 0, 2};
    test_refused(test_polygon(dart, 4), "object 1: its polygon is not convex: corner");
    const double flat[] = {0, 0, 1, 0, 2, 0};
    test_refused(test_polygon(flat, 3), "object 1: its polygon is not convex");
    const double twice[] = {0, 0, 1, 0, 1, 0, 0, 1};
    test_refused(test_polygon(twice, 4), "object 1: its polygon is not convex");
    double star[10];
    for (int i = 0; i < 5; ++i) {
        star[2 * i] = cos(4 * 3.14159265358979 * i / 5);
        star[2 * i + 1] = sin(4 * 3.14159265358979 * i / 5);
    }
    test_refused(test_polygon(star, 5), "object 1: its polygon is not convex");
    const double nowhere[] = {0, 0, 1, 0, NAN, 1};
    test_refused(test_polygon(nowhere, 3), "object 1: corner 2");
    test_refused(test_polygon(clockwise, 2), "object 1: a polygon of 2 corners");
    test_refused(test_polygon(NULL, 65), "object 1: a polygon of 65 corners");
    test_refused(test_polygon(NULL, 4), "object 1: a polygon without corners");
}

static void test_bad_settings(void **state) {
    (void)state;
    const td_planar_body_def body = test_circle(5, 5);
    td_planar_def def = test_room();
    def.room[1] = -1;
    test_refused_with(&def, &body, 1, "the room is -1 m high");
    def = test_room();
    def.restitution = 1.5;
    test_refused_with(&def, &body, 1, "restitution 1.5");
    def = test_room();
    def.step = 0;
    test_refused_with(&def, &body, 1, "step 0 s");
    def = test_room();
    def.epsilon = 0;
    test_refused_with(&def, &body, 1, "epsilon 0");
    def = test_room();
    def.skin = NAN;
    test_refused_with(&def, &body, 1, "skin");
    def = test_room();
    test_refused_with(&def, &body, 0, "0 objects");
    def.stepping = TD_PLANAR_FIRST_COLLISION;
    def.broad = TD_PLANAR_ALL_PAIRS;
    test_refused_with(&def, &body, 20000, "object 16384 of 20000 does not fit");
    def.cookie = 0;
    test_refused_with(&def, &body, 1, "td_default_planar_def");
}

// More than fit, whether that is plain or found out by trying.
static void test_too_many(void **state) {
    (void)state;
    td_context *context = test_plane_context(1);
    td_planar_body_def *bodies = malloc(100 * sizeof *bodies);
    td_planar_scatter_def scatter = td_default_planar_scatter_def();
    scatter.count = 100;
    scatter.radius = 0.5;
    scatter.room[0] = scatter.room[1] = 5;
    assert_int_equal(td_scatter_planar(bodies, context, &scatter), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "object 28 of 100 does not fit"));
    scatter.room[0] = scatter.room[1] = 10;
    assert_int_equal(td_scatter_planar(bodies, context, &scatter), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "of 100: no free place of radius 0.5 was found"));
    scatter.radius = 6;
    assert_int_equal(td_scatter_planar(bodies, context, &scatter), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "object 0: a radius of 6 does not fit"));
    free(bodies);
    td_destroy_context(context);
}

// Memory that runs out at any allocation: an error, and nothing left behind.
static void test_no_memory(void **state) {
    (void)state;
    const td_planar_body_def bodies[] = {test_circle(2, 2), test_circle(7, 7)};
    for (int stepping = 0; stepping < 2; ++stepping) {
        bool refused = true;
        for (long allowed = 0; refused; ++allowed) {
            assert_true(allowed < 200);
            test_heap heap = {0};
            td_context_def context_def = td_default_context_def();
            context_def.thread_count = 1;
            context_def.allocator = test_heap_allocator(&heap);
            td_context *context = NULL;
            test_ok(td_create_context(&context, &context_def));
            td_planar_def def = test_room();
            def.stepping = (td_planar_stepping)stepping;
            def.broad = (td_planar_broad)stepping;
            td_planar *planar = NULL;
            test_heap_fail(&heap, allowed, LONG_MAX);
            td_result result = td_create_planar(&planar, context, &def, bodies, 2);
            result = result == TD_OK ? td_step_planar(planar, 3) : result;
            refused = result != TD_OK;
            assert_true(!refused || result == TD_ERROR_MEMORY);
            td_destroy_planar(planar);
            td_destroy_context(context);
            assert_int_equal(atomic_load(&heap.blocks), 0);
            assert_int_equal(atomic_load(&heap.mistakes), 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_bodies),   cmocka_unit_test(test_bad_places),
        cmocka_unit_test(test_bad_polygons), cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_too_many),     cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
