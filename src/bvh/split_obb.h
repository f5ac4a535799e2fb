// Oriented boxes around the nodes of a split hierarchy (split.h): what the front walks if it is asked to.
#ifndef TD_BVH_SPLIT_OBB_H
#define TD_BVH_SPLIT_OBB_H

#include "obb_tree.h"
#include "split.h"

// The tree of a split hierarchy, to be fitted. Fails for want of memory only, and leaves nothing to release.
td_result td_split_obbs_create(td_obb_tree *out, const td_split_tree *split, td_context *context);

// Boxes around the mesh's triangles as they are, in the local coordinates of the blocked hierarchy.
void td_split_obbs_fit(td_obb_tree *obbs, const td_split_tree *split, const td_trimesh *mesh,
                       const td_blocked *blocked);

#endif
