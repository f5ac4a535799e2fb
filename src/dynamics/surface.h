// What dynamics knows of a mesh beside its triangles: unit normals, which triangles meet at a vertex, boxes
// for quick bounds, and sizes. Made once per mesh and shared by all bodies that use it.
#ifndef TD_DYNAMICS_SURFACE_H
#define TD_DYNAMICS_SURFACE_H

#include "../broad/broad.h"
#include "../math/quat.h"
#include "../mesh/mass.h"
#include "../mesh/shell.h"
#include "../query/mesh.h"

enum { TD_SURFACE_BOXES = 64 };

// Boxes by coordinate. Behind the last one, up to TD_SURFACE_BOXES, it is repeated.
typedef struct td_surface_boxes {
    double lower[3][TD_SURFACE_BOXES], upper[3][TD_SURFACE_BOXES];
    uint32_t count;
} td_surface_boxes;

typedef struct td_surface {
    td_context *context;
    const td_mesh *mesh;
    td_vec3 *normals; // per triangle, unit; zero if it has no area
    uint32_t
        *first; // per vertex + 1: the triangles at vertex v are around[first[v]] ... around[first[v+1]-1]
    uint32_t *around;       // only vertices that stand for their position (td_trimesh_welded) have any
    td_surface_boxes boxes; // a few, which together hold the mesh
    bool is_solid;          // closed, with a volume: `solid` holds
    bool is_shell;          // has an area: `shell` holds
    td_mass solid;          // at unit density
    td_shell shell;         // at unit mass per area
    char trouble[256];      // why it is no solid
    td_vec3 centre;         // of mass, of what it is; else of its box
    double offset;          // of `centre` from the mesh's origin
    double radius;          // of the ball about `centre` that holds the mesh, rounded up
    double thickness;       // m: twice the volume by the area, which is what a plate has; 0: no solid
    uint32_t users;         // bodies
} td_surface;

td_result td_surface_create(td_surface **out, td_context *context, const td_mesh *mesh);
void td_surface_destroy(td_surface *surface); // null is fine

// Bounds of the mesh placed by a rotation and a position: conservative, rounding included.
td_box td_surface_bounds(const td_surface *surface, td_mat3 rotation, td_vec3 position);

// The bounds of turned boxes, but for rounding; one function per instruction set (surface_wide.c), which all
// find the same.
typedef void td_bound_boxes_fn(double lower[3], double upper[3], const td_surface_boxes *boxes,
                               td_mat3 rotation);

td_bound_boxes_fn td_bound_boxes_scalar;
#if defined(__x86_64__)
td_bound_boxes_fn td_bound_boxes_sse4, td_bound_boxes_avx2, td_bound_boxes_avx512;
#elif defined(__aarch64__)
td_bound_boxes_fn td_bound_boxes_neon;
#endif

#endif
