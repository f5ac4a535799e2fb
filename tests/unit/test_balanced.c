// Strategy `balanced`, and the two ways to share out work that makes more work: every unit is done once,
// whatever the number of tasks, the size of the queues and the idle share; and the answers are those of the
// other strategies.
#include "core/array.h"
#include "core/distribute.h"
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_TASKS = 7, TEST_ARITY = 5 };

// A tree of numbers: unit (n, depth) leaves up to TEST_ARITY children, how many is a matter of n.
typedef struct test_tree {
    atomic_uint *done; // per number
    uint32_t count;
    atomic_uint at_once[TEST_TASKS]; // a task does one unit at a time
    uint32_t stop_at;                // a number that stops all
} test_tree;

static uint32_t test_visit(td_unit *out, td_unit unit, uint32_t task, bool *stop, void *payload) {
    test_tree *tree = payload;
    assert_int_equal(atomic_fetch_add(&tree->at_once[task], 1), 0);
    atomic_fetch_add(&tree->done[unit.a], 1);
    uint32_t children = 0;
    for (uint64_t k = 1; k <= TEST_ARITY; ++k) {
        const uint64_t child = (uint64_t)unit.a * TEST_ARITY + k;
        if (child < tree->count && child % 7 != 3) {
            out[children++] = (td_unit){(uint32_t)child, unit.b + 1};
        }
    }
    *stop = unit.a == tree->stop_at;
    atomic_fetch_sub(&tree->at_once[task], 1);
    return children;
}

// How often each number should be done: its ancestors decide.
static bool test_is_reached(uint32_t n) {
    for (; n > 0; n = (n - 1) / TEST_ARITY) {
        if (n % 7 == 3) {
            return false;
        }
    }
    return true;
}

static test_tree test_make_tree(uint32_t count) {
    test_tree tree = {.count = count, .stop_at = UINT32_MAX};
    tree.done = calloc(count, sizeof *tree.done);
    assert_non_null(tree.done);
    return tree;
}

static td_distribute_fn *const test_ways[] = {td_distribute_by_queues, td_distribute_by_stealing};

static void test_every_unit_once(void **state) {
    const test_variants *variants = *state;
    static const double shares[] = {0, 0.5, 1};
    static const uint32_t capacities[] = {1, 16, 4096};
    for (int v = 0; v < 3; ++v) {  // one, two and three threads
        td_distributor kept = {0}; // now for so many tasks, now for others
        for (int i = 0; i < 2 * TEST_TASKS * 9; ++i) {
            const uint32_t tasks = 1 + (uint32_t)(i / 18);
            test_tree tree = test_make_tree(i % 9 == 0 ? 1 : 3000);
            const td_distribution def = {.task_count = tasks,
                                         .most_new = TEST_ARITY,
                                         .capacity = capacities[i / 2 % 3],
                                         .idle_share = shares[i / 6 % 3],
                                         .work = test_visit,
                                         .payload = &tree};
            const td_unit root = {0, 0};
            td_distribution_report report;
            assert_int_equal(test_ways[i % 2](&report, &kept, variants->items[v].context, &def, &root, 1),
                             TD_OK);
            uint64_t reached = 0;
            for (uint32_t n = 0; n < tree.count; ++n) {
                assert_int_equal(atomic_load(&tree.done[n]), test_is_reached(n));
                reached += test_is_reached(n);
            }
            assert_int_equal(report.units, reached);
            assert_true(td_distributor_bytes(&kept) > 0);
            free(tree.done);
        }
        td_distributor_release(&kept, variants->items[v].context);
    }
}

