// Four doubles at the instruction set that the file is compiled for: for hierarchies, where one vector is one
// coordinate of four triangles. IEEE operations only, so the bits are the same for every set, and on devices
// with float64 (OpenCL C).
#ifndef TD_MATH_D4_H
#define TD_MATH_D4_H

#include "f4.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <string.h>

#define TD_D4_OP static inline __attribute__((always_inline))
#endif

#if defined(__OPENCL_VERSION__)
#define TD_D4_OP static inline

typedef double4 td_d4;
TD_D4_OP td_d4 td_d4_set1(double a) {
    return (double4)(a);
}
TD_D4_OP td_d4 td_d4_set(double a, double b, double c, double d) {
    return (double4)(a, b, c, d);
}
TD_D4_OP td_d4 td_d4_add(td_d4 a, td_d4 b) {
    return a + b;
}
TD_D4_OP td_d4 td_d4_sub(td_d4 a, td_d4 b) {
    return a - b;
}
TD_D4_OP td_d4 td_d4_mul(td_d4 a, td_d4 b) {
    return a * b;
}
TD_D4_OP td_d4 td_d4_min(td_d4 a, td_d4 b) {
    return a < b ? a : b;
}
TD_D4_OP td_d4 td_d4_max(td_d4 a, td_d4 b) {
    return a > b ? a : b;
}
TD_D4_OP td_d4 td_d4_sqrt(td_d4 a) {
    return sqrt(a);
}
TD_D4_OP td_d4 td_d4_inverse(td_d4 a) {
    return a != 0 ? 1 / a : (double4)(0);
}
TD_D4_OP td_d4 td_d4_div(td_d4 a, td_d4 b) {
    return a / b;
}
TD_D4_OP td_d4 td_d4_pick(td_d4 a, td_d4 b, td_d4 x, td_d4 y) {
    return a < b ? x : y;
}
TD_D4_OP void td_d4_store(double p[4], td_d4 a) {
    vstore4(a, 0, p);
}
TD_D4_OP td_f4 td_d4_narrow(td_d4 a) {
    return convert_float4(a);
}
TD_D4_OP td_d4 td_d4_widen(td_f4 a) {
    return convert_double4(a);
}
TD_D4_OP void td_d4_transpose(td_d4 r[4]) {
    const td_d4 a = r[0], b = r[1], c = r[2], d = r[3];
    r[0] = (double4)(a.x, b.x, c.x, d.x);
    r[1] = (double4)(a.y, b.y, c.y, d.y);
    r[2] = (double4)(a.z, b.z, c.z, d.z);
    r[3] = (double4)(a.w, b.w, c.w, d.w);
}

#elif defined(__AVX__)
#include <immintrin.h>

