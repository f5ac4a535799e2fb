// What is held, and when it is asked for: at most 120 bytes per triangle for mesh and hierarchy, and nothing
// at all during a query whose buffers are warm.
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/variants.h"
#include "support/ways.h"

#include <tandem/io.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Bytes per triangle

static void test_bytes_of(td_context *context, test_heap *heap, size_t before, const td_mesh *mesh,
                          const char *name, uint32_t at_least) {
    td_hierarchy_report report;
    assert_int_equal(td_inspect_hierarchy(&report, context, mesh), TD_OK);
    const double triangles = td_mesh_triangle_count(mesh);
    const double reported = (double)(report.mesh_bytes + report.hierarchy_bytes) / triangles;
    const double held = (double)(atomic_load(&heap->bytes) - before) / triangles;
    print_message("%-18s %6.0f triangles: %.1f bytes each (mesh %.1f, hierarchy %.1f), %.1f allocated\n",
                  name, triangles, reported, (double)report.mesh_bytes / triangles,
                  (double)report.hierarchy_bytes / triangles, held);
    if (td_mesh_triangle_count(mesh) >= at_least) {
        assert_true(reported <= 120);
        // The report is the truth, but for the handles.
        assert_true(held <= reported + 1024 / triangles);
    }
}

static void test_shapes(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context *context = NULL;
    td_context_def def = td_default_context_def();
    def.allocator = test_heap_allocator(&heap);
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        uint32_t subdivide = 0;
        td_mesh *mesh = NULL;
        const size_t before = atomic_load(&heap.bytes);
        do {
            td_destroy_mesh(mesh);
            assert_int_equal(td_create_shape(&mesh, context, td_shape_name(i), subdivide++), TD_OK);
        } while (td_mesh_triangle_count(mesh) <= 5000);
        test_bytes_of(context, &heap, before, mesh, td_shape_name(i), 0);
        td_destroy_mesh(mesh);
    }
    td_destroy_context(context);
}

static int test_is_obj(const struct dirent *entry) {
    return strstr(entry->d_name, ".obj") != NULL;
}

static void test_scans(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context *context = NULL;
    td_context_def context_def = td_default_context_def();
    context_def.allocator = test_heap_allocator(&heap);
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    struct dirent **entries = NULL;
    const char *folder = TD_TEST_DATA "/meshes";
    const int count = scandir(folder, &entries, test_is_obj, alphasort);
    if (count <= 0) {
        print_message("skipped: no meshes in %s\n", folder);
    }
    for (int i = 0; i < count; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        td_load_def def = td_default_load_def();
        def.weld = true;
        const size_t before = atomic_load(&heap.bytes);
        td_mesh *mesh = NULL;
        assert_int_equal(td_load_mesh(&mesh, context, path, &def), TD_OK);
        // On a few hundred triangles the last block of each kind weighs too much.
        test_bytes_of(context, &heap, before, mesh, entries[i]->d_name, 1000);
        td_destroy_mesh(mesh);
        free(entries[i]);
    }
    free(entries);
    td_destroy_context(context);
}

// ---------------------------------------------------------------------------------------------------------
// Warm queries

enum { TEST_POSES = 40 };

typedef struct test_stage {
    test_heap heap;
    td_context *context;
    td_query *query;
    td_mesh *a, *b;
    td_pose poses[TEST_POSES];
    size_t pose_count;
    bool self; // ask about the mesh with itself, too
    td_collide_def def;
} test_stage;

static void test_stage_open(test_stage *stage, const td_context_def *wanted) {
    *stage = (test_stage){.def = td_default_collide_def(), .pose_count = TEST_POSES, .self = true};
    td_context_def def = *wanted;
    def.allocator = test_heap_allocator(&stage->heap);
    assert_int_equal(td_create_context(&stage->context, &def), TD_OK);
    assert_int_equal(td_create_query(&stage->query, stage->context), TD_OK);
    // More than 8192 triangles: one question is shared out over the threads.
    assert_int_equal(td_create_shape(&stage->a, stage->context, "knot", 1), TD_OK);
    assert_int_equal(td_create_shape(&stage->b, stage->context, "torus", 0), TD_OK);
    test_random random = {71};
    for (int i = 0; i < TEST_POSES; ++i) {
        stage->poses[i] = test_random_pose(&random, 0.8);
    }
}

static void test_stage_close(test_stage *stage) {
    td_destroy_mesh(stage->a);
    td_destroy_mesh(stage->b);
    td_destroy_query(stage->query);
    td_destroy_context(stage->context);
    assert_int_equal(atomic_load(&stage->heap.blocks), 0);
    assert_int_equal(atomic_load(&stage->heap.mistakes), 0);
}

