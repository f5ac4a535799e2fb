// Random motions of four points, ordinary and degenerate, and what every way of deciding must agree on.
#ifndef TD_TESTS_MOVING_CASES_H
#define TD_TESTS_MOVING_CASES_H

#include "predicates/moving.h"
#include "random.h"

#include <stdbool.h>
#include <stddef.h>

enum { TEST_MOVING_MODES = 7, TEST_MOVING_DEGENERATE = 12 };

const char *test_moving_mode_name(int mode);
td_moving_points test_random_moving(test_random *random, int mode, int kind);

const char *test_moving_degenerate_name(int mode);
bool test_moving_is_slow(int mode); // of those
td_moving_points test_degenerate_moving(test_random *random, int mode, int kind);

// What was seen.
typedef struct test_moving_counts {
    long touching, apart, undecided;
    size_t most_limbs;
} test_moving_counts;

// Asserts that filter, integers with and without the filter's window, and td_decide_moving say what the
// oracle says; prints the points where they do not.
void test_check_moving(test_moving_counts *counts, const td_moving_points *points, int kind);

void test_print_moving(const td_moving_points *points, int kind);

#endif
