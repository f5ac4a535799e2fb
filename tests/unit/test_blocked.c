// The blocked strategy in slices of every size: the answers, and the first pair, depend neither on the slices
// nor on the instruction set, memory stays within what the slices allow, and its want is survived anywhere.
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/variants.h"

#include "core/context.h"
#include "query/mesh.h"
#include "traverse/blocked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const td_slices test_slices[] = {
    {1, 1, 1, 1}, {2, 3, 17, 2}, {7, 1, 100, 1000}, {64, 5, 50, 3}, {16384, 4096, 65536, 64},
};

enum { TEST_SLICES = sizeof test_slices / sizeof *test_slices };

// A question as the strategy gets it.
typedef struct test_question {
    const char *name;
    td_context *context;
    const td_mesh *a, *b;
    td_pose pose;
    td_mode mode;
    bool self;
} test_question;

// td_pose_rigid belongs to the query room; this is what it does.
static td_frame test_frame(const test_question *q) {
    if (q->self) {
        return td_frame_self(&q->a->triangles, &q->a->hierarchy);
    }
    const double *p = q->pose.position, *r = q->pose.rotation;
    const td_rigid rigid = td_rigid_make(td_vec3_make(p[0], p[1], p[2]), r[0], r[1], r[2], r[3]);
    return td_frame_make(&q->a->triangles, &q->a->hierarchy, &q->b->triangles, &q->b->hierarchy, &rigid);
}

// Leaves the answer in `worker`, which may be warm.
static void test_run(td_worker *worker, const test_question *q, td_isa isa, const td_slices *slices) {
    const td_frame frame = test_frame(q);
    const td_traversal traversal = {
        .context = q->context,
        .mesh_a = &q->a->triangles,
        .mesh_b = &q->b->triangles,
        .a = &q->a->hierarchy,
        .b = &q->b->hierarchy,
        .frame = &frame,
        .mode = q->mode,
        .measure = true,
        .self = q->self,
    };
    worker->pairs.count = worker->undecided.count = 0;
    worker->count = 0;
    worker->counters = (td_counters){0};
    worker->times = (td_query_times){0};
    worker->result = TD_OK;
    assert_true(frame.usable);
    const td_pair start = {0, 0};
    td_blocked_run_for(isa)(worker, &traversal, &start, 1, slices);
}

