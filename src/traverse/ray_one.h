// One ray on its way into float32, on its own (ray_sheet.h does it for many).
//
// What boxes want is there first, since most rays meet few and no triangle at all: it is made in float32 and
// starts where the ray itself does. What triangles want, which has to be far more accurate, is made when the
// first one is reached. Both are scaled by a power of two, so that the largest component of the direction is
// from 1 to 2, where ray.h has 1, and no division waits for another one.
//
// A ray has to start near the mesh and go forward: each |x| of the origin, in the local frame, is at most
// R = 32, and t_min is not negative. One that does not is moved first, to where it enters the box of +-2 or
// begins, in float64; if it comes from beyond 512, or nothing is left of its direction, it is for ray_wide.c.
// Bounds, with e = 2^-24 as in ray.h (docs/exactness.md adds them up):
//   - Boxes. The origin and its product with 1 / d are rounded, and 1 / d is within 2 e: the distance of a
//     plane, counted as a shift of it, is within 5 e R + 6 e, 166 e. Fans, and the box around the mesh, are
//     larger by TD_FAN_SLACK, 256 e, on all sides. What is left of that, 90 e, is 45 e of t or more, and
//     covers the 8 e by which a t of ray.h may be off, and the rounding of t_min, t_max and of the t at which
//     a hit ends the ray: as far as the mesh reaches that is 34 e. No t is negative, so places
//     (ray_boxes_wide.h) are in order; -0 is visited out of it.
//   - A ray that was moved is off by 6 2^-53 512, less than 2^-41, and its t is not negative: it begins where
//     it was moved to, or enters the mesh's box later.
//   - Triangles. The ray is moved to where it enters the box around the mesh, or begins, in float64, which
//     loses less than 2^-45, so that all is within TD_ONE_ERROR, and starts within 2^-15 of that box, which
//     is lost in the margins of ray.h. So the bounds of ray.h hold, but for the unit of t and direction:
//     sides, which grow with the direction, have twice the slack, and so has the error that depths carry, of
//     which t in the smaller unit wants as much as before; all else holds as it is, since t and the direction
//     come as products.
//   - Components of the direction that are all but zero become 2^-40: over a way of 34 that is less than e.
#ifndef TD_TRAVERSE_RAY_ONE_H
#define TD_TRAVERSE_RAY_ONE_H

#include "../bvh/fan.h"
#include "ray_lanes_wide.h"

#include <stddef.h>
#include <string.h>

#define TD_ONE_NEARBY      2.0
#define TD_ONE_MOVABLE     512.0
#define TD_ONE_ERROR       0x1p-40
#define TD_ONE_SIDE_SLACK  (2 * (TD_RAY_SIDE_SLACK + 8 * TD_ONE_ERROR))
#define TD_ONE_DEPTH_SLACK (TD_RAY_DEPTH_SLACK + 8 * TD_ONE_ERROR)
#define TD_ONE_END_SLACK   (TD_RAY_BOX_SLACK + 2 * TD_ONE_ERROR)

typedef double td_axes __attribute__((vector_size(32)));

// As it is given, or moved. The fourth of each axis says nothing.
typedef struct td_one_start {
    td_axes local, direction; // where it starts, in the local frame; direction, in the mesh's own coordinates
    double pace, base;        // the float32 form's t is t * pace * p - base, p being the power of two
} td_one_start;

typedef struct td_one_ray {
    td_one_start from;
    double t_min, t_max;
    double rate;             // pace * p
    td_axes32 unit;          // direction * shorten, which is 1 / p
    td_axes32 shorten;       // four times the same
    td_axes32 inverse, past; // 1 / unit; local / unit
    float enter, leave;      // of the box around the mesh
    float begin, end;        // what boxes have to be met in
} td_one_ray;

TD_OP td_axes32 td_axes_round(td_axes a) {
    return __builtin_convertvector(a, td_axes32);
}

TD_OP td_axes_bits td_axes_load(const int32_t p[4]) {
    td_axes_bits a;
    memcpy(&a, p, sizeof a);
    return a;
}

