// What a query on a device does at its limits: little memory, other devices, devices and meshes that come and
// go, questions that a device has no use for, things a strategy cannot do.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_stage {
    td_context *context;
    td_query *query;
    td_device *device; // without a limit
} test_stage;

static td_mesh *test_shape(td_context *context, const char *name, uint32_t subdivide) {
    td_mesh *mesh = NULL;
    if (td_create_shape(&mesh, context, name, subdivide) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return mesh;
}

static test_pairs test_natively(td_query *query, const td_object_pair *pair) {
    const td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, query, pair->a, pair->b, &pair->pose, &def), TD_OK);
    return test_pairs_copy(&answer);
}

static void test_expect_pair(td_query *query, const td_object_pair *pair, const td_collide_def *def,
                             const test_pairs *expected, const char *what) {
    td_collide_result answer;
    if (td_collide(&answer, query, pair->a, pair->b, &pair->pose, def) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    test_expect_answer(&answer, expected, def->mode, what);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

// The same question natively. On devices `balanced` walks what `stack` walks natively, oriented boxes
// included.
static td_collide_def test_native_def(td_collide_def def) {
    def.device = NULL;
    if (strcmp(def.strategy, "balanced") == 0) {
        def.strategy = "stack";
    }
    return def;
}

// What is done again for want of room is not counted again.
static void test_expect_counts(const td_counters *found, td_query *query, const td_object_pair *pair,
                               td_collide_def def, const char *what) {
    def = test_native_def(def);
    td_collide_result native;
    assert_int_equal(td_collide(&native, query, pair->a, pair->b, &pair->pose, &def), TD_OK);
    if (found->box_tests != native.counters.box_tests ||
        found->triangle_tests != native.counters.triangle_tests ||
        found->exact_tests > found->triangle_tests) {
        fail_msg("%s: %llu box tests, natively %llu; %llu triangle tests, natively %llu; %llu exact", what,
                 (unsigned long long)found->box_tests, (unsigned long long)native.counters.box_tests,
                 (unsigned long long)found->triangle_tests,
                 (unsigned long long)native.counters.triangle_tests, (unsigned long long)found->exact_tests);
    }
}

// Asks in one way with a device of `limit` bytes. True if it answered; else it said why, the query still
// works natively, and on a device that has more.
static bool test_with_limit(const test_stage *stage, const td_object_pair *pair, const test_pairs *expected,
                            td_collide_def def, uint64_t limit, uint64_t *launches) {
    td_device_def device_def = td_default_device_def();
    device_def.memory_limit = limit;
    td_device *device = NULL;
    if (td_create_device(&device, stage->context, &device_def) != TD_OK) {
        assert_non_null(strstr(td_error_message(), "bytes"));
        return false;
    }
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, stage->context), TD_OK);
    def.device = device;
    td_collide_result answer;
    const td_result result = td_collide(&answer, query, pair->a, pair->b, &pair->pose, &def);
    char what[128];
    snprintf(what, sizeof what, "%s, %s, %llu bytes", def.strategy, td_volume_name(def.volume),
             (unsigned long long)limit);
    if (result == TD_OK) {
        test_expect_answer(&answer, expected, def.mode, what);
        *launches = td_last_times(query).launches;
        test_expect_counts(&answer.counters, stage->query, pair, def, what);
    } else {
        if (result != TD_ERROR_DEVICE || strstr(td_error_message(), "bytes") == NULL) {
            fail_msg("%s: %s: %s", what, td_result_name(result), td_error_message());
        }
        const td_collide_def natively = test_native_def(def);
        test_expect_pair(query, pair, &natively, expected, what);
        def.device = stage->device;
        test_expect_pair(query, pair, &def, expected, what);
    }
    td_destroy_device(device); // the query still has it
    td_destroy_query(query);
    return result == TD_OK;
}

