// Oriented boxes from their axes and what they are to hold. For files that are compiled once per instruction
// set, and OpenCL C with float64.
#ifndef TD_BVH_OBB_REACH_WIDE_H
#define TD_BVH_OBB_REACH_WIDE_H

#include "../math/d4.h"
#include "../math/wide.h"
#include "obb_axes_wide.h"
#include "obb_box.h"
#include "postorder_node.h"

enum {
    TD_EXACT_LEAVES = 64, // nodes up to here are measured by their corners
    TD_COVER = 16         // descendants that stand for a node of many triangles
};

TD_OP void td_start_reach(td_reach *reach, const td_obbf *obb, const double about[3]) {
    for (int k = 0; k < 9; ++k) {
        reach->axes[k / 3][k % 3] = (double)obb->axes[k];
    }
    for (int k = 0; k < 3; ++k) {
        reach->about[k] = about[k];
        reach->low[k] = HUGE_VAL;
        reach->high[k] = -HUGE_VAL;
    }
}

// What lies along the axes, by the corners that have been seen. A lane per corner.
typedef struct td_reach_lanes {
    td_d4 axes[3][3], about[3], low[4], high[4];
} td_reach_lanes;

TD_OP void td_begin_corners(td_reach_lanes *lanes, const td_reach *reach) {
    for (int k = 0; k < 3; ++k) {
        lanes->about[k] = td_d4_set1(reach->about[k]);
        lanes->low[k] = td_d4_set1(HUGE_VAL);
        lanes->high[k] = td_d4_set1(-HUGE_VAL);
        for (int l = 0; l < 3; ++l) {
            lanes->axes[k][l] = td_d4_set1(reach->axes[k][l]);
        }
    }
}

// Those of one leaf: a coordinate per vector, the first corner twice.
TD_OP void td_reach_leaf(td_reach_lanes *lanes, const td_d4 corners[3]) {
    const td_d4 x = td_d4_sub(corners[0], lanes->about[0]), y = td_d4_sub(corners[1], lanes->about[1]),
                z = td_d4_sub(corners[2], lanes->about[2]);
    for (int k = 0; k < 3; ++k) {
        const td_d4 *axis = lanes->axes[k];
        const td_d4 along =
            td_d4_add(td_d4_add(td_d4_mul(axis[0], x), td_d4_mul(axis[1], y)), td_d4_mul(axis[2], z));
        lanes->low[k] = td_d4_min(lanes->low[k], along);
        lanes->high[k] = td_d4_max(lanes->high[k], along);
    }
}

TD_OP void td_end_corners(td_reach *reach, td_reach_lanes *lanes) {
    td_d4 *low = lanes->low, *high = lanes->high;
    low[3] = low[2];
    high[3] = high[2];
    td_d4_transpose(low); // now an axis per lane
    td_d4_transpose(high);
    double least[4], greatest[4];
    td_d4_store(least, td_d4_min(td_d4_min(low[0], low[1]), td_d4_min(low[2], low[3])));
    td_d4_store(greatest, td_d4_max(td_d4_max(high[0], high[1]), td_d4_max(high[2], high[3])));
    for (int k = 0; k < 3; ++k) {
        reach->low[k] = least[k];
        reach->high[k] = greatest[k];
    }
}

// As td_close_obb of obb.c, which gives the same box, an axis per lane.
TD_OP void td_close_reach(td_obbf *obb, const td_reach *reach) {
    const double(*a)[3] = reach->axes;
    const td_d4 low = td_d4_set(reach->low[0], reach->low[1], reach->low[2], 0);
    const td_d4 high = td_d4_set(reach->high[0], reach->high[1], reach->high[2], 0);
    const td_d4 about = td_d4_set(reach->about[0], reach->about[1], reach->about[2], 0);
    double middle[4], shift[4];
    td_d4_store(middle, td_d4_mul(td_d4_set1(0.5), td_d4_add(low, high)));
    td_d4 way = td_d4_set1(0); // a coordinate per lane
    for (int k = 0; k < 3; ++k) {
        way = td_d4_add(way, td_d4_mul(td_d4_set1(middle[k]), td_d4_set(a[k][0], a[k][1], a[k][2], 0)));
    }
    const td_f4 center = td_d4_narrow(td_d4_add(about, way));
    td_d4_store(shift, td_d4_sub(td_d4_widen(center), about));
    td_d4 along = td_d4_set1(0);
    for (int l = 0; l < 3; ++l) {
        along = td_d4_add(along, td_d4_mul(td_d4_set(a[0][l], a[1][l], a[2][l], 0), td_d4_set1(shift[l])));
    }
    const td_d4 reached = td_d4_max(td_d4_sub(high, along), td_d4_sub(along, low));
    const td_d4 half = td_d4_mul(td_d4_add(reached, td_d4_set1(0x1p-47)), td_d4_set1(1 + 0x1p-22));
    TD_ALIGN16 float out[2][4];
    td_f4_store(out[0], center);
    td_f4_store(out[1], td_d4_narrow(half));
    for (int k = 0; k < 3; ++k) {
        obb->center[k] = out[0][k];
        obb->half[k] = out[1][k];
    }
}

// An axis per lane; column l has the coordinates l of all axes.
typedef struct td_reach_axes {
    td_d4 column[3], low, high;
} td_reach_axes;

