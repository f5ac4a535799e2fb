// Edges that go through the other mesh: what rays from vertices cannot see (beyond paper 003). The exact
// triangle pairs tell which parts of them are inside. Where an edge passes below a ridge of the other mesh
// the way out is at right angles to both; elsewhere a ray tells it, as for vertices: from the part of the
// edge, inward between its two faces.
#include "narrow_rays.h"

#include "../core/error.h"
#include "choice.h"

#include <math.h>

// How far inside the ends of a part its points are, so that the other surface is beside them.
static const double td_inset = 0.05;
// Sine of the angle between two faces at least for the edge between them to be sharp.
static const double td_sharp = 0.05;

typedef struct td_edge_work {
    td_ray_bench *bench;
    td_contact_finder *finder;
    td_context *context;
    const td_meeting *meeting;
    double least; // m: shorter parts have one point, or none if a vertex is there
} td_edge_work;

// The two faces at an edge.
typedef struct td_wedge {
    td_vec3 normal[2]; // outward, a's frame
    bool convex;
} td_wedge;

static td_vec3 td_turn(const td_meeting *meeting, uint32_t side, td_vec3 v) {
    const td_rigid *m = &meeting->rigid;
    return side == 0 ? v : td_vec3_make(td_dot(m->row0, v), td_dot(m->row1, v), td_dot(m->row2, v));
}

static td_vec3 td_turn_back(const td_meeting *meeting, uint32_t side, td_vec3 v) {
    const td_rigid *m = &meeting->rigid;
    return side == 0 ? v
                     : td_add(td_add(td_scale(m->row0, v.x), td_scale(m->row1, v.y)), td_scale(m->row2, v.z));
}

// A point of a's frame in the frame of a side.
static td_vec3 td_place_back(const td_meeting *meeting, uint32_t side, td_vec3 p) {
    return side == 0 ? p : td_turn_back(meeting, side, td_sub(p, meeting->rigid.position));
}

static td_vec3 td_vertex_of(const td_meeting *meeting, uint32_t side, uint32_t vertex) {
    const td_vec3 p = td_trimesh_vertex(&meeting->surfaces[side]->mesh->triangles, vertex);
    return side == 0 ? p : td_rigid_apply(meeting->rigid, p);
}

// False: the edge has not just two faces, or one without area.
static bool td_find_wedge(td_wedge *out, const td_meeting *meeting, const td_pierce *pierce) {
    const td_surface *surface = meeting->surfaces[pierce->side];
    const td_trimesh *mesh = &surface->mesh->triangles;
    uint32_t faces[2], apex[2];
    int count = 0;
    for (uint32_t i = surface->first[pierce->low]; i < surface->first[pierce->low + 1]; ++i) {
        const uint32_t *v = mesh->indices + 3 * (size_t)surface->around[i];
        uint32_t third = UINT32_MAX;
        bool has = false;
        for (int k = 0; k < 3; ++k) {
            const uint32_t corner = td_trimesh_welded(mesh, v[k]);
            has = has || corner == pierce->high;
            third = corner != pierce->low && corner != pierce->high ? corner : third;
        }
        if (has && third != UINT32_MAX) {
            if (count == 2) {
                return false;
            }
            faces[count] = surface->around[i];
            apex[count++] = third;
        }
    }
    if (count != 2) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        out->normal[k] = td_turn(meeting, pierce->side, surface->normals[faces[k]]);
    }
    const td_vec3 from = td_trimesh_vertex(mesh, pierce->low), to = td_trimesh_vertex(mesh, apex[1]);
    out->convex = td_dot(surface->normals[faces[0]], td_sub(to, from)) < 0;
    return td_dot(out->normal[0], out->normal[0]) > 0 && td_dot(out->normal[1], out->normal[1]) > 0;
}

// Whether the body of the wedge may be left in this direction, at right angles to the edge: it is between
// the normals of the two faces.
static bool td_leads_out(const td_wedge *wedge, td_vec3 way) {
    const double g = td_dot(wedge->normal[0], wedge->normal[1]);
    const double p = td_dot(way, wedge->normal[0]), q = td_dot(way, wedge->normal[1]);
    return wedge->convex && 1 - g * g > td_sharp * td_sharp && p - g * q > 0 && q - g * p > 0;
}

static td_result td_add_point(td_edge_work *work, uint32_t side, td_vec3 point, td_vec3 out, double depth,
                              uint64_t feature) {
    TD_TRY(td_array_reserve(work->context, &work->bench->points, 1));
    work->bench->points.items[work->bench->points.count++] =
        (td_traced_point){.point = point,
                          .normal = td_scale(out, side == 0 ? -1 : 1),
                          .depth = depth,
                          .feature = feature,
                          .side = side};
    return TD_OK;
}

