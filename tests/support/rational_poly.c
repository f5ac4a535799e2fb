#include "rational_poly.h"

static void test_poly_trim(test_poly *f, int degree) {
    while (degree >= 0 && mpq_sgn(f->c[degree]) == 0) {
        --degree;
    }
    f->degree = degree;
}

void test_poly_init(test_poly *f) {
    for (int i = 0; i <= TEST_POLY_MOST; ++i) {
        mpq_init(f->c[i]);
    }
    f->degree = -1;
}

void test_poly_clear(test_poly *f) {
    for (int i = 0; i <= TEST_POLY_MOST; ++i) {
        mpq_clear(f->c[i]);
    }
}

void test_poly_set(test_poly *r, const test_poly *f) {
    for (int i = 0; i <= f->degree; ++i) {
        mpq_set(r->c[i], f->c[i]);
    }
    r->degree = f->degree;
}

void test_poly_line(test_poly *r, double at0, double at1) {
    mpq_set_d(r->c[0], at0);
    mpq_set_d(r->c[1], at1);
    mpq_sub(r->c[1], r->c[1], r->c[0]);
    test_poly_trim(r, 1);
}

static void test_poly_combine(test_poly *r, const test_poly *a, const test_poly *b, bool subtract) {
    const int degree = a->degree > b->degree ? a->degree : b->degree;
    mpq_t zero;
    mpq_init(zero);
    for (int i = 0; i <= degree; ++i) {
        mpq_srcptr x = i <= a->degree ? a->c[i] : zero;
        mpq_srcptr y = i <= b->degree ? b->c[i] : zero;
        if (subtract) {
            mpq_sub(r->c[i], x, y);
        } else {
            mpq_add(r->c[i], x, y);
        }
    }
    mpq_clear(zero);
    test_poly_trim(r, degree);
}

void test_poly_subtract(test_poly *r, const test_poly *a, const test_poly *b) {
    test_poly_combine(r, a, b, true);
}

void test_poly_add(test_poly *r, const test_poly *a, const test_poly *b) {
    test_poly_combine(r, a, b, false);
}

void test_poly_multiply(test_poly *r, const test_poly *a, const test_poly *b) {
    r->degree = -1;
    if (a->degree < 0 || b->degree < 0) {
        return;
    }
    mpq_t product;
    mpq_init(product);
    for (int i = 0; i <= a->degree + b->degree; ++i) {
        mpq_set_ui(r->c[i], 0, 1);
    }
    for (int i = 0; i <= a->degree; ++i) {
        for (int j = 0; j <= b->degree; ++j) {
            mpq_mul(product, a->c[i], b->c[j]);
            mpq_add(r->c[i + j], r->c[i + j], product);
        }
    }
    mpq_clear(product);
    test_poly_trim(r, a->degree + b->degree);
}

void test_poly_value(mpq_t r, const test_poly *f, const mpq_t t) { // r must not be t
    mpq_set_ui(r, 0, 1);
    for (int i = f->degree; i >= 0; --i) {
        mpq_mul(r, r, t);
        mpq_add(r, r, f->c[i]);
    }
}

// Multiplies f by the denominators of all coefficients: a positive factor, after which all are whole.
void test_poly_make_whole(test_poly *f) {
    mpz_t common;
    mpq_t factor;
    mpz_init_set_ui(common, 1);
    mpq_init(factor);
    for (int i = 0; i <= f->degree; ++i) {
        mpz_lcm(common, common, mpq_denref(f->c[i]));
    }
    mpq_set_z(factor, common);
    for (int i = 0; i <= f->degree; ++i) {
        mpq_mul(f->c[i], f->c[i], factor);
    }
    mpz_clear(common);
    mpq_clear(factor);
}

static bool test_poly_is_whole(const test_poly *f) {
    for (int i = 0; i <= f->degree; ++i) {
        if (mpz_cmp_ui(mpq_denref(f->c[i]), 1) != 0) {
            return false;
        }
    }
    return true;
}

// The sign of f(n / d) d^degree: whole numbers need no reduction.
static int test_whole_sign(const test_poly *f, const mpq_t t) {
    mpz_t sum, power, term;
    mpz_inits(sum, term, NULL);
    mpz_init_set_ui(power, 1);
    for (int i = f->degree; i >= 0; --i) {
        mpz_mul(sum, sum, mpq_numref(t));
        mpz_mul(term, mpq_numref(f->c[i]), power);
        mpz_add(sum, sum, term);
        mpz_mul(power, power, mpq_denref(t));
    }
    const int sign = mpz_sgn(sum);
    mpz_clears(sum, power, term, NULL);
    return sign;
}

int test_poly_sign(const test_poly *f, const mpq_t t) {
    if (test_poly_is_whole(f)) {
        return test_whole_sign(f, t);
    }
    mpq_t value;
    mpq_init(value);
    test_poly_value(value, f, t);
    const int sign = mpq_sgn(value);
    mpq_clear(value);
    return sign;
}

// r = the remainder of f by g; quotient may be null. r and the quotient are neither f nor g.
void test_poly_divide(test_poly *quotient, test_poly *r, const test_poly *f, const test_poly *g) {
    mpq_t factor, product;
    mpq_init(factor);
    mpq_init(product);
    test_poly_set(r, f);
    if (quotient != NULL) {
        quotient->degree = f->degree - g->degree;
        for (int i = 0; i <= quotient->degree; ++i) {
            mpq_set_ui(quotient->c[i], 0, 1);
        }
    }
    while (r->degree >= g->degree) {
        const int shift = r->degree - g->degree;
        mpq_div(factor, r->c[r->degree], g->c[g->degree]);
        if (quotient != NULL) {
            mpq_set(quotient->c[shift], factor);
        }
        for (int i = 0; i < g->degree; ++i) {
            mpq_mul(product, factor, g->c[i]);
            mpq_sub(r->c[i + shift], r->c[i + shift], product);
        }
        test_poly_trim(r, r->degree - 1);
    }
    mpq_clear(factor);
    mpq_clear(product);
}

void test_poly_derive(test_poly *r, const test_poly *f) {
    mpq_t power;
    mpq_init(power);
    r->degree = -1;
    for (int i = 1; i <= f->degree; ++i) {
        mpq_set_ui(power, (unsigned long)i, 1);
        mpq_mul(r->c[i - 1], f->c[i], power);
    }
    mpq_clear(power);
    test_poly_trim(r, f->degree - 1);
}

// Neither f nor g is zero.
void test_poly_common(test_poly *r, const test_poly *f, const test_poly *g) {
    test_poly a, b, rest;
    test_poly_init(&a);
    test_poly_init(&b);
    test_poly_init(&rest);
    test_poly_set(&a, f);
    test_poly_set(&b, g);
    while (b.degree >= 0) {
        test_poly_divide(NULL, &rest, &a, &b);
        test_poly_set(&a, &b);
        test_poly_set(&b, &rest);
    }
    test_poly_set(r, &a);
    test_poly_clear(&a);
    test_poly_clear(&b);
    test_poly_clear(&rest);
}
