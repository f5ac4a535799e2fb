// What a ray should meet, in GMP's rational numbers: other arithmetic, no filter, no hierarchy.
#ifndef TD_TESTS_UNIT_RAY_SUPPORT_H
#define TD_TESTS_UNIT_RAY_SUPPORT_H

#include "math/vec3.h"
#include "support/cases.h"

#include <tandem/tandem.h>

#include <gmp.h>
#include <math.h>

// The line meets the triangle from t[0] to t[1], which differ only if it lies in its plane.
typedef struct test_meeting {
    bool meets;
    int side;
    mpq_t t[2];
} test_meeting;

typedef struct test_rational_point {
    mpq_t at[3];
} test_rational_point;

enum { TEST_SPARE_NUMBERS = 8 };

// Numbers that are kept between calls.
typedef struct test_ray_oracle {
    test_rational_point corner[3], direction; // corners relative to the origin
    mpq_t side[3], spare[TEST_SPARE_NUMBERS];
    test_meeting meeting;
} test_ray_oracle;

static inline void test_ray_oracle_init(test_ray_oracle *o) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            mpq_init(o->corner[i].at[k]);
        }
        mpq_init(o->direction.at[k]);
        mpq_init(o->side[k]);
    }
    for (int i = 0; i < TEST_SPARE_NUMBERS; ++i) {
        mpq_init(o->spare[i]);
    }
    mpq_init(o->meeting.t[0]);
    mpq_init(o->meeting.t[1]);
}

static inline void test_ray_oracle_clear(test_ray_oracle *o) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            mpq_clear(o->corner[i].at[k]);
        }
        mpq_clear(o->direction.at[k]);
        mpq_clear(o->side[k]);
    }
    for (int i = 0; i < TEST_SPARE_NUMBERS; ++i) {
        mpq_clear(o->spare[i]);
    }
    mpq_clear(o->meeting.t[0]);
    mpq_clear(o->meeting.t[1]);
}

// out = (a x b) along axis k.
static inline void test_cross(test_ray_oracle *o, mpq_t out, test_rational_point *a, test_rational_point *b,
                              int k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    mpq_mul(o->spare[0], a->at[i], b->at[j]);
    mpq_mul(o->spare[1], a->at[j], b->at[i]);
    mpq_sub(out, o->spare[0], o->spare[1]);
}

static inline void test_set_ray(test_ray_oracle *o, const td_ray *ray, td_triangle t) {
    const double points[3][3] = {
        {t.p0.x, t.p0.y, t.p0.z}, {t.p1.x, t.p1.y, t.p1.z}, {t.p2.x, t.p2.y, t.p2.z}};
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(o->direction.at[k], ray->direction[k]);
        mpq_set_d(o->spare[0], ray->origin[k]);
        for (int i = 0; i < 3; ++i) {
            mpq_set_d(o->spare[1], points[i][k]);
            mpq_sub(o->corner[i].at[k], o->spare[1], o->spare[0]);
        }
    }
}

static inline void test_widen(test_meeting *m, mpq_t t) {
    if (!m->meets || mpq_cmp(t, m->t[0]) < 0) {
        mpq_set(m->t[0], t);
    }
    if (!m->meets || mpq_cmp(t, m->t[1]) > 0) {
        mpq_set(m->t[1], t);
    }
    m->meets = true;
}

// Line and edge lie in one plane. Points p + s (q - p) with 0 <= s <= 1 on the line satisfy
// (p x d) + s ((q - p) x d) = 0 along every axis.
static inline void test_meet_edge(test_ray_oracle *o, int i, int j, int axis) {
    test_rational_point *p = &o->corner[i], *q = &o->corner[j];
    for (int k = 0; k < 3; ++k) {
        test_cross(o, o->spare[2], p, &o->direction, k);
        test_cross(o, o->spare[3], q, &o->direction, k);
        const int away_p = mpq_sgn(o->spare[2]), away_q = mpq_sgn(o->spare[3]);
        if (away_p == 0 && away_q == 0) {
            continue; // nothing to be learnt along this axis
        }
        if (away_p * away_q > 0) {
            return;
        }
        mpq_sub(o->spare[4], o->spare[2], o->spare[3]);
        mpq_div(o->spare[4], o->spare[2], o->spare[4]); // s
        mpq_sub(o->spare[5], q->at[axis], p->at[axis]);
        mpq_mul(o->spare[5], o->spare[5], o->spare[4]);
        mpq_add(o->spare[5], o->spare[5], p->at[axis]);
        mpq_div(o->spare[5], o->spare[5], o->direction.at[axis]);
        test_widen(&o->meeting, o->spare[5]);
        return;
    }
    mpq_div(o->spare[5], p->at[axis], o->direction.at[axis]); // the edge lies on the line
    test_widen(&o->meeting, o->spare[5]);
    mpq_div(o->spare[5], q->at[axis], o->direction.at[axis]);
    test_widen(&o->meeting, o->spare[5]);
}

