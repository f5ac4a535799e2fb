// The wide strategy: simultaneous descent of two blocked hierarchies, 4 x 4 nodes or triangles per step, in
// the registers of the context's instruction set.
#include "wide.h"

#include "../core/context.h"

static td_wide_run_fn *td_wide_run_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_wide_run_sse4;
    case TD_ISA_AVX2:
        return td_wide_run_avx2;
    case TD_ISA_AVX512:
        return td_wide_run_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_wide_run_neon;
#endif
    default:
        return td_wide_run_scalar;
    }
}

static void td_wide_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                        size_t start_count) {
    td_wide_run_for(traversal->context->isa)(worker, traversal, starts, start_count);
}

const td_strategy td_strategy_wide = {
    .name = "wide",
    .paper = "ours",
    .idea = "16 box or triangle tests at once, depth first; the fastest on a CPU",
    .self = true,
    .start = td_start_at_blocks,
    .run = td_wide_run,
};
