#include "shape.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"
#include "../traverse/ray.h"

#include <stdio.h>
#include <string.h>

enum { TD_VERTICES_OF_TASK = 4096 };

// ---------------------------------------------------------------------------------------------------------
// Memory

static bool td_allocate_shape(td_ray_shape *s, td_context *context) {
    s->corners = TD_NEW(context, double, 3 * (size_t)s->vertex_count);
    s->incident_first = TD_NEW(context, uint32_t, (size_t)s->vertex_count + 1);
    s->incident = TD_NEW(context, uint32_t, 3 * (size_t)s->triangle_count);
    s->inward = TD_NEW(context, double, 3 * (size_t)s->vertex_count);
    s->starts = TD_NEW(context, uint32_t, s->vertex_count);
    s->neighbours = TD_NEW(context, uint32_t, 3 * (size_t)s->triangle_count);
    return s->corners != NULL && s->incident_first != NULL && s->incident != NULL && s->inward != NULL &&
           s->starts != NULL && s->neighbours != NULL;
}

void td_ray_shape_destroy(td_ray_shape *s) {
    td_context *context = s->context;
    TD_DELETE(context, double, s->corners, 3 * (size_t)s->vertex_count);
    TD_DELETE(context, uint32_t, s->incident_first, (size_t)s->vertex_count + 1);
    TD_DELETE(context, uint32_t, s->incident, 3 * (size_t)s->triangle_count);
    TD_DELETE(context, double, s->inward, 3 * (size_t)s->vertex_count);
    TD_DELETE(context, double, s->own, s->vertex_count);
    TD_DELETE(context, uint32_t, s->starts, s->vertex_count);
    TD_DELETE(context, uint32_t, s->neighbours, 3 * (size_t)s->triangle_count);
    TD_DELETE(context, td_skip_node, s->nodes, s->node_count);
    *s = (td_ray_shape){0};
}

// ---------------------------------------------------------------------------------------------------------
// Vertices and triangles

static void td_fill_incident(td_ray_shape *s, const td_trimesh *mesh) {
    uint32_t *first = s->incident_first;
    memset(first, 0, ((size_t)s->vertex_count + 1) * sizeof *first);
    const size_t corners = 3 * (size_t)s->triangle_count;
    for (size_t i = 0; i < corners; ++i) {
        ++first[td_trimesh_welded(mesh, s->indices[i]) + 1];
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        first[v + 1] += first[v];
    }
    for (size_t i = corners; i-- > 0;) { // backwards, so that triangles end up ascending
        s->incident[--first[td_trimesh_welded(mesh, s->indices[i]) + 1]] = (uint32_t)(i / 3);
    }
    // Each end has become its beginning, one place too late.
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        first[v] = first[v + 1];
    }
    first[s->vertex_count] = (uint32_t)corners;
}

static td_vec3 td_shape_corner(const td_ray_shape *s, uint32_t vertex) {
    return td_vec3_make(s->corners[3 * (size_t)vertex], s->corners[3 * (size_t)vertex + 1],
                        s->corners[3 * (size_t)vertex + 2]);
}

static td_triangle td_shape_triangle(const td_ray_shape *s, uint32_t triangle) {
    const uint32_t *i = s->indices + 3 * (size_t)triangle;
    return (td_triangle){td_shape_corner(s, i[0]), td_shape_corner(s, i[1]), td_shape_corner(s, i[2])};
}

// Against the sum of the normals of its triangles, each as long as the triangle is large.
static td_vec3 td_inward_at(const td_ray_shape *s, uint32_t vertex) {
    td_vec3 sum = td_vec3_make(0, 0, 0);
    for (uint32_t i = s->incident_first[vertex]; i < s->incident_first[vertex + 1]; ++i) {
        const td_triangle t = td_shape_triangle(s, s->incident[i]);
        sum = td_add(sum, td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0)));
    }
    const double length = sqrt(td_dot(sum, sum));
    return length > 0x1p-500 && length < 0x1p500 ? td_scale(sum, -s->outward / length)
                                                 : td_vec3_make(0, 0, 0);
}

