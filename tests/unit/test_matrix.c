// The matrix on whole shapes: every strategy x volume x instruction set x thread count and every device
// against brute force, large enough that one question is shared out over the threads and that lists are
// worked off in parts.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <string.h>

enum { TEST_POSES = 3 };

typedef struct test_match {
    const char *a;
    uint32_t subdivide_a;
    const char *b;
    uint32_t subdivide_b;
    double reach; // of the poses: how far B's centre may be from A's and still touch
} test_match;

// The last two have more than 8192 triangles together: from there on threads share one question.
static const test_match test_matches[] = {
    {"box", 0, "box", 0, 0.9},  {"cow", 0, "cow", 0, 1.2},   {"torus", 0, "knot", 0, 0.7},
    {"cow", 0, "sphere", 0, 1}, {"knot", 1, "cone", 0, 0.8}, {"box", 1, "knot", 1, 0.6},
};

enum { TEST_MATCHES = sizeof test_matches / sizeof *test_matches };

static td_mesh *test_shape(td_context *context, const char *name, uint32_t subdivide) {
    td_mesh *mesh = NULL;
    if (td_create_shape(&mesh, context, name, subdivide) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return mesh;
}

typedef struct test_answers {
    test_pairs pairs[TEST_POSES];
    td_inside inside[TEST_POSES];
    // Per way, of the first variant; natively and on devices, which cut the work in another manner.
    td_pair first[2][TEST_MOST_WAYS][TEST_POSES];
    bool first_known[2][TEST_MOST_WAYS];
} test_answers;

static void test_ask_brute(test_answers *out, const test_variant *variant, const td_mesh *a, const td_mesh *b,
                           const td_pose *poses) {
    td_collide_def def = td_default_collide_def();
    def.strategy = "brute";
    td_collide_result answers[TEST_POSES];
    assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, TEST_POSES, &def), TD_OK);
    for (int i = 0; i < TEST_POSES; ++i) {
        if (answers[i].colliding) { // nothing is left out
            assert_int_equal(answers[i].counters.triangle_tests,
                             (uint64_t)td_mesh_triangle_count(a) * td_mesh_triangle_count(b));
        }
        for (size_t k = 0; k < answers[i].pair_count; ++k) {
            test_pairs_add(&out->pairs[i], answers[i].pairs[k].a, answers[i].pairs[k].b);
        }
        out->inside[i] = answers[i].inside;
    }
}

// How one variant is asked in one way.
typedef struct test_asked {
    const test_variant *variant;
    const td_mesh *a, *b;
    const td_pose *poses;
    int way; // its number
    td_collide_def def;
    char what[192];
} test_asked;

static void test_compare(test_answers *expected, const test_asked *asked, const td_collide_result *answer,
                         int pose) {
    test_expect_answer(answer, &expected->pairs[pose], asked->def.mode, asked->what);
    test_expect_state_bits(answer, &asked->def, asked->a, asked->b, asked->what);
    assert_int_equal(answer->inside, expected->inside[pose]);
    if (asked->def.mode != TD_MODE_FIRST || !answer->colliding) {
        return;
    }
    const int on_device = asked->variant->device != NULL;
    td_pair *first = &expected->first[on_device][asked->way][pose];
    if (!expected->first_known[on_device][asked->way]) {
        *first = answer->pairs[0];
    }
    if (memcmp(first, &answer->pairs[0], sizeof *first) != 0) {
        fail_msg("%s: the first pair is (%u, %u), others found (%u, %u)", asked->what, answer->pairs[0].a,
                 answer->pairs[0].b, first->a, first->b);
    }
}

// In a batch, and one of them alone.
static void test_one_way(test_answers *expected, const test_asked *asked) {
    td_collide_result answers[TEST_POSES];
    td_query *query = asked->variant->query;
    if (td_collide_batch(answers, query, asked->a, asked->b, asked->poses, TEST_POSES, &asked->def) !=
        TD_OK) {
        fail_msg("%s: %s", asked->what, td_error_message());
    }
    for (int i = 0; i < TEST_POSES; ++i) {
        test_compare(expected, asked, &answers[i], i);
    }
    expected->first_known[asked->variant->device != NULL][asked->way] |= asked->def.mode == TD_MODE_FIRST;
    const int alone = asked->way % TEST_POSES;
    assert_int_equal(td_collide(&answers[0], query, asked->a, asked->b, &asked->poses[alone], &asked->def),
                     TD_OK);
    test_compare(expected, asked, &answers[0], alone);
}

