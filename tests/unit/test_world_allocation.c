// Memory runs out at every allocation of a world: making it, adding and removing bodies, stepping, looking
// for overlaps. Each time the call says so and leaves the world as it was; with memory, it goes on.
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/stage.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct test_bench {
    test_heap heap;
    td_context *context;
    td_mesh *box, *torus, *sheet, *cloth;
    td_world *world;
    uint32_t threads;
} test_bench;

static td_mesh *test_shape(test_bench *bench, const char *name) {
    td_mesh *mesh;
    assert_int_equal(td_create_shape(&mesh, bench->context, name, 0), TD_OK);
    return mesh;
}

static td_mesh *test_sheet(test_bench *bench) {
    static const double positions[12] = {-5, 0, -5, 5, 0, -5, 5, 0, 5, -5, 0, 5};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.name = "sheet";
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, bench->context, &def), TD_OK);
    return mesh;
}

static void test_bench_open(test_bench *bench, uint32_t threads) {
    *bench = (test_bench){.threads = threads};
    td_context_def def = td_default_context_def();
    def.thread_count = threads;
    def.allocator = test_heap_allocator(&bench->heap);
    assert_int_equal(td_create_context(&bench->context, &def), TD_OK);
    bench->box = test_shape(bench, "box");
    bench->torus = test_shape(bench, "torus");
    bench->sheet = test_sheet(bench);
    assert_int_equal(td_create_shape(&bench->cloth, bench->context, "sheet", 2), TD_OK);
}

static void test_bench_close(test_bench *bench) {
    td_destroy_mesh(bench->box);
    td_destroy_mesh(bench->torus);
    td_destroy_mesh(bench->sheet);
    td_destroy_mesh(bench->cloth);
    td_destroy_context(bench->context);
    assert_int_equal(atomic_load(&bench->heap.blocks), 0);
    assert_int_equal(atomic_load(&bench->heap.mistakes), 0);
}

static void test_check_memory(td_result result, const char *what, long at) {
    if (result != TD_ERROR_MEMORY || strstr(td_error_message(), "out of memory") == NULL) {
        fail_msg("%s, allocation %ld: %s: %s", what, at, td_result_name(result), td_error_message());
    }
}

// ---------------------------------------------------------------------------------------------------------
// Making worlds, adding bodies

static void test_creation(void **state) {
    (void)state;
    test_bench bench;
    test_bench_open(&bench, 2);
    td_world_def def = td_default_world_def();
    def.strategy = "binary";
    def.broad = "tree";
    long at = 0;
    for (bool more = true; more; ++at) {
        const long blocks = atomic_load(&bench.heap.blocks);
        td_world *world = (td_world *)&def;
        test_heap_fail(&bench.heap, at, at + 1);
        const td_result result = td_create_world(&world, bench.context, &def);
        more = atomic_load(&bench.heap.failures) > 0;
        test_heap_recover(&bench.heap);
        assert_true((world != NULL) == (result == TD_OK) && (result == TD_OK) == !more);
        if (more) {
            test_check_memory(result, "td_create_world", at);
        }
        td_destroy_world(world);
        assert_int_equal(atomic_load(&bench.heap.blocks), blocks);
    }
    print_message("td_create_world: %ld allocations\n", at - 1);
    assert_true(at > 4);
    test_bench_close(&bench);
}

// A world in which a box rests on a sheet, and a torus and a soft sheet fall on them. Null if memory ran out
// on the way, then nothing of it is left.
static td_result test_fill(test_bench *bench) {
    const td_world_def def = td_default_world_def();
    td_result result = td_create_world(&bench->world, bench->context, &def);
    if (result != TD_OK) {
        return result;
    }
    td_body_id id;
    td_body_def sheet = test_body(bench->sheet, 0, 0, 0), box = test_body(bench->box, 0, 0.499, 0),
                torus = test_body(bench->torus, 0.3, 1.6, 0.1), other = test_body(bench->box, 0.1, 1.4, 0);
    sheet.kind = TD_BODY_STATIC;
    sheet.name = "sheet";
    test_turn(torus.pose.rotation, 1, 0, 0, 80);
    td_body_def cloth = test_body(bench->cloth, 0.1, 2.1, 0.1);
    cloth.kind = TD_BODY_SOFT;
    cloth.mass = 1;
    const td_body_def *const bodies[] = {&sheet, &box, &torus, &other, &cloth};
    for (int i = 0; i < 5; ++i) {
        const uint32_t count = td_body_count(bench->world);
        result = td_add_body(&id, bench->world, bodies[i]);
        if (result != TD_OK) {
            assert_true(id.index == 0 && td_body_count(bench->world) == count);
            td_step_report report;
            test_heap_recover(&bench->heap); // what is there so far works
            assert_int_equal(td_step_world(&report, bench->world), TD_OK);
            assert_int_equal(td_add_body(&id, bench->world, bodies[i]), TD_OK);
            assert_int_equal(td_step_world(&report, bench->world), TD_OK);
            assert_int_equal(report.bodies, count + 1);
            return result;
        }
    }
    return TD_OK;
}

