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

// One ray in float32, as triangles want it.
typedef struct td_quad_ray {
    float at[3], unit[3];
    float side_slack, depth_slack;
    float t_end;
} td_quad_ray;

TD_OP td_quad_ray td_quad_ray_of(const td_ray_sheet *s, int i) {
    return (td_quad_ray){{s->at[0][i], s->at[1][i], s->at[2][i]},
                         {s->unit[0][i], s->unit[1][i], s->unit[2][i]},
                         s->side_slack[i],
                         s->depth_slack[i],
                         s->t_end[i]};
}

typedef struct td_quad_answer {
    uint32_t possible;       // lanes that are not certainly missed
    uint32_t certain;        // lanes that are certainly hit, well within the range
    td_f4 depth, det, slack; // of a hit: |depth - t det| <= slack
} td_quad_answer;

// What is certain is found out if it is asked for.
TD_OP td_quad_answer td_test_quad(const td_quad *quad, const td_quad_ray *ray, bool certainly) {
    td_f4 s[3], e0[3], e1[3], d[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = td_f4_add(td_f4_load(quad->origin[k]), td_f4_set1(quad->center[k] - ray->at[k]));
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
    const uint32_t beside =
        td_f4_signs(td_f4_add(least, side_slack)) & td_f4_signs(td_f4_sub(side_slack, greatest));
    const uint32_t beyond =
        td_f4_signs(td_f4_add(below, depth_slack)) | td_f4_signs(td_f4_add(above, depth_slack));
    const uint32_t possible = ~(beside | beyond | td_f4_signs(scale)) & 15u;
    if (!certainly || possible == 0) {
        return (td_quad_answer){possible, 0, depth, det, depth_slack};
    }
    const td_f4 twice = td_f4_add(depth_slack, depth_slack);
    const uint32_t open =
        (td_f4_signs(td_f4_sub(least, side_slack)) & ~td_f4_signs(td_f4_add(greatest, side_slack))) |
        td_f4_signs(td_f4_sub(below, twice)) | td_f4_signs(td_f4_sub(above, twice));
    return (td_quad_answer){possible, possible & ~open, depth, det, depth_slack};
}

#endif