// What is asked: the whole batch, one pose, the mesh with itself.
static uint64_t test_ask(test_stage *stage) {
    td_collide_result answers[TEST_POSES];
    uint64_t sum = 0;
    assert_int_equal(td_collide_batch(answers, stage->query, stage->a, stage->b, stage->poses,
                                      stage->pose_count, &stage->def),
                     TD_OK);
    for (size_t i = 0; i < stage->pose_count; ++i) {
        sum += answers[i].pair_count;
    }
    assert_int_equal(td_collide(answers, stage->query, stage->a, stage->b, &stage->poses[0], &stage->def),
                     TD_OK);
    sum += answers[0].pair_count;
    if (stage->self) {
        assert_int_equal(td_self_collide(answers, stage->query, stage->a, &stage->def), TD_OK);
        sum += answers[0].pair_count;
    }
    return sum;
}

// The number of allocations of one round.
static long test_count(test_stage *stage) {
    test_heap_recover(&stage->heap);
    const uint64_t pairs = test_ask(stage);
    assert_true(pairs > 0);
    return atomic_load(&stage->heap.calls);
}

static bool test_can_self(const char *strategy) {
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        if (strcmp(td_strategy_name(s), strategy) == 0) {
            return td_strategy_can(s).self;
        }
    }
    return false;
}

static void test_one_thread(void **state) {
    (void)state;
    test_ways ways;
    test_ways_list(&ways, NULL, TEST_WAYS_BRUTE | TEST_WAYS_DESCENTS);
    for (int w = 0; w < ways.count; ++w) {
        for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
            test_stage stage;
            td_context_def def = td_default_context_def();
            def.thread_count = 1;
            test_stage_open(&stage, &def);
            stage.def = ways.items[w].def;
            stage.def.mode = (td_mode)mode;
            stage.self = test_can_self(stage.def.strategy);
            if (strcmp(stage.def.strategy, "brute") == 0) { // it has no hurry
                td_destroy_mesh(stage.a);
                stage.pose_count = 2;
                assert_int_equal(td_create_shape(&stage.a, stage.context, "sphere", 0), TD_OK);
            }
            const long cold = test_count(&stage), warm = test_count(&stage);
            if (cold == 0 || warm != 0) {
                fail_msg("%s, mode %d: %ld allocations, then %ld", ways.items[w].name, mode, cold, warm);
            }
            test_stage_close(&stage);
        }
    }
}

// Every worker has done all the work once, so none can need more than it has: a task system that gives
// everything to one worker, chosen by the test, and then to two threads.
typedef struct test_system {
    uint32_t chosen; // the item to run first; 2: both at once
} test_system;

typedef struct test_thread {
    td_task_fn *task;
    void *payload;
    uint32_t item;
} test_thread;

static void *test_run_thread(void *argument) {
    const test_thread *thread = argument;
    thread->task(thread->item, thread->payload);
    return NULL;
}

static void test_system_run(td_task_fn *task, uint32_t count, void *payload, void *user) {
    const test_system *system = user;
    if (system->chosen < 2) {
        for (uint32_t i = 0; i < count; ++i) {
            task((system->chosen + i) % count, payload);
        }
        return;
    }
    test_thread thread = {task, payload, 0};
    pthread_t handle;
    const bool started = count > 1 && pthread_create(&handle, NULL, test_run_thread, &thread) == 0;
    for (uint32_t i = started ? 1 : 0; i < count; ++i) {
        task(i, payload);
    }
    if (started) {
        pthread_join(handle, NULL);
    }
}

static void test_two_threads(void **state) {
    (void)state;
    test_ways ways;
    test_ways_list(&ways, NULL, 0);
    for (int w = 0; w < ways.count; ++w) {
        for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
            test_system system = {0};
            test_stage stage;
            td_context_def def = td_default_context_def();
            def.tasks = (td_task_system){test_system_run, 2, &system};
            test_stage_open(&stage, &def);
            stage.def = ways.items[w].def;
            stage.def.mode = (td_mode)mode;
            stage.self = test_can_self(stage.def.strategy);
            assert_true(test_count(&stage) > 0);
            system.chosen = 1;
            test_count(&stage);
            for (int round = 0; round < 6; ++round) {
                system.chosen = (uint32_t)round % 3;
                const long count = test_count(&stage);
                if (count != 0) {
                    fail_msg("%s, mode %d, round %d: %ld allocations", ways.items[w].name, mode, round,
                             count);
                }
            }
            test_stage_close(&stage);
        }
    }
}

// The library's own pool: who does what is up to the machine, so the buffers grow now and then until all are
// as large as they can be needed. From some round on, nothing.
static void test_own_pool(void **state) {
    (void)state;
    test_stage stage;
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    test_stage_open(&stage, &def);
    int quiet = 0;
    for (int round = 0; round < 500 && quiet < 5; ++round) {
        quiet = test_count(&stage) == 0 ? quiet + 1 : 0;
    }
    assert_int_equal(quiet, 5);
    test_stage_close(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_scans),
        cmocka_unit_test(test_one_thread), cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_own_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
