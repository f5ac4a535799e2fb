// Contacts are of two kinds. In the first, F = 0 while N is not zero and all conditions hold strictly: the
// vertex is inside the triangle, the edges cross inside both. In the second a point lies on an edge, its ends
// included: all contacts on a border, of degenerate triangles and of parallel edges are of this kind, v and
// e0 e1 being on one line, (e1 - e0) x (v - e0) = 0, and v between the ends, (v - e0) . (v - e1) <= 0.
//
// Where F is zero for all t, everything moves in a plane. Then a contact of the first kind is there from the
// beginning, or one of the second came before.
#include "moving_exact.h"

#include "big_poly.h"

#include <math.h>

typedef struct td_poly3 {
    td_poly axis[3];
} td_poly3;

typedef struct td_exact_problem {
    td_big_arena *arena;
    td_poly3 at[4]; // the points
    td_root_bounds first;
} td_exact_problem;

static double td_component(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static int td_common_exponent(const td_moving_points *points) {
    int base = 1024;
    for (int i = 0; i < 2 * 4 * 3; ++i) {
        const double x = td_component(points->at[i / 12][i / 3 % 4], i % 3);
        if (x != 0.0) {
            const int bit = td_last_bit_of(x);
            base = bit < base ? bit : base;
        }
    }
    return base;
}

static td_poly3 td_poly3_difference(td_big_arena *arena, const td_poly3 *a, const td_poly3 *b) {
    td_poly3 r;
    for (int k = 0; k < 3; ++k) {
        r.axis[k] = td_poly_difference(arena, &a->axis[k], &b->axis[k]);
    }
    return r;
}

static td_poly3 td_poly3_cross(td_big_arena *arena, const td_poly3 *a, const td_poly3 *b) {
    td_poly3 r;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const td_poly plus = td_poly_product(arena, &a->axis[i], &b->axis[j]);
        const td_poly minus = td_poly_product(arena, &a->axis[j], &b->axis[i]);
        r.axis[k] = td_poly_difference(arena, &plus, &minus);
    }
    return r;
}

static td_poly td_poly3_dot(td_big_arena *arena, const td_poly3 *a, const td_poly3 *b) {
    td_poly r = {.degree = -1};
    for (int k = 0; k < 3; ++k) {
        const td_poly product = td_poly_product(arena, &a->axis[k], &b->axis[k]);
        r = td_poly_sum(arena, &r, &product);
    }
    return r;
}

