#include "creases.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../math/quat.h"
#include "edges.h"

#include <stdlib.h>
#include <string.h>

static const double td_crease_cosine = 0.76604444311897804; // of 40 degrees

typedef struct td_creases {
    const td_connectivity *mesh;
    const td_vec3 *normals; // per triangle
    size_t corner_count;
    uint32_t *first;       // per vertex: where its corners begin in `around`, and their end behind the last
    uint32_t *around;      // corners, by welded vertex
    uint32_t *parent;      // per corner: of the union-find of those that share a normal
    struct td_side *sides; // room for those about one vertex
    size_t side_count;
} td_creases;

// A side of a triangle that begins or ends at the vertex that is looked at.
typedef struct td_side {
    uint32_t far; // its other end
    uint32_t corner;
} td_side;

// ---------------------------------------------------------------------------------------------------------
// Normals

static td_vec3 td_corner_position(const double *positions, const uint32_t *triangles, size_t corner) {
    const double *p = positions + 3 * (size_t)triangles[corner];
    return td_vec3_make(p[0], p[1], p[2]);
}

static td_vec3 td_unit_or_zero(td_vec3 v) {
    const double length = td_length(v);
    return length > 0 && isfinite(length) ? td_scale(v, 1 / length) : td_vec3_make(0, 0, 0);
}

void td_find_face_normals(td_vec3 *normals, const double *positions, const uint32_t *triangles,
                          uint32_t triangle_count) {
    for (size_t t = 0; t < triangle_count; ++t) {
        const td_vec3 p = td_corner_position(positions, triangles, 3 * t);
        const td_vec3 u = td_sub(td_corner_position(positions, triangles, 3 * t + 1), p);
        const td_vec3 v = td_sub(td_corner_position(positions, triangles, 3 * t + 2), p);
        normals[t] = td_unit_or_zero(td_cross(u, v));
    }
}

static double td_corner_angle(const double *positions, const uint32_t *triangles, size_t corner) {
    const size_t triangle = corner - corner % 3;
    const td_vec3 p = td_corner_position(positions, triangles, corner);
    const td_vec3 q = td_corner_position(positions, triangles, triangle + (corner + 1) % 3);
    const td_vec3 r = td_corner_position(positions, triangles, triangle + (corner + 2) % 3);
    const td_vec3 u = td_unit_or_zero(td_sub(q, p)), v = td_unit_or_zero(td_sub(r, p));
    return atan2(td_length(td_cross(u, v)), td_dot(u, v));
}

