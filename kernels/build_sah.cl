// The builder by the surface area heuristic: a work-group cuts one node, which is one work unit, and up to
// two new units follow (paper 001, section 4.1). The same cuts as natively (src/bvh/build_sah.c, cut_bins.c,
// cut_small.c), whoever makes them, so the same tree, bit for bit: what is summed up in parallel are minima,
// maxima and counts, which know no order.
//
// Two ways to hand out units: from queues that are balanced now and then (td_split_balanced, section 3.3),
// and level by level with compaction in between (td_split_level), as the methods before the paper did.
//
// Option: TD_GROUP, work-items of a group; at least 3.
#include "../src/bvh/build_unit.h"
#include "../src/bvh/sah.h"

// A set of at most TD_SMALL_SET prims, within one.
typedef struct td_small {
    uint node, first, count;
} td_small;

typedef struct td_bin {
    float lower[3], upper[3];
    uint count;
} td_bin;

#define TD_SLICES (TD_GROUP / 3)

// Local memory of a group: 17 KiB for groups of 32.
typedef struct td_room {
    int measures[12]; // box, then range of keys: lower and upper corners; ordered numbers
    td_bin bins[TD_SLICES][3][TD_BINS];
    float costs[3][TD_SMALL_SET]; // of cuts
    float offset[3], scale[3];    // from a key to its bin
    uint axis, limit;             // the best cut: bins below `limit` go left; 0: there is none
    uint lefts[TD_GROUP];         // prims that go left, by work-item
    // Small sets
    td_prim prims[TD_SMALL_SET];
    int keys[3][TD_SMALL_SET];
    float areas[2][3][TD_SMALL_SET]; // of so many prims from the front, or from the end, of an order
    uchar places[TD_SMALL_SET];      // which prim stands where
    uchar order[3][TD_SMALL_SET];    // ... were they sorted along an axis
    td_small waiting[TD_SMALL_SET];
    uint depth;
} td_room;

// Integers of the same order as the numbers, and back.
static int td_ordered(float x) {
    const int bits = as_int(x);
    return bits ^ (bits < 0 ? 0x7fffffff : 0);
}

static float td_number(int ordered) {
    return as_float(ordered ^ (ordered < 0 ? 0x7fffffff : 0));
}

static float td_area(const float lower[3], const float upper[3]) {
    const float d[3] = {upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]};
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

static void td_grow(float lower[3], float upper[3], const float low[3], const float high[3]) {
    for (uint k = 0; k < 3; ++k) {
        lower[k] = low[k] < lower[k] ? low[k] : lower[k];
        upper[k] = high[k] > upper[k] ? high[k] : upper[k];
    }
}

