// Pairs of blocks: 16 box tests, and what follows from them. Part of wide_wide.c and blocked_wide.c.
//
//   internal x internal   every pair of nodes that overlaps: visit the pair of their blocks
//   leaf x internal       hold the leaf block, visit it with every block whose node meets any of its quads
//   leaf x leaf           every pair of quads that overlaps: 16 triangle tests
//
// A leaf block is held whole, so no pair of blocks is visited twice (paper 002, Figs. 3 and 4).
//
// Self-collision visits a block with itself: pairs of nodes i < j as above, and every node with itself.
#ifndef TD_TRAVERSE_BLOCKS_WIDE_H
#define TD_TRAVERSE_BLOCKS_WIDE_H

#include "../predicates/box_box_wide.h"
#include "tiles_wide.h"

#define TD_DIAGONAL 0x8421u

typedef struct td_block_visit {
    td_tile_visit tiles;
    td_wide_frame frame;
    td_worker *worker;
    const td_traversal *traversal;
    const td_blocked *a, *b;
    size_t most_held; // pairs of blocks that waited to be visited at the same time
} td_block_visit;

static void td_prepare_blocks(td_block_visit *visit, td_worker *worker, const td_traversal *traversal) {
    const td_frame *frame = traversal->frame;
    td_prepare_tiles(&visit->tiles, worker, traversal);
    visit->worker = worker;
    visit->traversal = traversal;
    visit->a = traversal->a;
    visit->b = traversal->b;
    visit->most_held = 0;
    for (int k = 0; k < 9; ++k) {
        visit->frame.rotation[k] = td_wf_set1(frame->rotation_f[k]);
        visit->frame.reach[k] = td_wf_set1(frame->reach[k]);
        visit->frame.unit[k] = td_wf_set1(frame->unit[k]);
        visit->frame.unit_reach[k] = td_wf_set1(frame->unit_reach[k]);
    }
    for (int k = 0; k < 3; ++k) {
        visit->frame.shift[k] = td_wf_set1(frame->shift_f[k]);
    }
    // A box of A enlarged by the margin along its axes holds every point within the margin of it. So all
    // tests add at least the margin: on an axis of B or across a slab, the sum of |components| of a unit
    // vector is at least 1. The roundings of this, a few 2^-24 of the margin, are what 2^-18 of it are for
    // (frame.c).
    visit->frame.slack = td_wf_set1(frame->slack + frame->margin);
    visit->frame.ratio = td_wf_set1((float)frame->ratio);
}

static inline void td_hold(td_block_visit *visit, size_t pairs) {
    visit->most_held = pairs > visit->most_held ? pairs : visit->most_held;
}

static inline void td_count_state(const td_block_visit *visit) {
    td_counters *counters = &visit->worker->counters;
    const uint64_t bits = 64 * (uint64_t)visit->most_held; // two indices of 32 bits each
    counters->state_bits = bits > counters->state_bits ? bits : counters->state_bits;
}

static inline bool td_are_leaves(const td_block_visit *visit, td_pair pair) {
    return visit->a->blocks[pair.a].leaf && visit->b->blocks[pair.b].leaf;
}

static inline void td_fetch_blocks(const td_block_visit *visit, td_pair pair) {
    const char *a = (const char *)&visit->a->blocks[pair.a], *b = (const char *)&visit->b->blocks[pair.b];
    __builtin_prefetch(a);
    __builtin_prefetch(a + 64);
    __builtin_prefetch(b);
    __builtin_prefetch(b + 64);
}

// ---------------------------------------------------------------------------------------------------------
// Testing

static inline td_wide_boxes td_boxes_of(const td_blocked *blocked, const td_block *block, bool slabs) {
    td_wide_boxes boxes = {.center = block->center, .half = block->half};
    if (slabs) {
        const td_slabs *s = &blocked->slabs[block->slabs];
        boxes.normal = s->normal;
        boxes.slab_middle = s->middle;
        boxes.slab_half = s->half;
    }
    return boxes;
}

// The pairs of nodes that are to be followed, as tile bits. `leaves`: both are leaf blocks.
TD_OP uint32_t td_test_blocks(const td_block_visit *visit, td_pair pair, bool leaves) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const td_wide_boxes boxes_a = td_boxes_of(visit->a, a, leaves),
                        boxes_b = td_boxes_of(visit->b, b, leaves);
    visit->worker->counters.box_tests += a->node_count * b->node_count;
    const uint32_t overlap = td_boxes_overlap(&boxes_a, &boxes_b, &visit->frame, leaves);
    if (visit->traversal->self && pair.a == pair.b) {
        // Each node meets itself without a test; imaginary nodes do not.
        return (overlap & TD_UPPER_LANES) | (TD_DIAGONAL & td_spread_bits((1u << a->node_count) - 1u));
    }
    return overlap;
}

// Bit i: bit i of any of the four groups of four.
static inline uint32_t td_any_in_columns(uint32_t bits) {
    bits |= bits >> 8;
    return (bits | bits >> 4) & 0xfu;
}

// Bit j: any bit of group j.
static inline uint32_t td_any_in_rows(uint32_t bits) {
    bits |= bits >> 2;
    bits = (bits | bits >> 1) & 0x1111u;
    return (bits | bits >> 3 | bits >> 6 | bits >> 9) & 0xfu;
}

// What follows from a pair of blocks, as tile bits; td_append knows what they stand for.
typedef struct td_flags {
    uint32_t blocks; // pairs of blocks that are not both leaf blocks
    uint32_t leaves; // pairs of leaf blocks
} td_flags;

// For a pair of blocks that are not both leaf blocks. Where a leaf block is held, one flag stands for all of
// its nodes.
TD_OP td_flags td_flag_blocks(const td_block_visit *visit, td_pair pair) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const uint32_t overlap = td_test_blocks(visit, pair, false);
    if (!a->leaf && !b->leaf) {
        const uint32_t leaves = td_repeat_bits(a->leaf_children) & td_spread_bits(b->leaf_children);
        return (td_flags){overlap & ~leaves, overlap & leaves};
    }
    if (a->leaf) {
        const uint32_t open = td_any_in_rows(overlap);
        return (td_flags){td_spread_bits(open & ~b->leaf_children) & 0x1111u,
                          td_spread_bits(open & b->leaf_children) & 0x1111u};
    }
    const uint32_t open = td_any_in_columns(overlap);
    return (td_flags){open & ~a->leaf_children, open & a->leaf_children};
}

// ---------------------------------------------------------------------------------------------------------
// Collecting

// Writes the pairs of blocks that `flags` of `pair` stand for to `out`, and returns how many. `out` has room
// for 16, whatever the flags.
static inline uint32_t td_append(td_pair *out, const td_block_visit *visit, td_pair pair, uint32_t flags) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const uint32_t held_a[4] = {pair.a, pair.a, pair.a, pair.a};
    const uint32_t held_b[4] = {pair.b, pair.b, pair.b, pair.b};
    return td_wide_pairs((td_wide_pair *)(void *)out, a->leaf ? held_a : a->child,
                         b->leaf ? held_b : b->child, flags);
}

// The same for tiles: `flags` are those of two leaf blocks.
static inline uint32_t td_append_tiles(td_pair *out, const td_block_visit *visit, td_pair pair,
                                       uint32_t flags) {
    return td_wide_pairs((td_wide_pair *)(void *)out, visit->a->blocks[pair.a].child,
                         visit->b->blocks[pair.b].child, flags);
}

#endif
