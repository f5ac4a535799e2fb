// W float64 in one register, half as many as floats of wide.h; at least two. What is rounded is the same on
// every instruction set: there is no fused operation here, and none may be made of these (the build says so).
#ifndef TD_MATH_WIDE64_H
#define TD_MATH_WIDE64_H

#include "wide.h"

#if defined(TD_WIDE_ISA_avx512)
#define TD_LANES64 8
#elif defined(TD_WIDE_ISA_avx2)
#define TD_LANES64 4
#else
#define TD_LANES64 2
#endif

typedef double td_wd __attribute__((vector_size(8 * TD_LANES64)));

TD_OP td_wd td_wd_set1(double a) {
    return a - (td_wd){0}; // of vectors without a constructor: a - 0 is a, also if it is -0
}

// Lane l: at[l][place].
TD_OP td_wd td_wd_gather(const double *const at[TD_LANES64], int place) {
#if TD_LANES64 == 8
    return (td_wd){at[0][place], at[1][place], at[2][place], at[3][place],
                   at[4][place], at[5][place], at[6][place], at[7][place]};
#elif TD_LANES64 == 4
    return (td_wd){at[0][place], at[1][place], at[2][place], at[3][place]};
#else
    return (td_wd){at[0][place], at[1][place]};
#endif
}

TD_OP td_wd td_wd_load(const double in[TD_LANES64]) {
    td_wd a;
    __builtin_memcpy(&a, in, sizeof a);
    return a;
}

TD_OP void td_wd_store(double out[TD_LANES64], td_wd a) {
    __builtin_memcpy(out, &a, sizeof a);
}

// ---------------------------------------------------------------------------------------------------------
// Which lanes

#if defined(TD_WIDE_ISA_avx512)
typedef __mmask8 td_wdm;
TD_OP td_wdm td_wd_le(td_wd a, td_wd b) {
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
}
TD_OP td_wdm td_wd_lt(td_wd a, td_wd b) {
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}
TD_OP td_wdm td_wdm_and(td_wdm a, td_wdm b) {
    return _kand_mask8(a, b);
}
TD_OP td_wdm td_wdm_xor(td_wdm a, td_wdm b) {
    return _kxor_mask8(a, b);
}
TD_OP td_wd td_wd_pick(td_wdm mask, td_wd yes, td_wd no) {
    return (td_wd)_mm512_mask_blend_pd(mask, (__m512d)no, (__m512d)yes);
}
TD_OP uint32_t td_wdm_bits(td_wdm mask) {
    return mask;
}
#else
typedef int64_t td_wdm __attribute__((vector_size(8 * TD_LANES64))); // 0 or -1
TD_OP td_wdm td_wd_le(td_wd a, td_wd b) {
    return (td_wdm)(a <= b);
}
TD_OP td_wdm td_wd_lt(td_wd a, td_wd b) {
    return (td_wdm)(a < b);
}
TD_OP td_wdm td_wdm_and(td_wdm a, td_wdm b) {
    return a & b;
}
TD_OP td_wdm td_wdm_xor(td_wdm a, td_wdm b) {
    return a ^ b;
}
TD_OP td_wd td_wd_pick(td_wdm mask, td_wd yes, td_wd no) {
    return (td_wd)((mask & (td_wdm)yes) | (~mask & (td_wdm)no));
}
TD_OP uint32_t td_wdm_bits(td_wdm mask) {
    uint32_t bits = 0;
    for (int l = 0; l < TD_LANES64; ++l) {
        bits |= (uint32_t)(mask[l] & 1) << l;
    }
    return bits;
}
#endif

// Of each lane, rounded as IEEE has it.
TD_OP td_wd td_wd_sqrt(td_wd a) {
#if defined(TD_WIDE_ISA_avx512)
    return (td_wd)_mm512_sqrt_pd((__m512d)a);
#elif defined(TD_WIDE_ISA_avx2)
    return (td_wd)_mm256_sqrt_pd((__m256d)a);
#elif defined(TD_WIDE_ISA_sse4)
    return (td_wd)_mm_sqrt_pd((__m128d)a);
#else
    return (td_wd){__builtin_sqrt(a[0]), __builtin_sqrt(a[1])};
#endif
}

// a < b ? a : b
TD_OP td_wd td_wd_min(td_wd a, td_wd b) {
#if defined(TD_WIDE_ISA_avx512)
    return (td_wd)_mm512_min_pd((__m512d)a, (__m512d)b);
#else
    return td_wd_pick(td_wd_le(a, b), a, b);
#endif
}

// a > b ? a : b
TD_OP td_wd td_wd_max(td_wd a, td_wd b) {
#if defined(TD_WIDE_ISA_avx512)
    return (td_wd)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
    return td_wd_pick(td_wd_le(b, a), a, b);
#endif
}

#endif