typedef __m256d td_d4;
TD_D4_OP td_d4 td_d4_set1(double a) {
    return _mm256_set1_pd(a);
}
TD_D4_OP td_d4 td_d4_set(double a, double b, double c, double d) {
    return _mm256_setr_pd(a, b, c, d);
}
TD_D4_OP td_d4 td_d4_add(td_d4 a, td_d4 b) {
    return _mm256_add_pd(a, b);
}
TD_D4_OP td_d4 td_d4_sub(td_d4 a, td_d4 b) {
    return _mm256_sub_pd(a, b);
}
TD_D4_OP td_d4 td_d4_mul(td_d4 a, td_d4 b) {
    return _mm256_mul_pd(a, b);
}
TD_D4_OP td_d4 td_d4_min(td_d4 a, td_d4 b) {
    return _mm256_min_pd(a, b);
}
TD_D4_OP td_d4 td_d4_max(td_d4 a, td_d4 b) {
    return _mm256_max_pd(a, b);
}
TD_D4_OP td_d4 td_d4_sqrt(td_d4 a) {
    return _mm256_sqrt_pd(a);
}
TD_D4_OP td_d4 td_d4_div(td_d4 a, td_d4 b) {
    return _mm256_div_pd(a, b);
}
// 1 / a, or 0 where a is 0.
TD_D4_OP td_d4 td_d4_inverse(td_d4 a) {
    const __m256d some = _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_NEQ_OQ);
    return _mm256_and_pd(some, _mm256_div_pd(_mm256_set1_pd(1), a));
}
// x where a < b, else y.
TD_D4_OP td_d4 td_d4_pick(td_d4 a, td_d4 b, td_d4 x, td_d4 y) {
    return _mm256_blendv_pd(y, x, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}
TD_D4_OP void td_d4_store(double p[4], td_d4 a) {
    _mm256_storeu_pd(p, a);
}
TD_D4_OP td_f4 td_d4_narrow(td_d4 a) {
    return _mm256_cvtpd_ps(a);
}
TD_D4_OP td_d4 td_d4_widen(td_f4 a) {
    return _mm256_cvtps_pd(a);
}
// The points a, b, c and d, each x y z in memory: lane i of out[k] becomes coordinate k of point i.
TD_D4_OP void td_d4_gather(td_d4 out[3], const double *a, const double *b, const double *c, const double *d) {
    const __m256d ac = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(c), 1);
    const __m256d bd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(b)), _mm_loadu_pd(d), 1);
    out[0] = _mm256_unpacklo_pd(ac, bd);
    out[1] = _mm256_unpackhi_pd(ac, bd);
    out[2] = _mm256_setr_pd(a[2], b[2], c[2], d[2]);
}
// Row i becomes column i.
TD_D4_OP void td_d4_transpose(td_d4 r[4]) {
    const __m256d lo01 = _mm256_unpacklo_pd(r[0], r[1]), hi01 = _mm256_unpackhi_pd(r[0], r[1]);
    const __m256d lo23 = _mm256_unpacklo_pd(r[2], r[3]), hi23 = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(lo01, lo23, 0x20);
    r[1] = _mm256_permute2f128_pd(hi01, hi23, 0x20);
    r[2] = _mm256_permute2f128_pd(lo01, lo23, 0x31);
    r[3] = _mm256_permute2f128_pd(hi01, hi23, 0x31);
}

#elif defined(__SSE2__)

