// Motion of a free rigid body over a short time.
#ifndef TD_DYNAMICS_INTEGRATE_H
#define TD_DYNAMICS_INTEGRATE_H

#include "../math/quat.h"

// Turns a body whose angular momentum stays as it is, by classical Runge-Kutta on the rotation alone: angular
// momentum is kept to rounding, energy to fifth order in the angle turned. `inertia` and its inverse are
// along the body's own axes. Returns the new rotation; *spin becomes the new angular velocity.
td_quat td_turn_freely(td_quat rotation, td_vec3 *spin, td_sym3 inertia, td_sym3 inverse_inertia,
                       double time);

// Turns a body with constant angular velocity, to fourth order.
td_quat td_turn_steadily(td_quat rotation, td_vec3 spin, double time);

#endif
