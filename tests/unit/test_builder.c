// The tree builders: the trees are trees, and the binned one costs at most a tenth more than a full sweep, be
// it under the same rules or one that may cut anywhere.
#include "bvh/build.h"
#include "mesh/trimesh.h"
#include "query/mesh.h"
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <tandem/io.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As the hierarchy has them: quads of four triangles, leaf blocks of sixteen, packed below sixty-four.
static const td_tree_rules test_rules = {4, 16, 64};
static const td_tree_rules test_free_rules = {4, 0, 0}; // any cut anywhere

// The boxes of a mesh in float32, about its middle. Their roundings make no difference to a cost.
static td_prim *test_prims(const td_mesh *mesh) {
    const uint32_t count = td_mesh_triangle_count(mesh);
    td_prim *prims = aligned_alloc(64, ((count * sizeof *prims) + 63) / 64 * 64);
    assert_non_null(prims);
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    const double size = fmax(upper[0] - lower[0], fmax(upper[1] - lower[1], upper[2] - lower[2]));
    for (uint32_t t = 0; t < count; ++t) {
        const td_triangle triangle = td_trimesh_triangle(&mesh->triangles, t);
        const double corner[3][3] = {{triangle.p0.x, triangle.p0.y, triangle.p0.z},
                                     {triangle.p1.x, triangle.p1.y, triangle.p1.z},
                                     {triangle.p2.x, triangle.p2.y, triangle.p2.z}};
        prims[t] = (td_prim){.id = t};
        for (int k = 0; k < 3; ++k) {
            const double low = fmin(corner[0][k], fmin(corner[1][k], corner[2][k]));
            const double high = fmax(corner[0][k], fmax(corner[1][k], corner[2][k]));
            prims[t].lower[k] = (float)((low - lower[k]) / size);
            prims[t].upper[k] = (float)((high - lower[k]) / size);
        }
    }
    return prims;
}

static float test_half_area(const td_prim *prims, uint32_t count) {
    float size[3];
    for (int k = 0; k < 3; ++k) {
        float lower = INFINITY, upper = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            lower = fminf(lower, prims[i].lower[k]);
            upper = fmaxf(upper, prims[i].upper[k]);
        }
        size[k] = upper - lower;
    }
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

// Walks the tree: every prim in one leaf, leaves not too large, areas those of the boxes around what is
// below. Returns the number of leaves.
static uint32_t test_walk(const td_tree_node *nodes, const td_prim *prims, unsigned char *seen, uint32_t node,
                          uint32_t first, uint32_t count, td_tree_rules rules) {
    assert_int_equal(nodes[node].count, count);
    assert_true(nodes[node].area == test_half_area(prims + first, count));
    if (count <= rules.leaf_size) {
        for (uint32_t i = first; i < first + count; ++i) {
            assert_int_equal(seen[prims[i].id]++, 0);
        }
        return 1;
    }
    const uint32_t left = nodes[td_tree_left(node)].count;
    assert_true(left > 0 && left < count);
    if (count <= rules.group_size) { // no more leaves than its prims need
        assert_int_equal((left + rules.leaf_size - 1) / rules.leaf_size +
                             (count - left + rules.leaf_size - 1) / rules.leaf_size,
                         (count + rules.leaf_size - 1) / rules.leaf_size);
    }
    return test_walk(nodes, prims, seen, td_tree_left(node), first, left, rules) +
           test_walk(nodes, prims, seen, td_tree_right(nodes, node), first + left, count - left, rules);
}

typedef struct test_tree {
    td_tree_node *nodes;
    td_prim *prims;
    uint32_t count;
    double cost;
} test_tree;

static test_tree test_build(td_context *context, const td_mesh *mesh, td_tree_rules rules, bool sweep) {
    test_tree tree = {.prims = test_prims(mesh), .count = td_mesh_triangle_count(mesh)};
    tree.nodes = aligned_alloc(64, (2 * tree.count * sizeof *tree.nodes + 63) / 64 * 64);
    assert_non_null(tree.nodes);
    assert_int_equal(sweep ? td_build_sweep(tree.nodes, tree.prims, tree.count, rules, context)
                           : td_build_sah(tree.nodes, tree.prims, tree.count, rules, context, NULL, NULL),
                     TD_OK);
    tree.cost = td_tree_sah_cost(tree.nodes, rules.leaf_size);
    return tree;
}

