// One ray against the four triangles of a quad in float32: a test that only says "certainly not", or
// "certainly" (ray.h has the bounds). For files that are compiled once per instruction set.
#ifndef TD_TRAVERSE_RAY_LANES_WIDE_H
#define TD_TRAVERSE_RAY_LANES_WIDE_H

#include "../math/f4.h"
#include "../math/wide.h"
#include "ray_sheet.h"

#include <string.h>

TD_OP td_wf td_wf_load(const float *p) {
    td_wf lanes;
    memcpy(&lanes, p, sizeof lanes);
    return lanes;
}

#if defined(__FMA__)
TD_OP td_f4 td_f4_fma(td_f4 a, td_f4 b, td_f4 c) {
    return _mm_fmadd_ps(a, b, c);
}
TD_OP td_f4 td_f4_fms(td_f4 a, td_f4 b, td_f4 c) {
    return _mm_fmsub_ps(a, b, c);
}
TD_OP td_f4 td_f4_fnma(td_f4 a, td_f4 b, td_f4 c) {
    return _mm_fnmadd_ps(a, b, c);
}
#else
TD_OP td_f4 td_f4_fma(td_f4 a, td_f4 b, td_f4 c) {
    return td_f4_add(td_f4_mul(a, b), c);
}
TD_OP td_f4 td_f4_fms(td_f4 a, td_f4 b, td_f4 c) {
    return td_f4_sub(td_f4_mul(a, b), c);
}
TD_OP td_f4 td_f4_fnma(td_f4 a, td_f4 b, td_f4 c) {
    return td_f4_sub(c, td_f4_mul(a, b));
}
#endif

// Everything here is inlined, so there is no call whose ABI could differ between instruction sets.
#pragma GCC diagnostic ignored "-Wpsabi"

// td_f4, and its bits, for what compilers can do with it by themselves.
typedef float td_axes32 __attribute__((vector_size(16)));
typedef int32_t td_axes_bits __attribute__((vector_size(16)));

TD_OP td_f4 td_f4_of_axes(td_axes32 a) {
    td_f4 b;
    memcpy(&b, &a, sizeof b);
    return b;
}

TD_OP td_axes32 td_axes_of_f4(td_f4 a) {
    td_axes32 b;
    memcpy(&b, &a, sizeof b);
    return b;
}

TD_OP td_axes_bits td_bits_of_f4(td_f4 a) {
    return (td_axes_bits)td_axes_of_f4(a);
}

// Bit k: the first bit of lane k.
TD_OP uint32_t td_axes_signs(td_axes_bits a) {
#if defined(__SSE2__) || defined(__ARM_NEON)
    return td_f4_signs(td_f4_of_axes((td_axes32)a));
#else
    return (uint32_t)(a[0] < 0) | (uint32_t)(a[1] < 0) << 1 | (uint32_t)(a[2] < 0) << 2 |
           (uint32_t)(a[3] < 0) << 3;
#endif
}

// One ray in float32, as triangles want it.
typedef struct td_quad_ray {
    td_axes32 at, unit; // the fourth axis says nothing
    float side_slack, depth_slack;
    float t_end;
} td_quad_ray;

TD_OP td_quad_ray td_quad_ray_of(const td_ray_sheet *s, int i) {
    return (td_quad_ray){{s->at[0][i], s->at[1][i], s->at[2][i], 0},
                         {s->unit[0][i], s->unit[1][i], s->unit[2][i], 0},
                         s->side_slack[i],
                         s->depth_slack[i],
                         s->t_end[i]};
}

typedef struct td_quad_answer {
    uint32_t possible;           // lanes that are not certainly missed
    uint32_t certain;            // lanes that are certainly hit, well within the range
    td_axes32 depth, det, slack; // of a hit: |depth - t det| <= slack
} td_quad_answer;

// What is certain is found out if it is asked for.
TD_OP td_quad_answer td_test_quad(const td_quad *quad, const td_quad_ray *ray, bool certainly) {
    td_f4 s[3], e0[3], e1[3], d[3];
    const td_axes32 away = td_axes_of_f4(td_f4_load(quad->center)) - ray->at; // .size is read, and not used
    for (int k = 0; k < 3; ++k) {
        s[k] = td_f4_add(td_f4_load(quad->origin[k]), td_f4_set1(away[k]));
        e0[k] = td_f4_load(quad->edge0[k]);
        e1[k] = td_f4_load(quad->edge1[k]);
        d[k] = td_f4_set1(ray->unit[k]);
    }
    const td_f4 zero = td_f4_set1(0);
    td_f4 u = zero, v = zero, det = zero, depth = zero;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const td_f4 r = td_f4_fms(s[i], d[j], td_f4_mul(s[j], d[i]));
        const td_f4 normal = td_f4_fms(e0[i], e1[j], td_f4_mul(e0[j], e1[i]));
        u = td_f4_fma(e1[k], r, u);
        v = td_f4_fnma(e0[k], r, v);
        det = td_f4_fma(normal, d[k], det);
        depth = td_f4_fma(normal, s[k], depth);
    }
    const td_f4 w = td_f4_sub(td_f4_sub(det, u), v), scale = td_f4_load(quad->scale);
    const td_f4 least = td_f4_min(u, td_f4_min(v, w)), greatest = td_f4_max(u, td_f4_max(v, w));
    const td_f4 side_slack = td_f4_fma(scale, td_f4_set1(ray->side_slack), td_f4_set1(TD_RAY_TINY));
    const td_f4 depth_slack =
        td_f4_fma(td_f4_mul(scale, scale), td_f4_set1(ray->depth_slack), td_f4_set1(TD_RAY_TINY));
    // The ray's t goes from 0 to t_end, so depth = t det goes from 0 to `last`.
    const td_f4 last = td_f4_mul(det, td_f4_set1(ray->t_end));
    const td_f4 below = td_f4_sub(depth, td_f4_min(last, zero)),
                above = td_f4_sub(td_f4_max(last, zero), depth);
    const td_axes_bits beside =
        td_bits_of_f4(td_f4_add(least, side_slack)) & td_bits_of_f4(td_f4_sub(side_slack, greatest));
    const td_axes_bits beyond =
        td_bits_of_f4(td_f4_add(below, depth_slack)) | td_bits_of_f4(td_f4_add(above, depth_slack));
    td_quad_answer answer;
    answer.possible = td_axes_signs(~(beside | beyond | td_bits_of_f4(scale)));
    answer.certain = 0;
    if (!certainly || answer.possible == 0) {
        return answer;
    }
    const td_f4 twice = td_f4_add(depth_slack, depth_slack);
    const td_axes_bits astride =
        td_bits_of_f4(td_f4_sub(least, side_slack)) & ~td_bits_of_f4(td_f4_add(greatest, side_slack));
    const td_axes_bits around =
        td_bits_of_f4(td_f4_sub(below, twice)) | td_bits_of_f4(td_f4_sub(above, twice));
    answer.certain = answer.possible & td_axes_signs(~(astride | around));
    answer.depth = td_axes_of_f4(depth);
    answer.det = td_axes_of_f4(det);
    answer.slack = td_axes_of_f4(depth_slack);
    return answer;
}

#endif
