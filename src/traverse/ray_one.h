// One ray on its way into float32, on its own (ray_sheet.h does it for many): its axes lie side by side in
// registers, and it is scaled by a power of two, so that no division waits for another one.
//
// The largest component of the float32 direction is therefore from 1 to 2, where ray.h has 1, and t less by
// as much. So sides, which grow with the direction, have twice the slack, and so has the error that depths
// carry, of which t in the smaller unit wants as much as before; all else holds as it is, since t and the
// direction come as products.
#ifndef TD_TRAVERSE_RAY_ONE_H
#define TD_TRAVERSE_RAY_ONE_H

#include "../bvh/fan.h"
#include "ray_sheet.h"

#include <string.h>

// Everything here is inlined, so there is no call whose ABI could differ between instruction sets.
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double td_axes __attribute__((vector_size(32)));
typedef int64_t td_axes_bits __attribute__((vector_size(32)));
typedef float td_axes32 __attribute__((vector_size(16)));

// The ray as it was given, in the mesh's own coordinates, and its float32 form, whose t is t * rate - start.
typedef struct td_one_ray {
    td_axes origin, direction;
    double t_min, t_max;
    double rate, start, slack;
    td_axes32 at, unit, inverse, near, far; // as in ray_sheet.h
    float side_slack, depth_slack, t_end;
} td_one_ray;

#define TD_AXES_OP static inline __attribute__((always_inline))

TD_AXES_OP td_axes td_axes_abs(td_axes a) {
    return (td_axes)((td_axes_bits)a & INT64_MAX);
}

// Not larger than a positive number, the sign as it is.
TD_AXES_OP td_axes td_axes_bound(td_axes a, double most) {
    const td_axes limit = most - (td_axes){0};
    const td_axes_bits within = td_axes_abs(a) <= limit, sign = (td_axes_bits)a & INT64_MIN;
    return (td_axes)((within & (td_axes_bits)a) | (~within & ((td_axes_bits)limit | sign)));
}

TD_AXES_OP double td_power_of_bits(uint64_t bits) {
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

TD_AXES_OP double td_largest(double a, double b, double c) {
    return td_larger(td_larger(a, b), c);
}

TD_AXES_OP td_axes32 td_axes_round(td_axes a) {
    return __builtin_convertvector(a, td_axes32);
}

// Where the ray is within the box around the mesh, enlarged; false: nowhere.
TD_AXES_OP bool td_cut_one(td_one_ray *one, td_axes local, td_axes inverse, td_axes half, double error) {
    const double spare = 0x1p-38 + 4 * error;
    const td_axes middle = -local * inverse, reach = (half + spare) * td_axes_abs(inverse);
    const td_axes first = middle - reach, last = middle + reach;
    const double from = one->t_min * one->rate - (TD_RAY_RANGE_SLACK + 2 * error);
    const double to = one->t_max * one->rate + TD_RAY_RANGE_SLACK; // 2 error more come with the slack
    const double end = td_smaller(td_smaller(last[0], last[1]), td_smaller(last[2], to));
    one->start = td_larger(td_larger(first[0], first[1]), td_larger(first[2], from));
    one->slack = TD_RAY_BOX_SLACK + 2 * error;
    one->t_end = (float)(end - one->start + one->slack);
    return (one->start <= end + spare) & (one->t_min <= one->t_max);
}

TD_AXES_OP td_ray_way td_set_one_out(td_one_ray *one, const td_blocked *h, const td_fan_tree *tree) {
    td_axes center, half;
    memcpy(&center, tree->origin, sizeof center);
    memcpy(&half, tree->half, sizeof half);
    const td_axes local = (one->origin - center) * h->scale[0] * h->scale[1], away = td_axes_abs(local);
    const td_axes speed = td_axes_abs(one->direction), steep = 1 / one->direction;
    const double distance = td_largest(away[0], away[1], away[2]);
    const double largest = td_largest(speed[0], speed[1], speed[2]);
    uint64_t exponent;
    memcpy(&exponent, &largest, sizeof exponent);
    exponent &= 0x7ff0000000000000u;
    const double power = td_power_of_bits(exponent),
                 shorten = td_power_of_bits(0x7fe0000000000000u - exponent);
    one->rate = power * h->scale[0] * h->scale[1];
    if (!((distance < 0x1p40) & (one->rate > 0x1p-1000) & (one->rate < 0x1p1000) & (largest > 0x1p-1000) &
          (largest < 0x1p1000))) {
        return largest == 0 ? TD_RAY_BAD : TD_RAY_UNUSABLE;
    }
    const double error = 0x1p-50 * (distance + 1);
    // Components that are all but zero become 2^-40: that moves the ray by less than the slack.
    const td_axes unit = one->direction * shorten, inverse = td_axes_bound(steep * power, 0x1p40);
    if (!td_cut_one(one, local, inverse, half, error)) {
        return TD_RAY_MISSES;
    }
    one->at = td_axes_round(local + one->start * unit);
    one->unit = td_axes_round(unit);
    one->inverse = td_axes_round(inverse);
    const td_axes32 moved = (float)one->slack * td_axes_round(td_axes_abs(inverse));
    one->near = one->at * one->inverse + moved;
    one->far = one->at * one->inverse - moved;
    one->side_slack = (float)(2 * (TD_RAY_SIDE_SLACK + 8 * error));
    one->depth_slack = (float)(TD_RAY_DEPTH_SLACK + 8 * error);
    return TD_RAY_WALK;
}

// Of the batch's only ray.
TD_AXES_OP td_ray_way td_begin_one(td_one_ray *one, const td_ray_batch *batch, const td_ray *ray) {
    td_vec3 o = td_vec3_make(ray->origin[0], ray->origin[1], ray->origin[2]);
    td_vec3 d = td_vec3_make(ray->direction[0], ray->direction[1], ray->direction[2]);
    if (!td_ray_is_good(ray)) {
        return TD_RAY_BAD;
    }
    if (batch->placed) {
        o = td_turn_back(&batch->rigid, td_sub(o, batch->rigid.position));
        d = td_turn_back(&batch->rigid, d);
    }
    one->origin = (td_axes){o.x, o.y, o.z, 0};
    one->direction = (td_axes){d.x, d.y, d.z, 1};
    one->t_min = ray->t_min;
    one->t_max = ray->t_max;
    return td_set_one_out(one, batch->hierarchy, batch->fans);
}

#endif
