// The boxes of a mesh's triangles, as builders want them.
#ifndef TD_BVH_PRIMS_H
#define TD_BVH_PRIMS_H

#include "build.h"
#include "refit.h"

// prims[i] gets the conservative box of triangle i in the local coordinates of `blocked` (of which only the
// frame need be there) and the id i. Parallel; the same bits for every instruction set.
void td_fill_prims(td_prim *prims, const td_blocked *blocked, const td_trimesh *mesh);

// One per instruction set (prims_wide.c): triangles first ... end - 1; there is at least one.
typedef void td_fill_prims_fn(td_prim *prims, const td_refit_source *source, const uint32_t *indices,
                              uint32_t first, uint32_t end);
td_fill_prims_fn td_fill_prims_scalar;
#if defined(__x86_64__)
td_fill_prims_fn td_fill_prims_sse4, td_fill_prims_avx2, td_fill_prims_avx512;
#elif defined(__aarch64__)
td_fill_prims_fn td_fill_prims_neon;
#endif

#endif