static void td_empty(float lower[3], float upper[3]) {
    for (uint k = 0; k < 3; ++k) {
        lower[k] = FLT_MAX;
        upper[k] = -FLT_MAX;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Large sets: bins

// The box around the prims and the range of their keys (twice their centres).
static void td_measure(__local td_room *room, __global const td_prim *prims, uint count) {
    const uint item = (uint)get_local_id(0);
    for (uint i = item; i < 12; i += TD_GROUP) {
        room->measures[i] = i % 6 < 3 ? INT_MAX : INT_MIN;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float box[2][3], keys[2][3];
    td_empty(box[0], box[1]);
    td_empty(keys[0], keys[1]);
    for (uint i = item; i < count; i += TD_GROUP) {
        const td_prim prim = prims[i];
        const float key[3] = {prim.lower[0] + prim.upper[0], prim.lower[1] + prim.upper[1],
                              prim.lower[2] + prim.upper[2]};
        td_grow(box[0], box[1], prim.lower, prim.upper);
        td_grow(keys[0], keys[1], key, key);
    }
    if (item < count) {
        for (uint k = 0; k < 3; ++k) {
            atomic_min(&room->measures[k], td_ordered(box[0][k]));
            atomic_max(&room->measures[3 + k], td_ordered(box[1][k]));
            atomic_min(&room->measures[6 + k], td_ordered(keys[0][k]));
            atomic_max(&room->measures[9 + k], td_ordered(keys[1][k]));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// float32 division is not correctly rounded everywhere; by way of float64 it is.
static void td_choose_bins(__local td_room *room) {
    for (uint k = 0; k < 3; ++k) {
        const float lowest = td_number(room->measures[6 + k]);
        const float extent = td_number(room->measures[9 + k]) - lowest;
        float scale = extent > 0 ? (float)((double)(0.9999f * (float)TD_BINS) / (double)extent) : 0;
        scale = scale < FLT_MAX ? scale : 0;
        room->offset[k] = lowest;
        room->scale[k] = scale;
    }
}

static void td_set_node(__global td_tree_node *node, const float lower[3], const float upper[3], uint count) {
    node->area = td_area(lower, upper);
    node->count = count;
}

static void td_empty_bin(__local td_bin *bin) {
    for (uint k = 0; k < 3; ++k) {
        bin->lower[k] = FLT_MAX;
        bin->upper[k] = -FLT_MAX;
    }
    bin->count = 0;
}

static void td_grow_bin(__local td_bin *bin, const float low[3], const float high[3], uint count) {
    for (uint k = 0; k < 3; ++k) {
        bin->lower[k] = low[k] < bin->lower[k] ? low[k] : bin->lower[k];
        bin->upper[k] = high[k] > bin->upper[k] ? high[k] : bin->upper[k];
    }
    bin->count += count;
}

// Work-item 3 s + axis fills bins of its own along the axis, with every TD_SLICES-th sample from s on: so
// none waits for another. Then they are joined to those of slice 0.
static void td_fill_bins(__local td_room *room, __global const td_prim *prims, uint samples, uint stride) {
    const uint item = (uint)get_local_id(0), axis = item % 3, slice = item / 3;
    if (slice < TD_SLICES) {
        __local td_bin *bins = room->bins[slice][axis];
        const float offset = room->offset[axis], scale = room->scale[axis];
        for (uint b = 0; b < TD_BINS; ++b) {
            td_empty_bin(bins + b);
        }
        for (uint i = slice; i < samples; i += TD_SLICES) {
            const td_prim prim = prims[td_sample_place(i, stride)];
            const float key = prim.lower[axis] + prim.upper[axis];
            td_grow_bin(bins + (uint)((key - offset) * scale), prim.lower, prim.upper, 1);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < 3 * TD_BINS; i += TD_GROUP) {
        for (uint s = 1; s < TD_SLICES; ++s) {
            const td_bin other = room->bins[s][i / TD_BINS][i % TD_BINS];
            td_grow_bin(&room->bins[0][i / TD_BINS][i % TD_BINS], other.lower, other.upper, other.count);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Area times number of the bins [begin, end) of an axis; their number.
static float td_cost_of_bins(uint *number, __local const td_room *room, uint axis, uint begin, uint end) {
    float lower[3], upper[3];
    uint count = 0;
    td_empty(lower, upper);
    for (uint b = begin; b < end; ++b) {
        const td_bin bin = room->bins[0][axis][b];
        td_grow(lower, upper, bin.lower, bin.upper);
        count += bin.count;
    }
    *number = count;
    return count == 0 ? 0 : td_area(lower, upper) * (float)count;
}

// The cheapest border between bins, the first of equals.
static void td_find_border(__local td_room *room, uint samples, td_tree_rules rules) {
    for (uint i = (uint)get_local_id(0); i < 3 * TD_BINS; i += TD_GROUP) {
        const uint axis = i / TD_BINS, b = i % TD_BINS;
        uint left, right;
        const float cost_left = td_cost_of_bins(&left, room, axis, 0, b);
        const float cost_right = td_cost_of_bins(&right, room, axis, b, TD_BINS);
        const bool none = left == 0 || left == samples;
        room->costs[axis][b] =
            none ? FLT_MAX : (cost_left + cost_right) * td_cut_weight(rules, left, samples - left);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        float best = FLT_MAX;
        room->axis = room->limit = 0;
        for (uint i = 0; i < 3 * TD_BINS; ++i) {
            if (room->costs[i / TD_BINS][i % TD_BINS] < best) {
                best = room->costs[i / TD_BINS][i % TD_BINS];
                room->axis = i / TD_BINS;
                room->limit = i % TD_BINS;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static uint td_goes_right(__local const td_room *room, const td_prim *prim) {
    const uint axis = room->axis;
    const float key = prim->lower[axis] + prim->upper[axis];
    return (key - room->offset[axis]) * room->scale[axis] >= (float)room->limit;
}

// Moves the prims to the other buffer: every work-item a run of them. Left ones keep their order; right ones
// do if `together`, as where all threads cut a node together, else theirs is turned round. Returns the number
// of left ones; if it is 0 or all, nothing is moved.
static uint td_partition(__local td_room *room, __global td_prim *to, __global const td_prim *from,
                         uint count, bool together) {
    const uint item = (uint)get_local_id(0), run = count / TD_GROUP + (count % TD_GROUP != 0);
    const uint begin = min(item * run, count), end = min(begin + run, count);
    uint own = 0, before = 0, left = 0;
    for (uint i = begin; i < end; ++i) {
        const td_prim prim = from[i];
        own += 1 - td_goes_right(room, &prim);
    }
    room->lefts[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TD_GROUP; ++i) {
        before += i < item ? room->lefts[i] : 0;
        left += room->lefts[i];
    }
    if (left > 0 && left < count) {
        uint next_left = before, next_right = begin - before;
        for (uint i = begin; i < end; ++i) {
            const td_prim prim = from[i];
            if (td_goes_right(room, &prim)) {
                to[together ? left + next_right : count - 1 - next_right] = prim;
                ++next_right;
            } else {
                to[next_left++] = prim;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return left;
}

// Cuts a set of more than TD_SMALL_SET prims.
static void td_cut_large(td_build_unit halves[2], __local td_room *room, td_build_unit unit,
                         __global td_prim *prims, __global td_prim *other, __global td_tree_node *nodes,
                         td_tree_rules rules, uint most) {
    __global td_prim *from = (unit.side == 0 ? prims : other) + unit.first;
    __global td_prim *to = (unit.side == 0 ? other : prims) + unit.first;
    td_measure(room, from, unit.count);
    if (get_local_id(0) == 0) {
        float lower[3], upper[3];
        for (uint k = 0; k < 3; ++k) {
            lower[k] = td_number(room->measures[k]);
            upper[k] = td_number(room->measures[3 + k]);
        }
        td_set_node(nodes + unit.node, lower, upper, unit.count);
        td_choose_bins(room);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint stride = td_sample_stride(unit.count), samples = unit.count / stride;
    td_fill_bins(room, from, samples, stride);
    td_find_border(room, samples, rules);
    const bool together = unit.count > most && unit.count >= TD_TOGETHER;
    uint left = 0, side = unit.side;
    if (room->limit > 0) {
        left = td_partition(room, to, from, unit.count, together);
    }
    if (left > 0 && left < unit.count) {
        side = 1 - unit.side;
    } else { // all centres in one bin of every axis: any cut is as good
        left = unit.count / 2;
    }
    halves[0].node = unit.node + 1;
    halves[0].first = unit.first;
    halves[0].count = left;
    halves[1].node = unit.node + 2 * left;
    halves[1].first = unit.first + left;
    halves[1].count = unit.count - left;
    halves[0].side = halves[1].side = side;
}

// ---------------------------------------------------------------------------------------------------------
// Small sets: full sweeps, down to the leaves

// Keys are unique: their lowest bits are the places of the prims in the whole set.
static void td_load_small(__local td_room *room, __global const td_prim *prims, td_build_unit unit) {
    for (uint i = (uint)get_local_id(0); i < unit.count; i += TD_GROUP) {
        const td_prim prim = prims[i];
        room->prims[i] = prim;
        room->places[i] = (uchar)i;
        for (uint axis = 0; axis < 3; ++axis) {
            const int key = td_ordered(prim.lower[axis] + prim.upper[axis]);
            room->keys[axis][i] = (key & ~(TD_SMALL_SET - 1)) | (int)i;
        }
    }
    if (get_local_id(0) == 0) {
        room->waiting[0].node = unit.node;
        room->waiting[0].first = 0;
        room->waiting[0].count = unit.count;
        room->depth = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void td_sort_axes(__local td_room *room, td_small set) {
    for (uint i = (uint)get_local_id(0); i < 3 * set.count; i += TD_GROUP) {
        const uint axis = i / set.count, place = room->places[set.first + i % set.count];
        uint rank = 0;
        for (uint j = 0; j < set.count; ++j) {
            rank += room->keys[axis][room->places[set.first + j]] < room->keys[axis][place];
        }
        room->order[axis][rank] = (uchar)place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The box around the prims that stand at [begin, end) of an order.
static void td_box_of(float lower[3], float upper[3], __local const td_room *room, __local const uchar *order,
                      uint begin, uint end) {
    td_empty(lower, upper);
    for (uint i = begin; i < end; ++i) {
        const td_prim prim = room->prims[order[i]];
        td_grow(lower, upper, prim.lower, prim.upper);
    }
}

// Areas of the first 1, 2, ... prims of every order, and of the last ones: a work-item each.
static void td_sweep(__local td_room *room, td_small set) {
    for (uint i = (uint)get_local_id(0); i < 6; i += TD_GROUP) {
        const uint axis = i % 3, from_the_end = i / 3;
        float lower[3], upper[3];
        td_empty(lower, upper);
        for (uint n = 1; n < set.count; ++n) {
            const td_prim prim = room->prims[room->order[axis][from_the_end ? set.count - n : n - 1]];
            td_grow(lower, upper, prim.lower, prim.upper);
            room->areas[from_the_end][axis][n] = td_area(lower, upper);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void td_try_cuts(__local td_room *room, td_small set, td_tree_rules rules) {
    for (uint i = (uint)get_local_id(0); i < 3 * set.count; i += TD_GROUP) {
        const uint axis = i / set.count, left = i % set.count, right = set.count - left;
        float cost = INFINITY;
        if (left > 0 && td_may_cut(rules, left, right)) {
            cost = td_cut_weight(rules, left, right) *
                   (room->areas[0][axis][left] * (float)left + room->areas[1][axis][right] * (float)right);
        }
        room->costs[axis][left] = cost;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// By one work-item: the cheapest cut, the first of equals. The halves wait.
static void td_take_cut(__local td_room *room, td_small set, td_tree_rules rules) {
    uint best_axis = 0, best = 0;
    float cost = INFINITY;
    for (uint axis = 0; axis < 3; ++axis) {
        for (uint left = 1; left < set.count; ++left) {
            if (room->costs[axis][left] < cost) {
                cost = room->costs[axis][left];
                best_axis = axis;
                best = left;
            }
        }
    }
    for (uint left = 1; best == 0; ++left) { // areas beyond float32: the first cut there is
        best = td_may_cut(rules, left, set.count - left) ? left : 0;
    }
    for (uint i = 0; i < set.count; ++i) {
        room->places[set.first + i] = room->order[best_axis][i];
    }
    __local td_small *halves = room->waiting + room->depth;
    halves[0].node = set.node + 2 * best;
    halves[0].first = set.first + best;
    halves[0].count = set.count - best;
    halves[1].node = set.node + 1;
    halves[1].first = set.first;
    halves[1].count = best;
    room->depth += 2;
}

static void td_build_small(__local td_room *room, td_build_unit unit, __global td_prim *prims,
                           __global const td_prim *other, __global td_tree_node *nodes, td_tree_rules rules) {
    const uint item = (uint)get_local_id(0);
    td_load_small(room, (unit.side == 0 ? prims : other) + unit.first, unit);
    while (room->depth > 0) {
        const td_small set = room->waiting[room->depth - 1];
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it
        if (item == 0) {
            float lower[3], upper[3];
            room->depth--;
            td_box_of(lower, upper, room, room->places, set.first, set.first + set.count);
            td_set_node(nodes + set.node, lower, upper, set.count);
        }
        if (set.count > rules.leaf_size) { // so for all work-items
            td_sort_axes(room, set);
            td_sweep(room, set);
            td_try_cuts(room, set, rules);
            if (item == 0) {
                td_take_cut(room, set, rules);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = item; i < unit.count; i += TD_GROUP) {
        prims[unit.first + i] = room->prims[room->places[i]];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---------------------------------------------------------------------------------------------------------

// Returns how many units follow. For all work-items of a group.
static uint td_split(td_build_unit halves[2], __local td_room *room, td_build_unit unit,
                     __global td_prim *prims, __global td_prim *other, __global td_tree_node *nodes,
                     td_tree_rules rules, uint most) {
    if (unit.count <= TD_SMALL_SET) {
        td_build_small(room, unit, prims, other, nodes, rules);
        return 0;
    }
    td_cut_large(halves, room, unit, prims, other, nodes, rules, most);
    return 2;
}

// A unit per group. halves[2 i] and the next follow from units[i]; counts[i]: how many do.
__kernel __attribute__((reqd_work_group_size(TD_GROUP, 1, 1))) void
td_split_level(__global td_prim *prims, __global td_prim *other, __global td_tree_node *nodes,
               __global const td_build_unit *units, __global td_build_unit *halves, __global uint *counts,
               td_tree_rules rules, uint most) {
    __local td_room room;
    const uint number = (uint)get_group_id(0);
    td_build_unit own[2];
    const uint count = td_split(own, &room, units[number], prims, other, nodes, rules, most);
    if (get_local_id(0) == 0) {
        counts[number] = count;
        for (uint i = 0; i < count; ++i) {
            halves[2 * (size_t)number + i] = own[i];
        }
    }
}

// Compaction: `starts` are the prefix sums of the counts, `total` their sum.
__kernel void td_take_halves(__global td_build_unit *next, __global const td_build_unit *halves,
                             __global const uint *starts, uint count, uint total) {
    const uint number = (uint)get_global_id(0);
    if (number < count) {
        const uint start = starts[number], end = number + 1 < count ? starts[number + 1] : total;
        for (uint i = start; i < end; ++i) {
            next[i] = halves[2 * (size_t)number + (i - start)];
        }
    }
}

// What the first work-item of a task tells the others.
typedef struct td_task {
    td_build_unit unit;
    uint stopped; // 1: its queue is empty or full; 2: others are idle
} td_task;

// A task per group; its queue in global memory (src/device/balance.h). The larger half waits, so that a queue
// holds few units, the largest of them first.
__kernel __attribute__((reqd_work_group_size(TD_GROUP, 1, 1))) void
td_split_balanced(__global td_prim *prims, __global td_prim *other, __global td_tree_node *nodes,
                  __global td_build_unit *queues, __global uint *counts, __global uint *starts,
                  volatile __global uint *idle, uint threshold, uint capacity, td_tree_rules rules,
                  uint most) {
    __local td_room room;
    __local td_task task;
    const uint number = (uint)get_group_id(0);
    const bool leads = get_local_id(0) == 0;
    __global td_build_unit *queue = queues + (size_t)number * capacity;
    uint left = leads ? counts[number] : 0, stopped = 0; // the first work-item's
    for (;;) {
        if (leads) {
            if (stopped == 0 && (left == 0 || left + 1 > capacity)) {
                stopped = 1;
            } else if (stopped == 0) {
                task.unit = queue[--left];
            }
            task.stopped = stopped;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (task.stopped != 0) {
            break; // all of them
        }
        const td_build_unit unit = task.unit;
        td_build_unit halves[2];
        const uint count = td_split(halves, &room, unit, prims, other, nodes, rules, most);
        if (leads) {
            if (count == 2) {
                const uint larger = halves[1].count > halves[0].count;
                queue[left++] = halves[larger];
                queue[left++] = halves[1 - larger];
            }
            stopped = atomic_add(idle, 0) >= threshold ? 2 : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (leads) {
        counts[number] = left;
        starts[number] = left;
        if (stopped == 1) {
            atomic_inc(idle);
        }
    }
}
