// based on: Hairer, Norsett, Wanner, Solving ordinary differential equations I (1993), II.1, for Runge-Kutta.
#include "integrate.h"

#include <math.h>

// The rate of change of the rotation q of a body with angular momentum l (in the world): half of q times the
// angular velocity along the body's own axes, I^-1 R(q)^T l. Away from the unit sphere, where the stages of
// Runge-Kutta lie, R(q) is the same polynomial: any smooth continuation serves.
static inline __attribute__((always_inline)) td_quat td_free_rate(td_quat q, td_vec3 l,
                                                                  td_sym3 inverse_inertia) {
    const td_vec3 own = td_sym3_apply(inverse_inertia, td_mat3_unapply(td_quat_matrix(q), l));
    return td_quat_mul(q, td_quat_make(0.5 * own.x, 0.5 * own.y, 0.5 * own.z, 0.0));
}

static td_quat td_quat_add_scaled(td_quat q, td_quat d, double h) {
    return td_quat_make(q.x + h * d.x, q.y + h * d.y, q.z + h * d.z, q.w + h * d.w);
}

static td_quat td_turn_about(td_quat rotation, td_vec3 spin, double time) {
    // The turn is (a sin|a| / |a|, cos|a|) with a half of the vector turned by. The series are cut after
    // |a|^6: what is missing is below rounding for turns up to a tenth of a radian, and 1e-6 at one radian.
    const td_vec3 a = td_scale(spin, 0.5 * time);
    const double s = td_dot(a, a);
    const double sine = 1.0 - s * (1.0 / 6.0) * (1.0 - s * (1.0 / 20.0) * (1.0 - s * (1.0 / 42.0)));
    const double cosine = 1.0 - s * 0.5 * (1.0 - s * (1.0 / 12.0) * (1.0 - s * (1.0 / 30.0)));
    const td_quat turn = td_quat_make(a.x * sine, a.y * sine, a.z * sine, cosine);
    return td_quat_normalise(td_quat_mul(turn, rotation));
}

// Whole turns change nothing; what is left is made of pieces that the series hold for.
td_quat td_turn_steadily(td_quat rotation, td_vec3 spin, double time) {
    const double full = 6.28318530717958647692, angle = td_length(spin) * fabs(time);
    if (angle <= 1.0) {
        return td_turn_about(rotation, spin, time);
    }
    const double turns = floor(angle / full), left = (angle - turns * full) / angle; // of the time
    for (int i = 0; i < 8 && left > 0; ++i) {
        rotation = td_turn_about(rotation, spin, 0.125 * left * time);
    }
    return rotation;
}

static td_quat td_turn_a_little(td_quat rotation, td_vec3 *spin, td_sym3 inertia, td_sym3 inverse_inertia,
                                double time) {
    const td_mat3 before = td_quat_matrix(rotation);
    const td_vec3 l = td_mat3_apply(before, td_sym3_apply(inertia, td_mat3_unapply(before, *spin)));

    const td_quat k1 = td_free_rate(rotation, l, inverse_inertia);
    const td_quat k2 = td_free_rate(td_quat_add_scaled(rotation, k1, 0.5 * time), l, inverse_inertia);
    const td_quat k3 = td_free_rate(td_quat_add_scaled(rotation, k2, 0.5 * time), l, inverse_inertia);
    const td_quat k4 = td_free_rate(td_quat_add_scaled(rotation, k3, time), l, inverse_inertia);
    const td_quat k = td_quat_make(k1.x + 2.0 * (k2.x + k3.x) + k4.x, k1.y + 2.0 * (k2.y + k3.y) + k4.y,
                                   k1.z + 2.0 * (k2.z + k3.z) + k4.z, k1.w + 2.0 * (k2.w + k3.w) + k4.w);
    const td_quat turned = td_quat_normalise(td_quat_add_scaled(rotation, k, time / 6.0));

    const td_mat3 after = td_quat_matrix(turned);
    *spin = td_mat3_apply(after, td_sym3_apply(inverse_inertia, td_mat3_unapply(after, l)));
    return turned;
}

// Angles, in radians: beyond the first a turn is cut into pieces; with that many and pieces beyond the
// second, the integrator would make energy of nothing.
static const double td_little = 0.5, td_much = 1.0;
enum { TD_TURN_PIECES = 32 };

td_quat td_turn_freely(td_quat rotation, td_vec3 *spin, td_sym3 inertia, td_sym3 inverse_inertia,
                       double time) {
    const double angle = td_length(*spin) * time;
    if (angle <= td_little) {
        return td_turn_a_little(rotation, spin, inertia, inverse_inertia, time);
    }
    if (!(angle <= td_much * TD_TURN_PIECES)) {
        // Too fast for any integrator: on about the axis it has, which keeps the energy at least.
        const td_quat turned = td_turn_steadily(rotation, *spin, time);
        *spin = td_mat3_apply(td_quat_matrix(turned), td_mat3_unapply(td_quat_matrix(rotation), *spin));
        return turned;
    }
    const double wanted = ceil(angle / td_little);
    const uint32_t pieces = wanted < TD_TURN_PIECES ? (uint32_t)wanted : TD_TURN_PIECES;
    for (uint32_t i = 0; i < pieces; ++i) {
        rotation = td_turn_a_little(rotation, spin, inertia, inverse_inertia, time / pieces);
    }
    return rotation;
}
