// Triangles of one mesh that have corners in common, on a device. OpenCL C.
#ifndef TD_TRAVERSE_DEVICE_WELDED_H
#define TD_TRAVERSE_DEVICE_WELDED_H

#include "../math/shared.h"

// Whether two triangles of one mesh have a vertex position in common. `a` and `b`: the twelve of their quads,
// four first corners, four second, four third.
TD_INLINE bool td_share_a_corner(__global const uint *a, uint lane_a, __global const uint *b, uint lane_b) {
    for (uint i = 0; i < 3; ++i) {
        const uint corner = a[4 * i + lane_a];
        if (corner == b[lane_b] || corner == b[4 + lane_b] || corner == b[8 + lane_b]) {
            return true;
        }
    }
    return false;
}

#endif
