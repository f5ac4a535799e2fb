// Where a hierarchy that is refitted lies in the memory of a device. C17 and OpenCL C.
#ifndef TD_BVH_REFIT_PLACE_H
#define TD_BVH_REFIT_PLACE_H

#include "../math/shared.h"

// First items in the buffers of each kind.
typedef struct td_refit_place {
    td_u32 blocks, slabs, quads;
    td_u32 links, boxes, obbs;
    td_u32 corners;   // three double per vertex of the mesh
    td_u32 triangles; // three td_u32 per triangle
    td_u32 levels;    // blocks, or nodes, by level (levels.h)
} td_refit_place;

// What a node of a post-order hierarchy passes up beside its moments.
typedef struct td_post_note {
    float lower[3], upper[3];
    td_u32 end; // behind the last node below it
} td_post_note;

#endif