static void td_normal_task(uint32_t item, void *payload) {
    td_ray_shape *s = payload;
    const uint32_t first = item * TD_VERTICES_OF_TASK;
    const uint32_t end =
        s->vertex_count - first < TD_VERTICES_OF_TASK ? s->vertex_count : first + TD_VERTICES_OF_TASK;
    for (uint32_t v = first; v < end; ++v) {
        const td_vec3 n = td_inward_at(s, v);
        s->inward[3 * (size_t)v] = n.x;
        s->inward[3 * (size_t)v + 1] = n.y;
        s->inward[3 * (size_t)v + 2] = n.z;
    }
}

static void td_fill_normals(td_ray_shape *s) {
    td_run_tasks(s->context, td_normal_task,
                 (s->vertex_count + TD_VERTICES_OF_TASK - 1) / TD_VERTICES_OF_TASK, s);
}

// Welded vertices of triangles; without a direction a ray of length 0 never counts, so such a vertex of a
// rigid mesh has none. Those of deformable meshes may get one.
static void td_fill_starts(td_ray_shape *s) {
    s->start_count = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const double *n = s->inward + 3 * (size_t)v;
        const bool some = s->deformable || n[0] != 0 || n[1] != 0 || n[2] != 0;
        if (s->incident_first[v] < s->incident_first[v + 1] && some) {
            s->starts[s->start_count++] = v;
        }
    }
}

