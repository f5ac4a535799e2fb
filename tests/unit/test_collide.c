// Which triangles of two meshes intersect: every strategy, volume, instruction set and thread count against
// GMP, on small meshes of every kind (support/questions.h).
#include "support/cmocka_all.h"
#include "support/questions.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Answers

typedef struct test_tally {
    long questions, colliding, apart, inside, pairs;
} test_tally;

// What all variants must agree on, beside the pairs: known once the first has answered.
typedef struct test_agreed {
    bool known;
    td_inside inside[TEST_QUESTION_POSES];
    td_pair first[TEST_MOST_WAYS][TEST_QUESTION_POSES];
    bool first_known[TEST_MOST_WAYS];
} test_agreed;

typedef struct test_run {
    const test_question *question;
    const test_pairs *expected; // per pose
    test_ways ways;
    test_agreed agreed;
} test_run;

static void test_agree(test_run *run, const td_collide_result *answers, int way, td_mode mode,
                       const char *what) {
    for (int i = 0; i < TEST_QUESTION_POSES; ++i) {
        if (!run->agreed.known) {
            run->agreed.inside[i] = answers[i].inside;
        }
        if (answers[i].inside != run->agreed.inside[i]) {
            fail_msg("%s, pose %d: inside is %s, others said %s", what, i, td_inside_name(answers[i].inside),
                     td_inside_name(run->agreed.inside[i]));
        }
    }
    run->agreed.known = true;
    for (int i = 0; mode == TD_MODE_FIRST && i < TEST_QUESTION_POSES; ++i) {
        const td_pair found = answers[i].pair_count > 0 ? answers[i].pairs[0] : (td_pair){0, 0};
        td_pair *first = &run->agreed.first[way][i];
        if (!run->agreed.first_known[way]) {
            *first = found;
        }
        if (found.a != first->a || found.b != first->b) {
            fail_msg("%s, pose %d: the first pair is (%u, %u), others found (%u, %u)", what, i, found.a,
                     found.b, first->a, first->b);
        }
    }
    run->agreed.first_known[way] |= mode == TD_MODE_FIRST;
}

static void test_collide_one_way(test_run *run, const test_variant *variant, const td_mesh *a,
                                 const td_mesh *b, int way, td_mode mode) {
    td_collide_def def = run->ways.items[way].def;
    def.mode = mode;
    char what[320];
    snprintf(what, sizeof what, "%s, %s on %s, mode %d", run->question->name, run->ways.items[way].name,
             variant->name, (int)mode);
    td_collide_result answers[TEST_QUESTION_POSES];
    const td_result result =
        td_collide_batch(answers, variant->query, a, b, run->question->poses, TEST_QUESTION_POSES, &def);
    if (result != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    for (int i = 0; i < TEST_QUESTION_POSES; ++i) {
        char which[352];
        snprintf(which, sizeof which, "%s, pose %d", what, i);
        test_expect_answer(&answers[i], &run->expected[i], mode, which);
    }
    test_agree(run, answers, way, mode, what);
    // Alone, by the other function: the batch's answers are void then.
    const int alone = (int)run->expected[0].count % TEST_QUESTION_POSES;
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, variant->query, a, b, &run->question->poses[alone], &def), TD_OK);
    test_expect_answer(&answer, &run->expected[alone], mode, what);
}

static void test_every_way(test_run *run, const test_variants *variants) {
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *a = test_mesh_build(variant->context, &run->question->a);
        td_mesh *b = test_mesh_build(variant->context, &run->question->b);
        if (a == NULL || b == NULL) {
            fail_msg("%s: %s", run->question->name, td_error_message());
        }
        for (int way = 0; way < run->ways.count; ++way) {
            for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
                test_collide_one_way(run, variant, a, b, way, (td_mode)mode);
            }
        }
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
}

// Descent rules on one variant only: threads and instruction sets know nothing of them.
static void test_every_descent(test_run *run, const test_variants *variants) {
    const test_variants first = {.items = {variants->items[0]}, .count = 1};
    run->agreed = (test_agreed){0};
    test_ways_list(&run->ways, NULL, TEST_WAYS_DESCENTS);
    test_every_way(run, &first);
}

