// Polynomials over GMP's rationals, of degree 3 at most. For oracles.
#ifndef TD_TESTS_RATIONAL_POLY_H
#define TD_TESTS_RATIONAL_POLY_H

#include <gmp.h>
#include <stdbool.h>

enum { TEST_POLY_MOST = 3 };

typedef struct test_poly {
    mpq_t c[TEST_POLY_MOST + 1];
    int degree; // -1: zero
} test_poly;

void test_poly_init(test_poly *f);
void test_poly_clear(test_poly *f);
void test_poly_set(test_poly *r, const test_poly *f);
void test_poly_line(test_poly *r, double at0, double at1); // by its values at 0 and 1
void test_poly_subtract(test_poly *r, const test_poly *a, const test_poly *b);
void test_poly_add(test_poly *r, const test_poly *a, const test_poly *b);
void test_poly_multiply(test_poly *r, const test_poly *a, const test_poly *b); // r must be neither
int test_poly_sign(const test_poly *f, const mpq_t t);
void test_poly_value(mpq_t r, const test_poly *f, const mpq_t t); // r must not be t
void test_poly_make_whole(test_poly *f);                          // by a positive factor
// r = the remainder of f by g; quotient may be null. r and the quotient are neither f nor g.
void test_poly_divide(test_poly *quotient, test_poly *r, const test_poly *f, const test_poly *g);
void test_poly_derive(test_poly *r, const test_poly *f);
void test_poly_common(test_poly *r, const test_poly *f, const test_poly *g); // divisor; neither is zero

#endif
