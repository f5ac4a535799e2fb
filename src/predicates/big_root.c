// The roots of f are separated by those of its derivative, whose degree is at most 2: there signs are had in
// closed form, and between them f is monotone. The sign of g at a root between two points is Tarski's: the
// signed remainder sequence of f and f' g loses, from a to b, as many changes of sign as there are roots of f
// in (a, b) with g > 0 less those with g < 0, if neither a nor b is a root. f' g may be reduced modulo f
// first, and remainders be taken up to positive factors, so that all stays whole.
//
// Most signs are found before, by bracketing the root so narrowly that g cannot change in the bracket.
//
// based on: Basu, Pollack, Roy, Algorithms in Real Algebraic Geometry, 2006, section 2.2.
#include "big_root.h"

#include <math.h>

enum {
    TD_CHAIN_MOST = TD_POLY_MOST_DEGREE + 2,
    TD_MOST_NARROW = 160, // brackets are not made narrower than about 2^-160
};

// ---------------------------------------------------------------------------------------------------------------------
// Tarski's sign

typedef struct td_chain {
    td_poly f[TD_CHAIN_MOST];
    int count;
} td_chain;

static td_chain td_make_chain(td_big_arena *arena, const td_poly *f, const td_poly *g) {
    td_chain chain = {.f = {*f}, .count = 1};
    const td_poly derivative = td_poly_derivative(arena, f);
    const td_poly product = td_poly_product(arena, &derivative, g);
    td_poly next = td_poly_remainder(arena, &product, f);
    while (next.degree >= 0) {
        chain.f[chain.count++] = next;
        next =
            td_poly_negated(td_poly_remainder(arena, &chain.f[chain.count - 2], &chain.f[chain.count - 1]));
    }
    return chain;
}

