// Rays of deformable objects with temporal data: natively and on a device, by the pipeline and the naive way,
// with the same contacts and the same numbers of rays, however often a step is made again. On a device with
// kernels for work-items that go one after the other, and for those that go in step.
#include "test_traced_support.h"

#include "rays/device.h"
#include "support/variants.h"

enum { TEST_OBJECTS = 6, TEST_STEPS = 14, TEST_MOST_WAYS = 8 };

typedef struct test_way {
    char name[64];
    td_tracer *tracer;
} test_way;

typedef struct test_scene {
    td_context *context;
    td_device *device; // null: there is none
    td_mesh *meshes[TEST_OBJECTS];
    test_mesh shapes[TEST_OBJECTS];
    td_traced_object objects[TEST_OBJECTS];
    test_way ways[TEST_MOST_WAYS];
    int way_count;
} test_scene;

// A rigid ball and knot, and four that deform: two sheets and a ball through the first, and a ball that comes
// later. No two are so placed that doubles cannot tell what meets what.
static void test_build_scene(test_scene *scene) {
    static const struct {
        const char *shape; // null: a sheet
        bool deformable;
        double thickness, position[3];
    } parts[TEST_OBJECTS] = {
        {"sphere", false, 0, {0, 0, 0}},         {"knot", false, 0, {0.5, 0.1, 0}},
        {NULL, true, 0.03, {-0.5, -0.5, 0.1}},   {"sphere", true, 0, {0.3, 0.2, 0.3}},
        {NULL, true, 0.02, {-0.4, -0.5, -0.25}}, {"sphere", true, 0, {-0.4, 0.013, 0.021}},
    };
    for (int i = 0; i < TEST_OBJECTS; ++i) {
        if (parts[i].shape != NULL) {
            td_mesh *mesh;
            test_ok(td_create_shape(&mesh, scene->context, parts[i].shape, 0));
            scene->shapes[i] = test_copy_of(mesh);
            td_destroy_mesh(mesh);
        } else {
            scene->shapes[i] = test_sheet(12, 0.05);
        }
        td_mesh_def def = td_default_mesh_def();
        def.positions = scene->shapes[i].positions;
        def.vertex_count = scene->shapes[i].vertex_count;
        def.triangles = scene->shapes[i].triangles;
        def.triangle_count = scene->shapes[i].triangle_count;
        def.deformable = parts[i].deformable;
        def.name = "part";
        test_ok(td_create_mesh(&scene->meshes[i], scene->context, &def));
        scene->objects[i] = (td_traced_object){.key = (uint64_t)i + 1,
                                               .mesh = scene->meshes[i],
                                               .pose = td_pose_identity(),
                                               .thickness = parts[i].thickness};
        memcpy(scene->objects[i].pose.position, parts[i].position, sizeof parts[i].position);
    }
}

static void test_add_way(test_scene *scene, td_device *device, bool naive, bool alone, bool basic) {
    test_way *way = &scene->ways[scene->way_count++];
    assert_true(scene->way_count <= TEST_MOST_WAYS);
    td_tracer_def def = td_default_tracer_def();
    def.naive = naive;
    def.device = device;
    def.deformable = basic ? TD_TRACED_BASIC : TD_TRACED_BVH;
    def.prediction = TD_PREDICT_LAST;
    def.confidence = 1; // so that steps are made again
    snprintf(way->name, sizeof way->name, "%s, %s%s%s", device != NULL ? "device" : "native",
             naive ? "naive" : "pipeline", basic ? ", basic" : "", alone ? ", alone" : "");
    test_ok(td_create_tracer(&way->tracer, scene->context, &def));
    if (device != NULL) {
        test_ok(td_choose_trace_kernels(way->tracer, alone));
    }
}

static int test_open(void **state) {
    test_scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    test_ok(td_create_context(&scene->context, &def));
    scene->device = test_open_device(scene->context, false, 0);
    test_build_scene(scene);
    test_add_way(scene, NULL, false, false, false);
    test_add_way(scene, NULL, true, false, false);
    if (scene->device != NULL && td_device_has_float64(scene->device)) {
        for (int alone = 0; alone < 2; ++alone) {
            test_add_way(scene, scene->device, false, alone, false);
            test_add_way(scene, scene->device, true, alone, false);
        }
    }
    *state = scene;
    return 0;
}

static int test_close(void **state) {
    test_scene *scene = *state;
    for (int i = 0; i < scene->way_count; ++i) {
        td_destroy_tracer(scene->ways[i].tracer);
    }
    for (int i = 0; i < TEST_OBJECTS; ++i) {
        td_destroy_mesh(scene->meshes[i]);
        test_mesh_free(&scene->shapes[i]);
    }
    td_destroy_device(scene->device);
    td_destroy_context(scene->context);
    free(scene);
    return 0;
}

// Slow, but for the fifth step; the ball that comes later stands still.
static void test_deform(test_scene *scene, test_random *random, int step) {
    const double pace = step == 5 ? 0.02 : 2e-4;
    for (int i = 2; i < TEST_OBJECTS - 1; ++i) {
        for (uint32_t v = 0; v < 3 * scene->shapes[i].vertex_count; ++v) {
            scene->shapes[i].positions[v] += test_random_range(random, -pace, pace);
        }
        test_ok(td_set_positions(NULL, scene->meshes[i], TD_FLOAT64, scene->shapes[i].positions,
                                 3 * sizeof(double), TD_REBUILD_AUTO));
    }
    scene->objects[1].pose.position[0] += pace;
}

