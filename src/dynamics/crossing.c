#include "crossing.h"

static td_find_crossings_fn *td_find_crossings_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_find_crossings_sse4;
    case TD_ISA_AVX2:
        return td_find_crossings_avx2;
    case TD_ISA_AVX512:
        return td_find_crossings_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_find_crossings_neon;
#endif
    default:
        return td_find_crossings_scalar;
    }
}

size_t td_find_crossings(td_crossing *out, td_isa isa, const td_facet *a, const td_facet *b,
                         const td_pair *pairs, size_t count) {
    return td_find_crossings_for(isa)(out, a, b, pairs, count);
}