TD_OP td_axes_bits td_axes_size(td_axes32 a) {
    return (td_axes_bits)a & td_axes_load(td_one_limits.size);
}

TD_OP td_axes32 td_axes_smaller(td_axes32 a, td_axes32 b) {
    return td_axes_of_f4(td_f4_min(td_f4_of_axes(a), td_f4_of_axes(b)));
}

TD_OP float td_larger32(float a, float b) {
    return a > b ? a : b;
}

TD_OP float td_smaller32(float a, float b) {
    return a < b ? a : b;
}

// Where it is within the box around the mesh; false: nowhere.
TD_OP bool td_cut_one(td_one_ray *one, const td_fan_tree *tree, td_axes32 size) {
    td_axes32 half;
    memcpy(&half, tree->half, sizeof half);
    const td_axes32 reach = half * size, first = -one->past - reach, last = reach - one->past;
    const float from = (float)(one->t_min * one->rate - one->from.base),
                to = (float)(one->t_max * one->rate - one->from.base);
    one->enter = td_larger32(td_larger32(first[0], first[1]), first[2]);
    one->leave = td_smaller32(td_smaller32(last[0], last[1]), last[2]);
    one->begin = td_larger32(one->enter, from);
    one->end = td_smaller32(one->leave, to);
    return one->begin <= one->end;
}

typedef enum td_one_way {
    TD_ONE_WALKS,
    TD_ONE_MISSES,
    TD_ONE_DIFFERS // has to be moved, or is not what this is for, or no good
} td_one_way;

TD_OP td_one_way td_set_one_out(td_one_ray *one, const td_fan_tree *tree) {
    const struct td_one_limits *limits = &td_one_limits;
    const td_axes32 local = td_axes_round(one->from.local);
    td_axes32 direction = td_axes_round(one->from.direction);
    direction[3] = 1;
    const td_axes_bits speed = td_axes_size(direction), away = td_axes_size(local);
    const td_axes32 speeds = (td_axes32)speed, steep = (td_axes32)td_axes_load(limits->one) / speeds;
    const float largest = td_larger32(td_larger32(speeds[0], speeds[1]), speeds[2]);
    const td_axes32 fastest = {largest, largest, largest, largest};
    const td_axes_bits power = (td_axes_bits)fastest & td_axes_load(limits->exponent);
    const td_axes_bits odd = (td_axes_load(limits->farthest) - away) |
                             (td_axes_load(limits->fastest) - speed) |
                             (power - td_axes_load(limits->slowest));
    if (td_axes_signs(odd) != 0) {
        return TD_ONE_DIFFERS;
    }
    const td_axes32 size =
        td_axes_smaller(steep * (td_axes32)power, (td_axes32)td_axes_load(limits->steepest));
    one->shorten = (td_axes32)(td_axes_load(limits->inverse) - power);
    one->rate = (double)((td_axes32)power)[0] * one->from.pace;
    one->unit = direction * one->shorten;
    one->inverse = (td_axes32)((td_axes_bits)size | ((td_axes_bits)direction & ~td_axes_load(limits->size)));
    one->past = local * one->inverse;
    return td_cut_one(one, tree, size) ? TD_ONE_WALKS : TD_ONE_MISSES;
}

TD_OP td_axes td_local_axes(const td_fan_tree *tree, td_axes origin) {
    td_axes center, scale;
    memcpy(&center, tree->origin, sizeof center);
    memcpy(&scale, tree->scale, sizeof scale);
    return (origin - center) * scale;
}

