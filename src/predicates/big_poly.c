#include "big_poly.h"

#include <math.h>

static void td_poly_trim(td_poly *f, int degree) {
    while (degree >= 0 && f->c[degree].sign == 0) {
        --degree;
    }
    f->degree = degree;
}

td_poly td_poly_linear(td_big_arena *arena, td_big_int at0, td_big_int at1) {
    td_poly r = {.c = {at0, td_big_difference(arena, at1, at0)}};
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

td_poly td_poly_derivative(td_big_arena *arena, const td_poly *f) {
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

td_poly td_poly_negated(td_poly f) {
    for (int i = 0; i <= f.degree; ++i) {
        f.c[i] = td_big_negated(f.c[i]);
    }
    return f;
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

td_poly td_poly_remainder(td_big_arena *arena, const td_poly *f, const td_poly *g) {
    td_poly r = *f;
    td_big_int lead = g->c[g->degree];
    const int sign = lead.sign;
    lead.sign = 1;
    while (r.degree >= g->degree) {
        const td_big_int top = sign > 0 ? r.c[r.degree] : td_big_negated(r.c[r.degree]);
        const int shift = r.degree - g->degree;
        for (int i = 0; i < r.degree; ++i) {
            td_big_int scaled = td_big_product(arena, r.c[i], lead);
            if (i >= shift) {
                scaled = td_big_difference(arena, scaled, td_big_product(arena, top, g->c[i - shift]));
            }
            r.c[i] = scaled;
        }
        td_poly_trim(&r, r.degree - 1);
    }
    if (f->degree >= g->degree) { // else the coefficients are f's
        td_poly_reduce(&r);
    }
    return r;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

td_dyadic td_dyadic_from(td_big_arena *arena, double t) {
    if (t == 0.0) {
        return (td_dyadic){{0}, 0};
    }
    const int bit = td_last_bit_of(t);
    const uint32_t depth = bit < 0 ? (uint32_t)-bit : 0;
    return (td_dyadic){td_big_from(arena, t, -(int)depth), depth};
}

// Horner's scheme, times 2^(depth (degree - i)) at the i-th power.
td_big_int td_poly_value(td_big_arena *arena, const td_poly *f, td_dyadic t) {
    if (f->degree < 0) {
        return (td_big_int){0};
    }
    td_big_int sum = f->c[f->degree];
    for (int i = f->degree - 1; i >= 0; --i) {
        const uint32_t bits = t.depth * (uint32_t)(f->degree - i);
        sum =
            td_big_sum(arena, td_big_product(arena, sum, t.numerator), td_big_shifted(arena, f->c[i], bits));
    }
    return sum;
}

td_exact_point td_point_at(td_dyadic t) {
    return (td_exact_point){.is_dyadic = true, .at = t};
}

int td_points_of(td_big_arena *arena, td_exact_point roots[2], const td_poly *f) {
    roots[0] = roots[1] = (td_exact_point){.of = *f};
    if (f->degree != 2) {
        return f->degree == 1 ? 1 : 0;
    }
    const td_big_int square = td_big_product(arena, f->c[1], f->c[1]);
    const td_big_int product = td_big_product(arena, f->c[0], f->c[2]);
    const td_big_int discriminant = td_big_difference(arena, square, td_big_shifted(arena, product, 2));
    if (discriminant.sign < 0) {
        return 0;
    }
    roots[0].discriminant = roots[1].discriminant = discriminant;
    roots[0].branch = -f->c[2].sign;
    roots[1].branch = f->c[2].sign;
    return discriminant.sign == 0 ? 1 : 2;
}

// The sign of a + b sqrt(d), where d >= 0.
static int td_sign_with_root(td_big_arena *arena, td_big_int a, td_big_int b, td_big_int d) {
    const int second = d.sign == 0 ? 0 : b.sign;
    if (a.sign * second >= 0) {
        return a.sign != 0 ? a.sign : second;
    }
    const td_big_int aa = td_big_product(arena, a, a);
    const td_big_int bbd = td_big_product(arena, td_big_product(arena, b, b), d);
    return a.sign * td_big_difference(arena, aa, bbd).sign;
}

// At a root of a quadratic q, f has the value of its remainder u + v t, and 2 c2 (u + v t) = 2 c2 u - c1 v +-
// v sqrt(D).
static int td_sign_at_surd(td_big_arena *arena, const td_poly *f, const td_exact_point *point) {
    const td_poly rest = td_poly_remainder(arena, f, &point->of);
    if (rest.degree <= 0) {
        return rest.degree < 0 ? 0 : rest.c[0].sign;
    }
    const td_big_int *c = point->of.c;
    const td_big_int u2 = td_big_shifted(arena, td_big_product(arena, c[2], rest.c[0]), 1);
    const td_big_int a = td_big_difference(arena, u2, td_big_product(arena, c[1], rest.c[1]));
    const td_big_int b = point->branch > 0 ? rest.c[1] : td_big_negated(rest.c[1]);
    return c[2].sign * td_sign_with_root(arena, a, b, point->discriminant);
}

int td_sign_at(td_big_arena *arena, const td_poly *f, const td_exact_point *point) {
    if (f->degree <= 0) {
        return f->degree < 0 ? 0 : f->c[0].sign;
    }
    const size_t mark = arena->used;
    const int sign =
        point->is_dyadic ? td_poly_value(arena, f, point->at).sign : td_sign_at_surd(arena, f, point);
    arena->used = mark;
    return sign;
}

int td_compare_point(td_big_arena *arena, const td_exact_point *point, td_dyadic t) {
    const size_t mark = arena->used;
    td_limb limb = 1;
    const td_big_int one = {&limb, 1, 1};
    td_poly from = {.c = {td_big_negated(t.numerator), td_big_shifted(arena, one, t.depth)}, .degree = 1};
    const int sign = td_sign_at(arena, &from, point);
    arena->used = mark;
    return sign;
}
