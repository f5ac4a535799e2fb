// Roots are isolated by Sturm's theorem, and signs at them found by Tarski's: for polynomials F and g, the
// signed remainder sequence of F and F' g loses, from a to b, as many changes of sign as there are roots of F
// in (a, b) with g > 0 less those with g < 0, if neither a nor b is a root. With g = 1 these are all roots.
// F' g may be reduced modulo F first. Remainders are taken up to positive factors, so that all stays whole.
//
// based on: Basu, Pollack, Roy, Algorithms in Real Algebraic Geometry, 2006, section 2.2.
#include "big_poly.h"

#include <math.h>

enum { TD_CHAIN_MOST = TD_POLY_MOST_DEGREE + 2 };

typedef struct td_chain {
    td_poly f[TD_CHAIN_MOST];
    int count;
} td_chain;

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic

static void td_poly_trim(td_poly *f, int degree) {
    while (degree >= 0 && f->c[degree].sign == 0) {
        --degree;
    }
    f->degree = degree;
}

td_poly td_poly_linear(td_big_arena *arena, td_big_int at0, td_big_int at1) {
    td_poly r = {.c = {at0, td_big_difference_of(arena, at1, at0)}};
    td_poly_trim(&r, 1);
    return r;
}

static td_poly td_poly_combine(td_big_arena *arena, const td_poly *a, const td_poly *b, bool subtract) {
    const int degree = a->degree > b->degree ? a->degree : b->degree;
    td_poly r = {.degree = -1};
    for (int i = 0; i <= degree; ++i) {
        const td_big_int x = i <= a->degree ? a->c[i] : (td_big_int){0};
        const td_big_int y = i <= b->degree ? b->c[i] : (td_big_int){0};
        r.c[i] = td_big_sum(arena, x, subtract ? td_big_negated(y) : y);
    }
    td_poly_trim(&r, degree);
    return r;
}

td_poly td_poly_sum(td_big_arena *arena, const td_poly *a, const td_poly *b) {
    return td_poly_combine(arena, a, b, false);
}

td_poly td_poly_difference(td_big_arena *arena, const td_poly *a, const td_poly *b) {
    return td_poly_combine(arena, a, b, true);
}

td_poly td_poly_product(td_big_arena *arena, const td_poly *a, const td_poly *b) {
    td_poly r = {.degree = -1};
    if (a->degree < 0 || b->degree < 0) {
        return r;
    }
    for (int i = 0; i <= a->degree; ++i) {
        for (int j = 0; j <= b->degree; ++j) {
            const td_big_int product = td_big_product(arena, a->c[i], b->c[j]);
            r.c[i + j] = td_big_sum(arena, r.c[i + j], product);
        }
    }
    td_poly_trim(&r, a->degree + b->degree);
    return r;
}

static td_poly td_poly_derivative(td_big_arena *arena, const td_poly *f) {
    td_poly r = {.degree = -1};
    for (int i = 1; i <= f->degree; ++i) {
        td_big_int multiple = {0};
        for (int k = 0; k < i; ++k) {
            multiple = td_big_sum(arena, multiple, f->c[i]);
        }
        r.c[i - 1] = multiple;
    }
    td_poly_trim(&r, f->degree - 1);
    return r;
}

// Takes out the power of two that all coefficients have in common. They must be f's own.
static void td_poly_reduce(td_poly *f) {
    uint32_t common = UINT32_MAX;
    for (int i = 0; i <= f->degree; ++i) {
        if (f->c[i].sign != 0) {
            const uint32_t zeros = td_big_trailing_zeros(f->c[i]);
            common = zeros < common ? zeros : common;
        }
    }
    for (int i = 0; i <= f->degree; ++i) {
        f->c[i] = td_big_shift_down(f->c[i], common);
    }
}

