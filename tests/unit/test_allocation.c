// Memory runs out at every allocation of every call: each time the call says so, leaves nothing behind and
// nothing half made, and succeeds when it is asked again.
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/variants.h"
#include "support/ways.h"

#include <tandem/tandem.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_bench {
    test_heap heap;
    td_context *context;
    long fail_at;          // which allocation, counted from test_arm on, fails
    bool fail_all;         // and all after it
    bool may_need_nothing; // the call is allowed to succeed without memory
    // What some of the calls below work on:
    td_mesh *a, *b;
    const td_pose *poses;
    bool as_object_pairs; // by td_collide_pairs
    td_collide_def def;
    test_pairs expected[3];
    const void *bytes;
    size_t size;
    const char *name;
} test_bench;

// From here on memory runs out.
static void test_arm(test_bench *bench) {
    test_heap_fail(&bench->heap, bench->fail_at, bench->fail_all ? LONG_MAX : bench->fail_at + 1);
}

// Calls test_arm, then does what is tested, checks what it made and gives it back.
typedef td_result test_work(test_bench *bench);

static void test_fail_each(test_bench *bench, test_work *work, const char *what) {
    for (int all = 0; all < 2; ++all) {
        bench->fail_all = all != 0;
        for (bench->fail_at = 0;; ++bench->fail_at) {
            const long blocks = atomic_load(&bench->heap.blocks);
            const size_t bytes = atomic_load(&bench->heap.bytes);
            const td_result result = work(bench);
            const long failures = atomic_load(&bench->heap.failures);
            test_heap_recover(&bench->heap);
            if (result != TD_OK &&
                (result != TD_ERROR_MEMORY || strstr(td_error_message(), "out of memory") == NULL)) {
                fail_msg("%s, allocation %ld: %s: %s", what, bench->fail_at, td_result_name(result),
                         td_error_message());
            }
            if (atomic_load(&bench->heap.blocks) != blocks || atomic_load(&bench->heap.bytes) != bytes) {
                fail_msg("%s, allocation %ld: %ld blocks leaked", what, bench->fail_at,
                         atomic_load(&bench->heap.blocks) - blocks);
            }
            assert_int_equal(atomic_load(&bench->heap.mistakes), 0);
            assert_true(failures > 0 || result == TD_OK);
            if (failures == 0) {
                break;
            }
        }
        assert_true(bench->fail_at > 0 || bench->may_need_nothing);
    }
    print_message("%-32s %3ld allocations\n", what, bench->fail_at);
}

static void test_bench_open(test_bench *bench, uint32_t threads) {
    *bench = (test_bench){.def = td_default_collide_def()};
    td_context_def def = td_default_context_def();
    def.thread_count = threads;
    def.allocator = test_heap_allocator(&bench->heap);
    assert_int_equal(td_create_context(&bench->context, &def), TD_OK);
}

static void test_bench_close(test_bench *bench) {
    td_destroy_mesh(bench->a);
    td_destroy_mesh(bench->b);
    td_destroy_context(bench->context);
    assert_int_equal(atomic_load(&bench->heap.blocks), 0);
    assert_int_equal(atomic_load(&bench->heap.bytes), 0);
    assert_int_equal(atomic_load(&bench->heap.mistakes), 0);
}

// ---------------------------------------------------------------------------------------------------------
// Contexts, meshes, shapes

static td_result test_context_work(test_bench *bench) {
    td_context_def def = td_default_context_def();
    def.thread_count = 3;
    def.allocator = test_heap_allocator(&bench->heap);
    td_context *context = (td_context *)bench;
    test_arm(bench);
    const td_result result = td_create_context(&context, &def);
    assert_true((context != NULL) == (result == TD_OK));
    td_destroy_context(context);
    return result;
}

