// Oriented boxes around the nodes of a post-order hierarchy.
#ifndef TD_BVH_OBB_H
#define TD_BVH_OBB_H

#include "../predicates/obb_obb.h"
#include "postorder.h"

// obbs[n] becomes a box around everything below node n: along the principal axes of its surface, or along the
// coordinate axes where that has the smaller area. Parallel; the boxes do not depend on the number of
// threads.
td_result td_fit_obbs(td_obbf *obbs, const td_postorder *post, const td_trimesh *mesh,
                      const td_blocked *blocked);

#endif
