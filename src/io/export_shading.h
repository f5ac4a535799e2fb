// A mesh as it is drawn: float32, with normals, its vertices split where it has a crease.
#ifndef TD_IO_EXPORT_SHADING_H
#define TD_IO_EXPORT_SHADING_H

#include <tandem/io.h>

typedef struct td_shaded_mesh {
    float *positions, *normals; // x y z per vertex
    uint32_t *corners;          // three per triangle, in the order of the mesh
    uint32_t vertex_count, triangle_count;
    bool closed;     // as td_mesh_is_closed
    double rounding; // m: how far float32 puts a vertex off, at most
} td_shaded_mesh;

// As td_mesh_is_closed. TD_ERROR_UNSUPPORTED if there are too many triangles or vertices.
td_result td_find_mesh_closed(bool *out, td_context *context, const td_mesh_arrays *mesh);

// Normals are those of mesh/creases.h. TD_ERROR_UNSUPPORTED if a coordinate is beyond float32. On failure
// nothing is left to release.
td_result td_shade_mesh(td_shaded_mesh *out, td_context *context, const td_mesh_arrays *mesh);
void td_release_shaded_mesh(td_shaded_mesh *mesh, td_context *context);

#endif
