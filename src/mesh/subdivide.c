// How an edge finds its new vertex in linear time: the edge table groups the uses of edges by their lower
// vertex. One walk over the groups numbers the edges and overwrites each use by the number of its new vertex;
// a second walk over the triangles meets the uses of each group in the very order in which they were put
// there, so it need not search.
#include "subdivide.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "arrays.h"
#include "edges.h"

#include <string.h>

// Overwrites each use by the index of its edge's new vertex: vertex_count, vertex_count + 1, ... Returns the
// index after the last. `newest` is scratch of one entry per vertex.
static uint32_t td_number_edges(td_edge_table *edges, uint32_t *newest) {
    uint32_t next = edges->vertex_count;
    memset(newest, 0, edges->vertex_count * sizeof *newest);
    for (size_t v = 0; v < edges->vertex_count; ++v) {
        const uint32_t group_start = next; // what `newest` holds from before belongs to other groups
        for (uint32_t i = edges->first[v]; i < edges->first[v + 1]; ++i) {
            const uint32_t upper = edges->uses[i] / 2;
            if (newest[upper] < group_start) {
                newest[upper] = next++;
            }
            edges->uses[i] = newest[upper];
        }
    }
    return next;
}

// Takes the next use of the group that the edge belongs to; `first` moves on through the group.
static uint32_t td_take_new_vertex(td_edge_table *edges, uint32_t from, uint32_t to) {
    return from == to ? from : edges->uses[edges->first[td_edge_lower(from, to)]++];
}

static void td_split_triangles(td_mesh_arrays *out, const td_mesh_arrays *mesh, td_edge_table *edges) {
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)t;
        const uint32_t a = corner[0];
        const uint32_t b = corner[1];
        const uint32_t c = corner[2];
        const uint32_t ab = td_take_new_vertex(edges, a, b);
        const uint32_t bc = td_take_new_vertex(edges, b, c);
        const uint32_t ca = td_take_new_vertex(edges, c, a);
        td_arrays_set_triangle(out, 4 * t, a, ab, ca);
        td_arrays_set_triangle(out, 4 * t + 1, ab, b, bc);
        td_arrays_set_triangle(out, 4 * t + 2, ca, bc, c);
        td_arrays_set_triangle(out, 4 * t + 3, ab, bc, ca);
    }
}

static td_vec3 td_midpoint(td_vec3 a, td_vec3 b) {
    return td_add(td_scale(a, 0.5), td_scale(b, 0.5));
}

// Reads the ends of each edge off the corner triangles. A new vertex is placed once, although each triangle
// of its edge comes by; `placed` is scratch of one entry per new vertex.
static void td_place_new_vertices(td_mesh_arrays *out, uint32_t old_vertex_count, uint8_t *placed,
                                  td_edge_point_fn *point) {
    memset(placed, 0, out->vertex_count - old_vertex_count);
    for (uint32_t t = 0; t < out->triangle_count; t += 4) {
        const uint32_t *first = out->triangles + 3 * (size_t)t;
        const uint32_t corner[3] = {first[0], first[4], first[8]};
        const uint32_t middle[3] = {first[1], first[5], first[6]};
        for (int k = 0; k < 3; ++k) {
            if (middle[k] < old_vertex_count || placed[middle[k] - old_vertex_count]) {
                continue;
            }
            placed[middle[k] - old_vertex_count] = 1;
            const td_vec3 a = td_arrays_vertex(out, corner[k]);
            const td_vec3 b = td_arrays_vertex(out, corner[k == 2 ? 0 : k + 1]);
            td_arrays_set_vertex(out, middle[k], point == NULL ? td_midpoint(a, b) : point(a, b));
        }
    }
}

static td_result td_fill_subdivided(td_mesh_arrays *out, td_context *context, const td_mesh_arrays *mesh,
                                    td_edge_table *edges, uint32_t vertex_count, td_edge_point_fn *point) {
    const uint32_t new_count = vertex_count - mesh->vertex_count;
    TD_TRY(td_arrays_create(out, context, vertex_count, 4 * mesh->triangle_count));
    uint8_t *placed = TD_NEW(context, uint8_t, new_count);
    if (placed == NULL) {
        td_arrays_release(out, context);
        return TD_ERROR_MEMORY;
    }
    memcpy(out->positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
    td_split_triangles(out, mesh, edges);
    td_place_new_vertices(out, mesh->vertex_count, placed, point);
    TD_DELETE(context, uint8_t, placed, new_count);
    return TD_OK;
}

td_result td_subdivide(td_mesh_arrays *out, td_context *context, const td_mesh_arrays *mesh,
                       td_edge_point_fn *point) {
    if (mesh->triangle_count > TD_SUBDIVIDE_MAX_TRIANGLES || mesh->vertex_count > TD_EDGE_MAX_VERTICES) {
        return td_fail(TD_ERROR_ARGUMENT, "%u triangles on %u vertices are too many to be split in four",
                       mesh->triangle_count, mesh->vertex_count);
    }
    td_edge_table edges;
    TD_TRY(td_edge_table_create(&edges, context, mesh->triangles, mesh->triangle_count, NULL,
                                mesh->vertex_count));
    td_result result = TD_ERROR_MEMORY;
    uint32_t *newest = TD_NEW(context, uint32_t, mesh->vertex_count);
    if (newest != NULL) {
        const uint32_t vertex_count = td_number_edges(&edges, newest);
        TD_DELETE(context, uint32_t, newest, mesh->vertex_count);
        result = td_fill_subdivided(out, context, mesh, &edges, vertex_count, point);
    }
    td_edge_table_destroy(&edges, context);
    return result;
}
