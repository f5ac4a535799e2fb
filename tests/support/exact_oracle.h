// What the predicates should say, in GMP integers: another algorithm, other arithmetic, no filter, no cases.
#ifndef TD_TESTS_EXACT_ORACLE_H
#define TD_TESTS_EXACT_ORACLE_H

#include "math/vec3.h"

#include <stdbool.h>

// Holds the numbers between calls, so that GMP's memory is reused.
typedef struct test_oracle test_oracle;

test_oracle *test_oracle_create(void); // aborts without memory, as GMP does
void test_oracle_destroy(test_oracle *oracle);

// Signs as in predicates/orient.h.
int test_oracle_orient2d(test_oracle *oracle, const double a[2], const double b[2], const double c[2]);
int test_oracle_orient3d(test_oracle *oracle, td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d);

// Whether the triangle has no area.
bool test_oracle_degenerate(test_oracle *oracle, td_triangle t);

// Whether the closed triangles share a point; either may be a segment or a point.
bool test_oracle_intersect(test_oracle *oracle, td_triangle a, td_triangle b);

#endif
