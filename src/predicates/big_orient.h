// Orientation signs in integer arithmetic, for any finite doubles whatever. Host only: the last resort of
// orient.h where expansions could overflow or underflow, and therefore written for certainty, not for speed.
#ifndef TD_PREDICATES_BIG_ORIENT_H
#define TD_PREDICATES_BIG_ORIENT_H

#include "../math/vec3.h"

// Signs as in orient.h.
int td_big_orient2d(double ax, double ay, double bx, double by, double cx, double cy);
int td_big_orient3d(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d);

#endif
