// The few largest nodes are cut by all threads together, chunk by chunk.
#ifndef TD_BVH_CUT_TOGETHER_H
#define TD_BVH_CUT_TOGETHER_H

#include "cut_bins.h"

static inline uint32_t td_chunk_count(uint32_t count) {
    return count / TD_CHUNK_PRIMS + (count % TD_CHUNK_PRIMS != 0);
}

// One chunk of the prims of a node.
typedef struct td_chunk {
    td_bins bins;
    td_measures measures[2];    // of the prims that go left, and right
    uint32_t left;              // prims that go left
    uint32_t left_at, right_at; // where they and the others go
} td_chunk;

// Measures all prims. `chunks` is scratch of td_chunk_count(count) entries, as below.
td_measures td_measure_together(const td_prim *prims, uint32_t count, td_chunk *chunks, td_context *context);

// As td_find_border.
td_border td_find_border_together(const td_prim *prims, uint32_t count, td_box4 keys, td_tree_rules rules,
                                  td_chunk *chunks, td_context *context);

// As td_partition, but the right ones keep their order. Returns the number of left ones; `halves` gets what
// there is to either side. If all go to the same side, nothing is moved.
uint32_t td_partition_together(td_measures halves[2], td_prim *to, const td_prim *from, uint32_t count,
                               const td_border *border, td_chunk *chunks, td_context *context);

#endif
