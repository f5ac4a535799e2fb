// When two bodies meet, missing nothing: conservative advancement. The strip between two bodies stays free
// for a while (strip.h); when that is over, another one is looked for. Never late, and early by no more than
// half a skin.
//
// based on: Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, section 2.3.
#ifndef TD_PLANAR_ADVANCE_H
#define TD_PLANAR_ADVANCE_H

#include "hit.h"

#define TD_PLANAR_ADVANCES 256 // after so many, what is known is given as the answer

// Seconds until the discs around two bodies meet, which is not later than they do.
TD_INLINE double td_planar_meet_bounds(td_planar_body a, td_planar_body b) {
    if (a.shape.kind == TD_SHAPE_WALL || b.shape.kind == TD_SHAPE_WALL) {
        return 0.0;
    }
    const td_planar_vector d = td_planar_between(a, b);
    const double reach = a.shape.radius + b.shape.radius;
    if (!(td_planar_dot(d, d) > reach * reach)) {
        return 0.0; // also of discs that overlap and part: what is in them may meet
    }
    return td_planar_meet_discs(d, td_planar_relative(a, b), reach);
}

// Seconds, not later than `limit`, until which the pair certainly stays apart; TD_PLANAR_FAR: beyond it. With
// *sure 0 the bodies are not near each other then: it is to be asked again from there.
TD_INLINE double td_planar_advance(int *sure, td_planar_body a, td_planar_body b, double limit, double skin,
                                   TD_GLOBAL const td_planar_corner *corners) {
    *sure = 1;
    double time = td_planar_meet_bounds(a, b);
    // Discs are rounded, too: a skin earlier is early enough.
    if (time > 0.0) {
        if (!(time <= limit)) {
            return TD_PLANAR_FAR;
        }
        const td_planar_vector v = td_planar_relative(a, b);
        time = td_planar_max(0.0, time - skin / sqrt(td_planar_dot(v, v)));
    }
    double target = td_planar_target(td_planar_gap_between(a, b, corners).separation, skin);
    for (int i = 0; i < TD_PLANAR_ADVANCES; ++i) {
        td_planar_body then_a = a, then_b = b;
        then_a.motion = td_planar_forward(a.motion, time);
        then_b.motion = td_planar_forward(b.motion, time);
        const td_planar_gap gap = td_planar_gap_between(then_a, then_b, corners);
        if (!(gap.separation > target + 0.5 * (target > 0.0 ? target : 1e-6 * skin))) {
            return time;
        }
        // A pair that has parted has its whole skin again.
        target = td_planar_max(target, td_planar_target(gap.separation, skin));
        const double left = limit - time;
        const double free_time = td_planar_strip_time(gap, then_a, then_b, target, left, corners);
        if (!(free_time < left)) {
            return TD_PLANAR_FAR;
        }
        time = time + free_time;
    }
    *sure = 0;
    return time;
}

// Seconds until any two bodies meet, by formula where there is one.
TD_INLINE double td_planar_meet(int *sure, td_planar_body a, td_planar_body b, double limit, double skin,
                                TD_GLOBAL const td_planar_corner *corners) {
    if (td_planar_is_algebraic(a.shape, b.shape)) {
        *sure = 1;
        const double time = td_planar_meet_exactly(a, b, skin, corners);
        return time <= limit ? time : TD_PLANAR_FAR;
    }
    return td_planar_advance(sure, a, b, limit, skin, corners);
}

#endif
