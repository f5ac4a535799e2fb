// The phases of the planar simulator, one work-item per body or per pair: see src/planar/phases.h. Times are
// those of the lower triangle, row by row; `first` is the least of them, left by the last reduction.
#include "../src/planar/phases.h"

__kernel void td_planar_update(__global double *boxes, __global const td_planar_shape *shapes,
                               __global const td_planar_motion *motions,
                               __global const td_planar_corner *corners, td_planar_rules rules) {
    const uint i = get_global_id(0);
    if (i < rules.size) {
        td_phase_update(boxes, shapes, motions, corners, rules, i);
    }
}

__kernel void td_planar_overlap(__global uchar *flags, __global const double *boxes, uint size) {
    const uint item = get_global_id(0);
    if (item < td_triangle_count(size)) {
        const td_triangle_place place = td_triangle_place_of(item, size);
        flags[td_triangle_at(place.row, place.column)] =
            td_phase_overlap(boxes, size, place.row, place.column);
    }
}

// The flags of overlap become the levels of the searches.
__kernel void td_planar_begin(__global double *times, __global uchar *levels,
                              __global const td_planar_shape *shapes,
                              __global const td_planar_motion *motions,
                              __global const td_planar_corner *corners, td_planar_rules rules) {
    const uint pair = get_global_id(0);
    if (pair < td_triangle_count(rules.size)) {
        times[pair] = TD_PLANAR_NEVER;
        if (levels[pair]) {
            const td_triangle_place place = td_triangle_place_at(pair);
            const td_planar_hit hit =
                td_phase_begin(shapes, motions, corners, rules, place.row, place.column);
            times[pair] = hit.time;
            levels[pair] = (uchar)hit.level;
        }
    }
}

__kernel void td_planar_halve(__global double *times, __global uchar *levels, uint questions,
                              __global const td_planar_shape *shapes,
                              __global const td_planar_motion *motions,
                              __global const td_planar_corner *corners, td_planar_rules rules) {
    const uint pair = get_global_id(0);
    if (pair < td_triangle_count(rules.size)) {
        td_planar_hit hit;
        hit.time = times[pair];
        if (hit.time <= 1.0) {
            const td_triangle_place place = td_triangle_place_at(pair);
            hit.level = levels[pair];
            hit = td_phase_halve(hit, questions, shapes, motions, corners, rules, place.row, place.column);
            times[pair] = hit.time;
            levels[pair] = (uchar)hit.level;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Reductions to a matrix of `next` rows

__kernel void td_planar_reduce_first(__global double *out, __global const double *times, uint size,
                                     uint next) {
    const uint item = get_global_id(0);
    if (item < next * next) {
        out[item] = td_reduce_square(times, size, item / next, item % next);
    }
}

__kernel void td_planar_reduce_classic(__global double *out, __global const double *times, uint size,
                                       uint next) {
    const uint item = get_global_id(0);
    if (item < next * next) {
        out[item] = td_reduce_classic(times, size, item / next, item % next);
    }
}

__kernel void td_planar_reduce_six(__global double *out, __global const double *times, uint size, uint next) {
    const uint item = get_global_id(0);
    if (item < td_triangle_count(next)) {
        const td_triangle_place place = td_triangle_place_of(item, next);
        out[td_triangle_at(place.row, place.column)] = td_reduce_six(times, size, place.row, place.column);
    }
}

// Those that are not next to the diagonal: a triangle of one row less.
__kernel void td_planar_reduce_four(__global double *out, __global const double *times, uint size,
                                    uint next) {
    const uint item = get_global_id(0);
    if (item < td_triangle_count(next - 1)) {
        const td_triangle_place place = td_triangle_place_of(item, next - 1);
        out[td_triangle_at(place.row + 1, place.column)] =
            td_reduce_square(times, size, place.row + 1, place.column);
    }
}

__kernel void td_planar_reduce_diagonal(__global double *out, __global const double *times, uint size,
                                        uint next) {
    const uint row = get_global_id(0) + 1;
    if (row < next) {
        out[td_triangle_at(row, row - 1)] = td_reduce_six(times, size, row, row - 1);
    }
}

// ---------------------------------------------------------------------------------------------------------

__kernel void td_planar_impulse(__global td_planar_motion *struck, __global uint *marks,
                                __global const double *times, __global const double *first,
                                __global const td_planar_shape *shapes,
                                __global const td_planar_motion *motions,
                                __global const td_planar_corner *corners, td_planar_rules rules) {
    const uint pair = get_global_id(0);
    const double least = first[0];
    if (least <= 1.0 && pair < td_triangle_count(rules.size) && times[pair] == least) {
        const td_triangle_place place = td_triangle_place_at(pair);
        td_phase_impulse(struck, marks, times, shapes, motions, corners, rules, least, place.row,
                         place.column);
    }
}

__kernel void td_planar_forward_all(__global td_planar_motion *motions, __global td_planar_tally *tallies,
                                    __global td_planar_clock *clock, __global uint *marks,
                                    __global const td_planar_motion *struck, __global const double *first,
                                    __global const td_planar_shape *shapes, td_planar_rules rules) {
    const uint i = get_global_id(0);
    if (i < rules.bodies) {
        td_phase_forward(motions, tallies, marks, struck, shapes, rules, first[0], i);
    }
    if (i == 0) {
        clock[0] = td_phase_tick(clock[0], rules, first[0]);
    }
}
