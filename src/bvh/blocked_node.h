// The nodes and leaves of the blocked hierarchy (blocked.h). C17 and OpenCL C.
#ifndef TD_BVH_BLOCKED_NODE_H
#define TD_BVH_BLOCKED_NODE_H

#include "../math/shared.h"

#define TD_NONE 0xffffffffu

// Boxes are conservative: they contain the exact local coordinates of everything below.
typedef struct td_block {
    float center[3][4];
    float half[3][4];     // negative: imaginary
    td_u32 child[4];      // block or quad; TD_NONE: imaginary
    td_u32 leaf;          // 1: the nodes are quads
    td_u32 node_count;    // nodes that are not imaginary, in front
    td_u32 leaf_children; // internal block: one bit per child that is a leaf block
    td_u32 slabs;         // leaf block: index of its td_slabs
} td_block;

// The box around all nodes of a block: what refitting passes up.
typedef struct td_block_bounds {
    float lower[4], upper[4]; // the fourth says nothing
} td_block_bounds;

// 192 bytes, three cache lines.
typedef struct td_quad {
    float origin[3][4]; // first corner, relative to `center`; float32 of the exact value
    float edge0[3][4];  // second corner - first corner, float32 of the float64 difference
    float edge1[3][4];  // third corner - first corner
    float scale[4];     // at least the Euclidean length of either edge; negative: empty lane
    td_u32 triangle[4]; // index in the mesh; TD_NONE: empty lane
    float center[3];    // of the quad's box
    float size;         // sum of the half-sizes of the box: no corner is farther from the centre
} td_quad;

// The four quads of a leaf block lie between planes: |normal . (x - center) - middle| <= half for every x of
// a quad, where center is that of its box. A patch of a surface is flat, so this is much tighter than the
// box.
typedef struct td_slabs {
    float normal[3][4]; // of length about 1
    float middle[4];
    float half[4];
} td_slabs;

#endif
