// The boxes of a fan that a ray meets, by nearness: places (ray_boxes_wide.h) on a stack, the nearest on top.
// For files that are compiled once per instruction set.
#ifndef TD_TRAVERSE_RAY_NEAREST_WIDE_H
#define TD_TRAVERSE_RAY_NEAREST_WIDE_H

#include "../bvh/fan.h"
#include "ray_boxes_wide.h"

// What a ray knows of the boxes of a fan.
typedef struct td_fan_meeting {
    td_wf enter[TD_GROUPS]; // the t at which it enters each, not negative
    uint32_t met;           // a bit each
} td_fan_meeting;

// Any number of them. Returns the new top.
static inline td_ray_place *td_stack_some(td_ray_place *top, const td_fan *fan,
                                          const td_fan_meeting *meeting) {
    float times[TD_TILE];
    td_ray_place *const base = top;
    memcpy(times, meeting->enter, sizeof times);
    for (uint32_t bits = meeting->met; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const td_ray_place place = td_place_of(times[lane], fan->child[lane]);
        td_ray_place *at = top++;
        for (; at > base && at[-1] < place; --at) {
            *at = at[-1];
        }
        *at = place;
    }
    return top;
}

// Room for TD_TILE is there above the top.
TD_OP td_ray_place *td_stack_nearest(td_ray_place *top, const td_fan *fan, const td_fan_meeting *meeting) {
#if defined(TD_WIDE_ISA_avx512)
    const int count = __builtin_popcount(meeting->met);
    if (__builtin_expect(count <= 4,
                         1)) { // those that are met to the front, and as blocks have theirs sorted
        const __mmask16 met = (__mmask16)meeting->met;
        const __m512i child = _mm512_maskz_compress_epi32(met, _mm512_load_si512(fan->child));
        const __m512i enter = _mm512_maskz_compress_epi32(met, _mm512_castps_si512(meeting->enter[0]));
        const __m128i items = _mm512_castsi512_si128(child), times = _mm512_castsi512_si128(enter);
        const __m256i places = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_unpacklo_epi32(items, times)), _mm_unpackhi_epi32(items, times), 1);
        td_store_nearest_last(top, places);
        return top + count;
    }
#endif
    return td_stack_some(top, fan, meeting);
}

#endif
