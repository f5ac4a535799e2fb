// Roots in [0, 1] of polynomials over the rationals. For oracles.
//
// based on: Abbott, Quadratic interval refinement for real roots, 2014. Roots are separated by those of the
// derivative, which are refined until the polynomial has none beside them.
#ifndef TD_TESTS_RATIONAL_ROOTS_H
#define TD_TESTS_RATIONAL_ROOTS_H

#include "rational_poly.h"

// Sturm's sequence of a polynomial without multiple roots.
typedef struct test_sturm {
    test_poly f[TEST_POLY_MOST + 1];
    int count;
} test_sturm;

// A root: known exactly (a = b), or the only one in (a, b], and not b.
typedef struct test_root {
    test_sturm chain;
    mpq_t a, b;
    unsigned long grain; // the next refinement divides (a, b] into 2^grain parts
} test_root;

void test_sturm_init(test_sturm *chain);
void test_sturm_clear(test_sturm *chain);
// Of f, which must not be zero, divided by its greatest common divisor with its derivative.
void test_sturm_make(test_sturm *chain, const test_poly *f);

void test_root_init(test_root *root);
void test_root_clear(test_root *root);
void test_root_set(test_root *root, const mpq_t t); // exactly
int test_find_roots(test_root roots[TEST_POLY_MOST],
                    const test_poly *f); // of f in [0, 1]; f must not be zero
int test_sign_at_root(test_root *root, const test_poly *g);
int test_compare_root(const test_root *root, double t); // the sign of root - t

#endif
