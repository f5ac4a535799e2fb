#include "export_shading.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../math/quat.h"
#include "../mesh/edges.h"
#include "../mesh/topology.h"
#include "../mesh/weld.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double td_crease_cosine = 0.76604444311897804; // of 40 degrees

// A corner of a triangle is 3 * triangle + 0, 1 or 2.
typedef struct td_shading {
    const td_mesh_arrays *mesh;
    size_t corner_count;
    uint32_t *weld;        // per vertex: the first at its position
    uint32_t *first;       // per vertex: where its corners begin in `around`, and their end behind the last
    uint32_t *around;      // corners, by welded vertex
    uint32_t *parent;      // per corner: of the union-find of those that share a normal
    uint32_t *vertex;      // per corner that stands for its set: the vertex it becomes
    td_vec3 *normals;      // per triangle, of length 1; 0 if it has no area
    struct td_side *sides; // room for those about one vertex
    size_t side_count;
} td_shading;

// A side of a triangle that begins or ends at the vertex that is looked at.
typedef struct td_side {
    uint32_t far; // its other end
    uint32_t corner;
} td_side;

static td_vec3 td_corner_position(const td_shading *shading, size_t corner) {
    const double *p = shading->mesh->positions + 3 * (size_t)shading->mesh->triangles[corner];
    return td_vec3_make(p[0], p[1], p[2]);
}

static td_vec3 td_unit_or_zero(td_vec3 v) {
    const double length = td_length(v);
    return length > 0 && isfinite(length) ? td_scale(v, 1 / length) : td_vec3_make(0, 0, 0);
}

static void td_find_face_normals(td_shading *shading) {
    for (size_t t = 0; t < shading->mesh->triangle_count; ++t) {
        const td_vec3 p = td_corner_position(shading, 3 * t);
        const td_vec3 u = td_sub(td_corner_position(shading, 3 * t + 1), p);
        const td_vec3 v = td_sub(td_corner_position(shading, 3 * t + 2), p);
        shading->normals[t] = td_unit_or_zero(td_cross(u, v));
    }
}

static uint32_t td_welded_corner(const td_shading *shading, size_t corner) {
    return shading->weld[shading->mesh->triangles[corner]];
}

