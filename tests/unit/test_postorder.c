// The post-order hierarchy: the built one over every kind of mesh, and trees of any shape laid out.
#include "support/heap.h"
#include "test_tree_support.h"

#include <stdio.h>
#include <string.h>

static td_context *test_context(void) {
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

static void test_expect_valid(const td_postorder *post, const td_mesh *mesh, const char *name) {
    if (td_postorder_validate(post, &mesh->triangles, &mesh->hierarchy) != TD_OK) {
        fail_msg("%s: %s", name, td_error_message());
    }
}

static void test_check_built(td_context *context, test_mesh mesh, const char *name) {
    td_mesh *built = test_mesh_build(context, &mesh);
    if (built == NULL) {
        fail_msg("%s: %s", name, td_error_message());
        return;
    }
    td_postorder post;
    assert_int_equal(td_postorder_create(&post, &built->triangles, &built->hierarchy), TD_OK);
    assert_int_equal(post.node_count, 2 * mesh.triangle_count - 1);
    test_expect_valid(&post, built, name);
    assert_int_equal(td_postorder_fit_obbs(&post, &built->triangles, &built->hierarchy), TD_OK);
    test_expect_valid(&post, built, name);
    assert_int_equal(td_postorder_bytes(&post), post.node_count * (16 + 24 + 64));
    td_postorder_destroy(&post, context);
    td_destroy_mesh(built);
    test_mesh_free(&mesh);
}

static void test_built(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {7};
    test_check_built(context, test_soup(&random, 1), "one triangle");
    test_check_built(context, test_soup(&random, 2), "two triangles");
    test_check_built(context, test_soup(&random, 3000), "soup");
    test_check_built(context, test_flat_soup(&random, 200), "flat");
    test_check_built(context, test_thin_soup(&random, 200), "thin");
    test_check_built(context, test_sheet(40, 0.1), "sheet");
    test_check_built(context, test_repeated_triangle(100), "one triangle a hundred times");
    test_check_built(context, test_one_point(50), "one point");
    test_check_built(context, test_progression(200, 0.5), "progression");
    test_mesh huge = test_soup(&random, 300), tiny = test_soup(&random, 300), far = test_soup(&random, 300);
    test_mesh_scale(&huge, 1e300);
    test_mesh_scale(&tiny, 1e-300);
    test_mesh_shift(&far, 1e7, -2e7, 3e7);
    test_check_built(context, huge, "huge");
    test_check_built(context, tiny, "tiny");
    test_check_built(context, far, "far away");
    td_destroy_context(context);
}

static void test_single_leaf(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {3};
    test_planted one = test_plant(context, test_soup(&random, 1), test_chain(1, true));
    assert_int_equal(one.post.node_count, 1);
    assert_int_equal(one.post.height, 0);
    assert_int_equal(one.post.arity, 0);
    assert_int_equal(one.post.links[0].kind, TD_POST_LEAF);
    assert_int_equal(one.post.links[0].escape, TD_POST_END);
    test_expect_valid(&one.post, one.mesh, "one leaf");
    test_uproot(&one, context);
    td_destroy_context(context);
}

// The tree of the paper's Figs. 5 to 7 has seven nodes: a root, two inner nodes, four leaves.
static void test_paper_figures(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {5};
    // Nodes of the shape: 0 root; 1, 2 its children; 3, 4 below 1; 5, 6 below 2.
    test_tree tree = test_tree_begin(4);
    for (int i = 0; i < 7; ++i) {
        test_tree_add(&tree);
    }
    tree.first_child[0] = 1;
    tree.next_sibling[1] = 2;
    tree.first_child[1] = 3;
    tree.next_sibling[3] = 4;
    tree.first_child[2] = 5;
    tree.next_sibling[5] = 6;
    for (uint32_t i = 0; i < 4; ++i) {
        tree.triangle[3 + i] = i;
    }
    test_planted planted = test_plant(context, test_soup(&random, 4), tree);
    // In post-order the leaves of the left half come first, the root last; numbered from the end.
    const uint32_t escape[7] = {TD_POST_END, TD_POST_END, TD_POST_END, 2, 1, 1, 5};
    const uint32_t counter[7] = {0, 1, 2, 0, 0, 1, 0};
    for (int n = 0; n < 7; ++n) {
        assert_int_equal(planted.post.links[n].escape, escape[n]);
        assert_int_equal(planted.post.links[n].counter, counter[n]);
    }
    assert_int_equal(planted.post.links[0].child, 4);
    assert_int_equal(planted.post.links[1].child, 3);
    assert_int_equal(planted.post.links[4].child, 6);
    test_expect_valid(&planted.post, planted.mesh, "figures");
    test_uproot(&planted, context);
    td_destroy_context(context);
}

static void test_random_trees(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {11};
    uint32_t highest = 0;
    for (int round = 0; round < test_rounds(60); ++round) {
        const uint32_t leaves = (uint32_t)test_random_int(&random, 1, round % 10 == 0 ? 4000 : 200);
        const uint32_t arity = (uint32_t)test_random_int(&random, 2, 7);
        const int uneven = round % 3 == 0 ? 100 : test_random_int(&random, 0, 100);
        test_planted planted =
            test_plant(context, test_soup(&random, leaves), test_random_tree(leaves, arity, uneven, &random));
        assert_true(planted.post.arity <= arity);
        test_expect_valid(&planted.post, planted.mesh, "random tree");
        highest = planted.post.height > highest ? planted.post.height : highest;
        assert_int_equal(
            td_postorder_fit_obbs(&planted.post, &planted.mesh->triangles, &planted.mesh->hierarchy), TD_OK);
        test_expect_valid(&planted.post, planted.mesh, "random tree with oriented boxes");
        test_uproot(&planted, context);
    }
    assert_true(highest > 300);
    td_destroy_context(context);
}

static void test_chains(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {13};
    const uint32_t leaves[4] = {2, 2001, 2001, 100000};
    for (int i = 0; i < 4; ++i) {
        test_planted planted =
            test_plant(context, test_soup(&random, leaves[i]), test_chain(leaves[i], i % 2 == 0));
        assert_int_equal(planted.post.height, leaves[i] - 1);
        assert_int_equal(
            td_postorder_fit_obbs(&planted.post, &planted.mesh->triangles, &planted.mesh->hierarchy), TD_OK);
        test_expect_valid(&planted.post, planted.mesh, i % 2 == 0 ? "chain right" : "chain left");
        test_uproot(&planted, context);
    }
    td_destroy_context(context);
}

// What is no tree over the mesh is refused.
static void test_bad_shapes(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {17};
    test_mesh soup = test_soup(&random, 8);
    td_mesh *mesh = test_mesh_build(context, &soup);
    assert_non_null(mesh);
    for (int fault = 0; fault < 6; ++fault) {
        test_tree tree = test_random_tree(8, 2, 0, &random);
        td_tree_shape shape = test_tree_shape(&tree);
        uint32_t leaf = 0;
        while (tree.first_child[leaf] != TD_NONE) {
            ++leaf;
        }
        switch (fault) {
        case 0:
            shape.root = shape.node_count;
            break;
        case 1:
            tree.triangle[leaf] = 8; // no such triangle
            break;
        case 2:
            tree.triangle[leaf] = (tree.triangle[leaf] + 1) % 8; // two leaves hold it
            break;
        case 3:
            tree.next_sibling[tree.first_child[0]] = TD_NONE; // one child
            break;
        case 4:
            tree.first_child[tree.first_child[0]] = 0; // a circle
            break;
        default:
            tree.next_sibling[tree.next_sibling[tree.first_child[0]]] = tree.first_child[0]; // another
            break;
        }
        td_postorder post;
        assert_int_equal(td_postorder_create_from(&post, &mesh->triangles, &mesh->hierarchy, &shape),
                         TD_ERROR_ARGUMENT);
        assert_null(post.links);
        test_tree_free(&tree);
    }
    td_destroy_mesh(mesh);
    test_mesh_free(&soup);
    td_destroy_context(context);
}

// Validation finds what is wrong: each field of a node, one after the other.
static void test_validation_sees(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {19};
    test_planted planted = test_plant(context, test_soup(&random, 40), test_random_tree(40, 4, 20, &random));
    td_postorder *post = &planted.post;
    assert_int_equal(td_postorder_fit_obbs(post, &planted.mesh->triangles, &planted.mesh->hierarchy), TD_OK);
    for (uint32_t n = 0; n < post->node_count; ++n) {
        const td_post_links links = post->links[n];
        const td_boxf box = post->boxes[n];
        const td_obbf obb = post->obbs[n];
        for (int field = 0; field < 6; ++field) {
            switch (field) {
            case 0:
                post->links[n].child++;
                break;
            case 1:
                post->links[n].escape--;
                break;
            case 2:
                post->links[n].counter++;
                break;
            case 3:
                post->links[n].kind ^= TD_POST_ODD;
                break;
            case 4:
                post->boxes[n].half[n % 3] *= 0.9f;
                break;
            default:
                post->obbs[n].half[n % 3] *= 0.9f;
                break;
            }
            if (td_postorder_validate(post, &planted.mesh->triangles, &planted.mesh->hierarchy) == TD_OK) {
                fail_msg("node %u: field %d is not looked at", n, field);
            }
            post->links[n] = links;
            post->boxes[n] = box;
            post->obbs[n] = obb;
        }
    }
    test_expect_valid(post, planted.mesh, "put back");
    test_uproot(&planted, context);
    td_destroy_context(context);
}

static void test_same_for_any_threads(void **state) {
    (void)state;
    td_postorder posts[3];
    td_context *contexts[3];
    td_mesh *meshes[3];
    for (uint32_t i = 0; i < 3; ++i) {
        td_context_def def = td_default_context_def();
        def.thread_count = i + 1;
        assert_int_equal(td_create_context(&contexts[i], &def), TD_OK);
        test_random random = {23};
        test_mesh soup = test_soup(&random, 5000);
        meshes[i] = test_mesh_build(contexts[i], &soup);
        assert_non_null(meshes[i]);
        test_mesh_free(&soup);
        assert_int_equal(td_postorder_create(&posts[i], &meshes[i]->triangles, &meshes[i]->hierarchy), TD_OK);
        assert_int_equal(td_postorder_fit_obbs(&posts[i], &meshes[i]->triangles, &meshes[i]->hierarchy),
                         TD_OK);
        assert_memory_equal(posts[0].links, posts[i].links, posts[0].node_count * sizeof *posts[0].links);
        assert_memory_equal(posts[0].boxes, posts[i].boxes, posts[0].node_count * sizeof *posts[0].boxes);
        assert_memory_equal(posts[0].obbs, posts[i].obbs, posts[0].node_count * sizeof *posts[0].obbs);
    }
    for (int i = 0; i < 3; ++i) {
        td_postorder_destroy(&posts[i], contexts[i]);
        td_destroy_mesh(meshes[i]);
        td_destroy_context(contexts[i]);
    }
}

// Every allocation may fail; nothing is left behind.
static void test_out_of_memory(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = test_heap_allocator(&heap);
    td_context *context = NULL;
    test_heap_recover(&heap);
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    test_random random = {29};
    test_mesh soup = test_soup(&random, 300);
    td_mesh *mesh = test_mesh_build(context, &soup);
    assert_non_null(mesh);
    const long blocks = atomic_load(&heap.blocks);
    bool done = false;
    for (long fail = 0; !done; ++fail) {
        assert_true(fail < 100);
        test_heap_fail(&heap, fail, fail + 1);
        td_postorder post;
        td_result result = td_postorder_create(&post, &mesh->triangles, &mesh->hierarchy);
        if (result == TD_OK) {
            result = td_postorder_fit_obbs(&post, &mesh->triangles, &mesh->hierarchy);
        }
        done = atomic_load(&heap.failures) == 0;
        assert_int_equal(result, done ? TD_OK : TD_ERROR_MEMORY);
        test_heap_recover(&heap);
        td_postorder_destroy(&post, context);
        assert_int_equal(atomic_load(&heap.blocks), blocks);
    }
    td_destroy_mesh(mesh);
    test_mesh_free(&soup);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built),           cmocka_unit_test(test_single_leaf),
        cmocka_unit_test(test_paper_figures),   cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_chains),          cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_validation_sees), cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
