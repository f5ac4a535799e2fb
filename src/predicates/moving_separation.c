// The distance of two features whose points move at constant speed changes by at most their largest relative
// speed, v. So on [a, b] it is at least (d(a) + d(b) - v (b - a)) / 2, and intervals in which that exceeds
// the separation are left out; others are halved, the left half first. At a width of 2^-26 an interval stays
// open. A time at which the distance is at most the separation, for certain, ends the search: if that is
// within 2^-20 of the first open interval, it is the contact, else the answer is not certain.
//
// Bounds. The points are taken as ways from the first of them, which is linear in time, too; they are scaled,
// by a power of two, to at most 1 in every coordinate. With e = 2^-53, a way errs by e and, at a time
// between, by 3 e more: 7 e as a vector. A lower bound of the distance is the gap along any direction n:
// products and sums of n . x are 3 e |n|_1 |x| <= 9 e |n|, for two points, and the ways 14 e; dividing by |n|
// adds 6 e of at most 4: together less than 64 e. An upper bound is the distance of any two points of the
// features: weights err by a few e, and so do sums of weighted points: less than 64 e. The bound used is 128
// e.
#include "moving_separation.h"

#include <math.h>

#define TD_DISTANCE_ERROR  0x1p-46
#define TD_SEPARATION_LEAF 26 // depth

enum { TD_SEPARATION_MOST = 8192 };

static double td_largest_component(td_vec3 v) {
    return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

static double td_length(td_vec3 v) {
    return sqrt(td_dot(v, v));
}

static td_vec3 td_scaled_by(td_vec3 v, int exponent) {
    return td_vec3_make(ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent));
}

static int td_exponent_of(double x) {
    int exponent = 0;
    frexp(x, &exponent);
    return exponent;
}

static bool td_is_of_first(int kind, int i) {
    return i == 0 || (kind == TD_EDGE_EDGE && i == 1);
}

static double td_relative_speed(const td_separation_problem *problem) {
    double most = 0.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (td_is_of_first(problem->kind, i) && !td_is_of_first(problem->kind, j)) {
                const td_vec3 by_i = td_sub(problem->at[1][i], problem->at[0][i]);
                const td_vec3 by_j = td_sub(problem->at[1][j], problem->at[0][j]);
                most = fmax(most, td_length(td_sub(by_i, by_j)));
            }
        }
    }
    return most + TD_DISTANCE_ERROR;
}

// Takes the ways from the first point, of coordinates divided by 2^down; returns the largest component.
static double td_take_ways(td_separation_problem *problem, const td_moving_points *points, int down) {
    double most = 0.0;
    for (int i = 0; i < 8; ++i) {
        const td_vec3 *at = points->at[i / 4];
        td_vec3 *way = &problem->at[i / 4][i % 4];
        *way = td_sub(td_scaled_by(at[i % 4], -down), td_scaled_by(at[0], -down));
        most = fmax(most, td_largest_component(*way));
    }
    return most;
}

td_separation_problem td_pose_separation(const td_moving_points *points, int kind, double separation) {
    td_separation_problem r = {.kind = kind};
    int down = 0;
    double most = td_take_ways(&r, points, down);
    if (isinf(most)) { // so large that what tiny coordinates lose is nothing
        down = 2;
        most = td_take_ways(&r, points, down);
    }
    const int exponent = most > 0.0 ? td_exponent_of(most) : 0;
    for (int i = 0; i < 8; ++i) {
        r.at[i / 4][i % 4] = td_scaled_by(r.at[i / 4][i % 4], -exponent);
    }
    r.unit_exponent = down + exponent;
    r.separation = ldexp(separation, -r.unit_exponent);
    r.speed = td_relative_speed(&r);
    r.coincide = most == 0.0;
    return r;
}

// ---------------------------------------------------------------------------------------------------------------------
// The distance at a time

// Candidates for the nearest points: their difference, kept if shorter than the one before.
typedef struct td_nearest {
    td_vec3 way;
    double square;
} td_nearest;

static void td_offer(td_nearest *nearest, td_vec3 way) {
    const double square = td_dot(way, way);
    if (square < nearest->square) {
        nearest->way = way;
        nearest->square = square;
    }
}

static double td_clamp(double x) {
    return fmin(fmax(x, 0.0), 1.0); // NaN, of a point instead of an edge: 0
}

static void td_offer_point_and_edge(td_nearest *nearest, td_vec3 v, td_vec3 e0, td_vec3 e1) {
    const td_vec3 edge = td_sub(e1, e0);
    const double s = td_clamp(td_dot(td_sub(v, e0), edge) / td_dot(edge, edge));
    td_offer(nearest, td_sub(v, td_add(td_scale(e0, 1.0 - s), td_scale(e1, s))));
}

// The projection of v, if it is in the triangle.
static void td_offer_inside(td_nearest *nearest, const td_vec3 *at, td_vec3 n) {
    const td_vec3 p = td_sub(at[2], at[1]), q = td_sub(at[3], at[1]), x = td_sub(at[0], at[1]);
    const double area = td_dot(n, n);
    const double a = td_dot(td_cross(x, q), n) / area, b = td_dot(td_cross(p, x), n) / area;
    if (a >= 0.0 && b >= 0.0 && a + b <= 1.0) {
        td_offer(nearest, td_sub(x, td_add(td_scale(p, a), td_scale(q, b))));
    }
}

