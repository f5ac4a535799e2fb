// The blocked hierarchy split in two everywhere, down to quads: what the front walks. A front gains by what
// lies above it, and in a binary tree that is half of all nodes; in blocks of four it is next to nothing.
//
// Nodes are in the order of a walk: the left child of node n is n + 1, everything below n is n + 1 ... end -
// 1. Boxes are in the local coordinates of the blocked hierarchy, and like its boxes conservative. So are
// those of the single triangles, four of a quad side by side.
#ifndef TD_BVH_SPLIT_H
#define TD_BVH_SPLIT_H

#include "../predicates/obb_obb.h"
#include "blocked.h"
#include "split_node.h"

// The boxes of the triangles of a quad, as blocks have those of their nodes. Empty lanes are anything.
typedef struct td_quad_boxes {
    float center[3][4], half[3][4];
} td_quad_boxes;

typedef struct td_split_tree {
    td_split_node *nodes;
    td_split_box *boxes;
    td_quad_boxes *triangles;                // per quad
    uint32_t *quad_nodes;                    // per quad: its node
    const td_obbf *obbs;                     // per node (split_obb.h), not owned; null: not fitted
    uint32_t node_count, quad_count, height; // height: edges on the longest way down
} td_split_tree;

td_result td_split_create(td_split_tree *out, const td_blocked *blocked, td_context *context);
void td_split_destroy(td_split_tree *split, td_context *context); // fine on a zeroed one
uint64_t td_split_bytes(const td_split_tree *split);

// New boxes, after the hierarchy has been refitted. Parallel; the same bits whatever the threads.
void td_split_refit(td_split_tree *split, const td_blocked *blocked, td_context *context);

// Every link and box against its definition; TD_ERROR_MESH with the first violation.
td_result td_split_validate(const td_split_tree *split, const td_trimesh *mesh, const td_blocked *blocked);

#endif
