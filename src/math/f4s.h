// As many td_f4, or td_d4, side by side as a register of the instruction set holds: the *parts*, of which
// there are four in all. For leaf blocks, where a part is a quad and each of its lanes a triangle. What is
// TD_PART_GROUPS long has all four. IEEE operations in one order, so the bits are the same for every set, and
// on devices with float64 (OpenCL C).
#ifndef TD_MATH_F4S_H
#define TD_MATH_F4S_H

#include "d4.h"

#ifndef __OPENCL_VERSION__
// Points in memory, each x y z.
typedef struct td_points {
    const unsigned char *at;
    size_t stride;
} td_points;

TD_D4_OP const void *td_point(const td_points *points, uint32_t index) {
    return points->at + index * points->stride;
}
#endif

#if defined(__AVX512F__) && !defined(__OPENCL_VERSION__)
#define TD_PARTS 4

typedef __m512 td_f4s;
typedef struct td_d4s {
    __m512d v[2];
} td_d4s;
TD_D4_OP td_f4s td_f4s_join(const td_f4 part[TD_PARTS]) {
    const __m512 low = _mm512_insertf32x4(_mm512_castps128_ps512(part[0]), part[1], 1);
    return _mm512_insertf32x4(_mm512_insertf32x4(low, part[2], 2), part[3], 3);
}
TD_D4_OP td_f4s td_f4s_set1(float a) {
    return _mm512_set1_ps(a);
}
TD_D4_OP td_f4s td_f4s_add(td_f4s a, td_f4s b) {
    return _mm512_add_ps(a, b);
}
TD_D4_OP td_f4s td_f4s_sub(td_f4s a, td_f4s b) {
    return _mm512_sub_ps(a, b);
}
TD_D4_OP td_f4s td_f4s_mul(td_f4s a, td_f4s b) {
    return _mm512_mul_ps(a, b);
}
TD_D4_OP td_f4s td_f4s_min(td_f4s a, td_f4s b) {
    return _mm512_min_ps(a, b);
}
TD_D4_OP td_f4s td_f4s_max(td_f4s a, td_f4s b) {
    return _mm512_max_ps(a, b);
}
// a, but x where all bits of b are set.
TD_D4_OP td_f4s td_f4s_mark(td_f4s a, td_f4s b, td_f4s x) {
    const __mmask16 set = _mm512_cmpeq_epi32_mask(_mm512_castps_si512(b), _mm512_set1_epi32(-1));
    return _mm512_mask_mov_ps(a, set, x);
}
// The first lane of each part becomes all of it.
TD_D4_OP td_f4s td_f4s_repeat(td_f4s a) {
    return _mm512_permute_ps(a, 0);
}
// Lane q of `a` becomes all of part q: the parts of a group.
TD_D4_OP td_f4s td_f4s_spread(td_f4 a, int group) {
    (void)group;
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(lanes, _mm512_castps128_ps512(a));
}
TD_D4_OP td_f4 td_f4s_firsts(td_f4s a) {
    const __m512i lanes = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    return _mm512_castps512_ps128(_mm512_permutexvar_ps(lanes, a));
}
// Lane q: what the lanes of part q come to, (0 with 1) with (2 with 3).
TD_D4_OP td_f4 td_f4s_least(const td_f4s r[1]) {
    const __m512 pairs = _mm512_min_ps(r[0], _mm512_permute_ps(r[0], 0xb1));
    return td_f4s_firsts(_mm512_min_ps(pairs, _mm512_permute_ps(pairs, 0x4e)));
}
TD_D4_OP td_f4 td_f4s_greatest(const td_f4s r[1]) {
    const __m512 pairs = _mm512_max_ps(r[0], _mm512_permute_ps(r[0], 0xb1));
    return td_f4s_firsts(_mm512_max_ps(pairs, _mm512_permute_ps(pairs, 0x4e)));
}
TD_D4_OP td_f4 td_f4s_sum(const td_f4s r[1]) {
    const __m512 pairs = _mm512_add_ps(r[0], _mm512_permute_ps(r[0], 0xb1));
    return td_f4s_firsts(_mm512_add_ps(pairs, _mm512_permute_ps(pairs, 0x4e)));
}