// The nearest points of two lines, if they are on the edges.
static void td_offer_crossing(td_nearest *nearest, const td_vec3 *at, td_vec3 n) {
    const td_vec3 p = td_sub(at[1], at[0]), q = td_sub(at[3], at[2]), x = td_sub(at[2], at[0]);
    const double area = td_dot(n, n);
    const double s = td_dot(td_cross(x, q), n) / area, u = td_dot(td_cross(x, p), n) / area;
    if (s >= 0.0 && s <= 1.0 && u >= 0.0 && u <= 1.0) {
        td_offer(nearest, td_sub(td_scale(p, s), td_add(x, td_scale(q, u))));
    }
}

// The gap between the features along n, or 0: also if n is so short that its square might underflow.
static double td_gap_along(const td_vec3 *at, int kind, td_vec3 n) {
    if (!(td_largest_component(n) > 0x1p-200)) {
        return 0.0;
    }
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 4; ++i) {
        const int side = td_is_of_first(kind, i) ? 0 : 1;
        const double along = td_dot(at[i], n);
        low[side] = fmin(low[side], along);
        high[side] = fmax(high[side], along);
    }
    return fmax(0.0, fmax(low[1] - high[0], low[0] - high[1]) / td_length(n));
}

td_distance_bounds td_moving_distance(const td_separation_problem *problem, double t) {
    td_vec3 at[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = td_add(td_scale(problem->at[0][i], 1.0 - t), td_scale(problem->at[1][i], t));
    }
    td_nearest nearest = {.square = INFINITY};
    td_vec3 normal;
    if (problem->kind == TD_VERTEX_FACE) {
        normal = td_cross(td_sub(at[2], at[1]), td_sub(at[3], at[1]));
        td_offer_inside(&nearest, at, normal);
        td_offer_point_and_edge(&nearest, at[0], at[1], at[2]);
        td_offer_point_and_edge(&nearest, at[0], at[2], at[3]);
        td_offer_point_and_edge(&nearest, at[0], at[3], at[1]);
    } else {
        normal = td_cross(td_sub(at[1], at[0]), td_sub(at[3], at[2]));
        td_offer_crossing(&nearest, at, normal);
        td_offer_point_and_edge(&nearest, at[0], at[2], at[3]);
        td_offer_point_and_edge(&nearest, at[1], at[2], at[3]);
        td_offer_point_and_edge(&nearest, at[2], at[0], at[1]);
        td_offer_point_and_edge(&nearest, at[3], at[0], at[1]);
    }
    const double gap =
        fmax(td_gap_along(at, problem->kind, nearest.way), td_gap_along(at, problem->kind, normal));
    return (td_distance_bounds){gap - TD_DISTANCE_ERROR, td_length(nearest.way) + TD_DISTANCE_ERROR};
}

// ---------------------------------------------------------------------------------------------------------------------
// The search

typedef struct td_separation_search {
    const td_separation_problem *problem;
    uint32_t left;    // distances that may still be taken
    double open_from; // the beginning of the first open interval; 2 if there is none
    double contact;   // a time at which they are near enough for certain; 2 if none was found
} td_separation_search;

// Whether the search is over. `lower_a`, `lower_b`: of the distance at both ends.
static bool td_search_interval(td_separation_search *search, double a, double lower_a, double b,
                               double lower_b, int depth) {
    const td_separation_problem *problem = search->problem;
    if (0.5 * (lower_a + lower_b - problem->speed * (b - a)) > problem->separation + TD_DISTANCE_ERROR) {
        return false;
    }
    if (a >= search->open_from + 0x1p-20) {
        return true; // whatever comes now, it is too late to be certain
    }
    if (depth == TD_SEPARATION_LEAF || search->left == 0) {
        search->open_from = fmin(search->open_from, a);
        return search->left == 0;
    }
    --search->left;
    const double middle = 0.5 * (a + b);
    const td_distance_bounds at = td_moving_distance(problem, middle);
    if (td_search_interval(search, a, lower_a, middle, at.lower, depth + 1)) {
        return true;
    }
    if (at.upper <= problem->separation) {
        search->contact = middle;
        return true;
    }
    return td_search_interval(search, middle, at.lower, b, lower_b, depth + 1);
}

td_moving_contact td_moving_separation(const td_moving_points *points, int kind, double separation,
                                       uint32_t budget) {
    const td_separation_problem problem = td_pose_separation(points, kind, separation);
    const td_distance_bounds start = td_moving_distance(&problem, 0.0),
                             end = td_moving_distance(&problem, 1.0);
    if (problem.coincide || start.upper <= problem.separation) {
        return (td_moving_contact){true, true, 0.0};
    }
    td_separation_search search = {.problem = &problem,
                                   .left = budget > 0 ? budget : TD_SEPARATION_MOST,
                                   .open_from = 2.0,
                                   .contact = 2.0};
    if (!td_search_interval(&search, 0.0, start.lower, 1.0, end.lower, 0) &&
        end.upper <= problem.separation) {
        search.contact = 1.0;
    }
    // Before a time at which they are near enough there is an open interval: none that ends there is left
    // out.
    if (search.open_from > 1.0) {
        return (td_moving_contact){false, true, 1.0};
    }
    return (td_moving_contact){true, search.contact <= search.open_from + 0x1p-20, search.open_from};
}
