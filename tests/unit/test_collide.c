// Which triangles of two meshes intersect: every strategy, instruction set and thread count against GMP, on
// small meshes of every kind (support/cases.h), sizes around those of quads and blocks, all magnitudes.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Questions: two meshes and some poses.

enum { TEST_POSES = 8, TEST_STRATEGIES = 8 };

typedef struct test_question {
    uint32_t most; // triangles that a mesh may have
    test_mesh a, b;
    td_pose poses[TEST_POSES];
} test_question;

typedef void test_meshes_fn(test_question *out, test_random *random);

// Around the sizes of a quad (4), a leaf block (16) and a block of leaf blocks (64).
static uint32_t test_some_size(const test_question *question, test_random *random) {
    static const uint32_t sizes[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 33, 63, 64, 65};
    const uint32_t size = sizes[test_random_int(random, 0, (int)(sizeof sizes / sizeof *sizes) - 1)];
    return size < question->most ? size : question->most;
}

static void test_make_soups(test_question *out, test_random *random) {
    out->a = test_soup(random, test_some_size(out, random));
    out->b = test_soup(random, test_some_size(out, random));
}

static void test_make_grids(test_question *out, test_random *random) {
    out->a = test_grid_soup(random, test_some_size(out, random));
    out->b = test_grid_soup(random, test_some_size(out, random));
}

static void test_make_flat(test_question *out, test_random *random) {
    out->a = test_flat_soup(random, test_some_size(out, random));
    out->b = test_flat_soup(random, test_some_size(out, random));
}

static void test_make_thin(test_question *out, test_random *random) {
    out->a = test_thin_soup(random, test_some_size(out, random));
    out->b = test_thin_soup(random, test_some_size(out, random));
}

static void test_make_strips(test_question *out, test_random *random) {
    out->a = test_strip(random, test_some_size(out, random));
    out->b = test_duplicate(&out->a);
}

static void test_make_same_soup(test_question *out, test_random *random) {
    out->a = test_grid_soup(random, test_some_size(out, random));
    out->b = test_duplicate(&out->a);
}

static void test_make_boxes(test_question *out, test_random *random) {
    const double origin[3] = {0, 0, 0};
    for (int i = 0; i < 2; ++i) {
        double upper[3];
        for (int k = 0; k < 3; ++k) {
            upper[k] = test_random_int(random, 1, 2);
        }
        *(i == 0 ? &out->a : &out->b) = test_box(origin, upper);
    }
}

static void test_make_stacks(test_question *out, test_random *random) {
    const int most = (int)out->most / 12;
    out->a = test_stack((uint32_t)test_random_int(random, 1, most));
    out->b = test_stack((uint32_t)test_random_int(random, 1, most));
}

static void test_make_nested(test_question *out, test_random *random) {
    out->a = test_nested_shells((uint32_t)test_random_int(random, 1, (int)out->most / 12), 0.5);
    out->b = test_cube(0, test_random_range(random, 0.2, 0.3));
}

static void test_make_sheets(test_question *out, test_random *random) {
    const int most = (int)sqrt(out->most / 2.0);
    out->a = test_sheet((uint32_t)test_random_int(random, 1, most), 0);
    out->b = test_sheet((uint32_t)test_random_int(random, 1, most), test_random_int(random, 0, 1) * 0.01);
}

static void test_make_one_against_many(test_question *out, test_random *random) {
    out->a = test_strip(random, 1);
    out->b = test_soup(random, out->most);
    test_mesh_scale(&out->a, 2);
}

// test_ask turns B so that one of the poses brings it here again.
static void test_make_near(test_question *out, test_random *random) {
    out->a = test_soup(random, test_some_size(out, random));
    out->b = test_near_soup(random, &out->a, test_some_size(out, random));
}

typedef struct test_kind {
    const char *name;
    test_meshes_fn *make;
} test_kind;

static const test_kind test_kinds[] = {
    {"soups", test_make_soups},
    {"grids", test_make_grids},
    {"flat", test_make_flat},
    {"thin", test_make_thin},
    {"strips", test_make_strips},
    {"same soup", test_make_same_soup},
    {"boxes", test_make_boxes},
    {"stacks", test_make_stacks},
    {"nested", test_make_nested},
    {"sheets", test_make_sheets},
    {"one, many", test_make_one_against_many},
    {"near", test_make_near},
};

// Where the meshes stand: coordinates times `scale`, plus `offset` on all axes. B's `scale_b` differs from
// A's where float32 has no common unit for the two.
typedef struct test_magnitude {
    const char *name;
    double scale_a, scale_b, offset;
} test_magnitude;

