// W floats in one register, for whatever W the instruction set has: the one header through which SIMD code is
// written. A file named *_wide.c includes it and is compiled once per instruction set (src/CMakeLists.txt);
// TD_WIDE(name) gives its external symbols the suffix of the set.
//
// Work comes in tiles of 4 x 4: lane k of 16 stands for item k & 3 of one side and item k >> 2 of the other.
// A register holds W lanes of a tile, so a tile is 16 / W registers, the *groups*:
//
//   W = 16, one group:    a0 a1 a2 a3 a0 a1 a2 a3 a0 a1 a2 a3 a0 a1 a2 a3   td_wf_repeat(a, 0)
//                         b0 b0 b0 b0 b1 b1 b1 b1 b2 b2 b2 b2 b3 b3 b3 b3   td_wf_spread(b, 0)
//   W = 4, group 2:       a0 a1 a2 a3
//                         b2 b2 b2 b2
//   W = 1, group 6:       a2
//                         b1
//
// On a device (OpenCL C) a work-item is one lane of a tile: W = 1, and its group is its lane. What is read
// through td_wf_repeat and td_wf_spread then lies in the device's memory.
#ifndef TD_MATH_WIDE_H
#define TD_MATH_WIDE_H

#include "shared.h"

#define TD_WIDE_JOIN_(name, isa) name##_##isa
#define TD_WIDE_JOIN(name, isa)  TD_WIDE_JOIN_(name, isa)
#define TD_WIDE(name)            TD_WIDE_JOIN(name, TD_WIDE_ISA)

#define TD_TILE   16
#define TD_GROUPS (TD_TILE / TD_LANES)

#ifdef __OPENCL_VERSION__
#define TD_OP static inline
#else
#define TD_OP static inline __attribute__((always_inline))
#endif

// Two numbers side by side in memory, as td_wide_pairs writes them.
typedef struct td_wide_pair {
    td_u32 a, b;
} td_wide_pair;

// td_wide_pairs(out, a, b, bits): for every bit k of a tile writes (a[k & 3], b[k >> 2]) to `out`, in the
// order of k, and returns how many. `out` has room for 16, whatever the bits.
//
// td_wide_lanes(out, base, bits): likewise base + k.

#if defined(TD_WIDE_ISA_avx512)
#include <immintrin.h>
#define TD_LANES 16
typedef __m512 td_wf;
typedef __mmask16 td_wm;
TD_OP td_wf td_wf_set1(float a) {
    return _mm512_set1_ps(a);
}
TD_OP td_wf td_wf_repeat(const float p[4], int group) {
    (void)group;
    return _mm512_broadcast_f32x4(_mm_load_ps(p));
}
TD_OP td_wf td_wf_spread(const float p[4], int group) {
    (void)group;
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(lanes, _mm512_castps128_ps512(_mm_load_ps(p)));
}
TD_OP td_wf td_wf_add(td_wf a, td_wf b) {
    return _mm512_add_ps(a, b);
}
TD_OP td_wf td_wf_sub(td_wf a, td_wf b) {
    return _mm512_sub_ps(a, b);
}
TD_OP td_wf td_wf_mul(td_wf a, td_wf b) {
    return _mm512_mul_ps(a, b);
}
TD_OP td_wf td_wf_fma(td_wf a, td_wf b, td_wf c) {
    return _mm512_fmadd_ps(a, b, c);
} //  a b + c
TD_OP td_wf td_wf_fms(td_wf a, td_wf b, td_wf c) {
    return _mm512_fmsub_ps(a, b, c);
} //  a b - c
TD_OP td_wf td_wf_fnma(td_wf a, td_wf b, td_wf c) {
    return _mm512_fnmadd_ps(a, b, c);
} // -a b + c
TD_OP td_wf td_wf_min(td_wf a, td_wf b) {
    return _mm512_min_ps(a, b);
}
TD_OP td_wf td_wf_max(td_wf a, td_wf b) {
    return _mm512_max_ps(a, b);
}
TD_OP td_wf td_wf_abs(td_wf a) {
    return _mm512_abs_ps(a);
}
TD_OP td_wm td_wf_le(td_wf a, td_wf b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
TD_OP td_wm td_wf_lt(td_wf a, td_wf b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
TD_OP td_wm td_wf_le_and(td_wm m, td_wf a, td_wf b) {
    return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_LE_OQ);
}
TD_OP uint32_t td_wm_bits(td_wm m) {
    return (uint32_t)m;
}
TD_OP td_wm td_wu_equal(const uint32_t a[4], const uint32_t b[4], int group) {
    (void)group;
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512i va = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(const void *)a));
    const __m128i vb = _mm_load_si128((const __m128i *)(const void *)b);
    return _mm512_cmpeq_epi32_mask(va, _mm512_permutexvar_epi32(lanes, _mm512_castsi128_si512(vb)));
}

