// Tubes of several rays at one target, a ray per lane (walk.h).
#ifndef TD_RAYS_TUBES_H
#define TD_RAYS_TUBES_H

#include "walk.h"

#include <tandem/base.h>

// out[i] becomes what is asked by questions[i].
typedef void td_find_tubes_fn(td_tube *out, const td_target *target, const td_tube_question *const *questions,
                              uint32_t count);
td_find_tubes_fn *td_find_tubes_for(td_isa isa);

td_find_tubes_fn td_find_tubes_scalar;
#if defined(__x86_64__)
td_find_tubes_fn td_find_tubes_sse4, td_find_tubes_avx2, td_find_tubes_avx512;
#elif defined(__aarch64__)
td_find_tubes_fn td_find_tubes_neon;
#endif

#endif
