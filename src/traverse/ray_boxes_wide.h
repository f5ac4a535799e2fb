// One ray against the four boxes of a block in float32: which it may meet, and in what order (ray.h has the
// bounds). For files that are compiled once per instruction set.
#ifndef TD_TRAVERSE_RAY_BOXES_WIDE_H
#define TD_TRAVERSE_RAY_BOXES_WIDE_H

#include "ray_lanes_wide.h"

// A block or quad to be visited: its number below, above it the bits of the t at which the ray enters it. t
// is not negative, so places are in the order of t.
typedef uint64_t td_ray_place;

#define TD_QUAD_PLACE 0x80000000u // beside the number of a quad

TD_OP td_ray_place td_place_of(float t, uint32_t item) {
    uint32_t bits;
    memcpy(&bits, &t, sizeof bits);
    return (td_ray_place)bits << 32 | item;
}

TD_OP float td_place_time(td_ray_place place) {
    const uint32_t bits = (uint32_t)(place >> 32);
    float time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

// The farther one first.
TD_OP void td_order_places(td_ray_place *a, td_ray_place *b) {
    const td_ray_place larger = *a > *b ? *a : *b, smaller = *a > *b ? *b : *a;
    *a = larger;
    *b = smaller;
}

// The places of the boxes that are met, the nearest last; writes four. Without branches: which boxes are met,
// nobody can foretell.
TD_OP void td_sort_places(td_ray_place out[4], const uint32_t items[4], const float times[4], uint32_t bits) {
    td_ray_place places[4]; // those not met are 0, and come last
    for (uint32_t lane = 0; lane < 4; ++lane) {
        places[lane] = td_place_of(times[lane], items[lane]) & (0 - (td_ray_place)(bits >> lane & 1u));
    }
    td_order_places(&places[0], &places[1]);
    td_order_places(&places[2], &places[3]);
    td_order_places(&places[0], &places[2]);
    td_order_places(&places[1], &places[3]);
    td_order_places(&places[1], &places[2]);
    for (uint32_t i = 0; i < 4; ++i) {
        out[i] = places[i];
    }
}

#if defined(TD_WIDE_ISA_avx512)

// One ray as its box tests want it: every number of an axis four times, and its end as a fourth axis.
typedef struct td_ray_lanes {
    _Alignas(64) float inverse[16], size[16], near[16], far[16];
} td_ray_lanes;

TD_OP __m512 td_four_of_each(float x, float y, float z, float w) {
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
                                 _mm512_castps128_ps512(_mm_setr_ps(x, y, z, w)));
}

TD_OP void td_take_ray(td_ray_lanes *out, const td_ray_sheet *s, int i) {
    const __m512 inverse = td_four_of_each(s->inverse[0][i], s->inverse[1][i], s->inverse[2][i], 0);
    _mm512_store_ps(out->inverse, inverse);
    _mm512_store_ps(out->size, _mm512_abs_ps(inverse));
    _mm512_store_ps(out->near, td_four_of_each(s->near[0][i], s->near[1][i], s->near[2][i], 0));
    _mm512_store_ps(out->far, td_four_of_each(s->far[0][i], s->far[1][i], s->far[2][i], -s->t_end[i]));
}

TD_OP void td_end_ray_at(td_ray_lanes *ray, float t_end) {
    _mm_store_ps(&ray->far[12], _mm_set1_ps(-t_end));
}

// Larger ones to the lanes of `larger`, smaller ones to the others.
TD_OP __m256i td_order_lanes(__m256i keys, __m256i others, __mmask8 larger) {
    return _mm256_mask_blend_epi64(larger, _mm256_min_epu64(keys, others), _mm256_max_epu64(keys, others));
}

// Four places, of which those of boxes that are not met are 0 and come last.
TD_OP void td_store_nearest_last(td_ray_place out[4], __m256i keys) {
    keys = td_order_lanes(keys, _mm256_shuffle_epi32(keys, 0x4e), 5);
    keys = td_order_lanes(keys, _mm256_permute4x64_epi64(keys, 0x4e), 3);
    keys = td_order_lanes(keys, _mm256_permute4x64_epi64(keys, 0xd8), 3);
    _mm256_storeu_si256((__m256i *)(void *)out, keys);
}