// By a ray inward, between the faces of the wedge.
static td_result td_cast_from_edge(td_edge_work *work, uint32_t side, const td_wedge *wedge, td_vec3 point,
                                   uint64_t feature) {
    const td_vec3 sum = td_add(wedge->normal[0], wedge->normal[1]);
    const double length = td_length(sum);
    if (!(length > td_sharp)) {
        return TD_OK; // folded: there is no way in
    }
    const uint32_t other = 1 - side;
    const td_mesh *mesh = work->meeting->surfaces[other]->mesh;
    const td_vec3 o = td_place_back(work->meeting, other, point),
                  d = td_turn_back(work->meeting, other, td_scale(sum, -1 / length));
    const td_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, 0, work->meeting->size};
    td_ray_def def = td_default_ray_def();
    def.one_thread = true;
    td_ray_hit hit;
    TD_TRY(td_cast_rays(&hit, mesh, NULL, &ray, 1, &def));
    ++work->bench->rays;
    const td_vec3 n = hit.hit ? work->meeting->surfaces[other]->normals[hit.triangle] : td_vec3_make(0, 0, 0);
    if (!hit.hit || hit.side >= 0 || !(td_dot(n, d) > 0)) {
        return TD_OK;
    }
    return td_add_point(work, side, point, td_turn(work->meeting, other, n), hit.t * td_dot(n, d), feature);
}

// Below the ridge in which the faces meet that the edge goes in and comes out by. *done: it is one.
static td_result td_add_ridge(td_edge_work *work, bool *done, const td_wedge *wedge, const td_pierce *from,
                              const td_pierce *to, uint64_t feature) {
    const td_surface *other = work->meeting->surfaces[1 - from->side];
    const td_vec3 n = td_turn(work->meeting, 1 - from->side, other->normals[from->face]),
                  m = td_turn(work->meeting, 1 - from->side, other->normals[to->face]);
    const td_vec3 d = td_sub(to->point, from->point);
    // The way out is d x (n x m); what is wanted is how fast the edge gets away from each face along it.
    const double dn = -td_dot(d, n), dm = td_dot(d, m), c = td_dot(n, m);
    const double along_n = dm + c * dn, along_m = dn + c * dm;
    *done = false;
    if (!(dn > 0 && dm > 0 && along_n > 0 && along_m > 0 && 1 - c * c > td_sharp * td_sharp)) {
        return TD_OK;
    }
    const td_vec3 way = td_add(td_scale(n, dm), td_scale(m, dn));
    const double length = td_length(way);
    const td_vec3 out = td_scale(way, 1 / length);
    if (!td_leads_out(wedge, td_scale(out, -1))) {
        return TD_OK;
    }
    const double place = dm * along_n / (dm * along_n + dn * along_m);
    const double depth = fmin(place * dn / td_dot(out, n), (1 - place) * dm / td_dot(out, m));
    *done = true;
    return td_add_point(work, from->side, td_add(from->point, td_scale(d, place)), out, depth, feature);
}

// Cosine between the faces that an edge goes in and comes out by: below it, it may have run the other mesh
// through.
static const double td_opposite = -0.5;
// Of the smaller radius: how long it is then at least. Those of finer meshes have vertices inside.
static const double td_long = 0.5;

// An edge that has run a wall through is pushed back to the side where its body has its bulk, from as far as
// its end got. A ray from its middle, which was cast before (`points` of them), leads out by either face of
// the wall, and takes the edge along; if it leads out elsewhere, the edge merely lies in the other mesh.
static td_result td_add_through(td_edge_work *work, bool *done, const td_pierce *from, const td_pierce *to,
                                size_t points, uint64_t feature) {
    const td_meeting *meeting = work->meeting;
    const td_surface *own = meeting->surfaces[from->side], *other = meeting->surfaces[1 - from->side];
    const td_vec3 n = td_turn(meeting, 1 - from->side, other->normals[from->face]),
                  m = td_turn(meeting, 1 - from->side, other->normals[to->face]);
    td_traced_points *found = &work->bench->points;
    const double along = found->count > points ? fabs(td_dot(n, found->items[points].normal)) : 0;
    const td_vec3 low = td_vertex_of(meeting, from->side, from->low),
                  high = td_vertex_of(meeting, from->side, from->high);
    *done = td_dot(n, m) < td_opposite && along > -td_opposite &&
            td_length(td_sub(high, low)) > td_long * meeting->size;
    if (!*done) {
        return TD_OK;
    }
    found->count = points;
    const td_vec3 centre = from->side == 0 ? own->centre : td_rigid_apply(meeting->rigid, own->centre);
    const bool back = td_dot(n, td_sub(centre, from->point)) > td_dot(m, td_sub(centre, to->point));
    const td_vec3 tip = back ? high : low, out = back ? n : m;
    return td_add_point(work, from->side, tip, out, -td_dot(out, td_sub(tip, (back ? from : to)->point)),
                        feature);
}

