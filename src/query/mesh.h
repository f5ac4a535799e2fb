// The mesh a caller holds: its triangles and the hierarchy over them.
#ifndef TD_QUERY_MESH_H
#define TD_QUERY_MESH_H

#include "../bvh/postorder.h"
#include "../bvh/split_obb.h"

#include <tandem/query.h>

#include <pthread.h>
#include <stdatomic.h>

// What only some strategies need, made when first asked for. A mesh is const to its users and may be shared
// by threads; this part of it may change, under the lock.
typedef struct td_mesh_late {
    pthread_mutex_t lock;
    td_postorder post;                   // empty until asked for
    td_split_tree split;                 // likewise
    td_obb_tree obbs;                    // around the nodes of `split`; likewise
    uint64_t split_serial;               // the mesh's serial when its boxes were made
    uint64_t obb_serial;                 // ... and its oriented boxes
    _Atomic(struct td_lone_rays *) lone; // null until asked for (lone.h); may be read without the lock
    atomic_uint lone_rays;               // that have come without it, for the mesh's positions
} td_mesh_late;

struct td_mesh {
    td_trimesh triangles;
    td_blocked hierarchy;
    td_mesh_late *late;
    td_builder builder;
    td_device *device; // that builds; null: natively
    bool device_by_levels;
    uint64_t serial; // unique within the context: tells meshes apart that had the same address in turn, and a
                     // deformable mesh from itself with other positions
    uint64_t identity;  // the first serial: that of the mesh whatever its positions
    uint64_t structure; // the serial when its hierarchies were built last
    uint64_t refits;    // since then
};

// Sees to it that late->post is there, with the boxes of the volume. Not from inside a task.
td_result td_mesh_prepare_postorder(const td_mesh *mesh, td_volume volume);

// Sees to it that late->split is there, with boxes of the volume for the mesh's positions. Not from inside a
// task.
td_result td_mesh_prepare_split(const td_mesh *mesh, td_volume volume);

// ... that it is there, whatever its boxes.
td_result td_mesh_prepare_split_nodes(const td_mesh *mesh);

// Frees late->split and what belongs to it.
void td_mesh_forget_split(const td_mesh *mesh);

#endif
