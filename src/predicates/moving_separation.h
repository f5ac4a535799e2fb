// Whether and when four moving points come nearer than a distance: conservatively, in doubles with proven
// bounds. Host only.
#ifndef TD_PREDICATES_MOVING_SEPARATION_H
#define TD_PREDICATES_MOVING_SEPARATION_H

#include "moving.h"

#include <tandem/continuous.h>

// The separation is positive. `budget`: distances taken, 0 for the usual bound of some thousands.
td_moving_contact td_moving_separation(const td_moving_points *points, int kind, double separation,
                                       uint32_t budget);

// The points as ways from the first of them, and the separation, in units of 2^unit_exponent, in which the
// largest coordinate is between 1/2 and 1.
typedef struct td_separation_problem {
    td_vec3 at[2][4];
    double separation;
    double speed; // at most by this much per unit of time do the features come nearer to each other
    int kind;
    int unit_exponent;
    bool coincide; // all points, always
} td_separation_problem;

typedef struct td_distance_bounds {
    double lower, upper;
} td_distance_bounds;

td_separation_problem td_pose_separation(const td_moving_points *points, int kind, double separation);
// At t, a multiple of 2^-26 in [0, 1].
td_distance_bounds td_moving_distance(const td_separation_problem *problem, double t);

#endif
