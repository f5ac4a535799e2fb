// The first pass of a step of a front (front_step.c): all entries of a part are tested, and sorted out by
// what there is to be done.
#ifndef TD_TRAVERSE_FRONT_SIFT_H
#define TD_TRAVERSE_FRONT_SIFT_H

#include "test_tree.h"
#include "traversal.h"

// Both lists have room for all entries.
typedef struct td_front_sifted {
    td_front_tile *tiles; // two quads that overlap and whose lanes are known: they stay, and are tested
    size_t tile_count;
    uint32_t *movers; // numbers of entries, times two: of others that overlap, with bit 0 set; and of those
                      // that are apart, like their right sibling, which is behind them
    size_t mover_count;
} td_front_sifted;

// Adds to both lists, in order. Siblings in different parts know nothing of each other and stay.
typedef void td_front_sift_fn(td_front_sifted *out, const td_test_tree *tree, const td_front_entry *entries,
                              size_t count);

td_front_sift_fn td_front_sift_scalar;
#if defined(__x86_64__)
td_front_sift_fn td_front_sift_sse4, td_front_sift_avx2, td_front_sift_avx512;
#elif defined(__aarch64__)
td_front_sift_fn td_front_sift_neon;
#endif

#endif