// A positive multiple of the remainder of f by g, whose degree is at least 0.
static td_poly td_poly_remainder(td_big_arena *arena, td_poly f, const td_poly *g) {
    td_big_int lead = g->c[g->degree];
    const int sign = lead.sign;
    lead.sign = 1;
    bool own = false;
    while (f.degree >= g->degree) {
        const td_big_int top = sign > 0 ? f.c[f.degree] : td_big_negated(f.c[f.degree]);
        const int shift = f.degree - g->degree;
        for (int i = 0; i < f.degree; ++i) {
            td_big_int scaled = td_big_product(arena, f.c[i], lead);
            if (i >= shift) {
                scaled = td_big_difference_of(arena, scaled, td_big_product(arena, top, g->c[i - shift]));
            }
            f.c[i] = scaled;
        }
        td_poly_trim(&f, f.degree - 1);
        own = true;
    }
    if (own) {
        td_poly_reduce(&f);
    }
    return f;
}

// ---------------------------------------------------------------------------------------------------------------------
// Signs

int td_poly_sign_at(td_big_arena *arena, const td_poly *f, td_dyadic t) {
    if (f->degree < 0) {
        return 0;
    }
    const size_t mark = arena->used;
    uint32_t numerator[2] = {(uint32_t)t.numerator, (uint32_t)(t.numerator >> 32)};
    const uint32_t length = numerator[1] != 0 ? 2 : numerator[0] != 0 ? 1 : 0;
    const td_big_int n = {numerator, length, length != 0};
    td_big_int sum = f->c[f->degree];
    for (int i = f->degree - 1; i >= 0; --i) { // Horner, times 2^(depth (degree - i))
        const uint32_t bits = t.depth * (uint32_t)(f->degree - i);
        sum = td_big_sum(arena, td_big_product(arena, sum, n), td_big_shifted(arena, f->c[i], bits));
    }
    arena->used = mark;
    return sum.sign;
}

// The signed remainder sequence of f and f' g (g null: 1), the second reduced modulo the first.
static td_chain td_make_chain(td_big_arena *arena, const td_poly *f, const td_poly *g) {
    td_chain chain = {.f = {*f}, .count = 1};
    td_poly next = td_poly_derivative(arena, f);
    if (g != NULL) {
        next = td_poly_product(arena, &next, g);
    }
    next = td_poly_remainder(arena, next, f);
    while (next.degree >= 0) {
        chain.f[chain.count++] = next;
        const td_poly before = chain.f[chain.count - 2];
        next = td_poly_remainder(arena, before, &chain.f[chain.count - 1]);
        for (int i = 0; i <= next.degree; ++i) {
            next.c[i] = td_big_negated(next.c[i]);
        }
    }
    return chain;
}

