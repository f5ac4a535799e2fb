#include "near.h"

#include "../core/context.h"

static td_test_tiles_fn *td_test_tiles_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_test_tiles_sse4;
    case TD_ISA_AVX2:
        return td_test_tiles_avx2;
    case TD_ISA_AVX512:
        return td_test_tiles_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_test_tiles_neon;
#endif
    default:
        return td_test_tiles_scalar;
    }
}

void td_test_tiles(td_worker *worker, const td_traversal *traversal, const td_pair *tiles, size_t count) {
    td_test_tiles_for(traversal->context->isa)(worker, traversal, tiles, count);
}
