// The blocked strategy: breadth-first simultaneous descent of two blocked hierarchies, with flags, prefix
// sums and collection, in the registers of the context's instruction set.
//
// Based on: Damkjaer, Erleben: GPU Accelerated Tandem Traversal of Blocked Bounding Volume Hierarchy
// Collision Detection for Multibody Dynamics, 2009 (paper 002).
#include "blocked.h"
#include "blocked_device.h"

#include "../core/context.h"

td_slices td_default_slices(void) {
    return (td_slices){.blocks = 16384, .leaves = 4096, .tiles = 65536, .first = 64};
}

td_blocked_run_fn *td_blocked_run_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_blocked_run_sse4;
    case TD_ISA_AVX2:
        return td_blocked_run_avx2;
    case TD_ISA_AVX512:
        return td_blocked_run_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_blocked_run_neon;
#endif
    default:
        return td_blocked_run_scalar;
    }
}

static void td_blocked_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                           size_t start_count) {
    const td_slices slices = td_default_slices();
    td_blocked_run_for(traversal->context->isa)(worker, traversal, starts, start_count, &slices);
}

const td_strategy td_strategy_blocked = {
    .name = "blocked",
    .paper = "002",
    .idea = "4 x 4 simultaneous descent, breadth first: flags, prefix sum, collection",
    .self = true,
    .start = td_start_at_blocks,
    .run = td_blocked_run,
    .run_on_device = td_blocked_run_on_device,
};
