// Blocks and quads from a binary tree over the triangles.
#ifndef TD_BVH_LAYOUT_H
#define TD_BVH_LAYOUT_H

#include "blocked.h"
#include "build.h"

// Allocates and fills the blocks, quads, corners, slabs and refit plan of `out`, whose frame is set, from a
// tree, of which the areas are lost. Its leaves have at most `leaf_size` prims: four, at most four leaves
// below a node of at most sixteen prims; or sixteen, then their quads are what follows each other. Parallel;
// the same for every number of threads. On failure (want of memory) `out` is left without blocks.
td_result td_lay_out(td_blocked *out, td_tree_node *nodes, uint32_t leaf_size, td_tree_order order,
                     const td_trimesh *mesh);

#endif