static td_result test_mesh_work(test_bench *bench, bool borrow) {
    test_random random = {31};
    test_mesh soup = test_grid_soup(&random, 3000); // more than one task builds
    td_mesh_def def = td_default_mesh_def();
    def.positions = soup.positions;
    def.vertex_count = soup.vertex_count;
    def.triangles = soup.triangles;
    def.triangle_count = soup.triangle_count;
    def.borrow = borrow;
    def.name = "soup";
    td_mesh *mesh = (td_mesh *)bench;
    test_arm(bench);
    const td_result result = td_create_mesh(&mesh, bench->context, &def);
    assert_true((mesh != NULL) == (result == TD_OK));
    if (mesh != NULL) {
        assert_int_equal(td_mesh_triangle_count(mesh), 3000);
    }
    td_destroy_mesh(mesh);
    test_mesh_free(&soup);
    return result;
}

static td_result test_copied_work(test_bench *bench) {
    return test_mesh_work(bench, false);
}

static td_result test_borrowed_work(test_bench *bench) {
    return test_mesh_work(bench, true);
}

static td_result test_shape_work(test_bench *bench) {
    td_mesh *mesh = (td_mesh *)bench;
    test_arm(bench);
    const td_result result = td_create_shape(&mesh, bench->context, bench->name, 1);
    assert_true((mesh != NULL) == (result == TD_OK));
    assert_true(mesh == NULL || td_mesh_is_closed(mesh) == (strcmp(bench->name, "sheet") != 0));
    td_destroy_mesh(mesh);
    return result;
}

static td_result test_inspect_work(test_bench *bench) {
    td_mesh_report report;
    test_arm(bench);
    const td_result result = td_inspect_mesh(&report, bench->context, bench->a);
    assert_true(result != TD_OK || (report.closed && report.triangles == td_mesh_triangle_count(bench->a)));
    return result;
}

static void test_making(void **state) {
    (void)state;
    test_bench bench;
    test_bench_open(&bench, 1);
    test_fail_each(&bench, test_context_work, "td_create_context");
    test_fail_each(&bench, test_copied_work, "td_create_mesh, copied");
    test_fail_each(&bench, test_borrowed_work, "td_create_mesh, borrowed");
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        bench.name = td_shape_name(i);
        if (strcmp(bench.name, "cow") == 0 && test_rounds(1) == 1) {
            continue; // a tenth of a second each time; test_shapes.c does it once
        }
        char what[64];
        snprintf(what, sizeof what, "td_create_shape, %s", bench.name);
        test_fail_each(&bench, test_shape_work, what);
    }
    assert_int_equal(td_create_shape(&bench.a, bench.context, "knot", 0), TD_OK);
    test_fail_each(&bench, test_inspect_work, "td_inspect_mesh");
    test_bench_close(&bench);
    test_bench_open(&bench, 2);
    test_fail_each(&bench, test_copied_work, "td_create_mesh, two threads");
    test_bench_close(&bench);
}

// ---------------------------------------------------------------------------------------------------------
// Files

static td_result test_read_work(test_bench *bench) {
    const td_load_def def = td_default_load_def();
    td_mesh_arrays arrays;
    memset(&arrays, 0x55, sizeof arrays);
    test_arm(bench);
    const td_result result =
        td_read_mesh_memory(&arrays, bench->context, bench->bytes, bench->size, bench->name, &def);
    if (result == TD_OK) {
        assert_int_equal(arrays.triangle_count, 12);
        td_release_mesh_arrays(&arrays, bench->context);
    } else {
        assert_null(arrays.positions);
        assert_null(arrays.triangles);
    }
    return result;
}

static td_result test_load_work(test_bench *bench) {
    const td_load_def def = td_default_load_def();
    td_mesh *mesh = (td_mesh *)bench;
    test_arm(bench);
    const td_result result = td_load_mesh(&mesh, bench->context, bench->name, &def);
    assert_true((mesh != NULL) == (result == TD_OK));
    td_destroy_mesh(mesh);
    return result;
}

