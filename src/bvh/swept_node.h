// What the hierarchy over a step (swept.h) is made of: boxes of vertices, quads and blocks, and the features
// of triangles (swept_features.h). C17 and OpenCL C.
#ifndef TD_BVH_SWEPT_NODE_H
#define TD_BVH_SWEPT_NODE_H

#include "blocked_node.h"

#ifdef __OPENCL_VERSION__
#define TD_ALIGNED(bytes) // nobody there loads vectors
#else
#define TD_ALIGNED(bytes) _Alignas(bytes)
#endif

#ifdef TD_HAS_FLOAT64
#include "../math/vec3.h"

// A vertex at t = 0 and at t = 1, as it was given.
typedef struct td_path {
    td_vec3 at[2];
} td_path;
#endif

// The box of a path; the fourth numbers are unused.
typedef struct td_swept_box {
    TD_ALIGNED(16) float lower[4];
    float upper[4];
} td_swept_box;

typedef struct td_swept_block {
    float lower[3][4], upper[3][4]; // of imaginary nodes: empty
    td_u32 child[4];                // block or quad; TD_NONE: imaginary
    td_u32 leaf;                    // 1: the nodes are quads
    td_u32 node_count;
    td_u32 leaf_children; // internal block: one bit per child that is a leaf block
    td_u32 spare;
} td_swept_block;

typedef struct td_swept_quad {
    float lower[3][4], upper[3][4]; // of empty lanes: empty
    td_u32 triangle[4];             // TD_NONE: empty lane
    td_u32 spare[4];
} td_swept_quad;

// 32 bytes.
typedef struct td_swept_triangle {
    td_u32 vertex[3];
    td_u32 edge[3]; // from vertex[k] to vertex[k + 1]; of no meaning if these are one
    td_u32 owns;    // bit k: edge k; bit 4 + k: vertex k
    td_u32 spare;
} td_swept_triangle;

#endif
