// Strategy `front` (paper 001, section 4.2, Fig. 4): a front that lies in the memory of the device is tested,
// a work-item per entry, and the next one written beside it (src/traverse/front_device.c). All lists keep
// their order, by prefix sums: so siblings are neighbours, and the next front is the native one, entry by
// entry.
//
// Options: TD_WALK_OBB (else AABBs), TD_FRONT_MOVING (of a step: src/traverse/swept_device.h).
#include "../src/traverse/device_tally.h"
#include "../src/traverse/device_welded.h"
#include "../src/traverse/front_units.h"
#include "../src/traverse/test_tree.h"

#ifdef TD_WALK_OBB
typedef td_obbf td_walk_box;
#define TD_WALK_ARENA TD_ARENA_TURNED
#else
typedef td_split_box td_walk_box;
#define TD_WALK_ARENA TD_ARENA_SPLITS
#endif

static td_test_tree td_tree_of(__global const td_split_node *nodes, __global const td_walk_box *boxes,
                               __global const td_device_pair *pair, td_front_way way) {
    td_test_tree tree;
    tree.a = nodes + pair->first_a[TD_ARENA_SPLIT];
    tree.b = nodes + pair->first_b[TD_ARENA_SPLIT];
#ifdef TD_WALK_OBB
    tree.boxes_a = tree.boxes_b = 0;
    tree.obbs_a = boxes + pair->first_a[TD_WALK_ARENA];
    tree.obbs_b = boxes + pair->first_b[TD_WALK_ARENA];
#else
    tree.boxes_a = boxes + pair->first_a[TD_WALK_ARENA];
    tree.boxes_b = boxes + pair->first_b[TD_WALK_ARENA];
    tree.obbs_a = tree.obbs_b = 0;
#endif
    tree.place = pair->place;
    tree.ratio = way.ratio;
    tree.one_frame = way.one_frame;
    tree.self = pair->self;
    return tree;
}

static td_u32_pair td_pair_at(__global const td_front_entry *entries, uint at) {
    return td_node_pair(entries[at].a, entries[at].b);
}

// ---------------------------------------------------------------------------------------------------------
// The entries of the last front

__kernel void td_test_entries(__global const td_split_node *nodes, __global const td_walk_box *boxes,
                              __global const td_device_pair *pairs, td_front_way way,
                              __global const td_front_entry *entries, uint count, __global uint *meets) {
    const uint item = get_global_id(0);
    if (item < count) {
        const td_test_tree tree = td_tree_of(nodes, boxes, pairs + way.pair, way);
        meets[item] = (uint)td_front_overlap(&tree, td_pair_at(entries, item));
    }
}

// Whether entries `left` and left + 1 are the family, and both are apart.
static bool td_both_apart(__global const td_front_entry *entries, uint count, uint chunk,
                          __global const uint *meets, uint left, const td_front_family *family) {
    return left + 1 < count && left / chunk == (left + 1) / chunk && meets[left] == 0 &&
           meets[left + 1] == 0 && td_is_pair(entries[left], family->left) &&
           td_is_pair(entries[left + 1], family->right);
}

// What an entry that overlaps does.
static uint td_move_of(const td_test_tree *tree, td_front_entry entry) {
    if (!td_front_is_leaf(tree, td_node_pair(entry.a, entry.b))) {
        return TD_MOVE_DESCENDS;
    }
    return entry.lanes == 0 ? TD_MOVE_GONE : TD_MOVE_MEETS; // no part of the tree
}

