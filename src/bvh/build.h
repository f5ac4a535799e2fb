// Builders: from boxes to a binary tree over them. Layouts (blocked.h) are made from the tree.
#ifndef TD_BVH_BUILD_H
#define TD_BVH_BUILD_H

#include "tree.h"

#include <tandem/base.h>

// In which order the tree has the prims: place i holds the one with id ids[i * step].
typedef struct td_tree_order {
    const uint32_t *ids;
    size_t step;
} td_tree_order;

static inline td_tree_order td_order_of_prims(const td_prim *prims) {
    return (td_tree_order){&prims->id, sizeof *prims / sizeof(uint32_t)};
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
