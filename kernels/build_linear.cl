// The linear builder: codes, a radix sort, cuts level by level from the root down. The same codes, order and
// cuts as natively (src/bvh/codes_wide.c, build_linear.c, morton.h), so the same tree.
//
// Options: TD_DIGIT_BITS per pass of the sort, TD_RUN items in the run of a work-item.
#include "../src/bvh/build_unit.h"
#include "../src/bvh/local_frame.h"
#include "../src/bvh/morton.h"

#define TD_DIGITS (1u << TD_DIGIT_BITS)

static double td_local(double x, uint axis, td_local_frame frame) {
    return (x - frame.origin[axis]) * frame.scale[0] * frame.scale[1];
}

static uint td_cell(__global const double *a, __global const double *b, __global const double *c, uint axis,
                    td_local_frame frame, td_morton morton) {
    const double p = td_local(a[axis], axis, frame), q = td_local(b[axis], axis, frame),
                 r = td_local(c[axis], axis, frame);
    const double least = fmin(p, fmin(q, r)), greatest = fmax(p, fmax(q, r));
    const float centre = (float)((least + greatest) * 0.5);
    const float cell = (centre - morton.offset[axis]) * morton.scale[axis];
    return (uint)fmin(fmax(cell, 0.0f), morton.last[axis]);
}

// `triangles` are three indices each, `corners` three coordinates each.
__kernel void td_code_triangles(__global td_coded *codes, __global const uint *triangles,
                                __global const double *corners, uint count, td_local_frame frame,
                                td_morton morton) {
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    __global const uint *at = triangles + 3 * (size_t)item;
    __global const double *a = corners + 3 * (size_t)at[0], *b = corners + 3 * (size_t)at[1],
                          *c = corners + 3 * (size_t)at[2];
    uint code = 0;
    for (uint axis = 0; axis < 3; ++axis) {
        const uint cell = td_cell(a, b, c, axis, frame, morton);
        for (uint i = 0; i < morton.bits[axis]; ++i) {
            code |= (cell >> i & 1u) << morton.place[axis][i];
        }
    }
    codes[item].code = code;
    codes[item].id = item;
}

// ---------------------------------------------------------------------------------------------------------
// Sorting: a work-item has a run of items, counts their digits, and learns by prefix sums over
// counts[digit][run] where its items of each digit go. Stable, so the order does not depend on the device.

static uint td_digit(td_coded item, uint shift) {
    return item.code >> shift & (TD_DIGITS - 1);
}

__kernel void td_count_digits(__global uint *counts, __global const td_coded *items, uint count, uint shift,
                              uint runs) {
    const uint run = (uint)get_global_id(0);
    if (run >= runs) {
        return;
    }
    const uint begin = run * TD_RUN, end = count - begin < TD_RUN ? count : begin + TD_RUN;
    uint digits[TD_DIGITS];
    for (uint d = 0; d < TD_DIGITS; ++d) {
        digits[d] = 0;
    }
    for (uint i = begin; i < end; ++i) {
        digits[td_digit(items[i], shift)]++;
    }
    for (uint d = 0; d < TD_DIGITS; ++d) {
        counts[(size_t)d * runs + run] = digits[d];
    }
}

__kernel void td_move_items(__global td_coded *to, __global const td_coded *from, __global const uint *starts,
                            uint count, uint shift, uint runs) {
    const uint run = (uint)get_global_id(0);
    if (run >= runs) {
        return;
    }
    const uint begin = run * TD_RUN, end = count - begin < TD_RUN ? count : begin + TD_RUN;
    uint next[TD_DIGITS];
    for (uint d = 0; d < TD_DIGITS; ++d) {
        next[d] = starts[(size_t)d * runs + run];
    }
    for (uint i = begin; i < end; ++i) {
        const td_coded item = from[i];
        to[next[td_digit(item, shift)]++] = item;
    }
}

// ---------------------------------------------------------------------------------------------------------
// The tree, a level at a time. Units are the nodes of a level; `side` is how many triangles go left; 0: it is
// not cut.

__kernel void td_cut_units(__global td_build_unit *units, uint count, __global uint *counts,
                           __global const td_coded *codes, __global td_tree_node *nodes,
                           td_tree_rules rules) {
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_build_unit unit = units[item];
    __global const td_coded *own = codes + unit.first;
    const bool is_cut = unit.count > rules.leaf_size && !td_is_crowded(own, unit.count);
    units[item].side = is_cut ? td_cut_codes(own, unit.count, rules) : 0;
    counts[item] = is_cut ? 2 : 0;
    td_set_linear_node(nodes + unit.node, unit.count);
}

// The next level. `starts` are the prefix sums of the counts.
__kernel void td_add_halves(__global td_build_unit *next, __global const td_build_unit *units, uint count,
                            __global const uint *starts) {
    const uint item = (uint)get_global_id(0);
    if (item >= count || units[item].side == 0) {
        return;
    }
    const td_build_unit unit = units[item];
    __global td_build_unit *halves = next + starts[item];
    halves[0].node = unit.node + 1;
    halves[0].first = unit.first;
    halves[0].count = unit.side;
    halves[1].node = unit.node + 2 * unit.side;
    halves[1].first = unit.first + unit.side;
    halves[1].count = unit.count - unit.side;
}