static inline int test_some_axis(const td_ray *ray) {
    return ray->direction[0] != 0 ? 0 : ray->direction[1] != 0 ? 1 : 2;
}

// Where the line of the ray meets the triangle; valid until the next call.
static inline const test_meeting *test_meet(test_ray_oracle *o, const td_ray *ray, td_triangle triangle) {
    test_set_ray(o, ray, triangle);
    test_meeting *m = &o->meeting;
    m->meets = false;
    bool positive = false, negative = false;
    for (int i = 0; i < 3; ++i) {
        mpq_set_ui(o->side[i], 0, 1);
        for (int k = 0; k < 3; ++k) {
            test_cross(o, o->spare[2], &o->corner[(i + 1) % 3], &o->corner[(i + 2) % 3], k);
            mpq_mul(o->spare[2], o->spare[2], o->direction.at[k]);
            mpq_add(o->side[i], o->side[i], o->spare[2]);
        }
        positive = positive || mpq_sgn(o->side[i]) > 0;
        negative = negative || mpq_sgn(o->side[i]) < 0;
    }
    m->side = negative - positive;
    const int axis = test_some_axis(ray);
    if (positive != negative) { // t = sum of side_i corner_i over the sum of sides, along any axis
        mpq_set_ui(o->spare[2], 0, 1);
        mpq_set_ui(o->spare[3], 0, 1);
        for (int i = 0; i < 3; ++i) {
            mpq_mul(o->spare[4], o->side[i], o->corner[i].at[axis]);
            mpq_add(o->spare[2], o->spare[2], o->spare[4]);
            mpq_add(o->spare[3], o->spare[3], o->side[i]);
        }
        mpq_mul(o->spare[3], o->spare[3], o->direction.at[axis]);
        mpq_div(o->spare[2], o->spare[2], o->spare[3]);
        test_widen(m, o->spare[2]);
    } else if (!positive) {
        for (int i = 0; i < 3; ++i) {
            test_meet_edge(o, i, (i + 1) % 3, axis);
        }
    }
    return m;
}

// The bound of include/tandem/ray.h on the error of t.
static inline double test_t_error(const td_ray *ray, td_triangle t) {
    const double corners[3][3] = {
        {t.p0.x, t.p0.y, t.p0.z}, {t.p1.x, t.p1.y, t.p1.z}, {t.p2.x, t.p2.y, t.p2.z}};
    double p[3][3], low = INFINITY, high = -INFINITY, permanent = 0, det = 0, size = 0;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        axis = fabs(ray->direction[k]) > fabs(ray->direction[axis]) ? k : axis;
    }
    for (int i = 0; i < 9; ++i) {
        size = fmax(size, fabs(corners[i / 3][i % 3] - ray->origin[i % 3]));
    }
    const int shift = size > 0 ? -ilogb(size) : 0; // the condition does not depend on scale
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            p[i][k] = ldexp(corners[i][k] - ray->origin[k], shift);
        }
        const double along = (corners[i][axis] - ray->origin[axis]) / ray->direction[axis];
        low = fmin(low, along);
        high = fmax(high, along);
    }
    for (int i = 0; i < 3; ++i) {
        const double *a = p[(i + 1) % 3], *b = p[(i + 2) % 3];
        for (int k = 0; k < 3; ++k) {
            const double d = ldexp(ray->direction[k], -ilogb(ray->direction[axis]));
            const double r = a[(k + 1) % 3] * b[(k + 2) % 3], s = a[(k + 2) % 3] * b[(k + 1) % 3];
            permanent += fabs(d) * (fabs(r) + fabs(s));
            det += d * (r - s);
        }
    }
    const double spread = high - low, largest = fmax(fabs(low), fabs(high));
    // Never beyond the corners, however bad the condition, of which det itself is a rounded part.
    const double condition = fabs(det) > 0x1p-40 * permanent ? permanent / fabs(det) : INFINITY;
    return 0x1p-48 * largest + (spread == 0 ? 0 : fmin(spread, 0x1p-48 * spread * condition)) + 0x1p-1070;
}

#endif
