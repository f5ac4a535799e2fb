// Rotations of the plane. Sine and cosine are our own, by additions and multiplications alone, so that every
// processor gives the same bits: those of math.h and of OpenCL differ from one library to the next.
#ifndef TD_PLANAR_TURN_H
#define TD_PLANAR_TURN_H

#include "shape.h"

// pi / 2 in three parts, the first two of 33 bits each: products with small whole numbers are exact.
#define TD_QUARTER_HIGH   1.57079632673412561417e+00
#define TD_QUARTER_MIDDLE 6.07710050630396597660e-11
#define TD_QUARTER_LOW    2.02226624879595063154e-21
#define TD_PLANAR_PI      3.14159265358979323846

typedef struct td_planar_turn {
    double c, s; // cosine and sine
} td_planar_turn;

// Taylor's series on [-pi/4, pi/4]: what is cut off is below 1e-17.
TD_INLINE double td_planar_small_sine(double x) {
    const double q = x * x;
    double sum = -1.0 / 1307674368000.0;
    sum = sum * q + 1.0 / 6227020800.0;
    sum = sum * q - 1.0 / 39916800.0;
    sum = sum * q + 1.0 / 362880.0;
    sum = sum * q - 1.0 / 5040.0;
    sum = sum * q + 1.0 / 120.0;
    sum = sum * q - 1.0 / 6.0;
    return x + x * q * sum;
}

TD_INLINE double td_planar_small_cosine(double x) {
    const double q = x * x;
    double sum = 1.0 / 20922789888000.0;
    sum = sum * q - 1.0 / 87178291200.0;
    sum = sum * q + 1.0 / 479001600.0;
    sum = sum * q - 1.0 / 3628800.0;
    sum = sum * q + 1.0 / 40320.0;
    sum = sum * q - 1.0 / 720.0;
    sum = sum * q + 1.0 / 24.0;
    sum = sum * q - 0.5;
    return 1.0 + q * sum;
}

// For angles up to some thousands of turns, to about 2e-16.
TD_INLINE td_planar_turn td_planar_turn_of(double angle) {
    const double quarters = floor(angle * (2.0 / TD_PLANAR_PI) + 0.5);
    double x = angle - quarters * TD_QUARTER_HIGH;
    x = x - quarters * TD_QUARTER_MIDDLE;
    x = x - quarters * TD_QUARTER_LOW;
    const double sine = td_planar_small_sine(x), cosine = td_planar_small_cosine(x);
    const double quadrant = quarters - 4.0 * floor(quarters * 0.25);
    td_planar_turn turn;
    turn.c = quadrant == 0.0 ? cosine : quadrant == 1.0 ? -sine : quadrant == 2.0 ? -cosine : sine;
    turn.s = quadrant == 0.0 ? sine : quadrant == 1.0 ? cosine : quadrant == 2.0 ? -sine : -cosine;
    return turn;
}

TD_INLINE td_planar_vector td_planar_rotate(td_planar_turn turn, td_planar_vector v) {
    return td_planar_make(turn.c * v.x - turn.s * v.y, turn.s * v.x + turn.c * v.y);
}

TD_INLINE td_planar_vector td_planar_rotate_back(td_planar_turn turn, td_planar_vector v) {
    return td_planar_make(turn.c * v.x + turn.s * v.y, turn.c * v.y - turn.s * v.x);
}

// Where the body is `time` seconds later, if nothing is in its way.
TD_INLINE td_planar_motion td_planar_forward(td_planar_motion motion, double time) {
    motion.x = motion.x + motion.vx * time;
    motion.y = motion.y + motion.vy * time;
    motion.angle = motion.angle + motion.spin * time;
    motion.angle = motion.angle - 2.0 * TD_PLANAR_PI * floor(motion.angle * (0.5 / TD_PLANAR_PI) + 0.5);
    return motion;
}

#endif
