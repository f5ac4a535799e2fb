// The post-order hierarchy of paper 000, section 3: what the binary stack walks.
//
// All nodes are in one array, numbered in post-order from the end: the root is 0, the right-most child of a
// node n is n + 1. So ascending k times from right-most children is subtracting k from the index (its
// Eqs. 3 and 4), with no node read on the way; numbered from the front, as in the paper's Fig. 5, it would be
// an addition. A node has any number of children from two on; it knows its left-most child, and siblings
// know each other by their escape indices.
//
// Leaves hold one triangle each. Boxes are in the local coordinates of the blocked hierarchy, and like its
// boxes conservative.
#ifndef TD_BVH_POSTORDER_H
#define TD_BVH_POSTORDER_H

#include "../predicates/box_box.h"
#include "blocked.h"
#include "postorder_node.h"

typedef struct td_postorder {
    td_post_links *links;
    td_boxf *boxes;
    td_obbf *obbs; // null: not fitted
    uint32_t node_count;
    uint32_t height; // edges on the longest way from the root to a leaf
    uint32_t arity;  // the most children of a node
} td_postorder;

// A tree given by its children, to be laid out: node n has the children first_child[n], then
// next_sibling[...] until TD_NONE. A node without children is the leaf of triangle[n]. Any tree over all
// triangles of the mesh, each in one leaf, inner nodes with at least two children.
typedef struct td_tree_shape {
    const uint32_t *first_child, *next_sibling, *triangle;
    uint32_t node_count, root;
} td_tree_shape;

// Binary, by the surface area heuristic (build.h) down to single triangles.
td_result td_postorder_create(td_postorder *out, const td_trimesh *mesh, const td_blocked *blocked);
td_result td_postorder_create_from(td_postorder *out, const td_trimesh *mesh, const td_blocked *blocked,
                                   const td_tree_shape *shape);
void td_postorder_destroy(td_postorder *post, td_context *context);

// Fits the oriented boxes (obb.h) if that has not been done.
td_result td_postorder_fit_obbs(td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked);

uint64_t td_postorder_bytes(const td_postorder *post);

// Every link, counter and box against its definition; TD_ERROR_MESH with the first violation.
td_result td_postorder_validate(const td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked);

#endif