// A box holds x if |axis_j . (x - center)| <= half_j. Its axes are orthonormal but for 3.5 x 2^-24 per
// product of two, so x = center + sum of a_j axis_j with |a_j| at most half_j and 12 x 2^-24 of all three
// half-sizes.
TD_OP void td_reach_box(td_reach_axes *lanes, const double about[3], const td_obbf *box) {
    const double sum = (double)box->half[0] + (double)box->half[1] + (double)box->half[2];
    const td_d4 *column = lanes->column;
    td_d4 middle = td_d4_set1(0), half = td_d4_set1(0x1p-19 * sum);
    for (int l = 0; l < 3; ++l) {
        const float *other = box->axes + 3 * l;
        const td_d4 way = td_d4_set1((double)box->center[l] - about[l]);
        const td_d4 dot = td_d4_add(td_d4_add(td_d4_mul(column[0], td_d4_set1((double)other[0])),
                                              td_d4_mul(column[1], td_d4_set1((double)other[1]))),
                                    td_d4_mul(column[2], td_d4_set1((double)other[2])));
        const td_d4 size = td_d4_max(dot, td_d4_sub(td_d4_set1(0), dot));
        middle = td_d4_add(middle, td_d4_mul(column[l], way));
        half = td_d4_add(half, td_d4_mul(td_d4_set1((double)box->half[l]), size));
    }
    lanes->low = td_d4_min(td_d4_sub(middle, half), lanes->low);
    lanes->high = td_d4_max(td_d4_add(middle, half), lanes->high);
}

TD_OP td_reach_axes td_begin_boxes(const td_reach *reach) {
    td_reach_axes lanes = {.low = td_d4_set1(HUGE_VAL), .high = td_d4_set1(-HUGE_VAL)};
    for (int l = 0; l < 3; ++l) {
        lanes.column[l] = td_d4_set(reach->axes[0][l], reach->axes[1][l], reach->axes[2][l], 0);
    }
    return lanes;
}

TD_OP void td_end_boxes(td_reach *reach, const td_reach_axes *lanes) {
    double low[4], high[4];
    td_d4_store(low, lanes->low);
    td_d4_store(high, lanes->high);
    for (int k = 0; k < 3; ++k) {
        reach->low[k] = low[k];
        reach->high[k] = high[k];
    }
}

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
static td_u32 td_find_cover(td_u32 cover[TD_COVER], TD_GLOBAL const td_post_links *links, td_u32 node) {
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

static inline void td_reach_cover(td_reach *reach, TD_GLOBAL const td_post_links *links,
                                  TD_GLOBAL const td_obbf *obbs, td_u32 node) {
    td_u32 cover[TD_COVER];
    const td_u32 count = td_find_cover(cover, links, node);
    td_reach_axes lanes = td_begin_boxes(reach);
    for (td_u32 i = 0; i < count; ++i) {
        const td_obbf box = obbs[cover[i]];
        td_reach_box(&lanes, reach->about, &box);
    }
    td_end_boxes(reach, &lanes);
}

// ---------------------------------------------------------------------------------------------------------

static inline void td_keep_smaller(td_obbf *obb, const td_boxf *box) {
    if (!(td_half_area(obb->half) < td_half_area(box->half))) {
        *obb = td_obb_along_axes(box);
    }
}

// Four numbers to anywhere.
TD_OP void td_put_four(float *to, td_f4 four) {
#ifdef __OPENCL_VERSION__
    vstore4(four, 0, to);
#else
    memcpy(to, &four, sizeof four);
#endif
}

// The first `count` boxes from all their numbers, in their order in memory, a box per lane.
TD_OP void td_hand_out_boxes16(td_obbf *const boxes[4], td_u32 count, const td_f4 numbers[16]) {
    for (int part = 0; part < 4; ++part) {
        td_f4 rows[4];
        td_f4_transposed(rows, numbers + 4 * part);
        for (td_u32 i = 0; i < count; ++i) {
            td_put_four((float *)boxes[i] + 4 * part, rows[i]);
        }
    }
}

// The boxes of four triangles with axes as they come (rounded here), a triangle per lane, seen from their
// first corners; otherwise as above. c[i][k]: coordinate k of corner i.
TD_OP void td_close_leaves(td_obbf *const boxes[4], td_u32 count, const td_axes4 *wanted, td_d4 c[3][3]) {
    td_d4 axes[3][3], middle[3], low[3], high[3], shift[3];
    td_f4 out[16]; // centre, half-sizes, axes, spare
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            const td_f4 rounded = td_d4_narrow(wanted->at[k][l]);
            out[6 + 3 * k + l] = rounded;
            axes[k][l] = td_d4_widen(rounded);
        }
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = high[k] = td_d4_set1(0); // the first corner itself
        for (int i = 1; i < 3; ++i) {
            const td_d4 way[3] = {td_d4_sub(c[i][0], c[0][0]), td_d4_sub(c[i][1], c[0][1]),
                                  td_d4_sub(c[i][2], c[0][2])};
            const td_d4 along = td_dot3(axes[k], way);
            low[k] = td_d4_min(low[k], along);
            high[k] = td_d4_max(high[k], along);
        }
        middle[k] = td_d4_mul(td_d4_set1(0.5), td_d4_add(low[k], high[k]));
    }
    for (int l = 0; l < 3; ++l) {
        const td_d4 column[3] = {axes[0][l], axes[1][l], axes[2][l]};
        const td_f4 center = td_d4_narrow(td_d4_add(c[0][l], td_dot3(middle, column)));
        out[l] = center;
        shift[l] = td_d4_sub(td_d4_widen(center), c[0][l]);
    }
    for (int k = 0; k < 3; ++k) {
        const td_d4 along = td_dot3(axes[k], shift);
        const td_d4 reached = td_d4_max(td_d4_sub(high[k], along), td_d4_sub(along, low[k]));
        const td_d4 half = td_d4_mul(td_d4_add(reached, td_d4_set1(0x1p-47)), td_d4_set1(1 + 0x1p-22));
        out[3 + k] = td_d4_narrow(half);
    }
    out[15] = td_f4_set1(0);
    td_hand_out_boxes16(boxes, count, out);
}

#endif
