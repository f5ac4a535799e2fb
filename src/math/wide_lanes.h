// More of W floats (wide.h), for work that is a lane per item: plain arrays in and out, roots, quotients,
// choices, and the same lanes as float64. Every operation is rounded as IEEE has it, none is fused, so the
// bits are the same for every instruction set, and on devices with float64 (OpenCL C).
#ifndef TD_MATH_WIDE_LANES_H
#define TD_MATH_WIDE_LANES_H

#include "d4.h"
#include "wide.h"

// td_wf_pick(a, b, x, y): x where a < b, else y. td_wf_least4 and td_wf_greatest4: four lanes whose least
// (greatest) is that of all.

#if defined(TD_WIDE_ISA_avx512)
typedef __m512d td_half64;
TD_OP td_wf td_wf_load(const float *p) {
    return _mm512_loadu_ps(p);
}
TD_OP void td_wf_store(float *p, td_wf a) {
    _mm512_storeu_ps(p, a);
}
TD_OP td_wf td_wf_div(td_wf a, td_wf b) {
    return _mm512_div_ps(a, b);
}
TD_OP td_wf td_wf_sqrt(td_wf a) {
    return _mm512_sqrt_ps(a);
}
TD_OP td_wf td_wf_pick(td_wf a, td_wf b, td_wf x, td_wf y) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}
TD_OP td_f4 td_wf_least4(td_wf a) {
    const __m256 two = _mm256_min_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    return _mm_min_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
}
TD_OP td_f4 td_wf_greatest4(td_wf a) {
    const __m256 two = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    return _mm_max_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
}
TD_OP td_half64 td_half64_load(const double *p) {
    return _mm512_loadu_pd(p);
}
TD_OP td_half64 td_half64_set1(double a) {
    return _mm512_set1_pd(a);
}
TD_OP void td_halves_widen(td_half64 out[2], td_wf a) {
    out[0] = _mm512_cvtps_pd(_mm512_castps512_ps256(a));
    out[1] = _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
}
TD_OP td_wf td_halves_narrow(const td_half64 a[2]) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a[0])), _mm512_cvtpd_ps(a[1]), 1);
}

