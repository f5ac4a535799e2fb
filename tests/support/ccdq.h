// Files of continuous queries with known answers (.ccdq), where they are at hand.
#ifndef TD_TESTS_CCDQ_H
#define TD_TESTS_CCDQ_H

#include "predicates/moving.h"

#include <stdbool.h>

typedef struct test_ccd_query {
    double positions[8][3]; // four points at t = 0, then at t = 1
    double lower, upper;    // neighbouring doubles around the first contact; infinite if there is none
    uint32_t hit, flags;
} test_ccd_query;

typedef struct test_ccd_file {
    int kind;
    uint32_t count;
    test_ccd_query *queries;
} test_ccd_file;

// Calls `visit` for every file, in the order of names; returns their number, 0 if the folder is not there. A
// file that cannot be read is a failure of the test.
typedef void test_ccd_visitor(const char *name, const test_ccd_file *file, void *user);
int test_visit_ccd_files(test_ccd_visitor *visit, void *user);

td_moving_points test_ccd_points(const test_ccd_query *query);

#endif
