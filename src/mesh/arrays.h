// Plain mesh arrays within the mesh room: how the shapes are made and handed on.
#ifndef TD_MESH_ARRAYS_H
#define TD_MESH_ARRAYS_H

#include "../math/vec3.h"

#include <tandem/io.h>

// Room for exactly so many vertices and triangles, contents undefined. On failure nothing is left to release.
// Released by td_release_mesh_arrays or, in this room, by td_arrays_release, which is the same.
td_result td_arrays_create(td_mesh_arrays *out, td_context *context, uint32_t vertex_count,
                           uint32_t triangle_count);
void td_arrays_release(td_mesh_arrays *arrays, td_context *context);

static inline td_vec3 td_arrays_vertex(const td_mesh_arrays *arrays, uint32_t vertex) {
    const double *p = arrays->positions + 3 * (size_t)vertex;
    return td_vec3_make(p[0], p[1], p[2]);
}

static inline void td_arrays_set_vertex(td_mesh_arrays *arrays, uint32_t vertex, td_vec3 point) {
    double *p = arrays->positions + 3 * (size_t)vertex;
    p[0] = point.x;
    p[1] = point.y;
    p[2] = point.z;
}

static inline void td_arrays_set_triangle(td_mesh_arrays *arrays, uint32_t triangle, uint32_t a, uint32_t b,
                                          uint32_t c) {
    uint32_t *t = arrays->triangles + 3 * (size_t)triangle;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

#endif
