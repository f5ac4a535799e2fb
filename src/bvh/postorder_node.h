// The nodes of the post-order hierarchy (postorder.h). C17 and OpenCL C.
#ifndef TD_BVH_POSTORDER_NODE_H
#define TD_BVH_POSTORDER_NODE_H

#include "../predicates/obb_obb.h"

// Stands behind the last node on the right (the paper's imaginary node, Fig. 6).
#define TD_POST_END 0xffffffffu

#define TD_POST_LEAF 1u // of td_post_links.kind: holds a triangle
#define TD_POST_ODD  2u // ... lies an odd number of edges below the root

// How a node hangs together with the others. 16 bytes.
typedef struct td_post_links {
    td_u32 child;   // left-most child; of a leaf, where its triangle lies: 4 quad + lane (blocked.h)
    td_u32 escape;  // right sibling; of a right-most child, the escape index of its parent
    td_u32 counter; // right-most ancestors in direct line, itself included; 0: not a right-most child
    td_u32 kind;    // bits TD_POST_LEAF, TD_POST_ODD
} td_post_links;

#endif
