// Elements: what holds a soft body together, as constraints with compliance. XPBD, 2016, equation 18, with
// the multipliers of a sub-step beginning at zero and one iteration: 2019.
#include "softs.h"

#include <math.h>

// A distance, in both directions or against growing only.
static inline void td_solve_distance(td_vec3 *a, td_vec3 *b, double wa, double wb, double rest,
                                     double compliance, bool one_way) {
    const td_vec3 d = td_sub(*a, *b);
    const double square = td_dot(d, d);
    if ((one_way && square <= rest * rest) || !(square > 0) || !(wa + wb > 0)) {
        return;
    }
    const double length = sqrt(square);
    const td_vec3 correction = td_scale(d, (rest - length) / ((wa + wb + compliance) * length));
    *a = td_add(*a, td_scale(correction, wa));
    *b = td_sub(*b, td_scale(correction, wb));
}

static inline void td_solve_bend(td_vec3 p[4], const double w[4], const td_hinge *hinge, double compliance) {
    const double k0 = (double)hinge->weight[0], k1 = (double)hinge->weight[1], k2 = (double)hinge->weight[2];
    const double k[4] = {k0, k1, k2, -(k0 + k1 + k2)};
    td_vec3 sum = td_scale(p[0], k[0]);
    double weights = compliance + w[0] * k[0] * k[0];
    for (int i = 1; i < 4; ++i) {
        sum = td_add(sum, td_scale(p[i], k[i]));
        weights += w[i] * k[i] * k[i];
    }
    double part = 1;
    if (hinge->fold > 0) { // folded at rest: what counts is how far, whichever way it points by now
        const double length = sqrt(td_dot(sum, sum));
        part = length > 0 ? (length - (double)hinge->fold) / length : 0;
    }
    const td_vec3 correction = td_scale(sum, -part / weights);
    for (int i = 0; i < 4; ++i) {
        p[i] = td_add(p[i], td_scale(correction, w[i] * k[i]));
    }
}

void td_solve_hinges(td_vec3 *x, const double *weight, const td_hinge *hinges, uint32_t count, double h) {
    const double per_time = 1 / (h * h);
    for (uint32_t i = 0; i < count; ++i) {
        const td_hinge *hinge = &hinges[i];
        const uint32_t *v = hinge->vertex;
        td_vec3 p[4] = {x[v[0]], x[v[1]]};
        double w[4] = {weight[v[0]], weight[v[1]]};
        if (hinge->stretch >= 0) {
            td_solve_distance(&p[0], &p[1], w[0], w[1], (double)hinge->length,
                              (double)hinge->stretch * per_time, false);
        }
        if (v[3] != TD_NONE) {
            p[2] = x[v[2]];
            p[3] = x[v[3]];
            w[2] = weight[v[2]];
            w[3] = weight[v[3]];
            if (hinge->shear >= 0) {
                td_solve_distance(&p[2], &p[3], w[2], w[3], (double)hinge->across,
                                  (double)hinge->shear * per_time, true);
            }
            if (hinge->bend >= 0) {
                td_solve_bend(p, w, hinge, (double)hinge->bend * per_time);
            }
            x[v[2]] = p[2];
            x[v[3]] = p[3];
        }
        x[v[0]] = p[0];
        x[v[1]] = p[1];
    }
}

td_solve_colour_fn td_solve_colour_scalar;
#if defined(__x86_64__)
td_solve_colour_fn td_solve_colour_sse4, td_solve_colour_avx2, td_solve_colour_avx512;
#elif defined(__aarch64__)
td_solve_colour_fn td_solve_colour_neon;
#endif

td_solve_colour_fn *td_solve_colour_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_solve_colour_sse4;
    case TD_ISA_AVX2:
        return td_solve_colour_avx2;
    case TD_ISA_AVX512:
        return td_solve_colour_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_solve_colour_neon;
#endif
    default:
        return td_solve_colour_scalar;
    }
}

// ---------------------------------------------------------------------------------------------------------

// The energy is pressure / (2 V0) (V - V0)^2. The gradient of the volume at a vertex is a third of the sum of
// the area vectors around it, in `gradient`: of a closed surface they sum to zero, so momentum is kept.
void td_solve_volume(td_vec3 *x, const double *weight, td_vec3 *gradient, const td_soft *soft, double h) {
    const td_form *form = soft->form;
    const td_swept_triangle *triangles = form->features.triangles;
    const td_vec3 about = x[0];
    double volume = 0, weights = 0;
    for (uint32_t v = 0; v < form->vertex_count; ++v) {
        gradient[v] = td_vec3_make(0, 0, 0);
    }
    for (uint32_t t = 0; t < form->features.triangle_count; ++t) {
        const uint32_t *v = triangles[t].vertex;
        const td_vec3 area = td_cross(td_sub(x[v[1]], x[v[0]]), td_sub(x[v[2]], x[v[0]]));
        volume += td_dot(area, td_sub(x[v[0]], about)) / 6;
        for (int k = 0; k < 3; ++k) {
            gradient[v[k]] = td_add(gradient[v[k]], area);
        }
    }
    for (uint32_t v = 0; v < form->vertex_count; ++v) {
        weights += weight[v] * td_dot(gradient[v], gradient[v]) / 36;
    }
    if (!(weights > 0)) {
        return;
    }
    const double compliance = fabs(form->volume) / (soft->pressure * h * h);
    const double lambda = -(volume - form->volume) / (weights + compliance);
    for (uint32_t v = 0; v < form->vertex_count; ++v) {
        x[v] = td_add(x[v], td_scale(gradient[v], lambda * weight[v] / 6));
    }
}