static void test_adding(void **state) {
    (void)state;
    test_bench bench;
    test_bench_open(&bench, 1);
    long at = 0;
    for (bool more = true; more; ++at) {
        bench.world = NULL;
        const long blocks = atomic_load(&bench.heap.blocks);
        test_heap_fail(&bench.heap, at, at + 1);
        const td_result result = test_fill(&bench);
        more = result != TD_OK;
        test_heap_recover(&bench.heap);
        if (more) {
            assert_int_equal(result, TD_ERROR_MEMORY);
        }
        td_destroy_world(bench.world);
        assert_int_equal(atomic_load(&bench.heap.blocks), blocks);
        assert_int_equal(atomic_load(&bench.heap.mistakes), 0);
    }
    print_message("td_create_world and td_add_body: %ld allocations\n", at - 1);
    assert_true(at > 20);
    test_bench_close(&bench);
}

// ---------------------------------------------------------------------------------------------------------
// Steps

enum { TEST_AFTER = 40 };

static void test_steps(test_bench *bench, int count) {
    for (int i = 0; i < count; ++i) {
        if (td_step_world(NULL, bench->world) != TD_OK) {
            fail_msg("step %d: %s", i, td_error_message());
        }
    }
}

// Everything that can be looked at is sound.
static void test_look(const test_bench *bench) {
    for (size_t i = 0; i < td_contact_count(bench->world); ++i) {
        const td_contact c = td_get_contact(bench->world, i);
        assert_true(td_body_exists(bench->world, c.a) && td_body_exists(bench->world, c.b));
        assert_true(isfinite(c.impulse) && isfinite(c.depth) && isfinite(c.point[1]));
        assert_true(fabs(c.normal[0] * c.normal[0] + c.normal[1] * c.normal[1] + c.normal[2] * c.normal[2] -
                         1) < 1e-9);
    }
    const td_touches touches = td_last_touches(bench->world);
    for (size_t i = 0; i < touches.began_count; ++i) {
        assert_true(td_body_exists(bench->world, touches.began[i].a));
    }
}

// After `before` steps one fails at each of its allocations in turn. Returns how many there are.
static long test_fail_step(uint32_t threads, int before, bool all) {
    test_bench bench;
    test_bench_open(&bench, threads);
    // The undisturbed run.
    assert_int_equal(test_fill(&bench), TD_OK);
    test_steps(&bench, before);
    test_steps(&bench, 1 + TEST_AFTER);
    const uint64_t expected = td_hash_world(bench.world);
    td_destroy_world(bench.world);
    long at = 0;
    for (bool more = true; more; ++at) {
        assert_int_equal(test_fill(&bench), TD_OK);
        test_steps(&bench, before);
        const uint64_t hash = td_hash_world(bench.world);
        test_heap_fail(&bench.heap, at, all ? LONG_MAX : at + 1);
        const td_result result = td_step_world(NULL, bench.world);
        more = atomic_load(&bench.heap.failures) > 0;
        test_heap_recover(&bench.heap);
        assert_true((result == TD_OK) == !more);
        if (more) {
            test_check_memory(result, "td_step_world", at);
            assert_true(td_hash_world(bench.world) == hash);
            test_look(&bench);
            test_steps(&bench, 1);
        }
        test_look(&bench);
        test_steps(&bench, TEST_AFTER);
        // Contacts that there were before are found anew, without the impulses to start from: what follows is
        // like it, but not to the bit.
        if (before == 0 && td_hash_world(bench.world) != expected) {
            fail_msg("allocation %ld of step %d failed, and what followed was different", at, before);
        }
        td_destroy_world(bench.world);
    }
    test_bench_close(&bench);
    return at - 1;
}

static void test_first_step(void **state) {
    (void)state;
    const long count = test_fail_step(1, 0, false);
    print_message("the first step: %ld allocations\n", count);
    assert_true(count > 10);
    (void)test_fail_step(1, 0, true);
}

static void test_later_steps(void **state) {
    (void)state;
    static const int before[] = {1, 3, 8, 14, 20};
    for (int i = 0; i < 5; ++i) {
        print_message("step %d: %ld allocations\n", before[i], test_fail_step(1, before[i], false));
    }
}

static void test_two_threads(void **state) {
    (void)state;
    (void)test_fail_step(2, 0, true);
}

static void test_overlaps(void **state) {
    (void)state;
    test_bench bench;
    test_bench_open(&bench, 1);
    long at = 0;
    for (bool more = true; more; ++at) {
        assert_int_equal(test_fill(&bench), TD_OK);
        const td_touch *overlaps;
        size_t count;
        const uint64_t hash = td_hash_world(bench.world);
        test_heap_fail(&bench.heap, at, at + 1);
        const td_result result = td_find_overlaps(&overlaps, &count, bench.world);
        more = atomic_load(&bench.heap.failures) > 0;
        test_heap_recover(&bench.heap);
        if (more) {
            test_check_memory(result, "td_find_overlaps", at);
            assert_true(count == 0 && overlaps == NULL);
            assert_int_equal(td_find_overlaps(&overlaps, &count, bench.world), TD_OK);
        }
        assert_true(count >= 2 && td_hash_world(bench.world) == hash);
        test_steps(&bench, 2);
        td_destroy_world(bench.world);
    }
    print_message("td_find_overlaps: %ld allocations\n", at - 1);
    test_bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creation),    cmocka_unit_test(test_adding),
        cmocka_unit_test(test_first_step),  cmocka_unit_test(test_later_steps),
        cmocka_unit_test(test_two_threads), cmocka_unit_test(test_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
