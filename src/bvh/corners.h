// The corners of four triangles in the local coordinates of a hierarchy. C17 and OpenCL C with float64.
#ifndef TD_BVH_CORNERS_H
#define TD_BVH_CORNERS_H

#include "../math/d4.h"
#include "../math/wide.h"
#include "local_frame.h"

// One coordinate of one corner of four triangles is a vector.
typedef struct td_corners {
    td_d4 at[3][3]; // corner, axis
} td_corners;

// How far float32 may be from what float64 may mean: local coordinates carry an error of at most 2^-52, the
// conversion and the subtraction (addition) of this 2^-24 of the value each.
static inline td_f4 td_slack(td_f4 a) {
    const td_f4 magnitude = td_f4_max(a, td_f4_sub(td_f4_set1(0), a));
    return td_f4_add(td_f4_mul(magnitude, td_f4_set1(0x3p-24f)), td_f4_set1(0x1p-49f));
}

TD_OP void td_to_local4(td_d4 x[3], const td_local_frame *frame) {
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] = td_d4_mul(td_d4_sub(x[axis], td_d4_set1(frame->origin[axis])), td_d4_set1(frame->scale[0]));
    }
    if (frame->scale[1] != 1) { // rare: meshes of huge or tiny extent
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = td_d4_mul(x[axis], td_d4_set1(frame->scale[1]));
        }
    }
}

#endif
