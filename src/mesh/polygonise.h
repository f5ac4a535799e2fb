// Triangles for an implicit surface, by marching tetrahedra: always closed and manifold.
//
// based on: Doi, Koide, "An efficient method of triangulating equi-valued surfaces by using tetrahedral
// cells" (1991). The cubes of a grid are cut into six tetrahedra about their main diagonals (Kuhn's
// subdivision), which match from cube to cube.
#ifndef TD_MESH_POLYGONISE_H
#define TD_MESH_POLYGONISE_H

#include "../math/vec3.h"

#include <tandem/io.h>

typedef struct td_grid {
    td_vec3 lower;     // the first grid point
    double spacing;    // the same along x, y and z
    uint32_t count[3]; // grid points along x, y and z
} td_grid;

// Negative inside.
typedef double td_field_fn(td_vec3 p, const void *payload);

// The field must be positive on the faces of the grid, or else the surface ends there. Triangles wind
// counter-clockwise as seen from outside. Expect slivers: see remesh.h. Fails only for want of memory.
td_result td_polygonise(td_mesh_arrays *out, td_context *context, const td_grid *grid, td_field_fn *field,
                        const void *payload);

#endif
