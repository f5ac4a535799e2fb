// The triangles of a leaf block as traversals read them.
#ifndef TD_BVH_QUADS_H
#define TD_BVH_QUADS_H

#include "blocked.h"
#include "build.h"

// Prims first ... first + count - 1 of a quad.
typedef struct td_run {
    uint32_t first, count;
} td_run;

// Fills the quads, corners and slabs of leaf block `index`, whose boxes and children are set.
void td_fill_quads(td_blocked *blocked, uint32_t index, const td_trimesh *mesh, const td_prim *prims,
                   const td_run *runs);

#endif
