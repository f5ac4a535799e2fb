// The binary trees that builders make (build.h), and the rules they go by. C17 and OpenCL C.
#ifndef TD_BVH_TREE_H
#define TD_BVH_TREE_H

#include "../math/shared.h"

// One primitive to be sorted into the tree: its box, and whose it is.
typedef struct td_prim {
    float lower[3];
    td_u32 id;
    float upper[3];
    td_u32 spare;
} td_prim;

// A node covers `count` prims; the root covers all, a left child the first ones of its parent's. Nodes are
// stored by their place alone: a node at index n whose left child covers c prims has its left child at n + 1
// and its right child at n + 2 c. So a subtree over m prims occupies 2 m - 1 places (some of them unused),
// and subtrees can be built by different threads without knowing of each other. Nodes are small, since most
// of what a build costs beside its sorting is memory touched for the first time; boxes come with the blocks.
typedef struct td_tree_node {
    float area;   // half the surface area of its box, or a guess at it in any unit
    td_u32 count; // at most leaf_size: a leaf
} td_tree_node;

static inline td_u32 td_tree_left(td_u32 node) {
    return node + 1;
}

static inline td_u32 td_tree_right(TD_GLOBAL const td_tree_node *nodes, td_u32 node) {
    return node + 2 * nodes[node + 1].count;
}

// How a tree is to be built. Leaves hold at most `leaf_size` prims; leaves come in groups of `group_size`
// prims. A node of at most `group_size` prims is cut only where its halves need no more leaves than itself. A
// node of at most `packed_size` prims is cut so that its halves need no more groups than itself unless that
// costs much. Larger nodes are cut anywhere. The first two are powers of two.
typedef struct td_tree_rules {
    td_u32 leaf_size;
    td_u32 group_size;
    td_u32 packed_size;
} td_tree_rules;

// Whether `left` and `right` prims fill no more units than all of them together: their last units hold more
// than one unit's worth.
static inline td_u32 td_keeps_units(td_u32 left, td_u32 right, td_u32 unit) {
    return ((left - 1) & (unit - 1)) + ((right - 1) & (unit - 1)) >= unit - 1;
}

static inline td_u32 td_may_cut(td_tree_rules rules, td_u32 left, td_u32 right) {
    return left + right > rules.group_size || td_keeps_units(left, right, rules.leaf_size);
}

// Factor of the cost of a cut. One more group of leaves is worth a tenth: so most groups come out full, at
// one part in a hundred of the tree's cost.
static inline float td_cut_weight(td_tree_rules rules, td_u32 left, td_u32 right) {
    const td_u32 count = left + right;
    const int free = count <= rules.group_size || count > rules.packed_size;
    return free || td_keeps_units(left, right, rules.group_size) ? 1.0f : 1.1f;
}

// An id with the code of its place along a curve that fills space.
typedef struct td_coded {
    td_u32 code, id;
} td_coded;

#endif
