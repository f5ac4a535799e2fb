// Four floats at the baseline instruction set of the processor: for builders, where one vector is one box
// corner. Also OpenCL C.
#ifndef TD_MATH_F4_H
#define TD_MATH_F4_H

#include "shared.h"

#if defined(__OPENCL_VERSION__)

typedef float4 td_f4;
static inline td_f4 td_f4_load(const float *p) {
    return vload4(0, p);
}
static inline void td_f4_store(float *p, td_f4 a) {
    vstore4(a, 0, p);
}
static inline td_f4 td_f4_set1(float a) {
    return (float4)(a);
}
static inline td_f4 td_f4_set(float x, float y, float z, float w) {
    return (float4)(x, y, z, w);
}
static inline td_f4 td_f4_add(td_f4 a, td_f4 b) {
    return a + b;
}
static inline td_f4 td_f4_sub(td_f4 a, td_f4 b) {
    return a - b;
}
static inline td_f4 td_f4_mul(td_f4 a, td_f4 b) {
    return a * b;
}
static inline td_f4 td_f4_min(td_f4 a, td_f4 b) {
    return a < b ? a : b;
}
static inline td_f4 td_f4_max(td_f4 a, td_f4 b) {
    return a > b ? a : b;
}
static inline td_f4 td_f4_mark(td_f4 a, td_f4 b, td_f4 x) {
    return select(a, x, as_int4(b) == (int4)(-1));
}
static inline td_f4 td_f4_repeat(td_f4 a) {
    return a.xxxx;
}
static inline td_u32 td_f4_signs(td_f4 a) {
    const uint4 signs = as_uint4(a) >> 31;
    return signs.x | signs.y << 1 | signs.z << 2 | signs.w << 3;
}

#elif defined(__SSE2__)
#include <emmintrin.h>

typedef __m128 td_f4;
static inline td_f4 td_f4_load(const float *p) {
    return _mm_load_ps(p);
}
static inline void td_f4_store(float *p, td_f4 a) {
    _mm_store_ps(p, a);
}
static inline td_f4 td_f4_set1(float a) {
    return _mm_set1_ps(a);
}
static inline td_f4 td_f4_set(float x, float y, float z, float w) {
    return _mm_setr_ps(x, y, z, w);
}
static inline td_f4 td_f4_add(td_f4 a, td_f4 b) {
    return _mm_add_ps(a, b);
}
static inline td_f4 td_f4_sub(td_f4 a, td_f4 b) {
    return _mm_sub_ps(a, b);
}
static inline td_f4 td_f4_mul(td_f4 a, td_f4 b) {
    return _mm_mul_ps(a, b);
}
static inline td_f4 td_f4_min(td_f4 a, td_f4 b) {
    return _mm_min_ps(a, b);
}
static inline td_f4 td_f4_max(td_f4 a, td_f4 b) {
    return _mm_max_ps(a, b);
}
// a, but x where all bits of b are set.
static inline td_f4 td_f4_mark(td_f4 a, td_f4 b, td_f4 x) {
    const __m128 set = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_castps_si128(b), _mm_set1_epi32(-1)));
    return _mm_or_ps(_mm_and_ps(set, x), _mm_andnot_ps(set, a));
}
// The first lane, four times.
static inline td_f4 td_f4_repeat(td_f4 a) {
    return _mm_shuffle_ps(a, a, 0);
}
// Bit k: lane k is negative.
static inline uint32_t td_f4_signs(td_f4 a) {
    return (uint32_t)_mm_movemask_ps(a);
}
// Truncates towards zero; the values must fit.
static inline void td_f4_to_int(int32_t out[4], td_f4 a) {
    _mm_store_si128((__m128i *)(void *)out, _mm_cvttps_epi32(a));
}

#elif defined(__ARM_NEON)
#include <arm_neon.h>

