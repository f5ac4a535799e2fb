// Between the stages of a native step.
#ifndef TD_RAYS_PER_VERTEX_H
#define TD_RAYS_PER_VERTEX_H

#include "tracer.h"

// Ray `number` of a side, in the target's coordinates.
td_trace_ray td_ray_of_side(const td_side *side, uint32_t number);

// Casts one ray and remembers what it proves: the naive way, all algorithms behind one switch.
void td_cast_now(const td_tracer *tracer, td_ray_worker *worker, td_side *side, td_traced_algorithm algorithm,
                 td_cast *cast);

#endif
