#include "rational_roots.h"

void test_sturm_init(test_sturm *chain) {
    for (int i = 0; i <= TEST_POLY_MOST; ++i) {
        test_poly_init(&chain->f[i]);
    }
    chain->count = 0;
}

void test_sturm_clear(test_sturm *chain) {
    for (int i = 0; i <= TEST_POLY_MOST; ++i) {
        test_poly_clear(&chain->f[i]);
    }
}

void test_sturm_make(test_sturm *chain, const test_poly *f) {
    test_poly derivative, common, rest;
    test_poly_init(&derivative);
    test_poly_init(&common);
    test_poly_init(&rest);
    test_poly_derive(&derivative, f);
    test_poly_set(&chain->f[0], f);
    if (derivative.degree >= 0) {
        test_poly_common(&common, f, &derivative);
        test_poly_divide(&chain->f[0], &rest, f, &common);
    }
    test_poly_make_whole(&chain->f[0]);
    chain->count = 1;
    test_poly_derive(&rest, &chain->f[0]);
    while (rest.degree >= 0) {
        test_poly_set(&chain->f[chain->count++], &rest);
        test_poly_divide(NULL, &rest, &chain->f[chain->count - 2], &chain->f[chain->count - 1]);
        for (int i = 0; i <= rest.degree; ++i) {
            mpq_neg(rest.c[i], rest.c[i]);
        }
        test_poly_make_whole(&rest);
    }
    test_poly_clear(&derivative);
    test_poly_clear(&common);
    test_poly_clear(&rest);
}