static void test_answer(test_tally *tally, const test_variants *variants, int kind, int magnitude,
                        uint64_t seed) {
    test_question question = test_make_question(kind, magnitude, seed);
    test_pairs expected[TEST_QUESTION_POSES];
    for (int i = 0; i < TEST_QUESTION_POSES; ++i) {
        expected[i] = test_exact_pairs(&question.a, &question.b, &question.poses[i]);
    }
    test_run run = {.question = &question, .expected = expected};
    if (seed % 4 == 1) {
        test_every_descent(&run, variants);
    }
    run.agreed = (test_agreed){0};
    test_ways_list(&run.ways, NULL, TEST_WAYS_BRUTE);
    test_every_way(&run, variants);
    for (int i = 0; i < TEST_QUESTION_POSES; ++i) {
        tally->questions++;
        tally->pairs += (long)expected[i].count;
        tally->colliding += expected[i].count > 0;
        tally->apart += expected[i].count == 0;
        tally->inside += run.agreed.inside[i] != TD_INSIDE_NONE;
        test_pairs_free(&expected[i]);
    }
    test_question_free(&question);
}

static void test_against_gmp(void **state) {
    const int rounds = test_rounds(8);
    for (int k = 0; k < TEST_KINDS; ++k) {
        test_tally tally = {0};
        for (int m = 0; m < TEST_MAGNITUDES; ++m) {
            // What is special is shorter than what is plain.
            for (int i = 0; i < (m == 0 ? rounds : (rounds + 3) / 4); ++i) {
                test_answer(&tally, *state, k, m, 1000 * (100 * (uint64_t)k + (uint64_t)m) + (uint64_t)i + 1);
            }
        }
        print_message("%-10s %5ld questions: %5ld collide (%ld pairs), %5ld do not, of these %3ld inside\n",
                      test_kind_name(k), tally.questions, tally.colliding, tally.pairs, tally.apart,
                      tally.inside);
        assert_true(tally.colliding > 0 && tally.apart > 0);
    }
}

// ---------------------------------------------------------------------------------------------------------
// What the answers say beside pairs.

static void test_null_pose_is_identity(void **state) {
    const test_variant *variant = &((test_variants *)*state)->items[0];
    test_mesh cube = test_cube(0, 1);
    td_mesh *mesh = test_mesh_build(variant->context, &cube);
    const td_collide_def def = td_default_collide_def();
    const td_pose identity = td_pose_identity();
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, variant->query, mesh, mesh, NULL, &def), TD_OK);
    test_pairs expected = test_exact_pairs(&cube, &cube, &identity);
    test_expect_answer(&answer, &expected, TD_MODE_PAIRS, "a mesh against itself");
    assert_true(answer.ms >= 0);
    assert_true(answer.counters.triangle_tests > 0);
    assert_true(answer.counters.bytes > 0);
    test_pairs_free(&expected);
    td_destroy_mesh(mesh);
    test_mesh_free(&cube);
}

static void test_refusals(void **state) {
    const test_variant *variant = &((test_variants *)*state)->items[0];
    test_mesh cube = test_cube(0, 1);
    td_mesh *mesh = test_mesh_build(variant->context, &cube);
    td_collide_result answer;
    td_collide_def def = td_default_collide_def();
    def.strategy = "fastest";
    assert_int_equal(td_collide(&answer, variant->query, mesh, mesh, NULL, &def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "fastest"));
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        assert_non_null(strstr(td_error_message(), td_strategy_name(s)));
        assert_true(td_strategy_description(s)[0] != '\0');
    }
    assert_string_equal(td_strategy_name(td_strategy_count()), "");
    assert_string_equal(td_strategy_description(td_strategy_count()), "");
    assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_ERROR_ARGUMENT);
    def = td_default_collide_def();
    def.strategy = "auto";
    assert_int_equal(td_collide(&answer, variant->query, mesh, mesh, NULL, &def), TD_OK);
    def.cookie = 0;
    assert_int_equal(td_collide(&answer, variant->query, mesh, mesh, NULL, &def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "td_default_collide_def"));
    assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_ERROR_ARGUMENT);
    td_destroy_mesh(mesh);
    test_mesh_free(&cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_gmp),
        cmocka_unit_test(test_null_pose_is_identity),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
