// A small seeded generator for tests: the same numbers on every machine.
#ifndef TD_TESTS_RANDOM_H
#define TD_TESTS_RANDOM_H

#include <tandem/query.h>

typedef struct test_random {
    uint64_t state;
} test_random;

uint64_t test_random_bits(test_random *random);
double test_random_unit(test_random *random);                           // [0, 1)
double test_random_range(test_random *random, double low, double high); // [low, high)
int test_random_int(test_random *random, int low, int high);            // low ... high inclusive
td_pose test_random_pose(test_random *random, double spread); // uniform rotation, position within +-spread

#endif
