#include "remesh.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "arrays.h"
#include "halfedge.h"

typedef struct td_remesher {
    td_halfedge_mesh mesh;   // its positions are those of the sites
    td_surface_point *sites; // per vertex: where it stands
    const td_surface *surface;
} td_remesher;

// Limits, each waived where the triangles were worse already. Quality is 1 for an equilateral triangle;
// facing is the cosine between the normals of a triangle and of the surface at its corners.
static const double td_collapse_quality = 0.35;
static const double td_collapse_facing = 0.25;
static const double td_spread_quality = 0.6;
static const double td_smooth_facing = 0.7; // of flips and spreading, which could do without
static const double td_flip_gain = 0.02;    // in quality, so that no edge flips back and forth
static const uint32_t td_most_valence = 9;

static td_surface_point td_site_at(const td_surface *surface, td_vec3 near) {
    return surface->nearest(near, surface->payload);
}

static void td_set_site(td_remesher *r, uint32_t vertex, td_surface_point site) {
    r->sites[vertex] = site;
    r->mesh.positions[vertex] = site.position;
}

static double td_length(td_vec3 v) {
    return sqrt(td_dot(v, v));
}

// ---------------------------------------------------------------------------------------------------------
// How good a triangle is

typedef struct td_fitness {
    double quality; // twice the square root of 3 times double the area over the sum of the squared sides
    double facing;  // the least cosine between its normal and those at its corners
} td_fitness;

static td_fitness td_assess(const td_surface_point *a, const td_surface_point *b, const td_surface_point *c) {
    const td_vec3 ab = td_sub(b->position, a->position);
    const td_vec3 bc = td_sub(c->position, b->position);
    const td_vec3 ca = td_sub(a->position, c->position);
    const td_vec3 normal = td_cross(ab, td_sub(c->position, a->position));
    const double doubled_area = td_length(normal);
    if (doubled_area == 0) {
        return (td_fitness){0, -1};
    }
    const double sides = td_dot(ab, ab) + td_dot(bc, bc) + td_dot(ca, ca);
    const double facing_a = td_dot(normal, a->normal);
    const double facing_b = td_dot(normal, b->normal);
    const double facing_c = td_dot(normal, c->normal);
    const double least = fmin(facing_a, fmin(facing_b, facing_c));
    return (td_fitness){2 * sqrt(3.0) * doubled_area / sides, least / doubled_area};
}

static td_fitness td_worse(td_fitness a, td_fitness b) {
    return (td_fitness){fmin(a.quality, b.quality), fmin(a.facing, b.facing)};
}

// The worst of the triangles about the origin of h if `site` stood there, those at `without` and at its twin
// left out.
static td_fitness td_assess_ring(const td_remesher *r, uint32_t h, const td_surface_point *site,
                                 uint32_t without) {
    const td_halfedge_mesh *mesh = &r->mesh;
    td_fitness worst = {HUGE_VAL, HUGE_VAL};
    uint32_t g = h;
    do {
        const bool left_out =
            without != TD_DEAD && (g / 3 == without / 3 || g / 3 == mesh->twin[without] / 3);
        if (!left_out) {
            const td_surface_point *b = &r->sites[td_halfedge_target(mesh, g)];
            const td_surface_point *c = &r->sites[mesh->origin[td_halfedge_previous(g)]];
            worst = td_worse(worst, td_assess(site, b, c));
        }
        g = td_halfedge_rotate(mesh, g);
    } while (g != h);
    return worst;
}

// ---------------------------------------------------------------------------------------------------------
// Collapse

static double td_relative_length(const td_remesher *r, uint32_t h) {
    const td_surface_point *a = &r->sites[r->mesh.origin[h]];
    const td_surface_point *b = &r->sites[td_halfedge_target(&r->mesh, h)];
    return 2 * td_length(td_sub(a->position, b->position)) / (a->edge_length + b->edge_length);
}

