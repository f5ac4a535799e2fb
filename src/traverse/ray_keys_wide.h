// The boxes of a fan that a ray meets, by nearness: a key per lane, the float32 bits of the t at which the
// ray enters the box, with the lane's number in the last four. t is not negative, so keys are in its order,
// and none is like another. For files that are compiled once per instruction set.
#ifndef TD_TRAVERSE_RAY_KEYS_WIDE_H
#define TD_TRAVERSE_RAY_KEYS_WIDE_H

#include "../math/wide.h"

#include <string.h>

#define TD_KEY_LANE 15u
#define TD_NO_KEY   0xffffffffu // beyond every t

// As many uint32_t as td_wf has floats.
#if defined(TD_WIDE_ISA_avx512)
typedef __m512i td_wk;
#elif defined(TD_WIDE_ISA_avx2)
typedef __m256i td_wk;
#elif defined(TD_WIDE_ISA_sse4)
typedef __m128i td_wk;
#elif defined(TD_WIDE_ISA_neon)
typedef uint32x4_t td_wk;
#else
typedef uint32_t td_wk;
#endif

// All keys of a fan.
typedef struct td_ray_keys {
    td_wk of[TD_GROUPS];
} td_ray_keys;

TD_OP uint32_t td_key_bits(float t) {
    uint32_t bits;
    memcpy(&bits, &t, sizeof bits);
    return bits;
}

// td_wk_make(enter, met, lanes): keys of the lanes that are met, TD_NO_KEY of the others; `lanes` as
// td_key_lanes has them.
// td_wk_drop(keys, key): that key becomes TD_NO_KEY.
// td_wk_least(keys): over all lanes.
#if defined(TD_WIDE_ISA_avx512)

TD_OP td_wk td_wk_make(td_wf enter, td_wm met, const uint32_t *lanes) {
    const __m512i numbers = _mm512_load_si512(lanes), last = _mm512_set1_epi32((int)TD_KEY_LANE);
    // (last & numbers) | (~last & enter)
    const __m512i keys = _mm512_ternarylogic_epi32(last, numbers, _mm512_castps_si512(enter), 0xca);
    return _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), met, keys);
}
TD_OP td_wk td_wk_drop(td_wk keys, uint32_t key) {
    const __mmask16 same = _mm512_cmpeq_epi32_mask(keys, _mm512_set1_epi32((int)key));
    return _mm512_mask_mov_epi32(keys, same, _mm512_set1_epi32(-1));
}
TD_OP uint32_t td_least_of_four(__m128i a) {
    a = _mm_min_epu32(a, _mm_shuffle_epi32(a, 0x4e));
    a = _mm_min_epu32(a, _mm_shuffle_epi32(a, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(a);
}
TD_OP uint32_t td_wk_least(td_wk keys) {
    const __m256i half = _mm256_min_epu32(_mm512_castsi512_si256(keys), _mm512_extracti64x4_epi64(keys, 1));
    return td_least_of_four(_mm_min_epu32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
}
TD_OP td_wk td_wk_min(td_wk a, td_wk b) {
    return _mm512_min_epu32(a, b);
}

#elif defined(TD_WIDE_ISA_avx2)

TD_OP td_wk td_wk_make(td_wf enter, td_wm met, const uint32_t *lanes) {
    const __m256i numbers = _mm256_load_si256((const __m256i *)(const void *)lanes);
    const __m256i last = _mm256_set1_epi32((int)TD_KEY_LANE);
    const __m256i keys = _mm256_or_si256(_mm256_andnot_si256(last, _mm256_castps_si256(enter)), numbers);
    return _mm256_or_si256(keys, _mm256_andnot_si256(_mm256_castps_si256(met), _mm256_set1_epi32(-1)));
}
TD_OP td_wk td_wk_drop(td_wk keys, uint32_t key) {
    return _mm256_or_si256(keys, _mm256_cmpeq_epi32(keys, _mm256_set1_epi32((int)key)));
}
TD_OP uint32_t td_wk_least(td_wk keys) {
    __m128i a = _mm_min_epu32(_mm256_castsi256_si128(keys), _mm256_extracti128_si256(keys, 1));
    a = _mm_min_epu32(a, _mm_shuffle_epi32(a, 0x4e));
    a = _mm_min_epu32(a, _mm_shuffle_epi32(a, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(a);
}
TD_OP td_wk td_wk_min(td_wk a, td_wk b) {
    return _mm256_min_epu32(a, b);
}

#elif defined(TD_WIDE_ISA_sse4)

TD_OP td_wk td_wk_make(td_wf enter, td_wm met, const uint32_t *lanes) {
    const __m128i numbers = _mm_load_si128((const __m128i *)(const void *)lanes);
    const __m128i last = _mm_set1_epi32((int)TD_KEY_LANE);
    const __m128i keys = _mm_or_si128(_mm_andnot_si128(last, _mm_castps_si128(enter)), numbers);
    return _mm_or_si128(keys, _mm_andnot_si128(_mm_castps_si128(met), _mm_set1_epi32(-1)));
}
TD_OP td_wk td_wk_drop(td_wk keys, uint32_t key) {
    return _mm_or_si128(keys, _mm_cmpeq_epi32(keys, _mm_set1_epi32((int)key)));
}
TD_OP uint32_t td_wk_least(td_wk a) {
    a = _mm_min_epu32(a, _mm_shuffle_epi32(a, 0x4e));
    a = _mm_min_epu32(a, _mm_shuffle_epi32(a, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(a);
}
TD_OP td_wk td_wk_min(td_wk a, td_wk b) {
    return _mm_min_epu32(a, b);
}

#elif defined(TD_WIDE_ISA_neon)

TD_OP td_wk td_wk_make(td_wf enter, td_wm met, const uint32_t *lanes) {
    const uint32x4_t last = vdupq_n_u32(TD_KEY_LANE);
    const uint32x4_t keys = vbslq_u32(last, vld1q_u32(lanes), vreinterpretq_u32_f32(enter));
    return vornq_u32(keys, met);
}
TD_OP td_wk td_wk_drop(td_wk keys, uint32_t key) {
    return vorrq_u32(keys, vceqq_u32(keys, vdupq_n_u32(key)));
}
TD_OP uint32_t td_wk_least(td_wk keys) {
    return vminvq_u32(keys);
}
TD_OP td_wk td_wk_min(td_wk a, td_wk b) {
    return vminq_u32(a, b);
}

#else

TD_OP td_wk td_wk_make(td_wf enter, td_wm met, const uint32_t *lanes) {
    return met ? (td_key_bits(enter) & ~TD_KEY_LANE) | *lanes : TD_NO_KEY;
}
TD_OP td_wk td_wk_drop(td_wk keys, uint32_t key) {
    return keys == key ? TD_NO_KEY : keys;
}
TD_OP uint32_t td_wk_least(td_wk keys) {
    return keys;
}
TD_OP td_wk td_wk_min(td_wk a, td_wk b) {
    return a < b ? a : b;
}

#endif

_Alignas(64) static const uint32_t td_key_lanes[TD_TILE] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                            8, 9, 10, 11, 12, 13, 14, 15};

TD_OP uint32_t td_nearest_key(const td_ray_keys *keys) {
    td_wk least = keys->of[0];
    for (int group = 1; group < TD_GROUPS; ++group) {
        least = td_wk_min(least, keys->of[group]);
    }
    return td_wk_least(least);
}

TD_OP void td_drop_key(td_ray_keys *keys, uint32_t key) {
    for (int group = 0; group < TD_GROUPS; ++group) {
        keys->of[group] = td_wk_drop(keys->of[group], key);
    }
}

#endif
