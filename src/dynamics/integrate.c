#include "integrate.h"

#include <assert.h>
#include <math.h>

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

static td_turn_a_little_fn *td_turn_a_little_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_turn_a_little_sse4;
    case TD_ISA_AVX2:
        return td_turn_a_little_avx2;
    case TD_ISA_AVX512:
        return td_turn_a_little_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_turn_a_little_neon;
#endif
    default:
        return td_turn_a_little_scalar;
    }
}

// Angles, in radians: beyond the first a turn is cut into pieces; with that many and pieces beyond the
// second, the integrator would make energy of nothing.
static const double td_little = 0.5, td_much = 1.0;
enum { TD_TURN_PIECES = 32 };

// A turn of more than a little.
static void td_turn_far(td_turning *body, double angle, td_turn_a_little_fn *turn_a_little, double time) {
    if (!(angle <= td_much * TD_TURN_PIECES)) {
        // Too fast for any integrator: on about the axis it has, which keeps the energy at least.
        const td_mat3 before = td_quat_matrix(body->rotation);
        body->rotation = td_turn_steadily(body->rotation, body->spin, time);
        body->spin = td_mat3_apply(td_quat_matrix(body->rotation), td_mat3_unapply(before, body->spin));
        return;
    }
    const double wanted = ceil(angle / td_little);
    const uint32_t pieces = wanted < TD_TURN_PIECES ? (uint32_t)wanted : TD_TURN_PIECES;
    for (uint32_t i = 0; i < pieces; ++i) {
        turn_a_little(&body, 1, time / pieces);
    }
}

void td_turn_freely(td_turning *bodies, size_t count, td_isa isa, double time) {
    td_turn_a_little_fn *turn_a_little = td_turn_a_little_for(isa);
    td_turning *little[TD_TURNED_TOGETHER];
    size_t little_count = 0;
    assert(count <= TD_TURNED_TOGETHER);
    for (size_t i = 0; i < count; ++i) {
        const double angle = td_length(bodies[i].spin) * time;
        if (angle <= td_little) {
            little[little_count++] = &bodies[i];
        } else {
            td_turn_far(&bodies[i], angle, turn_a_little, time);
        }
    }
    turn_a_little(little, little_count, time);
}