// Brute force was asked once, for all; the others are asked everywhere. Descent rules, and one work-item per
// object pair, are asked for in one mode, by one native variant and one device.
static void test_one_variant(test_answers *expected, const test_variant *variant, const td_mesh *a,
                             const td_mesh *b, const td_pose *poses, bool thorough) {
    test_asked asked = {.variant = variant, .a = a, .b = b, .poses = poses};
    test_ways ways;
    test_ways_list(&ways, variant->device, TEST_WAYS_DESCENTS | TEST_WAYS_ONE_ITEM);
    for (asked.way = 0; asked.way < ways.count; ++asked.way) {
        const test_way *way = &ways.items[asked.way];
        const bool plain = way->def.descent == TD_DESCENT_AUTO && !way->def.one_item_per_pair;
        if (!plain && !thorough) {
            continue;
        }
        for (int mode = TD_MODE_PAIRS; mode <= (plain ? TD_MODE_FIRST : TD_MODE_PAIRS); ++mode) {
            asked.def = way->def;
            asked.def.mode = (td_mode)mode;
            snprintf(asked.what, sizeof asked.what, "%s against %s, %s on %s, mode %d", td_mesh_name(a),
                     td_mesh_name(b), way->name, variant->name, mode);
            test_one_way(expected, &asked);
        }
    }
}

// The first native variant and the first device.
static bool test_is_thorough(const test_variants *variants, int index) {
    return index == 0 || (variants->items[index].device != NULL && variants->items[index - 1].device == NULL);
}

typedef struct test_tally {
    int colliding, apart, inside;
} test_tally;

static void test_one_match(test_tally *tally, const test_variants *variants, const test_match *match,
                           test_random *random) {
    td_pose poses[TEST_POSES];
    for (int i = 0; i < TEST_POSES; ++i) {
        poses[i] = test_random_pose(random, match->reach * (i == 0 ? 0.25 : i == 1 ? 1 : 3));
    }
    test_answers expected = {0};
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *a = test_shape(variant->context, match->a, match->subdivide_a);
        td_mesh *b = test_shape(variant->context, match->b, match->subdivide_b);
        if (v == 0) {
            test_ask_brute(&expected, variant, a, b, poses);
        }
        test_one_variant(&expected, variant, a, b, poses, test_is_thorough(variants, v));
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
    for (int i = 0; i < TEST_POSES; ++i) {
        print_message("%s/%u against %s/%u: %zu pairs, inside %s\n", match->a, match->subdivide_a, match->b,
                      match->subdivide_b, expected.pairs[i].count, td_inside_name(expected.inside[i]));
        tally->colliding += expected.pairs[i].count > 0;
        tally->apart += expected.pairs[i].count == 0;
        tally->inside += expected.inside[i] != TD_INSIDE_NONE;
        test_pairs_free(&expected.pairs[i]);
    }
}

static void test_shapes(void **state) {
    test_tally tally = {0};
    test_random random = {7};
    const int rounds = test_rounds(1);
    for (int i = 0; i < TEST_MATCHES * rounds; ++i) {
        test_one_match(&tally, *state, &test_matches[i % TEST_MATCHES], &random);
    }
    assert_true(tally.colliding > 0 && tally.apart > 0);
}

// Frees the mesh.
static void test_against_itself(const test_variants *variants, test_mesh mesh,
                                const td_pose poses[TEST_POSES], size_t at_least, const char *name) {
    test_answers expected = {0};
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *built = test_mesh_build(variant->context, &mesh);
        if (v == 0) {
            test_ask_brute(&expected, variant, built, built, poses);
        }
        test_one_variant(&expected, variant, built, built, poses, test_is_thorough(variants, v));
        td_destroy_mesh(built);
    }
    for (int i = 0; i < TEST_POSES; ++i) {
        print_message("%s (%u triangles): %zu pairs\n", name, mesh.triangle_count, expected.pairs[i].count);
        assert_true(i > 0 || expected.pairs[i].count >= at_least);
        test_pairs_free(&expected.pairs[i]);
    }
    test_mesh_free(&mesh);
}

