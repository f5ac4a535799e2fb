// Builders: from boxes to a binary tree over them. Layouts (blocked.h) are made from the tree.
#ifndef TD_BVH_BUILD_H
#define TD_BVH_BUILD_H

#include <tandem/base.h>

// One primitive to be sorted into the tree: its box, and whose it is.
typedef struct td_prim {
    float lower[3];
    uint32_t id;
    float upper[3];
    uint32_t spare;
} td_prim;

// In which order the tree has the prims: place i holds the one with id ids[i * step].
typedef struct td_tree_order {
    const uint32_t *ids;
    size_t step;
} td_tree_order;

static inline td_tree_order td_order_of_prims(const td_prim *prims) {
    return (td_tree_order){&prims->id, sizeof *prims / sizeof(uint32_t)};
}

// A node covers `count` prims; the root covers all, a left child the first ones of its parent's. Nodes are
// stored by their place alone: a node at index n whose left child covers c prims has its left child at n + 1
// and its right child at n + 2 c. So a subtree over m prims occupies 2 m - 1 places (some of them unused),
// and subtrees can be built by different threads without knowing of each other. Nodes are small, since most
// of what a build costs beside its sorting is memory touched for the first time; boxes come with the blocks.
typedef struct td_tree_node {
    float area;     // half the surface area of its box, or a guess at it in any unit
    uint32_t count; // at most leaf_size: a leaf
} td_tree_node;

static inline uint32_t td_tree_left(uint32_t node) {
    return node + 1;
}

static inline uint32_t td_tree_right(const td_tree_node *nodes, uint32_t node) {
    return node + 2 * nodes[node + 1].count;
}

// How a tree is to be built. Leaves hold at most `leaf_size` prims; leaves come in groups of `group_size`
// prims. A node of at most `group_size` prims is cut only where its halves need no more leaves than itself. A
// node of at most `packed_size` prims is cut so that its halves need no more groups than itself unless that
// costs much. Larger nodes are cut anywhere. The first two are powers of two.
typedef struct td_tree_rules {
    uint32_t leaf_size;
    uint32_t group_size;
    uint32_t packed_size;
} td_tree_rules;

// Whether `left` and `right` prims fill no more units than all of them together: their last units hold more
// than one unit's worth.
static inline bool td_keeps_units(uint32_t left, uint32_t right, uint32_t unit) {
    return ((left - 1) & (unit - 1)) + ((right - 1) & (unit - 1)) >= unit - 1;
}

static inline bool td_may_cut(td_tree_rules rules, uint32_t left, uint32_t right) {
    return left + right > rules.group_size || td_keeps_units(left, right, rules.leaf_size);
}

// Factor of the cost of a cut. One more group of leaves is worth a tenth: so most groups come out full, at
// one part in a hundred of the tree's cost.
static inline float td_cut_weight(td_tree_rules rules, uint32_t left, uint32_t right) {
    const uint32_t count = left + right;
    const bool free = count <= rules.group_size || count > rules.packed_size;
    return free || td_keeps_units(left, right, rules.group_size) ? 1.0f : 1.1f;
}

// Binned surface area heuristic, parallel. `nodes` has room for 2 count - 1 nodes; the prims are reordered.
// The tree is the same for every number of threads. TD_ERROR_CANCELLED if `progress` asks to stop.
td_result td_build_sah(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                       td_context *context, td_progress_fn *progress, void *progress_user);

// Full sweep of the surface area heuristic: every cut on every axis. Slow; the yardstick of the quality of
// the above.
td_result td_build_sweep(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                         td_context *context);

// Expected tests of a random line that meets the root: a box test per child of an inner node, a triangle test
// per prim of a leaf, each weighted by its node's surface area relative to the root's.
double td_tree_sah_cost(const td_tree_node *nodes, uint32_t leaf_size);

#endif
