// A dynamic binary tree of boxes: leaves come and go, and wherever something changed the tree turns itself so
// that its inner boxes have a small surface. Knows nothing of proxies but their numbers.
//
// based on: Goldsmith, Salmon, Automatic creation of object hierarchies for ray tracing (1987), for where a
// leaf goes; Kopta, Ize, Spjut, Brunvand, Davis, Kensler, Fast, effective BVH updates for animated scenes
// (2012), for the exchange of a child with a grandchild; Catto, Dynamic bounding volume hierarchies (2019),
// for both together. Surfaces alone may ask for a tree like a list (boxes in boxes in boxes), so that where
// one side is much taller than the other it is turned up, whatever the surfaces.
#ifndef TD_BROAD_BOX_TREE_H
#define TD_BROAD_BOX_TREE_H

#include "../core/array.h"
#include "broad.h"

#define TD_NO_NODE UINT32_MAX

// Boxes in the tree stay within these, so that surfaces are finite: clamping keeps overlaps.
#define TD_TREE_LIMIT 1e140

typedef struct td_tree_node {
    td_box box;      // holds both children's
    uint32_t parent; // or the next free node
    uint32_t left;   // TD_NO_NODE: a leaf
    uint32_t right;  // of a leaf: its proxy
    uint32_t height; // 0: a leaf
} td_tree_node;

typedef struct td_box_tree {
    TD_ARRAY(td_tree_node) nodes;
    uint32_t root;
    uint32_t free_node; // the first of the free ones
    uint32_t free_count;
} td_box_tree;

static inline bool td_is_leaf(const td_tree_node *node) {
    return node->left == TD_NO_NODE;
}

void td_tree_start(td_box_tree *tree); // empty
void td_tree_release(td_box_tree *tree, td_context *context);

// Room for so many leaves more: inserting as many cannot fail.
td_result td_tree_reserve(td_box_tree *tree, td_context *context, size_t extra);

// Returns the leaf.
uint32_t td_tree_insert(td_box_tree *tree, td_box box, uint32_t proxy);
void td_tree_remove(td_box_tree *tree, uint32_t leaf);

// Nodes on the longest path: as many at most wait on the stack of a walk that goes down to one child and
// leaves the other for later. 0: the tree is empty.
static inline uint32_t td_tree_depth(const td_box_tree *tree) {
    return tree->root == TD_NO_NODE ? 0 : tree->nodes.items[tree->root].height + 1;
}

// Whether links, heights and boxes are as they should be, and there are `leaf_count` leaves.
bool td_tree_is_valid(const td_box_tree *tree, size_t leaf_count);

#endif