static td_result test_save_work(test_bench *bench) {
    unlink(bench->name);
    test_arm(bench);
    const td_result result = td_save_mesh(bench->context, bench->a, bench->name);
    assert_true((access(bench->name, F_OK) == 0) == (result == TD_OK));
    return result;
}

static td_result test_poses_work(test_bench *bench) {
    td_pose *poses = (td_pose *)(void *)bench;
    size_t count = 77;
    test_arm(bench);
    const td_result result =
        td_read_pose_memory(&poses, &count, bench->context, bench->bytes, bench->size, "poses");
    assert_true((poses != NULL) == (result == TD_OK));
    assert_int_equal(count, result == TD_OK ? 300 : 0);
    td_release_poses(poses, count, bench->context);
    return result;
}

static void test_file_formats(test_bench *bench, const char *folder) {
    static const char *const endings[] = {"obj", "off", "stl", "ply"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        char path[300], what[64];
        snprintf(path, sizeof path, "%s/box.%s", folder, endings[i]);
        bench->name = path;
        snprintf(what, sizeof what, "td_save_mesh, %s", endings[i]);
        bench->may_need_nothing = true;
        test_fail_each(bench, test_save_work, what);
        bench->may_need_nothing = false;
        snprintf(what, sizeof what, "td_load_mesh, %s", endings[i]);
        test_fail_each(bench, test_load_work, what);
        static char bytes[8192];
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        bench->size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        bench->bytes = bytes;
        snprintf(what, sizeof what, "td_read_mesh_memory, %s", endings[i]);
        test_fail_each(bench, test_read_work, what);
        assert_int_equal(unlink(path), 0);
    }
}

// What td_save_mesh does not write.
static void test_text_formats(test_bench *bench) {
    static char stl[8192], ply[8192];
    char *at = stl + sprintf(stl, "solid box\n");
    for (int i = 0; i < 12; ++i) {
        at += sprintf(at,
                      "facet normal 0 0 1\nouter loop\nvertex %d 0 0\nvertex 1 %d 0\nvertex 0 1 %d\n"
                      "endloop\nendfacet\n",
                      i, i, i);
    }
    sprintf(at, "endsolid\n");
    at = ply + sprintf(ply, "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                            "property float z\nelement face 12\nproperty list uchar int vertex_indices\n"
                            "end_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
    for (int i = 0; i < 12; ++i) {
        at += sprintf(at, "3 0 %d %d\n", 1 + i % 3, 1 + (i + 1) % 3);
    }
    const char *const texts[] = {stl, ply}, *const names[] = {"a.stl", "a.ply"};
    for (int i = 0; i < 2; ++i) {
        bench->bytes = texts[i];
        bench->size = strlen(texts[i]);
        bench->name = names[i];
        test_fail_each(bench, test_read_work, i == 0 ? "td_read_mesh_memory, ascii stl" : "..., ascii ply");
    }
}

static void test_files(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    char folder[256];
    snprintf(folder, sizeof folder, "%s/tandem-test-XXXXXX", base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    test_bench bench;
    test_bench_open(&bench, 1);
    assert_int_equal(td_create_shape(&bench.a, bench.context, "box", 0), TD_OK);
    test_file_formats(&bench, folder);
    test_text_formats(&bench);
    static char poses[300 * 16];
    for (int i = 0; i < 300; ++i) {
        bench.size = (size_t)sprintf(poses + 14 * i, "0 0 0 0 0 0 1\n") + 14 * (size_t)i;
    }
    bench.bytes = poses;
    test_fail_each(&bench, test_poses_work, "td_read_pose_memory");
    test_bench_close(&bench);
    assert_int_equal(rmdir(folder), 0); // no partial file was left
}

// ---------------------------------------------------------------------------------------------------------
// Queries

static td_result test_query_work(test_bench *bench) {
    td_query *query = (td_query *)bench;
    test_arm(bench);
    const td_result result = td_create_query(&query, bench->context);
    assert_true((query != NULL) == (result == TD_OK));
    td_destroy_query(query);
    return result;
}

enum { TEST_POSES = 3 };

static td_result test_ask(test_bench *bench, td_query *query, td_collide_result *answers, int *count) {
    *count = bench->b == NULL ? 1 : TEST_POSES;
    memset(answers, 0, TEST_POSES * sizeof *answers);
    if (bench->b == NULL) {
        return td_self_collide(answers, query, bench->a, &bench->def);
    }
    if (bench->poses == NULL) {
        *count = 1;
        return td_collide(answers, query, bench->a, bench->b, NULL, &bench->def);
    }
    if (bench->as_object_pairs) {
        td_object_pair pairs[TEST_POSES];
        for (int i = 0; i < TEST_POSES; ++i) {
            pairs[i] = (td_object_pair){bench->a, bench->b, bench->poses[i]};
        }
        return td_collide_pairs(answers, query, pairs, TEST_POSES, &bench->def);
    }
    return td_collide_batch(answers, query, bench->a, bench->b, bench->poses, TEST_POSES, &bench->def);
}

// The query lives on: with memory, the same query must answer.
static td_result test_collide_work(test_bench *bench) {
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, bench->context), TD_OK);
    td_collide_result answers[TEST_POSES];
    int count = 0;
    test_arm(bench);
    const td_result result = test_ask(bench, query, answers, &count);
    const long failures = atomic_load(&bench->heap.failures);
    test_heap_fail(&bench->heap, LONG_MAX, LONG_MAX);
    for (int i = 0; result != TD_OK && i < count; ++i) {
        assert_null(answers[i].pairs);
    }
    if (result != TD_OK) {
        assert_int_equal(test_ask(bench, query, answers, &count), TD_OK);
    }
    for (int i = 0; i < count; ++i) {
        test_expect_answer(&answers[i], &bench->expected[i], bench->def.mode, "after memory ran out");
    }
    td_destroy_query(query);
    atomic_store(&bench->heap.failures, failures);
    if (result != TD_OK) { // the sentence of the failure is gone if a later call failed: none did
        assert_non_null(strstr(td_error_message(), "out of memory"));
    }
    return result;
}

