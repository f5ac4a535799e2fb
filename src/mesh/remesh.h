// Fewer and better triangles for a closed surface that is known exactly: short edges are collapsed, edges
// flipped, vertices spread evenly, and each new place is put back on the surface.
//
// based on: Botsch, Kobbelt, "A remeshing approach to multiresolution modeling" (2004), without the splits:
// start from more triangles than are wanted.
#ifndef TD_MESH_REMESH_H
#define TD_MESH_REMESH_H

#include "../math/vec3.h"

#include <tandem/io.h>

typedef struct td_surface_point {
    td_vec3 position;
    td_vec3 normal;     // unit, outward
    double edge_length; // wanted here, up to a common factor
} td_surface_point;

typedef struct td_surface {
    td_surface_point (*nearest)(td_vec3 p, const void *payload); // or nearly so; p is near the surface
    const void *payload;
} td_surface;

// Replaces `mesh` by one of exactly `triangle_count` (an even number) triangles on the surface. It must be
// closed, manifold and consistently oriented, and stays so. TD_ERROR_MESH if it is not, or cannot be reduced
// so far; then, and on TD_ERROR_MEMORY, `mesh` is as it was.
td_result td_remesh(td_mesh_arrays *mesh, td_context *context, const td_surface *surface,
                    uint32_t triangle_count);

#endif
