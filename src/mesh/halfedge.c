#include "halfedge.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "arrays.h"
#include "edges.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Making and unmaking

// Matches the half-edges that run up from vertex v with those that run down to it. `half_edges` tells the
// half-edge of each use; `up` is scratch of one entry per vertex, TD_DEAD before and, on success, after: the
// half-edge that runs up to it.
static td_result td_match_group(td_halfedge_mesh *mesh, const td_edge_table *edges, uint32_t v,
                                const uint32_t *half_edges, uint32_t *up) {
    const uint32_t start = edges->first[v];
    const uint32_t end = edges->first[(size_t)v + 1];
    for (uint32_t i = start; i < end; ++i) {
        const uint32_t upper = edges->uses[i] / 2;
        if (edges->uses[i] % 2 == 0) {
            if (up[upper] != TD_DEAD) {
                return td_fail(TD_ERROR_MESH, "two triangles run from vertex %u to vertex %u", v, upper);
            }
            up[upper] = half_edges[i];
        }
    }
    for (uint32_t i = start; i < end; ++i) {
        const uint32_t upper = edges->uses[i] / 2;
        if (edges->uses[i] % 2 == 1) {
            if (up[upper] == TD_DEAD) {
                return td_fail(TD_ERROR_MESH, "more triangles run from vertex %u to vertex %u than back",
                               upper, v);
            }
            mesh->twin[half_edges[i]] = up[upper];
            mesh->twin[up[upper]] = half_edges[i];
            up[upper] = TD_DEAD;
        }
    }
    return TD_OK;
}

// The half-edge of each use: the table holds them in the order of triangles and corners. `first` moves on
// through each group, to where the next one starts, and is shifted back by one group in the end.
static void td_list_half_edges(uint32_t *half_edges, td_edge_table *edges, const td_halfedge_mesh *mesh) {
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        const uint32_t lower = td_edge_lower(mesh->origin[h], td_halfedge_target(mesh, h));
        half_edges[edges->first[lower]++] = h;
    }
    for (uint32_t v = edges->vertex_count; v > 0; --v) {
        edges->first[v] = edges->first[v - 1];
    }
    edges->first[0] = 0;
}

static td_result td_find_twins(td_halfedge_mesh *mesh, td_context *context, td_edge_table *edges) {
    const size_t half_edge_count = 3 * (size_t)mesh->triangle_count;
    if (edges->first[mesh->vertex_count] != half_edge_count) {
        return td_fail(TD_ERROR_MESH, "a triangle names one vertex twice");
    }
    uint32_t *half_edges = TD_NEW(context, uint32_t, half_edge_count);
    uint32_t *up = TD_NEW(context, uint32_t, mesh->vertex_count);
    td_result result = TD_ERROR_MEMORY;
    if (half_edges != NULL && up != NULL) {
        memset(up, 0xff, mesh->vertex_count * sizeof *up);
        memset(mesh->twin, 0xff, half_edge_count * sizeof *mesh->twin);
        td_list_half_edges(half_edges, edges, mesh);
        result = TD_OK;
        for (uint32_t v = 0; v < mesh->vertex_count && result == TD_OK; ++v) {
            result = td_match_group(mesh, edges, v, half_edges, up);
        }
    }
    TD_DELETE(context, uint32_t, half_edges, half_edge_count);
    TD_DELETE(context, uint32_t, up, mesh->vertex_count);
    return result;
}

static td_result td_fill_halfedges(td_halfedge_mesh *mesh, td_context *context,
                                   const td_mesh_arrays *arrays) {
    memcpy(mesh->origin, arrays->triangles, 3 * (size_t)mesh->triangle_count * sizeof *mesh->origin);
    memset(mesh->leaving, 0xff, mesh->vertex_count * sizeof *mesh->leaving);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[v] = td_arrays_vertex(arrays, v);
    }
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        mesh->leaving[mesh->origin[h]] = h;
    }
    td_edge_table edges;
    TD_TRY(td_edge_table_create(&edges, context, arrays->triangles, arrays->triangle_count, NULL,
                                arrays->vertex_count));
    const td_result result = td_find_twins(mesh, context, &edges);
    td_edge_table_destroy(&edges, context);
    TD_TRY(result);
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        if (mesh->twin[h] == TD_DEAD) {
            return td_fail(TD_ERROR_MESH, "triangle %u has no neighbour along an edge", h / 3);
        }
    }
    return TD_OK;
}