// The answers by brute force, with all the memory there is.
static void test_expect_now(test_bench *bench) {
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, bench->context), TD_OK);
    const td_collide_def asked = bench->def;
    bench->def = td_default_collide_def();
    bench->def.strategy = "brute";
    td_collide_result answers[TEST_POSES];
    int count = 0;
    assert_int_equal(test_ask(bench, query, answers, &count), TD_OK);
    for (int i = 0; i < count; ++i) {
        test_pairs_free(&bench->expected[i]);
        for (size_t k = 0; k < answers[i].pair_count; ++k) {
            test_pairs_add(&bench->expected[i], answers[i].pairs[k].a, answers[i].pairs[k].b);
        }
    }
    bench->def = asked;
    td_destroy_query(query);
}

// Meshes keep what a strategy made of them when it first met them: so each way is asked once before.
static void test_every_way(test_bench *bench, const test_ways *ways, const char *name, uint32_t threads) {
    static const char *const modes[] = {"pairs", "count", "first"};
    test_expect_now(bench);
    assert_true(bench->expected[0].count > 100);
    for (int w = 0; w < ways->count; ++w) {
        bench->def = ways->items[w].def;
        bench->fail_at = LONG_MAX - 1; // never
        assert_int_equal(test_collide_work(bench), TD_OK);
        for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
            bench->def.mode = (td_mode)mode;
            char what[128];
            snprintf(what, sizeof what, "%s, %s, %s, %u", name, ways->items[w].name, modes[mode], threads);
            test_fail_each(bench, test_collide_work, what);
        }
    }
    for (int i = 0; i < TEST_POSES; ++i) {
        test_pairs_free(&bench->expected[i]);
    }
    bench->def = td_default_collide_def();
}