TD_OP uint32_t td_wide_pairs(td_wide_pair *out, const uint32_t a[4], const uint32_t b[4], uint32_t bits) {
    const __m128i va = _mm_loadu_si128((const __m128i *)(const void *)a);
    const __m512i lane_a = _mm512_cvtepu32_epi64(_mm256_broadcastsi128_si256(va));
    const __m128i vb = _mm_loadu_si128((const __m128i *)(const void *)b);
    const __m256i b01 =
        _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(vb), _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    const __m256i b23 =
        _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(vb), _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
    const __m512i low = _mm512_or_si512(lane_a, _mm512_slli_epi64(_mm512_cvtepu32_epi64(b01), 32));
    const __m512i high = _mm512_or_si512(lane_a, _mm512_slli_epi64(_mm512_cvtepu32_epi64(b23), 32));
    const __mmask8 mask_low = (__mmask8)(bits & 0xffu), mask_high = (__mmask8)(bits >> 8);
    const uint32_t count_low = (uint32_t)__builtin_popcount(mask_low);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(mask_low, low));
    _mm512_storeu_si512(out + count_low, _mm512_maskz_compress_epi64(mask_high, high));
    return count_low + (uint32_t)__builtin_popcount(mask_high);
}
TD_OP uint32_t td_wide_lanes(uint32_t out[16], uint32_t base, uint32_t bits) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32((int)base), lanes);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)bits, numbers));
    return (uint32_t)__builtin_popcount(bits);
}

#elif defined(TD_WIDE_ISA_avx2)
#include <immintrin.h>
#define TD_LANES 8
typedef __m256 td_wf;
typedef __m256 td_wm;
TD_OP td_wf td_wf_set1(float a) {
    return _mm256_set1_ps(a);
}
TD_OP td_wf td_wf_repeat(const float p[4], int group) {
    (void)group;
    return _mm256_broadcast_ps((const __m128 *)(const void *)p);
}
TD_OP td_wf td_wf_spread(const float p[4], int group) {
    return _mm256_set_m128(_mm_broadcast_ss(p + 2 * group + 1), _mm_broadcast_ss(p + 2 * group));
}
TD_OP td_wf td_wf_add(td_wf a, td_wf b) {
    return _mm256_add_ps(a, b);
}
TD_OP td_wf td_wf_sub(td_wf a, td_wf b) {
    return _mm256_sub_ps(a, b);
}
TD_OP td_wf td_wf_mul(td_wf a, td_wf b) {
    return _mm256_mul_ps(a, b);
}
TD_OP td_wf td_wf_fma(td_wf a, td_wf b, td_wf c) {
    return _mm256_fmadd_ps(a, b, c);
}
TD_OP td_wf td_wf_fms(td_wf a, td_wf b, td_wf c) {
    return _mm256_fmsub_ps(a, b, c);
}
TD_OP td_wf td_wf_fnma(td_wf a, td_wf b, td_wf c) {
    return _mm256_fnmadd_ps(a, b, c);
}
TD_OP td_wf td_wf_min(td_wf a, td_wf b) {
    return _mm256_min_ps(a, b);
}
TD_OP td_wf td_wf_max(td_wf a, td_wf b) {
    return _mm256_max_ps(a, b);
}
TD_OP td_wf td_wf_abs(td_wf a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
TD_OP td_wm td_wf_le(td_wf a, td_wf b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
TD_OP td_wm td_wf_lt(td_wf a, td_wf b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
TD_OP td_wm td_wf_le_and(td_wm m, td_wf a, td_wf b) {
    return _mm256_and_ps(m, td_wf_le(a, b));
}
TD_OP uint32_t td_wm_bits(td_wm m) {
    return (uint32_t)_mm256_movemask_ps(m);
}
TD_OP td_wm td_wu_equal(const uint32_t a[4], const uint32_t b[4], int group) {
    const __m256i va = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(const void *)a));
    const __m256i vb =
        _mm256_set_m128i(_mm_set1_epi32((int)b[2 * group + 1]), _mm_set1_epi32((int)b[2 * group]));
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(va, vb));
}

