// The boxes of a mesh's triangles, as builders want them.
#ifndef TD_BVH_PRIMS_H
#define TD_BVH_PRIMS_H

#include "build.h"
#include "local.h"

// prims[i] gets the conservative box of triangle i in the local coordinates of `blocked` (of which only the
// frame need be there) and the id i. Parallel.
void td_fill_prims(td_prim *prims, const td_blocked *blocked, const td_trimesh *mesh);

// The same with the local coordinates at hand.
void td_fill_prims_from(td_prim *prims, const td_local_vertex *vertices, const td_trimesh *mesh);

#endif
