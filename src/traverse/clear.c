#include "clear.h"

#include "../core/context.h"

static td_blocks_apart_fn *td_blocks_apart_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_blocks_apart_sse4;
    case TD_ISA_AVX2:
        return td_blocks_apart_avx2;
    case TD_ISA_AVX512:
        return td_blocks_apart_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_blocks_apart_neon;
#endif
    default:
        return td_blocks_apart_scalar;
    }
}

bool td_blocks_apart(td_worker *worker, const td_traversal *traversal) {
    return td_blocks_apart_for(traversal->context->isa)(worker, traversal);
}