#elif defined(TD_WIDE_ISA_avx2)
typedef __m256d td_half64;
TD_OP td_wf td_wf_load(const float *p) {
    return _mm256_loadu_ps(p);
}
TD_OP void td_wf_store(float *p, td_wf a) {
    _mm256_storeu_ps(p, a);
}
TD_OP td_wf td_wf_div(td_wf a, td_wf b) {
    return _mm256_div_ps(a, b);
}
TD_OP td_wf td_wf_sqrt(td_wf a) {
    return _mm256_sqrt_ps(a);
}
TD_OP td_wf td_wf_pick(td_wf a, td_wf b, td_wf x, td_wf y) {
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
TD_OP td_f4 td_wf_least4(td_wf a) {
    return _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
}
TD_OP td_f4 td_wf_greatest4(td_wf a) {
    return _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
}
TD_OP td_half64 td_half64_load(const double *p) {
    return _mm256_loadu_pd(p);
}
TD_OP td_half64 td_half64_set1(double a) {
    return _mm256_set1_pd(a);
}
TD_OP void td_halves_widen(td_half64 out[2], td_wf a) {
    out[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
    out[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}
TD_OP td_wf td_halves_narrow(const td_half64 a[2]) {
    return _mm256_set_m128(_mm256_cvtpd_ps(a[1]), _mm256_cvtpd_ps(a[0]));
}

#elif defined(TD_WIDE_ISA_sse4)
typedef __m128d td_half64;
TD_OP td_wf td_wf_load(const float *p) {
    return _mm_loadu_ps(p);
}
TD_OP void td_wf_store(float *p, td_wf a) {
    _mm_storeu_ps(p, a);
}
TD_OP td_wf td_wf_div(td_wf a, td_wf b) {
    return _mm_div_ps(a, b);
}
TD_OP td_wf td_wf_sqrt(td_wf a) {
    return _mm_sqrt_ps(a);
}
TD_OP td_wf td_wf_pick(td_wf a, td_wf b, td_wf x, td_wf y) {
    return _mm_blendv_ps(y, x, _mm_cmplt_ps(a, b));
}
TD_OP td_f4 td_wf_least4(td_wf a) {
    return a;
}
TD_OP td_f4 td_wf_greatest4(td_wf a) {
    return a;
}
TD_OP td_half64 td_half64_load(const double *p) {
    return _mm_loadu_pd(p);
}
TD_OP td_half64 td_half64_set1(double a) {
    return _mm_set1_pd(a);
}
TD_OP void td_halves_widen(td_half64 out[2], td_wf a) {
    out[0] = _mm_cvtps_pd(a);
    out[1] = _mm_cvtps_pd(_mm_movehl_ps(a, a));
}
TD_OP td_wf td_halves_narrow(const td_half64 a[2]) {
    return _mm_movelh_ps(_mm_cvtpd_ps(a[0]), _mm_cvtpd_ps(a[1]));
}

#elif defined(TD_WIDE_ISA_neon)
typedef float64x2_t td_half64;
TD_OP td_wf td_wf_load(const float *p) {
    return vld1q_f32(p);
}
TD_OP void td_wf_store(float *p, td_wf a) {
    vst1q_f32(p, a);
}
TD_OP td_wf td_wf_div(td_wf a, td_wf b) {
    return vdivq_f32(a, b);
}
TD_OP td_wf td_wf_sqrt(td_wf a) {
    return vsqrtq_f32(a);
}
TD_OP td_wf td_wf_pick(td_wf a, td_wf b, td_wf x, td_wf y) {
    return vbslq_f32(vcltq_f32(a, b), x, y);
}
TD_OP td_f4 td_wf_least4(td_wf a) {
    return a;
}
TD_OP td_f4 td_wf_greatest4(td_wf a) {
    return a;
}
TD_OP td_half64 td_half64_load(const double *p) {
    return vld1q_f64(p);
}
TD_OP td_half64 td_half64_set1(double a) {
    return vdupq_n_f64(a);
}
TD_OP void td_halves_widen(td_half64 out[2], td_wf a) {
    out[0] = vcvt_f64_f32(vget_low_f32(a));
    out[1] = vcvt_high_f64_f32(a);
}
TD_OP td_wf td_halves_narrow(const td_half64 a[2]) {
    return vcvt_high_f32_f64(vcvt_f32_f64(a[0]), a[1]);
}

#else                     // one lane
typedef double td_half64;
TD_OP td_wf td_wf_load(const float *p) {
    return *p;
}
TD_OP void td_wf_store(float *p, td_wf a) {
    *p = a;
}
#ifdef __OPENCL_VERSION__ // float32 need not be rounded correctly there; by float64, rounded twice, it is
TD_OP td_wf td_wf_div(td_wf a, td_wf b) {
    return (float)((double)a / (double)b);
}
TD_OP td_wf td_wf_sqrt(td_wf a) {
    return (float)sqrt((double)a);
}
#else
TD_OP td_wf td_wf_div(td_wf a, td_wf b) {
    return a / b;
}
TD_OP td_wf td_wf_sqrt(td_wf a) {
    return sqrtf(a);
}
#endif
TD_OP td_wf td_wf_pick(td_wf a, td_wf b, td_wf x, td_wf y) {
    return a < b ? x : y;
}
TD_OP td_f4 td_wf_least4(td_wf a) {
    return td_f4_set1(a);
}
TD_OP td_f4 td_wf_greatest4(td_wf a) {
    return td_f4_set1(a);
}
TD_OP td_half64 td_half64_load(const double *p) {
    return *p;
}
TD_OP td_half64 td_half64_set1(double a) {
    return a;
}
TD_OP void td_halves_widen(td_half64 *out, td_wf a) {
    *out = (double)a;
}
TD_OP td_wf td_halves_narrow(const td_half64 *a) {
    return (float)*a;
}
#endif

// ---------------------------------------------------------------------------------------------------------
// W float64: two registers, or one number

#define TD_HALVES (TD_LANES > 1 ? 2 : 1)

typedef struct td_wf64 {
    td_half64 v[TD_HALVES];
} td_wf64;

TD_OP td_wf64 td_wf64_set1(double a) {
    td_wf64 r;
    for (int h = 0; h < TD_HALVES; ++h) {
        r.v[h] = td_half64_set1(a);
    }
    return r;
}
TD_OP td_wf64 td_wf64_load(const double *p) {
    td_wf64 r;
    for (int h = 0; h < TD_HALVES; ++h) {
        r.v[h] = td_half64_load(p + h * (TD_LANES / TD_HALVES));
    }
    return r;
}
TD_OP td_wf64 td_wf64_widen(td_wf a) {
    td_wf64 r;
    td_halves_widen(r.v, a);
    return r;
}
TD_OP td_wf td_wf64_narrow(td_wf64 a) {
    return td_halves_narrow(a.v);
}
TD_OP td_wf64 td_wf64_add(td_wf64 a, td_wf64 b) {
    for (int h = 0; h < TD_HALVES; ++h) {
        a.v[h] = a.v[h] + b.v[h];
    }
    return a;
}
TD_OP td_wf64 td_wf64_sub(td_wf64 a, td_wf64 b) {
    for (int h = 0; h < TD_HALVES; ++h) {
        a.v[h] = a.v[h] - b.v[h];
    }
    return a;
}
TD_OP td_wf64 td_wf64_mul(td_wf64 a, td_wf64 b) {
    for (int h = 0; h < TD_HALVES; ++h) {
        a.v[h] = a.v[h] * b.v[h];
    }
    return a;
}
TD_OP td_wf64 td_wf64_div(td_wf64 a, td_wf64 b) {
    for (int h = 0; h < TD_HALVES; ++h) {
        a.v[h] = a.v[h] / b.v[h];
    }
    return a;
}

#endif