#elif defined(TD_WIDE_ISA_sse4)
#include <smmintrin.h>
#define TD_LANES 4
typedef __m128 td_wf;
typedef __m128 td_wm;
TD_OP td_wf td_wf_set1(float a) {
    return _mm_set1_ps(a);
}
TD_OP td_wf td_wf_repeat(const float p[4], int group) {
    (void)group;
    return _mm_load_ps(p);
}
TD_OP td_wf td_wf_spread(const float p[4], int group) {
    return _mm_set1_ps(p[group]);
}
TD_OP td_wf td_wf_add(td_wf a, td_wf b) {
    return _mm_add_ps(a, b);
}
TD_OP td_wf td_wf_sub(td_wf a, td_wf b) {
    return _mm_sub_ps(a, b);
}
TD_OP td_wf td_wf_mul(td_wf a, td_wf b) {
    return _mm_mul_ps(a, b);
}
TD_OP td_wf td_wf_fma(td_wf a, td_wf b, td_wf c) {
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
TD_OP td_wf td_wf_fms(td_wf a, td_wf b, td_wf c) {
    return _mm_sub_ps(_mm_mul_ps(a, b), c);
}
TD_OP td_wf td_wf_fnma(td_wf a, td_wf b, td_wf c) {
    return _mm_sub_ps(c, _mm_mul_ps(a, b));
}
TD_OP td_wf td_wf_min(td_wf a, td_wf b) {
    return _mm_min_ps(a, b);
}
TD_OP td_wf td_wf_max(td_wf a, td_wf b) {
    return _mm_max_ps(a, b);
}
TD_OP td_wf td_wf_abs(td_wf a) {
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
TD_OP td_wm td_wf_le(td_wf a, td_wf b) {
    return _mm_cmple_ps(a, b);
}
TD_OP td_wm td_wf_lt(td_wf a, td_wf b) {
    return _mm_cmplt_ps(a, b);
}
TD_OP td_wm td_wf_le_and(td_wm m, td_wf a, td_wf b) {
    return _mm_and_ps(m, td_wf_le(a, b));
}
TD_OP uint32_t td_wm_bits(td_wm m) {
    return (uint32_t)_mm_movemask_ps(m);
}
TD_OP td_wm td_wu_equal(const uint32_t a[4], const uint32_t b[4], int group) {
    const __m128i va = _mm_load_si128((const __m128i *)(const void *)a);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(va, _mm_set1_epi32((int)b[group])));
}

#elif defined(TD_WIDE_ISA_neon)
#include <arm_neon.h>
#define TD_LANES 4
typedef float32x4_t td_wf;
typedef uint32x4_t td_wm;
TD_OP td_wf td_wf_set1(float a) {
    return vdupq_n_f32(a);
}
TD_OP td_wf td_wf_repeat(const float p[4], int group) {
    (void)group;
    return vld1q_f32(p);
}
TD_OP td_wf td_wf_spread(const float p[4], int group) {
    return vdupq_n_f32(p[group]);
}
TD_OP td_wf td_wf_add(td_wf a, td_wf b) {
    return vaddq_f32(a, b);
}
TD_OP td_wf td_wf_sub(td_wf a, td_wf b) {
    return vsubq_f32(a, b);
}
TD_OP td_wf td_wf_mul(td_wf a, td_wf b) {
    return vmulq_f32(a, b);
}
TD_OP td_wf td_wf_fma(td_wf a, td_wf b, td_wf c) {
    return vfmaq_f32(c, a, b);
}
TD_OP td_wf td_wf_fms(td_wf a, td_wf b, td_wf c) {
    return vfmaq_f32(vnegq_f32(c), a, b);
}
TD_OP td_wf td_wf_fnma(td_wf a, td_wf b, td_wf c) {
    return vfmsq_f32(c, a, b);
}
TD_OP td_wf td_wf_min(td_wf a, td_wf b) {
    return vminq_f32(a, b);
}
TD_OP td_wf td_wf_max(td_wf a, td_wf b) {
    return vmaxq_f32(a, b);
}
TD_OP td_wf td_wf_abs(td_wf a) {
    return vabsq_f32(a);
}
TD_OP td_wm td_wf_le(td_wf a, td_wf b) {
    return vcleq_f32(a, b);
}
TD_OP td_wm td_wf_lt(td_wf a, td_wf b) {
    return vcltq_f32(a, b);
}
TD_OP td_wm td_wf_le_and(td_wm m, td_wf a, td_wf b) {
    return vandq_u32(m, vcleq_f32(a, b));
}
TD_OP uint32_t td_wm_bits(td_wm m) {
    static const int32_t shifts[4] = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32(m, 31), vld1q_s32(shifts)));
}
TD_OP td_wm td_wu_equal(const uint32_t a[4], const uint32_t b[4], int group) {
    return vceqq_u32(vld1q_u32(a), vdupq_n_u32(b[group]));
}