td_result td_halfedge_create(td_halfedge_mesh *out, td_context *context, const td_mesh_arrays *arrays) {
    td_halfedge_mesh mesh = {.vertex_count = arrays->vertex_count,
                             .triangle_count = arrays->triangle_count,
                             .live_triangle_count = arrays->triangle_count};
    mesh.positions = TD_NEW(context, td_vec3, mesh.vertex_count);
    mesh.leaving = TD_NEW(context, uint32_t, mesh.vertex_count);
    mesh.origin = TD_NEW(context, uint32_t, 3 * (size_t)mesh.triangle_count);
    mesh.twin = TD_NEW(context, uint32_t, 3 * (size_t)mesh.triangle_count);
    td_result result = TD_ERROR_MEMORY;
    if (mesh.positions != NULL && mesh.leaving != NULL && mesh.origin != NULL && mesh.twin != NULL) {
        result = td_fill_halfedges(&mesh, context, arrays);
    }
    if (result != TD_OK) {
        td_halfedge_destroy(&mesh, context);
        return result;
    }
    *out = mesh;
    return TD_OK;
}

void td_halfedge_destroy(td_halfedge_mesh *mesh, td_context *context) {
    TD_DELETE(context, td_vec3, mesh->positions, mesh->vertex_count);
    TD_DELETE(context, uint32_t, mesh->leaving, mesh->vertex_count);
    TD_DELETE(context, uint32_t, mesh->origin, 3 * (size_t)mesh->triangle_count);
    TD_DELETE(context, uint32_t, mesh->twin, 3 * (size_t)mesh->triangle_count);
    *mesh = (td_halfedge_mesh){0};
}

td_result td_halfedge_to_arrays(td_mesh_arrays *out, td_context *context, const td_halfedge_mesh *mesh) {
    uint32_t *number = TD_NEW(context, uint32_t, mesh->vertex_count);
    if (number == NULL) {
        return TD_ERROR_MEMORY;
    }
    uint32_t live_vertex_count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        number[v] = live_vertex_count;
        live_vertex_count += mesh->leaving[v] != TD_DEAD;
    }
    const td_result result = td_arrays_create(out, context, live_vertex_count, mesh->live_triangle_count);
    if (result == TD_OK) {
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            if (mesh->leaving[v] != TD_DEAD) {
                td_arrays_set_vertex(out, number[v], mesh->positions[v]);
            }
        }
        uint32_t t = 0;
        for (uint32_t h = 0; h < 3 * mesh->triangle_count; h += 3) {
            if (mesh->origin[h] != TD_DEAD) {
                td_arrays_set_triangle(out, t++, number[mesh->origin[h]], number[mesh->origin[h + 1]],
                                       number[mesh->origin[h + 2]]);
            }
        }
    }
    TD_DELETE(context, uint32_t, number, mesh->vertex_count);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Editing

uint32_t td_halfedge_valence(const td_halfedge_mesh *mesh, uint32_t vertex) {
    uint32_t valence = 0;
    uint32_t h = mesh->leaving[vertex];
    do {
        ++valence;
        h = td_halfedge_rotate(mesh, h);
    } while (h != mesh->leaving[vertex]);
    return valence;
}

static bool td_are_neighbours(const td_halfedge_mesh *mesh, uint32_t a, uint32_t b) {
    uint32_t h = mesh->leaving[a];
    do {
        if (td_halfedge_target(mesh, h) == b) {
            return true;
        }
        h = td_halfedge_rotate(mesh, h);
    } while (h != mesh->leaving[a]);
    return false;
}

// The corner of h's triangle that is not on h.
static uint32_t td_corner_across(const td_halfedge_mesh *mesh, uint32_t h) {
    return mesh->origin[td_halfedge_previous(h)];
}

