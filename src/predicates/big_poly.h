// Polynomials of low degree with whole coefficients, and their signs at numbers that need not be rational.
// Host only.
#ifndef TD_PREDICATES_BIG_POLY_H
#define TD_PREDICATES_BIG_POLY_H

#include "big_int.h"

enum { TD_POLY_MOST_DEGREE = 4 };

typedef struct td_poly {
    td_big_int c[TD_POLY_MOST_DEGREE + 1]; // by power; c[degree] is not zero
    int degree;                            // -1: zero
} td_poly;

td_poly td_poly_linear(td_big_arena *arena, td_big_int at0, td_big_int at1); // by its values at 0 and at 1
td_poly td_poly_sum(td_big_arena *arena, const td_poly *a, const td_poly *b);
td_poly td_poly_difference(td_big_arena *arena, const td_poly *a, const td_poly *b);
td_poly td_poly_product(td_big_arena *arena, const td_poly *a, const td_poly *b);
td_poly td_poly_derivative(td_big_arena *arena, const td_poly *f);
td_poly td_poly_negated(td_poly f);
// A positive multiple of the remainder of f by g, which must not be zero.
td_poly td_poly_remainder(td_big_arena *arena, const td_poly *f, const td_poly *g);

// numerator / 2^depth.
typedef struct td_dyadic {
    td_big_int numerator;
    uint32_t depth;
} td_dyadic;

td_dyadic td_dyadic_from(td_big_arena *arena, double t); // finite, below 2^63 in magnitude
td_big_int td_poly_value(td_big_arena *arena, const td_poly *f, td_dyadic t); // f(t) 2^(degree depth)

// A number in whose terms signs can be had in closed form: dyadic, or a root of a polynomial of degree 1
// or 2.
typedef struct td_exact_point {
    bool is_dyadic;
    td_dyadic at;
    td_poly of;              // (-c1 + branch sqrt(discriminant)) / (2 c2), or -c0 / c1
    td_big_int discriminant; // not negative
    int branch;              // -1, +1
} td_exact_point;

td_exact_point td_point_at(td_dyadic t);
// The real roots of f, of degree 0, 1 or 2, in ascending order: their number.
int td_points_of(td_big_arena *arena, td_exact_point roots[2], const td_poly *f);

int td_sign_at(td_big_arena *arena, const td_poly *f, const td_exact_point *point);
int td_compare_point(td_big_arena *arena, const td_exact_point *point, td_dyadic t); // sign of point - t

#endif