// From too little for the meshes to more than enough: once it is enough, it stays so.
static void test_every_limit(const test_stage *stage, const td_object_pair *pair, const char *name,
                             uint64_t surely_enough) {
    test_pairs expected = test_natively(stage->query, pair);
    test_ways ways;
    test_ways_list(&ways, stage->device, TEST_WAYS_ONE_ITEM);
    for (int w = 0; w < ways.count; ++w) {
        uint64_t least = 0, launches_at_least = 0, launches = 0;
        for (uint64_t limit = 1 << 14; limit <= (uint64_t)1 << 27; limit *= 2) {
            const bool answered =
                test_with_limit(stage, pair, &expected, ways.items[w].def, limit, &launches);
            if (answered && least == 0) {
                least = limit;
                launches_at_least = launches;
            }
            if (answered != (least > 0)) {
                fail_msg("%s: enough memory at %llu bytes, not at %llu: %s", ways.items[w].name,
                         (unsigned long long)least, (unsigned long long)limit, td_error_message());
            }
        }
        print_message("%s, %-36s from %8llu bytes on; there %4llu launches, with much memory %llu\n", name,
                      ways.items[w].name, (unsigned long long)least, (unsigned long long)launches_at_least,
                      (unsigned long long)launches);
        assert_true(least > 1 << 14 && least <= surely_enough);
        // How often `balanced` stops depends on which tasks run at the same time, and there are fewer of
        // them.
        assert_true(launches_at_least >= launches || strcmp(ways.items[w].def.strategy, "balanced") == 0);
    }
    test_pairs_free(&expected);
}

static void test_little_memory(void **state) {
    const test_stage *stage = *state;
    // Thousands of undecided pairs from small meshes: lists must be cut short.
    test_mesh sheet = test_sheet(30, 0);
    td_mesh *mesh = test_mesh_build(stage->context, &sheet);
    const td_object_pair sheets = {mesh, mesh, td_pose_identity()};
    test_every_limit(stage, &sheets, "sheets", 1 << 20);
    td_destroy_mesh(mesh);
    test_mesh_free(&sheet);
    td_mesh *knot = test_shape(stage->context, "knot", 1), *torus = test_shape(stage->context, "torus", 1);
    const td_object_pair shapes = {knot, torus, {{0.2, 0, 0.1}, {0, 0, 0, 1}}};
    test_every_limit(stage, &shapes, "shapes", 4 << 20);
    td_destroy_mesh(knot);
    td_destroy_mesh(torus);
}

// The message names the mesh that did not fit.
static void test_mesh_too_large(void **state) {
    const test_stage *stage = *state;
    td_device *small = test_open_device(stage->context, false, 1 << 18);
    assert_non_null(small);
    td_mesh *box = test_shape(stage->context, "box", 0), *knot = test_shape(stage->context, "knot", 2);
    td_collide_def def = td_default_collide_def();
    def.device = small;
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, stage->query, box, knot, NULL, &def), TD_ERROR_DEVICE);
    assert_non_null(strstr(td_error_message(), "knot"));
    assert_non_null(strstr(td_error_message(), "bytes"));
    // What does fit is answered all the same, and the large one elsewhere.
    const td_object_pair boxes = {box, box, td_pose_identity()}, both = {box, knot, td_pose_identity()};
    test_pairs expected[2] = {test_natively(stage->query, &boxes), test_natively(stage->query, &both)};
    test_expect_pair(stage->query, &boxes, &def, &expected[0], "two boxes on the small device");
    def.device = stage->device;
    test_expect_pair(stage->query, &both, &def, &expected[1], "the large mesh on the large device");
    td_destroy_device(small);
    td_destroy_mesh(box);
    td_destroy_mesh(knot);
    test_pairs_free(&expected[0]);
    test_pairs_free(&expected[1]);
}

// ---------------------------------------------------------------------------------------------------------
// Coming and going

static void test_two_devices(void **state) {
    const test_stage *stage = *state;
    td_device *other = test_open_device(stage->context, true, 0);
    td_mesh *knot = test_shape(stage->context, "knot", 0);
    const td_object_pair pair = {knot, knot, {{0.3, 0.1, 0}, {0, 0, 0, 1}}};
    test_pairs expected = test_natively(stage->query, &pair);
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, stage->context), TD_OK);
    td_device *const devices[6] = {stage->device, other, NULL, stage->device, other, other};
    test_ways ways;
    test_ways_list(&ways, stage->device, 0);
    for (int w = 0; w < ways.count; ++w) {
        for (size_t i = 0; i < 6; ++i) {
            td_collide_def def = ways.items[w].def;
            def.device = devices[i];
            def = devices[i] != NULL ? def : test_native_def(def);
            test_expect_pair(query, &pair, &def, &expected, ways.items[w].name);
        }
    }
    // The device is let go before the query that has used it last; asking natively goes on.
    td_destroy_device(other);
    const td_collide_def def = td_default_collide_def();
    test_expect_pair(query, &pair, &def, &expected, "without the device");
    td_destroy_query(query);
    td_destroy_mesh(knot);
    test_pairs_free(&expected);
}

