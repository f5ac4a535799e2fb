// Whether and when four moving points meet (moving.h), in doubles with proven bounds. C17 and OpenCL C.
//
// Time is halved until everything is decided: an interval in which F keeps its sign (its Bernstein
// coefficients do), or in which the boxes are apart, or in which one of the conditions fails, has no contact.
// One in which F changes its sign while all conditions hold has one for certain. Left halves go first, so the
// first interval of that kind has the first contact. What is still open at a width of 2^-24, or after so many
// intervals, is left to exact arithmetic (moving_exact.h).
//
// based on: Wang, Tang, Manocha, Tong, TightCCD, 2015 (Bernstein bounds of F and of the conditions).
//
// Bounds. Let e = 2^-53 and X, P, Q the largest magnitudes of a coordinate of x, p, q at both ends.
// Differences of points err by e of themselves. F's coefficients are means of determinants, each a sum of six
// products of magnitude at most X P Q: three differences, two products, a difference, two sums, and two more
// sums and a product for the mean are 16 roundings at most, hence 6 * 16 e X P Q. Halving anywhere is three
// rounds of (1 - t) a + t b with exact t and 1 - t, three roundings each: 9 e of 6 X P Q. Together 150 e X P
// Q; the bound used is 256 e X P Q. The quadratics are means of two by two determinants of magnitude at most
// 2 m, m being P Q, X Q or X P: 12 roundings and 6 for two rounds, 36 e m; a sum of three of them errs by
// that of each and a few e more; the bound used is 64 e m for each. All products stay in range because
// magnitudes are checked to be between 2^-300 and 2^300 (or zero: then nothing is decided).
#ifndef TD_PREDICATES_MOVING_FILTER_H
#define TD_PREDICATES_MOVING_FILTER_H

#include "moving.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

#define TD_MOVING_MOST_DEPTH  24
#define TD_MOVING_MOST_STEPS  120
#define TD_MOVING_DEEP_ENOUGH 20 // 2^-20 is less than 1e-6

// A vector that is linear in t: its ends.
typedef struct td_moving_vector {
    td_vec3 at[2];
} td_moving_vector;

// Bernstein coefficients.
typedef struct td_quadratic {
    double c[3];
} td_quadratic;

typedef struct td_cubic {
    double c[4];
} td_cubic;

typedef struct td_moving_problem {
    td_moving_vector x, p, q;
    td_cubic coplanar; // F
    double coplanar_error;
    double size[3]; // X, P, Q
    int kind;
} td_moving_problem;

