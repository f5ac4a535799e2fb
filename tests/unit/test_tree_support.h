// Trees of any shape, for tests of the post-order hierarchy.
#ifndef TD_TESTS_TREE_SUPPORT_H
#define TD_TESTS_TREE_SUPPORT_H

#include "bvh/postorder.h"
#include "query/mesh.h"
#include "support/cases.h"
#include "support/cmocka_all.h"

#include <stdlib.h>

// A tree over triangles 0 ... leaves - 1, in random order unless it is a chain. From malloc.
typedef struct test_tree {
    uint32_t *first_child, *next_sibling, *triangle;
    uint32_t node_count, capacity;
} test_tree;

typedef struct test_run {
    uint32_t node, first, count;
} test_run;

static inline void *test_room(size_t count, size_t size) {
    void *memory = malloc(count * size + 1);
    assert_non_null(memory);
    return memory;
}

static inline test_tree test_tree_begin(uint32_t leaves) {
    const size_t capacity = 2 * (size_t)leaves;
    return (test_tree){.first_child = test_room(capacity, sizeof(uint32_t)),
                       .next_sibling = test_room(capacity, sizeof(uint32_t)),
                       .triangle = test_room(capacity, sizeof(uint32_t)),
                       .capacity = (uint32_t)capacity};
}

static inline void test_tree_free(test_tree *tree) {
    free(tree->first_child);
    free(tree->next_sibling);
    free(tree->triangle);
}

static inline uint32_t test_tree_add(test_tree *tree) {
    const uint32_t node = tree->node_count++;
    tree->first_child[node] = tree->next_sibling[node] = tree->triangle[node] = TD_NONE;
    return node;
}

static inline td_tree_shape test_tree_shape(const test_tree *tree) {
    return (td_tree_shape){tree->first_child, tree->next_sibling, tree->triangle, tree->node_count, 0};
}

// Sizes of the children of a node over `count` leaves: `children` runs, each but one of a single leaf if
// `uneven`, else cut anywhere.
static inline void test_tree_cut(uint32_t *sizes, uint32_t children, uint32_t count, bool uneven,
                                 test_random *random) {
    assert_true(children > 0);
    uint32_t left = count - children;
    for (uint32_t i = 0; i < children; ++i) {
        sizes[i] = 1;
    }
    if (uneven) {
        sizes[test_random_int(random, 0, (int)children - 1)] += left;
        return;
    }
    for (uint32_t i = 0; i + 1 < children; ++i) {
        const uint32_t extra = (uint32_t)test_random_int(random, 0, (int)left);
        sizes[i] += extra;
        left -= extra;
    }
    sizes[children - 1] += left;
}

// Nodes have 2 ... `arity` children; of every hundred, `uneven` have all but one of a single leaf.
static inline test_tree test_random_tree(uint32_t leaves, uint32_t arity, int uneven, test_random *random) {
    enum { TEST_MOST_CHILDREN = 16 };
    assert_true(arity <= TEST_MOST_CHILDREN);
    test_tree tree = test_tree_begin(leaves);
    uint32_t *order = test_room(leaves, sizeof *order);
    test_run *waiting = test_room(leaves, sizeof *waiting);
    for (uint32_t i = 0; i < leaves; ++i) {
        const uint32_t other = (uint32_t)test_random_int(random, 0, (int)i);
        order[i] = order[other];
        order[other] = i;
    }
    uint32_t waiting_count = 0;
    waiting[waiting_count++] = (test_run){test_tree_add(&tree), 0, leaves};
    while (waiting_count > 0) {
        const test_run run = waiting[--waiting_count];
        if (run.count == 1) {
            tree.triangle[run.node] = order[run.first];
            continue;
        }
        const uint32_t most = run.count < arity ? run.count : arity;
        const uint32_t children = (uint32_t)test_random_int(random, 2, (int)most);
        uint32_t sizes[TEST_MOST_CHILDREN] = {0}, first = run.first, *link = &tree.first_child[run.node];
        test_tree_cut(sizes, children, run.count, test_random_int(random, 0, 99) < uneven, random);
        for (uint32_t i = 0; i < children; ++i) {
            const uint32_t child = test_tree_add(&tree);
            *link = child;
            link = &tree.next_sibling[child];
            waiting[waiting_count++] = (test_run){child, first, sizes[i]};
            first += sizes[i];
        }
    }
    free(order);
    free(waiting);
    return tree;
}

// Every inner node has a leaf and the rest of the chain, which goes on to the right or to the left.
static inline test_tree test_chain(uint32_t leaves, bool right) {
    test_tree tree = test_tree_begin(leaves);
    uint32_t node = test_tree_add(&tree);
    for (uint32_t i = 0; i + 1 < leaves; ++i) {
        const uint32_t left = test_tree_add(&tree), last = test_tree_add(&tree);
        tree.first_child[node] = left;
        tree.next_sibling[left] = last;
        tree.triangle[right ? left : last] = i;
        node = right ? last : left;
    }
    tree.triangle[node] = leaves - 1;
    return tree;
}

// A mesh with a tree of its own over it.
typedef struct test_planted {
    td_mesh *mesh;
    test_tree tree;
    td_postorder post;
} test_planted;

static inline test_planted test_plant(td_context *context, test_mesh mesh, test_tree tree) {
    test_planted planted = {.mesh = test_mesh_build(context, &mesh), .tree = tree};
    test_mesh_free(&mesh);
    if (planted.mesh == NULL) {
        fail_msg("%s", td_error_message());
        abort(); // not reached: fail_msg does not return
    }
    const td_tree_shape shape = test_tree_shape(&tree);
    if (td_postorder_create_from(&planted.post, &planted.mesh->triangles, &planted.mesh->hierarchy, &shape) !=
        TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return planted;
}

static inline void test_uproot(test_planted *planted, td_context *context) {
    td_postorder_destroy(&planted->post, context);
    test_tree_free(&planted->tree);
    td_destroy_mesh(planted->mesh);
}

#endif
