// The distance of a vertex and a triangle, or of two edges, that move, at one time: in GMP rationals.
#ifndef TD_TESTS_DISTANCE_ORACLE_H
#define TD_TESTS_DISTANCE_ORACLE_H

#include "predicates/moving.h"

// The sign of distance - limit at the time t, both exact doubles.
int test_compare_distance(const td_moving_points *points, int kind, double t, double limit);

#endif
