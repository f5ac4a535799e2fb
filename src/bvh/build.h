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

// A node covers prims[first ... first + count - 1]. Nodes are stored by their place alone: a node at index n
// whose left child covers c prims has its left child at n + 1 and its right child at n + 2 c. So a subtree
// over m prims occupies 2 m - 1 places (some of them unused), and subtrees can be built by different threads
// without knowing of each other.
typedef struct td_tree_node {
    float lower[3];
    uint32_t first;
    float upper[3];
    uint32_t count; // at most leaf_size: a leaf
} td_tree_node;

static inline uint32_t td_tree_left(uint32_t node) {
    return node + 1;
}

static inline uint32_t td_tree_right(const td_tree_node *nodes, uint32_t node) {
    return node + 2 * nodes[node + 1].count;
}

// How a tree is to be built. Leaves hold at most `leaf_size` prims; nodes of at most `group_size` prims are
// cut at multiples of leaf_size, so that their leaves are full but for the last one. Larger nodes are cut
// anywhere.
typedef struct td_tree_rules {
    uint32_t leaf_size;
    uint32_t group_size;
} td_tree_rules;

// Where a node of `count` prims may be cut: at multiples of this.
static inline uint32_t td_cut_step(td_tree_rules rules, uint32_t count) {
    return count <= rules.group_size ? rules.leaf_size : 1;
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
