// Whether and when four moving points meet (moving.h), in doubles with proven bounds. C17 and OpenCL C.
//
// Time is halved until everything is decided. An interval has no contact if F keeps its sign there (its
// Bernstein coefficients do), if the boxes are apart, or if one of the conditions fails. Where F is monotone
// and changes its sign, its root is bracketed at once, as narrowly as rounding allows: the conditions are
// asked of the bracket, and if they hold there is a contact. Left halves go first, so the first contact that
// is found is the first. What stays open at a width of 2^-20, on a bracket, or after so many intervals is
// left to exact arithmetic (moving_exact.h).
//
// based on: Wang, Tang, Manocha, Tong, TightCCD, 2015 (Bernstein bounds of F and of the conditions).
//
// Bounds. Let e = 2^-53 and X, P, Q the largest magnitudes of a coordinate of x, p, q at both ends.
// Differences of points err by e of themselves. F's coefficients are means of determinants, each a sum of six
// products of magnitude at most X P Q: three differences, two products, a difference, two sums, and two more
// sums and a product for the mean are 16 roundings at most, hence 6 * 16 e X P Q. Coefficients on an interval
// are three rounds of (1 - t) a + t b, three roundings each: 9 e of 6 X P Q; all t are multiples of 2^-40, so
// that 1 - t is exact. Together 150 e X P Q; the bound used is 256 e X P Q. The quadratics are means of two
// by two determinants of magnitude at most 2 m, m being P Q, X Q or X P: 12 roundings and 6 for two rounds,
// 36 e m; a sum of three of them errs by that of each and a few e more; the bound used is 64 e m for each.
// Boxes: differences of three terms that err by 4 e each and two more roundings, 6 e (X + P + Q); the bound
// used is 16 e. X, P and Q are checked to be between 2^-300 and 2^300 (else nothing is decided), so nothing
// overflows, and what single products lose by underflow, 2^-1074 times at most one more factor X, P or Q, is
// nothing beside 2^-47 of two of them.
#ifndef TD_PREDICATES_MOVING_FILTER_H
#define TD_PREDICATES_MOVING_FILTER_H

#include "bernstein.h"
#include "moving.h"

#define TD_MOVING_MOST_DEPTH 20 // 2^-20 is less than 1e-6
#define TD_MOVING_FLAT_DEPTH 3  // where F may be zero throughout, only boxes and conditions can tell
#define TD_MOVING_MOST_STEPS 64
#define TD_MOVING_GRID       0x1p-40 // times are multiples of it

// A vector that is linear in t: its ends.
typedef struct td_moving_vector {
    td_vec3 at[2];
} td_moving_vector;

typedef struct td_moving_problem {
    td_moving_vector x, p, q;
    td_cubic coplanar; // F
    double coplanar_error;
    double size[3]; // X, P, Q
    int kind;
    int axis; // on which N is largest, about half way
    int flat; // F may be zero at all times
} td_moving_problem;

