// Work units of building on a device (build_device.h). C17 and OpenCL C.
#ifndef TD_BVH_BUILD_UNIT_H
#define TD_BVH_BUILD_UNIT_H

#include "../math/shared.h"

// A node that is to be cut, with the prims it covers.
typedef struct td_build_unit {
    td_u32 node, first, count;
    td_u32 side; // which of the two buffers holds the prims
} td_build_unit;

#endif
