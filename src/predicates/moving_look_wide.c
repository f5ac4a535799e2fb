// Several questions side by side, one per lane. The operations and bounds are those of moving_filter.h on
// [0, 1], where Bernstein coefficients are as they come.
//
// What is certain is a number above zero here, the amount by which a bound is exceeded: a - b is rounded to
// zero or below only if a <= b. So verdicts are joined by maxima and minima.
#include "moving_look.h"

#include "../math/wide64.h"

typedef struct td_wd3 {
    td_wd at[3];
} td_wd3;

// Vectors that are linear in t: their ends.
typedef struct td_wide_problem {
    td_wd3 x[2], p[2], q[2];
    td_wd size[3]; // X, P, Q
} td_wide_problem;

static inline td_wd td_wd_largest(td_wd a, td_wd b, td_wd c) {
    return td_wd_max(td_wd_max(a, b), c);
}

static inline td_wd td_wd_least(td_wd a, td_wd b, td_wd c) {
    return td_wd_min(td_wd_min(a, b), c);
}

static inline td_wd3 td_wd3_cross(td_wd3 a, td_wd3 b) {
    td_wd3 r;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        r.at[k] = a.at[i] * b.at[j] - a.at[j] * b.at[i];
    }
    return r;
}

static inline td_wd td_wd3_dot(td_wd3 a, td_wd3 b) {
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static inline td_wd td_size_of(const td_wd3 v[2]) {
    td_wd most = td_wd_set1(0), least = td_wd_set1(0);
    for (int k = 0; k < 3; ++k) {
        most = td_wd_largest(most, v[0].at[k], v[1].at[k]);
        least = td_wd_least(least, v[0].at[k], v[1].at[k]);
    }
    return td_wd_max(most, -least);
}

// Point `to` less point `from`, at both ends.
static inline void td_take_difference(td_wd3 out[2], const double *const at[TD_LANES64], int from, int to) {
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 3; ++k) {
            out[end].at[k] =
                td_wd_gather(at, 12 * end + 3 * to + k) - td_wd_gather(at, 12 * end + 3 * from + k);
        }
    }
}

static inline td_wide_problem td_wide_pose(const double *const at[TD_LANES64], int kind) {
    td_wide_problem m;
    if (kind == TD_VERTEX_FACE) {
        td_take_difference(m.p, at, 1, 2);
        td_take_difference(m.q, at, 1, 3);
        td_take_difference(m.x, at, 1, 0);
    } else {
        td_take_difference(m.p, at, 0, 1);
        td_take_difference(m.q, at, 2, 3);
        td_take_difference(m.x, at, 0, 2);
    }
    m.size[0] = td_size_of(m.x);
    m.size[1] = td_size_of(m.p);
    m.size[2] = td_size_of(m.q);
    return m;
}

// Above zero: all three coefficients exceed the error; all are below its negative.
typedef struct td_wide_signs {
    td_wd above, below;
} td_wide_signs;

static inline td_wide_signs td_signs_of(td_wd c0, td_wd c1, td_wd c2, td_wd error) {
    return (td_wide_signs){td_wd_least(c0, c1, c2) - error, -td_wd_largest(c0, c1, c2) - error};
}

static inline td_wide_signs td_either_sign(td_wide_signs a, td_wide_signs b) {
    return (td_wide_signs){td_wd_max(a.above, b.above), td_wd_max(a.below, b.below)};
}

// Seen along an axis.
typedef struct td_wide_flat {
    td_wd i, j;
} td_wide_flat;

static inline td_wd td_wide_cross2(td_wide_flat u, td_wide_flat w) {
    return u.i * w.j - u.j * w.i;
}

// u x w on the axis, a quadratic.
static inline void td_wide_quadratic(td_wd out[3], const td_wide_flat u[2], const td_wide_flat w[2]) {
    out[0] = td_wide_cross2(u[0], w[0]);
    out[1] = 0.5 * (td_wide_cross2(u[0], w[1]) + td_wide_cross2(u[1], w[0]));
    out[2] = td_wide_cross2(u[1], w[1]);
}

