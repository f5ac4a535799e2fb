// Roots of polynomials of degree at most 3 in a window of time, in order, and signs of other polynomials at
// them. Nothing is separated by halving, so that the work is bounded however close two roots are. Host only.
#ifndef TD_PREDICATES_BIG_ROOT_H
#define TD_PREDICATES_BIG_ROOT_H

#include "big_poly.h"

// A root of f: a point, or the only root between two points at which f is not zero.
typedef struct td_root {
    const td_poly *f;
    bool is_point;
    td_exact_point point;
    td_exact_point left, right;
    int sign_right; // of f
    // Narrower bounds of a root between points, of width 2^-narrow or less; none if narrow is 0.
    td_dyadic a, b;
    uint32_t narrow;
} td_root;

// The sign of g at the root. The quick form works in ever narrower brackets and may leave it open.
enum { TD_SIGN_OPEN = 2 };
int td_quick_sign_at_root(td_big_arena *arena, td_root *root, const td_poly *g);
int td_exact_sign_at_root(td_big_arena *arena, const td_root *root, const td_poly *g);

// All roots of f in [from, to], ascending; f must not be zero. At most 3 of a cubic, each once.
enum { TD_MOST_ROOTS = 3 };
int td_find_roots(td_big_arena *arena, td_root roots[TD_MOST_ROOTS], const td_poly *f, double from,
                  double to);
// The same for a polynomial that is known to change its sign from `from` to `to`, and to have one root there.
td_root td_single_root(td_big_arena *arena, const td_poly *f, double from, double to);

typedef struct td_root_bounds {
    double lower, upper;
} td_root_bounds;

// Bounds of a root that is in [from, to], no wider than 2^-22.
td_root_bounds td_bounds_of_root(td_big_arena *arena, const td_root *root, double from, double to);

#endif
