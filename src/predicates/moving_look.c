#include "moving_look.h"

td_moving_look_fn *td_moving_look_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_moving_look_sse4;
    case TD_ISA_AVX2:
        return td_moving_look_avx2;
    case TD_ISA_AVX512:
        return td_moving_look_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_moving_look_neon;
#endif
    default:
        return td_moving_look_scalar;
    }
}
