// Codes along a curve that fills the box of a mesh, and where runs of sorted codes are cut: what the linear
// builders, natively (codes.h, build_linear.c) and on devices (build_device.h), agree on. C17 and OpenCL C.
//
// The bits of a code are dealt out by extent: each goes to the axis along which the cells are longest by
// then, so that a sheet gets 16 bits along each of its sides and none across.
#ifndef TD_BVH_MORTON_H
#define TD_BVH_MORTON_H

#include "tree.h"

enum {
    TD_MORTON_BITS = 32,
    TD_CROWD = 64 // triangles of a cell beyond which it is cut with care
};

// From a centre in local coordinates to its cell, and to the code of the cell: along each axis the cell is
// (centre - offset) * scale, brought between 0 and `last`, since roundings may put a centre at the border of
// the mesh just outside. The centre is that of the triangle's box in float64, then made a float32.
typedef struct td_morton {
    float offset[3], scale[3], last[3];
    td_u32 bits[3];                         // per axis
    unsigned char place[3][TD_MORTON_BITS]; // bit of the code that bit i of the cell along the axis becomes
} td_morton;

#ifndef __OPENCL_VERSION__
// For meshes that reach as far as `reach` from the origin of local coordinates.
td_morton td_choose_morton(const double reach[3]);
#endif

// How many of a run of codes, which differ, come before the highest differing bit turns.
static inline td_u32 td_codes_before_turn(TD_GLOBAL const td_coded *codes, td_u32 count) {
    const td_u32 different = codes[0].code ^ codes[count - 1].code;
    const td_u32 turn = codes[count - 1].code & ~(0xffffffffu >> TD_CLZ(different) >> 1);
    td_u32 low = 0, high = count - 1; // codes[low] is before it, codes[high] is not
    while (high - low > 1) {
        const td_u32 middle = low + (high - low) / 2;
        const int before = codes[middle].code < turn;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return high;
}

// Groups and leaves come out full: the cut moves to where the nearest one ends.
static inline td_u32 td_round_cut(td_u32 left, td_u32 count, td_tree_rules rules) {
    const td_u32 unit = count <= rules.group_size ? rules.leaf_size : rules.group_size;
    if (count > rules.group_size && count > rules.packed_size) {
        return left;
    }
    const td_u32 nearest = (left + unit / 2) / unit, last = (count - 1) / unit;
    return unit * (nearest < 1 ? 1 : nearest > last ? last : nearest);
}

// A patch of a surface is taken to be as large as it has triangles: no box is needed.
static inline void td_set_linear_node(TD_GLOBAL td_tree_node *node, td_u32 count) {
    node->area = (float)count;
    node->count = count;
}

// How many of a run of sorted codes go left. There are more than rules.leaf_size.
static inline td_u32 td_cut_codes(TD_GLOBAL const td_coded *codes, td_u32 count, td_tree_rules rules) {
    const int same = codes[0].code == codes[count - 1].code;
    return td_round_cut(same ? count / 2 : td_codes_before_turn(codes, count), count, rules);
}

// Whether so many are in one cell that it is built by the surface area heuristic.
static inline int td_is_crowded(TD_GLOBAL const td_coded *codes, td_u32 count) {
    return count > TD_CROWD && codes[0].code == codes[count - 1].code;
}

#endif