TD_INLINE double td_coordinate(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

TD_INLINE double td_largest_coordinate(td_vec3 v) {
    return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

TD_INLINE double td_moving_size(td_moving_vector v) {
    return fmax(td_largest_coordinate(v.at[0]), td_largest_coordinate(v.at[1]));
}

TD_INLINE double td_mix_numbers(double a, double b, double t) {
    return (1.0 - t) * a + t * b;
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
    m.coplanar_error = 0x1p-45 * m.size[0] * m.size[1] * m.size[2];
    return m;
}

// Coefficients on [a, b].
TD_INLINE td_quadratic td_quadratic_on(td_quadratic f, double a, double b) {
    const double a0 = td_mix_numbers(f.c[0], f.c[1], a), a1 = td_mix_numbers(f.c[1], f.c[2], a);
    const double b0 = td_mix_numbers(f.c[0], f.c[1], b), b1 = td_mix_numbers(f.c[1], f.c[2], b);
    td_quadratic r;
    r.c[0] = td_mix_numbers(a0, a1, a);
    r.c[1] = td_mix_numbers(a0, a1, b);
    r.c[2] = td_mix_numbers(b0, b1, b);
    return r;
}

TD_INLINE td_cubic td_cubic_on(td_cubic f, double a, double b) {
    const double a0 = td_mix_numbers(f.c[0], f.c[1], a), a1 = td_mix_numbers(f.c[1], f.c[2], a),
                 a2 = td_mix_numbers(f.c[2], f.c[3], a);
    const double b0 = td_mix_numbers(f.c[0], f.c[1], b), b1 = td_mix_numbers(f.c[1], f.c[2], b),
                 b2 = td_mix_numbers(f.c[2], f.c[3], b);
    const double aa0 = td_mix_numbers(a0, a1, a), aa1 = td_mix_numbers(a1, a2, a);
    const double bb0 = td_mix_numbers(b0, b1, b), bb1 = td_mix_numbers(b1, b2, b);
    td_cubic r;
    r.c[0] = td_mix_numbers(aa0, aa1, a);
    r.c[1] = td_mix_numbers(aa0, aa1, b);
    r.c[2] = td_mix_numbers(bb0, bb1, a);
    r.c[3] = td_mix_numbers(bb0, bb1, b);
    return r;
}

// +1 or -1: all of f on the interval has this sign for certain; else 0.
TD_INLINE int td_quadratic_sign(td_quadratic f, double error) {
    const double low = fmin(fmin(f.c[0], f.c[1]), f.c[2]);
    const double high = fmax(fmax(f.c[0], f.c[1]), f.c[2]);
    return low > error ? 1 : high < -error ? -1 : 0;
}

TD_INLINE int td_cubic_sign(td_cubic f, double error) {
    const double low = fmin(fmin(f.c[0], f.c[1]), fmin(f.c[2], f.c[3]));
    const double high = fmax(fmax(f.c[0], f.c[1]), fmax(f.c[2], f.c[3]));
    return low > error ? 1 : high < -error ? -1 : 0;
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
                above &= x - fmax(0.0, fmax(p, q)) > error;
                below &= x - fmin(0.0, fmin(p, q)) < -error;
            } else {
                above &= x + fmin(0.0, q) - fmax(0.0, p) > error;
                below &= x + fmax(0.0, q) - fmin(0.0, p) < -error;
            }
        }
        if (above || below) {
            return 1;
        }
    }
    return 0;
}

#define TD_CONDITIONS_FAIL 0
#define TD_CONDITIONS_HOLD 1
#define TD_CONDITIONS_OPEN 2

// The conditions on the axis `k` during [a, b].
TD_INLINE int td_moving_conditions(const td_moving_problem *m, int k, double a, double b) {
    const td_quadratic n = td_quadratic_on(td_moving_cross(m->p, m->q, k), a, b);
    const double n_error = 0x1p-47 * m->size[1] * m->size[2];
    const int sign = td_quadratic_sign(n, n_error);
    if (sign == 0) {
        return TD_CONDITIONS_OPEN;
    }
    const td_quadratic f = td_quadratic_on(td_moving_cross(m->x, m->q, k), a, b);
    const td_quadratic g = td_quadratic_on(
        m->kind == TD_VERTEX_FACE ? td_moving_cross(m->p, m->x, k) : td_moving_cross(m->x, m->p, k), a, b);
    const double f_error = 0x1p-47 * m->size[0] * m->size[2], g_error = 0x1p-47 * m->size[0] * m->size[1];
    const int f_sign = td_quadratic_sign(f, f_error) * sign, g_sign = td_quadratic_sign(g, g_error) * sign;
    if (f_sign < 0 || g_sign < 0) {
        return TD_CONDITIONS_FAIL;
    }
    int last, last_too = 1;
    if (m->kind == TD_VERTEX_FACE) {
        const td_quadratic rest = {
            {n.c[0] - f.c[0] - g.c[0], n.c[1] - f.c[1] - g.c[1], n.c[2] - f.c[2] - g.c[2]}};
        last = td_quadratic_sign(rest, n_error + f_error + g_error) * sign;
    } else {
        const td_quadratic rest_f = {{n.c[0] - f.c[0], n.c[1] - f.c[1], n.c[2] - f.c[2]}};
        const td_quadratic rest_g = {{n.c[0] - g.c[0], n.c[1] - g.c[1], n.c[2] - g.c[2]}};
        last = td_quadratic_sign(rest_f, n_error + f_error) * sign;
        last_too = td_quadratic_sign(rest_g, n_error + g_error) * sign;
    }
    if (last < 0 || last_too < 0) {
        return TD_CONDITIONS_FAIL;
    }
    return f_sign > 0 && g_sign > 0 && last > 0 && last_too > 0 ? TD_CONDITIONS_HOLD : TD_CONDITIONS_OPEN;
}

