// Oriented boxes in the making. C17 and OpenCL C with float64.
#ifndef TD_BVH_OBB_BOX_H
#define TD_BVH_OBB_BOX_H

#include "../predicates/box_box.h"
#include "../predicates/obb_obb.h"

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
