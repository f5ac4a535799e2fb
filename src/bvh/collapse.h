// From a binary tree to blocks: which tree nodes share a block.
//
// A tree node of at most TD_LEAF_BLOCK prims is a leaf block of its own. Above, a block stands for a tree
// node and holds up to four others that together cover it; whatever lies between is gone. Whoever meets a
// block pays for all four nodes, imaginary or not, so the blocks are chosen such that the sum of the areas of
// what they stand for is least, by dynamic programming from the leaves up. Based on: Ylitie, Karras and
// Laine, Efficient incoherent ray traversal on GPUs through compressed wide BVHs, 2017, section 3.1; here
// without a choice of leaves, which the builder's rules settle.
#ifndef TD_BVH_COLLAPSE_H
#define TD_BVH_COLLAPSE_H

#include "build.h"

enum {
    TD_QUAD = 4,                      // triangles per leaf
    TD_LEAF_BLOCK = TD_QUAD * TD_QUAD // triangles per leaf block
};

// A tree to be collapsed. Its leaves hold at most `leaf_size` prims, TD_QUAD or TD_LEAF_BLOCK.
typedef struct td_collapse {
    td_tree_node *nodes; // of those above TD_LEAF_BLOCK prims the area becomes the plan
    uint32_t leaf_size;
} td_collapse;

// Plans the blocks. Parallel; the same for every number of threads. Fails only for want of memory.
td_result td_plan_blocks(td_collapse *collapse, td_context *context);

// The tree nodes in the block of `root`, which is none of leaves, from left to right; returns how many.
int td_block_members(uint32_t members[4], const td_collapse *collapse, uint32_t root);

// How many prims each quad of the leaf block of `root` holds, from left to right; returns how many quads
// there are. A leaf of more than TD_QUAD prims is dealt out by fours.
int td_quad_sizes(uint32_t sizes[4], const td_collapse *collapse, uint32_t root);

#endif