// How entries move, by what they and their neighbours in the list were found to be. Only the left-most
// sibling asks whether to ascend, and writes for both. keeps[i]: entries of the next front that become of
// entry i, of those that descend not known yet; without `record`, only those whose triangles are to be
// tested. descends[i]: 1 if it does.
__kernel void td_move_entries(__global const td_split_node *nodes, __global const td_walk_box *boxes,
                              __global const td_device_pair *pairs, td_front_way way,
                              __global const td_front_entry *entries, uint count, uint chunk, uint record,
                              __global const uint *meets, __global uint *moves, __global uint *keeps,
                              __global uint *descends, volatile __global uint *counts) {
    __local uint asked, ascended;
    const uint item = get_global_id(0);
    if (get_local_id(0) == 0) {
        asked = ascended = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) {
        const td_test_tree tree = td_tree_of(nodes, boxes, pairs + way.pair, way);
        uint move = TD_MOVE_STAYS;
        bool follows = false;
        if (meets[item]) {
            move = td_move_of(&tree, entries[item]);
        } else if (record) {
            const td_front_family family = td_front_family_of(&tree, td_pair_at(entries, item));
            if (family.known && td_both_apart(entries, count, chunk, meets, item, &family)) {
                move = td_front_overlap(&tree, family.parent) ? TD_MOVE_STAYS : TD_MOVE_ASCENDS;
                moves[item + 1] = move == TD_MOVE_ASCENDS ? TD_MOVE_GONE : TD_MOVE_STAYS;
                keeps[item + 1] = move != TD_MOVE_ASCENDS;
                descends[item + 1] = 0;
                atomic_inc(&asked);
                if (move == TD_MOVE_ASCENDS) {
                    atomic_add(&ascended, 2);
                }
            }
            follows =
                family.known && item > 0 && td_both_apart(entries, count, chunk, meets, item - 1, &family);
        }
        if (!follows) {
            moves[item] = move;
            keeps[item] = record ? move != TD_MOVE_GONE && move != TD_MOVE_DESCENDS : move == TD_MOVE_MEETS;
            descends[item] = move == TD_MOVE_DESCENDS;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && asked > 0) {
        atomic_add(counts + TD_COUNT_TESTS, asked);
        atomic_add(counts + TD_COUNT_ASCENDED, ascended);
    }
}

// ---------------------------------------------------------------------------------------------------------
// What is below those that descend: units, round by round. A unit is an entry whose lanes tell what it is.

static uint td_follow(td_front_entry unit, uint self, uint carry) {
    return unit.lanes == TD_UNIT_OPENS ? td_front_children(self, td_node_pair(unit.a, unit.b)) : carry;
}

// The first round: the entries that descend. With `carry`, units know where they come from, and each how many
// it leads to.
__kernel void td_take_entries(__global const td_device_pair *pairs, td_front_way way,
                              __global const td_front_entry *entries, uint count, __global const uint *moves,
                              __global const uint *places, uint carry, __global td_front_entry *units,
                              __global uint *origins, __global uint *follow) {
    const uint item = get_global_id(0);
    if (item >= count || moves[item] != TD_MOVE_DESCENDS) {
        return;
    }
    const uint at = places[item];
    td_front_entry unit = entries[item];
    unit.lanes = TD_UNIT_OPENS;
    units[at] = unit;
    if (carry) {
        origins[at] = item;
        follow[at] = td_follow(unit, pairs[way.pair].self, carry);
    }
}

// Units that wait, from `first` on.
__kernel void td_slice_units(__global const td_device_pair *pairs, td_front_way way,
                             __global const td_front_entry *waiting, uint first, uint count,
                             __global td_front_entry *units, __global uint *follow) {
    const uint item = get_global_id(0);
    if (item < count) {
        const td_front_entry unit = waiting[first + item];
        units[item] = unit;
        follow[item] = td_follow(unit, pairs[way.pair].self, 0);
    }
}

// A round, after the prefix sum of what units lead to: those that open give way to the pairs that follow,
// which are tested here; with `carry` the others are copied.
__kernel void td_open_units(__global const td_split_node *nodes, __global const td_walk_box *boxes,
                            __global const td_device_pair *pairs, td_front_way way,
                            __global const td_front_entry *units, __global const uint *origins,
                            __global const uint *places, uint count, uint carry, uint next_first,
                            __global td_front_entry *next, __global uint *next_origins,
                            __global uint *next_follow, volatile __global uint *counts) {
    __local uint tests;
    const uint item = get_global_id(0);
    if (get_local_id(0) == 0) {
        tests = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) {
        td_front_entry unit = units[item];
        uint at = next_first + places[item];
        if (unit.lanes == TD_UNIT_OPENS) {
            const td_test_tree tree = td_tree_of(nodes, boxes, pairs + way.pair, way);
            td_u32_pair top[3];
            const uint children = td_front_open(&tree, td_node_pair(unit.a, unit.b), top);
            for (uint k = children; k-- > 0; ++at) {
                unit = td_new_entry(top[k]);
                if (td_front_overlap(&tree, top[k])) {
                    unit.lanes = td_front_is_leaf(&tree, top[k]) ? TD_UNIT_MEETS : TD_UNIT_OPENS;
                }
                next[at] = unit;
                if (carry) {
                    next_origins[at] = origins[item];
                    next_follow[at] = td_follow(unit, tree.self, carry);
                }
            }
            atomic_add(&tests, children);
        } else if (carry) {
            next[at] = unit;
            next_origins[at] = origins[item];
            next_follow[at] = carry;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && tests > 0) {
        atomic_add(counts + TD_COUNT_TESTS, tests);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The next front

// Units of one origin stand in a row: where they begin, then how many there are.
__kernel void td_find_begins(__global const uint *origins, uint count, __global uint *begins) {
    const uint item = get_global_id(0);
    if (item < count && (item == 0 || origins[item - 1] != origins[item])) {
        begins[origins[item]] = item;
    }
}

__kernel void td_find_lengths(__global const uint *origins, uint count, __global const uint *begins,
                              __global uint *keeps) {
    const uint item = get_global_id(0);
    if (item < count && (item + 1 == count || origins[item + 1] != origins[item])) {
        keeps[origins[item]] = item + 1 - begins[origins[item]];
    }
}

// After the prefix sum of `keeps`.
__kernel void td_put_entries(__global const td_split_node *nodes, __global const td_walk_box *boxes,
                             __global const td_device_pair *pairs, td_front_way way,
                             __global const td_front_entry *entries, uint count, uint record,
                             __global const uint *moves, __global const uint *places,
                             __global td_front_entry *next) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const uint move = moves[item];
    td_front_entry entry = entries[item];
    if (move == TD_MOVE_MEETS) {
        entry.lanes = entry.lanes == TD_LANES_UNKNOWN ? TD_UNIT_MEETS : TD_UNIT_KNOWN | entry.lanes;
        next[places[item]] = entry;
    } else if (record && move == TD_MOVE_STAYS) {
        next[places[item]] = entry;
    } else if (record && move == TD_MOVE_ASCENDS) {
        const td_test_tree tree = td_tree_of(nodes, boxes, pairs + way.pair, way);
        next[places[item]] = td_new_entry(td_front_family_of(&tree, td_node_pair(entry.a, entry.b)).parent);
    }
}

__kernel void td_put_units(__global const td_front_entry *units, __global const uint *origins, uint count,
                           __global const uint *begins, __global const uint *places,
                           __global td_front_entry *next) {
    const uint item = get_global_id(0);
    if (item < count) {
        const uint origin = origins[item];
        next[places[origin] + item - begins[origin]] = units[item];
    }
}

// ---------------------------------------------------------------------------------------------------------
// Tiles

// The lanes of two quads that count (td_tile_lanes, natively). What of the meshes is asked for, by kernel
// arguments: of a step, the features of its triangles.
#ifdef TD_FRONT_MOVING
#include "../src/traverse/swept_lanes.h"

#define TD_OF_LEAVES                                                                                         \
    __global const td_swept_quad *quads_a, __global const td_swept_triangle *triangles_a,                    \
        __global const td_swept_quad *quads_b, __global const td_swept_triangle *triangles_b
#define TD_LEAVES quads_a, triangles_a, quads_b, triangles_b

static uint td_lanes_of(TD_OF_LEAVES, __global const td_device_pair *pair, uint a, uint b) {
    uint lanes = 0;
    for (uint lane = 0; lane < 16; ++lane) {
        const uint x = quads_a[a].triangle[lane % 4], y = quads_b[b].triangle[lane / 4];
        const bool twice = pair->self && a == b && lane % 4 >= lane / 4;
        if (x != TD_NONE && y != TD_NONE && !twice &&
            td_own_features(triangles_a + x, triangles_b + y, pair->self)) {
            lanes |= 1u << lane;
        }
    }
    return lanes;
}
#else
#define TD_OF_LEAVES __global const td_quad *quads, __global const uint *welded
#define TD_LEAVES    quads, welded

static uint td_lanes_of(TD_OF_LEAVES, __global const td_device_pair *pair, uint a, uint b) {
    __global const td_quad *quad_a = quads + pair->first_a[TD_ARENA_QUADS] + a;
    __global const td_quad *quad_b = quads + pair->first_b[TD_ARENA_QUADS] + b;
    __global const uint *own = welded + 12 * (size_t)pair->first_a[TD_ARENA_WELDED];
    uint lanes = 0;
    for (uint lane = 0; lane < 16; ++lane) {
        const bool empty = quad_a->scale[lane % 4] < 0 || quad_b->scale[lane / 4] < 0;
        const bool twice = pair->self && a == b && lane % 4 >= lane / 4;
        if (!empty && !twice &&
            !(pair->self &&
              td_share_a_corner(own + 12 * (size_t)a, lane % 4, own + 12 * (size_t)b, lane / 4))) {
            lanes |= 1u << lane;
        }
    }
    return lanes;
}
#endif

// Entries first ... first + count - 1 that are quads and overlap become tiles, behind tiles_first, if any of
// their triangles counts; which of them do is noted.
__kernel void td_emit_tiles(__global const td_split_node *nodes, __global const td_device_pair *pairs,
                            td_front_way way, TD_OF_LEAVES, __global td_front_entry *entries, uint first,
                            uint count, __global td_device_place *tiles, uint tiles_first,
                            volatile __global uint *counts, volatile __global uint *tallies) {
    __local uint found, triangles, base;
    const uint item = get_global_id(0);
    if (get_local_id(0) == 0) {
        found = triangles = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    td_device_place tile = {way.pair, 0, 0};
    uint lanes = 0, at = 0;
    td_front_entry entry = {0, 0, TD_LANES_UNKNOWN};
    if (item < count) {
        entry = entries[first + item];
    }
    const uint state = entry.lanes & TD_UNIT_STATE;
    if (state == TD_UNIT_KNOWN || state == TD_UNIT_MEETS) {
        __global const td_device_pair *pair = pairs + way.pair;
        tile.a = nodes[pair->first_a[TD_ARENA_SPLIT] + entry.a].right;
        tile.b = nodes[pair->first_b[TD_ARENA_SPLIT] + entry.b].right;
        lanes = state == TD_UNIT_MEETS ? td_lanes_of(TD_LEAVES, pair, tile.a, tile.b)
                                       : entry.lanes & TD_UNIT_LANES;
        entries[first + item].lanes = lanes;
        if (lanes != 0) {
            at = atomic_inc(&found);
            atomic_add(&triangles, popcount(lanes));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && found > 0) {
        base = tiles_first + atomic_add(counts + TD_COUNT_CANDIDATES, found);
        td_tally_add(tallies, way.pair, TD_TALLY_TRIANGLES, triangles);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lanes != 0) {
        tiles[base + at] = tile;
    }
}
