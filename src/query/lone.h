// What rays that go alone, a call each or apart from others, are cast with: made when many have come to a
// mesh.
#ifndef TD_QUERY_LONE_H
#define TD_QUERY_LONE_H

#include "../traverse/ray.h"
#include "mesh.h"

typedef struct td_lone_rays {
    td_fan_tree fans;
    // By td_ray_mode.
    td_ray_batch batches[2];   // not placed
    td_ray_run_one_fn *run[2]; // null: there are no fans for this mesh
} td_lone_rays;

// So many more rays come, or came, alone. Sees to it that it is there; null if memory is short, another
// thread makes it just now, or so few such rays have come since the mesh got its positions that it would cost
// more than it saves.
const td_lone_rays *td_mesh_prepare_lone(const td_mesh *mesh, uint32_t rays);

// Frees it. Nobody may cast rays meanwhile.
void td_mesh_forget_lone(const td_mesh *mesh);

#endif
