// Every strategy, volume and descent rule on a device against GMP, on small meshes of every kind and
// magnitude (support/questions.h). All questions of a kind are one batch, so that far and near, usable and
// useless for float32 are mixed; the native backend gets the same batch.
#include "support/cmocka_all.h"
#include "support/questions.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct test_batch {
    test_question *questions;
    int question_count;
    size_t pair_count; // TEST_QUESTION_POSES per question
    test_pairs *expected;
    td_inside *inside;
    bool inside_known;
} test_batch;

static test_batch test_make_batch(int kind) {
    const int rounds = test_rounds(8);
    test_batch batch = {0};
    batch.questions = calloc((size_t)rounds * TEST_MAGNITUDES, sizeof *batch.questions);
    for (int m = 0; m < TEST_MAGNITUDES; ++m) {
        for (int i = 0; i < (m == 0 ? rounds : (rounds + 3) / 4); ++i) {
            // Other seeds than those of test_collide.c.
            const uint64_t seed = 1000 * (100 * (uint64_t)kind + (uint64_t)m) + (uint64_t)i + 500;
            batch.questions[batch.question_count++] = test_make_question(kind, m, seed);
        }
    }
    batch.pair_count = (size_t)batch.question_count * TEST_QUESTION_POSES;
    batch.expected = calloc(batch.pair_count, sizeof *batch.expected);
    batch.inside = calloc(batch.pair_count, sizeof *batch.inside);
    for (size_t i = 0; i < batch.pair_count; ++i) {
        const test_question *question = &batch.questions[i / TEST_QUESTION_POSES];
        batch.expected[i] =
            test_exact_pairs(&question->a, &question->b, &question->poses[i % TEST_QUESTION_POSES]);
    }
    return batch;
}

static void test_batch_free(test_batch *batch) {
    for (int i = 0; i < batch->question_count; ++i) {
        test_question_free(&batch->questions[i]);
    }
    for (size_t i = 0; i < batch->pair_count; ++i) {
        test_pairs_free(&batch->expected[i]);
    }
    free(batch->questions);
    free(batch->expected);
    free(batch->inside);
}

// ---------------------------------------------------------------------------------------------------------

// The batch as one variant is asked.
typedef struct test_asked {
    const test_variant *variant;
    td_mesh **meshes; // two per question
    td_object_pair *pairs;
    td_collide_result *answers;
} test_asked;

static test_asked test_asked_open(const test_batch *batch, const test_variant *variant) {
    test_asked asked = {.variant = variant};
    asked.meshes = calloc(2 * (size_t)batch->question_count, sizeof(td_mesh *));
    asked.pairs = calloc(batch->pair_count, sizeof *asked.pairs);
    asked.answers = calloc(batch->pair_count, sizeof *asked.answers);
    for (int i = 0; i < batch->question_count; ++i) {
        asked.meshes[2 * i] = test_mesh_build(variant->context, &batch->questions[i].a);
        asked.meshes[2 * i + 1] = test_mesh_build(variant->context, &batch->questions[i].b);
        assert_true(asked.meshes[2 * i] != NULL && asked.meshes[2 * i + 1] != NULL);
    }
    for (size_t i = 0; i < batch->pair_count; ++i) {
        const size_t q = i / TEST_QUESTION_POSES;
        asked.pairs[i] = (td_object_pair){asked.meshes[2 * q], asked.meshes[2 * q + 1],
                                          batch->questions[q].poses[i % TEST_QUESTION_POSES]};
    }
    return asked;
}

static void test_asked_close(test_asked *asked, const test_batch *batch) {
    for (int i = 0; i < 2 * batch->question_count; ++i) {
        td_destroy_mesh(asked->meshes[i]);
    }
    free((void *)asked->meshes);
    free(asked->pairs);
    free(asked->answers);
}

static void test_check(test_batch *batch, const test_asked *asked, const test_way *way, td_mode mode) {
    for (size_t i = 0; i < batch->pair_count; ++i) {
        const td_collide_result *answer = &asked->answers[i];
        char what[352];
        snprintf(what, sizeof what, "%s, pose %zu, %s on %s, mode %d",
                 batch->questions[i / TEST_QUESTION_POSES].name, i % TEST_QUESTION_POSES, way->name,
                 asked->variant->name, (int)mode);
        test_expect_answer(answer, &batch->expected[i], mode, what);
        test_expect_state_bits(answer, &way->def, asked->pairs[i].a, asked->pairs[i].b, what);
        if (!batch->inside_known) {
            batch->inside[i] = answer->inside;
        }
        if (answer->inside != batch->inside[i]) {
            fail_msg("%s: inside is %s, others said %s", what, td_inside_name(answer->inside),
                     td_inside_name(batch->inside[i]));
        }
    }
    batch->inside_known = true;
}

static void test_one_variant(test_batch *batch, const test_variant *variant) {
    test_asked asked = test_asked_open(batch, variant);
    test_ways ways;
    test_ways_list(&ways, variant->device, TEST_WAYS_BRUTE | TEST_WAYS_DESCENTS | TEST_WAYS_ONE_ITEM);
    for (int w = 0; w < ways.count; ++w) {
        td_collide_def def = ways.items[w].def;
        // What is found is the same to all modes; the rarer ways are asked in one.
        const bool plain = def.descent == TD_DESCENT_AUTO && !def.one_item_per_pair;
        for (int mode = TD_MODE_PAIRS; mode <= (plain ? TD_MODE_FIRST : TD_MODE_PAIRS); ++mode) {
            def.mode = (td_mode)mode;
            if (td_collide_pairs(asked.answers, variant->query, asked.pairs, batch->pair_count, &def) !=
                TD_OK) {
                fail_msg("%s on %s: %s", ways.items[w].name, variant->name, td_error_message());
            }
            test_check(batch, &asked, &ways.items[w], def.mode);
        }
    }
    test_asked_close(&asked, batch);
}

static void test_against_gmp(void **state) {
    const test_variants *variants = *state;
    for (int kind = 0; kind < TEST_KINDS; ++kind) {
        test_batch batch = test_make_batch(kind);
        for (int v = 0; v < variants->count; ++v) {
            test_one_variant(&batch, &variants->items[v]);
        }
        size_t colliding = 0, pairs = 0;
        for (size_t i = 0; i < batch.pair_count; ++i) {
            colliding += batch.expected[i].count > 0;
            pairs += batch.expected[i].count;
        }
        print_message("%-10s %5zu object pairs: %5zu collide (%zu triangle pairs)\n", test_kind_name(kind),
                      batch.pair_count, colliding, pairs);
        assert_true(colliding > 0 && colliding < batch.pair_count);
        test_batch_free(&batch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_gmp)};
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
