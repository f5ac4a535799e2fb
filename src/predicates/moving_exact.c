// Contacts are of two kinds. In the first, F = 0 while N is not zero and all conditions hold strictly: the
// vertex is inside the triangle, the edges cross inside both. In the second a point lies on an edge, its ends
// included: all contacts on a border, of degenerate triangles and of parallel edges are of this kind. v and
// e0 e1 are on one line, (e1 - e0) x (v - e0) = 0, and v between the ends, (v - e0) . (v - e1) <= 0; if the
// ends coincide the first is always so and the second says that v is there, too.
//
// The second kind is looked for first. It asks for signs at roots of quadratics, which is cheap, and where it
// is found the first kind needs to be looked for only before it. That is where the expensive question,
// whether a condition is zero at a root of a cubic, would mostly arise.
//
// Where F is zero for all t, the points are always in a plane. Then a contact of the first kind is there from
// the beginning, or one of the second came before: at the first contact all conditions hold strictly, so they
// would hold shortly before.
#include "moving_exact.h"

#include "big_root.h"
#include "moving_filter.h"

typedef struct td_poly3 {
    td_poly axis[3];
} td_poly3;

typedef struct td_exact_problem {
    td_big_arena *arena;
    const td_moving_points *points;
    bool has_polynomials; // `at` is made when it is first needed
    td_poly3 at[4];
    double from, to; // where contacts may be; `to` is brought forward as they are found
    bool touching;
    td_root_bounds first; // if touching
} td_exact_problem;

td_moving_result td_moving_anywhere(void) {
    return (td_moving_result){TD_MOVING_UNDECIDED, 0.0, 1.0, 0};
}

static int td_common_exponent(const td_moving_points *points) {
    int base = 1024;
    for (int i = 0; i < 2 * 4 * 3; ++i) {
        const double x = td_coordinate(points->at[i / 12][i / 3 % 4], i % 3);
        if (x != 0.0) {
            const int bit = td_last_bit_of(x);
            base = bit < base ? bit : base;
        }
    }
    return base;
}

static void td_need_polynomials(td_exact_problem *problem) {
    const td_moving_points *points = problem->points;
    if (problem->has_polynomials) {
        return;
    }
    const int base = td_common_exponent(points);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            const td_big_int at0 = td_big_from(problem->arena, td_coordinate(points->at[0][i], k), base);
            const td_big_int at1 = td_big_from(problem->arena, td_coordinate(points->at[1][i], k), base);
            problem->at[i].axis[k] = td_poly_linear(problem->arena, at0, at1);
        }
    }
    problem->has_polynomials = true;
}

static td_poly3 td_poly3_difference(td_big_arena *arena, const td_poly3 *a, const td_poly3 *b) {
    td_poly3 r;
    for (int k = 0; k < 3; ++k) {
        r.axis[k] = td_poly_difference(arena, &a->axis[k], &b->axis[k]);
    }
    return r;
}

static td_poly td_poly3_cross(td_big_arena *arena, const td_poly3 *a, const td_poly3 *b, int k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const td_poly plus = td_poly_product(arena, &a->axis[i], &b->axis[j]);
    const td_poly minus = td_poly_product(arena, &a->axis[j], &b->axis[i]);
    return td_poly_difference(arena, &plus, &minus);
}

static td_poly td_poly3_dot(td_big_arena *arena, const td_poly3 *a, const td_poly3 *b) {
    td_poly r = {.degree = -1};
    for (int k = 0; k < 3; ++k) {
        const td_poly product = td_poly_product(arena, &a->axis[k], &b->axis[k]);
        r = td_poly_sum(arena, &r, &product);
    }
    return r;
}

