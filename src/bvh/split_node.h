// The nodes of the split hierarchy (split.h). C17 and OpenCL C.
#ifndef TD_BVH_SPLIT_NODE_H
#define TD_BVH_SPLIT_NODE_H

#include "blocked_node.h"

typedef struct td_split_node {
    td_u32 right;  // right child; of a leaf, its quad
    td_u32 parent; // of the root: TD_NONE
    td_u32 end;    // behind the last node below it; of a leaf n: n + 1
    float size;    // what the order of opening goes by: the sum of the sides of its box as it was when the
                   // tree was made, so that the order never changes; of a leaf TD_SPLIT_LEAF
} td_split_node;

#define TD_SPLIT_LEAF -1.0f

// The negative of the upper corner: so that a union is one minimum, and two boxes meet in one addition.
typedef struct td_split_box {
    float lower[4], minus_upper[4]; // the fourth is 0
} td_split_box;

TD_INLINE int td_split_is_leaf(TD_GLOBAL const td_split_node *nodes, td_u32 node) {
    return nodes[node].end == node + 1;
}

// Whether `node` is `top` or lies below it.
TD_INLINE int td_split_below(TD_GLOBAL const td_split_node *nodes, td_u32 top, td_u32 node) {
    return node >= top && node < nodes[top].end;
}

#endif
