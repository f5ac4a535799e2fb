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

#endif
