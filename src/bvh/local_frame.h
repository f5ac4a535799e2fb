// The local coordinates of a hierarchy (blocked.h). C17 and OpenCL C with float64.
#ifndef TD_BVH_LOCAL_FRAME_H
#define TD_BVH_LOCAL_FRAME_H

// From the coordinates of the mesh to local ones: ((x - origin) * scale[0]) * scale[1].
typedef struct td_local_frame {
    double origin[3], scale[2];
} td_local_frame;

#endif
