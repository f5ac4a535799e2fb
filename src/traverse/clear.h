// A quick proof that two meshes are farther apart than the margin of a frame; one entry per instruction set
// (clear_wide.c).
#ifndef TD_TRAVERSE_CLEAR_H
#define TD_TRAVERSE_CLEAR_H

#include "traversal.h"

// True only if nothing of A is within the frame's margin of anything of B. Gives up after a few pairs of
// blocks. `frame` must be usable. Instruction sets may differ in what they prove.
typedef bool td_blocks_apart_fn(td_worker *worker, const td_traversal *traversal);

td_blocks_apart_fn td_blocks_apart_scalar;
#if defined(__x86_64__)
td_blocks_apart_fn td_blocks_apart_sse4, td_blocks_apart_avx2, td_blocks_apart_avx512;
#elif defined(__aarch64__)
td_blocks_apart_fn td_blocks_apart_neon;
#endif

// By the instruction set of the traversal's context.
td_blocks_apart_fn td_blocks_apart;

#endif
