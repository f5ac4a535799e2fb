// A closed triangle surface that can be edited: half-edges, with collapse and flip.
//
// Triangle t owns the half-edges 3t, 3t + 1, 3t + 2, each running from its origin to the origin of the next,
// counter-clockwise; `twin` is the half-edge that runs the other way in the neighbouring triangle. A collapse
// leaves dead triangles and vertices behind, which td_halfedge_to_arrays drops.
#ifndef TD_MESH_HALFEDGE_H
#define TD_MESH_HALFEDGE_H

#include "../math/vec3.h"

#include <tandem/io.h>

#define TD_DEAD UINT32_MAX

typedef struct td_halfedge_mesh {
    td_vec3 *positions; // per vertex
    uint32_t *leaving;  // per vertex: a half-edge whose origin it is, or TD_DEAD
    uint32_t *origin;   // per half-edge: a vertex, or TD_DEAD
    uint32_t *twin;     // per half-edge
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t live_triangle_count;
} td_halfedge_mesh;

// TD_ERROR_MESH unless every edge is used once in each direction. On failure nothing is left to release.
td_result td_halfedge_create(td_halfedge_mesh *out, td_context *context, const td_mesh_arrays *arrays);
td_result td_halfedge_to_arrays(td_mesh_arrays *out, td_context *context, const td_halfedge_mesh *mesh);
void td_halfedge_destroy(td_halfedge_mesh *mesh, td_context *context);

static inline uint32_t td_halfedge_next(uint32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}

static inline uint32_t td_halfedge_previous(uint32_t h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

static inline uint32_t td_halfedge_target(const td_halfedge_mesh *mesh, uint32_t h) {
    return mesh->origin[td_halfedge_next(h)];
}

// The next half-edge that leaves the same vertex.
static inline uint32_t td_halfedge_rotate(const td_halfedge_mesh *mesh, uint32_t h) {
    return mesh->twin[td_halfedge_previous(h)];
}

uint32_t td_halfedge_valence(const td_halfedge_mesh *mesh, uint32_t vertex);

// Whether merging the target of h into its origin leaves a closed manifold: the two have no common neighbours
// but the two corners across the edge, and those keep at least three edges each.
bool td_halfedge_may_collapse(const td_halfedge_mesh *mesh, uint32_t h);

// The origin stays, where it is; the target and the two triangles at the edge die. Only if it may.
void td_halfedge_collapse(td_halfedge_mesh *mesh, uint32_t h);

// Whether the edge may be replaced by the one between the two corners across it: they are not neighbours yet,
// and its ends keep at least three edges each.
bool td_halfedge_may_flip(const td_halfedge_mesh *mesh, uint32_t h);

// Afterwards h runs from the corner that was across it to the one across its twin. Only if it may.
void td_halfedge_flip(td_halfedge_mesh *mesh, uint32_t h);

#endif
