// W rows of two times four floats from anywhere in memory, turned into columns: a lane per row.
#ifndef TD_MATH_WIDE_ROWS_H
#define TD_MATH_WIDE_ROWS_H

#include "wide.h"

// Lane l of out[t][k] is row[l][4 t + k], for the first three of each four. Rows lie at multiples of 32
// bytes.
#if defined(TD_WIDE_ISA_avx512)
TD_OP __m512 td_two_rows(const float *low, const float *high) {
    const __m512d row = _mm512_castpd256_pd512(_mm256_castps_pd(_mm256_load_ps(low)));
    return _mm512_castpd_ps(_mm512_insertf64x4(row, _mm256_castps_pd(_mm256_load_ps(high)), 1));
}
// Columns of eight rows, four of which are those four further on: of both times, in turn.
TD_OP void td_eight_columns(__m512 out[3], const float *const row[8]) {
    const __m512 r0 = td_two_rows(row[0], row[4]), r1 = td_two_rows(row[1], row[5]),
                 r2 = td_two_rows(row[2], row[6]), r3 = td_two_rows(row[3], row[7]);
    const __m512 low01 = _mm512_unpacklo_ps(r0, r1), low23 = _mm512_unpacklo_ps(r2, r3);
    out[0] = _mm512_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    out[1] = _mm512_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    out[2] =
        _mm512_shuffle_ps(_mm512_unpackhi_ps(r0, r1), _mm512_unpackhi_ps(r2, r3), _MM_SHUFFLE(1, 0, 1, 0));
}
TD_OP void td_wf_columns(td_wf out[2][3], const float *const row[TD_LANES]) {
    __m512 low[3], high[3];
    td_eight_columns(low, row);
    td_eight_columns(high, row + 8);
    for (int k = 0; k < 3; ++k) {
        out[0][k] = _mm512_shuffle_f32x4(low[k], high[k], _MM_SHUFFLE(2, 0, 2, 0));
        out[1][k] = _mm512_shuffle_f32x4(low[k], high[k], _MM_SHUFFLE(3, 1, 3, 1));
    }
}

#elif defined(TD_WIDE_ISA_avx2)
// Of both times, one after the other.
TD_OP void td_four_columns(__m256 out[3], const float *const row[4]) {
    const __m256 r0 = _mm256_load_ps(row[0]), r1 = _mm256_load_ps(row[1]), r2 = _mm256_load_ps(row[2]),
                 r3 = _mm256_load_ps(row[3]);
    const __m256 low01 = _mm256_unpacklo_ps(r0, r1), low23 = _mm256_unpacklo_ps(r2, r3);
    out[0] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    out[1] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    out[2] =
        _mm256_shuffle_ps(_mm256_unpackhi_ps(r0, r1), _mm256_unpackhi_ps(r2, r3), _MM_SHUFFLE(1, 0, 1, 0));
}
TD_OP void td_wf_columns(td_wf out[2][3], const float *const row[TD_LANES]) {
    __m256 low[3], high[3];
    td_four_columns(low, row);
    td_four_columns(high, row + 4);
    for (int k = 0; k < 3; ++k) {
        out[0][k] = _mm256_permute2f128_ps(low[k], high[k], 0x20);
        out[1][k] = _mm256_permute2f128_ps(low[k], high[k], 0x31);
    }
}

#elif defined(TD_WIDE_ISA_sse4)
TD_OP void td_wf_columns(td_wf out[2][3], const float *const row[TD_LANES]) {
    for (int t = 0; t < 2; ++t) {
        const __m128 r0 = _mm_load_ps(row[0] + 4 * t), r1 = _mm_load_ps(row[1] + 4 * t),
                     r2 = _mm_load_ps(row[2] + 4 * t), r3 = _mm_load_ps(row[3] + 4 * t);
        const __m128 low01 = _mm_unpacklo_ps(r0, r1), low23 = _mm_unpacklo_ps(r2, r3);
        out[t][0] = _mm_movelh_ps(low01, low23);
        out[t][1] = _mm_movehl_ps(low23, low01);
        out[t][2] = _mm_movelh_ps(_mm_unpackhi_ps(r0, r1), _mm_unpackhi_ps(r2, r3));
    }
}

#elif defined(TD_WIDE_ISA_neon)
TD_OP void td_wf_columns(td_wf out[2][3], const float *const row[TD_LANES]) {
    for (int t = 0; t < 2; ++t) { // x0 x1 z0 z1 and y0 y1 of two rows
        const float32x4x2_t r01 = vtrnq_f32(vld1q_f32(row[0] + 4 * t), vld1q_f32(row[1] + 4 * t));
        const float32x4x2_t r23 = vtrnq_f32(vld1q_f32(row[2] + 4 * t), vld1q_f32(row[3] + 4 * t));
        out[t][0] = vcombine_f32(vget_low_f32(r01.val[0]), vget_low_f32(r23.val[0]));
        out[t][1] = vcombine_f32(vget_low_f32(r01.val[1]), vget_low_f32(r23.val[1]));
        out[t][2] = vcombine_f32(vget_high_f32(r01.val[0]), vget_high_f32(r23.val[0]));
    }
}

#else
TD_OP void td_wf_columns(td_wf out[2][3], const float *const row[TD_LANES]) {
    for (int k = 0; k < 3; ++k) {
        out[0][k] = row[0][k];
        out[1][k] = row[0][4 + k];
    }
}
#endif

#endif