void td_find_shared_normals(td_vec3 *normals, uint32_t count, const uint32_t *shared,
                            const td_vec3 *face_normals, const double *positions, const uint32_t *triangles,
                            uint32_t triangle_count) {
    for (size_t n = 0; n < count; ++n) {
        normals[n] = td_vec3_make(0, 0, 0);
    }
    for (size_t c = 0; c < 3 * (size_t)triangle_count; ++c) {
        td_vec3 *sum = &normals[shared[c]];
        *sum = td_add(*sum, td_scale(face_normals[c / 3], td_corner_angle(positions, triangles, c)));
    }
    for (size_t n = 0; n < count; ++n) {
        normals[n] = td_unit_or_zero(normals[n]);
        if (td_dot(normals[n], normals[n]) == 0) {
            normals[n] = td_vec3_make(0, 1, 0);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Which corners share a normal

static uint32_t td_welded_corner(const td_creases *creases, size_t corner) {
    const uint32_t vertex = creases->mesh->triangles[corner];
    return creases->mesh->weld ? creases->mesh->weld[vertex] : vertex;
}

// Counting sort of the corners by their vertex.
static void td_gather_corners(td_creases *creases) {
    const size_t vertices = creases->mesh->vertex_count;
    uint32_t *first = creases->first;
    memset(first, 0, (vertices + 2) * sizeof *first);
    for (size_t c = 0; c < creases->corner_count; ++c) {
        ++first[(size_t)td_welded_corner(creases, c) + 2];
    }
    for (size_t v = 2; v < vertices + 2; ++v) {
        first[v] += first[v - 1];
    }
    for (size_t c = 0; c < creases->corner_count; ++c) {
        creases->around[first[(size_t)td_welded_corner(creases, c) + 1]++] = (uint32_t)c;
    }
}

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
static void td_join_corners(td_creases *creases, size_t vertex) {
    size_t count = 0;
    for (uint32_t i = creases->first[vertex]; i < creases->first[vertex + 1]; ++i) {
        const uint32_t corner = creases->around[i], triangle = corner - corner % 3;
        for (uint32_t k = 1; k < 3; ++k) {
            const uint32_t far = td_welded_corner(creases, triangle + (corner + k) % 3);
            creases->sides[count++] = (td_side){far, corner};
        }
    }
    qsort(creases->sides, count, sizeof *creases->sides, td_compare_sides);
    for (size_t i = 1; i < count; ++i) {
        const td_side a = creases->sides[i - 1], b = creases->sides[i];
        if (a.far == b.far &&
            td_dot(creases->normals[a.corner / 3], creases->normals[b.corner / 3]) >= td_crease_cosine) {
            const uint32_t one = td_find_set(creases->parent, a.corner);
            const uint32_t other = td_find_set(creases->parent, b.corner);
            creases->parent[one > other ? one : other] = one < other ? one : other;
        }
    }
}

// The lowest corner of a set stands for it, so it comes first.
static uint32_t td_number_sets(td_creases *creases, uint32_t *shared) {
    uint32_t count = 0;
    for (size_t c = 0; c < creases->corner_count; ++c) {
        const uint32_t set = td_find_set(creases->parent, (uint32_t)c);
        shared[c] = set == c ? count++ : shared[set];
    }
    return count;
}

static td_result td_find_sets(uint32_t *shared, uint32_t *count, td_context *context, td_creases *creases) {
    td_gather_corners(creases);
    for (size_t v = 0; v < creases->mesh->vertex_count; ++v) {
        const size_t sides = 2 * (size_t)(creases->first[v + 1] - creases->first[v]);
        creases->side_count = sides > creases->side_count ? sides : creases->side_count;
    }
    creases->sides = TD_NEW(context, td_side, creases->side_count);
    if (creases->sides == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (size_t c = 0; c < creases->corner_count; ++c) {
        creases->parent[c] = (uint32_t)c;
    }
    for (size_t v = 0; v < creases->mesh->vertex_count; ++v) {
        td_join_corners(creases, v);
    }
    *count = td_number_sets(creases, shared);
    return TD_OK;
}

td_result td_find_creases(uint32_t *shared, uint32_t *count, td_context *context,
                          const td_connectivity *connectivity, const td_vec3 *face_normals) {
    const size_t corners = 3 * (size_t)connectivity->triangle_count, vertices = connectivity->vertex_count;
    if (connectivity->triangle_count > TD_EDGE_MAX_TRIANGLES || vertices > TD_EDGE_MAX_VERTICES) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%zu vertices and %u triangles are too many to be shaded",
                       vertices, connectivity->triangle_count);
    }
    td_creases creases = {.mesh = connectivity, .normals = face_normals, .corner_count = corners};
    creases.first = TD_NEW(context, uint32_t, vertices + 2);
    creases.around = TD_NEW(context, uint32_t, corners);
    creases.parent = TD_NEW(context, uint32_t, corners);
    td_result result = TD_ERROR_MEMORY;
    if (creases.first != NULL && creases.around != NULL && creases.parent != NULL) {
        result = td_find_sets(shared, count, context, &creases);
    }
    TD_DELETE(context, uint32_t, creases.first, vertices + 2);
    TD_DELETE(context, uint32_t, creases.around, corners);
    TD_DELETE(context, uint32_t, creases.parent, corners);
    TD_DELETE(context, td_side, creases.sides, creases.side_count);
    return result;
}
