// When two bodies meet.
//
// Bodies meet when the gap between them is down to the skin, a length far below their size, so that they
// never touch, let alone overlap. A pair that is within its skin already, having just met, meets again when
// half of what was left is used up: however often that happens, something is left.
//
// Times of the paper's scheme are parts of a step, from 0 to 1; TD_PLANAR_NEVER is its "constant greater than
// 1". Those of td_planar_advance are seconds.
#ifndef TD_PLANAR_HIT_H
#define TD_PLANAR_HIT_H

#include "strip.h"

#define TD_PLANAR_NEVER 2.0

// The gap at which bodies meet that are `separation` apart now. A gap that rounding has made negative may
// grow by a little, or nothing would ever move again.
TD_INLINE double td_planar_target(double separation, double skin) {
    return separation > 0.0 ? td_planar_min(skin, 0.5 * separation) : separation - 1e-6 * skin;
}

// Seconds until two discs meet, or TD_PLANAR_FAR: the first root of |d + t v| = reach, which the pair is not
// below now. Paper 004, section 4.1.
TD_INLINE double td_planar_meet_discs(td_planar_vector d, td_planar_vector v, double reach) {
    const double b = td_planar_dot(d, v), a = td_planar_dot(v, v);
    const double c = td_planar_dot(d, d) - reach * reach;
    if (!(b < 0.0)) {
        return TD_PLANAR_FAR;
    }
    if (!(c > 0.0)) {
        return 0.0;
    }
    const double discriminant = b * b - a * c;
    return discriminant < 0.0 ? TD_PLANAR_FAR : c / (sqrt(discriminant) - b);
}

TD_INLINE td_planar_vector td_planar_between(td_planar_body a, td_planar_body b) {
    return td_planar_make(b.motion.x - a.motion.x, b.motion.y - a.motion.y);
}

TD_INLINE td_planar_vector td_planar_relative(td_planar_body a, td_planar_body b) {
    return td_planar_make(b.motion.vx - a.motion.vx, b.motion.vy - a.motion.vy);
}

// Whether the pair's time has a formula.
TD_INLINE int td_planar_is_algebraic(td_planar_shape a, td_planar_shape b) {
    return a.kind != TD_SHAPE_POLYGON && b.kind != TD_SHAPE_POLYGON;
}

// Seconds until a circle meets a circle or a wall, or TD_PLANAR_FAR.
TD_INLINE double td_planar_meet_exactly(td_planar_body a, td_planar_body b, double skin,
                                        TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_gap gap = td_planar_gap_between(a, b, corners);
    const double target = td_planar_target(gap.separation, skin);
    if (a.shape.kind == TD_SHAPE_CIRCLE && b.shape.kind == TD_SHAPE_CIRCLE) {
        return td_planar_meet_discs(td_planar_between(a, b), td_planar_relative(a, b),
                                    a.shape.radius + b.shape.radius + target);
    }
    const double speed = -td_planar_dot(gap.normal, td_planar_relative(a, b));
    return speed > 0.0 ? (gap.separation - target) / speed : TD_PLANAR_FAR;
}

TD_INLINE double td_planar_algebraic(td_planar_body a, td_planar_body b, double step, double skin,
                                     TD_GLOBAL const td_planar_corner *corners) {
    const double part = td_planar_meet_exactly(a, b, skin, corners) / step;
    return part <= 1.0 ? part : TD_PLANAR_NEVER;
}

// ---------------------------------------------------------------------------------------------------------
// Bisection: paper 004, section 2.1. There, pairs that overlap at the end of the step are looked at, and
// their interval is halved by asking whether they overlap in its middle. What touches in between only is
// missed, and shows as an overlap if another collision ends the step just then. So here the question about an
// interval is whether the pair is certainly apart all through it, as the strip between them at its lower end
// tells (strip.h). If not, its lower half is next; if so, what follows it, until the step is over.

// The interval from `lower` on of width 2^-level; the pair is apart before it. Beyond `halvings` levels, it
// is where the pair meets; TD_PLANAR_NEVER as its lower end says that it does not.
typedef struct td_planar_search {
    double lower, width;
    td_u32 level;
} td_planar_search;

TD_INLINE td_planar_search td_planar_search_at(double lower, td_u32 level) {
    td_planar_search search;
    search.lower = lower;
    search.level = level;
    search.width = 1.0;
    for (td_u32 i = 0; i < level; ++i) {
        search.width = 0.5 * search.width;
    }
    return search;
}

// The interval behind this one: as wide as the place where it starts allows.
TD_INLINE td_planar_search td_planar_search_on(td_planar_search search) {
    search.lower = search.lower + search.width;
    while (search.level > 0 &&
           floor(search.lower / (2.0 * search.width)) * (2.0 * search.width) == search.lower) {
        search.width = 2.0 * search.width;
        search.level = search.level - 1;
    }
    if (search.lower >= 1.0) {
        search.lower = TD_PLANAR_NEVER;
    }
    return search;
}

// One question.
TD_INLINE td_planar_search td_planar_search_next(td_planar_search search, td_planar_body a, td_planar_body b,
                                                 double target, double step,
                                                 TD_GLOBAL const td_planar_corner *corners) {
    a.motion = td_planar_forward(a.motion, search.lower * step);
    b.motion = td_planar_forward(b.motion, search.lower * step);
    const td_planar_gap gap = td_planar_gap_between(a, b, corners);
    const double time = search.width * step;
    if (td_planar_strip_time(gap, a, b, target, time, corners) >= time) {
        return td_planar_search_on(search);
    }
    search.level = search.level + 1;
    search.width = 0.5 * search.width;
    return search;
}

// At most `questions` more. A search that is not over then is so at its lower end: early, never late.
TD_INLINE td_planar_search td_planar_bisect(td_planar_search search, td_u32 questions, td_u32 halvings,
                                            td_planar_body a, td_planar_body b, double step, double skin,
                                            TD_GLOBAL const td_planar_corner *corners) {
    const double target = td_planar_target(td_planar_gap_between(a, b, corners).separation, skin);
    for (td_u32 i = 0; i < questions && search.lower <= 1.0 && search.level <= halvings; ++i) {
        search = td_planar_search_next(search, a, b, target, step, corners);
    }
    return search;
}

#endif