static int td_sign_changes(td_big_arena *arena, const td_chain *chain, const td_exact_point *point) {
    int changes = 0, last = 0;
    for (int i = 0; i < chain->count; ++i) {
        const int sign = td_sign_at(arena, &chain->f[i], point);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

int td_exact_sign_at_root(td_big_arena *arena, const td_root *root, const td_poly *g) {
    if (g->degree <= 0) {
        return g->degree < 0 ? 0 : g->c[0].sign;
    }
    if (root->is_point) {
        return td_sign_at(arena, g, &root->point);
    }
    const size_t mark = arena->used;
    const td_chain chain = td_make_chain(arena, root->f, g);
    const td_exact_point a = root->narrow > 0 ? td_point_at(root->a) : root->left;
    const td_exact_point b = root->narrow > 0 ? td_point_at(root->b) : root->right;
    const int sign = td_sign_changes(arena, &chain, &a) - td_sign_changes(arena, &chain, &b);
    arena->used = mark;
    return sign;
}

// ---------------------------------------------------------------------------------------------------------------------
// Brackets

static uint32_t td_bit_length(td_big_int a) {
    if (a.sign == 0) {
        return 0;
    }
    int exponent = 0;
    frexp((double)a.limbs[a.length - 1], &exponent); // may be one more: rounded up
    return (a.length - 1) * TD_LIMB_BITS + (uint32_t)exponent;
}

// Whether [a, b] is a bracket of the root: f not zero at its ends, and both between the points.
static bool td_brackets(td_big_arena *arena, const td_root *root, td_dyadic a, td_dyadic b) {
    if (root->narrow == 0 &&
        (td_compare_point(arena, &root->left, a) > 0 || td_compare_point(arena, &root->right, b) < 0)) {
        return false;
    }
    const td_exact_point at_a = td_point_at(a), at_b = td_point_at(b);
    return td_sign_at(arena, root->f, &at_a) == -root->sign_right &&
           td_sign_at(arena, root->f, &at_b) == root->sign_right;
}

// The point of the grid 2^-depth below a + (b - a) part, or one beside it; never outside [a, b]. The grid has
// less than 2^53 points there, so that they can be counted in doubles.
static td_dyadic td_grid_point(td_big_arena *arena, td_dyadic a, td_dyadic b, double part, int beside,
                               uint32_t depth) {
    const td_big_int from = td_big_shifted(arena, a.numerator, depth - a.depth);
    const td_big_int to = td_big_shifted(arena, b.numerator, depth - b.depth);
    int exponent = 0;
    const double mantissa = td_big_mantissa(td_big_difference(arena, to, from), &exponent);
    const double width = ldexp(mantissa, exponent), step = floor(width * part) + beside;
    if (!(step > 0.0 && step < width)) {
        return step > 0.0 ? b : a;
    }
    return (td_dyadic){td_big_sum(arena, from, td_big_from(arena, step, 0)), depth};
}

// One step of the secant method, which about doubles the number of known bits: whether the bracket became
// narrower.
static bool td_narrow_bracket(td_big_arena *arena, td_root *root) {
    const uint32_t deeper = root->a.depth > root->b.depth ? root->a.depth : root->b.depth;
    const uint32_t gain = root->narrow > 54 ? 48 : root->narrow - 6;
    int exponent_a = 0, exponent_b = 0;
    const double at_a = td_big_mantissa(td_poly_value(arena, root->f, root->a), &exponent_a);
    const double at_b = td_big_mantissa(td_poly_value(arena, root->f, root->b), &exponent_b);
    // Values at a and b are of different scale, 2^(degree depth).
    exponent_a -= root->f->degree * (int)root->a.depth;
    exponent_b -= root->f->degree * (int)root->b.depth;
    const double part = 1.0 / (1.0 + ldexp(fabs(at_b / at_a), exponent_b - exponent_a));
    const uint32_t depth = root->narrow + gain > deeper ? root->narrow + gain : deeper;
    const td_dyadic a = td_grid_point(arena, root->a, root->b, part, -2, depth);
    const td_dyadic b = td_grid_point(arena, root->a, root->b, part, 3, depth);
    if (!td_brackets(arena, root, a, b)) {
        return false;
    }
    root->a = a;
    root->b = b;
    root->narrow = depth - 3;
    return true;
}

// On a bracket, g differs from its value at an end by less than its width times |c1| + 2 |c2| + ...
static int td_sign_on_bracket(td_big_arena *arena, const td_root *root, const td_poly *g) {
    const size_t mark = arena->used;
    const td_big_int value = td_poly_value(arena, g, root->a);
    uint32_t slope = 0; // 2^slope > |g'| on [0, 1]
    for (int i = 1; i <= g->degree; ++i) {
        const uint32_t bits = td_bit_length(g->c[i]) + (uint32_t)i + 1;
        slope = bits > slope ? bits : slope;
    }
    const int64_t known = (int64_t)td_bit_length(value) - 2 - (int64_t)g->degree * root->a.depth;
    arena->used = mark;
    return value.sign != 0 && known >= (int64_t)slope - root->narrow ? value.sign : TD_SIGN_OPEN;
}

int td_quick_sign_at_root(td_big_arena *arena, td_root *root, const td_poly *g) {
    if (g->degree <= 0 || root->is_point) {
        return td_exact_sign_at_root(arena, root, g);
    }
    while (root->narrow > 0) {
        const int sign = td_sign_on_bracket(arena, root, g);
        if (sign != TD_SIGN_OPEN || root->narrow >= TD_MOST_NARROW || !td_narrow_bracket(arena, root)) {
            return sign;
        }
    }
    return TD_SIGN_OPEN;
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding them

td_root td_single_root(td_big_arena *arena, const td_poly *f, double from, double to) {
    td_root root = {.f = f, .a = td_dyadic_from(arena, from), .b = td_dyadic_from(arena, to)};
    root.left = td_point_at(root.a);
    root.right = td_point_at(root.b);
    root.sign_right = td_sign_at(arena, f, &root.right);
    root.narrow = (uint32_t)(1 - ilogb(to - from)) - 2;
    return root;
}

// f, scaled to about 1.
typedef struct td_rough_poly {
    double c[TD_POLY_MOST_DEGREE + 1];
    int degree;
} td_rough_poly;

static td_rough_poly td_roughly(const td_poly *f) {
    double mantissa[TD_POLY_MOST_DEGREE + 1];
    int exponent[TD_POLY_MOST_DEGREE + 1], most = -1;
    for (int i = 0; i <= f->degree; ++i) {
        mantissa[i] = td_big_mantissa(f->c[i], &exponent[i]);
        most = mantissa[i] != 0.0 && exponent[i] > most ? exponent[i] : most;
    }
    td_rough_poly r = {.degree = f->degree};
    for (int i = 0; i <= f->degree; ++i) {
        r.c[i] = ldexp(mantissa[i], exponent[i] - most);
    }
    return r;
}

static double td_rough_value(const td_rough_poly *f, double t) {
    double sum = 0.0;
    for (int i = f->degree; i >= 0; --i) {
        sum = sum * t + f->c[i];
    }
    return sum;
}

// About where an exact point is, a guess.
static double td_rough_place(const td_exact_point *point) {
    if (point->is_dyadic) {
        int exponent = 0;
        const double mantissa = td_big_mantissa(point->at.numerator, &exponent);
        return ldexp(mantissa, exponent - (int)point->at.depth);
    }
    const td_rough_poly f = td_roughly(&point->of);
    if (f.degree == 1) {
        return -f.c[0] / f.c[1];
    }
    const double root = sqrt(fmax(0.0, f.c[1] * f.c[1] - 4.0 * f.c[0] * f.c[2]));
    const double far = f.c[1] > 0.0 ? -f.c[1] - root : -f.c[1] + root; // without cancellation
    return (point->branch > 0) == (f.c[1] > 0.0) ? 2.0 * f.c[0] / far : far / (2.0 * f.c[2]);
}

// About where a root is: by halving in doubles.
static double td_rough_root(const td_root *root) {
    if (root->is_point) {
        return td_rough_place(&root->point);
    }
    const td_rough_poly f = td_roughly(root->f);
    double low = td_rough_place(&root->left), high = td_rough_place(&root->right);
    for (int i = 0; i < 50 && high > low; ++i) {
        const double middle = 0.5 * (low + high);
        if (td_rough_value(&f, middle) * root->sign_right < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

static double td_on_grid(double t, double grid) {
    return isfinite(t) ? floor(fmin(fmax(t, 0.0), 1.0) / grid) * grid : 0.0;
}

static td_root td_root_between(td_big_arena *arena, const td_poly *f, const td_exact_point *left,
                               const td_exact_point *right, int sign_right) {
    td_root root = {.f = f, .left = *left, .right = *right, .sign_right = sign_right};
    const double guess = td_on_grid(td_rough_root(&root), 0x1p-40);
    td_dyadic a = td_dyadic_from(arena, guess - 0x1p-38), b = td_dyadic_from(arena, guess + 0x1p-38);
    if (left->is_dyadic && td_compare_point(arena, left, a) > 0) {
        a = left->at;
    }
    if (right->is_dyadic && td_compare_point(arena, right, b) < 0) {
        b = right->at;
    }
    if (td_brackets(arena, &root, a, b)) {
        root.a = a;
        root.b = b;
        root.narrow = 37;
    }
    return root;
}

int td_find_roots(td_big_arena *arena, td_root roots[TD_MOST_ROOTS], const td_poly *f, double from,
                  double to) {
    const td_dyadic first = td_dyadic_from(arena, from), last = td_dyadic_from(arena, to);
    const td_poly derivative = td_poly_derivative(arena, f);
    td_exact_point stops[4] = {td_point_at(first)}, turns[2];
    int stop_count = 1, count = 0;
    const int turn_count = td_points_of(arena, turns, &derivative);
    for (int i = 0; i < turn_count; ++i) {
        if (td_compare_point(arena, &turns[i], first) > 0 && td_compare_point(arena, &turns[i], last) < 0) {
            stops[stop_count++] = turns[i];
        }
    }
    stops[stop_count++] = td_point_at(last);
    int before = 0;
    for (int i = 0; i < stop_count; ++i) {
        const int sign = td_sign_at(arena, f, &stops[i]);
        if (sign * before < 0 && count < TD_MOST_ROOTS) {
            roots[count++] = td_root_between(arena, f, &stops[i - 1], &stops[i], sign);
        }
        if (sign == 0 && count < TD_MOST_ROOTS) {
            roots[count++] = (td_root){.f = f, .is_point = true, .point = stops[i]};
        }
        before = sign;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where they are

// The sign of root - t.
static int td_compare_root(td_big_arena *arena, const td_root *root, td_dyadic t) {
    if (root->is_point) {
        return td_compare_point(arena, &root->point, t);
    }
    if (td_compare_point(arena, &root->left, t) >= 0) {
        return 1;
    }
    if (td_compare_point(arena, &root->right, t) <= 0) {
        return -1;
    }
    const td_exact_point at = td_point_at(t);
    return -td_sign_at(arena, root->f, &at) * root->sign_right;
}

static int td_compare_root_with(td_big_arena *arena, const td_root *root, double t) {
    const size_t mark = arena->used;
    const int sign = td_compare_root(arena, root, td_dyadic_from(arena, t));
    arena->used = mark;
    return sign;
}

td_root_bounds td_bounds_of_root(td_big_arena *arena, const td_root *root, double from, double to) {
    td_root_bounds r = {from, to};
    if (to - from > 0x1p-22) {
        const double guess = td_on_grid(td_rough_root(root), 0x1p-26);
        const double low = fmin(fmax(from, guess - 0x1p-25), to), high = fmin(fmax(low, guess + 0x1p-25), to);
        const int at_low = td_compare_root_with(arena, root, low);
        if (at_low == 0) {
            return (td_root_bounds){low, low};
        }
        *(at_low > 0 ? &r.lower : &r.upper) = low;
        if (at_low > 0) {
            *(td_compare_root_with(arena, root, high) > 0 ? &r.lower : &r.upper) = high;
        }
    }
    while (r.upper - r.lower > 0x1p-22) {
        const double middle = td_on_grid(0.5 * (r.lower + r.upper), 0x1p-40);
        *(td_compare_root_with(arena, root, middle) > 0 ? &r.lower : &r.upper) = middle;
    }
    return r;
}