// Pairs of the first two objects with those that deform; from the fourth step on also those among these, more
// than twice as many.
static size_t test_pairs_of_step(td_traced_pair *out, int step) {
    size_t count = 0;
    for (uint32_t a = 0; a < TEST_OBJECTS; ++a) {
        for (uint32_t b = a + 1; b < TEST_OBJECTS; ++b) {
            if (step >= 4 || (a < 2 && b < 4 && b >= 2)) {
                out[count++] = (td_traced_pair){a, b};
            }
        }
    }
    return count;
}

static void test_expect_counts(const td_traced_report *found, const td_traced_report *expected,
                               const char *what) {
    const uint64_t a[] = {found->vertices,   found->dropped_bounds, found->dropped_temporal,
                          found->rays[0],    found->rays[1],        found->rays[2],
                          found->fallbacks,  found->open,           found->pairs_deformable,
                          found->pairs_still};
    const uint64_t b[] = {expected->vertices,   expected->dropped_bounds, expected->dropped_temporal,
                          expected->rays[0],    expected->rays[1],        expected->rays[2],
                          expected->fallbacks,  expected->open,           expected->pairs_deformable,
                          expected->pairs_still};
    static const char *const names[] = {"vertices",
                                        "dropped by bounds",
                                        "dropped for want of temporal data",
                                        "bvh",
                                        "basic",
                                        "iterative",
                                        "fallbacks",
                                        "open",
                                        "deformable pairs",
                                        "still pairs"};
    for (size_t i = 0; i < sizeof a / sizeof *a; ++i) {
        if (a[i] != b[i]) {
            fail_msg("%s: %llu %s, expected %llu", what, (unsigned long long)a[i], names[i],
                     (unsigned long long)b[i]);
        }
    }
}

static void test_same_everywhere(void **state) {
    test_scene *scene = *state;
    test_random random = {77};
    td_traced_report sum = {0};
    uint64_t again = 0;
    for (int step = 0; step < TEST_STEPS; ++step) {
        td_traced_pair pairs[TEST_OBJECTS * TEST_OBJECTS];
        const size_t count = test_pairs_of_step(pairs, step);
        test_contacts expected = test_trace(scene->objects, pairs, count);
        td_traced_report native = {0};
        for (int w = 0; w < scene->way_count; ++w) {
            char what[128];
            snprintf(what, sizeof what, "%s, step %d", scene->ways[w].name, step);
            td_traced_result result;
            test_ok(td_trace(&result, scene->ways[w].tracer, scene->objects, TEST_OBJECTS, pairs, count));
            test_expect_contacts(&result, &expected, what);
            assert_int_equal(result.report.missed, 0);
            assert_int_equal(result.report.handed, 0); // what the host decides leaves no temporal data there
            if (w == 0) {
                native = result.report;
            }
            test_expect_counts(&result.report, &native, what);
            assert_int_equal(native.vertices, native.dropped_bounds + native.dropped_temporal +
                                                  native.rays[0] + native.rays[1] + native.rays[2]);
            again += result.report.retries;
        }
        sum.rays[TD_TRACED_ITERATIVE] += native.rays[TD_TRACED_ITERATIVE];
        sum.rays[TD_TRACED_BVH] += native.rays[TD_TRACED_BVH];
        sum.dropped_temporal += native.dropped_temporal;
        sum.open += native.open;
        sum.contacts += native.contacts;
        free(expected.items);
        test_deform(scene, &random, step);
    }
    print_message(
        "%d ways: %llu contacts, %llu iterative rays, %llu in full, %llu of them open, %llu dropped; "
        "%llu steps made again\n",
        scene->way_count, (unsigned long long)sum.contacts, (unsigned long long)sum.rays[TD_TRACED_ITERATIVE],
        (unsigned long long)sum.rays[TD_TRACED_BVH], (unsigned long long)sum.open,
        (unsigned long long)sum.dropped_temporal, (unsigned long long)again);
    assert_true(sum.contacts > 0 && sum.rays[TD_TRACED_ITERATIVE] > 0 && sum.open > 0);
    assert_true(sum.dropped_temporal > 0 && again > 0);
}

// What moves too fast for temporal data to last gets none: nothing is proven in vain.
static void test_fast_is_not_proven(void **state) {
    test_scene *scene = *state;
    test_random random = {78};
    for (int w = 0; w < scene->way_count; ++w) {
        td_forget_traced(scene->ways[w].tracer);
    }
    for (int step = 0; step < 4; ++step) {
        td_traced_pair pairs[TEST_OBJECTS * TEST_OBJECTS];
        const size_t count = test_pairs_of_step(pairs, 0);
        for (int w = 0; w < scene->way_count; ++w) {
            td_traced_result result;
            test_ok(td_trace(&result, scene->ways[w].tracer, scene->objects, TEST_OBJECTS, pairs, count));
            assert_int_equal(result.report.rays[TD_TRACED_ITERATIVE], 0);
            assert_int_equal(result.report.dropped_temporal, 0);
            assert_int_equal(result.report.open, 0);
        }
        test_deform(scene, &random, 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_fast_is_not_proven),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