// Many units to start with, or none; and a task that stops all.
static void test_starts_and_stops(void **state) {
    const test_variants *variants = *state;
    for (int way = 0; way < 2; ++way) {
        test_tree tree = test_make_tree(100000);
        td_unit starts[1000];
        for (uint32_t i = 0; i < 1000; ++i) {
            starts[i] = (td_unit){90000 + i, 0}; // they leave nothing
        }
        td_distribution def = {.task_count = 3,
                               .most_new = TEST_ARITY,
                               .capacity = 8,
                               .idle_share = 0.5,
                               .work = test_visit,
                               .payload = &tree};
        td_distribution_report report;
        td_distributor kept = {0};
        td_context *context = variants->items[2].context;
        assert_int_equal(test_ways[way](&report, &kept, context, &def, starts, 0), TD_OK);
        assert_int_equal(report.units, 0);
        assert_int_equal(test_ways[way](&report, &kept, context, &def, starts, 1000), TD_OK);
        assert_int_equal(report.units, 1000);
        tree.stop_at = 0;
        assert_int_equal(test_ways[way](&report, &kept, context, &def, &(td_unit){0, 0}, 1), TD_OK);
        assert_int_equal(report.units, 1);
        td_distributor_release(&kept, context);
        free(tree.done);
    }
}

// Large enough to be shared out over the threads.
static void test_answers(void **state) {
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *a = NULL, *b = NULL;
        assert_int_equal(td_create_shape(&a, variant->context, "cow", 1), TD_OK);
        assert_int_equal(td_create_shape(&b, variant->context, "knot", 1), TD_OK);
        const td_pose pose = {{0.1, 0.2, -0.1}, {0, 0.6, 0, 0.8}};
        for (int self = 0; self < 2; ++self) {
            td_collide_def def = td_default_collide_def();
            td_collide_result answer;
            def.strategy = "wide";
            assert_int_equal(self ? td_self_collide(&answer, variant->query, a, &def)
                                  : td_collide(&answer, variant->query, a, b, &pose, &def),
                             TD_OK);
            test_pairs expected = test_pairs_copy(&answer);
            uint64_t boxes = 0;
            for (int sharing = 0; sharing < TD_SHARING_COUNT; ++sharing) {
                for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
                    def.strategy = "balanced";
                    def.sharing = (td_sharing)sharing;
                    def.idle_share = 0.25 * (sharing + mode);
                    def.mode = (td_mode)mode;
                    assert_int_equal(self ? td_self_collide(&answer, variant->query, a, &def)
                                          : td_collide(&answer, variant->query, a, b, &pose, &def),
                                     TD_OK);
                    char what[64];
                    snprintf(what, sizeof what, "%s, %s", variant->name, td_sharing_name(def.sharing));
                    test_expect_answer(&answer, &expected, def.mode, what);
                    if (mode != TD_MODE_FIRST) { // every pair of blocks is tested once, whoever does it
                        boxes = boxes == 0 ? answer.counters.box_tests : boxes;
                        assert_int_equal(answer.counters.box_tests, boxes);
                    }
                }
            }
            test_pairs_free(&expected);
        }
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
}

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < TD_SHARING_COUNT; ++i) {
        td_sharing sharing;
        assert_int_equal(td_sharing_from_name(&sharing, td_sharing_name((td_sharing)i)), TD_OK);
        assert_int_equal(sharing, i);
    }
    td_sharing none;
    assert_int_equal(td_sharing_from_name(&none, "theft"), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "'theft'"));
    assert_string_equal(td_sharing_name((td_sharing)17), "");
}

static void test_bad_shares(void **state) {
    const test_variants *variants = *state;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, variants->items[0].context, "box", 0), TD_OK);
    static const double shares[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 3; ++i) {
        td_collide_def def = td_default_collide_def();
        td_collide_result answer;
        def.strategy = "balanced";
        def.idle_share = shares[i];
        assert_int_equal(td_self_collide(&answer, variants->items[0].query, mesh, &def), TD_ERROR_ARGUMENT);
    }
    td_destroy_mesh(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_once), cmocka_unit_test(test_starts_and_stops),
        cmocka_unit_test(test_answers),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_shares),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
