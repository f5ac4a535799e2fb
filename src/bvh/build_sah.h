// Parts of the SAH builder that the linear one uses.
#ifndef TD_BVH_BUILD_SAH_H
#define TD_BVH_BUILD_SAH_H

#include "build.h"

// TD_ERROR_ARGUMENT if leaves or groups are no powers of two, or groups too large.
td_result td_check_tree_rules(td_tree_rules rules);

// Builds everything below `node`, which covers the prims from `first` on: they are read from `from` and end
// in `prims`, both of the whole tree. One thread; what was in either place is lost.
void td_build_sah_below(td_tree_node *nodes, td_prim *prims, td_prim *from, uint32_t node, uint32_t first,
                        uint32_t count, td_tree_rules rules);

#endif
