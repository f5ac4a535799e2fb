// The triangles of a mesh as they were given, checked, with bounds and the little topology that queries need.
#ifndef TD_MESH_TRIMESH_H
#define TD_MESH_TRIMESH_H

#include "../math/vec3.h"

#include <tandem/mesh.h>

typedef struct td_trimesh {
    td_context *context;
    char *name; // owned; never null
    td_scalar scalar;
    const unsigned char *positions;
    size_t stride; // bytes
    const uint32_t *indices;
    uint32_t vertex_count;
    uint32_t triangle_count;
    bool borrowed; // the indices, and the positions unless deformable
    bool deformable;
    td_vec3 lower, upper; // of the vertices that triangles use
    double largest;       // largest absolute coordinate among them
    uint32_t *weld;       // per vertex: the first vertex at the same position; null: no two vertices coincide
    bool closed;          // every edge is used an even number of times
    uint32_t *seeds;      // one vertex per connected component, ascending
    uint32_t seed_count;
    // Deformable meshes only. Their positions are packed float64; components are connected through vertices
    // they share, not through positions, so that pieces which come apart have seeds of their own.
    double *spare;         // room for as many positions
    uint8_t *referenced;   // per vertex: used by a triangle; null: all are
    bool closed_if_welded; // as created
} td_trimesh;

// As td_create_mesh, without the hierarchy. On failure nothing is left to release.
td_result td_trimesh_create(td_trimesh *out, td_context *context, const td_mesh_def *def);
void td_trimesh_destroy(td_trimesh *mesh);
uint64_t td_trimesh_bytes(const td_trimesh *mesh);

static inline td_vec3 td_trimesh_vertex(const td_trimesh *mesh, uint32_t vertex) {
    const unsigned char *at = mesh->positions + vertex * mesh->stride;
    if (mesh->scalar == TD_FLOAT64) {
        const double *p = (const double *)(const void *)at;
        return td_vec3_make(p[0], p[1], p[2]);
    }
    const float *p = (const float *)(const void *)at;
    return td_vec3_make((double)p[0], (double)p[1], (double)p[2]);
}

// The vertex that stands for all at the same position.
static inline uint32_t td_trimesh_welded(const td_trimesh *mesh, uint32_t vertex) {
    return mesh->weld == NULL ? vertex : mesh->weld[vertex];
}

static inline td_triangle td_trimesh_triangle(const td_trimesh *mesh, uint32_t triangle) {
    const uint32_t *i = mesh->indices + 3 * (size_t)triangle;
    return (td_triangle){td_trimesh_vertex(mesh, i[0]), td_trimesh_vertex(mesh, i[1]),
                         td_trimesh_vertex(mesh, i[2])};
}

#endif
