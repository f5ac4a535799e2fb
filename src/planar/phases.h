// The phases of the paper's scheme, each for one body or one pair: kernels and native loops call the same.
#ifndef TD_PLANAR_PHASES_H
#define TD_PLANAR_PHASES_H

#include "box.h"
#include "impulse.h"
#include "triangle.h"

// What holds for all steps.
typedef struct td_planar_rules {
    double step;   // s
    double skin;   // m
    double margin; // m, of boxes
    double restitution;
    td_u32 size;      // bodies and walls
    td_u32 bodies;    // of which so many are no walls
    td_u32 halvings;  // of bisection
    td_u32 algebraic; // formulas for circles
} td_planar_rules;

// What the impulse phase leaves for the body.
#define TD_STRUCK_NOT  0
#define TD_STRUCK      1
#define TD_STRUCK_WALL 2 // or anything else that does not move

// Sums over all steps.
typedef struct td_planar_clock {
    double time; // s, simulated
    double steps;
    double truncated; // steps that ended at a collision
} td_planar_clock;

TD_INLINE td_planar_body td_planar_take(TD_GLOBAL const td_planar_shape *shapes,
                                        TD_GLOBAL const td_planar_motion *motions, td_u32 i) {
    td_planar_body body;
    body.shape = shapes[i];
    body.motion = motions[i];
    return body;
}

// Boxes are four arrays, one behind the other: low x, low y, high x, high y.
TD_INLINE void td_phase_update(TD_GLOBAL double *boxes, TD_GLOBAL const td_planar_shape *shapes,
                               TD_GLOBAL const td_planar_motion *motions,
                               TD_GLOBAL const td_planar_corner *corners, td_planar_rules rules, td_u32 i) {
    const td_planar_box box =
        td_planar_box_swept(td_planar_take(shapes, motions, i), rules.step, rules.margin, corners);
    boxes[i] = box.low_x;
    boxes[rules.size + i] = box.low_y;
    boxes[2 * rules.size + i] = box.high_x;
    boxes[3 * rules.size + i] = box.high_y;
}

TD_INLINE td_u8 td_phase_overlap(TD_GLOBAL const double *boxes, td_u32 size, td_u32 row, td_u32 column) {
    TD_GLOBAL const double *low_x = boxes, *low_y = boxes + size;
    TD_GLOBAL const double *high_x = boxes + 2 * size, *high_y = boxes + 3 * size;
    return (td_u8)((low_x[row] <= high_x[column]) & (low_x[column] <= high_x[row]) &
                   (low_y[row] <= high_y[column]) & (low_y[column] <= high_y[row]));
}

// Questions of a bisection: as many halvings, and three times as many intervals to be passed over.
#define TD_QUESTIONS_PER_HALVING 4

// A pair's time and, kept where the overlap of its boxes was, the level of its search.
typedef struct td_planar_hit {
    double time;
    td_u32 level;
} td_planar_hit;

// Bisection1: the first question, or the formula where it is wanted. Of two bodies that do not move there is
// nothing to ask.
TD_INLINE td_planar_hit td_phase_begin(TD_GLOBAL const td_planar_shape *shapes,
                                       TD_GLOBAL const td_planar_motion *motions,
                                       TD_GLOBAL const td_planar_corner *corners, td_planar_rules rules,
                                       td_u32 row, td_u32 column) {
    const td_planar_body a = td_planar_take(shapes, motions, column),
                         b = td_planar_take(shapes, motions, row);
    td_planar_hit hit;
    hit.time = TD_PLANAR_NEVER;
    hit.level = rules.halvings + 1;
    if (!td_planar_is_movable(a.shape) && !td_planar_is_movable(b.shape)) {
        return hit;
    }
    if (rules.algebraic && td_planar_is_algebraic(a.shape, b.shape)) {
        hit.time = td_planar_algebraic(a, b, rules.step, rules.skin, corners);
        return hit;
    }
    const td_planar_search search = td_planar_bisect(td_planar_search_at(0.0, 0), 1, rules.halvings, a, b,
                                                     rules.step, rules.skin, corners);
    hit.time = search.lower;
    hit.level = search.level;
    return hit;
}

// Bisection2: so many questions more.
TD_INLINE td_planar_hit td_phase_halve(td_planar_hit hit, td_u32 questions,
                                       TD_GLOBAL const td_planar_shape *shapes,
                                       TD_GLOBAL const td_planar_motion *motions,
                                       TD_GLOBAL const td_planar_corner *corners, td_planar_rules rules,
                                       td_u32 row, td_u32 column) {
    if (hit.time > 1.0 || hit.level > rules.halvings) {
        return hit;
    }
    const td_planar_body a = td_planar_take(shapes, motions, column),
                         b = td_planar_take(shapes, motions, row);
    const td_planar_search search = td_planar_bisect(td_planar_search_at(hit.time, hit.level), questions,
                                                     rules.halvings, a, b, rules.step, rules.skin, corners);
    hit.time = search.lower;
    hit.level = search.level;
    return hit;
}

