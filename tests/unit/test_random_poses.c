// Ten thousand random poses and more of all built-in shapes, in batches as a simulation would ask: every
// strategy and volume natively and on devices finds the same pairs.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEST_BATCH = 500, TEST_BATCHES = 21, TEST_MOST_SHAPES = 32 };

typedef struct test_stage {
    const test_variant *variant;
    td_mesh *shapes[TEST_MOST_SHAPES];
} test_stage;

static void test_stage_open(test_stage *stage, const test_variant *variant) {
    stage->variant = variant;
    assert_true(td_shape_count() <= TEST_MOST_SHAPES);
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        // The solids have few triangles: they are cut once or twice.
        uint32_t subdivide = 0;
        do {
            td_destroy_mesh(stage->shapes[i]);
            assert_int_equal(
                td_create_shape(&stage->shapes[i], variant->context, td_shape_name(i), subdivide++), TD_OK);
        } while (td_mesh_triangle_count(stage->shapes[i]) < 48);
    }
}

static void test_stage_close(test_stage *stage) {
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        td_destroy_mesh(stage->shapes[i]);
    }
}

// Who meets whom where: the same for every variant.
static void test_make_pairs(td_object_pair *pairs, const test_stage *stage, uint64_t batch) {
    test_random random = {1000 + batch};
    const int most = (int)td_shape_count() - 1;
    for (int i = 0; i < TEST_BATCH; ++i) {
        pairs[i].a = stage->shapes[test_random_int(&random, 0, most)];
        pairs[i].b = stage->shapes[test_random_int(&random, 0, most)];
        pairs[i].pose = test_random_pose(&random, 1.1);
    }
}

typedef struct test_totals {
    uint64_t questions, colliding, pairs, compared;
} test_totals;

static void test_ask_one_way(const test_pairs *expected, const test_stage *stage, const td_object_pair *pairs,
                             const test_way *way, uint64_t batch) {
    static td_collide_result answers[TEST_BATCH];
    char what[192];
    snprintf(what, sizeof what, "batch %llu, %s on %s", (unsigned long long)batch, way->name,
             stage->variant->name);
    if (td_collide_pairs(answers, stage->variant->query, pairs, TEST_BATCH, &way->def) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    for (int i = 0; i < TEST_BATCH; ++i) {
        char which[224];
        snprintf(which, sizeof which, "%s, object pair %d", what, i);
        test_expect_answer(&answers[i], &expected[i], way->def.mode, which);
        test_expect_state_bits(&answers[i], &way->def, pairs[i].a, pairs[i].b, which);
    }
}

static void test_expect_batch(test_pairs *expected, const test_stage *stage, const td_object_pair *pairs,
                              test_totals *totals) {
    static td_collide_result answers[TEST_BATCH];
    td_collide_def def = td_default_collide_def();
    def.strategy = "stack";
    assert_int_equal(td_collide_pairs(answers, stage->variant->query, pairs, TEST_BATCH, &def), TD_OK);
    for (int i = 0; i < TEST_BATCH; ++i) {
        expected[i] = test_pairs_copy(&answers[i]);
        totals->questions++;
        totals->colliding += expected[i].count > 0;
        totals->pairs += expected[i].count;
    }
    // Brute force, which knows nothing of hierarchies, has no time for all.
    def.strategy = "brute";
    for (int i = 0; i < TEST_BATCH; ++i) {
        const uint64_t tests =
            (uint64_t)td_mesh_triangle_count(pairs[i].a) * td_mesh_triangle_count(pairs[i].b);
        if (expected[i].count > 0 && tests < 60000) {
            td_collide_result answer;
            assert_int_equal(
                td_collide(&answer, stage->variant->query, pairs[i].a, pairs[i].b, &pairs[i].pose, &def),
                TD_OK);
            test_expect_answer(&answer, &expected[i], TD_MODE_PAIRS, "brute force");
            totals->compared++;
        }
    }
}

static void test_one_batch(test_totals *totals, const test_stage *stages, int stage_count, uint64_t batch) {
    static td_object_pair pairs[TEST_BATCH];
    test_pairs expected[TEST_BATCH];
    for (int s = 0; s < stage_count; ++s) {
        test_make_pairs(pairs, &stages[s], batch);
        if (s == 0) {
            test_expect_batch(expected, &stages[s], pairs, totals);
        }
        test_ways ways;
        test_ways_list(&ways, stages[s].variant->device, 0);
        for (int w = 0; w < ways.count; ++w) {
            ways.items[w].def.mode = (batch + (uint64_t)w) % 4 == 0 ? TD_MODE_FIRST : TD_MODE_PAIRS;
            ways.items[w].def.one_item_per_pair = batch % 2 == 1;
            test_ask_one_way(expected, &stages[s], pairs, &ways.items[w], batch);
        }
    }
    for (int i = 0; i < TEST_BATCH; ++i) {
        test_pairs_free(&expected[i]);
    }
}

static void test_poses(void **state) {
    const test_variants *variants = *state;
    static test_stage stages[TEST_MOST_VARIANTS];
    for (int v = 0; v < variants->count; ++v) {
        test_stage_open(&stages[v], &variants->items[v]);
    }
    test_totals totals = {0};
    const int batches = test_rounds(TEST_BATCHES);
    for (int batch = 0; batch < batches; ++batch) {
        // The device without float64 is asked now and then: only the exact predicate is another there.
        const int count = variants->count > 2 && batch % 4 != 0 ? variants->count - 1 : variants->count;
        test_one_batch(&totals, stages, count, (uint64_t)batch);
    }
    print_message("%llu object pairs, %llu of them colliding, %llu compared with brute force: %llu pairs of "
                  "triangles\n",
                  (unsigned long long)totals.questions, (unsigned long long)totals.colliding,
                  (unsigned long long)totals.compared, (unsigned long long)totals.pairs);
    assert_true(totals.colliding > totals.questions / 4 && totals.colliding < totals.questions);
    assert_true(totals.compared > 0);
    for (int v = 0; v < variants->count; ++v) {
        test_stage_close(&stages[v]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poses)};
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