static void td_take_contact(td_exact_problem *problem, const td_root *root) {
    problem->first = td_bounds_of_root(problem->arena, root, problem->from, problem->to);
    problem->to = problem->first.upper;
    problem->touching = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// A point on an edge

// Whether doubles rule it out for all of the window: the cross product or the product of the ways to both
// ends keeps its sign. Bounds as in moving_filter.h.
static bool td_never_on_edge(const td_exact_problem *problem, int v, int e0, int e1) {
    td_moving_vector edge, from, to;
    for (int i = 0; i < 2; ++i) {
        const td_vec3 *at = problem->points->at[i];
        edge.at[i] = td_sub(at[e1], at[e0]);
        from.at[i] = td_sub(at[v], at[e0]);
        to.at[i] = td_sub(at[v], at[e1]);
    }
    const double size_edge = td_moving_size(edge), size_from = td_moving_size(from),
                 size_to = td_moving_size(to);
    if (!(fmin(fmin(size_edge, size_from), size_to) > 0x1p-300 &&
          fmax(fmax(size_edge, size_from), size_to) < 0x1p300)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        const td_quadratic cross =
            td_quadratic_on(td_moving_cross(edge, from, k), problem->from, problem->to);
        if (td_quadratic_sign(cross, 0x1p-47 * size_edge * size_from) != 0) {
            return true;
        }
    }
    // A sum of three products, of magnitude 3 m: 2 roundings of differences, 1, 3 and 6, and 1 for the mean.
    const td_quadratic between = {{td_dot(from.at[0], to.at[0]),
                                   0.5 * (td_dot(from.at[0], to.at[1]) + td_dot(from.at[1], to.at[0])),
                                   td_dot(from.at[1], to.at[1])}};
    return td_quadratic_sign(td_quadratic_on(between, problem->from, problem->to),
                             0x1p-47 * size_from * size_to) > 0;
}

typedef struct td_point_and_edge {
    td_poly3 edge, from, to;
} td_point_and_edge;

// Always on one line: the earliest time in the window at which v is between the ends.
static void td_add_point_along_edge(td_exact_problem *problem, const td_point_and_edge *it) {
    td_big_arena *arena = problem->arena;
    const td_poly between = td_poly3_dot(arena, &it->from, &it->to);
    const td_exact_point start = td_point_at(td_dyadic_from(arena, problem->from));
    td_root roots[TD_MOST_ROOTS];
    if (td_sign_at(arena, &between, &start) <= 0) {
        td_take_contact(problem, &(td_root){.is_point = true, .point = start});
    } else if (td_find_roots(arena, roots, &between, problem->from, problem->to) > 0) {
        td_take_contact(problem, &roots[0]);
    }
}

static bool td_lies_on_edge(td_exact_problem *problem, const td_point_and_edge *it, int axis,
                            const td_exact_point *time) {
    td_big_arena *arena = problem->arena;
    for (int k = axis + 1; k < 3; ++k) {
        const td_poly cross = td_poly3_cross(arena, &it->edge, &it->from, k);
        if (td_sign_at(arena, &cross, time) != 0) {
            return false;
        }
    }
    const td_poly between = td_poly3_dot(arena, &it->from, &it->to);
    return td_sign_at(arena, &between, time) <= 0;
}

static void td_add_point_on_edge(td_exact_problem *problem, int v, int e0, int e1) {
    if (td_never_on_edge(problem, v, e0, e1)) {
        return;
    }
    td_need_polynomials(problem);
    td_big_arena *arena = problem->arena;
    const size_t mark = arena->used;
    const td_poly3 *at = problem->at;
    const td_point_and_edge it = {td_poly3_difference(arena, &at[e1], &at[e0]),
                                  td_poly3_difference(arena, &at[v], &at[e0]),
                                  td_poly3_difference(arena, &at[v], &at[e1])};
    td_poly cross = {.degree = -1};
    int axis = -1;
    while (cross.degree < 0 && axis < 2) { // an axis on which the cross product is not always zero
        cross = td_poly3_cross(arena, &it.edge, &it.from, ++axis);
    }
    if (cross.degree < 0) {
        td_add_point_along_edge(problem, &it);
    } else {
        const td_dyadic from = td_dyadic_from(arena, problem->from), to = td_dyadic_from(arena, problem->to);
        td_exact_point times[2];
        const int count = td_points_of(arena, times, &cross);
        for (int i = 0; i < count; ++i) {
            if (td_compare_point(arena, &times[i], from) >= 0 &&
                td_compare_point(arena, &times[i], to) <= 0 &&
                td_lies_on_edge(problem, &it, axis, &times[i])) {
                td_take_contact(problem, &(td_root){.is_point = true, .point = times[i]});
                break;
            }
        }
    }
    arena->used = mark;
}

// ---------------------------------------------------------------------------------------------------------------------
// Inside

typedef struct td_inner_problem {
    td_big_arena *arena;
    td_moving_problem rough;
    bool in_range; // else `rough` tells nothing
    double from, to;
    td_poly3 p, q, x, n;
} td_inner_problem;

// One of those polynomials that must have the sign of N on the axis, in the order of td_condition_signs.
static td_poly td_inner_condition(const td_inner_problem *inner, int k, int which) {
    td_big_arena *arena = inner->arena;
    const bool face = inner->rough.kind == TD_VERTEX_FACE;
    if (which == 0) {
        return td_poly3_cross(arena, &inner->x, &inner->q, k);
    }
    if (which == 1) {
        return face ? td_poly3_cross(arena, &inner->p, &inner->x, k)
                    : td_poly3_cross(arena, &inner->x, &inner->p, k);
    }
    const td_poly f = td_inner_condition(inner, k, 0), g = td_inner_condition(inner, k, 1);
    const td_poly rest = td_poly_difference(arena, &inner->n.axis[k], which == 2 ? &g : &f);
    return face ? td_poly_difference(arena, &rest, &f) : rest;
}

static td_condition_signs td_rough_signs(const td_inner_problem *inner, int k) {
    return inner->in_range ? td_moving_condition_signs(&inner->rough, k, inner->from, inner->to)
                           : (td_condition_signs){0};
}

// Whether all conditions have the sign at the root. What doubles tell goes first, then quick signs: one that
// is wrong is enough, and spares the exact question about one that is open.
static bool td_conditions_hold(const td_inner_problem *inner, td_root *root, int k, int sign) {
    const int count = inner->rough.kind == TD_VERTEX_FACE ? 3 : 4;
    const td_condition_signs rough = td_rough_signs(inner, k);
    td_poly conditions[4];
    bool open[4] = {false};
    for (int i = 0; i < count; ++i) {
        if (rough.others[i] == -sign) {
            return false;
        }
    }
    for (int i = 0; i < count; ++i) {
        if (rough.others[i] == 0) {
            conditions[i] = td_inner_condition(inner, k, i);
            const int quick = td_quick_sign_at_root(inner->arena, root, &conditions[i]);
            open[i] = quick == TD_SIGN_OPEN;
            if (!open[i] && quick != sign) {
                return false;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        if (open[i] && td_exact_sign_at_root(inner->arena, root, &conditions[i]) != sign) {
            return false;
        }
    }
    return true;
}

// If N is not zero on an axis, that axis tells.
static bool td_meets_inside(const td_inner_problem *inner, td_root *root) {
    int open[3] = {0};
    for (int i = 0; i < 3; ++i) {
        const int k = (inner->rough.axis + i) % 3, rough = td_rough_signs(inner, k).n;
        const int sign = rough != 0 ? rough : td_quick_sign_at_root(inner->arena, root, &inner->n.axis[k]);
        open[k] = sign == TD_SIGN_OPEN;
        if (sign != 0 && !open[k]) {
            return td_conditions_hold(inner, root, k, sign);
        }
    }
    for (int k = 0; k < 3; ++k) {
        const int sign = open[k] ? td_exact_sign_at_root(inner->arena, root, &inner->n.axis[k]) : 0;
        if (sign != 0) {
            return td_conditions_hold(inner, root, k, sign);
        }
    }
    return false;
}

static void td_add_inner_contacts(td_exact_problem *problem, int kind, bool single) {
    const td_moving_problem rough = td_moving_pose(problem->points, kind);
    td_need_polynomials(problem);
    td_big_arena *arena = problem->arena;
    const td_poly3 *at = problem->at;
    const bool face = kind == TD_VERTEX_FACE;
    td_inner_problem inner = {
        .arena = arena,
        .rough = rough,
        .from = problem->from,
        .to = problem->to,
        .p = td_poly3_difference(arena, face ? &at[2] : &at[1], face ? &at[1] : &at[0]),
        .q = td_poly3_difference(arena, &at[3], face ? &at[1] : &at[2]),
        .x = td_poly3_difference(arena, face ? &at[0] : &at[2], face ? &at[1] : &at[0]),
    };
    inner.in_range = td_moving_in_range(&rough);
    for (int k = 0; k < 3; ++k) {
        inner.n.axis[k] = td_poly3_cross(arena, &inner.p, &inner.q, k);
    }
    const td_poly coplanar = td_poly3_dot(arena, &inner.x, &inner.n);
    td_root roots[TD_MOST_ROOTS];
    int count = 1;
    if (coplanar.degree < 0) {
        roots[0] = (td_root){.is_point = true, .point = td_point_at(td_dyadic_from(arena, problem->from))};
    } else if (single) {
        roots[0] = td_single_root(arena, &coplanar, problem->from, problem->to);
    } else {
        count = td_find_roots(arena, roots, &coplanar, problem->from, problem->to);
    }
    for (int i = 0; i < count; ++i) {
        if (td_meets_inside(&inner, &roots[i])) {
            td_take_contact(problem, &roots[i]);
            return;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

static void td_add_border_contacts(td_exact_problem *problem, int kind) {
    if (kind == TD_VERTEX_FACE) {
        td_add_point_on_edge(problem, 0, 1, 2);
        td_add_point_on_edge(problem, 0, 2, 3);
        td_add_point_on_edge(problem, 0, 3, 1);
    } else {
        td_add_point_on_edge(problem, 0, 2, 3);
        td_add_point_on_edge(problem, 1, 2, 3);
        td_add_point_on_edge(problem, 2, 0, 1);
        td_add_point_on_edge(problem, 3, 0, 1);
    }
}

td_moving_result td_moving_exact(td_big_arena *arena, const td_moving_points *points, int kind,
                                 td_moving_result window) {
    const size_t mark = arena->used;
    td_exact_problem problem = {.arena = arena, .points = points, .from = window.lower, .to = window.upper};
    td_add_border_contacts(&problem, kind);
    if (!problem.touching) {
        td_add_inner_contacts(&problem, kind, window.single);
    } else if (problem.first.lower >
               problem.from) { // one that is in the bounds already may well be the first
        problem.to = problem.first.lower;
        td_add_inner_contacts(&problem, kind, false);
    }
    arena->used = mark;
    if (arena->exhausted) {
        return window;
    }
    return (td_moving_result){problem.touching ? TD_MOVING_TOUCHING : TD_MOVING_APART, problem.first.lower,
                              problem.first.upper, 0};
}