// Two sheets face to face: every triangle touches many, in one plane. Thousands of pairs that no filter may
// decide, in lists that overflow and are worked off again and again.
static void test_touching_sheets(void **state) {
    static const td_pose poses[TEST_POSES] = {
        {{0, 0, 0}, {0, 0, 0, 1}}, {{0.5, 0.25, 0}, {0, 0, 0, 1}}, {{1, 1, 0}, {0, 0, 1, 0}}};
    test_against_itself(*state, test_sheet(test_rounds(1) > 1 ? 40 : 20, 0), poses, 1000, "sheet");
}

// Hierarchies in which every box meets every other, deep ones among them: the most that lists can be asked to
// hold.
static void test_everything_overlaps(void **state) {
    static const td_pose poses[TEST_POSES] = {
        {{0, 0, 0}, {0, 0, 0, 1}}, {{1e-4, 2e-4, 3e-4}, {0, 0, 0, 1}}, {{0, 0, 0}, {0.6, 0, 0, 0.8}}};
    test_against_itself(*state, test_repeated_triangle(100), poses, 10000, "one triangle again and again");
    test_against_itself(*state, test_one_point(70), poses, 4900, "one point");
    test_against_itself(*state, test_nested_shells(30, 0.9), poses, 100, "nested shells");
    test_against_itself(*state, test_progression(150, 0.5), poses, 150, "halving");
    test_random random = {8};
    test_against_itself(*state, test_progression(200, 0.97), poses, 200, "a deep hierarchy");
    test_mesh knives = test_soup(&random, 150); // long and thin, through one another
    for (uint32_t i = 0; i < 3 * knives.vertex_count; ++i) {
        const uint32_t corner = i / 3 % 3;
        knives.positions[i] *= corner == 0 ? 20 : corner == 1 ? -20 : 1;
    }
    test_against_itself(*state, knives, poses, 5000, "knives");
}

// Where float32 is of little use or none: the exact predicate decides, with numbers of any length.
static void test_magnitudes(void **state) {
    static const double scales[] = {1e-300, 1e-30, 1e30, 1e300};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
        test_random random = {9 + i};
        test_mesh soup = test_grid_soup(&random, 32); // every pair costs long numbers
        test_mesh_scale(&soup, scales[i]);
        td_pose poses[TEST_POSES] = {td_pose_identity(), test_exact_turn(5), test_random_pose(&random, 1)};
        for (int p = 0; p < TEST_POSES; ++p) {
            for (int k = 0; k < 3; ++k) {
                poses[p].position[k] *= scales[i];
            }
        }
        test_against_itself(*state, soup, poses, 32, "grid");
    }
    // Far from the origin: float64 itself has few digits left.
    test_random random = {13};
    test_mesh soup = test_grid_soup(&random, 60);
    test_mesh_shift(&soup, 0x1p45, -0x1p44, 0x1p45);
    const td_pose poses[TEST_POSES] = {
        td_pose_identity(), {{1, 0, 1}, {0, 0, 0, 1}}, {{0, -2, 0}, {0, 0, 0, 1}}};
    test_against_itself(*state, soup, poses, 60, "grid far away");
}

// Triangles that are segments and points, and triangles that all but touch.
static void test_degenerate(void **state) {
    test_random random = {14};
    const td_pose poses[TEST_POSES] = {td_pose_identity(), test_exact_turn(6), {{1, 0, 1}, {0, 0, 0, 1}}};
    test_against_itself(*state, test_thin_soup(&random, 150), poses, 150, "segments and points");
    test_against_itself(*state, test_flat_soup(&random, 100), poses, 1000, "in one plane");
    test_mesh some = test_soup(&random, 60), near = test_near_soup(&random, &some, 400);
    const td_pose close[TEST_POSES] = {
        td_pose_identity(), {{1e-7, 0, -1e-7}, {0, 0, 0, 1}}, {{0, 1e-16, 0}, {0, 0, 0, 1}}};
    test_mesh both = test_join(&some, &near);
    test_against_itself(*state, both, close, 400, "close calls");
    test_mesh_free(&some);
    test_mesh_free(&near);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_touching_sheets),
        cmocka_unit_test(test_everything_overlaps),
        cmocka_unit_test(test_magnitudes),
        cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, test_setup_with_devices, test_teardown_variants);
}