static int test_sturm_changes(const test_sturm *chain, const mpq_t t) {
    int changes = 0, last = 0;
    for (int i = 0; i < chain->count; ++i) {
        const int sign = test_poly_sign(&chain->f[i], t);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

// Roots in (a, b].
static int test_sturm_count(const test_sturm *chain, const mpq_t a, const mpq_t b) {
    return test_sturm_changes(chain, a) - test_sturm_changes(chain, b);
}

static void test_middle(mpq_t r, const mpq_t a, const mpq_t b) {
    mpq_add(r, a, b);
    mpq_div_2exp(r, r, 1);
}

// ---------------------------------------------------------------------------------------------------------

void test_root_init(test_root *root) {
    test_sturm_init(&root->chain);
    mpq_init(root->a);
    mpq_init(root->b);
}

void test_root_clear(test_root *root) {
    test_sturm_clear(&root->chain);
    mpq_clear(root->a);
    mpq_clear(root->b);
}

void test_root_set(test_root *root, const mpq_t t) {
    mpq_set(root->a, t);
    mpq_set(root->b, t);
}

static bool test_root_is_exact(const test_root *root) {
    return mpq_equal(root->a, root->b) != 0;
}

static void test_sturm_copy(test_sturm *to, const test_sturm *from) {
    for (int i = 0; i < from->count; ++i) {
        test_poly_set(&to->f[i], &from->f[i]);
    }
    to->count = from->count;
}

static void test_halve_root(test_root *root) {
    mpq_t middle;
    mpq_init(middle);
    test_middle(middle, root->a, root->b);
    if (test_poly_sign(&root->chain.f[0], middle) == 0) {
        test_root_set(root, middle);
    } else if (test_sturm_count(&root->chain, root->a, middle) == 1) {
        mpq_set(root->b, middle);
    } else {
        mpq_set(root->a, middle);
    }
    mpq_clear(middle);
}

// Whether the root is in that of 2^grain parts in which a straight line puts it; if so it is kept there.
static bool test_guess_part(test_root *root) {
    const test_poly *f = &root->chain.f[0];
    mpq_t at_a, at_b, low, high;
    mpz_t part;
    mpq_inits(at_a, at_b, low, high, NULL);
    mpz_init(part);
    test_poly_value(at_a, f, root->a);
    test_poly_value(at_b, f, root->b);
    bool found = mpq_sgn(at_a) * mpq_sgn(at_b) < 0;
    if (found) {
        mpq_sub(at_b, at_a, at_b);
        mpq_div(at_a, at_a, at_b);
        mpq_mul_2exp(at_a, at_a, root->grain);
        mpz_fdiv_q(part, mpq_numref(at_a), mpq_denref(at_a));
        mpq_sub(high, root->b, root->a);
        mpq_div_2exp(high, high, root->grain); // the width of a part
        mpq_set_z(low, part);
        mpq_mul(low, low, high);
        mpq_add(low, low, root->a);
        mpq_add(high, low, high);
        found = test_poly_sign(f, low) * test_poly_sign(f, high) < 0;
    }
    if (found) {
        mpq_set(root->a, low);
        mpq_set(root->b, high);
    }
    mpq_clears(at_a, at_b, low, high, NULL);
    mpz_clear(part);
    return found;
}

static void test_refine_root(test_root *root) {
    if (test_guess_part(root)) {
        root->grain *= 2;
    } else {
        root->grain = root->grain > 4 ? root->grain / 2 : 2;
        test_halve_root(root);
    }
}

// The root in (a, b], if there is one. There are no more.
static int test_one_root(test_root *root, const test_sturm *chain, const mpq_t a, const mpq_t b) {
    if (test_sturm_count(chain, a, b) == 0) {
        return 0;
    }
    const bool at_b = test_poly_sign(&chain->f[0], b) == 0;
    test_sturm_copy(&root->chain, chain);
    mpq_set(root->a, at_b ? b : a);
    mpq_set(root->b, b);
    root->grain = 2;
    return 1;
}

// All roots in (0, 1]: there is none beside a root of the derivative, and at most one between two.
static int test_isolate(test_root *roots, const test_sturm *chain) {
    test_poly derivative;
    test_root turns[TEST_POLY_MOST];
    mpq_t from, one;
    test_poly_init(&derivative);
    mpq_inits(from, one, NULL);
    mpq_set_ui(one, 1, 1);
    for (int i = 0; i < TEST_POLY_MOST; ++i) {
        test_root_init(&turns[i]);
    }
    test_poly_derive(&derivative, &chain->f[0]);
    const int turn_count = derivative.degree > 0 ? test_find_roots(turns, &derivative) : 0;
    int count = 0;
    for (int i = 0; i < turn_count; ++i) {
        while (!test_root_is_exact(&turns[i]) && test_sturm_count(chain, turns[i].a, turns[i].b) > 0) {
            test_refine_root(&turns[i]);
        }
        count += test_one_root(&roots[count], chain, from, turns[i].a);
        mpq_set(from, turns[i].b);
    }
    count += test_one_root(&roots[count], chain, from, one);
    for (int i = 0; i < TEST_POLY_MOST; ++i) {
        test_root_clear(&turns[i]);
    }
    test_poly_clear(&derivative);
    mpq_clears(from, one, NULL);
    return count;
}

int test_find_roots(test_root roots[TEST_POLY_MOST], const test_poly *f) {
    test_sturm chain;
    mpq_t zero;
    test_sturm_init(&chain);
    mpq_init(zero);
    test_sturm_make(&chain, f);
    int count = 0;
    if (test_poly_sign(f, zero) == 0) {
        test_root_set(&roots[count++], zero);
    }
    count += test_isolate(roots + count, &chain);
    mpq_clear(zero);
    test_sturm_clear(&chain);
    return count;
}

int test_sign_at_root(test_root *root, const test_poly *g) {
    if (test_root_is_exact(root)) {
        return test_poly_sign(g, root->a);
    }
    if (g->degree < 0) {
        return 0;
    }
    test_sturm chain, common_chain;
    test_poly common;
    test_sturm_init(&chain);
    test_sturm_init(&common_chain);
    test_poly_init(&common);
    test_poly_common(&common, &root->chain.f[0], g);
    test_sturm_make(&common_chain, &common);
    int sign = 0;
    if (test_sturm_count(&common_chain, root->a, root->b) == 0) {
        test_sturm_make(&chain, g);
        while (!test_root_is_exact(root) && test_sturm_count(&chain, root->a, root->b) != 0) {
            test_refine_root(root);
        }
        sign = test_poly_sign(g, root->b);
    }
    test_sturm_clear(&chain);
    test_sturm_clear(&common_chain);
    test_poly_clear(&common);
    return sign;
}

int test_compare_root(const test_root *root, double t) {
    mpq_t at;
    mpq_init(at);
    mpq_set_d(at, t);
    int sign = 0;
    if (test_root_is_exact(root)) {
        sign = mpq_cmp(root->a, at);
    } else if (mpq_cmp(at, root->a) <= 0) {
        sign = 1;
    } else if (mpq_cmp(at, root->b) >= 0) {
        sign = -1;
    } else if (test_poly_sign(&root->chain.f[0], at) != 0) {
        sign = test_sturm_count(&root->chain, root->a, at) == 1 ? -1 : 1;
    }
    mpq_clear(at);
    return sign;
}