static double td_signed_volume(const td_ray_shape *s) {
    double sum = 0;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        const td_triangle t = td_shape_triangle(s, i);
        const td_vec3 a = td_sub(t.p0, s->centre), b = td_sub(t.p1, s->centre), c = td_sub(t.p2, s->centre);
        sum += td_dot(a, td_cross(b, c));
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------------
// Own lengths

static td_ray td_own_ray(const td_ray_shape *s, uint32_t vertex) {
    const double *p = s->corners + 3 * (size_t)vertex, *d = s->inward + 3 * (size_t)vertex;
    return (td_ray){{p[0], p[1], p[2]}, {d[0], d[1], d[2]}, 0x1p-1074, INFINITY};
}

// Where the rays of a solid leave it, behind their start. One that is outside from the start has length 0.
static td_result td_fill_own(td_ray_shape *s, const td_mesh *mesh) {
    td_context *context = s->context;
    s->own = TD_NEW(context, double, s->vertex_count);
    td_ray *rays = TD_NEW(context, td_ray, s->start_count);
    td_ray_hit *hits = TD_NEW(context, td_ray_hit, s->start_count);
    td_result result = s->own != NULL && rays != NULL && hits != NULL ? TD_OK : TD_ERROR_MEMORY;
    if (result == TD_OK) {
        memset(s->own, 0, s->vertex_count * sizeof *s->own);
        for (uint32_t i = 0; i < s->start_count; ++i) {
            rays[i] = td_own_ray(s, s->starts[i]);
        }
        const td_ray_def def = td_default_ray_def();
        result = td_cast_rays(hits, mesh, NULL, rays, s->start_count, &def);
    }
    for (uint32_t i = 0; result == TD_OK && i < s->start_count; ++i) {
        s->own[s->starts[i]] = hits[i].hit && hits[i].side == -s->outward ? hits[i].t : 0;
    }
    TD_DELETE(context, td_ray, rays, s->start_count);
    TD_DELETE(context, td_ray_hit, hits, s->start_count);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Positions

static void td_fill_bounds(td_ray_shape *s, const td_mesh *mesh) {
    const td_trimesh *t = &mesh->triangles;
    s->lower = t->lower;
    s->upper = t->upper;
    s->centre = td_scale(td_add(t->lower, t->upper), 0.5);
    double farthest = 0;
    for (uint32_t i = 0; i < s->start_count; ++i) {
        const td_vec3 d = td_sub(td_shape_corner(s, s->starts[i]), s->centre);
        farthest = fmax(farthest, td_dot(d, d));
    }
    s->radius = sqrt(farthest) * (1 + 0x1p-40);
    s->grain = td_ray_grain(&mesh->hierarchy);
    s->local_origin = mesh->hierarchy.origin;
    s->local_scale[0] = mesh->hierarchy.scale[0];
    s->local_scale[1] = mesh->hierarchy.scale[1];
}

static void td_fill_corners(td_ray_shape *s, const td_trimesh *mesh) {
    double farthest = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const td_vec3 p = td_trimesh_vertex(mesh, v), d = td_sub(p, td_shape_corner(s, v));
        farthest = fmax(farthest, td_dot(d, d));
        s->corners[3 * (size_t)v] = p.x;
        s->corners[3 * (size_t)v + 1] = p.y;
        s->corners[3 * (size_t)v + 2] = p.z;
    }
    s->travel += sqrt(farthest) * (1 + 0x1p-40);
}

static td_result td_check_range(const td_trimesh *mesh) {
    return mesh->largest < 0x1p400
               ? TD_OK
               : td_fail(TD_ERROR_UNSUPPORTED,
                         "mesh '%s' has a coordinate of size %g: rays start from up to %g", mesh->name,
                         mesh->largest, 0x1p400);
}

td_result td_ray_shape_update(td_ray_shape *s, const td_mesh *mesh) {
    if (s->serial == mesh->serial) {
        return TD_OK;
    }
    TD_TRY(td_check_range(&mesh->triangles));
    td_fill_corners(s, &mesh->triangles);
    td_fill_normals(s);
    td_fill_bounds(s, mesh);
    TD_TRY(td_fill_skip_nodes(s, mesh));
    s->serial = mesh->serial;
    return TD_OK;
}

static void td_say_trouble(td_ray_shape *s, const td_trimesh *mesh, bool oriented) {
    if (!mesh->closed) {
        snprintf(s->trouble, sizeof s->trouble, "it is not closed");
    } else if (!oriented) {
        snprintf(s->trouble, sizeof s->trouble, "its triangles do not agree on which side is outside");
    }
}

static td_result td_fill_shape(td_ray_shape *s, const td_mesh *mesh, td_query *query) {
    const td_trimesh *triangles = &mesh->triangles;
    bool oriented;
    memset(s->corners, 0, 3 * (size_t)s->vertex_count * sizeof *s->corners);
    td_fill_corners(s, triangles);
    s->travel = 0;
    td_fill_incident(s, triangles);
    TD_TRY(td_find_adjacent(s, triangles, &oriented));
    td_say_trouble(s, triangles, oriented);
    s->centre = td_scale(td_add(triangles->lower, triangles->upper), 0.5);
    s->outward = td_is_solid(s) && td_signed_volume(s) < 0 ? -1 : 1;
    td_fill_normals(s);
    td_fill_starts(s);
    td_fill_bounds(s, mesh);
    TD_TRY(td_fill_skip_nodes(s, mesh));
    if (td_is_solid(s) && !s->deformable) {
        TD_TRY(td_fill_own(s, mesh));
        TD_TRY(td_is_embedded(&s->walkable, s, mesh, query));
    }
    return TD_OK;
}

td_result td_ray_shape_create(td_ray_shape *out, const td_mesh *mesh, td_query *query) {
    const td_trimesh *triangles = &mesh->triangles;
    TD_TRY(td_check_range(triangles));
    *out = (td_ray_shape){.context = triangles->context,
                          .identity = mesh->identity,
                          .serial = mesh->serial,
                          .deformable = triangles->deformable,
                          .vertex_count = triangles->vertex_count,
                          .triangle_count = triangles->triangle_count,
                          .indices = triangles->indices,
                          .outward = 1};
    const td_result result =
        td_allocate_shape(out, triangles->context) ? td_fill_shape(out, mesh, query) : TD_ERROR_MEMORY;
    if (result != TD_OK) {
        td_ray_shape_destroy(out);
    }
    return result;
}
