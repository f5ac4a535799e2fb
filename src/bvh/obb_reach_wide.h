// Oriented boxes from their axes and what they are to hold, a box per lane. For files that are compiled once
// per instruction set, and OpenCL C with float64.
//
// All in float32. With u = 2^-24 and corners within [-1, 1], so at most sqrt(3) from the origin:
//
//   a corner along an axis      1.8 u (its rounding) + 5.2 u (three products, two sums)          7 u
//   a box along an axis         what td_reach_boxes adds to its half-size, and 9 u of its centre,
//                               which is at most 3 from the origin, and 4 u of the last sum     13 u
//   the centre along an axis    likewise                                                         9 u
//
// Half-sizes are enlarged by 2^-19 = 32 u, and by a factor that covers the roundings behind. The overlap test
// allows for 256 u and more (obb_obb.h), so nothing is lost that would not be lost there.
#ifndef TD_BVH_OBB_REACH_WIDE_H
#define TD_BVH_OBB_REACH_WIDE_H

#include "obb_axes_wide.h"
#include "postorder_node.h"

enum {
    TD_EXACT_NODES = 1024, // subtrees up to here are measured by the corners of all their triangles
    TD_COVER = 16          // descendants that stand for what is in a larger one
};

// td_obbf, lane by lane.
typedef struct td_obb_lanes {
    td_wf center[3], half[3];
    td_axes axes;
} td_obb_lanes;

// How far what has been seen goes along the axes.
typedef struct td_reach {
    td_wf low[3], high[3];
} td_reach;

TD_OP td_reach td_reach_nothing(void) {
    td_reach reach;
    for (int k = 0; k < 3; ++k) {
        reach.low[k] = td_wf_set1(HUGE_VALF);
        reach.high[k] = td_wf_set1(-HUGE_VALF);
    }
    return reach;
}

// A point, by its coordinates.
TD_OP void td_reach_point(td_reach *reach, const td_axes *axes, const td_wf x[3]) {
    for (int k = 0; k < 3; ++k) {
        const td_wf along = td_dot3(axes->at[k], x);
        reach->low[k] = td_wf_min(along, reach->low[k]);
        reach->high[k] = td_wf_max(along, reach->high[k]);
    }
}

// A box holds x if |axis_j . (x - center)| <= half_j. Its axes are orthonormal but for 3.5 u per product of
// two, so x = center + sum of a_j axis_j with |a_j| at most half_j and 12 u of all three half-sizes: 21 u of
// these along any axis. Products and sums add 7 u: 64 u cover both.
TD_OP void td_reach_box(td_reach *reach, const td_axes *axes, const td_obb_lanes *box) {
    const td_wf sum = td_wf_add(td_wf_add(box->half[0], box->half[1]), box->half[2]);
    const td_wf slack = td_wf_mul(sum, td_wf_set1(0x1p-18f));
    for (int k = 0; k < 3; ++k) {
        td_wf half = slack;
        for (int l = 0; l < 3; ++l) {
            const td_wf dot = td_dot3(axes->at[k], box->axes.at[l]);
            half = td_wf_add(half, td_wf_mul(box->half[l], td_wf_abs(dot)));
        }
        const td_wf middle = td_dot3(axes->at[k], box->center);
        reach->low[k] = td_wf_min(td_wf_sub(middle, half), reach->low[k]);
        reach->high[k] = td_wf_max(td_wf_add(middle, half), reach->high[k]);
    }
}

// The box with its axes that reaches so far.
TD_OP void td_close_reach(td_obb_lanes *box, const td_reach *reach) {
    const td_wf zero = td_wf_set1(0);
    td_wf low[3], high[3], middle[3];
    for (int k = 0; k < 3; ++k) { // of 0 and -0 any may be the least
        low[k] = td_wf_add(reach->low[k], zero);
        high[k] = td_wf_add(reach->high[k], zero);
        middle[k] = td_wf_mul(td_wf_set1(0.5f), td_wf_add(low[k], high[k]));
    }
    for (int l = 0; l < 3; ++l) {
        const td_wf column[3] = {box->axes.at[0][l], box->axes.at[1][l], box->axes.at[2][l]};
        box->center[l] = td_dot3(middle, column);
    }
    for (int k = 0; k < 3; ++k) {
        const td_wf along = td_dot3(box->axes.at[k], box->center);
        const td_wf reached = td_wf_max(td_wf_sub(high[k], along), td_wf_sub(along, low[k]));
        box->half[k] = td_wf_mul(td_wf_add(reached, td_wf_set1(0x1p-19f)), td_wf_set1(1 + 0x1p-21f));
    }
}

TD_OP td_wf td_half_areas(const td_wf h[3]) {
    return td_wf_add(td_wf_add(td_wf_mul(h[0], h[1]), td_wf_mul(h[1], h[2])), td_wf_mul(h[2], h[0]));
}

// The box along the coordinate axes instead, where it has the smaller surface.
TD_OP void td_keep_smaller(td_obb_lanes *box, const td_wf center[3], const td_wf half[3]) {
    const td_wf turned = td_half_areas(box->half), straight = td_half_areas(half);
    for (int k = 0; k < 3; ++k) {
        box->center[k] = td_wf_pick(turned, straight, box->center[k], center[k]);
        box->half[k] = td_wf_pick(turned, straight, box->half[k], half[k]);
        for (int l = 0; l < 3; ++l) {
            const td_wf unit = td_wf_set1(k == l ? 1 : 0);
            box->axes.at[k][l] = td_wf_pick(turned, straight, box->axes.at[k][l], unit);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Descendants

static inline td_u32 td_children_of(TD_GLOBAL const td_post_links *links, td_u32 node) {
    td_u32 count = 0;
    if ((links[node].kind & TD_POST_LEAF) == 0) {
        td_u32 child = links[node].child;
        for (count = 1; links[child].counter == 0; ++count) {
            child = links[child].escape;
        }
    }
    return count;
}

// Descendants that together cover the node: its children, then theirs, as long as there is room. Those that
// have been looked at and cannot be replaced stand in front.
static inline td_u32 td_find_cover(td_u32 cover[TD_COVER], TD_GLOBAL const td_post_links *links,
                                   td_u32 node) {
    td_u32 queue[2 * TD_COVER] = {node}, head = 0, tail = 1, count = 0;
    while (head < tail) {
        const td_u32 next = queue[head++], children = td_children_of(links, next);
        const td_u32 all = count + (tail - head);
        if (children == 0 || all + children > TD_COVER || tail + children > 2 * TD_COVER) {
            cover[count++] = next;
            continue;
        }
        td_u32 child = links[next].child;
        for (td_u32 i = 0; i < children; ++i) {
            queue[tail++] = child;
            child = links[child].escape;
        }
    }
    return count;
}

#endif
