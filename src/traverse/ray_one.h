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
//     What is left of that, 90 e and so 45 e of t or more, covers the 8 e by which a t of ray.h may be off.
//   - The range of boxes is t_min ... t_max, rounded, which is off by less than 34 e as far as the mesh
//     reaches, and enlarged by TD_ONE_RANGE_SLACK, 128 e. It does not begin before 0, so that no t is
//     negative.
//   - Triangles. The ray is moved to where it enters the box around the mesh, or begins, in float64, which
//     loses less than TD_ONE_ERROR. So the bounds of ray.h hold, but for the unit of t and direction: sides,
//     which grow with the direction, have twice the slack, and so has the error that depths carry, of which
//     t in the smaller unit wants as much as before; all else holds as it is, since t and the direction come
//     as products.
//   - Components of the direction that are all but zero become 2^-40: over a way of 34 that is less than e.
#ifndef TD_TRAVERSE_RAY_ONE_H
#define TD_TRAVERSE_RAY_ONE_H

#include "../bvh/fan.h"
#include "../math/f4.h"
#include "ray.h"

#include <stddef.h>
#include <string.h>

// Everything here is inlined, so there is no call whose ABI could differ between instruction sets.
#pragma GCC diagnostic ignored "-Wpsabi"

#define TD_ONE_RANGE_SLACK 0x1p-17
#define TD_ONE_ERROR       0x1p-40
#define TD_ONE_SIDE_SLACK  (2 * (TD_RAY_SIDE_SLACK + 8 * TD_ONE_ERROR))
#define TD_ONE_DEPTH_SLACK (TD_RAY_DEPTH_SLACK + 8 * TD_ONE_ERROR)
#define TD_ONE_END_SLACK   (TD_RAY_BOX_SLACK + 2 * TD_ONE_ERROR)

// float32 as integers, which are in the order of the numbers if these are not negative; NaN is beyond all.
#define TD_ONE_FARTHEST 0x42000000 // R
#define TD_ONE_SLOWEST  0x21800000 // 2^-60
#define TD_ONE_FASTEST  0x5d800000 // 2^60
#define TD_ONE_EXPONENT 0x7f800000

typedef double td_axes __attribute__((vector_size(32)));
typedef float td_axes32 __attribute__((vector_size(16)));
typedef int32_t td_axes_bits __attribute__((vector_size(16)));

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

#define TD_AXES_OP static inline __attribute__((always_inline))

TD_AXES_OP td_axes32 td_axes_round(td_axes a) {
    return __builtin_convertvector(a, td_axes32);
}

TD_AXES_OP td_axes_bits td_axes_size(td_axes32 a) {
    return (td_axes_bits)a & INT32_MAX;
}

TD_AXES_OP td_axes32 td_axes_smaller(td_axes32 a, td_axes32 b) {
    td_f4 x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    const td_f4 smaller = td_f4_min(x, y);
    memcpy(&a, &smaller, sizeof a);
    return a;
}

TD_AXES_OP bool td_some_sign(td_axes_bits a) {
    td_f4 lanes;
    memcpy(&lanes, &a, sizeof lanes);
    return td_f4_signs(lanes) != 0;
}

TD_AXES_OP float td_larger32(float a, float b) {
    return a > b ? a : b;
}

TD_AXES_OP float td_smaller32(float a, float b) {
    return a < b ? a : b;
}

// Where it is within the box around the mesh; false: nowhere.
TD_AXES_OP bool td_cut_one(td_one_ray *one, const td_fan_tree *tree, td_axes32 size) {
    td_axes32 half;
    memcpy(&half, tree->half, sizeof half);
    const td_axes32 reach = half * size, first = -one->past - reach, last = reach - one->past;
    const float from = (float)(one->t_min * one->rate - TD_ONE_RANGE_SLACK);
    const float to = (float)(one->t_max * one->rate + TD_ONE_RANGE_SLACK);
    one->enter = td_larger32(td_larger32(first[0], first[1]), first[2]);
    one->leave = td_smaller32(td_smaller32(last[0], last[1]), last[2]);
    one->begin = td_larger32(td_larger32(one->enter, from), 0);
    one->end = td_smaller32(one->leave, to);
    return one->begin <= one->end;
}

typedef enum td_one_way {
    TD_ONE_WALKS,
    TD_ONE_MISSES,
    TD_ONE_DIFFERS // not what this is for, or no good
} td_one_way;

// `origin`: in the mesh's own coordinates, as the direction is; the fourth of each says nothing.
TD_AXES_OP td_one_way td_set_one_out(td_one_ray *one, const td_fan_tree *tree, td_axes origin) {
    td_axes center, scale;
    memcpy(&center, tree->origin, sizeof center);
    memcpy(&scale, tree->scale, sizeof scale);
    one->local = (origin - center) * scale;
    const td_axes32 local = td_axes_round(one->local);
    td_axes32 direction = td_axes_round(one->direction);
    direction[3] = 1;
    const td_axes_bits speed = td_axes_size(direction), away = td_axes_size(local);
    const td_axes32 speeds = (td_axes32)speed, steep = 1 / speeds;
    const float largest = td_larger32(td_larger32(speeds[0], speeds[1]), speeds[2]);
    const td_axes32 fastest = {largest, largest, largest, largest};
    const td_axes_bits power = (td_axes_bits)fastest & TD_ONE_EXPONENT;
    const td_axes_bits odd = (TD_ONE_FARTHEST - away) | (TD_ONE_FASTEST - speed) | (power - TD_ONE_SLOWEST);
    if (td_some_sign(odd) || !(one->t_min >= 0 && one->t_min <= one->t_max)) {
        return TD_ONE_DIFFERS;
    }
    const td_axes32 most = {0x1p40f, 0x1p40f, 0x1p40f, 0x1p40f};
    const td_axes32 size = td_axes_smaller(steep * (td_axes32)power, most);
    one->shorten = (td_axes32)(0x7f000000 - power); // 1 / power
    one->rate = (double)((td_axes32)power)[0] * tree->scale[0];
    one->unit = direction * one->shorten;
    one->inverse = (td_axes32)((td_axes_bits)size | ((td_axes_bits)direction & INT32_MIN));
    one->past = local * one->inverse;
    return td_cut_one(one, tree, size) ? TD_ONE_WALKS : TD_ONE_MISSES;
}

// Of the batch's only ray.
TD_AXES_OP td_one_way td_begin_one(td_one_ray *one, const td_ray_batch *batch, const td_ray *ray) {
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
TD_AXES_OP double td_start_of_one(const td_one_ray *one) {
    const double from = one->t_min * one->rate - (TD_RAY_RANGE_SLACK + 2 * TD_ONE_ERROR);
    return td_larger((double)one->enter, from);
}

// ... and end to, from there on.
TD_AXES_OP float td_length_of_one(const td_one_ray *one, double start) {
    const double to = one->t_max * one->rate + TD_RAY_RANGE_SLACK; // 2 TD_ONE_ERROR more come with the slack
    return (float)(td_smaller((double)one->leave, to) - start + TD_ONE_END_SLACK);
}

TD_AXES_OP td_axes32 td_place_of_one(const td_one_ray *one, double start) {
    const double along = start * (double)one->shorten[0];
    return td_axes_round(one->local + along * one->direction);
}

#endif