static const test_magnitude test_magnitudes[] = {
    {"plain", 1, 1, 0},
    {"thirds", 1.0 / 3, 1.0 / 3, 0},
    {"huge", 1e300, 1e300, 0},
    {"tiny", 1e-300, 1e-300, 0},
    {"denormal", 0x1p-1074, 0x1p-1074, 0},
    {"nearly denormal", 0x1p-1022, 0x1p-1022, 0},
    {"far away", 1, 1, 1e15},
    {"farther away than float64 resolves", 0x1p-3, 0x1p-3, 0x1p52},
    {"on a map", 1e-3, 1e-3, 5e6},
    {"mixed 1e12", 1e-12, 1e12, 0},
    {"mixed 1e-12", 1e12, 1e-12, 0},
    {"mixed 2^30", 1, 0x1p30, 0},
    {"mixed 2^31", 0x1p31, 1, 0},
    {"mixed 1e3", 1e3, 1, 0},
    {"mixed 1e-6", 1e-6, 1, 0},
};

enum {
    TEST_KINDS = sizeof test_kinds / sizeof *test_kinds,
    TEST_MAGNITUDES = sizeof test_magnitudes / sizeof *test_magnitudes
};

static void test_shift_pose(td_pose *pose, double unit, double x, double y, double z) {
    pose->position[0] = unit * x;
    pose->position[1] = unit * y;
    pose->position[2] = unit * z;
}

// Poses on the scale of the meshes: `unit` stands for 1. Meshes that stand at `offset` turn about the origin
// all the same, so those poses take B far away; the others, which only shift, keep it near.
static void test_make_poses(td_pose poses[TEST_POSES], test_random *random, double unit) {
    for (int i = 0; i < 2; ++i) { // exact: integers stay integers
        poses[i] = test_exact_turn(i == 0 ? 0 : test_random_int(random, 0, TEST_EXACT_TURNS - 1));
        test_shift_pose(&poses[i], unit, test_random_int(random, -1, 1), test_random_int(random, -1, 1),
                        test_random_int(random, -2, 2));
    }
    poses[2] = td_pose_identity();
    poses[3] = test_exact_turn(test_random_int(random, 1, 3));
    poses[4] = test_quarter_turn(test_random_int(random, 0, 2));
    for (int i = 5; i < 7; ++i) {
        poses[i] = test_random_pose(random, i == 5 ? 0.5 : 2);
        test_shift_pose(&poses[i], unit, poses[i].position[0], poses[i].position[1], poses[i].position[2]);
    }
    poses[7] = td_pose_identity(); // as far away as it is large, or much farther
    test_shift_pose(&poses[7], unit, test_random_int(random, 0, 1) * 1e6, 4, 0);
}

static test_question test_ask(const test_kind *kind, const test_magnitude *magnitude, test_random *random) {
    // Where neither float32 nor expansions reach, every pair costs long numbers.
    const bool plain = magnitude->scale_a == 1 && magnitude->scale_b == 1 && magnitude->offset == 0;
    test_question question = {.most = plain ? 65 : 17};
    kind->make(&question, random);
    test_mesh_scale(&question.a, magnitude->scale_a);
    test_mesh_scale(&question.b, magnitude->scale_b);
    const double offset = magnitude->offset;
    test_mesh_shift(&question.a, offset, offset, offset);
    test_mesh_shift(&question.b, offset, offset, offset);
    test_make_poses(question.poses, random, fmin(magnitude->scale_a, magnitude->scale_b));
    if (kind->make == test_make_near && test_random_int(random, 0, 3) != 0) {
        test_mesh_unplace(&question.b, &question.poses[5]);
    } else if (offset != 0 && test_random_int(random, 0, 1) != 0) {
        // The same places by another way: B stands at the origin, the pose takes it out.
        test_mesh_shift(&question.b, -offset, -offset, -offset);
        for (int i = 0; i < TEST_POSES; ++i) {
            for (int k = 0; k < 3; ++k) {
                question.poses[i].position[k] += offset;
            }
        }
    }
    return question;
}

// ---------------------------------------------------------------------------------------------------------
// Answers

typedef struct test_tally {
    long questions, colliding, apart, inside, pairs;
} test_tally;

// What all variants must agree on, beside the pairs: known once the first has answered.
typedef struct test_agreed {
    bool known;
    td_inside inside[TEST_POSES];
    td_pair first[TEST_STRATEGIES][TEST_POSES];
    bool first_known[TEST_STRATEGIES];
} test_agreed;

typedef struct test_run {
    const test_question *question;
    const test_pairs *expected; // per pose
    test_agreed agreed;
    char name[160];
} test_run;