TD_INLINE double td_coordinate(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

TD_INLINE double td_largest_coordinate(td_vec3 v) {
    return td_larger(td_larger(fabs(v.x), fabs(v.y)), fabs(v.z));
}

TD_INLINE double td_moving_size(td_moving_vector v) {
    return td_larger(td_largest_coordinate(v.at[0]), td_largest_coordinate(v.at[1]));
}

// A component of u x w, a quadratic.
TD_INLINE td_quadratic td_moving_cross(td_moving_vector u, td_moving_vector w, int axis) {
    const int i = axis == 2 ? 0 : axis + 1;
    const int j = axis == 0 ? 2 : axis - 1;
    const double u0i = td_coordinate(u.at[0], i), u0j = td_coordinate(u.at[0], j);
    const double u1i = td_coordinate(u.at[1], i), u1j = td_coordinate(u.at[1], j);
    const double w0i = td_coordinate(w.at[0], i), w0j = td_coordinate(w.at[0], j);
    const double w1i = td_coordinate(w.at[1], i), w1j = td_coordinate(w.at[1], j);
    td_quadratic r;
    r.c[0] = u0i * w0j - u0j * w0i;
    r.c[1] = 0.5 * ((u0i * w1j - u0j * w1i) + (u1i * w0j - u1j * w0i));
    r.c[2] = u1i * w1j - u1j * w1i;
    return r;
}

TD_INLINE td_moving_problem td_moving_pose(const td_moving_points *points, int kind) {
    td_moving_problem m;
    for (int i = 0; i < 2; ++i) {
        const td_vec3 *at = points->at[i];
        if (kind == TD_VERTEX_FACE) {
            m.p.at[i] = td_sub(at[2], at[1]);
            m.q.at[i] = td_sub(at[3], at[1]);
            m.x.at[i] = td_sub(at[0], at[1]);
        } else {
            m.p.at[i] = td_sub(at[1], at[0]);
            m.q.at[i] = td_sub(at[3], at[2]);
            m.x.at[i] = td_sub(at[2], at[0]);
        }
    }
    m.kind = kind;
    m.size[0] = td_moving_size(m.x);
    m.size[1] = td_moving_size(m.p);
    m.size[2] = td_moving_size(m.q);
    const td_vec3 n0 = td_cross(m.p.at[0], m.q.at[0]);
    const td_vec3 n1 = td_scale(td_add(td_cross(m.p.at[0], m.q.at[1]), td_cross(m.p.at[1], m.q.at[0])), 0.5);
    const td_vec3 n2 = td_cross(m.p.at[1], m.q.at[1]);
    m.coplanar.c[0] = td_dot(m.x.at[0], n0);
    m.coplanar.c[1] = (2.0 * td_dot(m.x.at[0], n1) + td_dot(m.x.at[1], n0)) * (1.0 / 3.0);
    m.coplanar.c[2] = (td_dot(m.x.at[0], n2) + 2.0 * td_dot(m.x.at[1], n1)) * (1.0 / 3.0);
    m.coplanar.c[3] = td_dot(m.x.at[1], n2);
    const double nx = fabs(n1.x), ny = fabs(n1.y), nz = fabs(n1.z);
    m.axis = nx >= ny && nx >= nz ? 0 : ny >= nz ? 1 : 2;
    m.coplanar_error = 0x1p-45 * m.size[0] * m.size[1] * m.size[2];
    m.flat = td_larger(td_larger(fabs(m.coplanar.c[0]), fabs(m.coplanar.c[1])),
                       td_larger(fabs(m.coplanar.c[2]), fabs(m.coplanar.c[3]))) <= m.coplanar_error;
    return m;
}

// Whether the two boxes are apart on an axis during all of [a, b]: differences of corners, which are linear,
// keep one sign.
TD_INLINE int td_moving_boxes_apart(const td_moving_problem *m, double a, double b) {
    const double error = 0x1p-49 * (m->size[0] + m->size[1] + m->size[2]);
    for (int k = 0; k < 3; ++k) {
        int above = 1, below = 1;
        for (int end = 0; end < 2; ++end) {
            const double t = end == 0 ? a : b;
            const double x = td_mix_numbers(td_coordinate(m->x.at[0], k), td_coordinate(m->x.at[1], k), t);
            const double p = td_mix_numbers(td_coordinate(m->p.at[0], k), td_coordinate(m->p.at[1], k), t);
            const double q = td_mix_numbers(td_coordinate(m->q.at[0], k), td_coordinate(m->q.at[1], k), t);
            if (m->kind == TD_VERTEX_FACE) {
                above &= x - td_larger(0.0, td_larger(p, q)) > error;
                below &= x - td_smaller(0.0, td_smaller(p, q)) < -error;
            } else {
                above &= x + td_smaller(0.0, q) - td_larger(0.0, p) > error;
                below &= x + td_larger(0.0, q) - td_smaller(0.0, p) < -error;
            }
        }
        if (above || below) {
            return 1;
        }
    }
    return 0;
}

// Signs on the axis `k` during [a, b], 0 where not certain: of N, and of what must have the same sign.
typedef struct td_condition_signs {
    int n;
    int others[4]; // the last of vertex-face is N itself
} td_condition_signs;

TD_INLINE td_condition_signs td_moving_condition_signs(const td_moving_problem *m, int k, double a,
                                                       double b) {
    td_condition_signs r;
    const td_quadratic n = td_quadratic_on(td_moving_cross(m->p, m->q, k), a, b);
    const double n_error = 0x1p-47 * m->size[1] * m->size[2];
    r.n = td_quadratic_sign(n, n_error);
    const td_quadratic f = td_quadratic_on(td_moving_cross(m->x, m->q, k), a, b);
    const td_quadratic g = td_quadratic_on(
        m->kind == TD_VERTEX_FACE ? td_moving_cross(m->p, m->x, k) : td_moving_cross(m->x, m->p, k), a, b);
    const double f_error = 0x1p-47 * m->size[0] * m->size[2], g_error = 0x1p-47 * m->size[0] * m->size[1];
    r.others[0] = td_quadratic_sign(f, f_error);
    r.others[1] = td_quadratic_sign(g, g_error);
    if (m->kind == TD_VERTEX_FACE) {
        const td_quadratic rest = {
            {n.c[0] - f.c[0] - g.c[0], n.c[1] - f.c[1] - g.c[1], n.c[2] - f.c[2] - g.c[2]}};
        r.others[2] = td_quadratic_sign(rest, n_error + f_error + g_error);
        r.others[3] = r.n;
    } else {
        const td_quadratic rest_f = {{n.c[0] - f.c[0], n.c[1] - f.c[1], n.c[2] - f.c[2]}};
        const td_quadratic rest_g = {{n.c[0] - g.c[0], n.c[1] - g.c[1], n.c[2] - g.c[2]}};
        r.others[2] = td_quadratic_sign(rest_g, n_error + g_error);
        r.others[3] = td_quadratic_sign(rest_f, n_error + f_error);
    }
    return r;
}

#define TD_CONDITIONS_FAIL 0
#define TD_CONDITIONS_HOLD 1
#define TD_CONDITIONS_OPEN 2

// Two different signs fail whatever N is: if it is not zero, one of them is not its sign; if it is, one that
// is not zero says that a point is off the line on which, seen along the axis, all should be.
TD_INLINE int td_moving_conditions(const td_moving_problem *m, int k, double a, double b) {
    const td_condition_signs signs = td_moving_condition_signs(m, k, a, b);
    int above = signs.n > 0, below = signs.n < 0;
    for (int i = 0; i < 4; ++i) {
        above += signs.others[i] > 0;
        below += signs.others[i] < 0;
    }
    return above > 0 && below > 0 ? TD_CONDITIONS_FAIL
           : above + below == 5   ? TD_CONDITIONS_HOLD
                                  : TD_CONDITIONS_OPEN;
}

TD_INLINE int td_moving_in_range(const td_moving_problem *m) {
    for (int i = 0; i < 3; ++i) {
        if (!(m->size[i] > 0x1p-300 && m->size[i] < 0x1p300)) {
            return 0;
        }
    }
    return 1;
}

// Whether F is monotone on [a, b], where it has the coefficients f, and changes its sign: for certain.
TD_INLINE int td_moving_crosses(td_cubic f, double error) {
    const double d0 = f.c[1] - f.c[0], d1 = f.c[2] - f.c[1], d2 = f.c[3] - f.c[2];
    const double least = td_smaller(td_smaller(d0, d1), d2), most = td_larger(td_larger(d0, d1), d2);
    return (f.c[0] < -error && f.c[3] > error && least > 4.0 * error) ||
           (f.c[0] > error && f.c[3] < -error && most < -4.0 * error);
}

// A part of [0, 1].
typedef struct td_time_span {
    double from, to;
} td_time_span;

// An approximate root of a monotone cubic on [0, 1] and how steep it is there: Newton's steps, halving where
// they leave the bracket.
TD_INLINE td_time_span td_cubic_root_and_slope(td_cubic f) {
    const double k1 = 3.0 * (f.c[1] - f.c[0]), k2 = 3.0 * (f.c[2] - 2.0 * f.c[1] + f.c[0]),
                 k3 = f.c[3] - f.c[0] + 3.0 * (f.c[1] - f.c[2]);
    double low = 0.0, high = 1.0, u = f.c[0] / (f.c[0] - f.c[3]), slope = f.c[3] - f.c[0];
    for (int i = 0; i < 12; ++i) {
        const double value = ((k3 * u + k2) * u + k1) * u + f.c[0];
        slope = (3.0 * k3 * u + 2.0 * k2) * u + k1;
        if ((value < 0.0) == (f.c[0] < 0.0)) {
            low = u;
        } else {
            high = u;
        }
        const double next = u - value / slope;
        const double kept = next > low && next < high ? next : 0.5 * (low + high);
        const double step = fabs(kept - u);
        u = kept;
        if (step < 0x1p-42) {
            break;
        }
    }
    td_time_span r;
    r.from = u;
    r.to = slope;
    return r;
}

// The root of F in [a, b], where it crosses: bracketed by times at which the sign of F is certain. The whole
// interval where that fails.
TD_INLINE td_time_span td_moving_bracket(const td_moving_problem *m, td_cubic f, double a, double b) {
    const double error = m->coplanar_error, width = b - a;
    const td_time_span found = td_cubic_root_and_slope(f);
    const double t = a + found.from * width, radius = 0x1p-38 + 8.0 * error * width / fabs(found.to);
    td_time_span r;
    r.from = td_larger(a, floor((t - radius) / TD_MOVING_GRID) * TD_MOVING_GRID);
    r.to = td_smaller(b, ceil((t + radius) / TD_MOVING_GRID) * TD_MOVING_GRID);
    const double sign = f.c[0] < 0.0 ? -1.0 : 1.0;
    if (!(r.from < r.to) || (r.from > a && !(sign * td_cubic_at(m->coplanar, r.from) > error)) ||
        (r.to < b && !(sign * td_cubic_at(m->coplanar, r.to) < -error))) {
        r.from = a;
        r.to = b;
    }
    return r;
}

TD_INLINE int td_moving_conditions_on_any_axis(const td_moving_problem *m, td_time_span span) {
    int conditions = TD_CONDITIONS_OPEN;
    for (int i = 0, k = m->axis; i < 3 && conditions == TD_CONDITIONS_OPEN; ++i, k = k == 2 ? 0 : k + 1) {
        conditions = td_moving_conditions(m, k, span.from, span.to);
    }
    return conditions;
}

#define TD_INTERVAL_APART    0
#define TD_INTERVAL_TOUCHING 1 // in `span`
#define TD_INTERVAL_OPEN     2 // at one root of F in `span`
#define TD_INTERVAL_HALVE    3 // nothing is known

// What is known of [a, b].
typedef struct td_moving_interval {
    int state;
    td_time_span span;
} td_moving_interval;

TD_INLINE td_moving_interval td_moving_look(const td_moving_problem *m, double a, double b) {
    td_moving_interval r;
    r.state = TD_INTERVAL_APART;
    r.span.from = a;
    r.span.to = b;
    const td_cubic f = td_cubic_on(m->coplanar, a, b);
    if (td_cubic_sign(f, m->coplanar_error) != 0 || td_moving_boxes_apart(m, a, b)) {
        return r;
    }
    if (td_moving_crosses(f, m->coplanar_error)) {
        r.span = td_moving_bracket(m, f, a, b);
        if (r.span.to - r.span.from <= 0x1p-20) {
            const int conditions = td_moving_conditions_on_any_axis(m, r.span);
            r.state = conditions == TD_CONDITIONS_HOLD   ? TD_INTERVAL_TOUCHING
                      : conditions == TD_CONDITIONS_FAIL ? TD_INTERVAL_APART
                                                         : TD_INTERVAL_OPEN;
            return r;
        }
    }
    const int conditions =
        m->flat ? td_moving_conditions_on_any_axis(m, r.span) : td_moving_conditions(m, m->axis, a, b);
    r.state = conditions == TD_CONDITIONS_FAIL ? TD_INTERVAL_APART : TD_INTERVAL_HALVE;
    return r;
}

// Looks at so many intervals at most.
TD_INLINE td_moving_result td_moving_filter(const td_moving_points *points, int kind, int most_steps) {
    const td_moving_problem m = td_moving_pose(points, kind);
    td_moving_result r;
    r.state = TD_MOVING_UNDECIDED;
    r.lower = 0.0;
    r.upper = 1.0;
    r.single = 0;
    if (!td_moving_in_range(&m)) {
        return r;
    }
    // The path of halvings from [0, 1] to the interval looked at: the number of its left end at its depth.
    unsigned place = 0;
    const int most_depth = m.flat ? TD_MOVING_FLAT_DEPTH : TD_MOVING_MOST_DEPTH;
    int depth = 0, open = 0; // brackets left open: all between r.lower and r.upper
    for (int step = 0; step < most_steps; ++step) {
        const double width = 1.0 / (double)(1u << depth);
        const double a = place * width;
        const td_moving_interval look = td_moving_look(&m, a, a + width);
        if (look.state == TD_INTERVAL_HALVE && depth < most_depth) {
            ++depth;
            place <<= 1;
            continue;
        }
        if (look.state != TD_INTERVAL_APART) {
            r.lower = open == 0 ? look.span.from : r.lower;
            r.upper = look.span.to;
            ++open;
            if (look.state ==
                TD_INTERVAL_TOUCHING) { // there is a contact, in this bracket or in an earlier one
                r.state = open == 1 ? TD_MOVING_TOUCHING : TD_MOVING_UNDECIDED;
                return r;
            }
            if (look.state == TD_INTERVAL_HALVE) {
                break; // what follows may be just as bad
            }
        }
        while (depth > 0 && (place & 1u)) { // up, as long as this was a right half
            place >>= 1;
            --depth;
        }
        if (depth == 0) {
            r.state = open == 0 ? TD_MOVING_APART : TD_MOVING_UNDECIDED;
            r.single = open == 1;
            return r;
        }
        ++place;
    }
    if (open == 0) {
        r.lower = place / (double)(1u << depth);
    }
    r.upper = 1.0;
    return r;
}

#endif
