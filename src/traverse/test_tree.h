// One pair of nodes of two split hierarchies (src/bvh/split.h), which is a node of their bounding volume test
// tree (front.h): do the two overlap, what follows from it, and where did it come from. What a front asks,
// natively (front_walk.h) and on a device (kernels/front.cl). C17 and OpenCL C.
#ifndef TD_TRAVERSE_TEST_TREE_H
#define TD_TRAVERSE_TEST_TREE_H

#include "../bvh/split_node.h"
#include "../math/f4.h"
#include "../predicates/obb_obb.h"
#include "front_entry.h"
#include "u32_pair.h"

typedef struct td_test_tree {
    TD_GLOBAL const td_split_node *a, *b;
    TD_GLOBAL const td_split_box *boxes_a, *boxes_b;
    TD_GLOBAL const td_obbf *obbs_a, *obbs_b; // null: boxes are along the axes
    td_placef place;                          // of B
    float ratio;                              // the unit of B's sizes in that of A's
    td_u32 one_frame;                         // B's boxes are in A's frame as they are
    td_u32 self;                              // B is A
} td_test_tree;

TD_INLINE int td_is_pair(td_front_entry entry, td_u32_pair pair) {
    return entry.a == pair.a && entry.b == pair.b;
}

TD_INLINE td_front_entry td_new_entry(td_u32_pair pair) {
    td_front_entry entry;
    entry.a = pair.a;
    entry.b = pair.b;
    entry.lanes = TD_LANES_UNKNOWN;
    return entry;
}

TD_INLINE td_boxf td_split_boxf(TD_GLOBAL const td_split_box *box) {
    td_boxf out;
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        const float upper = -box->minus_upper[k], center = 0.5f * box->lower[k] + 0.5f * upper;
        const float above = upper - center, below = center - box->lower[k];
        const float reach = above > below ? above : below;
        out.center[k] = center;
        out.half[k] = reach + reach * 0x1p-22f; // covers the rounding of the subtraction
    }
    return out;
}

// Two boxes of one frame.
TD_INLINE int td_split_boxes_overlap(TD_GLOBAL const td_split_box *a, TD_GLOBAL const td_split_box *b,
                                     float slack) {
    const td_f4 before = td_f4_add(td_f4_fetch(a->lower), td_f4_fetch(b->minus_upper));
    const td_f4 behind = td_f4_add(td_f4_fetch(b->lower), td_f4_fetch(a->minus_upper));
    return td_f4_signs(td_f4_sub(td_f4_set1(slack), td_f4_max(before, behind))) == 0;
}

// A node overlaps itself.
TD_INLINE int td_front_overlap(const td_test_tree *tree, td_u32_pair pair) {
    if (tree->obbs_a != 0) {
        return (tree->self && pair.a == pair.b) ||
               td_obb_overlaps(tree->obbs_a + pair.a, tree->obbs_b + pair.b, &tree->place);
    }
    if (!tree->one_frame) {
        return td_box_overlaps(td_split_boxf(tree->boxes_a + pair.a), td_split_boxf(tree->boxes_b + pair.b),
                               tree->place);
    }
    return td_split_boxes_overlap(tree->boxes_a + pair.a, tree->boxes_b + pair.b, tree->place.slack);
}

TD_INLINE int td_front_is_leaf(const td_test_tree *tree, td_u32_pair pair) {
    return td_split_is_leaf(tree->a, pair.a) && td_split_is_leaf(tree->b, pair.b);
}

// The size of a node of B in A's units.
TD_INLINE float td_size_in_a(const td_test_tree *tree, td_u32 b) {
    const float size = tree->b[b].size;
    return size > 0 ? size * tree->ratio : size;
}

// How many pairs follow from one that is no pair of leaves.
TD_INLINE td_u32 td_front_children(td_u32 self, td_u32_pair pair) {
    return self && pair.a == pair.b ? 3u : 2u;
}

// Puts what follows from a pair on the stack, the left-most on top: td_front_children pairs.
TD_INLINE td_u32 td_front_open(const td_test_tree *tree, td_u32_pair pair, td_u32_pair *top) {
    if (td_front_children(tree->self, pair) == 3) {
        const td_u32 left = pair.a + 1, right = tree->a[pair.a].right;
        top[0] = td_node_pair(right, right);
        top[1] = td_node_pair(left, right);
        top[2] = td_node_pair(left, left);
        return 3;
    }
    if (tree->a[pair.a].size >= td_size_in_a(tree, pair.b)) { // leaves have the least size there is
        top[0] = td_node_pair(tree->a[pair.a].right, pair.b);
        top[1] = td_node_pair(pair.a + 1, pair.b);
    } else {
        top[0] = td_node_pair(pair.a, tree->b[pair.b].right);
        top[1] = td_node_pair(pair.a, pair.b + 1);
    }
    return 2;
}

// The two pairs that follow from one: what td_front_open puts on the stack.
typedef struct td_front_family {
    td_u32_pair parent, left, right;
    td_u32 known; // 0: no parent, or one that overlaps itself and is never ascended to
} td_front_family;

// Sizes shrink on the way down, and the larger side is opened first, A's if both are the same: so of the two
// parents the smaller one was opened last, B's if both are the same. A side that has not been opened since
// the two sides parted (self) has the other side below its parent.
TD_INLINE td_front_family td_front_family_of(const td_test_tree *tree, td_u32_pair pair) {
    const td_u32 above_a = tree->a[pair.a].parent, above_b = tree->b[pair.b].parent;
    td_front_family family;
    family.parent = family.left = family.right = pair;
    family.known = !((above_a == TD_NONE && above_b == TD_NONE) || (tree->self && above_a == above_b));
    if (!family.known) {
        return family;
    }
    int opened_a = above_b == TD_NONE;
    if (above_a != TD_NONE && above_b != TD_NONE) {
        opened_a = tree->a[above_a].size < td_size_in_a(tree, above_b);
        if (tree->self && td_split_below(tree->a, above_b, pair.a)) {
            opened_a = 1;
        } else if (tree->self && td_split_below(tree->a, above_a, pair.b)) {
            opened_a = 0;
        }
    }
    if (opened_a) {
        family.parent.a = above_a;
        family.left.a = above_a + 1;
        family.right.a = tree->a[above_a].right;
    } else {
        family.parent.b = above_b;
        family.left.b = above_b + 1;
        family.right.b = tree->b[above_b].right;
    }
    return family;
}

#endif
