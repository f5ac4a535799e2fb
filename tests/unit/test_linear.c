// The linear builder: its trees are trees, whatever the triangles; they cost little more than those of the
// surface area heuristic; queries do not notice; the same bits for every number of threads.
#include "bvh/build_linear.h"
#include "bvh/local.h"
#include "bvh/radix.h"
#include "test_refit_support.h"

#include <tandem/io.h>

#include <stdio.h>
#include <unistd.h>

static const td_tree_rules test_rules = {16, 16, 64}; // as the hierarchy has them

typedef struct test_tree {
    td_tree_node *nodes;
    td_coded *codes;
    uint32_t count;
} test_tree;

static void test_free_tree(test_tree *tree) {
    free(tree->nodes);
    free(tree->codes);
}

static test_tree test_build(td_context *context, const test_mesh *mesh, td_tree_rules rules) {
    const uint32_t count = mesh->triangle_count;
    test_tree tree = {calloc(2 * (size_t)count, sizeof *tree.nodes), calloc(count, sizeof *tree.codes),
                      count};
    assert_true(tree.nodes != NULL && tree.codes != NULL);
    const td_mesh_def def = test_def_of(mesh);
    td_trimesh triangles;
    assert_int_equal(td_trimesh_create(&triangles, context, &def), TD_OK);
    td_blocked frame = {0};
    td_choose_frame(&frame, &triangles);
    if (td_build_linear(tree.nodes, tree.codes, &frame, &triangles, rules, NULL, NULL) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    td_trimesh_destroy(&triangles);
    return tree;
}

// Every triangle in one leaf, leaves not too large and full in groups.
static void test_walk(const test_tree *tree, unsigned char *seen, uint32_t node, uint32_t first,
                      uint32_t count, td_tree_rules rules) {
    const td_tree_node *n = &tree->nodes[node];
    assert_int_equal(n->count, count);
    assert_true(n->area >= 0 && isfinite(n->area));
    if (count <= rules.leaf_size) {
        for (uint32_t i = first; i < first + count; ++i) {
            assert_true(tree->codes[i].id < tree->count);
            assert_int_equal(seen[tree->codes[i].id]++, 0);
        }
        return;
    }
    const uint32_t left = tree->nodes[td_tree_left(node)].count;
    assert_true(left > 0 && left < count);
    assert_true(td_may_cut(rules, left, count - left));
    test_walk(tree, seen, td_tree_left(node), first, left, rules);
    test_walk(tree, seen, td_tree_right(tree->nodes, node), first + left, count - left, rules);
}

static void test_check(const test_tree *tree, td_tree_rules rules) {
    unsigned char *seen = calloc(tree->count, 1);
    assert_non_null(seen);
    test_walk(tree, seen, 0, 0, tree->count, rules);
    free(seen);
}

typedef enum test_cloud {
    TEST_UNIFORM,
    TEST_ONE_PLACE,
    TEST_ONE_STRAY, // all but one in a cell
    TEST_ON_A_LINE,
    TEST_ON_A_GRID, // many with the same code
    TEST_TINY,      // extents that are subnormal
    TEST_CLOUDS
} test_cloud;

// Triangles that reach from one corner of a box to the other.
static test_mesh test_cloud_mesh(test_cloud cloud, uint32_t count, test_random *random) {
    test_mesh mesh = {malloc(6 * (size_t)count * sizeof(double)),
                      malloc(3 * (size_t)count * sizeof(uint32_t)), 2 * count, count};
    assert_true(mesh.positions != NULL && mesh.triangles != NULL);
    for (uint32_t i = 0; i < count; ++i) {
        double *lower = mesh.positions + 6 * (size_t)i, *upper = lower + 3;
        for (int k = 0; k < 3; ++k) {
            double x = test_random_range(random, -1, 1), size = 0.01 * test_random_unit(random);
            x = cloud == TEST_ONE_PLACE              ? 0.5
                : cloud == TEST_ONE_STRAY && i != 17 ? 1e-11 * x
                : cloud == TEST_ON_A_LINE && k != 1  ? -0.25
                : cloud == TEST_ON_A_GRID            ? floor(3 * x) / 3
                : cloud == TEST_TINY                 ? 0x1p-1060 * x
                                                     : x;
            size = cloud == TEST_UNIFORM ? size : 0;
            lower[k] = x - size;
            upper[k] = x + size;
        }
        const uint32_t corners[3] = {2 * i, 2 * i + 1, 2 * i};
        memcpy(mesh.triangles + 3 * (size_t)i, corners, sizeof corners);
    }
    return mesh;
}

static void test_trees(void **state) {
    const test_variants *variants = *state;
    static const uint32_t counts[] = {1, 2, 4, 5, 16, 17, 33, 64, 65, 100, 1000, 5000};
    static const td_tree_rules rules[] = {{16, 16, 64}, {4, 16, 64}, {1, 1, 0}, {4, 0, 0}};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        for (int cloud = 0; cloud < TEST_CLOUDS; ++cloud) {
            test_random random = {c * 100 + (size_t)cloud};
            test_mesh mesh = test_cloud_mesh((test_cloud)cloud, counts[c], &random);
            for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r) {
                test_tree tree = test_build(variants->items[0].context, &mesh, rules[r]);
                test_check(&tree, rules[r]);
                test_free_tree(&tree);
            }
            test_mesh_free(&mesh);
        }
    }
}