typedef struct td_d4 {
    __m128d v[2];
} td_d4;
TD_D4_OP td_d4 td_d4_set1(double a) {
    return (td_d4){{_mm_set1_pd(a), _mm_set1_pd(a)}};
}
TD_D4_OP td_d4 td_d4_set(double a, double b, double c, double d) {
    return (td_d4){{_mm_setr_pd(a, b), _mm_setr_pd(c, d)}};
}
TD_D4_OP td_d4 td_d4_add(td_d4 a, td_d4 b) {
    return (td_d4){{_mm_add_pd(a.v[0], b.v[0]), _mm_add_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4 td_d4_sub(td_d4 a, td_d4 b) {
    return (td_d4){{_mm_sub_pd(a.v[0], b.v[0]), _mm_sub_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4 td_d4_mul(td_d4 a, td_d4 b) {
    return (td_d4){{_mm_mul_pd(a.v[0], b.v[0]), _mm_mul_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4 td_d4_min(td_d4 a, td_d4 b) {
    return (td_d4){{_mm_min_pd(a.v[0], b.v[0]), _mm_min_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4 td_d4_max(td_d4 a, td_d4 b) {
    return (td_d4){{_mm_max_pd(a.v[0], b.v[0]), _mm_max_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4 td_d4_sqrt(td_d4 a) {
    return (td_d4){{_mm_sqrt_pd(a.v[0]), _mm_sqrt_pd(a.v[1])}};
}
TD_D4_OP td_d4 td_d4_div(td_d4 a, td_d4 b) {
    return (td_d4){{_mm_div_pd(a.v[0], b.v[0]), _mm_div_pd(a.v[1], b.v[1])}};
}
TD_D4_OP td_d4 td_d4_inverse(td_d4 a) {
    td_d4 r;
    for (int k = 0; k < 2; ++k) {
        const __m128d some = _mm_cmpneq_pd(a.v[k], _mm_setzero_pd());
        r.v[k] = _mm_and_pd(some, _mm_div_pd(_mm_set1_pd(1), a.v[k]));
    }
    return r;
}
TD_D4_OP td_d4 td_d4_pick(td_d4 a, td_d4 b, td_d4 x, td_d4 y) {
    td_d4 r;
    for (int k = 0; k < 2; ++k) {
        const __m128d mask = _mm_cmplt_pd(a.v[k], b.v[k]);
        r.v[k] = _mm_or_pd(_mm_and_pd(mask, x.v[k]), _mm_andnot_pd(mask, y.v[k]));
    }
    return r;
}
TD_D4_OP void td_d4_store(double p[4], td_d4 a) {
    _mm_storeu_pd(p, a.v[0]);
    _mm_storeu_pd(p + 2, a.v[1]);
}
TD_D4_OP td_f4 td_d4_narrow(td_d4 a) {
    return _mm_movelh_ps(_mm_cvtpd_ps(a.v[0]), _mm_cvtpd_ps(a.v[1]));
}
TD_D4_OP td_d4 td_d4_widen(td_f4 a) {
    return (td_d4){{_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))}};
}
TD_D4_OP void td_d4_gather(td_d4 out[3], const double *a, const double *b, const double *c, const double *d) {
    for (int k = 0; k < 3; ++k) {
        out[k] = td_d4_set(a[k], b[k], c[k], d[k]);
    }
}
TD_D4_OP void td_d4_transpose(td_d4 r[4]) {
    const td_d4 a = r[0], b = r[1], c = r[2], d = r[3];
    for (int k = 0; k < 2; ++k) {
        r[2 * k].v[0] = _mm_unpacklo_pd(a.v[k], b.v[k]);
        r[2 * k].v[1] = _mm_unpacklo_pd(c.v[k], d.v[k]);
        r[2 * k + 1].v[0] = _mm_unpackhi_pd(a.v[k], b.v[k]);
        r[2 * k + 1].v[1] = _mm_unpackhi_pd(c.v[k], d.v[k]);
    }
}

#else

typedef struct td_d4 {
    double v[4];
} td_d4;
#define TD_D4_EACH(expression)                                                                               \
    td_d4 r;                                                                                                 \
    for (int k = 0; k < 4; ++k) {                                                                            \
        r.v[k] = (expression);                                                                               \
    }                                                                                                        \
    return r
TD_D4_OP td_d4 td_d4_set1(double a) {
    TD_D4_EACH(a);
}
TD_D4_OP td_d4 td_d4_set(double a, double b, double c, double d) {
    return (td_d4){{a, b, c, d}};
}
TD_D4_OP td_d4 td_d4_add(td_d4 a, td_d4 b) {
    TD_D4_EACH(a.v[k] + b.v[k]);
}
TD_D4_OP td_d4 td_d4_sub(td_d4 a, td_d4 b) {
    TD_D4_EACH(a.v[k] - b.v[k]);
}
TD_D4_OP td_d4 td_d4_mul(td_d4 a, td_d4 b) {
    TD_D4_EACH(a.v[k] * b.v[k]);
}
TD_D4_OP td_d4 td_d4_min(td_d4 a, td_d4 b) {
    TD_D4_EACH(a.v[k] < b.v[k] ? a.v[k] : b.v[k]);
}
TD_D4_OP td_d4 td_d4_max(td_d4 a, td_d4 b) {
    TD_D4_EACH(a.v[k] > b.v[k] ? a.v[k] : b.v[k]);
}
TD_D4_OP td_d4 td_d4_sqrt(td_d4 a) {
    TD_D4_EACH(sqrt(a.v[k]));
}
TD_D4_OP td_d4 td_d4_div(td_d4 a, td_d4 b) {
    TD_D4_EACH(a.v[k] / b.v[k]);
}
TD_D4_OP td_d4 td_d4_inverse(td_d4 a) {
    TD_D4_EACH(a.v[k] != 0 ? 1 / a.v[k] : 0);
}
TD_D4_OP td_d4 td_d4_pick(td_d4 a, td_d4 b, td_d4 x, td_d4 y) {
    TD_D4_EACH(a.v[k] < b.v[k] ? x.v[k] : y.v[k]);
}
TD_D4_OP void td_d4_store(double p[4], td_d4 a) {
    memcpy(p, a.v, sizeof a.v);
}
TD_D4_OP td_f4 td_d4_narrow(td_d4 a) {
    return td_f4_set((float)a.v[0], (float)a.v[1], (float)a.v[2], (float)a.v[3]);
}
TD_D4_OP td_d4 td_d4_widen(td_f4 a) {
    _Alignas(16) float p[4];
    td_f4_store(p, a);
    return td_d4_set((double)p[0], (double)p[1], (double)p[2], (double)p[3]);
}
TD_D4_OP void td_d4_gather(td_d4 out[3], const double *a, const double *b, const double *c, const double *d) {
    for (int k = 0; k < 3; ++k) {
        out[k] = td_d4_set(a[k], b[k], c[k], d[k]);
    }
}
TD_D4_OP void td_d4_transpose(td_d4 r[4]) {
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < i; ++k) {
            const double swap = r[i].v[k];
            r[i].v[k] = r[k].v[i];
            r[k].v[i] = swap;
        }
    }
}

#endif

#if defined(__SSE2__) && !defined(__OPENCL_VERSION__)
TD_D4_OP void td_f4_transposed(td_f4 out[4], const td_f4 r[4]) {
    const __m128 lo01 = _mm_unpacklo_ps(r[0], r[1]), hi01 = _mm_unpackhi_ps(r[0], r[1]);
    const __m128 lo23 = _mm_unpacklo_ps(r[2], r[3]), hi23 = _mm_unpackhi_ps(r[2], r[3]);
    out[0] = _mm_movelh_ps(lo01, lo23);
    out[1] = _mm_movehl_ps(lo23, lo01);
    out[2] = _mm_movelh_ps(hi01, hi23);
    out[3] = _mm_movehl_ps(hi23, hi01);
}
#else
TD_D4_OP void td_f4_transposed(td_f4 out[4], const td_f4 r[4]) {
    TD_ALIGN16 float rows[4][4];
    for (int i = 0; i < 4; ++i) {
        td_f4_store(rows[i], r[i]);
    }
    for (int i = 0; i < 4; ++i) {
        out[i] = td_f4_set(rows[0][i], rows[1][i], rows[2][i], rows[3][i]);
    }
}
#endif

#ifndef __OPENCL_VERSION__
TD_D4_OP td_d4 td_d4_load(const double p[4]) {
    td_d4 a;
    memcpy(&a, p, sizeof a);
    return a;
}

// x y z w becomes y z x w.
TD_D4_OP td_d4 td_d4_turned(td_d4 a) {
#if defined(__AVX2__)
    return _mm256_permute4x64_pd(a, 0xc9);
#else
    double lane[4];
    td_d4_store(lane, a);
    return td_d4_set(lane[1], lane[2], lane[0], lane[3]);
#endif
}
#endif

TD_D4_OP double td_d4_sum(td_d4 a) {
    double lane[4];
    td_d4_store(lane, a);
    return ((lane[0] + lane[1]) + lane[2]) + lane[3];
}

// Lane k: the least (below: the greatest) lane of r[k].
TD_D4_OP td_f4 td_f4_least(const td_f4 r[4]) {
    td_f4 t[4];
    td_f4_transposed(t, r);
    return td_f4_min(td_f4_min(t[0], t[1]), td_f4_min(t[2], t[3]));
}

TD_D4_OP td_f4 td_f4_greatest(const td_f4 r[4]) {
    td_f4 t[4];
    td_f4_transposed(t, r);
    return td_f4_max(td_f4_max(t[0], t[1]), td_f4_max(t[2], t[3]));
}

#endif
