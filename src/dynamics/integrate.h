// Motion of free rigid bodies over a short time.
#ifndef TD_DYNAMICS_INTEGRATE_H
#define TD_DYNAMICS_INTEGRATE_H

#include "../math/quat.h"

#include <tandem/base.h>

#include <stddef.h>

// A body that turns.
typedef struct td_turning {
    td_quat rotation;
    td_vec3 spin;                     // in the world
    td_sym3 inertia, inverse_inertia; // along the body's own axes
} td_turning;

enum { TD_TURNED_TOGETHER = 16 };

// Turns bodies whose angular momentum stays as it is, by classical Runge-Kutta on the rotation alone: angular
// momentum is kept to rounding, energy to fifth order in the angle turned. Rotations and spins become the new
// ones. At most TD_TURNED_TOGETHER bodies. The same bits on every instruction set, whoever turns together.
void td_turn_freely(td_turning *bodies, size_t count, td_isa isa, double time);

// One per instruction set (integrate_wide.c): turns of less than a radian.
typedef void td_turn_a_little_fn(td_turning *const *bodies, size_t count, double time);

td_turn_a_little_fn td_turn_a_little_scalar;
#if defined(__x86_64__)
td_turn_a_little_fn td_turn_a_little_sse4, td_turn_a_little_avx2, td_turn_a_little_avx512;
#elif defined(__aarch64__)
td_turn_a_little_fn td_turn_a_little_neon;
#endif

// Turns a body with constant angular velocity, to fourth order.
td_quat td_turn_steadily(td_quat rotation, td_vec3 spin, double time);

#endif
