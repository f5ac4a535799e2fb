// The corners of a regular polygon on the unit circle, by halving arcs: only additions and square roots, so
// that the built-in shapes come out the same on every machine, whatever its sin and cos.
#ifndef TD_MESH_CIRCLE_H
#define TD_MESH_CIRCLE_H

#include "../math/shared.h"

typedef struct td_circle_point {
    double c, s; // cosine and sine
} td_circle_point;

// `count`: 4, 8, 16, ... Point i is at i / count of a turn.
static inline void td_circle_fill(td_circle_point *points, uint32_t count) {
    const uint32_t quarter = count / 4;
    points[0] = (td_circle_point){1, 0};
    points[quarter] = (td_circle_point){0, 1};
    points[2 * quarter] = (td_circle_point){-1, 0};
    points[3 * quarter] = (td_circle_point){0, -1};
    for (uint32_t step = quarter; step > 1; step /= 2) {
        for (uint32_t i = 0; i < count; i += step) {
            const td_circle_point a = points[i];
            const td_circle_point b = points[(i + step) % count];
            const double x = a.c + b.c;
            const double y = a.s + b.s;
            const double length = sqrt(x * x + y * y);
            points[i + step / 2] = (td_circle_point){x / length, y / length};
        }
    }
}

// A part of a turn, any number: by series, within 1e-15, for counts that halving does not lead to.
static inline td_circle_point td_circle_at(double part) {
    const double whole = floor(part + 0.5), turn = part - whole;                  // in [-1/2, 1/2]
    const double quarters = floor(4 * turn + 0.5);                                // -2 ... 2
    const double x = 6.283185307179586476925 * (turn - quarters / 4), x2 = x * x; // |x| <= pi / 4
    double c = 1, s = 1;
    for (int k = 18; k >= 2; k -= 2) { // Horner's rule
        c = 1 - x2 * c / (double)(k * (k - 1));
        s = 1 - x2 * s / (double)(k * (k + 1));
    }
    s *= x;
    const int q = (int)quarters;
    return q == 0    ? (td_circle_point){c, s}
           : q == 1  ? (td_circle_point){-s, c}
           : q == -1 ? (td_circle_point){s, -c}
                     : (td_circle_point){-c, -s};
}

#endif