// Of a block, the places of the boxes that the ray may meet before its end, the nearest last; returns how
// many. Writes four.
TD_OP uint32_t td_meet_block(td_ray_place out[4], const td_block *block, const td_ray_lanes *ray) {
    const __m512 center = _mm512_loadu_ps(block->center), half = _mm512_maskz_loadu_ps(0xfff, block->half);
    // The fourth axis: 0 times whatever follows the centres, so the ray goes from 0 to its end.
    const __m512 inverse = _mm512_load_ps(ray->inverse), size = _mm512_load_ps(ray->size);
    const __m512 near =
        _mm512_fnmadd_ps(half, size, _mm512_fmsub_ps(center, inverse, _mm512_load_ps(ray->near)));
    const __m512 far =
        _mm512_fmadd_ps(half, size, _mm512_fmsub_ps(center, inverse, _mm512_load_ps(ray->far)));
    const __m256 near2 = _mm256_max_ps(_mm512_castps512_ps256(near), _mm512_extractf32x8_ps(near, 1));
    const __m256 far2 = _mm256_min_ps(_mm512_castps512_ps256(far), _mm512_extractf32x8_ps(far, 1));
    const __m128 enter = _mm_max_ps(_mm256_castps256_ps128(near2), _mm256_extractf128_ps(near2, 1));
    const __m128 leave = _mm_min_ps(_mm256_castps256_ps128(far2), _mm256_extractf128_ps(far2, 1));
    const __mmask8 met = _mm_cmp_ps_mask(enter, leave, _CMP_LE_OQ);
    const __m128i flag = _mm_slli_epi32(_mm_set1_epi32((int)block->leaf), 31);
    const __m128i items = _mm_or_si128(_mm_load_si128((const __m128i *)(const void *)block->child), flag);
    const __m256i keys =
        _mm256_permutex2var_epi32(_mm256_castsi128_si256(items), _mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11),
                                  _mm256_castsi128_si256(_mm_castps_si128(enter)));
    td_store_nearest_last(out, _mm256_maskz_mov_epi64(met, keys));
    return (uint32_t)__builtin_popcount(met);
}

#else

// One ray as its box tests want it: every number four times.
typedef struct td_ray_lanes {
    td_f4 inverse[3], size[3], near[3], far[3], end;
} td_ray_lanes;

TD_OP void td_take_ray(td_ray_lanes *out, const td_ray_sheet *sheet, int i) {
    for (int k = 0; k < 3; ++k) {
        out->inverse[k] = td_f4_set1(sheet->inverse[k][i]);
        out->size[k] = td_f4_set1(fabsf(sheet->inverse[k][i]));
        out->near[k] = td_f4_set1(sheet->near[k][i]);
        out->far[k] = td_f4_set1(sheet->far[k][i]);
    }
    out->end = td_f4_set1(sheet->t_end[i]);
}

TD_OP void td_end_ray_at(td_ray_lanes *ray, float t_end) {
    ray->end = td_f4_set1(t_end);
}

// Of a block, the places of the boxes that the ray may meet before its end, the nearest last; returns how
// many. Writes four.
TD_OP uint32_t td_meet_block(td_ray_place out[4], const td_block *block, const td_ray_lanes *ray) {
    td_f4 enter = td_f4_set1(0), leave = ray->end;
    for (int k = 0; k < 3; ++k) {
        const td_f4 center = td_f4_load(block->center[k]), half = td_f4_load(block->half[k]);
        const td_f4 near = td_f4_fms(center, ray->inverse[k], ray->near[k]);
        const td_f4 far = td_f4_fms(center, ray->inverse[k], ray->far[k]);
        enter = td_f4_max(td_f4_fnma(half, ray->size[k], near), enter);
        leave = td_f4_min(td_f4_fma(half, ray->size[k], far), leave);
    }
    _Alignas(16) float times[4];
    td_f4_store(times, enter);
    const uint32_t met = ~td_f4_signs(td_f4_sub(leave, enter)) & 15u, flag = block->leaf << 31;
    const uint32_t items[4] = {block->child[0] | flag, block->child[1] | flag, block->child[2] | flag,
                               block->child[3] | flag};
    td_sort_places(out, items, times, met);
    return (uint32_t)__builtin_popcount(met);
}

#endif

#endif
