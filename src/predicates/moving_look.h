// The first look of the filter (moving_filter.h) at several questions of a batch at once: most pairs of
// features that anybody asks about are apart during all of [0, 1], and it shows.
#ifndef TD_PREDICATES_MOVING_LOOK_H
#define TD_PREDICATES_MOVING_LOOK_H

#include "moving.h"

#include <tandem/base.h>

enum { TD_MOVING_LOOK = 8 }; // questions at once, at most

// A bit for each of `count` questions, 24 coordinates each, whose points are certainly apart at all times.
// None if a coordinate is not finite.
typedef uint32_t td_moving_look_fn(const double *positions, size_t count, int kind);

td_moving_look_fn *td_moving_look_for(td_isa isa);

td_moving_look_fn td_moving_look_scalar;
#if defined(__x86_64__)
td_moving_look_fn td_moving_look_sse4, td_moving_look_avx2, td_moving_look_avx512;
#elif defined(__aarch64__)
td_moving_look_fn td_moving_look_neon;
#endif

#endif