// Meshes of the same address in turn are not taken for one another.
static void test_meshes_come_and_go(void **state) {
    const test_stage *stage = *state;
    test_ways ways;
    test_ways_list(&ways, stage->device, 0);
    td_query *native = NULL;
    assert_int_equal(td_create_query(&native, stage->context), TD_OK);
    for (uint32_t round = 0; round < 4 * td_shape_count(); ++round) {
        td_mesh *a = test_shape(stage->context, td_shape_name(round % td_shape_count()), 0);
        td_mesh *b = test_shape(stage->context, td_shape_name(round / 2 % td_shape_count()), 0);
        const td_object_pair pair = {a, b, {{0.3, 0.1, 0}, {0, 0, 0, 1}}};
        test_pairs expected = test_natively(native, &pair);
        const test_way *way = &ways.items[round % (uint32_t)ways.count];
        test_expect_pair(stage->query, &pair, &way->def, &expected, way->name);
        test_pairs_free(&expected);
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
    td_destroy_query(native);
}

// Meshes that were met stay on the device only as long as there is room.
static void test_arena_is_cleared(void **state) {
    const test_stage *stage = *state;
    td_device *small = test_open_device(stage->context, false, 3 << 20);
    assert_non_null(small);
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, stage->context), TD_OK);
    td_collide_def def = td_default_collide_def();
    uint64_t bytes = 0;
    for (int round = 0; round < 30; ++round) {
        td_mesh *mesh = test_shape(stage->context, round % 2 == 0 ? "knot" : "cow", 0);
        const td_object_pair pair = {mesh, mesh, {{0.2, 0, 0}, {0, 0, 0, 1}}};
        test_pairs expected = test_natively(stage->query, &pair);
        def.device = small;
        def.strategy = round / 2 % 2 == 0 ? "blocked" : "binary";
        test_expect_pair(query, &pair, &def, &expected, "one of many meshes");
        td_hierarchy_report report;
        assert_int_equal(td_inspect_hierarchy(&report, stage->context, mesh), TD_OK);
        bytes += report.hierarchy_bytes;
        test_pairs_free(&expected);
        td_destroy_mesh(mesh);
    }
    assert_true(bytes > 3 << 20); // all together would not have fitted
    td_destroy_device(small);
    td_destroy_query(query);
}

// ---------------------------------------------------------------------------------------------------------
// Refusals

static void test_refusals(void **state) {
    const test_stage *stage = *state;
    td_mesh *box = test_shape(stage->context, "box", 0);
    td_collide_result answer;
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        const td_strategy_abilities can = td_strategy_can(s);
        td_collide_def def = td_default_collide_def();
        def.strategy = td_strategy_name(s);
        def.device = stage->device;
        const td_result result = td_collide(&answer, stage->query, box, box, NULL, &def);
        assert_int_equal(result, can.device ? TD_OK : TD_ERROR_UNSUPPORTED);
        assert_true(can.device || strstr(td_error_message(), def.strategy) != NULL);
        assert_int_equal(td_self_collide(&answer, stage->query, box, &def),
                         can.device_self ? TD_OK : TD_ERROR_UNSUPPORTED);
        assert_true(can.device_self || strstr(td_error_message(), def.strategy) != NULL);
        for (int on_device = 0; on_device < 2; ++on_device) {
            def.device = on_device != 0 ? stage->device : NULL;
            def.volume = TD_VOLUME_OBB;
            def.descent = TD_DESCENT_AUTO;
            if (!(on_device != 0 ? can.device_obb : can.obb)) {
                assert_int_equal(td_collide(&answer, stage->query, box, box, NULL, &def),
                                 TD_ERROR_UNSUPPORTED);
                assert_non_null(strstr(td_error_message(), def.strategy));
            }
            def.volume = TD_VOLUME_AABB;
            def.descent = TD_DESCENT_A;
            if (!(on_device != 0 ? can.device_descents : can.descents)) {
                assert_int_equal(td_collide(&answer, stage->query, box, box, NULL, &def),
                                 TD_ERROR_UNSUPPORTED);
                assert_non_null(strstr(td_error_message(), def.strategy));
            }
        }
    }
    td_destroy_mesh(box);
}

