#include "patch.h"

#include "../core/error.h"

void td_patch_release(td_patch *patch, td_context *context) {
    td_array_release(context, &patch->candidates);
    td_array_release(context, &patch->triangles);
    td_array_release(context, &patch->pierces);
    td_array_release(context, &patch->stack);
    for (int side = 0; side < 2; ++side) {
        td_array_release(context, &patch->visited[side].items);
        td_array_release(context, &patch->taken[side].items);
        td_array_release(context, &patch->owner[side]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Marks

static td_result td_fit_marks(td_marks *marks, td_context *context, size_t count) {
    if (marks->items.count < count) {
        TD_TRY(td_array_reserve(context, &marks->items, count - marks->items.count));
        while (marks->items.count < count) {
            marks->items.items[marks->items.count++] = 0;
        }
    }
    return TD_OK;
}

static td_result td_fit_all_marks(td_patch *patch, const td_meeting *meeting, td_context *context) {
    for (int side = 0; side < 2; ++side) {
        const td_trimesh *mesh = &meeting->surfaces[side]->mesh->triangles;
        TD_TRY(td_fit_marks(&patch->taken[side], context, mesh->triangle_count));
        TD_TRY(td_fit_marks(&patch->visited[side], context, mesh->vertex_count));
        patch->owner[side].count = 0;
        TD_TRY(td_array_reserve(context, &patch->owner[side], mesh->vertex_count));
    }
    if (++patch->epoch == 0) { // wrapped: old marks would look fresh
        for (int side = 0; side < 2; ++side) {
            td_marks *all[] = {&patch->visited[side], &patch->taken[side]};
            for (int k = 0; k < 2; ++k) {
                for (size_t i = 0; i < all[k]->items.count; ++i) {
                    all[k]->items.items[i] = 0;
                }
            }
        }
        patch->epoch = 1;
    }
    return TD_OK;
}

static bool td_mark(td_patch *patch, td_marks *marks, uint32_t index) {
    uint32_t *mark = &marks->items.items[index];
    const bool fresh = *mark != patch->epoch;
    *mark = patch->epoch;
    return fresh;
}

// ---------------------------------------------------------------------------------------------------------
// Candidates

typedef struct td_finder {
    td_patch *patch;
    td_region_scratch *scratch;
    const td_crossings *crossings;
    const td_regions *regions;
    double small;
    const td_facets *facets; // of the triangles that the curves cross
    const td_meeting *meeting;
    td_context *context;
} td_finder;

static td_vec3 td_side_vertex(const td_meeting *meeting, uint32_t side, uint32_t vertex) {
    const td_vec3 p = td_trimesh_vertex(&meeting->surfaces[side]->mesh->triangles, vertex);
    return side == 0 ? p : td_rigid_apply(meeting->rigid, p);
}

static td_result td_add_candidate(td_finder *finder, td_candidate candidate) {
    TD_TRY(td_array_reserve(finder->context, &finder->patch->candidates, 1));
    finder->patch->candidates.items[finder->patch->candidates.count++] = candidate;
    return TD_OK;
}

// A vertex that is inside, at `point`: a candidate the first time it is met; later, what ties two curves
// together.
static td_result td_visit(td_finder *finder, uint32_t side, uint32_t vertex, td_vec3 point, uint32_t crossing,
                          bool reached) {
    td_patch *patch = finder->patch;
    uint32_t *owner = patch->owner[side].items;
    if (!td_mark(patch, &patch->visited[side], vertex)) {
        td_unite_curves(finder->scratch, owner[vertex], crossing);
        return TD_OK;
    }
    owner[vertex] = crossing;
    TD_TRY(td_array_reserve(finder->context, &patch->stack, 1));
    patch->stack.items[patch->stack.count++] = vertex << 1 | side;
    return td_add_candidate(finder, (td_candidate){.point = point,
                                                   .feature = (uint64_t)side << 63 | vertex,
                                                   .side = side,
                                                   .crossing = crossing,
                                                   .reached = reached});
}

// How far inside the ends of a part of an edge its candidates are, so that the surface there is beside them
// rather than through them.
static const double td_inset = 0.05;

static bool td_is_small(const td_finder *finder, uint32_t crossing) {
    return finder->regions->items[finder->crossings->items[crossing].region].reach < finder->small;
}

// The outward normal of a triangle of the mesh that a side is not of, in a's frame.
static td_vec3 td_other_normal(const td_meeting *meeting, uint32_t side, uint32_t triangle) {
    const td_vec3 n = meeting->surfaces[1 - side]->normals[triangle];
    const td_rigid *m = &meeting->rigid;
    return side == 1 ? n : td_vec3_make(td_dot(m->row0, n), td_dot(m->row1, n), td_dot(m->row2, n));
}

// Where between `from` and `to`, 0 to 1, an edge is deepest if the faces that it goes in and comes out by
// meet in a ridge: below the ridge, as seen at right angles to the edge and the ridge. The middle if they do
// not.
static double td_find_deepest(const td_meeting *meeting, const td_pierce *from, const td_pierce *to) {
    const td_vec3 n = td_other_normal(meeting, from->side, from->face);
    const td_vec3 m = td_other_normal(meeting, to->side, to->face);
    const td_vec3 d = td_sub(to->point, from->point);
    // That direction is d x (n x m); what is wanted is how fast the edge gets away from each face along it.
    const double dn = -td_dot(d, n), dm = td_dot(d, m), c = td_dot(n, m);
    const double along_n = dm + c * dn, along_m = dn + c * dm;
    if (!(dn > 0 && dm > 0 && along_n > 0 && along_m > 0)) {
        return 0.5;
    }
    const double place = dm * along_n / (dm * along_n + dn * along_m);
    return place < td_inset ? td_inset : place > 1 - td_inset ? 1 - td_inset : place;
}

// The part of an edge between two places where it goes in and comes out: its deepest place and both ends.
static td_result td_add_span(td_finder *finder, const td_pierce *from, const td_pierce *to,
                             uint32_t crossing) {
    const double places[] = {td_find_deepest(finder->meeting, from, to), td_inset, 1 - td_inset};
    const uint32_t count = td_is_small(finder, crossing) ? 1 : 3;
    const uint64_t edge = td_mix((uint64_t)from->low << 32 | from->high) >> 4;
    for (uint32_t k = 0; k < count; ++k) {
        const td_vec3 d = td_sub(to->point, from->point);
        TD_TRY(td_add_candidate(
            finder, (td_candidate){.point = td_add(from->point, td_scale(d, places[k])),
                                   .feature = (uint64_t)from->side << 63 | (uint64_t)(k + 1) << 60 | edge,
                                   .side = from->side,
                                   .crossing = crossing}));
    }
    return TD_OK;
}

// The part of an edge from where it is pierced to a vertex inside.
static td_result td_add_stub(td_finder *finder, const td_pierce *pierce, uint32_t vertex, uint32_t crossing) {
    const td_vec3 end = td_side_vertex(finder->meeting, pierce->side, vertex);
    TD_TRY(td_visit(finder, pierce->side, vertex, end, crossing, false));
    if (td_is_small(finder, crossing)) {
        return TD_OK;
    }
    const td_vec3 point = td_add(pierce->point, td_scale(td_sub(end, pierce->point), td_inset));
    const uint64_t edge = td_mix((uint64_t)pierce->low << 32 | pierce->high) >> 4;
    return td_add_candidate(finder, (td_candidate){.point = point,
                                                   .feature = (uint64_t)pierce->side << 63 |
                                                              (uint64_t)(pierce->enters ? 4 : 5) << 60 | edge,
                                                   .side = pierce->side,
                                                   .crossing = crossing});
}

// The pierces of one edge, by where they are.
static td_result td_order_pierces(td_finder *finder, uint32_t first) {
    td_patch *patch = finder->patch;
    patch->pierces.count = 0;
    for (uint32_t end = first; end != TD_NO_PIERCE; end = finder->scratch->edges.next.items[end]) {
        TD_TRY(td_array_reserve(finder->context, &patch->pierces, 1));
        const double along = td_pierce_at(finder->crossings, end)->along;
        size_t k = patch->pierces.count++;
        for (; k > 0 && td_pierce_at(finder->crossings, patch->pierces.items[k - 1])->along > along; --k) {
            patch->pierces.items[k] = patch->pierces.items[k - 1];
        }
        patch->pierces.items[k] = end;
    }
    return TD_OK;
}

// Walks along one edge from its lower vertex to its upper one.
static td_result td_walk_edge(td_finder *finder, uint32_t first_end) {
    if (finder->scratch->edges.next.items[first_end] == TD_NO_PIERCE) { // most edges are pierced once
        const td_pierce *pierce = td_pierce_at(finder->crossings, first_end);
        return td_add_stub(finder, pierce, pierce->enters ? pierce->high : pierce->low, first_end >> 1);
    }
    TD_TRY(td_order_pierces(finder, first_end));
    const td_pierce *entry = NULL;
    uint32_t entry_crossing = 0;
    for (size_t i = 0; i < finder->patch->pierces.count; ++i) {
        const uint32_t end = finder->patch->pierces.items[i], crossing = end >> 1;
        const td_pierce *pierce = td_pierce_at(finder->crossings, end);
        if (pierce->enters) {
            if (entry == NULL) {
                entry = pierce;
                entry_crossing = crossing;
            }
        } else if (entry != NULL) {
            td_unite_curves(finder->scratch, entry_crossing, crossing);
            TD_TRY(td_add_span(finder, entry, pierce, crossing));
            entry = NULL;
        } else if (i == 0) {
            TD_TRY(td_add_stub(finder, pierce, pierce->low, crossing));
        }
    }
    return entry != NULL ? td_add_stub(finder, entry, entry->high, entry_crossing) : TD_OK;
}

static td_result td_walk_edges(td_finder *finder) {
    const td_pierced_edges *edges = &finder->scratch->edges;
    for (size_t i = 0; i < edges->used.count; ++i) {
        TD_TRY(td_walk_edge(finder, edges->slots.items[edges->used.items[i]].first));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The rest of the patch

// Whether a vertex of a side can be inside the other mesh at all. Keeps the walk from running away where a
// curve is not closed (a mesh with a hole, faces in one plane).
static bool td_may_be_inside(const td_meeting *meeting, uint32_t side, td_vec3 point) {
    const td_trimesh *other = &meeting->surfaces[1 - side]->mesh->triangles;
    if (side == 0) {
        const td_rigid *m = &meeting->rigid;
        const td_vec3 d = td_sub(point, m->position);
        point = td_add(td_add(td_scale(m->row0, d.x), td_scale(m->row1, d.y)), td_scale(m->row2, d.z));
    }
    return point.x > other->lower.x && point.x < other->upper.x && point.y > other->lower.y &&
           point.y < other->upper.y && point.z > other->lower.z && point.z < other->upper.z;
}

static td_result td_spread_from(td_finder *finder, uint32_t side, uint32_t vertex) {
    td_patch *patch = finder->patch;
    const td_surface *surface = finder->meeting->surfaces[side];
    const td_trimesh *mesh = &surface->mesh->triangles;
    const uint32_t crossing = patch->owner[side].items[vertex];
    for (uint32_t i = surface->first[vertex]; i < surface->first[vertex + 1]; ++i) {
        const uint32_t triangle = surface->around[i];
        if (td_facets_has(finder->facets, side, triangle) || !td_mark(patch, &patch->taken[side], triangle)) {
            continue;
        }
        TD_TRY(td_array_reserve(finder->context, &patch->triangles, 1));
        patch->triangles.items[patch->triangles.count++] = (td_patch_triangle){side, triangle, crossing};
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t next = td_trimesh_welded(mesh, mesh->indices[3 * (size_t)triangle + k]);
            const td_vec3 point = td_side_vertex(finder->meeting, side, next);
            if (next != vertex && td_may_be_inside(finder->meeting, side, point)) {
                TD_TRY(td_visit(finder, side, next, point, crossing, true));
            }
        }
    }
    return TD_OK;
}

td_result td_find_patch(td_patch *patch, td_region_scratch *scratch, const td_crossings *crossings,
                        const td_regions *regions, double small, const td_facets *facets,
                        const td_meeting *meeting, td_context *context) {
    td_finder finder = {patch, scratch, crossings, regions, small, facets, meeting, context};
    patch->candidates.count = patch->triangles.count = patch->stack.count = 0;
    TD_TRY(td_fit_all_marks(patch, meeting, context));
    TD_TRY(td_walk_edges(&finder));
    while (patch->stack.count > 0) {
        const uint32_t item = patch->stack.items[--patch->stack.count];
        TD_TRY(td_spread_from(&finder, item & 1, item >> 1));
    }
    return TD_OK;
}
