// Strategy `blocked` on a device (paper 002, section 2): 16 work-items per pair of blocks, one box test each.
// A flag per test, one bit (its future work); the flags of a pair of blocks are one word, whose upper half
// says what they mean.
#include "../src/traverse/device_tally.h"

#define TD_FLAGS_TILES 0x10000u // the flags are of quads: both blocks are leaf blocks

// One side stays at a leaf block while the other is opened: of the flags of an opened node one is enough,
// else the same pair of blocks would be visited again for each (Fig. 3).
static uint td_one_flag_per_node(uint flags, uint leaf_a, uint leaf_b) {
    if (leaf_a == leaf_b) {
        return flags;
    }
    uint kept = 0;
    for (uint node = 0; node < 4; ++node) {
        const uint of_node = flags & (leaf_a ? 0xfu << (4 * node) : 0x1111u << node);
        kept |= of_node & (0u - of_node); // the lowest
    }
    return kept;
}

// counts_next[i] and counts_tiles[i] become the numbers of pairs of blocks and of tiles that pair i leads to.
__kernel void td_flag_blocks(__global const td_block *blocks, __global const td_slabs *slabs,
                             __global const td_device_pair *pairs, __global const td_device_place *places,
                             uint count, __global uint *flags, __global uint *counts_next,
                             __global uint *counts_tiles, __local uchar *overlaps) {
    const uint item = get_global_id(0), lane = item % 16, number = item / 16;
    const uint group = get_local_id(0) / 16;
    td_device_place place;
    __global const td_device_pair *pair = pairs;
    __global const td_block *block_a = blocks, *block_b = blocks;
    if (number < count) {
        place = places[number];
        pair = pairs + place.pair;
        block_a = blocks + pair->first_a[TD_ARENA_BLOCKS] + place.a;
        block_b = blocks + pair->first_b[TD_ARENA_BLOCKS] + place.b;
        const td_lane_frame frame = pair->frame;
        // Self-collision: of a block with itself, pairs i < j, and every node with itself without a test.
        const bool same = pair->self && place.a == place.b;
        if (same && lane % 4 >= lane / 4) {
            overlaps[get_local_id(0)] = lane % 4 == lane / 4 && lane % 4 < block_a->node_count;
        } else {
            overlaps[get_local_id(0)] =
                (uchar)td_lane_boxes(block_a, slabs + pair->first_a[TD_ARENA_SLABS], block_b,
                                     slabs + pair->first_b[TD_ARENA_SLABS], lane, &frame);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (number < count && lane == 0) {
        uint word = 0;
        for (uint k = 0; k < 16; ++k) {
            word |= (uint)overlaps[16 * group + k] << k;
        }
        const uint leaf_a = block_a->leaf, leaf_b = block_b->leaf;
        word = td_one_flag_per_node(word, leaf_a, leaf_b);
        const uint bits = popcount(word);
        const uint tiles = leaf_a && leaf_b;
        flags[number] = word | (tiles ? TD_FLAGS_TILES : 0);
        counts_next[number] = tiles ? 0 : bits;
        counts_tiles[number] = tiles ? bits : 0;
    }
}

static uint td_used_lanes(__global const td_quad *quad) {
    return (quad->scale[0] >= 0) + (quad->scale[1] >= 0) + (quad->scale[2] >= 0) + (quad->scale[3] >= 0);
}

// After the prefix sums: every flag knows its place in the next array of block pairs, or of tiles. What was
// tested is counted here: a round that finds no room is given up before.
__kernel void td_collect_blocks(__global const td_block *blocks, __global const td_quad *quads,
                                __global const td_device_pair *pairs, __global const td_device_place *places,
                                uint count, __global const uint *flags, __global const uint *sums_next,
                                __global const uint *sums_tiles, __global td_device_place *next,
                                uint next_first, __global td_device_place *tiles, uint tiles_first,
                                volatile __global uint *tallies) {
    const uint item = get_global_id(0), lane = item % 16, number = item / 16;
    if (number >= count || (lane > 0 && (flags[number] >> lane & 1u) == 0)) {
        return;
    }
    const uint word = flags[number], rank = popcount(word & ((1u << lane) - 1));
    const td_device_place place = places[number];
    __global const td_device_pair *pair = pairs + place.pair;
    __global const td_block *block_a = blocks + pair->first_a[TD_ARENA_BLOCKS] + place.a;
    __global const td_block *block_b = blocks + pair->first_b[TD_ARENA_BLOCKS] + place.b;
    if (lane == 0) {
        td_tally_add(tallies, place.pair, TD_TALLY_BOXES, block_a->node_count * block_b->node_count);
        if ((word & 1u) == 0) {
            return;
        }
    }
    td_device_place found;
    found.pair = place.pair;
    if (word & TD_FLAGS_TILES) {
        found.a = block_a->child[lane % 4];
        found.b = block_b->child[lane / 4];
        tiles[tiles_first + sums_tiles[number] + rank] = found;
        td_tally_add(tallies, place.pair, TD_TALLY_TRIANGLES,
                     td_used_lanes(quads + pair->first_a[TD_ARENA_QUADS] + found.a) *
                         td_used_lanes(quads + pair->first_b[TD_ARENA_QUADS] + found.b));
    } else {
        found.a = block_a->leaf ? place.a : block_a->child[lane % 4];
        found.b = block_b->leaf ? place.b : block_b->child[lane / 4];
        next[next_first + sums_next[number] + rank] = found;
    }
}

// The pairs of blocks from `first` on, to be visited next.
__kernel void td_copy_places(__global td_device_place *slice, __global const td_device_place *places,
                             uint first, uint count) {
    const uint item = get_global_id(0);
    if (item < count) {
        slice[item] = places[first + item];
    }
}
