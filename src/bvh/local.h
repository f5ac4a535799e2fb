// The vertices of a mesh in the local coordinates of its hierarchy: what a build reads several times over.
#ifndef TD_BVH_LOCAL_H
#define TD_BVH_LOCAL_H

#include "blocked.h"

// 32 bytes, so that no vertex straddles two cache lines.
typedef struct td_local_vertex {
    double x, y, z;
    double spare;
} td_local_vertex;

static inline td_local_vertex td_local_of(const td_blocked *blocked, const td_trimesh *mesh,
                                          uint32_t vertex) {
    const td_vec3 p = td_to_local(blocked, td_trimesh_vertex(mesh, vertex));
    return (td_local_vertex){p.x, p.y, p.z, 0};
}

// Fills vertices[0 ... vertex_count - 1]. Of `blocked` only the frame need be there. Parallel.
void td_fill_local(td_local_vertex *vertices, const td_blocked *blocked, const td_trimesh *mesh);

#endif
