// The nearest points of a vertex and a triangle, and of two edges. Only + - * / and square roots.
#ifndef TD_DEFORM_CLOSEST_H
#define TD_DEFORM_CLOSEST_H

#include "../math/quat.h"

#include <stdbool.h>

typedef struct td_closest {
    double weight[4]; // of the four points v f0 f1 f2 or a0 a1 b0 b1: sum is `way`, from the second feature
    td_vec3 way;      // to the first
    bool within;      // neither is at its border
} td_closest;

// Ericson, Real-Time Collision Detection, 2005, section 5.1.5.
static inline td_closest td_closest_vertex_face(td_vec3 p, td_vec3 a, td_vec3 b, td_vec3 c) {
    const td_vec3 ab = td_sub(b, a), ac = td_sub(c, a), ap = td_sub(p, a), bp = td_sub(p, b),
                  cp = td_sub(p, c);
    const double d1 = td_dot(ab, ap), d2 = td_dot(ac, ap), d3 = td_dot(ab, bp), d4 = td_dot(ac, bp),
                 d5 = td_dot(ab, cp), d6 = td_dot(ac, cp);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double v = 0, w = 0;
    bool within = false;
    if (d1 <= 0 && d2 <= 0) {
        v = w = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3);
    } else if (d6 >= 0 && d5 <= d6) {
        w = 1;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1 - w;
    } else {
        const double k = 1 / (va + vb + vc);
        v = vb * k;
        w = vc * k;
        within = true;
    }
    const td_closest out = {.weight = {1, -(1 - v - w), -v, -w},
                            .way = td_sub(ap, td_add(td_scale(ab, v), td_scale(ac, w))),
                            .within = within};
    return out;
}

static inline double td_clamp_part(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Ericson, section 5.1.9. Edges have lengths.
static inline td_closest td_closest_edges(td_vec3 a0, td_vec3 a1, td_vec3 b0, td_vec3 b1) {
    const td_vec3 d1 = td_sub(a1, a0), d2 = td_sub(b1, b0), r = td_sub(a0, b0);
    const double a = td_dot(d1, d1), e = td_dot(d2, d2), f = td_dot(d2, r), c = td_dot(d1, r),
                 b = td_dot(d1, d2);
    const double denominator = a * e - b * b;
    const bool crosses = denominator > 1e-9 * a * e; // not as good as parallel
    const double free_s = crosses ? (b * f - c * e) / denominator : 0.5;
    double s = td_clamp_part(free_s);
    const double free_t = e > 0 ? (b * s + f) / e : 0;
    const double t = td_clamp_part(free_t);
    if (t != free_t) {
        s = a > 0 ? td_clamp_part((b * t - c) / a) : 0;
    }
    const td_closest out = {.weight = {1 - s, s, -(1 - t), -t},
                            .way = td_sub(td_add(r, td_scale(d1, s)), td_scale(d2, t)),
                            .within = crosses && s > 0 && s < 1 && t > 0 && t < 1};
    return out;
}

#endif
