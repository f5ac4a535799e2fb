// One ray against the four boxes of a block, and against the four triangles of a quad, in float32: tests that
// only say "certainly not", or "certainly" (ray.h has the bounds). For files that are compiled once per
// instruction set.
#ifndef TD_TRAVERSE_RAY_LANES_WIDE_H
#define TD_TRAVERSE_RAY_LANES_WIDE_H

#include "../math/f4.h"
#include "../math/wide.h"
#include "ray_sheet.h"

#include <string.h>

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

// One ray of a sheet as its box tests want it: every number four times.
typedef struct td_ray_lanes {
    td_f4 inverse[3], size[3]; // 1 / direction, and its magnitude
    td_f4 near[3], far[3];
} td_ray_lanes;

TD_OP td_ray_lanes td_take_ray(const td_ray_sheet *sheet, int i) {
    td_ray_lanes lanes;
    for (int k = 0; k < 3; ++k) {
        lanes.inverse[k] = td_f4_set1(sheet->inverse[k][i]);
        lanes.size[k] = td_f4_max(lanes.inverse[k], td_f4_sub(td_f4_set1(0), lanes.inverse[k]));
        lanes.near[k] = td_f4_set1(sheet->near[k][i]);
        lanes.far[k] = td_f4_set1(sheet->far[k][i]);
    }
    return lanes;
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

// A block or quad to be visited: its number below, above it the bits of the t at which the ray enters it. t
// is not negative, so places are in the order of t.
typedef uint64_t td_ray_place;

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

// Which boxes of a block the ray may meet before t_end: a bit each, and the t at which it enters them.
TD_OP uint32_t td_meet_boxes(float times[4], const td_block *block, const td_ray_lanes *ray, float t_end) {
    td_f4 enter = td_f4_set1(0), leave = td_f4_set1(t_end);
    for (int k = 0; k < 3; ++k) {
        const td_f4 center = td_f4_load(block->center[k]), half = td_f4_load(block->half[k]);
        const td_f4 near = td_f4_fms(center, ray->inverse[k], ray->near[k]);
        const td_f4 far = td_f4_fms(center, ray->inverse[k], ray->far[k]);
        enter = td_f4_max(td_f4_fnma(half, ray->size[k], near), enter);
        leave = td_f4_min(td_f4_fma(half, ray->size[k], far), leave);
    }
    td_f4_store(times, enter);
    return ~td_f4_signs(td_f4_sub(leave, enter)) & 15u;
}

// The places of at least two boxes, the nearest last; writes four. Without branches: which boxes are met,
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

// ---------------------------------------------------------------------------------------------------------
// Triangles

typedef struct td_quad_answer {
    uint32_t possible; // lanes that are not certainly missed
    uint32_t certain;  // lanes that are certainly hit, well within the range
} td_quad_answer;

TD_OP td_quad_answer td_test_quad(const td_quad *quad, const td_ray_sheet *ray, int lane, td_ray_mode mode) {
    td_f4 s[3], e0[3], e1[3], d[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = td_f4_add(td_f4_load(quad->origin[k]), td_f4_set1(quad->center[k] - ray->at[k][lane]));
        e0[k] = td_f4_load(quad->edge0[k]);
        e1[k] = td_f4_load(quad->edge1[k]);
        d[k] = td_f4_set1(ray->unit[k][lane]);
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
    const td_f4 side_slack = td_f4_fma(scale, td_f4_set1(ray->side_slack[lane]), td_f4_set1(TD_RAY_TINY));
    const td_f4 depth_slack =
        td_f4_fma(td_f4_mul(scale, scale), td_f4_set1(ray->depth_slack[lane]), td_f4_set1(TD_RAY_TINY));
    // The ray's t goes from 0 to t_end, so depth = t det goes from 0 to `last`.
    const td_f4 last = td_f4_mul(det, td_f4_set1(ray->t_end[lane]));
    const td_f4 below = td_f4_sub(depth, td_f4_min(last, zero)),
                above = td_f4_sub(td_f4_max(last, zero), depth);
    const uint32_t beside =
        td_f4_signs(td_f4_add(least, side_slack)) & td_f4_signs(td_f4_sub(side_slack, greatest));
    const uint32_t beyond =
        td_f4_signs(td_f4_add(below, depth_slack)) | td_f4_signs(td_f4_add(above, depth_slack));
    const uint32_t possible = ~(beside | beyond | td_f4_signs(scale)) & 15u;
    if (mode != TD_RAY_ANY || possible == 0) {
        return (td_quad_answer){possible, 0};
    }
    const td_f4 twice = td_f4_add(depth_slack, depth_slack);
    const uint32_t open =
        (td_f4_signs(td_f4_sub(least, side_slack)) & ~td_f4_signs(td_f4_add(greatest, side_slack))) |
        td_f4_signs(td_f4_sub(below, twice)) | td_f4_signs(td_f4_sub(above, twice));
    return (td_quad_answer){possible, possible & ~open};
}

#endif
