#include "facets.h"

#include "../core/error.h"

void td_facets_release(td_facets *facets, td_context *context) {
    for (int side = 0; side < 2; ++side) {
        td_array_release(context, &facets->items[side]);
        td_array_release(context, &facets->marks[side]);
    }
}

td_result td_facets_start(td_facets *facets, td_context *context, const td_meeting *meeting) {
    for (int side = 0; side < 2; ++side) {
        const size_t triangles = meeting->surfaces[side]->mesh->triangles.triangle_count;
        facets->items[side].count = 0;
        if (facets->marks[side].count < triangles) {
            TD_TRY(td_array_reserve(context, &facets->marks[side], triangles - facets->marks[side].count));
            while (facets->marks[side].count < triangles) {
                facets->marks[side].items[facets->marks[side].count++].epoch = 0;
            }
        }
    }
    if (++facets->epoch == 0) { // wrapped: old marks would look fresh
        for (int side = 0; side < 2; ++side) {
            for (size_t i = 0; i < facets->marks[side].count; ++i) {
                facets->marks[side].items[i].epoch = 0;
            }
        }
        facets->epoch = 1;
    }
    return TD_OK;
}

static td_facet td_make_facet(const td_meeting *meeting, uint32_t side, uint32_t triangle) {
    const td_surface *surface = meeting->surfaces[side];
    const td_trimesh *mesh = &surface->mesh->triangles;
    td_facet facet = {.normal = surface->normals[triangle], .triangle = triangle};
    for (int k = 0; k < 3; ++k) {
        const uint32_t vertex = mesh->indices[3 * (size_t)triangle + (size_t)k];
        facet.vertices[k] = td_trimesh_welded(mesh, vertex);
        facet.points[k] = td_trimesh_vertex(mesh, vertex);
    }
    if (side == 1) {
        const td_rigid *m = &meeting->rigid;
        for (int k = 0; k < 3; ++k) {
            facet.points[k] = td_rigid_apply(*m, facet.points[k]);
        }
        const td_vec3 n = facet.normal;
        facet.normal = td_vec3_make(td_dot(m->row0, n), td_dot(m->row1, n), td_dot(m->row2, n));
    }
    return facet;
}

td_result td_facets_get(uint32_t *out, td_facets *facets, td_context *context, const td_meeting *meeting,
                        uint32_t side, uint32_t triangle) {
    td_facet_mark *mark = &facets->marks[side].items[triangle];
    if (mark->epoch != facets->epoch) {
        TD_TRY(td_array_reserve(context, &facets->items[side], 1));
        *mark = (td_facet_mark){facets->epoch, (uint32_t)facets->items[side].count};
        facets->items[side].items[facets->items[side].count++] = td_make_facet(meeting, side, triangle);
    }
    *out = mark->facet;
    return TD_OK;
}