static void test_agree(test_run *run, const td_collide_result *answers, int strategy, td_mode mode,
                       const char *what) {
    for (int i = 0; i < TEST_POSES; ++i) {
        if (!run->agreed.known) {
            run->agreed.inside[i] = answers[i].inside;
        }
        if (answers[i].inside != run->agreed.inside[i]) {
            fail_msg("%s, pose %d: inside is %s, others said %s", what, i, td_inside_name(answers[i].inside),
                     td_inside_name(run->agreed.inside[i]));
        }
    }
    run->agreed.known = true;
    for (int i = 0; mode == TD_MODE_FIRST && i < TEST_POSES; ++i) {
        const td_pair found = answers[i].pair_count > 0 ? answers[i].pairs[0] : (td_pair){0, 0};
        td_pair *first = &run->agreed.first[strategy][i];
        if (!run->agreed.first_known[strategy]) {
            *first = found;
        }
        if (found.a != first->a || found.b != first->b) {
            fail_msg("%s, pose %d: the first pair is (%u, %u), others found (%u, %u)", what, i, found.a,
                     found.b, first->a, first->b);
        }
    }
    run->agreed.first_known[strategy] |= mode == TD_MODE_FIRST;
}

static void test_collide_one_way(test_run *run, const test_variant *variant, const td_mesh *a,
                                 const td_mesh *b, int strategy, td_mode mode) {
    td_collide_def def = td_default_collide_def();
    def.mode = mode;
    def.strategy = td_strategy_name((uint32_t)strategy);
    char what[256];
    snprintf(what, sizeof what, "%s, %s on %s, mode %d", run->name, def.strategy, variant->name, (int)mode);
    td_collide_result answers[TEST_POSES];
    const td_result result =
        td_collide_batch(answers, variant->query, a, b, run->question->poses, TEST_POSES, &def);
    if (result != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    for (int i = 0; i < TEST_POSES; ++i) {
        char which[288];
        snprintf(which, sizeof which, "%s, pose %d", what, i);
        test_expect_answer(&answers[i], &run->expected[i], mode, which);
    }
    test_agree(run, answers, strategy, mode, what);
    // Alone, by the other function: the batch's answers are void then.
    const int alone = (int)run->expected[0].count % TEST_POSES;
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
            fail_msg("%s: %s", run->name, td_error_message());
        }
        for (uint32_t s = 0; s < td_strategy_count(); ++s) {
            for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
                test_collide_one_way(run, variant, a, b, (int)s, (td_mode)mode);
            }
        }
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
}

static void test_answer(test_tally *tally, const test_variants *variants, const test_kind *kind,
                        const test_magnitude *magnitude, uint64_t seed) {
    test_random random = {seed};
    test_question question = test_ask(kind, magnitude, &random);
    test_pairs expected[TEST_POSES];
    for (int i = 0; i < TEST_POSES; ++i) {
        expected[i] = test_exact_pairs(&question.a, &question.b, &question.poses[i]);
    }
    test_run run = {.question = &question, .expected = expected};
    snprintf(run.name, sizeof run.name, "%s, %s, seed %llu (%u and %u triangles)", kind->name,
             magnitude->name, (unsigned long long)seed, question.a.triangle_count, question.b.triangle_count);
    test_every_way(&run, variants);
    for (int i = 0; i < TEST_POSES; ++i) {
        tally->questions++;
        tally->pairs += (long)expected[i].count;
        tally->colliding += expected[i].count > 0;
        tally->apart += expected[i].count == 0;
        tally->inside += run.agreed.inside[i] != TD_INSIDE_NONE;
        test_pairs_free(&expected[i]);
    }
    test_mesh_free(&question.a);
    test_mesh_free(&question.b);
}

static void test_against_gmp(void **state) {
    assert_true(td_strategy_count() <= TEST_STRATEGIES);
    const int rounds = test_rounds(8);
    for (int k = 0; k < TEST_KINDS; ++k) {
        test_tally tally = {0};
        for (int m = 0; m < TEST_MAGNITUDES; ++m) {
            // What is special is shorter than what is plain.
            for (int i = 0; i < (m == 0 ? rounds : (rounds + 3) / 4); ++i) {
                test_answer(&tally, *state, &test_kinds[k], &test_magnitudes[m],
                            1000 * (100 * (uint64_t)k + (uint64_t)m) + (uint64_t)i + 1);
            }
        }
        print_message("%-10s %5ld questions: %5ld collide (%ld pairs), %5ld do not, of these %3ld inside\n",
                      test_kinds[k].name, tally.questions, tally.colliding, tally.pairs, tally.apart,
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

static int test_setup(void **state) {
    static test_variants variants;
    test_variants_create(&variants);
    *state = &variants;
    return 0;
}

static int test_teardown(void **state) {
    test_variants_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_gmp),
        cmocka_unit_test(test_null_pose_is_identity),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
