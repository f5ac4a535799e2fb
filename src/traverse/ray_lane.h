// One ray against one box of a block, or one triangle of a quad, as a work-item of a device tests them in
// float32: the mathematics of ray_lanes_wide.h with one float per register. Tests say only "certainly not",
// or "certainly"; ray.h has the bounds, which hold with fused operations and without. C17 and OpenCL C.
#ifndef TD_TRAVERSE_RAY_LANE_H
#define TD_TRAVERSE_RAY_LANE_H

#include "../bvh/blocked_node.h"
#include "../math/vec3.h"

#define TD_RAY_LANE_TINY 0x1p-120f // TD_RAY_TINY

// A ray that is set out (ray_sheet.h), in the mesh's own coordinates and in the hierarchy's. 160 bytes.
typedef struct td_ray_form {
    td_vec3 origin, direction;
    double t_min, t_max;
    double rate, start, slack; // the t of the float32 form is t * rate - start
    float at[3], unit[3];
    float inverse[3], near[3], far[3];
    float side_slack, depth_slack;
    float t_end;
} td_ray_form;

// What became of it.
#define TD_RAY_LANE_NOTHING 0 // no hit
#define TD_RAY_LANE_HIT     1
#define TD_RAY_LANE_HANDED  2 // doubles cannot tell: the host is to answer

typedef struct td_lane_hit {
    double t, u, v;
    td_u32 triangle;
    td_i32 state; // TD_RAY_LANE_x
    td_i32 side;
    td_i32 spare;
} td_lane_hit;

// The t at which the ray enters box `lane` of a block; negative: it certainly does not meet it before t_end.
TD_INLINE float td_ray_lane_box(TD_GLOBAL const td_block *block, td_u32 lane, const td_ray_form *ray) {
    float enter = 0.0f, leave = ray->t_end;
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        const float product = block->center[k][lane] * ray->inverse[k];
        const float reach = block->half[k][lane] * TD_ABSF(ray->inverse[k]);
        const float first = (product - ray->near[k]) - reach, last = (product - ray->far[k]) + reach;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave && block->half[0][lane] >= 0.0f ? enter : -1.0f;
}

#define TD_RAY_LANE_MISSED   0u // certainly
#define TD_RAY_LANE_POSSIBLE 1u
#define TD_RAY_LANE_CERTAIN  2u // hit, well within the range

TD_INLINE td_u32 td_ray_lane_triangle(TD_GLOBAL const td_quad *quad, td_u32 lane, const td_ray_form *ray) {
    const float scale = quad->scale[lane];
    if (scale < 0.0f) {
        return TD_RAY_LANE_MISSED; // there is no triangle
    }
    float s[3], e0[3], e1[3];
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        s[k] = quad->origin[k][lane] + (quad->center[k] - ray->at[k]);
        e0[k] = quad->edge0[k][lane];
        e1[k] = quad->edge1[k][lane];
    }
    float u = 0.0f, v = 0.0f, det = 0.0f, depth = 0.0f;
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        const int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
        const float r = s[i] * ray->unit[j] - s[j] * ray->unit[i];
        const float normal = e0[i] * e1[j] - e0[j] * e1[i];
        u += e1[k] * r;
        v -= e0[k] * r;
        det += normal * ray->unit[k];
        depth += normal * s[k];
    }
    const float w = det - u - v;
    const float least = u < v ? (u < w ? u : w) : (v < w ? v : w);
    const float greatest = u > v ? (u > w ? u : w) : (v > w ? v : w);
    const float side_slack = scale * ray->side_slack + TD_RAY_LANE_TINY;
    const float depth_slack = scale * scale * ray->depth_slack + TD_RAY_LANE_TINY;
    // The ray's t goes from 0 to t_end, so depth = t det goes from 0 to `last`.
    const float last = det * ray->t_end;
    const float below = depth - (last < 0.0f ? last : 0.0f), above = (last > 0.0f ? last : 0.0f) - depth;
    if ((least + side_slack < 0.0f && side_slack - greatest < 0.0f) || below + depth_slack < 0.0f ||
        above + depth_slack < 0.0f) {
        return TD_RAY_LANE_MISSED;
    }
    const int open = (least - side_slack < 0.0f && greatest + side_slack >= 0.0f) ||
                     below - 2.0f * depth_slack < 0.0f || above - 2.0f * depth_slack < 0.0f;
    return open ? TD_RAY_LANE_POSSIBLE : TD_RAY_LANE_CERTAIN;
}

#endif