TD_D4_OP td_d4s td_d4s_set1(double a) {
    return (td_d4s){{_mm512_set1_pd(a), _mm512_set1_pd(a)}};
}
TD_D4_OP td_d4s td_d4s_add(td_d4s a, td_d4s b) {
    return (td_d4s){{_mm512_add_pd(a.v[0], b.v[0]), _mm512_add_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4s td_d4s_sub(td_d4s a, td_d4s b) {
    return (td_d4s){{_mm512_sub_pd(a.v[0], b.v[0]), _mm512_sub_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4s td_d4s_mul(td_d4s a, td_d4s b) {
    return (td_d4s){{_mm512_mul_pd(a.v[0], b.v[0]), _mm512_mul_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4s td_d4s_sqrt(td_d4s a) {
    return (td_d4s){{_mm512_sqrt_pd(a.v[0]), _mm512_sqrt_pd(a.v[1])}};
}
TD_D4_OP td_f4s td_d4s_narrow(td_d4s a) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a.v[0])), _mm512_cvtpd_ps(a.v[1]), 1);
}
TD_D4_OP td_d4s td_d4s_widen(td_f4s a) {
    return (td_d4s){
        {_mm512_cvtps_pd(_mm512_castps512_ps256(a)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1))}};
}
TD_D4_OP td_d4s td_d4s_spread(td_f4 a, int group) {
    (void)group;
    const __m512d wide = _mm512_castpd256_pd512(_mm256_cvtps_pd(a));
    return (td_d4s){{_mm512_permutexvar_pd(_mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1), wide),
                     _mm512_permutexvar_pd(_mm512_setr_epi64(2, 2, 2, 2, 3, 3, 3, 3), wide)}};
}
TD_D4_OP __m512d td_two_points(const td_points *points, uint32_t a, uint32_t b) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, td_point(points, a))),
                              _mm256_maskz_loadu_pd(7, td_point(points, b)), 1);
}
// Lane i of out[k] becomes coordinate k of point index[i].
TD_D4_OP void td_d4s_gather(td_d4s out[3], const td_points *points, const uint32_t *index) {
    for (int h = 0; h < 2; ++h) {
        const uint32_t *i = index + 8 * h;
        const __m512d a = td_two_points(points, i[0], i[2]), b = td_two_points(points, i[1], i[3]);
        const __m512d c = td_two_points(points, i[4], i[6]), d = td_two_points(points, i[5], i[7]);
        const __m512d xz03 = _mm512_unpacklo_pd(a, b), xz47 = _mm512_unpacklo_pd(c, d);
        out[0].v[h] = _mm512_shuffle_f64x2(xz03, xz47, 0x88);
        out[1].v[h] = _mm512_shuffle_f64x2(_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d), 0x88);
        out[2].v[h] = _mm512_shuffle_f64x2(xz03, xz47, 0xdd);
    }
}

// Part q of the four rows goes to the 64 bytes at `to` + q * step, which is a multiple of 64, for q < count.
// `stream`: past the caches.
TD_D4_OP void td_f4s_write(void *to, uint32_t step, const td_f4s row[4], uint32_t count, bool stream) {
    const __m512 low01 = _mm512_shuffle_f32x4(row[0], row[1], 0x44);
    const __m512 low23 = _mm512_shuffle_f32x4(row[2], row[3], 0x44);
    const __m512 high01 = _mm512_shuffle_f32x4(row[0], row[1], 0xee);
    const __m512 high23 = _mm512_shuffle_f32x4(row[2], row[3], 0xee);
    const __m512 line[4] = {
        _mm512_shuffle_f32x4(low01, low23, 0x88), _mm512_shuffle_f32x4(low01, low23, 0xdd),
        _mm512_shuffle_f32x4(high01, high23, 0x88), _mm512_shuffle_f32x4(high01, high23, 0xdd)};
    for (uint32_t q = 0; q < TD_PARTS && q < count; ++q) {
        char *at = (char *)to + q * step;
        if (stream) {
            _mm512_stream_ps((float *)(void *)at, line[q]);
        } else {
            _mm512_store_ps(at, line[q]);
        }
    }
}

#else
#define TD_PARTS 1