static int test_compare_pairs(const void *a, const void *b) {
    const td_pair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

// Arrays start with 64 items and grow by half at least: at most to this.
static size_t test_grown(size_t needed) {
    return 64 + needed + needed / 2;
}

// At most 16 slices of pairs per level, and no more tiles at a time than a slice may bring.
static void test_expect_bounds(const td_worker *worker, const test_question *q, const td_slices *slices,
                               const char *what) {
    const size_t levels = (size_t)q->a->hierarchy.height + q->b->hierarchy.height + 1;
    const size_t most_tiles = slices->tiles > 16 * slices->leaves ? slices->tiles : 16 * slices->leaves;
    const size_t slice = slices->blocks;
    const bool bounded =
        worker->tiles.capacity <= test_grown(most_tiles + 16) &&
        worker->stack.capacity <= test_grown(16 * slice * levels + 16) &&
        worker->leaves.capacity <= test_grown(16 * slice + slices->leaves + 16) &&
        worker->words.capacity <= test_grown(2 * (slice > slices->leaves ? slice : slices->leaves));
    if (!bounded) {
        fail_msg("%s: %zu tiles, %zu pairs of blocks, %zu of leaf blocks, %zu words", what,
                 worker->tiles.capacity, worker->stack.capacity, worker->leaves.capacity,
                 worker->words.capacity);
    }
    const td_query_times *t = &worker->times;
    assert_true(worker->counters.state_bits >= 64 && worker->counters.state_bits % 64 == 0);
    assert_true(t->boxes_ms >= 0 && t->collect_ms >= 0 && t->triangles_ms >= 0 && t->exact_ms >= 0);
    assert_true(t->boxes_ms + t->collect_ms + t->triangles_ms + t->exact_ms > 0);
}

static void test_one_way(const test_question *question, td_isa isa, const td_slices *slices,
                         const test_pairs *expected, td_pair *first, const char *what) {
    td_worker worker = {0};
    test_question q = *question;
    q.mode = TD_MODE_PAIRS;
    test_run(&worker, &q, isa, slices);
    assert_int_equal(worker.result, TD_OK);
    qsort(worker.pairs.items, worker.pairs.count, sizeof(td_pair), test_compare_pairs);
    if (worker.pairs.count != expected->count ||
        (expected->count > 0 &&
         memcmp(worker.pairs.items, expected->items, expected->count * sizeof(td_pair)) != 0)) {
        fail_msg("%s: %zu pairs, or other ones than the %zu of brute force", what, worker.pairs.count,
                 expected->count);
    }
    test_expect_bounds(&worker, &q, slices, what);
    td_worker_release(&worker, q.context);

    q.mode = TD_MODE_COUNT;
    test_run(&worker, &q, isa, slices);
    assert_int_equal(worker.count, expected->count);
    assert_int_equal(worker.pairs.count, 0);

    q.mode = TD_MODE_FIRST;
    test_run(&worker, &q, isa, slices);
    assert_int_equal(worker.count, expected->count > 0);
    if (expected->count > 0) {
        *first = first->a == TD_NONE ? worker.pairs.items[0] : *first;
        assert_true(test_pairs_hold(expected, worker.pairs.items[0]));
        if (test_compare_pairs(first, worker.pairs.items) != 0) {
            fail_msg("%s: the first pair is (%u, %u), in other ways (%u, %u)", what, worker.pairs.items[0].a,
                     worker.pairs.items[0].b, first->a, first->b);
        }
    }
    td_worker_release(&worker, q.context);
}

static test_pairs test_brute(td_query *query, const test_question *q) {
    td_collide_def def = td_default_collide_def();
    def.strategy = "brute";
    td_collide_result answer;
    test_pairs out = {0};
    assert_int_equal(q->self ? td_self_collide(&answer, query, q->a, &def)
                             : td_collide(&answer, query, q->a, q->b, &q->pose, &def),
                     TD_OK);
    for (size_t i = 0; i < answer.pair_count; ++i) {
        test_pairs_add(&out, answer.pairs[i].a, answer.pairs[i].b);
    }
    test_pairs_sort(&out);
    return out;
}

// Every instruction set and all slices.
static void test_every_way(const test_variants *variants, test_question question, size_t at_least) {
    question.context = variants->items[0].context;
    test_pairs expected = test_brute(variants->items[0].query, &question);
    print_message("%s: %zu pairs\n", question.name, expected.count);
    assert_true(expected.count >= at_least);
    td_pair first = {TD_NONE, TD_NONE};
    for (int v = 0; v < variants->count; v += TEST_MOST_THREADS) {
        for (int s = 0; s < TEST_SLICES; ++s) {
            const td_isa isa = variants->items[v].context->isa;
            char what[128];
            snprintf(what, sizeof what, "%s, %s, slices %d", question.name, td_isa_name(isa), s);
            test_one_way(&question, isa, &test_slices[s], &expected, &first, what);
        }
    }
    test_pairs_free(&expected);
}

// ---------------------------------------------------------------------------------------------------------
// Cases

// Frees the meshes.
static void test_meshes(const test_variants *variants, const char *name, test_mesh a, test_mesh b,
                        td_pose pose, size_t at_least) {
    td_context *context = variants->items[0].context;
    td_mesh *built_a = test_mesh_build(context, &a), *built_b = test_mesh_build(context, &b);
    assert_non_null(built_a);
    assert_non_null(built_b);
    test_every_way(variants, (test_question){.name = name, .a = built_a, .b = built_b, .pose = pose},
                   at_least);
    td_destroy_mesh(built_a);
    td_destroy_mesh(built_b);
    test_mesh_free(&a);
    test_mesh_free(&b);
}

static void test_soups(void **state) {
    test_random random = {31};
    for (int round = 0; round < test_rounds(4); ++round) {
        test_meshes(*state, "soups", test_soup(&random, 150), test_soup(&random, 90),
                    test_random_pose(&random, 0.5), 1);
        test_meshes(*state, "grid soups", test_grid_soup(&random, 60), test_grid_soup(&random, 40),
                    test_exact_turn(round), 1);
    }
}

static void test_touching_sheets(void **state) {
    test_meshes(*state, "sheets face to face", test_sheet(16, 0), test_sheet(16, 0), td_pose_identity(),
                1000);
}

static void test_everything_overlaps(void **state) {
    const td_pose here = td_pose_identity();
    test_meshes(*state, "one triangle again and again", test_repeated_triangle(80),
                test_repeated_triangle(80), here, 6400);
    test_meshes(*state, "nested shells", test_nested_shells(20, 0.9), test_nested_shells(20, 0.9), here, 100);
    test_meshes(*state, "halving", test_progression(200, 0.5), test_progression(200, 0.5), here, 200);
}

// A leaf block that is held against a deep hierarchy, on either side: no pair may come twice. One stands
// upright and cuts through the other.
static void test_leaf_against_deep(void **state) {
    td_pose upright = test_quarter_turn(0);
    upright.position[1] = 0.4;
    upright.position[2] = -0.5;
    for (uint32_t side = 1; side <= 3; ++side) { // of 2, 8 and 18 triangles: 1, 2 and more quads
        test_meshes(*state, "sheet against a leaf block", test_sheet(40, 0.1), test_sheet(side, 0), upright,
                    40);
        test_meshes(*state, "leaf block against a sheet", test_sheet(side, 0), test_sheet(40, 0.1), upright,
                    40);
    }
}

static void test_shape_of(const test_variants *variants, const char *name, uint32_t subdivide, bool self,
                          td_pose pose) {
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, variants->items[0].context, name, subdivide), TD_OK);
    test_every_way(variants, (test_question){.name = name, .a = mesh, .b = mesh, .pose = pose, .self = self},
                   self ? 0 : 1);
    td_destroy_mesh(mesh);
}

