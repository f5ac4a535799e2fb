#include "export_shading.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../mesh/creases.h"
#include "../mesh/edges.h"
#include "../mesh/weld.h"

#include <float.h>

// What is needed while a mesh is shaded.
typedef struct td_shading {
    const td_mesh_arrays *mesh;
    uint32_t *weld;        // per vertex: the first at its position
    td_vec3 *face_normals; // per triangle
} td_shading;

static td_result td_put_normals(td_shaded_mesh *out, td_context *context, const td_shading *shading) {
    const td_mesh_arrays *mesh = shading->mesh;
    td_vec3 *normals = TD_NEW(context, td_vec3, out->vertex_count);
    if (normals == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_find_shared_normals(normals, out->vertex_count, out->corners, shading->face_normals, mesh->positions,
                           mesh->triangles, mesh->triangle_count);
    for (size_t v = 0; v < out->vertex_count; ++v) {
        out->normals[3 * v] = (float)normals[v].x;
        out->normals[3 * v + 1] = (float)normals[v].y;
        out->normals[3 * v + 2] = (float)normals[v].z;
    }
    TD_DELETE(context, td_vec3, normals, out->vertex_count);
    return TD_OK;
}

static td_result td_put_positions(td_shaded_mesh *out, const td_shading *shading) {
    const td_mesh_arrays *mesh = shading->mesh;
    for (size_t c = 0; c < 3 * (size_t)mesh->triangle_count; ++c) {
        const double *position = mesh->positions + 3 * (size_t)mesh->triangles[c];
        double square = 0;
        for (size_t k = 0; k < 3; ++k) {
            if (fabs(position[k]) > (double)FLT_MAX) {
                return td_fail(TD_ERROR_UNSUPPORTED, "vertex %u: %c is %g, which float32 cannot hold",
                               mesh->triangles[c], "xyz"[k], position[k]);
            }
            const float rounded = (float)position[k];
            out->positions[3 * (size_t)out->corners[c] + k] = rounded;
            square += (position[k] - (double)rounded) * (position[k] - (double)rounded);
        }
        out->rounding = fmax(out->rounding, sqrt(square));
    }
    return TD_OK;
}

static td_result td_make_vertices(td_shaded_mesh *out, td_context *context, const td_shading *shading) {
    const size_t coordinates = 3 * (size_t)out->vertex_count;
    out->positions = TD_NEW(context, float, coordinates);
    out->normals = TD_NEW(context, float, coordinates);
    if (out->positions == NULL || out->normals == NULL) {
        return TD_ERROR_MEMORY;
    }
    TD_TRY(td_put_normals(out, context, shading));
    return td_put_positions(out, shading);
}

static td_result td_find_closed(bool *out, td_context *context, const td_connectivity *connectivity) {
    td_topology topology;
    TD_TRY(td_find_topology(&topology, context, connectivity));
    *out = topology.closed;
    TD_DELETE(context, uint32_t, topology.seeds, topology.seed_count);
    return TD_OK;
}

static td_result td_check_counts(const td_mesh_arrays *mesh) {
    if (mesh->triangle_count > TD_EDGE_MAX_TRIANGLES || mesh->vertex_count > TD_EDGE_MAX_VERTICES) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%u vertices and %u triangles are too many to be shaded",
                       mesh->vertex_count, mesh->triangle_count);
    }
    return TD_OK;
}

static td_result td_weld_mesh(uint32_t *weld, td_context *context, const td_mesh_arrays *mesh) {
    return td_weld(weld, context, (const unsigned char *)mesh->positions, TD_FLOAT64, 3 * sizeof(double),
                   mesh->vertex_count);
}

td_result td_find_mesh_closed(bool *out, td_context *context, const td_mesh_arrays *mesh) {
    TD_TRY(td_check_counts(mesh));
    uint32_t *weld = TD_NEW(context, uint32_t, mesh->vertex_count);
    td_result result = weld != NULL ? td_weld_mesh(weld, context, mesh) : TD_ERROR_MEMORY;
    if (result == TD_OK) {
        const td_connectivity connectivity = {.triangles = mesh->triangles,
                                              .triangle_count = mesh->triangle_count,
                                              .weld = weld,
                                              .vertex_count = mesh->vertex_count};
        result = td_find_closed(out, context, &connectivity);
    }
    TD_DELETE(context, uint32_t, weld, mesh->vertex_count);
    return result;
}

static td_result td_shade(td_shaded_mesh *out, td_context *context, td_shading *shading) {
    const td_mesh_arrays *mesh = shading->mesh;
    TD_TRY(td_weld_mesh(shading->weld, context, mesh));
    const td_connectivity connectivity = {.triangles = mesh->triangles,
                                          .triangle_count = mesh->triangle_count,
                                          .weld = shading->weld,
                                          .vertex_count = mesh->vertex_count};
    TD_TRY(td_find_closed(&out->closed, context, &connectivity));
    td_find_face_normals(shading->face_normals, mesh->positions, mesh->triangles, mesh->triangle_count);
    TD_TRY(td_find_creases(out->corners, &out->vertex_count, context, &connectivity, shading->face_normals));
    return td_make_vertices(out, context, shading);
}

td_result td_shade_mesh(td_shaded_mesh *out, td_context *context, const td_mesh_arrays *mesh) {
    TD_TRY(td_check_counts(mesh));
    *out = (td_shaded_mesh){.triangle_count = mesh->triangle_count};
    td_shading shading = {.mesh = mesh};
    shading.weld = TD_NEW(context, uint32_t, mesh->vertex_count);
    shading.face_normals = TD_NEW(context, td_vec3, mesh->triangle_count);
    out->corners = TD_NEW(context, uint32_t, 3 * (size_t)mesh->triangle_count);
    td_result result = TD_ERROR_MEMORY;
    if (shading.weld != NULL && shading.face_normals != NULL && out->corners != NULL) {
        result = td_shade(out, context, &shading);
    }
    TD_DELETE(context, uint32_t, shading.weld, mesh->vertex_count);
    TD_DELETE(context, td_vec3, shading.face_normals, mesh->triangle_count);
    if (result != TD_OK) {
        td_release_shaded_mesh(out, context);
    }
    return result;
}

void td_release_shaded_mesh(td_shaded_mesh *mesh, td_context *context) {
    TD_DELETE(context, float, mesh->positions, 3 * (size_t)mesh->vertex_count);
    TD_DELETE(context, float, mesh->normals, 3 * (size_t)mesh->vertex_count);
    TD_DELETE(context, uint32_t, mesh->corners, 3 * (size_t)mesh->triangle_count);
    *mesh = (td_shaded_mesh){0};
}