// Whether a pair before this one collides at the same instant with one of its bodies, `body`. Then it goes
// first: impulses of the same instant are given to each body one at a time, for the sake of its energy.
TD_INLINE int td_phase_is_taken(TD_GLOBAL const double *times, double first, td_u32 size, td_u32 body,
                                td_u32 row, td_u32 column) {
    const td_u32 pair = td_triangle_at(row, column);
    for (td_u32 k = 0; k < size; ++k) {
        const td_u32 high = k > body ? k : body, low = k > body ? body : k;
        if (high != low && td_triangle_at(high, low) < pair && times[td_triangle_at(high, low)] == first) {
            return 1;
        }
    }
    return 0;
}

TD_INLINE void td_phase_strike(TD_GLOBAL td_planar_motion *struck, TD_GLOBAL td_u32 *marks,
                               TD_GLOBAL const td_planar_shape *shapes,
                               TD_GLOBAL const td_planar_motion *motions,
                               TD_GLOBAL const td_planar_corner *corners, td_planar_rules rules, double first,
                               td_u32 row, td_u32 column) {
    td_planar_body a = td_planar_take(shapes, motions, column), b = td_planar_take(shapes, motions, row);
    a.motion = td_planar_forward(a.motion, first * rules.step);
    b.motion = td_planar_forward(b.motion, first * rules.step);
    const td_planar_pair pair = td_planar_collide(a, b, rules.restitution, corners);
    if (!pair.hit) {
        return;
    }
    const int free_a = td_planar_is_movable(a.shape), free_b = td_planar_is_movable(b.shape);
    if (free_a) {
        struck[column] = pair.a.motion;
        marks[column] = free_b ? TD_STRUCK : TD_STRUCK_WALL;
    }
    if (free_b) {
        struck[row] = pair.b.motion;
        marks[row] = free_a ? TD_STRUCK : TD_STRUCK_WALL;
    }
}

// Impulse, for a pair that may be any.
TD_INLINE void td_phase_impulse(TD_GLOBAL td_planar_motion *struck, TD_GLOBAL td_u32 *marks,
                                TD_GLOBAL const double *times, TD_GLOBAL const td_planar_shape *shapes,
                                TD_GLOBAL const td_planar_motion *motions,
                                TD_GLOBAL const td_planar_corner *corners, td_planar_rules rules,
                                double first, td_u32 row, td_u32 column) {
    if ((td_planar_is_movable(shapes[row]) &&
         td_phase_is_taken(times, first, rules.size, row, row, column)) ||
        (td_planar_is_movable(shapes[column]) &&
         td_phase_is_taken(times, first, rules.size, column, row, column))) {
        return;
    }
    td_phase_strike(struck, marks, shapes, motions, corners, rules, first, row, column);
}

// NoCollisionForward and CollisionForward in one: `first` beyond 1 is no collision.
TD_INLINE void td_phase_forward(TD_GLOBAL td_planar_motion *motions, TD_GLOBAL td_planar_tally *tallies,
                                TD_GLOBAL td_u32 *marks, TD_GLOBAL const td_planar_motion *struck,
                                TD_GLOBAL const td_planar_shape *shapes, td_planar_rules rules, double first,
                                td_u32 i) {
    const double part = first > 1.0 ? 1.0 : first;
    const td_u32 mark = marks[i];
    const td_planar_motion before = motions[i];
    if (mark == TD_STRUCK_NOT) {
        motions[i] = td_planar_forward(before, part * rules.step);
        return;
    }
    const td_planar_motion after = struck[i];
    td_planar_tally tally = tallies[i];
    if (mark == TD_STRUCK_WALL) {
        tally.wall_x = tally.wall_x + (after.vx - before.vx) / shapes[i].inverse_mass;
        tally.wall_y = tally.wall_y + (after.vy - before.vy) / shapes[i].inverse_mass;
        tally.hits = tally.hits + 1.0;
    } else {
        tally.hits = tally.hits + 0.5; // the other body has the other half
    }
    tallies[i] = tally;
    motions[i] = after;
    marks[i] = TD_STRUCK_NOT;
}

TD_INLINE td_planar_clock td_phase_tick(td_planar_clock clock, td_planar_rules rules, double first) {
    clock.time = clock.time + (first > 1.0 ? 1.0 : first) * rules.step;
    clock.steps = clock.steps + 1.0;
    clock.truncated = clock.truncated + (first > 1.0 ? 0.0 : 1.0);
    return clock;
}

#endif
