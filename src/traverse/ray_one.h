// One ray on its way into float32, on its own (ray_sheet.h does it for many).
//
// What boxes want is there first, since most rays meet few and no triangle at all: it is made in float32 and
// starts where the ray itself does. What triangles want, which has to be far more accurate, is made when the
// first one is reached. Both are scaled by a power of two, so that the largest component of the direction is
// from 1 to 2, where ray.h has 1, and no division waits for another one.
//
// This is for rays that start near the mesh and go forward: each |x| of the origin, in the local frame, is at
// most R = 32, and t_min is not negative. Others are for ray_wide.c. Bounds, with e = 2^-24 as in ray.h:
//   - Boxes. The origin and its product with 1 / d are rounded, and 1 / d is within 2 e: the distance of a
//     plane, counted as a shift of it, is within 5 e R + 5 e, 165 e, and nearly zero components (below) move
//     it by less than e. Fans, and the box around the mesh, are larger by TD_FAN_SLACK, 256 e, on all sides.
//     What is left of that, 90 e, is 45 e of t or more, and covers the 8 e by which a t of ray.h may be off,
//     and the rounding of t_min, t_max and of the t at which a hit ends the ray: as far as the mesh reaches
//     that is 34 e. No t is negative, so places (ray_boxes_wide.h) are in order.
//   - Triangles. The ray is moved to where it enters the box around the mesh, or begins, in float64, which
//     loses less than TD_ONE_ERROR. So the bounds of ray.h hold, but for the unit of t and direction: sides,
//     which grow with the direction, have twice the slack, and so has the error that depths carry, of which
//     t in the smaller unit wants as much as before; all else holds as it is, since t and the direction come
//     as products.
//   - Components of the direction that are all but zero become 2^-40: over a way of 34 that is less than e.
#ifndef TD_TRAVERSE_RAY_ONE_H
#define TD_TRAVERSE_RAY_ONE_H

#include "../bvh/fan.h"
#include "ray_lanes_wide.h"

#include <stddef.h>
#include <string.h>

#define TD_ONE_ERROR       0x1p-40
#define TD_ONE_SIDE_SLACK  (2 * (TD_RAY_SIDE_SLACK + 8 * TD_ONE_ERROR))
#define TD_ONE_DEPTH_SLACK (TD_RAY_DEPTH_SLACK + 8 * TD_ONE_ERROR)
#define TD_ONE_END_SLACK   (TD_RAY_BOX_SLACK + 2 * TD_ONE_ERROR)

typedef double td_axes __attribute__((vector_size(32)));

// The fourth axis goes on forever.
typedef struct td_one_ray {
    td_axes local, direction; // local: where it starts; direction: in the mesh's own coordinates
    double t_min, t_max;
    double rate;             // the float32 form's t is t * rate
    td_axes32 unit;          // direction * shorten, a power of two
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
    const float from = (float)(one->t_min * one->rate), to = (float)(one->t_max * one->rate);
    one->enter = td_larger32(td_larger32(first[0], first[1]), first[2]);
    one->leave = td_smaller32(td_smaller32(last[0], last[1]), last[2]);
    one->begin = td_larger32(one->enter, from);
    one->end = td_smaller32(one->leave, to);
    return one->begin <= one->end;
}

typedef enum td_one_way {
    TD_ONE_WALKS,
    TD_ONE_MISSES,
    TD_ONE_DIFFERS // not what this is for, or no good
} td_one_way;

// `origin`: in the mesh's own coordinates, as the direction is; the fourth of each says nothing.
TD_OP td_one_way td_set_one_out(td_one_ray *one, const td_fan_tree *tree, td_axes origin) {
    const struct td_one_limits *limits = &td_one_limits;
    td_axes center, scale;
    memcpy(&center, tree->origin, sizeof center);
    memcpy(&scale, tree->scale, sizeof scale);
    one->local = (origin - center) * scale;
    const td_axes32 local = td_axes_round(one->local);
    td_axes32 direction = td_axes_round(one->direction);
    direction[3] = 1;
    const td_axes_bits speed = td_axes_size(direction), away = td_axes_size(local);
    const td_axes32 speeds = (td_axes32)speed, steep = (td_axes32)td_axes_load(limits->one) / speeds;
    const float largest = td_larger32(td_larger32(speeds[0], speeds[1]), speeds[2]);
    const td_axes32 fastest = {largest, largest, largest, largest};
    const td_axes_bits power = (td_axes_bits)fastest & td_axes_load(limits->exponent);
    const td_axes_bits odd = (td_axes_load(limits->farthest) - away) | (td_axes_load(limits->fastest) - speed) |
                             (power - td_axes_load(limits->slowest));
    if (td_axes_signs(odd) != 0 || !(one->t_min >= 0 && one->t_min <= one->t_max)) {
        return TD_ONE_DIFFERS;
    }
    const td_axes32 size = td_axes_smaller(steep * (td_axes32)power, (td_axes32)td_axes_load(limits->steepest));
    one->shorten = (td_axes32)(td_axes_load(limits->inverse) - power);
    one->rate = (double)((td_axes32)power)[0] * tree->scale[0];
    one->unit = direction * one->shorten;
    one->inverse = (td_axes32)((td_axes_bits)size | ((td_axes_bits)direction & ~td_axes_load(limits->size)));
    one->past = local * one->inverse;
    return td_cut_one(one, tree, size) ? TD_ONE_WALKS : TD_ONE_MISSES;
}

// Of the batch's only ray.
TD_OP td_one_way td_begin_one(td_one_ray *one, const td_ray_batch *batch, const td_ray *ray) {
    td_axes origin;
    memcpy(&origin, ray, sizeof origin);
    memcpy(&one->direction, (const char *)ray + offsetof(td_ray, direction), sizeof one->direction);
    one->t_min = ray->t_min;
    one->t_max = ray->t_max;
    if (batch->placed) {
        td_line line;
        if (!td_ray_line(&line, batch, ray)) {
            return TD_ONE_DIFFERS;
        }
        origin = (td_axes){line.origin.x, line.origin.y, line.origin.z, 0};
        one->direction = (td_axes){line.direction.x, line.direction.y, line.direction.z, 0};
    }
    return td_set_one_out(one, batch->fans, origin);
}

// The t, times rate, at which triangles begin to count.
TD_OP double td_start_of_one(const td_one_ray *one) {
    const double from = one->t_min * one->rate - (TD_RAY_RANGE_SLACK + 2 * TD_ONE_ERROR);
    return td_larger((double)one->enter, from);
}

// ... and end to, from there on.
TD_OP float td_length_of_one(const td_one_ray *one, double start) {
    const double to = one->t_max * one->rate + TD_RAY_RANGE_SLACK; // 2 TD_ONE_ERROR more come with the slack
    return (float)(td_smaller((double)one->leave, to) - start + TD_ONE_END_SLACK);
}

TD_OP td_axes32 td_place_of_one(const td_one_ray *one, double start) {
    const double along = start * (double)one->shorten[0];
    return td_axes_round(one->local + along * one->direction);
}

#endif