static int td_sign_changes(td_big_arena *arena, const td_chain *chain, td_dyadic t) {
    int changes = 0, last = 0;
    for (int i = 0; i < chain->count; ++i) {
        const int sign = td_poly_sign_at(arena, &chain->f[i], t);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

int td_sign_at_root(const td_root_place *place, const td_poly *g) {
    td_big_arena *arena = place->arena;
    if (place->a.depth == place->b.depth && place->a.numerator == place->b.numerator) {
        return td_poly_sign_at(arena, g, place->a);
    }
    const size_t mark = arena->used;
    const td_chain chain = td_make_chain(arena, place->f, g);
    const int sign = td_sign_changes(arena, &chain, place->a) - td_sign_changes(arena, &chain, place->b);
    arena->used = mark;
    return sign;
}

// ---------------------------------------------------------------------------------------------------------------------
// Roots

typedef struct td_root_search {
    td_big_arena *arena;
    const td_poly *f; // no root at 0 or 1
    td_chain chain;
    td_root_test *test;
    const void *user;
} td_root_search;

static bool td_passes(const td_root_search *search, const td_poly *f, td_dyadic a, td_dyadic b) {
    return search->test == NULL || search->test(&(td_root_place){search->arena, f, a, b}, search->user);
}

static double td_dyadic_value(td_dyadic t) {
    return ldexp((double)t.numerator, -(int)t.depth);
}

// A point between a and b that is no root: the middle, or one beside it. There are fewer roots than these.
static td_dyadic td_split_point(const td_root_search *search, td_dyadic a, td_dyadic b) {
    const uint32_t depth = (a.depth > b.depth ? a.depth : b.depth) + 4;
    const uint64_t from = a.numerator << (depth - a.depth), to = b.numerator << (depth - b.depth);
    td_dyadic middle = {from + (to - from) / 2, depth};
    while (td_poly_sign_at(search->arena, search->f, middle) == 0) {
        ++middle.numerator;
    }
    while (middle.depth > 0 && (middle.numerator & 1u) == 0) {
        middle.numerator >>= 1;
        --middle.depth;
    }
    return middle;
}

// The only root between a and b: narrowed.
static td_root_bounds td_narrow_root(const td_root_search *search, td_dyadic a, td_dyadic b, int changes_a) {
    while (td_dyadic_value(b) - td_dyadic_value(a) > 0x1p-24) {
        const td_dyadic middle = td_split_point(search, a, b);
        if (changes_a - td_sign_changes(search->arena, &search->chain, middle) > 0) {
            b = middle;
        } else {
            a = middle;
        }
    }
    return (td_root_bounds){true, td_dyadic_value(a), td_dyadic_value(b)};
}

static td_root_bounds td_search_roots(const td_root_search *search, td_dyadic a, td_dyadic b, int changes_a,
                                      int changes_b) {
    if (changes_a == changes_b || search->arena->exhausted) {
        return (td_root_bounds){0};
    }
    if (changes_a - changes_b == 1) {
        return td_passes(search, search->f, a, b) ? td_narrow_root(search, a, b, changes_a)
                                                  : (td_root_bounds){0};
    }
    const td_dyadic middle = td_split_point(search, a, b);
    const int changes = td_sign_changes(search->arena, &search->chain, middle);
    const td_root_bounds first = td_search_roots(search, a, middle, changes_a, changes);
    return first.exists ? first : td_search_roots(search, middle, b, changes, changes_b);
}

// f without its roots at 0.
static td_poly td_without_zero(td_poly f) {
    while (f.degree >= 0 && f.c[0].sign == 0) {
        for (int i = 0; i < f.degree; ++i) {
            f.c[i] = f.c[i + 1];
        }
        --f.degree;
    }
    return f;
}

// f without its roots at 1: divided by t - 1 as long as that leaves nothing.
static td_poly td_without_one(td_big_arena *arena, td_poly f) {
    while (f.degree > 0 && td_poly_sign_at(arena, &f, (td_dyadic){1, 0}) == 0) {
        td_poly quotient = {.degree = f.degree - 1};
        td_big_int carry = {0};
        for (int i = f.degree; i > 0; --i) {
            carry = td_big_sum(arena, carry, f.c[i]);
            quotient.c[i - 1] = carry;
        }
        f = quotient;
    }
    return f;
}

td_root_bounds td_first_root(td_big_arena *arena, const td_poly *f, td_root_test *test, const void *user) {
    const td_dyadic zero = {0, 0}, one = {1, 0};
    const size_t mark = arena->used;
    td_root_search search = {.arena = arena, .test = test, .user = user};
    if (f->c[0].sign == 0 && td_passes(&search, f, zero, zero)) {
        return (td_root_bounds){true, 0.0, 0.0};
    }
    td_root_bounds found = {0};
    const td_poly inner = td_without_one(arena, td_without_zero(*f));
    if (inner.degree > 0) {
        search.f = &inner;
        search.chain = td_make_chain(arena, &inner, NULL);
        found = td_search_roots(&search, zero, one, td_sign_changes(arena, &search.chain, zero),
                                td_sign_changes(arena, &search.chain, one));
    }
    if (!found.exists && td_poly_sign_at(arena, f, one) == 0 && td_passes(&search, f, one, one)) {
        found = (td_root_bounds){true, 1.0, 1.0};
    }
    arena->used = mark;
    return found;
}