typedef float32x4_t td_f4;
static inline td_f4 td_f4_load(const float *p) {
    return vld1q_f32(p);
}
static inline void td_f4_store(float *p, td_f4 a) {
    vst1q_f32(p, a);
}
static inline td_f4 td_f4_set1(float a) {
    return vdupq_n_f32(a);
}
static inline td_f4 td_f4_set(float x, float y, float z, float w) {
    const float v[4] = {x, y, z, w};
    return vld1q_f32(v);
}
static inline td_f4 td_f4_add(td_f4 a, td_f4 b) {
    return vaddq_f32(a, b);
}
static inline td_f4 td_f4_sub(td_f4 a, td_f4 b) {
    return vsubq_f32(a, b);
}
static inline td_f4 td_f4_mul(td_f4 a, td_f4 b) {
    return vmulq_f32(a, b);
}
static inline td_f4 td_f4_min(td_f4 a, td_f4 b) {
    return vminq_f32(a, b);
}
static inline td_f4 td_f4_max(td_f4 a, td_f4 b) {
    return vmaxq_f32(a, b);
}
static inline td_f4 td_f4_mark(td_f4 a, td_f4 b, td_f4 x) {
    return vbslq_f32(vceqq_u32(vreinterpretq_u32_f32(b), vdupq_n_u32(UINT32_MAX)), x, a);
}
static inline td_f4 td_f4_repeat(td_f4 a) {
    return vdupq_laneq_f32(a, 0);
}
static inline uint32_t td_f4_signs(td_f4 a) {
    static const int32_t shifts[4] = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32(vreinterpretq_u32_f32(a), 31), vld1q_s32(shifts)));
}
static inline void td_f4_to_int(int32_t out[4], td_f4 a) {
    vst1q_s32(out, vcvtq_s32_f32(a));
}

#else
#include <string.h>

typedef struct td_f4 {
    float v[4];
} td_f4;
#define TD_F4_EACH(expression)                                                                               \
    td_f4 r;                                                                                                 \
    for (int k = 0; k < 4; ++k) {                                                                            \
        r.v[k] = (expression);                                                                               \
    }                                                                                                        \
    return r
static inline td_f4 td_f4_load(const float *p) {
    TD_F4_EACH(p[k]);
}
static inline void td_f4_store(float *p, td_f4 a) {
    for (int k = 0; k < 4; ++k) {
        p[k] = a.v[k];
    }
}
static inline td_f4 td_f4_set1(float a) {
    TD_F4_EACH(a);
}
static inline td_f4 td_f4_set(float x, float y, float z, float w) {
    return (td_f4){{x, y, z, w}};
}
static inline td_f4 td_f4_add(td_f4 a, td_f4 b) {
    TD_F4_EACH(a.v[k] + b.v[k]);
}
static inline td_f4 td_f4_sub(td_f4 a, td_f4 b) {
    TD_F4_EACH(a.v[k] - b.v[k]);
}
static inline td_f4 td_f4_mul(td_f4 a, td_f4 b) {
    TD_F4_EACH(a.v[k] * b.v[k]);
}
static inline td_f4 td_f4_min(td_f4 a, td_f4 b) {
    TD_F4_EACH(a.v[k] < b.v[k] ? a.v[k] : b.v[k]);
}
static inline td_f4 td_f4_max(td_f4 a, td_f4 b) {
    TD_F4_EACH(a.v[k] > b.v[k] ? a.v[k] : b.v[k]);
}
static inline td_f4 td_f4_mark(td_f4 a, td_f4 b, td_f4 x) {
    uint32_t bits[4];
    memcpy(bits, b.v, sizeof bits);
    TD_F4_EACH(bits[k] == UINT32_MAX ? x.v[k] : a.v[k]);
}
static inline td_f4 td_f4_repeat(td_f4 a) {
    TD_F4_EACH(a.v[0]);
}
static inline uint32_t td_f4_signs(td_f4 a) {
    return (uint32_t)(a.v[0] < 0) | (uint32_t)(a.v[1] < 0) << 1 | (uint32_t)(a.v[2] < 0) << 2 |
           (uint32_t)(a.v[3] < 0) << 3;
}
static inline void td_f4_to_int(int32_t out[4], td_f4 a) {
    for (int k = 0; k < 4; ++k) {
        out[k] = (int32_t)a.v[k];
    }
}

#endif

// From the memory of a device; natively just memory.
TD_INLINE td_f4 td_f4_fetch(TD_GLOBAL const float *p) {
#ifdef __OPENCL_VERSION__
    return vload4(0, p);
#else
    return td_f4_load(p);
#endif
}

#endif
