#include "facets.h"

#include "../core/error.h"

#include <string.h>

void td_facets_release(td_facets *facets, td_context *context) {
    for (int side = 0; side < 2; ++side) {
        td_array_release(context, &facets->items[side]);
        td_array_release(context, &facets->marks[side]);
    }
    td_array_release(context, &facets->met);
    td_array_release(context, &facets->numbers);
}

// Empties both sides, for another pair of meshes.
static td_result td_facets_start(td_facets *facets, td_context *context, const td_meeting *meeting) {
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

// Four numbers at once; how many the processor does at once changes no bits.
typedef double td_lanes4 __attribute__((vector_size(32)));

static inline void td_make_facet(td_facet *out, const td_meeting *meeting, uint32_t side, uint32_t triangle) {
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
    memcpy(out->x, &x, sizeof x);
    memcpy(out->y, &y, sizeof y);
    memcpy(out->z, &z, sizeof z);
    for (int k = 0; k < 3; ++k) {
        out->vertices[k] = td_trimesh_welded(mesh, v[k]);
    }
    out->normal = n;
    out->offset = n.x * x[0] + n.y * y[0] + n.z * z[0];
    out->triangle = triangle;
    out->listed = 0;
}

static inline uint32_t td_pair_side(td_pair pair, uint32_t side) {
    return side == 0 ? pair.a : pair.b;
}

// Numbers the triangles of a side in the order in which they are met. No branch depends on whether one was
// met before: that is anyone's guess.
static inline void td_number_side(td_facets *facets, uint32_t side, const td_pair *pairs, size_t count) {
    td_facet_mark *marks = facets->marks[side].items;
    uint32_t *met = facets->met.items, met_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t triangle = td_pair_side(pairs[i], side);
        const bool fresh = marks[triangle].epoch != facets->epoch;
        marks[triangle] = (td_facet_mark){facets->epoch, fresh ? met_count : marks[triangle].facet};
        met[met_count] = triangle;
        met_count += fresh;
    }
    facets->met.count = met_count;
}

static inline td_result td_collect_side(td_facets *facets, td_context *context, const td_meeting *meeting,
                                        uint32_t side, const td_pair *pairs, size_t count) {
    td_number_side(facets, side, pairs, count);
    facets->items[side].count = 0;
    TD_TRY(td_array_reserve(context, &facets->items[side], facets->met.count));
    for (size_t i = 0; i < facets->met.count; ++i) {
        td_make_facet(&facets->items[side].items[i], meeting, side, facets->met.items[i]);
    }
    facets->items[side].count = facets->met.count;
    return TD_OK;
}

td_result td_facets_collect(td_facets *facets, td_context *context, const td_meeting *meeting,
                            const td_pair *pairs, size_t count) {
    TD_TRY(td_facets_start(facets, context, meeting));
    facets->met.count = facets->numbers.count = 0;
    TD_TRY(td_array_reserve(context, &facets->met, count + 1));
    TD_TRY(td_array_reserve(context, &facets->numbers, count));
    TD_TRY(td_collect_side(facets, context, meeting, 0, pairs, count));
    TD_TRY(td_collect_side(facets, context, meeting, 1, pairs, count));
    for (size_t i = 0; i < count; ++i) {
        facets->numbers.items[i] =
            (td_pair){facets->marks[0].items[pairs[i].a].facet, facets->marks[1].items[pairs[i].b].facet};
    }
    facets->numbers.count = count;
    return TD_OK;
}

td_result td_facets_add(td_facets *facets, td_context *context, const td_meeting *meeting, uint32_t side,
                        uint32_t triangle) {
    TD_TRY(td_array_reserve(context, &facets->items[side], 1));
    facets->marks[side].items[triangle] = (td_facet_mark){facets->epoch, (uint32_t)facets->items[side].count};
    td_make_facet(&facets->items[side].items[facets->items[side].count++], meeting, side, triangle);
    return TD_OK;
}