static void test_every_question(test_bench *bench, const char *name, uint32_t threads) {
    test_ways ways;
    test_ways_list(&ways, NULL, TEST_WAYS_BRUTE);
    test_every_way(bench, &ways, name, threads);
}

static void test_every_question_of_one_mesh(test_bench *bench, uint32_t threads) {
    test_ways ways = {.count = 0};
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        if (td_strategy_can(s).self) {
            test_way *way = &ways.items[ways.count++];
            way->def = td_default_collide_def();
            way->def.strategy = td_strategy_name(s);
            snprintf(way->name, sizeof way->name, "%s", way->def.strategy);
        }
    }
    test_every_way(bench, &ways, "td_self_collide", threads);
}

// Sheets face to face: thousands of pairs, most of them undecided by the filter, so that every list grows.
static td_mesh *test_sheet_of(test_bench *bench, uint32_t side) {
    test_mesh sheet = test_sheet(side, 0);
    td_mesh *mesh = test_mesh_build(bench->context, &sheet);
    assert_non_null(mesh);
    test_mesh_free(&sheet);
    return mesh;
}

static void test_small_questions(uint32_t threads) {
    static const td_pose poses[TEST_POSES] = {
        {{0, 0, 0}, {0, 0, 0, 1}}, {{0.25, 0.5, 0}, {0, 0, 0, 1}}, {{5, 0, 0}, {0, 0, 0, 1}}};
    test_bench bench;
    test_bench_open(&bench, threads);
    test_fail_each(&bench, test_query_work, "td_create_query");
    bench.a = test_sheet_of(&bench, 12);
    bench.b = test_sheet_of(&bench, 12);
    test_every_question(&bench, "td_collide", threads);
    bench.poses = poses;
    test_every_question(&bench, "td_collide_batch", threads);
    bench.as_object_pairs = true;
    test_every_question(&bench, "td_collide_pairs", threads);
    td_destroy_mesh(bench.a);
    td_destroy_mesh(bench.b);
    bench.b = NULL;
    test_mesh flat = test_sheet(10, 0), bumpy = test_sheet(10, 0.1);
    test_mesh_shift(&bumpy, 0.01, 0.02, 0);
    test_mesh both = test_join(&flat, &bumpy);
    bench.a = test_mesh_build(bench.context, &both);
    test_every_question_of_one_mesh(&bench, threads);
    test_mesh_free(&flat);
    test_mesh_free(&bumpy);
    test_mesh_free(&both);
    test_bench_close(&bench);
}

static void test_queries(void **state) {
    (void)state;
    test_small_questions(1);
    test_small_questions(2);
}

// What is made of a mesh when a strategy first meets it. The mesh is not the bench's, and goes with what it
// got.
static td_result test_first_meeting_work(test_bench *bench) {
    test_mesh sheet = test_sheet(12, 0.1);
    td_mesh *mesh = test_mesh_build(bench->context, &sheet);
    assert_non_null(mesh);
    test_mesh_free(&sheet);
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, bench->context), TD_OK);
    td_collide_result answer;
    test_arm(bench);
    const td_result result = td_collide(&answer, query, mesh, mesh, NULL, &bench->def);
    const long failures = atomic_load(&bench->heap.failures);
    if (result != TD_OK) { // again, with memory: whatever was half made is made now
        test_heap_fail(&bench->heap, LONG_MAX, LONG_MAX);
        assert_int_equal(td_collide(&answer, query, mesh, mesh, NULL, &bench->def), TD_OK);
        atomic_store(&bench->heap.failures, failures);
    }
    assert_true(answer.pair_count >= td_mesh_triangle_count(mesh));
    td_destroy_query(query);
    td_destroy_mesh(mesh);
    return result;
}

static void test_first_meeting(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 2; ++threads) {
        test_bench bench;
        test_bench_open(&bench, threads);
        test_ways ways;
        test_ways_list(&ways, NULL, 0);
        for (int w = 0; w < ways.count; ++w) {
            bench.def = ways.items[w].def;
            char what[96];
            snprintf(what, sizeof what, "first meeting, %s, %u", ways.items[w].name, threads);
            test_fail_each(&bench, test_first_meeting_work, what);
        }
        test_bench_close(&bench);
    }
}