// The problem seen along the axis on which N is largest half way; every lane has its own.
typedef struct td_wide_view {
    td_wide_flat x[2], p[2], q[2];
} td_wide_view;

static inline td_wide_flat td_seen_along(td_wd3 v, td_wdm on_x, td_wdm on_y) {
    return (td_wide_flat){td_wd_pick(on_x, v.at[1], td_wd_pick(on_y, v.at[2], v.at[0])),
                          td_wd_pick(on_x, v.at[2], td_wd_pick(on_y, v.at[0], v.at[1]))};
}

static inline td_wide_view td_view_of(const td_wide_problem *m, td_wd3 n1) {
    const td_wd nx = td_wd_max(n1.at[0], -n1.at[0]), ny = td_wd_max(n1.at[1], -n1.at[1]),
                nz = td_wd_max(n1.at[2], -n1.at[2]);
    const td_wdm on_x = td_wdm_and(td_wd_le(ny, nx), td_wd_le(nz, nx)), on_y = td_wd_le(nz, ny);
    td_wide_view view;
    for (int end = 0; end < 2; ++end) {
        view.x[end] = td_seen_along(m->x[end], on_x, on_y);
        view.p[end] = td_seen_along(m->p[end], on_x, on_y);
        view.q[end] = td_seen_along(m->q[end], on_x, on_y);
    }
    return view;
}

// Above zero: the conditions fail, for two of what must have one sign have different ones.
static inline td_wd td_conditions_failing(const td_wide_problem *m, td_wd3 n1, int kind) {
    const td_wide_view v = td_view_of(m, n1);
    const td_wd scale = td_wd_set1(0x1p-47), n_error = scale * m->size[1] * m->size[2],
                f_error = scale * m->size[0] * m->size[2], g_error = scale * m->size[0] * m->size[1];
    td_wd n[3], f[3], g[3];
    td_wide_quadratic(n, v.p, v.q);
    td_wide_quadratic(f, v.x, v.q);
    td_wide_quadratic(g, kind == TD_VERTEX_FACE ? v.p : v.x, kind == TD_VERTEX_FACE ? v.x : v.p);
    td_wide_signs signs = td_signs_of(n[0], n[1], n[2], n_error);
    signs = td_either_sign(signs, td_signs_of(f[0], f[1], f[2], f_error));
    signs = td_either_sign(signs, td_signs_of(g[0], g[1], g[2], g_error));
    if (kind == TD_VERTEX_FACE) {
        signs = td_either_sign(signs, td_signs_of(n[0] - f[0] - g[0], n[1] - f[1] - g[1], n[2] - f[2] - g[2],
                                                  n_error + f_error + g_error));
    } else {
        signs = td_either_sign(signs, td_signs_of(n[0] - f[0], n[1] - f[1], n[2] - f[2], n_error + f_error));
        signs = td_either_sign(signs, td_signs_of(n[0] - g[0], n[1] - g[1], n[2] - g[2], n_error + g_error));
    }
    return td_wd_min(signs.above, signs.below);
}

// Above zero: the boxes are apart on an axis at all times.
static inline td_wd td_boxes_apart(const td_wide_problem *m, int kind) {
    const td_wd zero = td_wd_set1(0);
    td_wd most = zero;
    for (int k = 0; k < 3; ++k) {
        td_wd above[2], below[2];
        for (int end = 0; end < 2; ++end) {
            const td_wd x = m->x[end].at[k], p = m->p[end].at[k], q = m->q[end].at[k];
            if (kind == TD_VERTEX_FACE) {
                above[end] = x - td_wd_largest(zero, p, q);
                below[end] = td_wd_least(zero, p, q) - x;
            } else {
                above[end] = x + td_wd_min(zero, q) - td_wd_max(zero, p);
                below[end] = td_wd_min(zero, p) - (x + td_wd_max(zero, q));
            }
        }
        most = td_wd_largest(most, td_wd_min(above[0], above[1]), td_wd_min(below[0], below[1]));
    }
    return most - td_wd_set1(0x1p-49) * (m->size[0] + m->size[1] + m->size[2]);
}