static void test_same_for_threads(void **state) {
    const test_variants *variants = *state;
    for (int cloud = 0; cloud < TEST_CLOUDS; ++cloud) {
        test_random random = {5};
        test_mesh mesh = test_cloud_mesh((test_cloud)cloud, 100000, &random);
        test_tree first = test_build(variants->items[0].context, &mesh, test_rules);
        test_check(&first, test_rules);
        for (int v = 1; v < variants->count; ++v) {
            test_tree tree = test_build(variants->items[v].context, &mesh, test_rules);
            assert_memory_equal(tree.codes, first.codes, tree.count * sizeof *tree.codes);
            assert_memory_equal(tree.nodes, first.nodes, (2 * (size_t)tree.count - 1) * sizeof *tree.nodes);
            test_free_tree(&tree);
        }
        test_free_tree(&first);
        test_mesh_free(&mesh);
    }
}

static void test_sorting(void **state) {
    const test_variants *variants = *state;
    enum { TEST_COUNT = 200000 };
    td_coded *items = malloc(TEST_COUNT * sizeof *items), *scratch = malloc(TEST_COUNT * sizeof *scratch);
    assert_true(items != NULL && scratch != NULL);
    for (int bits = 0; bits <= 32; bits += 8) { // few different codes, many
        for (int v = 0; v < variants->count; ++v) {
            test_random random = {(uint64_t)bits + 1};
            for (uint32_t i = 0; i < TEST_COUNT; ++i) {
                items[i] = (td_coded){
                    (uint32_t)(test_random_bits(&random) >> 32) & (uint32_t)((UINT64_C(1) << bits) - 1), i};
            }
            assert_int_equal(td_sort_codes(items, scratch, TEST_COUNT, variants->items[v].context), TD_OK);
            for (uint32_t i = 1; i < TEST_COUNT; ++i) {
                assert_true(items[i - 1].code < items[i].code ||
                            (items[i - 1].code == items[i].code && items[i - 1].id < items[i].id));
            }
        }
    }
    free(items);
    free(scratch);
}

// ---------------------------------------------------------------------------------------------------------
// As hierarchies of meshes

static double test_cost(td_context *context, const test_mesh *mesh, td_builder builder) {
    td_mesh_def def = test_def_of(mesh);
    def.builder = builder;
    td_mesh *built = NULL;
    assert_int_equal(td_create_mesh(&built, context, &def), TD_OK);
    test_validate(built, "built");
    td_hierarchy_report report;
    assert_int_equal(td_inspect_hierarchy(&report, context, built), TD_OK);
    td_destroy_mesh(built);
    return report.sah_cost;
}

static void test_compare(td_context *context, const td_mesh *shape, const char *name) {
    test_mesh mesh = test_copy_of(shape);
    const double sah = test_cost(context, &mesh, TD_BUILDER_SAH);
    const double linear = test_cost(context, &mesh, TD_BUILDER_LINEAR);
    print_message("%-14s %6u triangles: cost %6.2f, by SAH %6.2f (%.2f of it)\n", name, mesh.triangle_count,
                  linear, sah, linear / sah);
    assert_true(linear < 1.7 * sah);
    test_mesh_free(&mesh);
}

static void test_costs(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    static const char *const shapes[] = {"cow", "knot", "torus", "sphere", "capsule"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        td_mesh *shape = NULL;
        assert_int_equal(td_create_shape(&shape, context, shapes[i], 2), TD_OK);
        test_compare(context, shape, shapes[i]);
        td_destroy_mesh(shape);
    }
    static const char *const files[] = {"armadillo-52k", "bunny-7k", "fcl_env", "dragon-res4"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/meshes/%s.obj", TD_TEST_DATA, files[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        const td_load_def def = td_default_load_def();
        td_mesh *mesh = NULL;
        assert_int_equal(td_load_mesh(&mesh, context, path, &def), TD_OK);
        test_compare(context, mesh, files[i]);
        td_destroy_mesh(mesh);
    }
}

// Nasty meshes, built linearly: valid, and the same pairs as by brute force.
static void test_queries(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    test_mesh (*const makers[])(test_random *, uint32_t) = {test_soup, test_grid_soup, test_flat_soup,
                                                            test_thin_soup, test_strip};
    size_t pairs = 0;
    for (int round = 0; round < test_rounds(60); ++round) {
        test_random random = {(uint64_t)round + 1};
        test_mesh mesh = makers[round % 5](&random, 1 + (uint32_t)round * 3);
        td_mesh_def def = test_def_of(&mesh);
        def.builder = TD_BUILDER_LINEAR;
        td_mesh *built = NULL;
        assert_int_equal(td_create_mesh(&built, variant->context, &def), TD_OK);
        test_validate(built, "nasty");
        test_pairs expected = test_exact_self_pairs(&mesh, true);
        td_collide_def ask = td_default_collide_def();
        ask.keep_degenerate = true;
        td_collide_result answer;
        assert_int_equal(td_self_collide(&answer, variant->query, built, &ask), TD_OK);
        test_expect_answer(&answer, &expected, ask.mode, "linear");
        pairs += expected.count;
        test_pairs_free(&expected);
        td_destroy_mesh(built);
        test_mesh_free(&mesh);
    }
    assert_true(pairs > 0);
}

static bool test_stop(uint64_t done, uint64_t total, void *user) {
    (void)done;
    (void)total;
    (void)user;
    return false;
}

static void test_cancel(void **state) {
    const test_variants *variants = *state;
    test_mesh mesh;
    td_destroy_mesh(test_shape_mesh(&mesh, variants->items[0].context, "cow", 0));
    td_mesh_def def = test_def_of(&mesh);
    def.builder = TD_BUILDER_LINEAR;
    def.progress = test_stop;
    td_mesh *built = NULL;
    assert_int_equal(td_create_mesh(&built, variants->items[0].context, &def), TD_ERROR_CANCELLED);
    assert_null(built);
    test_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees), cmocka_unit_test(test_same_for_threads), cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_costs), cmocka_unit_test(test_queries),          cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