typedef td_f4 td_f4s;
typedef td_d4 td_d4s;
TD_D4_OP td_f4s td_f4s_join(const td_f4 part[TD_PARTS]) {
    return part[0];
}
TD_D4_OP td_f4s td_f4s_set1(float a) {
    return td_f4_set1(a);
}
TD_D4_OP td_f4s td_f4s_add(td_f4s a, td_f4s b) {
    return td_f4_add(a, b);
}
TD_D4_OP td_f4s td_f4s_sub(td_f4s a, td_f4s b) {
    return td_f4_sub(a, b);
}
TD_D4_OP td_f4s td_f4s_mul(td_f4s a, td_f4s b) {
    return td_f4_mul(a, b);
}
TD_D4_OP td_f4s td_f4s_min(td_f4s a, td_f4s b) {
    return td_f4_min(a, b);
}
TD_D4_OP td_f4s td_f4s_max(td_f4s a, td_f4s b) {
    return td_f4_max(a, b);
}
TD_D4_OP td_f4s td_f4s_mark(td_f4s a, td_f4s b, td_f4s x) {
    return td_f4_mark(a, b, x);
}
TD_D4_OP td_f4s td_f4s_repeat(td_f4s a) {
    return td_f4_repeat(a);
}
TD_D4_OP td_f4s td_f4s_spread(td_f4 a, int group) {
    TD_ALIGN16 float lane[4];
    td_f4_store(lane, a);
    return td_f4_set1(lane[group]);
}
TD_D4_OP td_f4 td_f4s_least(const td_f4s r[4]) {
    return td_f4_least(r);
}
TD_D4_OP td_f4 td_f4s_greatest(const td_f4s r[4]) {
    return td_f4_greatest(r);
}
TD_D4_OP td_f4 td_f4s_sum(const td_f4s r[4]) {
    td_f4 t[4];
    td_f4_transposed(t, r);
    return td_f4_add(td_f4_add(t[0], t[1]), td_f4_add(t[2], t[3]));
}

TD_D4_OP td_d4s td_d4s_set1(double a) {
    return td_d4_set1(a);
}
TD_D4_OP td_d4s td_d4s_add(td_d4s a, td_d4s b) {
    return td_d4_add(a, b);
}
TD_D4_OP td_d4s td_d4s_sub(td_d4s a, td_d4s b) {
    return td_d4_sub(a, b);
}
TD_D4_OP td_d4s td_d4s_mul(td_d4s a, td_d4s b) {
    return td_d4_mul(a, b);
}
TD_D4_OP td_d4s td_d4s_sqrt(td_d4s a) {
    return td_d4_sqrt(a);
}
TD_D4_OP td_f4s td_d4s_narrow(td_d4s a) {
    return td_d4_narrow(a);
}
TD_D4_OP td_d4s td_d4s_widen(td_f4s a) {
    return td_d4_widen(a);
}
TD_D4_OP td_d4s td_d4s_spread(td_f4 a, int group) {
    TD_ALIGN16 float lane[4];
    td_f4_store(lane, a);
    return td_d4_set1((double)lane[group]);
}

#ifdef __OPENCL_VERSION__
TD_D4_OP void td_f4s_write(TD_GLOBAL void *to, td_u32 step, const td_f4s row[4], td_u32 count, bool stream) {
    for (int i = 0; i < 4 && count > 0; ++i) {
        vstore4(row[i], i, (TD_GLOBAL float *)to);
    }
}
#else
TD_D4_OP void td_d4s_gather(td_d4s out[3], const td_points *points, const uint32_t *index) {
    td_d4_gather(out, td_point(points, index[0]), td_point(points, index[1]), td_point(points, index[2]),
                 td_point(points, index[3]));
}
TD_D4_OP void td_f4s_write(void *to, uint32_t step, const td_f4s row[4], uint32_t count, bool stream) {
    (void)step, (void)stream;
    for (int i = 0; i < 4 && count > 0; ++i) {
        char *at = (char *)to + 16 * i;
#if defined(__SSE2__)
        if (stream) {
            _mm_stream_ps((float *)(void *)at, row[i]);
            continue;
        }
#endif
        memcpy(at, &row[i], sizeof row[i]);
    }
}
#endif

#endif

#ifndef __OPENCL_VERSION__
// Before another thread may read what was written past the caches.
TD_D4_OP void td_end_stream(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
#endif

#define TD_PART_GROUPS (4 / TD_PARTS)

// The groups that hold the first `count` parts, 1 to 4 of them.
TD_D4_OP int td_part_groups(td_u32 count) {
    return TD_PARTS == 4 ? 1 : (int)count;
}

// Groups without any of them become as the first one: as in a register that holds all, parts that are not
// there having been filled with the first.
TD_D4_OP void td_f4s_complete(td_f4s r[TD_PART_GROUPS], int groups) {
    for (int g = groups; g < TD_PART_GROUPS; ++g) {
        r[g] = r[0];
    }
}

#endif