static void test_device_of_another_context(void **state) {
    const test_stage *stage = *state;
    td_context *context = NULL;
    const td_context_def context_def = td_default_context_def();
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, context), TD_OK);
    td_mesh *box = test_shape(context, "box", 0);
    td_collide_def def = td_default_collide_def();
    def.device = stage->device;
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, query, box, box, NULL, &def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "context"));
    td_destroy_mesh(box);
    td_destroy_query(query);
    td_destroy_context(context);
}

// What a query holds and how long it took, by the device's word; what it did, as natively.
static void test_counters(void **state) {
    const test_stage *stage = *state;
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, stage->context), TD_OK);
    td_mesh *cow = test_shape(stage->context, "cow", 0);
    const td_object_pair pair = {cow, cow, {{0.3, 0.1, 0}, {0, 0, 0, 1}}};
    test_ways ways;
    test_ways_list(&ways, stage->device, TEST_WAYS_ONE_ITEM);
    for (int w = 0; w < ways.count; ++w) {
        const td_collide_def *def = &ways.items[w].def;
        td_collide_result answer;
        assert_int_equal(td_collide(&answer, query, cow, cow, &pair.pose, def), TD_OK);
        const td_query_times times = td_last_times(query);
        test_expect_counts(&answer.counters, stage->query, &pair, *def, ways.items[w].name);
        assert_true(answer.counters.state_bits > 0 && answer.counters.bytes > 100000);
        assert_true(times.launches > 0 && times.boxes_ms > 0 && times.triangles_ms > 0 &&
                    times.bytes_out > 0 && times.copy_out_ms > 0 && times.total_ms > 0);
    }
    td_destroy_mesh(cow);
    td_destroy_query(query);
}

// ---------------------------------------------------------------------------------------------------------
// Progress

typedef struct test_progress {
    int calls, stop_at; // stop_at 0: never
    uint64_t last, total;
} test_progress;

static bool test_note_progress(uint64_t done, uint64_t total, void *user) {
    test_progress *progress = user;
    assert_true(done <= total && (progress->calls == 0 || total == progress->total));
    progress->last = done;
    progress->total = total;
    return ++progress->calls != progress->stop_at;
}

// A query on a device tells how it goes, stops when it is told to at any call, and is good as new after.
static void test_progress_and_cancelling(void **state) {
    const test_stage *stage = *state;
    td_mesh *cow = test_shape(stage->context, "cow", 0);
    const td_object_pair pair = {cow, cow, {{0.2, 0.1, 0}, {0, 0.6, 0, 0.8}}};
    test_pairs expected = test_natively(stage->query, &pair);
    static const char *const strategies[] = {"stack", "binary", "blocked"};
    for (int s = 0; s < 3; ++s) {
        test_progress progress = {0};
        td_collide_def def = td_default_collide_def();
        def.strategy = strategies[s];
        def.device = stage->device;
        def.progress = test_note_progress;
        def.progress_user = &progress;
        test_expect_pair(stage->query, &pair, &def, &expected, strategies[s]);
        const int calls = progress.calls;
        assert_true(calls >= 3 && progress.last == progress.total);
        for (int stop_at = 1; stop_at <= calls; ++stop_at) {
            progress = (test_progress){.stop_at = stop_at};
            td_collide_result answer;
            assert_int_equal(td_collide(&answer, stage->query, cow, cow, &pair.pose, &def),
                             TD_ERROR_CANCELLED);
            assert_int_equal(progress.calls, stop_at);
        }
        progress = (test_progress){0};
        test_expect_pair(stage->query, &pair, &def, &expected, strategies[s]);
    }
    test_pairs_free(&expected);
    td_destroy_mesh(cow);
}

static int test_teardown(void **state) {
    test_stage *stage = *state;
    td_destroy_device(stage->device); // the query still has it
    td_destroy_query(stage->query);
    td_destroy_context(stage->context);
    return 0;
}

static test_stage test_the_stage;

static int test_setup(void **state) {
    *state = &test_the_stage;
    return 0;
}

int main(void) {
    test_stage *stage = &test_the_stage;
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    if (td_create_context(&stage->context, &def) != TD_OK ||
        td_create_query(&stage->query, stage->context) != TD_OK) {
        fprintf(stderr, "%s\n", td_error_message());
        return 1;
    }
    stage->device = test_open_device(stage->context, false, 0);
    if (stage->device == NULL) { // as it said
        td_destroy_query(stage->query);
        td_destroy_context(stage->context);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_mesh_too_large),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_meshes_come_and_go),
        cmocka_unit_test(test_arena_is_cleared),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_device_of_another_context),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_progress_and_cancelling),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
