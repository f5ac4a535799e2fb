// The triangles of a leaf block as traversals read them.
#ifndef TD_BVH_QUADS_H
#define TD_BVH_QUADS_H

#include "build.h"
#include "local.h"

// What quads are made from.
typedef struct td_quad_source {
    const td_trimesh *mesh;
    const td_local_vertex *vertices;
    const td_prim *prims;
} td_quad_source;

// Prims first ... first + count - 1 of a quad.
typedef struct td_run {
    uint32_t first, count;
} td_run;

// Fills the quads, corners and slabs of a leaf block, whose boxes, children and slabs' index are set; runs[i]
// is what its node i holds.
void td_fill_quads(td_blocked *blocked, const td_block *block, const td_quad_source *source,
                   const td_run *runs);

#endif
