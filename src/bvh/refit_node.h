// The boxes of one block, from lower and upper corners to centres and half-sizes. Shared by the wide refit,
// that of the crown and that of devices. C17 and OpenCL C with float64.
#ifndef TD_BVH_REFIT_NODE_H
#define TD_BVH_REFIT_NODE_H

#include "../math/d4.h"
#include "blocked_node.h"

// The boxes of four nodes, one coordinate per vector, one node per lane.
typedef struct td_box_lanes {
    td_f4 lower[3], upper[3];
} td_box_lanes;

// The same as centres and half-sizes.
typedef struct td_centered_lanes {
    td_f4 center[3], half[3];
} td_centered_lanes;

static inline td_centered_lanes td_center_boxes(const td_box_lanes *boxes) {
    td_centered_lanes out;
    for (int k = 0; k < 3; ++k) {
        const td_f4 lower = boxes->lower[k], upper = boxes->upper[k], middle = td_f4_set1(0.5f);
        out.center[k] = td_f4_add(td_f4_mul(middle, lower), td_f4_mul(middle, upper));
        const td_f4 reach = td_f4_max(td_f4_sub(upper, out.center[k]), td_f4_sub(out.center[k], lower));
        out.half[k] = td_f4_add(reach, td_f4_mul(reach, td_f4_set1(0x1p-22f))); // the subtraction's rounding
    }
    return out;
}

// Sets the boxes of the block, whose count and children are set; the others of the four are imaginary.
// Returns half the surface areas of the nodes, 0 for imaginary ones. How many are real is as good as random,
// so nothing branches on it: lanes are multiplied by 1 or 0.
static inline td_f4 td_set_boxes(td_block *block, const td_centered_lanes *boxes) {
    const td_f4 *half = boxes->half, one = td_f4_set1(1), zero = td_f4_set1(0);
    const td_f4 ahead = td_f4_sub(td_f4_set1((float)block->node_count), td_f4_set(0, 1, 2, 3));
    const td_f4 real = td_f4_min(td_f4_max(ahead, zero), one);
    // Farther from overlap than any sum of radii can mend.
    const td_f4 nowhere = td_f4_mul(td_f4_sub(real, one), td_f4_set1(1e18f));
    for (int k = 0; k < 3; ++k) {
        td_f4_store(block->center[k], td_f4_mul(boxes->center[k], real));
        td_f4_store(block->half[k], td_f4_add(td_f4_mul(half[k], real), nowhere));
    }
    const td_f4 areas = td_f4_add(td_f4_add(td_f4_mul(half[0], half[1]), td_f4_mul(half[1], half[2])),
                                  td_f4_mul(half[2], half[0]));
    return td_f4_mul(areas, real);
}

// The box around the nodes of a block. Lanes of imaginary nodes repeat a real one.
static inline void td_set_bounds(td_block_bounds *bounds, const td_box_lanes *boxes) {
    const td_f4 *l = boxes->lower, *u = boxes->upper;
    const td_f4 lower[4] = {l[0], l[1], l[2], l[2]}, upper[4] = {u[0], u[1], u[2], u[2]};
    td_f4_store(bounds->lower, td_f4_least(lower));
    td_f4_store(bounds->upper, td_f4_greatest(upper));
}

// An internal block from the bounds of its children.
static inline td_f4 td_refit_inner(td_block *block, td_block_bounds *bounds,
                                   TD_GLOBAL const td_block_bounds *all) {
    td_f4 lower[4], upper[4];
    for (td_u32 lane = 0; lane < 4; ++lane) {
        TD_ALIGN16 const td_block_bounds child = all[block->child[lane < block->node_count ? lane : 0]];
        lower[lane] = td_f4_load(child.lower);
        upper[lane] = td_f4_load(child.upper);
    }
    td_f4_store(bounds->lower, td_f4_min(td_f4_min(lower[0], lower[1]), td_f4_min(lower[2], lower[3])));
    td_f4_store(bounds->upper, td_f4_max(td_f4_max(upper[0], upper[1]), td_f4_max(upper[2], upper[3])));
    td_f4 l[4], u[4];
    td_f4_transposed(l, lower);
    td_f4_transposed(u, upper);
    const td_box_lanes boxes = {{l[0], l[1], l[2]}, {u[0], u[1], u[2]}};
    const td_centered_lanes centered = td_center_boxes(&boxes);
    return td_set_boxes(block, &centered);
}

#endif
