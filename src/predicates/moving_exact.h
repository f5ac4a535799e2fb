// Whether and when four moving points meet (moving.h), exactly, for all finite doubles. Host only.
#ifndef TD_PREDICATES_MOVING_EXACT_H
#define TD_PREDICATES_MOVING_EXACT_H

#include "big_int.h"
#include "moving.h"

// As many limbs serve any finite doubles.
enum { TD_MOVING_EXACT_LIMBS = 1 << 18 };

td_moving_result td_moving_exact(td_big_arena *arena, const td_moving_points *points, int kind);

#endif
