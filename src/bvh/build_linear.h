// The linear builder.
#ifndef TD_BVH_BUILD_LINEAR_H
#define TD_BVH_BUILD_LINEAR_H

#include "blocked.h"
#include "build.h"

// Along a curve that fills space: triangles sorted by the Morton codes of their centres, cut where the
// highest differing bit of these turns. Parallel, the same tree for every number of threads and instruction
// set. Several times as fast as td_build_sah, and the trees cost more. `frame` is the hierarchy whose frame
// has been chosen for the mesh (td_choose_frame); codes[i], of which there are as many as triangles, gets the
// triangle at place i. The areas of nodes are guesses. TD_ERROR_CANCELLED if `progress` asks to stop.
td_result td_build_linear(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                          const td_trimesh *mesh, td_tree_rules rules, td_progress_fn *progress,
                          void *progress_user);

// The cells that are too crowded for codes, of a tree that is done but for them: for builders on devices.
td_result td_build_crowded_cells(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                                 const td_trimesh *mesh, td_tree_rules rules);

static inline td_tree_order td_order_of_codes(const td_coded *codes) {
    return (td_tree_order){&codes->id, sizeof *codes / sizeof(uint32_t)};
}

#endif