TD_INLINE int td_moving_in_range(const td_moving_problem *m) {
    for (int i = 0; i < 3; ++i) {
        if (!(m->size[i] > 0x1p-300 && m->size[i] < 0x1p300)) {
            return 0;
        }
    }
    return 1;
}

// What is known of [a, b] and its parts.
typedef struct td_moving_interval {
    int state; // APART: no contact; TOUCHING: F changes sign and all conditions hold; UNDECIDED
    int holds; // all conditions hold
} td_moving_interval;

TD_INLINE td_moving_interval td_moving_look(const td_moving_problem *m, double a, double b, int holds) {
    td_moving_interval r;
    r.holds = holds;
    r.state = TD_MOVING_APART;
    const td_cubic f = td_cubic_on(m->coplanar, a, b);
    if (td_cubic_sign(f, m->coplanar_error) != 0) {
        return r;
    }
    if (!holds) {
        if (td_moving_boxes_apart(m, a, b)) {
            return r;
        }
        for (int k = 0; k < 3 && !r.holds; ++k) {
            const int conditions = td_moving_conditions(m, k, a, b);
            if (conditions == TD_CONDITIONS_FAIL) {
                return r;
            }
            r.holds = conditions == TD_CONDITIONS_HOLD;
        }
    }
    const double error = m->coplanar_error;
    const int changes = (f.c[0] > error && f.c[3] < -error) || (f.c[0] < -error && f.c[3] > error);
    r.state = r.holds && changes ? TD_MOVING_TOUCHING : TD_MOVING_UNDECIDED;
    return r;
}

TD_INLINE td_moving_result td_moving_filter(const td_moving_points *points, int kind) {
    const td_moving_problem m = td_moving_pose(points, kind);
    td_moving_result r;
    r.state = TD_MOVING_UNDECIDED;
    r.lower = 0.0;
    r.upper = 1.0;
    if (!td_moving_in_range(&m)) {
        return r;
    }
    // The path of halvings from [0, 1] to the interval looked at: the number of its left end at its depth,
    // and for each depth whether the conditions hold there.
    unsigned place = 0;
    int depth = 0, holds = 0; // `holds`: bits by depth
    for (int step = 0; step < TD_MOVING_MOST_STEPS; ++step) {
        const double width = 1.0 / (double)(1u << depth);
        const double a = place * width, b = a + width;
        const td_moving_interval look = td_moving_look(&m, a, b, depth > 0 ? holds >> (depth - 1) & 1 : 0);
        if (look.state == TD_MOVING_APART) {
            while (depth > 0 && (place & 1u)) { // up, as long as this was a right half
                place >>= 1;
                --depth;
            }
            if (depth == 0) {
                r.state = TD_MOVING_APART;
                return r;
            }
            ++place;
            continue;
        }
        if (look.state == TD_MOVING_TOUCHING && depth >= TD_MOVING_DEEP_ENOUGH) {
            r.state = TD_MOVING_TOUCHING;
            r.lower = a;
            r.upper = b;
            return r;
        }
        if (depth == TD_MOVING_MOST_DEPTH) {
            return r;
        }
        holds = (holds & ~(1 << depth)) | look.holds << depth;
        ++depth;
        place <<= 1;
    }
    return r;
}

#endif
