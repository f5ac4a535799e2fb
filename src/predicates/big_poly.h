// Polynomials of low degree with whole coefficients, and what is true at their roots. Host only.
#ifndef TD_PREDICATES_BIG_POLY_H
#define TD_PREDICATES_BIG_POLY_H

#include "big_int.h"

enum { TD_POLY_MOST_DEGREE = 5 };

typedef struct td_poly {
    td_big_int c[TD_POLY_MOST_DEGREE + 1]; // by power; c[degree] is not zero
    int degree;                            // -1: zero
} td_poly;

td_poly td_poly_linear(td_big_arena *arena, td_big_int at0, td_big_int at1); // by its values at 0 and at 1
td_poly td_poly_sum(td_big_arena *arena, const td_poly *a, const td_poly *b);
td_poly td_poly_difference(td_big_arena *arena, const td_poly *a, const td_poly *b);
td_poly td_poly_product(td_big_arena *arena, const td_poly *a, const td_poly *b);

// A point of [0, 1]: numerator / 2^depth.
typedef struct td_dyadic {
    uint64_t numerator;
    uint32_t depth; // at most 62
} td_dyadic;

int td_poly_sign_at(td_big_arena *arena, const td_poly *f, td_dyadic t);

// A root of f: the only one between a and b, or at a if both are equal.
typedef struct td_root_place {
    td_big_arena *arena;
    const td_poly *f;
    td_dyadic a, b;
} td_root_place;

// The sign of g there.
int td_sign_at_root(const td_root_place *place, const td_poly *g);

// Whether a root is one of those that are looked for.
typedef bool td_root_test(const td_root_place *place, const void *user);

typedef struct td_root_bounds {
    bool exists;
    double lower, upper;
} td_root_bounds;

// The first root of f in [0, 1] that passes the test (null: any), within 2^-24; f must not be zero.
td_root_bounds td_first_root(td_big_arena *arena, const td_poly *f, td_root_test *test, const void *user);

#endif