bool td_halfedge_may_collapse(const td_halfedge_mesh *mesh, uint32_t h) {
    const uint32_t target = td_halfedge_target(mesh, h);
    if (td_halfedge_valence(mesh, td_corner_across(mesh, h)) <= 3 ||
        td_halfedge_valence(mesh, td_corner_across(mesh, mesh->twin[h])) <= 3) {
        return false;
    }
    uint32_t common = 0;
    uint32_t g = h;
    do {
        common += td_are_neighbours(mesh, td_halfedge_target(mesh, g), target);
        g = td_halfedge_rotate(mesh, g);
    } while (g != h);
    return common == 2;
}

// Takes the triangle of h out: the neighbours along its two other sides become each other's.
static void td_close_triangle(td_halfedge_mesh *mesh, uint32_t h) {
    const uint32_t next = td_halfedge_next(h);
    const uint32_t previous = td_halfedge_previous(h);
    const uint32_t beside_next = mesh->twin[next];
    const uint32_t beside_previous = mesh->twin[previous];
    mesh->twin[beside_next] = beside_previous;
    mesh->twin[beside_previous] = beside_next;
    mesh->leaving[mesh->origin[beside_next]] = beside_next;
    mesh->leaving[mesh->origin[beside_previous]] = beside_previous;
    mesh->origin[h] = mesh->origin[next] = mesh->origin[previous] = TD_DEAD;
    --mesh->live_triangle_count;
}

void td_halfedge_collapse(td_halfedge_mesh *mesh, uint32_t h) {
    const uint32_t kept = mesh->origin[h];
    const uint32_t lost = td_halfedge_target(mesh, h);
    const uint32_t twin = mesh->twin[h];
    uint32_t g = mesh->leaving[lost];
    do {
        mesh->origin[g] = kept;
        g = td_halfedge_rotate(mesh, g);
    } while (g != mesh->leaving[lost]);
    td_close_triangle(mesh, h);
    td_close_triangle(mesh, twin);
    mesh->leaving[lost] = TD_DEAD;
}

bool td_halfedge_may_flip(const td_halfedge_mesh *mesh, uint32_t h) {
    return td_halfedge_valence(mesh, mesh->origin[h]) > 3 &&
           td_halfedge_valence(mesh, td_halfedge_target(mesh, h)) > 3 &&
           !td_are_neighbours(mesh, td_corner_across(mesh, h), td_corner_across(mesh, mesh->twin[h]));
}

static void td_make_twins(td_halfedge_mesh *mesh, uint32_t a, uint32_t b) {
    mesh->twin[a] = b;
    mesh->twin[b] = a;
}

// Before: h runs u to v in (u, v, a), its twin v to u in (v, u, b). After: (a, b, v) and (b, a, u).
void td_halfedge_flip(td_halfedge_mesh *mesh, uint32_t h) {
    const uint32_t g = mesh->twin[h];
    const uint32_t h1 = td_halfedge_next(h);
    const uint32_t h2 = td_halfedge_previous(h);
    const uint32_t g1 = td_halfedge_next(g);
    const uint32_t g2 = td_halfedge_previous(g);
    const uint32_t u = mesh->origin[h];
    const uint32_t v = mesh->origin[g];
    const uint32_t a = mesh->origin[h2];
    const uint32_t b = mesh->origin[g2];
    const uint32_t beside_va = mesh->twin[h1];
    const uint32_t beside_au = mesh->twin[h2];
    const uint32_t beside_ub = mesh->twin[g1];
    const uint32_t beside_bv = mesh->twin[g2];
    mesh->origin[h] = a;
    mesh->origin[h1] = b;
    mesh->origin[h2] = v;
    mesh->origin[g] = b;
    mesh->origin[g1] = a;
    mesh->origin[g2] = u;
    td_make_twins(mesh, h1, beside_bv);
    td_make_twins(mesh, h2, beside_va);
    td_make_twins(mesh, g1, beside_au);
    td_make_twins(mesh, g2, beside_ub);
    mesh->leaving[a] = h;
    mesh->leaving[b] = g;
    mesh->leaving[v] = h2;
    mesh->leaving[u] = g2;
}
