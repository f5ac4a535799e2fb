// Refitting: the boxes, quads and slabs of a blocked hierarchy from the positions of the vertices, bottom up,
// whoever stands where staying as it is. Builds end with it, too: there is one place where boxes are made.
//
// Blocks stand in the order of a walk, parents before children (layout.c). So subtrees are ranges of blocks,
// each refitted backwards by one task; what lies above them, the crown, follows.
#ifndef TD_BVH_REFIT_H
#define TD_BVH_REFIT_H

#include "blocked.h"
#include "local_frame.h"

// What quads are made of. Alignment as in td_trimesh; the frame is that of the hierarchy.
typedef struct td_refit_source {
    const unsigned char *positions;
    size_t stride;
    td_scalar scalar;
    td_local_frame frame;
} td_refit_source;

// After the frame of `blocked` has been chosen for the positions of the mesh (td_choose_frame).
td_refit_source td_refit_source_of(const td_blocked *blocked, const td_trimesh *mesh);
td_local_frame td_local_frame_of(const td_blocked *blocked);

// Refits range `item` of the plan, in the registers of the context's instruction set.
void td_refit_range(td_blocked *blocked, const td_refit_source *source, uint32_t item, td_isa isa);

// Refits the crown, once all ranges have been; blocked->area becomes that of all nodes together.
void td_refit_crown(td_blocked *blocked);

// All of it, in parallel: the same bits for every number of threads and instruction set. Chooses the frame.
// The plan must have been kept (td_blocked_create).
void td_refit_blocked(td_blocked *blocked, const td_trimesh *mesh);

// One per instruction set (refit_wide.c): blocks first ... end - 1, backwards. Returns the areas of their
// nodes added up.
typedef double td_refit_blocks_fn(td_blocked *blocked, const td_refit_source *source, uint32_t first,
                                  uint32_t end);
td_refit_blocks_fn td_refit_blocks_scalar;
#if defined(__x86_64__)
td_refit_blocks_fn td_refit_blocks_sse4, td_refit_blocks_avx2, td_refit_blocks_avx512;
#elif defined(__aarch64__)
td_refit_blocks_fn td_refit_blocks_neon;
#endif

#endif