static void td_take_first(td_exact_problem *problem, td_root_bounds found) {
    td_root_bounds *first = &problem->first;
    if (!found.exists) {
        return;
    }
    if (!first->exists) {
        *first = found;
    } else {
        first->lower = fmin(first->lower, found.lower);
        first->upper = fmin(first->upper, found.upper);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The first kind

// N, and on each axis what must have its sign.
typedef struct td_inner_conditions {
    td_poly3 n, others[4];
    int count;
} td_inner_conditions;

// If N is not zero on an axis, that axis tells.
static bool td_meets_inside(const td_root_place *place, const void *user) {
    const td_inner_conditions *conditions = user;
    for (int k = 0; k < 3; ++k) {
        const int sign = td_sign_at_root(place, &conditions->n.axis[k]);
        if (sign == 0) {
            continue;
        }
        for (int i = 0; i < conditions->count; ++i) {
            if (td_sign_at_root(place, &conditions->others[i].axis[k]) != sign) {
                return false;
            }
        }
        return true;
    }
    return false;
}

static void td_add_inner_contacts(td_exact_problem *problem, int kind) {
    td_big_arena *arena = problem->arena;
    const size_t mark = arena->used;
    const td_poly3 *at = problem->at;
    const bool face = kind == TD_VERTEX_FACE;
    const td_poly3 p = td_poly3_difference(arena, face ? &at[2] : &at[1], face ? &at[1] : &at[0]);
    const td_poly3 q = td_poly3_difference(arena, &at[3], face ? &at[1] : &at[2]);
    const td_poly3 x = td_poly3_difference(arena, face ? &at[0] : &at[2], face ? &at[1] : &at[0]);
    const td_poly3 f = td_poly3_cross(arena, &x, &q);
    const td_poly3 g = face ? td_poly3_cross(arena, &p, &x) : td_poly3_cross(arena, &x, &p);
    td_inner_conditions conditions = {
        .n = td_poly3_cross(arena, &p, &q), .others = {f, g}, .count = face ? 3 : 4};
    const td_poly3 rest = td_poly3_difference(arena, &conditions.n, &f);
    conditions.others[2] = td_poly3_difference(arena, face ? &rest : &conditions.n, &g);
    conditions.others[3] = rest;
    const td_poly coplanar = td_poly3_dot(arena, &x, &conditions.n);
    if (coplanar.degree >= 0) {
        td_take_first(problem, td_first_root(arena, &coplanar, td_meets_inside, &conditions));
    } else {
        const td_root_place start = {arena, &coplanar, {0, 0}, {0, 0}};
        td_take_first(problem, (td_root_bounds){td_meets_inside(&start, &conditions), 0.0, 0.0});
    }
    arena->used = mark;
}

// ---------------------------------------------------------------------------------------------------------------------
// The second kind

// The earliest t at which f <= 0.
static td_root_bounds td_first_not_positive(td_big_arena *arena, const td_poly *f) {
    if (f->degree < 0 || td_poly_sign_at(arena, f, (td_dyadic){0, 0}) <= 0) {
        return (td_root_bounds){true, 0.0, 0.0};
    }
    return td_first_root(arena, f, NULL, NULL);
}

// The point, the edge and the line through it.
typedef struct td_edge_conditions {
    td_poly3 cross;
    td_poly between;
} td_edge_conditions;

static bool td_lies_on_edge(const td_root_place *place, const void *user) {
    const td_edge_conditions *conditions = user;
    for (int k = 0; k < 3; ++k) {
        const td_poly *cross = &conditions->cross.axis[k];
        if (cross->degree >= 0 && td_sign_at_root(place, cross) != 0) {
            return false;
        }
    }
    return td_sign_at_root(place, &conditions->between) <= 0;
}

static void td_add_point_on_edge(td_exact_problem *problem, int v, int e0, int e1) {
    td_big_arena *arena = problem->arena;
    const size_t mark = arena->used;
    const td_poly3 *at = problem->at;
    const td_poly3 edge = td_poly3_difference(arena, &at[e1], &at[e0]);
    const td_poly3 from = td_poly3_difference(arena, &at[v], &at[e0]);
    const td_poly3 to = td_poly3_difference(arena, &at[v], &at[e1]);
    const td_edge_conditions conditions = {td_poly3_cross(arena, &edge, &from),
                                           td_poly3_dot(arena, &from, &to)};
    int k = 0;
    while (k < 3 && conditions.cross.axis[k].degree < 0) {
        ++k;
    }
    td_take_first(problem,
                  k == 3 ? td_first_not_positive(arena, &conditions.between)
                         : td_first_root(arena, &conditions.cross.axis[k], td_lies_on_edge, &conditions));
    arena->used = mark;
}

td_moving_result td_moving_exact(td_big_arena *arena, const td_moving_points *points, int kind) {
    const size_t mark = arena->used;
    const int base = td_common_exponent(points);
    td_exact_problem problem = {.arena = arena};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            const td_big_int at0 = td_big_from(arena, td_component(points->at[0][i], k), base);
            const td_big_int at1 = td_big_from(arena, td_component(points->at[1][i], k), base);
            problem.at[i].axis[k] = td_poly_linear(arena, at0, at1);
        }
    }
    td_add_inner_contacts(&problem, kind);
    if (kind == TD_VERTEX_FACE) {
        td_add_point_on_edge(&problem, 0, 1, 2);
        td_add_point_on_edge(&problem, 0, 2, 3);
        td_add_point_on_edge(&problem, 0, 3, 1);
    } else {
        td_add_point_on_edge(&problem, 0, 2, 3);
        td_add_point_on_edge(&problem, 1, 2, 3);
        td_add_point_on_edge(&problem, 2, 0, 1);
        td_add_point_on_edge(&problem, 3, 0, 1);
    }
    arena->used = mark;
    if (arena->exhausted) {
        return (td_moving_result){TD_MOVING_UNDECIDED, 0.0, 1.0};
    }
    return (td_moving_result){problem.first.exists ? TD_MOVING_TOUCHING : TD_MOVING_APART,
                              problem.first.lower, problem.first.upper};
}