#elif defined(TD_WIDE_ISA_scalar) || defined(__OPENCL_VERSION__)
#define TD_LANES 1
typedef float td_wf;
typedef td_u32 td_wm;
TD_OP td_wf td_wf_set1(float a) {
    return a;
}
TD_OP td_wf td_wf_repeat(TD_GLOBAL const float *p, int group) {
    return p[group & 3];
}
TD_OP td_wf td_wf_spread(TD_GLOBAL const float *p, int group) {
    return p[group >> 2];
}
TD_OP td_wf td_wf_add(td_wf a, td_wf b) {
    return a + b;
}
TD_OP td_wf td_wf_sub(td_wf a, td_wf b) {
    return a - b;
}
TD_OP td_wf td_wf_mul(td_wf a, td_wf b) {
    return a * b;
}
#if defined(__OPENCL_VERSION__) && defined(FP_FAST_FMAF) // one rounding or two: the bounds hold for both
TD_OP td_wf td_wf_fma(td_wf a, td_wf b, td_wf c) {
    return fma(a, b, c);
}
TD_OP td_wf td_wf_fms(td_wf a, td_wf b, td_wf c) {
    return fma(a, b, -c);
}
TD_OP td_wf td_wf_fnma(td_wf a, td_wf b, td_wf c) {
    return fma(-a, b, c);
}
#else
TD_OP td_wf td_wf_fma(td_wf a, td_wf b, td_wf c) {
    return a * b + c;
}
TD_OP td_wf td_wf_fms(td_wf a, td_wf b, td_wf c) {
    return a * b - c;
}
TD_OP td_wf td_wf_fnma(td_wf a, td_wf b, td_wf c) {
    return c - a * b;
}
#endif
TD_OP td_wf td_wf_min(td_wf a, td_wf b) {
    return a < b ? a : b;
}
TD_OP td_wf td_wf_max(td_wf a, td_wf b) {
    return a > b ? a : b;
}
TD_OP td_wf td_wf_abs(td_wf a) {
    return TD_ABSF(a);
}
TD_OP td_wm td_wf_le(td_wf a, td_wf b) {
    return (td_wm)(a <= b);
}
TD_OP td_wm td_wf_lt(td_wf a, td_wf b) {
    return (td_wm)(a < b);
}
TD_OP td_wm td_wf_le_and(td_wm m, td_wf a, td_wf b) {
    return m & (td_wm)(a <= b);
}
TD_OP td_u32 td_wm_bits(td_wm m) {
    return m;
}
TD_OP td_wm td_wu_equal(TD_GLOBAL const td_u32 *a, TD_GLOBAL const td_u32 *b, int group) {
    return (td_wm)(a[group & 3] == b[group >> 2]);
}

#else
#error "wide.h is for files that the build compiles once per instruction set"
#endif

#if !defined(TD_WIDE_ISA_avx512) && !defined(__OPENCL_VERSION__)
TD_OP uint32_t td_wide_pairs(td_wide_pair *out, const uint32_t a[4], const uint32_t b[4], uint32_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        out[count++] = (td_wide_pair){a[lane & 3], b[lane >> 2]};
    }
    return count;
}
TD_OP uint32_t td_wide_lanes(uint32_t out[16], uint32_t base, uint32_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        out[count++] = base + (uint32_t)__builtin_ctz(bits);
    }
    return count;
}
#endif

#endif
