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

#include "tiles_wide.h"
#include "turned_blocks_wide.h"

#define TD_DIAGONAL 0x8421u

typedef struct td_block_visit {
    td_tile_visit tiles;
    td_turned_blocks turned;
    td_worker *worker;
    const td_traversal *traversal;
    const td_blocked *a, *b;
    size_t most_held; // pairs of blocks that waited to be visited at the same time
} td_block_visit;

// For visits that stop at boxes.
static void td_prepare_boxes(td_block_visit *visit, td_worker *worker, const td_traversal *traversal) {
    visit->worker = worker;
    visit->traversal = traversal;
    visit->a = traversal->a;
    visit->b = traversal->b;
    visit->most_held = 0;
    td_prepare_turned(&visit->turned, traversal);
}

static inline void td_prepare_blocks(td_block_visit *visit, td_worker *worker,
                                     const td_traversal *traversal) {
    td_prepare_tiles(&visit->tiles, worker, traversal);
    td_prepare_boxes(visit, worker, traversal);
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

// The pairs of nodes that are to be followed, as tile bits. `leaves`: both are leaf blocks.
TD_OP uint32_t td_test_blocks(td_block_visit *visit, td_pair pair, bool leaves) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    visit->worker->counters.box_tests += a->node_count * b->node_count;
    const uint32_t overlap = td_turned_overlap(&visit->turned, pair, leaves);
    if (visit->traversal->self && pair.a == pair.b) {
        // Each node meets itself without a test; imaginary nodes do not.
        return (overlap & TD_UPPER_LANES) | (TD_DIAGONAL & td_spread_bits((1u << a->node_count) - 1u));
    }
    return overlap;
}

// What follows from a pair of blocks, as tile bits; td_append knows what they stand for.
typedef struct td_flags {
    uint32_t blocks; // pairs of blocks that are not both leaf blocks
    uint32_t leaves; // pairs of leaf blocks
} td_flags;

// The children that are leaf blocks. A leaf block that is held stands for all of its nodes.
static inline uint32_t td_leaf_children(const td_block *block) {
    return block->leaf ? 0xfu : block->leaf_children;
}

// For a pair of blocks that are not both leaf blocks. Where a leaf block is held, one flag stands for all of
// its nodes: the first lane of a row, or a column, if any of it is set. Without a branch: which kinds of
// blocks meet next is anybody's guess.
TD_OP td_flags td_flag_blocks(td_block_visit *visit, td_pair pair) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const uint32_t overlap = td_test_blocks(visit, pair, false);
    const uint32_t leaves = td_repeat_bits(td_leaf_children(a)) & td_spread_bits(td_leaf_children(b));
    const uint32_t row_pairs = overlap | overlap >> 2, column_pairs = overlap | overlap >> 8;
    const uint32_t rows = (row_pairs | row_pairs >> 1) & 0x1111u;
    const uint32_t columns = (column_pairs | column_pairs >> 4) & 0xfu;
    const uint32_t open = b->leaf ? columns : overlap, flags = a->leaf ? rows : open;
    return (td_flags){flags & ~leaves, flags & leaves};
}

// ---------------------------------------------------------------------------------------------------------
// Collecting

// The blocks that follow from a pair of blocks: children, or where a leaf block is held, that block. A copy,
// so that it need not be read again after something was written.
typedef struct td_followers {
    uint32_t a[4], b[4];
} td_followers;

static inline td_followers td_followers_of(const td_block_visit *visit, td_pair pair) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    td_followers followers = {{pair.a, pair.a, pair.a, pair.a}, {pair.b, pair.b, pair.b, pair.b}};
    if (!a->leaf) {
        memcpy(followers.a, a->child, sizeof followers.a);
    }
    if (!b->leaf) {
        memcpy(followers.b, b->child, sizeof followers.b);
    }
    return followers;
}

// Writes the pairs of followers that `flags` stand for to `out`, and returns how many. `out` has room for 16,
// whatever the flags.
static inline uint32_t td_append_followers(td_pair *out, const td_followers *followers, uint32_t flags) {
    return td_wide_pairs((td_wide_pair *)(void *)out, followers->a, followers->b, flags);
}

static inline uint32_t td_append(td_pair *out, const td_block_visit *visit, td_pair pair, uint32_t flags) {
    const td_followers followers = td_followers_of(visit, pair);
    return td_append_followers(out, &followers, flags);
}

// The same for tiles: `flags` are those of two leaf blocks.
static inline uint32_t td_append_tiles(td_pair *out, const td_block_visit *visit, td_pair pair,
                                       uint32_t flags) {
    return td_wide_pairs((td_wide_pair *)(void *)out, visit->a->blocks[pair.a].child,
                         visit->b->blocks[pair.b].child, flags);
}

#endif