static void test_tree_free(test_tree *tree) {
    free(tree->nodes);
    free(tree->prims);
}

static void test_check_tree(const test_tree *tree, td_tree_rules rules) {
    unsigned char *seen = calloc(tree->count, 1);
    assert_non_null(seen);
    const uint32_t leaves = test_walk(tree->nodes, tree->prims, seen, 0, 0, tree->count, rules);
    assert_true(leaves >= (tree->count + rules.leaf_size - 1) / rules.leaf_size);
    for (uint32_t i = 0; i < tree->count; ++i) {
        assert_int_equal(seen[i], 1);
    }
    free(seen);
}

static void test_compare(td_context *context, const td_mesh *mesh, const char *name) {
    test_tree fast = test_build(context, mesh, test_rules, false);
    test_tree sweep = test_build(context, mesh, test_rules, true);
    test_tree any = test_build(context, mesh, test_free_rules, true);
    test_check_tree(&fast, test_rules);
    test_check_tree(&sweep, test_rules);
    test_check_tree(&any, test_free_rules);
    print_message(
        "%-14s %6u triangles: cost %6.2f, full sweep %6.2f (%.3f of it), any cuts %6.2f (%.3f of it)\n", name,
        fast.count, fast.cost, sweep.cost, fast.cost / sweep.cost, any.cost, fast.cost / any.cost);
    assert_true(fast.cost <= 1.1 * sweep.cost);
    assert_true(fast.cost <= 1.1 * any.cost);
    test_tree_free(&fast);
    test_tree_free(&sweep);
    test_tree_free(&any);
}

static void test_shapes(void **state) {
    static const struct {
        const char *name;
        uint32_t subdivide;
    } shapes[] = {{"cow", 1}, {"knot", 1}, {"torus", 1}, {"sphere", 2}, {"capsule", 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        td_mesh *mesh = NULL;
        assert_int_equal(td_create_shape(&mesh, *state, shapes[i].name, shapes[i].subdivide), TD_OK);
        test_compare(*state, mesh, shapes[i].name);
        td_destroy_mesh(mesh);
    }
}

static int test_is_obj(const struct dirent *entry) {
    return strstr(entry->d_name, ".obj") != NULL;
}

static void test_scans(void **state) {
    struct dirent **entries = NULL;
    const char *folder = TD_TEST_DATA "/meshes";
    const int count = scandir(folder, &entries, test_is_obj, alphasort);
    if (count <= 0) {
        print_message("skipped: no meshes in %s\n", folder);
        return;
    }
    for (int i = 0; i < count; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        const td_load_def def = td_default_load_def();
        td_mesh *mesh = NULL;
        assert_int_equal(td_load_mesh(&mesh, *state, path, &def), TD_OK);
        if (td_mesh_triangle_count(mesh) < (getenv("TD_TEST_QUICK") != NULL ? 8000u : 60000u)) {
            test_compare(*state, mesh, entries[i]->d_name);
        }
        td_destroy_mesh(mesh);
        free(entries[i]);
    }
    free(entries);
}

// Costs that can be told by hand: two unit boxes side by side.
static void test_cost(void **state) {
    (void)state;
    // Half areas: 5 for the root, 3 for either leaf; two box tests, then four triangles each.
    const td_tree_node tree[16] = {[0] = {5, 8}, [1] = {3, 4}, [8] = {3, 4}};
    assert_true(fabs(td_tree_sah_cost(tree, 4) - (2 + 2 * 4 * 3.0 / 5)) < 1e-6);
    assert_true(fabs(td_tree_sah_cost(tree, 8) - 8) < 1e-6); // the root is a leaf
}

static int test_setup(void **state) {
    const td_context_def def = td_default_context_def();
    return td_create_context((td_context **)state, &def) != TD_OK;
}

static int test_teardown(void **state) {
    td_destroy_context(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_scans),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
