// What of each mesh lies inside the other: the points from which contacts are chosen, and the triangles
// against which their depths are measured.
//
// Along every edge that the curves cut, the part inside the other mesh ends at a vertex or where the edge
// comes out again. From vertices inside, the rest of the patch is reached through triangles that no curve
// crosses.
#ifndef TD_DYNAMICS_PATCH_H
#define TD_DYNAMICS_PATCH_H

#include "regions.h"

// A point of one mesh inside the other.
typedef struct td_candidate {
    td_vec3 point;    // a's frame
    uint64_t feature; // vertex, or edge and which part of it
    uint32_t side;
    uint32_t crossing; // of the curve it belongs to
    bool reached;      // through the patch, not along an edge that the curve cuts
} td_candidate;

// A triangle inside the other mesh that no curve crosses.
typedef struct td_patch_triangle {
    uint32_t side, triangle, crossing;
} td_patch_triangle;

// Marks that are cleared by counting up.
typedef struct td_marks {
    TD_ARRAY(uint32_t) items;
} td_marks;

typedef struct td_patch {
    TD_ARRAY(td_candidate) candidates;
    TD_ARRAY(td_patch_triangle) triangles;
    // Scratch.
    TD_ARRAY(uint32_t) pierces; // ends on one edge
    TD_ARRAY(uint32_t) stack;
    uint32_t epoch;
    td_marks visited[2];         // per vertex: inside
    td_marks taken[2];           // per triangle: is in `triangles`
    TD_ARRAY(uint32_t) owner[2]; // per visited vertex: its crossing
} td_patch;

void td_patch_release(td_patch *patch, td_context *context);

// Unites curves whose patches are one, in `scratch`. Of regions whose reach is below `small` (m) only
// vertices and the middles of edges are candidates.
td_result td_find_patch(td_patch *patch, td_region_scratch *scratch, const td_crossings *crossings,
                        const td_regions *regions, double small, const td_facets *facets,
                        const td_meeting *meeting, td_context *context);

#endif
