// The nodes of a hierarchy by level, from the leaves up: what refitting on a device goes by (paper 001,
// section 4.1, stores the nodes so; here their numbers are listed so, since traversals want the nodes
// themselves in the order of a walk). A node's level is its height: all leaves are of level 0, and every
// other node is one level above the highest of its children.
#ifndef TD_BVH_LEVELS_H
#define TD_BVH_LEVELS_H

#include "postorder.h"

typedef struct td_levels {
    uint32_t *order; // numbers of nodes, level by level, ascending within each
    uint32_t *first; // level i is order[first[i] ... first[i + 1] - 1]
    uint32_t node_count, level_count;
} td_levels;

td_result td_levels_of_blocks(td_levels *out, const td_blocked *blocked, td_context *context);
td_result td_levels_of_nodes(td_levels *out, const td_postorder *post, td_context *context);
void td_levels_release(td_levels *levels, td_context *context); // {0} is fine

#endif
