// The mesh a caller holds: its triangles and the hierarchy over them.
#ifndef TD_QUERY_MESH_H
#define TD_QUERY_MESH_H

#include "../bvh/blocked.h"

struct td_mesh {
    td_trimesh triangles;
    td_blocked hierarchy;
};

#endif