// Counting sort of the corners by their vertex.
static void td_gather_corners(td_shading *shading) {
    const size_t vertices = shading->mesh->vertex_count;
    uint32_t *first = shading->first;
    memset(first, 0, (vertices + 2) * sizeof *first);
    for (size_t c = 0; c < shading->corner_count; ++c) {
        ++first[(size_t)td_welded_corner(shading, c) + 2];
    }
    for (size_t v = 2; v < vertices + 2; ++v) {
        first[v] += first[v - 1];
    }
    for (size_t c = 0; c < shading->corner_count; ++c) {
        shading->around[first[(size_t)td_welded_corner(shading, c) + 1]++] = (uint32_t)c;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Which corners share a normal

static uint32_t td_find_set(uint32_t *parent, uint32_t corner) {
    while (parent[corner] != corner) {
        parent[corner] = parent[parent[corner]];
        corner = parent[corner];
    }
    return corner;
}

static int td_compare_sides(const void *a, const void *b) {
    const td_side *first = a, *second = b;
    return first->far != second->far ? (first->far > second->far) - (first->far < second->far)
                                     : (first->corner > second->corner) - (first->corner < second->corner);
}

// Triangles about a vertex that share a side become neighbours in the sorted list: linear in all but the
// sorting, whatever the valence is.
static void td_join_corners(td_shading *shading, size_t vertex) {
    size_t count = 0;
    for (uint32_t i = shading->first[vertex]; i < shading->first[vertex + 1]; ++i) {
        const uint32_t corner = shading->around[i], triangle = corner - corner % 3;
        for (uint32_t k = 1; k < 3; ++k) {
            const uint32_t far = td_welded_corner(shading, triangle + (corner + k) % 3);
            shading->sides[count++] = (td_side){far, corner};
        }
    }
    qsort(shading->sides, count, sizeof *shading->sides, td_compare_sides);
    for (size_t i = 1; i < count; ++i) {
        const td_side a = shading->sides[i - 1], b = shading->sides[i];
        if (a.far == b.far &&
            td_dot(shading->normals[a.corner / 3], shading->normals[b.corner / 3]) >= td_crease_cosine) {
            const uint32_t one = td_find_set(shading->parent, a.corner);
            const uint32_t other = td_find_set(shading->parent, b.corner);
            shading->parent[one > other ? one : other] = one < other ? one : other;
        }
    }
}

static void td_find_sets(td_shading *shading) {
    for (size_t c = 0; c < shading->corner_count; ++c) {
        shading->parent[c] = (uint32_t)c;
    }
    for (size_t v = 0; v < shading->mesh->vertex_count; ++v) {
        td_join_corners(shading, v);
    }
}

// Vertices in the order in which the triangles name them. Returns how many.
static uint32_t td_number_vertices(td_shading *shading, uint32_t *corners) {
    uint32_t count = 0;
    for (size_t c = 0; c < shading->corner_count; ++c) {
        const uint32_t set = td_find_set(shading->parent, (uint32_t)c);
        if (set == c) { // the lowest of its set, so it comes first
            shading->vertex[c] = count++;
        }
        corners[c] = shading->vertex[set];
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------------
// Vertices

static double td_corner_angle(const td_shading *shading, size_t corner) {
    const size_t triangle = corner - corner % 3;
    const td_vec3 p = td_corner_position(shading, corner);
    const td_vec3 u = td_unit_or_zero(td_sub(td_corner_position(shading, triangle + (corner + 1) % 3), p));
    const td_vec3 v = td_unit_or_zero(td_sub(td_corner_position(shading, triangle + (corner + 2) % 3), p));
    return atan2(td_length(td_cross(u, v)), td_dot(u, v));
}

// `sums` has room for the vertices of `out`.
static void td_set_normals(td_shaded_mesh *out, const td_shading *shading, td_vec3 *sums) {
    for (size_t v = 0; v < out->vertex_count; ++v) {
        sums[v] = td_vec3_make(0, 0, 0);
    }
    for (size_t c = 0; c < shading->corner_count; ++c) {
        td_vec3 *sum = &sums[out->corners[c]];
        *sum = td_add(*sum, td_scale(shading->normals[c / 3], td_corner_angle(shading, c)));
    }
    for (size_t v = 0; v < out->vertex_count; ++v) {
        td_vec3 normal = td_unit_or_zero(sums[v]);
        if (td_dot(normal, normal) == 0) {
            normal = td_vec3_make(0, 1, 0); // of a triangle without area: any will do
        }
        out->normals[3 * v] = (float)normal.x;
        out->normals[3 * v + 1] = (float)normal.y;
        out->normals[3 * v + 2] = (float)normal.z;
    }
}

static td_result td_put_positions(td_shaded_mesh *out, const td_shading *shading) {
    for (size_t c = 0; c < shading->corner_count; ++c) {
        const double *position = shading->mesh->positions + 3 * (size_t)shading->mesh->triangles[c];
        double square = 0;
        for (size_t k = 0; k < 3; ++k) {
            if (fabs(position[k]) > (double)FLT_MAX) {
                return td_fail(TD_ERROR_UNSUPPORTED, "vertex %u: %c is %g, which float32 cannot hold",
                               shading->mesh->triangles[c], "xyz"[k], position[k]);
            }
            const float rounded = (float)position[k];
            out->positions[3 * (size_t)out->corners[c] + k] = rounded;
            square += (position[k] - (double)rounded) * (position[k] - (double)rounded);
        }
        out->rounding = fmax(out->rounding, sqrt(square));
    }
    return TD_OK;
}

static td_result td_make_vertices(td_shaded_mesh *out, td_context *context, td_shading *shading) {
    out->vertex_count = td_number_vertices(shading, out->corners);
    const size_t coordinates = 3 * (size_t)out->vertex_count;
    out->positions = TD_NEW(context, float, coordinates);
    out->normals = TD_NEW(context, float, coordinates);
    td_vec3 *sums = TD_NEW(context, td_vec3, out->vertex_count);
    td_result result = TD_ERROR_MEMORY;
    if (out->positions != NULL && out->normals != NULL && sums != NULL) {
        td_set_normals(out, shading, sums);
        result = td_put_positions(out, shading);
    }
    TD_DELETE(context, td_vec3, sums, out->vertex_count);
    return result;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_find_closed(bool *out, td_context *context, const td_shading *shading) {
    td_topology topology;
    const td_connectivity connectivity = {.triangles = shading->mesh->triangles,
                                          .triangle_count = shading->mesh->triangle_count,
                                          .weld = shading->weld,
                                          .vertex_count = shading->mesh->vertex_count};
    TD_TRY(td_find_topology(&topology, context, &connectivity));
    *out = topology.closed;
    TD_DELETE(context, uint32_t, topology.seeds, topology.seed_count);
    return TD_OK;
}

static td_result td_shade(td_shaded_mesh *out, td_context *context, td_shading *shading) {
    const td_mesh_arrays *mesh = shading->mesh;
    TD_TRY(td_weld(shading->weld, context, (const unsigned char *)mesh->positions, TD_FLOAT64,
                   3 * sizeof(double), mesh->vertex_count));
    TD_TRY(td_find_closed(&out->closed, context, shading));
    td_gather_corners(shading);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const size_t sides = 2 * (size_t)(shading->first[v + 1] - shading->first[v]);
        shading->side_count = sides > shading->side_count ? sides : shading->side_count;
    }
    shading->sides = TD_NEW(context, td_side, shading->side_count);
    if (shading->sides == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_find_face_normals(shading);
    td_find_sets(shading);
    return td_make_vertices(out, context, shading);
}

static void td_release_shading(td_shading *shading, td_context *context) {
    const size_t corners = shading->corner_count, vertices = shading->mesh->vertex_count;
    TD_DELETE(context, uint32_t, shading->weld, vertices);
    TD_DELETE(context, uint32_t, shading->first, vertices + 2);
    TD_DELETE(context, uint32_t, shading->around, corners);
    TD_DELETE(context, uint32_t, shading->parent, corners);
    TD_DELETE(context, uint32_t, shading->vertex, corners);
    TD_DELETE(context, td_vec3, shading->normals, shading->mesh->triangle_count);
    TD_DELETE(context, td_side, shading->sides, shading->side_count);
}

td_result td_shade_mesh(td_shaded_mesh *out, td_context *context, const td_mesh_arrays *mesh) {
    const size_t corners = 3 * (size_t)mesh->triangle_count, vertices = mesh->vertex_count;
    if (mesh->triangle_count > TD_EDGE_MAX_TRIANGLES || mesh->vertex_count > TD_EDGE_MAX_VERTICES) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%u vertices and %u triangles are too many to be shaded",
                       mesh->vertex_count, mesh->triangle_count);
    }
    *out = (td_shaded_mesh){.triangle_count = mesh->triangle_count};
    td_shading shading = {.mesh = mesh, .corner_count = corners};
    shading.weld = TD_NEW(context, uint32_t, vertices);
    shading.first = TD_NEW(context, uint32_t, vertices + 2);
    shading.around = TD_NEW(context, uint32_t, corners);
    shading.parent = TD_NEW(context, uint32_t, corners);
    shading.vertex = TD_NEW(context, uint32_t, corners);
    shading.normals = TD_NEW(context, td_vec3, mesh->triangle_count);
    out->corners = TD_NEW(context, uint32_t, corners);
    td_result result = TD_ERROR_MEMORY;
    if (shading.weld != NULL && shading.first != NULL && shading.around != NULL && shading.parent != NULL &&
        shading.vertex != NULL && shading.normals != NULL && out->corners != NULL) {
        result = td_shade(out, context, &shading);
    }
    td_release_shading(&shading, context);
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
