// The boxes of a mesh's triangles, as builders want them.
#ifndef TD_BVH_PRIMS_H
#define TD_BVH_PRIMS_H

#include "blocked.h"
#include "build.h"

// prims[i] gets the conservative box of triangle i in the local coordinates of `blocked` (of which only the
// frame need be there) and the id i. Parallel.
void td_fill_prims(td_prim *prims, const td_blocked *blocked, const td_trimesh *mesh);

#endif