// Above zero: F keeps its sign.
static inline td_wd td_sign_kept(const td_wide_problem *m, td_wd3 n0, td_wd3 n1, td_wd3 n2) {
    const td_wd third = td_wd_set1(1.0 / 3.0), two = td_wd_set1(2);
    const td_wd c0 = td_wd3_dot(m->x[0], n0), c3 = td_wd3_dot(m->x[1], n2);
    const td_wd c1 = (two * td_wd3_dot(m->x[0], n1) + td_wd3_dot(m->x[1], n0)) * third;
    const td_wd c2 = (td_wd3_dot(m->x[0], n2) + two * td_wd3_dot(m->x[1], n1)) * third;
    const td_wd error = td_wd_set1(0x1p-45) * m->size[0] * m->size[1] * m->size[2];
    const td_wd least = td_wd_min(td_wd_least(c0, c1, c2), c3),
                most = td_wd_max(td_wd_largest(c0, c1, c2), c3);
    return td_wd_max(least, -most) - error;
}

// Above zero: all sizes are in the range for which the bounds hold.
static inline td_wd td_sizes_in_range(const td_wide_problem *m) {
    const td_wd least = td_wd_least(m->size[0], m->size[1], m->size[2]);
    const td_wd most = td_wd_largest(m->size[0], m->size[1], m->size[2]);
    return td_wd_min(least - td_wd_set1(0x1p-300), td_wd_set1(0x1p300) - most);
}

static inline uint32_t td_apart_lanes(const double *const at[TD_LANES64], int kind) {
    const td_wide_problem m = td_wide_pose(at, kind);
    const td_wd3 n0 = td_wd3_cross(m.p[0], m.q[0]), n2 = td_wd3_cross(m.p[1], m.q[1]);
    const td_wd3 one = td_wd3_cross(m.p[0], m.q[1]), other = td_wd3_cross(m.p[1], m.q[0]);
    td_wd3 n1;
    for (int k = 0; k < 3; ++k) {
        n1.at[k] = td_wd_set1(0.5) * (one.at[k] + other.at[k]);
    }
    const td_wd apart = td_wd_largest(td_sign_kept(&m, n0, n1, n2), td_boxes_apart(&m, kind),
                                      td_conditions_failing(&m, n1, kind));
    // Out of range there may be NaNs: of two the minimum is the second then.
    const td_wd certain = td_wd_min(apart, td_sizes_in_range(&m));
    return td_wdm_bits(td_wd_le(td_wd_set1(0x1p-1074), certain));
}

static bool td_all_finite(const double *numbers, size_t count) {
    td_wd none = td_wd_set1(0);
    for (size_t i = 0; i < count; i += TD_LANES64) { // which divides 24, and so the count
        const td_wd here = td_wd_load(numbers + i);
        none += here - here; // NaN unless it is finite
    }
    return td_wdm_bits(td_wd_le(none, td_wd_set1(0))) == (1u << TD_LANES64) - 1;
}

uint32_t TD_WIDE(td_moving_look)(const double *positions, size_t count, int kind) {
    uint32_t apart = 0;
    if (!td_all_finite(positions, 24 * count)) {
        return 0;
    }
    for (size_t first = 0; first < count; first += TD_LANES64) {
        const double *at[TD_LANES64];
        for (size_t lane = 0; lane < TD_LANES64; ++lane) { // lanes beyond the last repeat it
            at[lane] = positions + 24 * (first + lane < count ? first + lane : count - 1);
        }
        apart |=
            (kind == TD_VERTEX_FACE ? td_apart_lanes(at, TD_VERTEX_FACE) : td_apart_lanes(at, TD_EDGE_EDGE))
            << first;
    }
    return apart & ((1u << count) - 1u);
}
