// How long the strip between two bodies stays free. It is carried along by the body that it lies on, so that
// only the other one moves across it: its corners, each with a velocity that is known now and an acceleration
// that is bounded, because bodies fly straight and turn evenly. Exact to first order: bodies that have just
// met and part are seen to part.
#ifndef TD_PLANAR_STRIP_H
#define TD_PLANAR_STRIP_H

#include "gap.h"

// Seconds until s + rate t - bend t^2 / 2 is down to 0, from s > 0 on; at most `limit`.
TD_INLINE double td_planar_fall_time(double s, double rate, double bend, double limit) {
    if (!(s > 0.0)) {
        return 0.0;
    }
    const double root = sqrt(rate * rate + 2.0 * bend * s);
    double time = limit;
    if (rate < 0.0) {
        time = 2.0 * s / (root - rate);
    } else if (bend > 0.0) {
        time = (rate + root) / bend;
    }
    return td_planar_min(time, limit);
}

TD_INLINE double td_planar_length(td_planar_vector v) {
    return sqrt(v.x * v.x + v.y * v.y);
}

// A bound on the second derivative of n . (p - x): p a point of the other body, x the owner's centre, and n a
// direction that turns with the owner.
TD_INLINE double td_planar_strip_bend(td_planar_body owner, td_planar_body other, double limit) {
    const double turn = owner.shape.kind == TD_SHAPE_POLYGON ? fabs(owner.motion.spin) : 0.0;
    const int has_corners = other.shape.kind == TD_SHAPE_POLYGON;
    const double reach = has_corners ? other.shape.radius : 0.0;
    const double spin = has_corners ? fabs(other.motion.spin) : 0.0;
    const double speed = td_planar_length(
        td_planar_make(other.motion.vx - owner.motion.vx, other.motion.vy - owner.motion.vy));
    const double distance =
        td_planar_length(td_planar_make(other.motion.x - owner.motion.x, other.motion.y - owner.motion.y)) +
        speed * limit + reach;
    return turn * turn * distance + 2.0 * turn * (speed + spin * reach) + spin * spin * reach;
}

// How fast a point of the other body leaves the strip's far side, at `arm` from the other's centre.
TD_INLINE double td_planar_strip_rate(td_planar_body owner, td_planar_body other, td_planar_vector normal,
                                      td_planar_vector arm) {
    const double turn = owner.shape.kind == TD_SHAPE_POLYGON ? owner.motion.spin : 0.0;
    const double spin = other.shape.kind == TD_SHAPE_POLYGON ? other.motion.spin : 0.0;
    const double vx = other.motion.vx - spin * arm.y - owner.motion.vx;
    const double vy = other.motion.vy + spin * arm.x - owner.motion.vy;
    const double dx = other.motion.x + arm.x - owner.motion.x, dy = other.motion.y + arm.y - owner.motion.y;
    return normal.x * vx + normal.y * vy + turn * (normal.x * dy - normal.y * dx);
}

// Seconds, at most `limit`, for which the strip of `gap` stays at least `target` wide; `a` and `b` are where
// the gap was measured.
TD_INLINE double td_planar_strip_time(td_planar_gap gap, td_planar_body a, td_planar_body b, double target,
                                      double limit, TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_body owner = gap.owner == 0 ? a : b, other = gap.owner == 0 ? b : a;
    const td_planar_vector normal =
        gap.owner == 0 ? gap.normal : td_planar_make(-gap.normal.x, -gap.normal.y);
    const double bend = td_planar_strip_bend(owner, other, limit);
    if (other.shape.kind != TD_SHAPE_POLYGON) {
        const double rate = td_planar_strip_rate(owner, other, normal, td_planar_make(0.0, 0.0));
        return td_planar_fall_time(gap.separation - target, rate, bend, limit);
    }
    const td_planar_turn turn = td_planar_turn_of(other.motion.angle);
    const td_planar_vector turned = td_planar_rotate_back(turn, normal);
    td_u32 at = 0;
    const double least = td_planar_support(&at, other.shape, corners, turned);
    double time = limit;
    for (td_u32 k = 0; k < other.shape.count; ++k) {
        const td_planar_vector corner =
            td_planar_make(corners[other.shape.first + k].x, corners[other.shape.first + k].y);
        const double above = td_planar_dot(turned, corner) - least;
        const double rate = td_planar_strip_rate(owner, other, normal, td_planar_rotate(turn, corner));
        time = td_planar_min(time, td_planar_fall_time(gap.separation + above - target, rate, bend, limit));
    }
    return time;
}

#endif
