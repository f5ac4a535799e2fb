// Oriented boxes around the nodes of a post-order hierarchy.
#ifndef TD_BVH_OBB_H
#define TD_BVH_OBB_H

#include "postorder.h"

// obbs[n] becomes a box around everything below node n: along the principal axes of its surface, or along the
// coordinate axes where that has the smaller area. Parallel; the boxes do not depend on the number of
// threads.
td_result td_fit_obbs(td_obbf *obbs, const td_postorder *post, const td_trimesh *mesh,
                      const td_blocked *blocked);

// What lies along the axes of a box, seen from some point near.
typedef struct td_reach {
    double axes[3][3]; // as float32 has them
    double about[3], low[3], high[3];
} td_reach;

// What both fitting and refitting compare with: the axis-aligned box.
static inline td_obbf td_obb_along_axes(const td_boxf *box) {
    td_obbf obb = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        obb.center[k] = box->center[k];
        obb.half[k] = box->half[k];
    }
    return obb;
}

static inline double td_half_area(const float h[3]) {
    return (double)h[0] * (double)h[1] + (double)h[1] * (double)h[2] + (double)h[2] * (double)h[0];
}

#endif
