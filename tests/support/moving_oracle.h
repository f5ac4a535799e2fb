// Whether and when four moving points meet, in GMP rationals. No filter, and another algorithm than the
// library's: the first contact is at t = 0 or at a root of one of a list of polynomials, and at each of these
// times the closed primitives are tested by signs. Roots are isolated by Sturm's theorem and halving; a sign
// at a root is zero by the greatest common divisor, else found by halving on.
#ifndef TD_TESTS_MOVING_ORACLE_H
#define TD_TESTS_MOVING_ORACLE_H

#include "predicates/moving.h"

#include <stdbool.h>

typedef struct test_moving_truth {
    bool touching;    // at some t in [0, 1]
    bool none_before; // no contact before `lower`
    bool some_until;  // a contact at or before `upper`
} test_moving_truth;

test_moving_truth test_moving_oracle(const td_moving_points *points, int kind, double lower, double upper);

#endif
