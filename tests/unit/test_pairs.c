// Lists of object pairs, as a simulation produces them: the same answers as one by one, natively and on
// devices, many different meshes in one call, refusals that name the object pair.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_MESHES = 60, TEST_PAIRS = 300 };

typedef struct test_list {
    td_mesh *meshes[TEST_MESHES];
    td_object_pair pairs[TEST_PAIRS];
} test_list;

// Soups of 1 to 60 triangles; some are so large or so small that float32 has no unit for both.
static void test_list_open(test_list *list, const test_variant *variant) {
    test_random random = {51};
    for (uint32_t i = 0; i < TEST_MESHES; ++i) {
        test_mesh soup = test_soup(&random, i + 1);
        test_mesh_scale(&soup, i % 20 == 7 ? 0x1p40 : i % 20 == 17 ? 0x1p-40 : 1);
        list->meshes[i] = test_mesh_build(variant->context, &soup);
        assert_non_null(list->meshes[i]);
        test_mesh_free(&soup);
    }
    for (int i = 0; i < TEST_PAIRS; ++i) {
        list->pairs[i].a = list->meshes[test_random_int(&random, 0, TEST_MESHES - 1)];
        list->pairs[i].b = list->meshes[test_random_int(&random, 0, TEST_MESHES - 1)];
        list->pairs[i].pose = test_random_pose(&random, i % 10 == 9 ? 100 : 1);
    }
}

static void test_list_close(test_list *list) {
    for (int i = 0; i < TEST_MESHES; ++i) {
        td_destroy_mesh(list->meshes[i]);
    }
}

// By brute force, one by one.
static void test_expect(test_pairs *expected, const test_variant *variant, const test_list *list) {
    td_collide_def def = td_default_collide_def();
    def.strategy = "brute";
    int colliding = 0;
    for (int i = 0; i < TEST_PAIRS; ++i) {
        const td_object_pair *pair = &list->pairs[i];
        td_collide_result answer;
        assert_int_equal(td_collide(&answer, variant->query, pair->a, pair->b, &pair->pose, &def), TD_OK);
        expected[i] = test_pairs_copy(&answer);
        colliding += answer.colliding;
    }
    assert_true(colliding > TEST_PAIRS / 4 && colliding < TEST_PAIRS);
}

static void test_ask(const test_pairs *expected, const test_variant *variant, const test_list *list,
                     const test_way *way, size_t count) {
    static td_collide_result answers[TEST_PAIRS];
    for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
        td_collide_def def = way->def;
        def.mode = (td_mode)mode;
        char what[192];
        snprintf(what, sizeof what, "%zu object pairs, %s on %s, mode %d", count, way->name, variant->name,
                 mode);
        if (td_collide_pairs(answers, variant->query, list->pairs, count, &def) != TD_OK) {
            fail_msg("%s: %s", what, td_error_message());
        }
        for (size_t i = 0; i < count; ++i) { // only now: all are valid together
            test_expect_answer(&answers[i], &expected[i], def.mode, what);
            test_expect_state_bits(&answers[i], &def, list->pairs[i].a, list->pairs[i].b, what);
            assert_true(answers[i].ms >= 0);
        }
    }
}

static void test_same_as_one_by_one(void **state) {
    static const size_t counts[] = {0, 1, 2, TEST_PAIRS, 1, 17};
    const test_variants *variants = *state;
    test_pairs expected[TEST_PAIRS];
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        test_list list;
        test_list_open(&list, variant);
        if (v == 0) {
            test_expect(expected, variant, &list);
        }
        test_ways ways;
        test_ways_list(&ways, variant->device, TEST_WAYS_BRUTE | TEST_WAYS_ONE_ITEM);
        for (int w = 0; w < ways.count; ++w) {
            for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
                test_ask(expected, variant, &list, &ways.items[w], counts[c]);
            }
        }
        test_list_close(&list);
    }
    for (int i = 0; i < TEST_PAIRS; ++i) {
        test_pairs_free(&expected[i]);
    }
}

// Poses of one pair of meshes, and object pairs: two ways to say the same.
static void test_same_as_batch(void **state) {
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *torus = NULL, *box = NULL;
        assert_int_equal(td_create_shape(&torus, variant->context, "torus", 0), TD_OK);
        assert_int_equal(td_create_shape(&box, variant->context, "box", 1), TD_OK);
        test_random random = {52};
        td_pose poses[40];
        td_object_pair pairs[40];
        test_pairs expected[40];
        for (int i = 0; i < 40; ++i) {
            poses[i] = test_random_pose(&random, 1);
            pairs[i] = (td_object_pair){torus, box, poses[i]};
        }
        td_collide_def def = td_default_collide_def();
        def.device = variant->device;
        td_collide_result answers[40];
        assert_int_equal(td_collide_batch(answers, variant->query, torus, box, poses, 40, &def), TD_OK);
        for (int i = 0; i < 40; ++i) {
            expected[i] = test_pairs_copy(&answers[i]);
        }
        assert_int_equal(td_collide_pairs(answers, variant->query, pairs, 40, &def), TD_OK);
        for (int i = 0; i < 40; ++i) {
            test_expect_answer(&answers[i], &expected[i], TD_MODE_PAIRS, variant->name);
            test_pairs_free(&expected[i]);
        }
        td_destroy_mesh(torus);
        td_destroy_mesh(box);
    }
}

static void test_expect_refused(const test_variant *variant, const td_object_pair *pairs, td_result expected,
                                const char *part) {
    td_collide_def def = td_default_collide_def();
    def.device = variant->device;
    td_collide_result answers[3];
    memset(answers, 0x5a, sizeof answers);
    const td_result result = td_collide_pairs(answers, variant->query, pairs, 3, &def);
    if (result != expected || strstr(td_error_message(), part) == NULL) {
        fail_msg("%s: expected '%s', found %s: %s", variant->name, part, td_result_name(result),
                 td_error_message());
    }
    for (size_t i = 0; i < sizeof answers; ++i) { // before any work
        assert_int_equal(((unsigned char *)answers)[i], 0x5a);
    }
}

static void test_bad_pairs(void **state) {
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        test_mesh cube = test_cube(0, 1);
        td_mesh *good = test_mesh_build(variant->context, &cube);
        test_mesh_scale(&cube, 1.7e308);
        td_mesh *large = test_mesh_build(variant->context, &cube);
        const td_pose here = td_pose_identity();
        td_object_pair pairs[3] = {{good, good, here}, {good, good, here}, {good, good, here}};
        pairs[2].pose.position[1] = NAN;
        test_expect_refused(variant, pairs, TD_ERROR_POSE, "object pair 2");
        test_expect_refused(variant, pairs, TD_ERROR_POSE, "position y");
        pairs[2].pose = here;
        pairs[0].pose.rotation[3] = 1.01;
        test_expect_refused(variant, pairs, TD_ERROR_POSE, "object pair 0");
        pairs[0].pose = here;
        pairs[1].a = large;
        test_expect_refused(variant, pairs, TD_ERROR_UNSUPPORTED, "object pair 1");
        test_expect_refused(variant, pairs, TD_ERROR_UNSUPPORTED, "1.7e+308");
        pairs[1] = (td_object_pair){good, large, here};
        test_expect_refused(variant, pairs, TD_ERROR_UNSUPPORTED, "object pair 1");
        td_destroy_mesh(good);
        td_destroy_mesh(large);
        test_mesh_free(&cube);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_one_by_one),
        cmocka_unit_test(test_same_as_batch),
        cmocka_unit_test(test_bad_pairs),
    };
    return cmocka_run_group_tests(tests, test_setup_with_devices, test_teardown_variants);
}
