// Hierarchies of every shape below whole queries: random trees of two to five children per node, flat ones
// and some with more levels than integers have bits, against one another, natively and on devices. Builders
// would never make most of them.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"
#include "test_tree_support.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEST_TREES = 10, TEST_PAIRS = TEST_TREES * TEST_TREES };

// Tree i of every variant is the same. The first is as uneven as can be: one leaf per level.
static td_mesh *test_grow(const test_variant *variant, uint32_t index) {
    test_random random = {700 + index};
    test_mesh soup = test_soup(&random, index == 0 ? 150 : 20 * index);
    td_mesh *mesh = test_mesh_build(variant->context, &soup);
    assert_non_null(mesh);
    test_tree tree = index == 0 ? test_random_tree(soup.triangle_count, 2, 100, &random)
                                : test_random_tree(soup.triangle_count, 2 + index % 4,
                                                   test_random_int(&random, 0, 100), &random);
    const td_tree_shape shape = test_tree_shape(&tree);
    if (td_postorder_create_from(&mesh->late->post, &mesh->triangles, &mesh->hierarchy, &shape) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    test_tree_free(&tree);
    test_mesh_free(&soup);
    return mesh;
}

static void test_ask(const test_pairs *expected, const test_variant *variant, const td_object_pair *pairs,
                     const test_way *way) {
    static td_collide_result answers[TEST_PAIRS];
    if (td_collide_pairs(answers, variant->query, pairs, TEST_PAIRS, &way->def) != TD_OK) {
        fail_msg("%s on %s: %s", way->name, variant->name, td_error_message());
    }
    for (int i = 0; i < TEST_PAIRS; ++i) {
        char what[160];
        snprintf(what, sizeof what, "trees %d and %d, %s on %s", i / TEST_TREES, i % TEST_TREES, way->name,
                 variant->name);
        test_expect_answer(&answers[i], &expected[i], TD_MODE_PAIRS, what);
        test_expect_state_bits(&answers[i], &way->def, pairs[i].a, pairs[i].b, what);
    }
}

static void test_expect(test_pairs *expected, const test_variant *variant, const td_object_pair *pairs) {
    static td_collide_result answers[TEST_PAIRS];
    td_collide_def def = td_default_collide_def();
    def.strategy = "brute";
    assert_int_equal(td_collide_pairs(answers, variant->query, pairs, TEST_PAIRS, &def), TD_OK);
    for (int i = 0; i < TEST_PAIRS; ++i) {
        expected[i] = test_pairs_copy(&answers[i]);
    }
}

static void test_trees(void **state) {
    const test_variants *variants = *state;
    static test_pairs expected[TEST_PAIRS];
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *meshes[TEST_TREES];
        for (uint32_t i = 0; i < TEST_TREES; ++i) {
            meshes[i] = test_grow(variant, i);
            const td_postorder *post = &meshes[i]->late->post;
            if (v == 0) {
                print_message("%3u triangles: height %3u, up to %u children\n",
                              td_mesh_triangle_count(meshes[i]), post->height, post->arity);
            }
            assert_true(i > 0 || post->height == 149);
        }
        test_random random = {77};
        td_object_pair pairs[TEST_PAIRS];
        for (int i = 0; i < TEST_PAIRS; ++i) {
            pairs[i] = (td_object_pair){meshes[i / TEST_TREES], meshes[i % TEST_TREES],
                                        test_random_pose(&random, 0.5)};
        }
        if (v == 0) {
            test_expect(expected, variant, pairs);
        }
        test_ways ways;
        test_ways_list(&ways, variant->device, TEST_WAYS_DESCENTS | TEST_WAYS_ONE_ITEM);
        for (int w = 0; w < ways.count; ++w) {
            test_ask(expected, variant, pairs, &ways.items[w]);
        }
        for (int i = 0; i < TEST_TREES; ++i) {
            td_destroy_mesh(meshes[i]);
        }
    }
    size_t found = 0;
    for (int i = 0; i < TEST_PAIRS; ++i) {
        found += expected[i].count;
        test_pairs_free(&expected[i]);
    }
    print_message("%zu pairs of triangles\n", found);
    assert_true(found > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees)};
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