// The batch's only ray.
TD_OP td_one_way td_begin_one(td_one_ray *one, const td_ray_batch *batch, const td_ray *ray) {
    td_axes origin;
    memcpy(&origin, ray, sizeof origin);
    memcpy(&one->from.direction, (const char *)ray + offsetof(td_ray, direction), sizeof one->from.direction);
    one->t_min = ray->t_min;
    one->t_max = ray->t_max;
    if (!(one->t_min >= 0 && one->t_min <= one->t_max)) {
        return TD_ONE_DIFFERS;
    }
    if (batch->placed) {
        td_line line;
        if (!td_ray_line(&line, batch, ray)) {
            return TD_ONE_DIFFERS;
        }
        origin = (td_axes){line.origin.x, line.origin.y, line.origin.z, 0};
        one->from.direction = (td_axes){line.direction.x, line.direction.y, line.direction.z, 0};
    }
    one->from.local = td_local_axes(batch->fans, origin);
    one->from.pace = batch->fans->scale[0];
    one->from.base = 0;
    return td_set_one_out(one, batch->fans);
}

// ---------------------------------------------------------------------------------------------------------
// Rays that have to be moved

TD_OP double td_power_of_bits(uint64_t bits) {
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// The t of the moved ray, times its pace, from where it is within the box of +-TD_ONE_NEARBY; false: nowhere.
TD_OP bool td_reach_nearby(double *base, td_axes local, td_axes unit, double from, double to) {
    double first = from, last = to;
    for (int k = 0; k < 3; ++k) {
        const double steep = fabs(unit[k]) < 0x1p-40 ? copysign(0x1p-40, unit[k]) : unit[k];
        const double middle = -local[k] / steep, reach = TD_ONE_NEARBY / fabs(steep);
        first = td_larger(middle - reach, first);
        last = td_smaller(middle + reach, last);
    }
    *base = first;
    return first <= last;
}

// Moves it to where it comes near the mesh, and scales its direction.
TD_OP td_one_way td_move_one(td_one_start *out, const td_ray_batch *batch, const td_ray *ray) {
    const td_fan_tree *tree = batch->fans;
    td_line line;
    if (!td_ray_line(&line, batch, ray) || !(ray->t_min <= ray->t_max)) {
        return TD_ONE_DIFFERS;
    }
    const td_axes local = td_local_axes(tree, (td_axes){line.origin.x, line.origin.y, line.origin.z, 0});
    const double largest = fabs(td_component(line.direction, line.axis));
    const double distance = td_larger(fabs(local[0]), td_larger(fabs(local[1]), fabs(local[2])));
    uint64_t exponent;
    memcpy(&exponent, &largest, sizeof exponent);
    exponent &= 0x7ff0000000000000u;
    out->pace = td_power_of_bits(exponent) * tree->scale[0];
    if (!(distance <= TD_ONE_MOVABLE && largest > 0x1p-1000 && largest < 0x1p1000 && out->pace > 0x1p-1000 &&
          out->pace < 0x1p1000)) {
        return TD_ONE_DIFFERS;
    }
    const double shorten = td_power_of_bits(0x7fe0000000000000u - exponent);
    const td_axes unit = shorten * (td_axes){line.direction.x, line.direction.y, line.direction.z, 0};
    if (!td_reach_nearby(&out->base, local, unit, ray->t_min * out->pace, ray->t_max * out->pace)) {
        return TD_ONE_MISSES;
    }
    out->local = local + out->base * unit;
    out->direction = unit;
    return TD_ONE_WALKS;
}

// ---------------------------------------------------------------------------------------------------------
// For triangles

// The t at which triangles begin to count.
TD_OP double td_start_of_one(const td_one_ray *one) {
    const double from = one->t_min * one->rate - one->from.base - (TD_RAY_RANGE_SLACK + 2 * TD_ONE_ERROR);
    return td_larger((double)one->enter, from);
}

// ... and end to, from there on.
TD_OP float td_length_of_one(const td_one_ray *one, double start) {
    // 2 TD_ONE_ERROR more come with the slack.
    const double to = one->t_max * one->rate - one->from.base + TD_RAY_RANGE_SLACK;
    return (float)(td_smaller((double)one->leave, to) - start + TD_ONE_END_SLACK);
}

TD_OP td_axes32 td_place_of_one(const td_one_ray *one, double start) {
    const double along = start * (double)one->shorten[0];
    return td_axes_round(one->from.local + along * one->from.direction);
}

#endif
