// The linear builder: codes, a radix sort, cuts level by level from the root down, boxes level by level from
// the leaves up. The same codes, order and cuts as natively (src/bvh/build_linear.c, morton.h), so the same
// tree.
//
// Options: TD_DIGIT_BITS per pass of the sort, TD_RUN items in the run of a work-item.
#include "../src/bvh/build_unit.h"
#include "../src/bvh/morton.h"

#define TD_DIGITS (1u << TD_DIGIT_BITS)

__kernel void td_code_prims(__global td_coded *codes, __global const td_prim *prims, uint count,
                            td_morton morton) {
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    uint code = 0;
    for (uint axis = 0; axis < 3; ++axis) {
        const float key = prims[item].lower[axis] + prims[item].upper[axis];
        const uint cell = (uint)(int)((key - morton.offset[axis]) * morton.scale[axis]);
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
// The tree. Units are its nodes by level: those of a level are units[first ... first + count - 1], and `side`
// is how many prims go left; 0: it is not cut.

__kernel void td_cut_units(__global td_build_unit *units, uint first, uint count, __global uint *counts,
                           __global const td_coded *codes, __global td_tree_node *nodes,
                           td_tree_rules rules) {
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_build_unit unit = units[first + item];
    __global const td_coded *own = codes + unit.first;
    const bool is_cut = unit.count > rules.leaf_size && !td_is_crowded(own, unit.count);
    units[first + item].side = is_cut ? td_cut_codes(own, unit.count, rules) : 0;
    counts[item] = is_cut ? 2 : 0;
    nodes[unit.node].first = unit.first;
    nodes[unit.node].count = unit.count;
}

// The next level, behind this one. `starts` are the prefix sums of the counts.
__kernel void td_add_halves(__global td_build_unit *units, uint first, uint count,
                            __global const uint *starts) {
    const uint item = (uint)get_global_id(0);
    if (item >= count || units[first + item].side == 0) {
        return;
    }
    const td_build_unit unit = units[first + item];
    __global td_build_unit *halves = units + first + count + starts[item];
    halves[0].node = unit.node + 1;
    halves[0].first = unit.first;
    halves[0].count = unit.side;
    halves[1].node = unit.node + 2 * unit.side;
    halves[1].first = unit.first + unit.side;
    halves[1].count = unit.count - unit.side;
}

static void td_grow(float lower[3], float upper[3], const float low[3], const float high[3]) {
    for (uint k = 0; k < 3; ++k) {
        lower[k] = low[k] < lower[k] ? low[k] : lower[k];
        upper[k] = high[k] > upper[k] ? high[k] : upper[k];
    }
}

__kernel void td_box_units(__global const td_build_unit *units, uint first, uint count,
                           __global const td_coded *codes, __global const td_prim *prims,
                           __global td_tree_node *nodes) {
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_build_unit unit = units[first + item];
    float lower[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, upper[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    if (unit.side == 0) {
        for (uint i = unit.first; i < unit.first + unit.count; ++i) {
            const td_prim prim = prims[codes[i].id];
            td_grow(lower, upper, prim.lower, prim.upper);
        }
    } else {
        const td_tree_node left = nodes[unit.node + 1], right = nodes[unit.node + 2 * unit.side];
        td_grow(lower, upper, left.lower, left.upper);
        td_grow(lower, upper, right.lower, right.upper);
    }
    for (uint k = 0; k < 3; ++k) {
        nodes[unit.node].lower[k] = lower[k];
        nodes[unit.node].upper[k] = upper[k];
    }
}
