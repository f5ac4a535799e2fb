// W float64 in one register, half as many as floats of wide.h; at least two. What is rounded is the same on
// every instruction set: there is no fused operation here, and none may be made of these (the build says so).
#ifndef TD_MATH_WIDE64_H
#define TD_MATH_WIDE64_H

#include "d4.h"
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

// Points, each x y z in memory: lane l of out[k] is at[l][k]. Fewer steps than three times td_wd_gather.
TD_OP void td_wd_gather3(td_wd out[3], const double *const at[TD_LANES64]) {
#if TD_LANES64 == 8
    td_d4 low[3], high[3];
    td_d4_gather(low, at[0], at[1], at[2], at[3]);
    td_d4_gather(high, at[4], at[5], at[6], at[7]);
    for (int k = 0; k < 3; ++k) {
        out[k] = (td_wd)_mm512_insertf64x4(_mm512_castpd256_pd512(low[k]), high[k], 1);
    }
#elif TD_LANES64 == 4
    td_d4 points[3];
    td_d4_gather(points, at[0], at[1], at[2], at[3]);
    for (int k = 0; k < 3; ++k) {
        out[k] = (td_wd)points[k];
    }
#else
    for (int k = 0; k < 3; ++k) {
        out[k] = td_wd_gather(at, k);
    }
#endif
}

#if TD_LANES64 >= 4
TD_OP void td_d4_scatter(double *const at[4], td_d4 x, td_d4 y, td_d4 z) {
    const __m256d even = _mm256_unpacklo_pd(x, y), odd = _mm256_unpackhi_pd(x, y);
    const __m128d low = _mm256_castpd256_pd128(z), high = _mm256_extractf128_pd(z, 1);
    _mm_storeu_pd(at[0], _mm256_castpd256_pd128(even));
    _mm_storeu_pd(at[1], _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(at[2], _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(at[3], _mm256_extractf128_pd(odd, 1));
    _mm_storel_pd(at[0] + 2, low);
    _mm_storeh_pd(at[1] + 2, low);
    _mm_storel_pd(at[2] + 2, high);
    _mm_storeh_pd(at[3] + 2, high);
}
#endif

// The other way; all at different places.
TD_OP void td_wd_scatter3(double *const at[TD_LANES64], const td_wd a[3]) {
#if TD_LANES64 == 8
    td_d4 low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = _mm512_castpd512_pd256((__m512d)a[k]);
        high[k] = _mm512_extractf64x4_pd((__m512d)a[k], 1);
    }
    td_d4_scatter(at, low[0], low[1], low[2]);
    td_d4_scatter(at + 4, high[0], high[1], high[2]);
#elif TD_LANES64 == 4
    td_d4_scatter(at, (td_d4)a[0], (td_d4)a[1], (td_d4)a[2]);
#else
    for (int l = 0; l < TD_LANES64; ++l) {
        for (int k = 0; k < 3; ++k) {
            at[l][k] = a[k][l];
        }
    }
#endif
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
