#include "tubes.h"

td_find_tubes_fn *td_find_tubes_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_find_tubes_sse4;
    case TD_ISA_AVX2:
        return td_find_tubes_avx2;
    case TD_ISA_AVX512:
        return td_find_tubes_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_find_tubes_neon;
#endif
    default:
        return td_find_tubes_scalar;
    }
}