// Large enough that threads share one question. Brute force only tells what is right.
static void test_shared_query(void **state) {
    (void)state;
    test_bench bench;
    test_bench_open(&bench, 2);
    assert_int_equal(td_create_shape(&bench.a, bench.context, "knot", 1), TD_OK);
    assert_int_equal(td_create_shape(&bench.b, bench.context, "torus", 0), TD_OK);
    test_expect_now(&bench);
    test_ways ways;
    test_ways_list(&ways, NULL, 0);
    for (int w = 0; w < ways.count; ++w) {
        bench.def = ways.items[w].def;
        bench.fail_at = LONG_MAX - 1;                       // never
        assert_int_equal(test_collide_work(&bench), TD_OK); // meshes keep what they are asked for
        char what[96];
        snprintf(what, sizeof what, "td_collide, shared, %s", ways.items[w].name);
        test_fail_each(&bench, test_collide_work, what);
    }
    test_pairs_free(&bench.expected[0]);
    test_bench_close(&bench);
}

// ---------------------------------------------------------------------------------------------------------
// Devices

static void test_device_queries(void **state) {
    (void)state;
    static const td_pose poses[TEST_POSES] = {
        {{0, 0, 0}, {0, 0, 0, 1}}, {{0.25, 0.5, 0}, {0, 0, 0, 1}}, {{5, 0, 0}, {0, 0, 0, 1}}};
    for (int kind = 0; kind < TEST_DEVICE_KINDS; ++kind) {
        test_bench bench;
        test_bench_open(&bench, 2);
        td_device *device = test_open_device(bench.context, kind == 1, 0);
        if (device != NULL) {
            test_ways ways;
            test_ways_list(&ways, device, 0);
            bench.a = test_sheet_of(&bench, 12);
            bench.b = test_sheet_of(&bench, 12);
            bench.poses = poses;
            bench.as_object_pairs = true;
            test_every_way(&bench, &ways, kind == 0 ? "opencl" : "opencl without float64", 2);
            td_destroy_device(device);
        }
        test_bench_close(&bench);
    }
}

// From nothing to an answer: the device, its programs, the query.
static td_result test_device_work(test_bench *bench) {
    test_arm(bench);
    td_device *device = NULL;
    td_device_def device_def = td_default_device_def();
    td_result result = td_create_device(&device, bench->context, &device_def);
    assert_true((device != NULL) == (result == TD_OK));
    td_query *query = NULL;
    if (result == TD_OK) {
        result = td_create_query(&query, bench->context);
    }
    if (result == TD_OK) {
        td_collide_result answer;
        bench->def.device = device;
        result = td_collide(&answer, query, bench->a, bench->b, NULL, &bench->def);
        if (result == TD_OK) {
            test_expect_answer(&answer, &bench->expected[0], bench->def.mode, "a new device");
        }
        bench->def.device = NULL;
    }
    td_destroy_query(query);
    td_destroy_device(device);
    return result;
}

static void test_new_device(void **state) {
    (void)state;
    test_bench bench;
    test_bench_open(&bench, 1);
    td_device *device = test_open_device(bench.context, false, 0);
    if (device != NULL) {
        td_destroy_device(device);
        bench.a = test_sheet_of(&bench, 4);
        bench.b = test_sheet_of(&bench, 4);
        test_expect_now(&bench);
        bench.def.strategy = "blocked";
        test_fail_each(&bench, test_device_work, "a new device");
        test_pairs_free(&bench.expected[0]);
    }
    test_bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_making),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_queries),      cmocka_unit_test(test_first_meeting),
        cmocka_unit_test(test_shared_query), cmocka_unit_test(test_device_queries),
        cmocka_unit_test(test_new_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
