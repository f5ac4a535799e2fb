// What the tracer knows of a mesh: made once, and for deformable meshes again at every change of positions,
// as far as it depends on them.
#ifndef TD_RAYS_SHAPE_H
#define TD_RAYS_SHAPE_H

#include "../query/mesh.h"
#include "../query/query.h"
#include "target.h"

typedef struct td_ray_shape {
    td_context *context;
    uint64_t identity, serial; // of the mesh
    uint64_t last_used;        // step
    char trouble[256];         // why it is no solid; "": it is one
    bool deformable;
    bool walkable; // a rigid solid that has neighbours everywhere and does not meet itself
    uint32_t vertex_count, triangle_count;
    const uint32_t *indices; // the mesh's own
    double *corners;         // 3 per vertex
    uint32_t
        *incident_first; // vertex_count + 1: the triangles at a vertex, ascending; those of all vertices at
    uint32_t *incident;  // one position are with the first of them
    double *inward;      // 3 per vertex: of length 1, or 0 if there is none
    double *own;         // per vertex: how far its ray goes through its own mesh; null: deformable or a sheet
    uint32_t *starts;    // vertices from which rays start, ascending
    uint32_t start_count;
    uint32_t *neighbours; // 3 per triangle; TD_TRACE_NONE: none, or more than one. Null: no edge has just two
    td_skip_node *nodes;
    uint32_t node_count;
    int outward;
    td_vec3 lower, upper, centre;
    double radius; // about the centre
    double travel; // m: sum over all changes of positions of how far the farthest vertex went
    double grain;
    td_vec3 local_origin;
    double local_scale[2];
} td_ray_shape;

// Makes what is needed of the mesh. `query` is for the test against itself. On failure nothing is left.
td_result td_ray_shape_create(td_ray_shape *out, const td_mesh *mesh, td_query *query);
void td_ray_shape_destroy(td_ray_shape *shape);

// To the positions that the mesh has now, if they have changed.
td_result td_ray_shape_update(td_ray_shape *shape, const td_mesh *mesh);

static inline bool td_is_solid(const td_ray_shape *shape) {
    return shape->trouble[0] == '\0';
}

// As a target; `around`: half the thickness of a sheet, else 0.
static inline td_target td_shape_target(const td_ray_shape *shape, double around) {
    const td_vec3 grown = td_vec3_make(around, around, around);
    return (td_target){.corners = shape->corners,
                       .indices = shape->indices,
                       .neighbours = shape->neighbours,
                       .nodes = shape->nodes,
                       .triangle_count = shape->triangle_count,
                       .outward = shape->outward,
                       .origin = shape->local_origin,
                       .scale0 = shape->local_scale[0],
                       .scale1 = shape->local_scale[1],
                       .grain = shape->grain,
                       .lower = td_sub(shape->lower, grown),
                       .upper = td_add(shape->upper, grown)};
}

// ---------------------------------------------------------------------------------------------------------
// Parts of the above

// Who is whose neighbour, and whether every edge runs as often one way as the other (`oriented`).
td_result td_find_adjacent(td_ray_shape *shape, const td_trimesh *mesh, bool *oriented);

// Whether no two triangles of the mesh meet but at what they share.
td_result td_is_embedded(bool *out, const td_ray_shape *shape, const td_mesh *mesh, td_query *query);

// Nodes of the mesh's post-order hierarchy, in pre-order.
td_result td_fill_skip_nodes(td_ray_shape *shape, const td_mesh *mesh);

#endif
