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

static void td_make_facet(td_facet *out, const td_meeting *meeting, uint32_t side, uint32_t triangle) {
    const td_surface *surface = meeting->surfaces[side];
    const td_trimesh *mesh = &surface->mesh->triangles;
    const uint32_t *v = mesh->indices + 3 * (size_t)triangle;
    const td_vec3 p = td_trimesh_vertex(mesh, v[0]), q = td_trimesh_vertex(mesh, v[1]),
                  r = td_trimesh_vertex(mesh, v[2]);
    td_lanes4 x = {p.x, q.x, r.x, p.x}, y = {p.y, q.y, r.y, p.y}, z = {p.z, q.z, r.z, p.z};
    td_vec3 n = surface->normals[triangle];
    if (side == 1) { // as td_rigid_apply does it
        const td_rigid *m = &meeting->rigid;
        const td_lanes4 x0 = x, y0 = y, z0 = z;
        const td_vec3 n0 = n;
        x = m->row0.x * x0 + m->row0.y * y0 + m->row0.z * z0 + m->position.x;
        y = m->row1.x * x0 + m->row1.y * y0 + m->row1.z * z0 + m->position.y;
        z = m->row2.x * x0 + m->row2.y * y0 + m->row2.z * z0 + m->position.z;
        n = td_vec3_make(td_dot(m->row0, n0), td_dot(m->row1, n0), td_dot(m->row2, n0));
    }
    if (meeting->flipped[side]) {
        n = td_scale(n, -1);
    }
    out->x = x;
    out->y = y;
    out->z = z;
    out->normal = n;
    out->offset = n.x * x[0] + n.y * y[0] + n.z * z[0];
    for (int k = 0; k < 3; ++k) {
        out->vertices[k] = td_trimesh_welded(mesh, v[k]);
    }
    out->triangle = triangle;
    out->listed = 0;
}

td_result td_facets_get(uint32_t *out, td_facets *facets, td_context *context, const td_meeting *meeting,
                        uint32_t side, uint32_t triangle) {
    td_facet_mark *mark = &facets->marks[side].items[triangle];
    if (mark->epoch != facets->epoch) {
        TD_TRY(td_array_reserve(context, &facets->items[side], 1));
        *mark = (td_facet_mark){facets->epoch, (uint32_t)facets->items[side].count};
        td_make_facet(&facets->items[side].items[facets->items[side].count++], meeting, side, triangle);
    }
    *out = mark->facet;
    return TD_OK;
}