static bool td_try_collapse(td_remesher *r, uint32_t h) {
    td_halfedge_mesh *mesh = &r->mesh;
    const uint32_t kept = mesh->origin[h];
    const uint32_t lost = td_halfedge_target(mesh, h);
    if (td_halfedge_valence(mesh, kept) + td_halfedge_valence(mesh, lost) - 4 > td_most_valence ||
        !td_halfedge_may_collapse(mesh, h)) {
        return false;
    }
    const td_vec3 middle = td_scale(td_add(mesh->positions[kept], mesh->positions[lost]), 0.5);
    const td_surface_point site = td_site_at(r->surface, middle);
    const td_fitness before = td_worse(td_assess_ring(r, h, &r->sites[kept], TD_DEAD),
                                       td_assess_ring(r, mesh->twin[h], &r->sites[lost], TD_DEAD));
    const td_fitness after =
        td_worse(td_assess_ring(r, h, &site, h), td_assess_ring(r, mesh->twin[h], &site, h));
    if (after.quality < fmin(before.quality, td_collapse_quality) ||
        after.facing < fmin(before.facing, td_collapse_facing)) {
        return false;
    }
    td_halfedge_collapse(mesh, h);
    td_set_site(r, kept, site);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Flip and spread

// Flips an edge if that makes the worse of its two triangles better and keeps them facing outward.
static void td_try_flip(td_remesher *r, uint32_t h) {
    const td_halfedge_mesh *mesh = &r->mesh;
    const uint32_t g = mesh->twin[h];
    const td_surface_point *u = &r->sites[mesh->origin[h]];
    const td_surface_point *v = &r->sites[mesh->origin[g]];
    const td_surface_point *a = &r->sites[mesh->origin[td_halfedge_previous(h)]];
    const td_surface_point *b = &r->sites[mesh->origin[td_halfedge_previous(g)]];
    const td_fitness old0 = td_assess(u, v, a);
    const td_fitness old1 = td_assess(v, u, b);
    const td_fitness new0 = td_assess(a, b, v);
    const td_fitness new1 = td_assess(b, a, u);
    const double old_facing = fmin(old0.facing, old1.facing);
    const double new_facing = fmin(new0.facing, new1.facing);
    if (fmin(new0.quality, new1.quality) > fmin(old0.quality, old1.quality) + td_flip_gain &&
        new_facing > fmin(old_facing, td_smooth_facing) && td_halfedge_may_flip(mesh, h)) {
        td_halfedge_flip(&r->mesh, h);
    }
}

// Moves a vertex towards the mean of its neighbours, along the surface, unless that spoils a triangle.
static void td_try_spread(td_remesher *r, uint32_t vertex) {
    const td_halfedge_mesh *mesh = &r->mesh;
    const uint32_t first = mesh->leaving[vertex];
    td_vec3 sum = td_vec3_make(0, 0, 0);
    double count = 0;
    uint32_t h = first;
    do {
        sum = td_add(sum, mesh->positions[td_halfedge_target(mesh, h)]);
        count += 1;
        h = td_halfedge_rotate(mesh, h);
    } while (h != first);
    const td_surface_point *now = &r->sites[vertex];
    const td_vec3 pull = td_sub(td_scale(sum, 1 / count), now->position);
    const td_vec3 along = td_sub(pull, td_scale(now->normal, td_dot(pull, now->normal)));
    const td_surface_point moved = td_site_at(r->surface, td_add(now->position, td_scale(along, 0.5)));
    const td_fitness before = td_assess_ring(r, first, now, TD_DEAD);
    const td_fitness after = td_assess_ring(r, first, &moved, TD_DEAD);
    if (after.quality > fmin(before.quality, td_spread_quality) &&
        after.facing > fmin(before.facing, td_smooth_facing)) {
        td_set_site(r, vertex, moved);
    }
}

static void td_flip_edges(td_remesher *r) {
    for (uint32_t h = 0; h < 3 * r->mesh.triangle_count; ++h) {
        if (r->mesh.origin[h] != TD_DEAD) {
            td_try_flip(r, h);
        }
    }
}

static void td_spread_vertices(td_remesher *r) {
    for (uint32_t v = 0; v < r->mesh.vertex_count; ++v) {
        if (r->mesh.leaving[v] != TD_DEAD) {
            td_try_spread(r, v);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

// Collapses the edges below the limit, until no more triangles than wanted are left.
static void td_collapse_short_edges(td_remesher *r, double limit, uint32_t triangle_count) {
    for (uint32_t h = 0; h < 3 * r->mesh.triangle_count; ++h) {
        if (r->mesh.live_triangle_count <= triangle_count) {
            return;
        }
        if (r->mesh.origin[h] != TD_DEAD && td_relative_length(r, h) < limit) {
            td_try_collapse(r, h);
        }
    }
}

// The shortest edges go first, but for steps of 20%. What is left is improved in between, to be fit for more.
static td_result td_reduce(td_remesher *r, uint32_t triangle_count) {
    td_collapse_short_edges(r, 0.15, triangle_count);
    for (double limit = 0.18; limit < 4 && r->mesh.live_triangle_count > triangle_count; limit *= 1.2) {
        td_flip_edges(r);
        td_spread_vertices(r);
        td_collapse_short_edges(r, limit, triangle_count);
    }
    if (r->mesh.live_triangle_count != triangle_count) {
        return td_fail(TD_ERROR_MESH, "the surface was reduced to %u triangles, but not to %u",
                       r->mesh.live_triangle_count, triangle_count);
    }
    return TD_OK;
}

static td_result td_run_remesher(td_mesh_arrays *out, td_context *context, td_remesher *r,
                                 uint32_t triangle_count) {
    r->sites = TD_NEW(context, td_surface_point, r->mesh.vertex_count);
    if (r->sites == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t v = 0; v < r->mesh.vertex_count; ++v) {
        td_set_site(r, v, td_site_at(r->surface, r->mesh.positions[v]));
    }
    TD_TRY(td_reduce(r, triangle_count));
    for (int i = 0; i < 6; ++i) {
        td_flip_edges(r);
        td_spread_vertices(r);
    }
    return td_halfedge_to_arrays(out, context, &r->mesh);
}

td_result td_remesh(td_mesh_arrays *mesh, td_context *context, const td_surface *surface,
                    uint32_t triangle_count) {
    td_remesher r = {.surface = surface};
    TD_TRY(td_halfedge_create(&r.mesh, context, mesh));
    td_mesh_arrays better;
    const td_result result = td_run_remesher(&better, context, &r, triangle_count);
    TD_DELETE(context, td_surface_point, r.sites, r.mesh.vertex_count);
    td_halfedge_destroy(&r.mesh, context);
    TD_TRY(result);
    td_arrays_release(mesh, context);
    *mesh = better;
    return TD_OK;
}