static uint64_t td_feature(const td_pierce *pierce, uint64_t part) {
    const uint64_t edge = td_mix((uint64_t)pierce->low << 32 | pierce->high) >> 4;
    return (uint64_t)pierce->side << 63 | part << 60 | edge;
}

// The part of an edge between two places where it goes in and comes out.
static td_result td_trace_span(td_edge_work *work, const td_pierce *from, const td_pierce *to) {
    td_wedge wedge;
    bool done;
    if (!td_find_wedge(&wedge, work->meeting, from)) {
        return TD_OK;
    }
    const td_vec3 d = td_sub(to->point, from->point);
    TD_TRY(td_add_ridge(work, &done, &wedge, from, to, td_feature(from, 1)));
    if (!done) {
        const size_t points = work->bench->points.count;
        TD_TRY(td_cast_from_edge(work, from->side, &wedge, td_add(from->point, td_scale(d, 0.5)),
                                 td_feature(from, 1)));
        TD_TRY(td_add_through(work, &done, from, to, points, td_feature(from, 1)));
    }
    if (done || td_length(d) < work->least) {
        return TD_OK;
    }
    TD_TRY(td_cast_from_edge(work, from->side, &wedge, td_add(from->point, td_scale(d, td_inset)),
                             td_feature(from, 2)));
    return td_cast_from_edge(work, from->side, &wedge, td_add(from->point, td_scale(d, 1 - td_inset)),
                             td_feature(from, 3));
}

// The part of an edge from where it is pierced to a vertex inside, which has a ray of its own.
static td_result td_trace_stub(td_edge_work *work, const td_pierce *pierce, uint32_t vertex) {
    td_wedge wedge;
    const td_vec3 d = td_sub(td_vertex_of(work->meeting, pierce->side, vertex), pierce->point);
    if (td_length(d) < work->least || !td_find_wedge(&wedge, work->meeting, pierce)) {
        return TD_OK;
    }
    return td_cast_from_edge(work, pierce->side, &wedge, td_add(pierce->point, td_scale(d, td_inset)),
                             td_feature(pierce, pierce->enters ? 4 : 5));
}

// The pierces of one edge, by where they are.
static td_result td_order_ends(td_edge_work *work, uint32_t first) {
    td_contact_finder *finder = work->finder;
    finder->patch.pierces.count = 0;
    for (uint32_t end = first; end != TD_NO_PIERCE; end = finder->scratch.edges.next.items[end]) {
        TD_TRY(td_array_reserve(work->context, &finder->patch.pierces, 1));
        const double along = td_pierce_at(&finder->crossings, end)->along;
        size_t k = finder->patch.pierces.count++;
        uint32_t *ends = finder->patch.pierces.items;
        for (; k > 0 && td_pierce_at(&finder->crossings, ends[k - 1])->along > along; --k) {
            ends[k] = ends[k - 1];
        }
        ends[k] = end;
    }
    return TD_OK;
}

// From the lower vertex of an edge to its upper one.
static td_result td_trace_edge(td_edge_work *work, uint32_t first) {
    TD_TRY(td_order_ends(work, first));
    const td_pierce *entry = NULL;
    for (size_t i = 0; i < work->finder->patch.pierces.count; ++i) {
        const td_pierce *pierce =
            td_pierce_at(&work->finder->crossings, work->finder->patch.pierces.items[i]);
        if (pierce->enters) {
            entry = entry == NULL ? pierce : entry;
        } else if (entry != NULL) {
            TD_TRY(td_trace_span(work, entry, pierce));
            entry = NULL;
        } else if (i == 0) {
            TD_TRY(td_trace_stub(work, pierce, pierce->low));
        }
    }
    return entry != NULL ? td_trace_stub(work, entry, entry->high) : TD_OK;
}

td_result td_trace_edges(td_ray_bench *bench, td_contact_finder *finder, td_context *context,
                         const td_meeting *meeting, const td_pair *pairs, size_t pair_count) {
    td_edge_work work = {.bench = bench,
                         .finder = finder,
                         .context = context,
                         .meeting = meeting,
                         .least = TD_SMALL_REGION * meeting->size};
    TD_TRY(td_collect_crossings(finder, context, meeting, pairs, pair_count));
    if (finder->crossings.count == 0) {
        return TD_OK;
    }
    TD_TRY(td_join_crossings(&finder->crossings, &finder->scratch, context, 1e-7 * meeting->size));
    const td_pierced_edges *edges = &finder->scratch.edges;
    for (size_t i = 0; i < edges->used.count; ++i) {
        TD_TRY(td_trace_edge(&work, edges->slots.items[edges->used.items[i]].first));
    }
    return TD_OK;
}