static void test_shapes(void **state) {
    test_shape_of(*state, "cow", 0, false, (td_pose){{0.3, 0.2, 0.1}, {0.6, 0, 0, 0.8}});
    test_shape_of(*state, "knot", 0, false, (td_pose){{0.1, 0, 0}, {0, 0.6, 0, 0.8}});
}

static void test_self(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_random random = {33};
    test_mesh soup = test_soup(&random, 150), strip = test_strip(&random, 150);
    td_mesh *built_soup = test_mesh_build(context, &soup), *built_strip = test_mesh_build(context, &strip);
    test_every_way(variants,
                   (test_question){.name = "a soup itself", .a = built_soup, .b = built_soup, .self = true},
                   1);
    test_every_way(
        variants, (test_question){.name = "a strip itself", .a = built_strip, .b = built_strip, .self = true},
        1);
    td_destroy_mesh(built_soup);
    td_destroy_mesh(built_strip);
    test_mesh_free(&soup);
    test_mesh_free(&strip);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

// Each allocation of a run fails once: the worker says so, and the next run with it is right.
static void test_want_of_memory(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context *context = NULL;
    td_context_def def = td_default_context_def();
    def.allocator = test_heap_allocator(&heap);
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, context, "cow", 0), TD_OK);
    test_question q = {.context = context, .a = mesh, .b = mesh, .pose = {{0.1, 0, 0}, {0.6, 0, 0, 0.8}}};
    for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
        q.mode = (td_mode)mode;
        td_worker warm = {0};
        test_heap_recover(&heap);
        test_run(&warm, &q, context->isa, &test_slices[1]);
        const long calls = atomic_load(&heap.calls);
        const uint64_t count = warm.count;
        assert_true(calls > 2 && count > 0);
        test_heap_recover(&heap);
        test_run(&warm, &q, context->isa, &test_slices[1]);
        assert_int_equal(atomic_load(&heap.calls), 0);
        td_worker_release(&warm, context);
        for (long fail = 0; fail < calls; ++fail) {
            td_worker worker = {0};
            test_heap_fail(&heap, fail, fail + 1);
            test_run(&worker, &q, context->isa, &test_slices[1]);
            assert_int_equal(worker.result, TD_ERROR_MEMORY);
            test_heap_recover(&heap);
            test_run(&worker, &q, context->isa, &test_slices[1]);
            assert_int_equal(worker.result, TD_OK);
            assert_int_equal(worker.count, count);
            td_worker_release(&worker, context);
        }
    }
    td_destroy_mesh(mesh);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_touching_sheets),
        cmocka_unit_test(test_everything_overlaps),
        cmocka_unit_test(test_leaf_against_deep),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_want_of_memory),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
