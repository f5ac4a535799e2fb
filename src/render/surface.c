#include "surface.h"

#include "../math/quat.h"
#include "colour.h"

// Of the size of the numbers that a point comes from: far above their roundings, far below what is seen.
static const double td_hair = 1e-9;
// Floors are gone at 4.5 times the distance to what is looked at, as in the page.
static const double td_fade_from = 1.3, td_fade_to = 4.5;

static const double td_signal_colour[3] = {0.95, 0.12, 0.25};

static td_vec3 td_turn(const td_rigid *m, td_vec3 v) {
    return td_vec3_make(td_dot(m->row0, v), td_dot(m->row1, v), td_dot(m->row2, v));
}

static double td_size(td_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static double td_fade(const td_view *view, td_vec3 point) {
    const double distance = td_length(td_sub(point, view->lens.eye));
    return td_smooth_step(td_fade_from, td_fade_to, distance / view->lens.distance);
}

static bool td_is_marked(const td_render_body *body, uint32_t triangle) {
    uint32_t low = 0, high = body->marked_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (body->marked[middle] < triangle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < body->marked_count && body->marked[low] == triangle;
}

// ---------------------------------------------------------------------------------------------------------
// Smooth surfaces

// A corner of the triangle that was met: where, and its normal, towards the eye.
typedef struct td_bent_corner {
    td_vec3 place, normal;
    double weight;
} td_bent_corner;

// The point moved out of the triangle onto a surface bent as its normals tell, so that triangles do not throw
// the shadows of their edges on each other: Hanika, Hacking the shadow terminator (Ray Tracing Gems II,
// 2021).
static td_vec3 td_bend(td_vec3 point, const td_bent_corner corners[3]) {
    td_vec3 bent = td_vec3_make(0, 0, 0);
    for (int i = 0; i < 3; ++i) {
        const double below = td_dot(td_sub(point, corners[i].place), corners[i].normal);
        const td_vec3 lifted = td_sub(point, td_scale(corners[i].normal, below < 0 ? below : 0));
        bent = td_add(bent, td_scale(lifted, corners[i].weight));
    }
    return bent;
}

// Sets normal and point from those of the corners. `side` is that of the hit.
static void td_smooth(td_surface *surface, const td_placed_body *placed, const td_ray_hit *hit, double side) {
    const td_render_mesh *model = placed->body->mesh;
    const td_triangle t =
        td_rigid_apply_triangle(placed->rigid, td_trimesh_triangle(&model->mesh->triangles, hit->triangle));
    const td_vec3 places[3] = {t.p0, t.p1, t.p2};
    const double weights[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    td_bent_corner corners[3];
    td_vec3 normal = td_vec3_make(0, 0, 0);
    for (size_t i = 0; i < 3; ++i) {
        const td_vec3 own = model->normals[model->shared[3 * (size_t)hit->triangle + i]];
        corners[i] = (td_bent_corner){places[i], td_scale(td_turn(&placed->rigid, own), side), weights[i]};
        normal = td_add(normal, td_scale(corners[i].normal, weights[i]));
    }
    const double length = td_length(normal);
    if (length > 0.1) {
        surface->normal = td_scale(normal, 1 / length);
        surface->point = td_bend(surface->point, corners);
    }
}

// ---------------------------------------------------------------------------------------------------------

static td_surface td_body_surface(const td_view *view, const td_stream *stream, size_t ray) {
    const td_ray *r = &stream->rays[ray];
    const td_ray_hit *hit = &stream->hits[ray];
    const td_placed_body *placed = &view->set->bodies[stream->bodies[ray]];
    const td_render_body *body = placed->body;
    const td_vec3 direction = td_vec3_make(r->direction[0], r->direction[1], r->direction[2]);
    const td_vec3 point = td_add(view->lens.eye, td_scale(direction, hit->t));
    td_surface surface = {.kind = TD_SEES_BODY,
                          .point = point,
                          .to_eye = td_scale(direction, -1 / td_length(direction)),
                          .colour = td_vec3_make(placed->colour[0], placed->colour[1], placed->colour[2]),
                          .fade = body->fades ? td_fade(view, point) : 0};
    if (body->marked_count > 0 && td_is_marked(body, hit->triangle)) {
        surface.colour = td_vec3_make(td_to_linear(td_signal_colour[0]), td_to_linear(td_signal_colour[1]),
                                      td_to_linear(td_signal_colour[2]));
    }
    td_vec3 facing = td_turn(&placed->rigid, body->mesh->face_normals[hit->triangle]);
    double side = td_dot(facing, surface.to_eye) < 0 ? -1 : 1;
    if (td_dot(facing, facing) == 0) { // a triangle without area: a line that is seen from all around
        facing = surface.to_eye;
        side = 1;
    }
    surface.facing = surface.normal = td_scale(facing, side);
    if (!view->flat) {
        td_smooth(&surface, placed, hit, side);
    }
    const double hair = td_hair * (td_size(point) + td_size(td_sub(point, view->lens.eye)));
    surface.point = td_add(surface.point, td_scale(surface.facing, hair));
    return surface;
}

// Where the ray meets the ground; infinite if it does not.
static double td_ground_t(const td_view *view, const td_ray *ray) {
    if (!view->ground || !(ray->direction[1] < 0)) {
        return INFINITY;
    }
    return (view->height_of_ground - ray->origin[1]) / ray->direction[1];
}

static td_surface td_ground_surface(const td_view *view, const td_ray *ray, double t) {
    const td_vec3 direction = td_vec3_make(ray->direction[0], ray->direction[1], ray->direction[2]);
    const td_vec3 up = td_vec3_make(0, 1, 0);
    td_surface surface = {.kind = TD_SEES_GROUND, .facing = up, .normal = up};
    surface.point = td_add(view->lens.eye, td_scale(direction, t));
    const double hair = td_hair * (td_size(surface.point) + td_size(view->lens.eye));
    surface.point.y = view->height_of_ground + hair;
    surface.fade = td_fade(view, surface.point);
    return surface;
}

td_surface td_find_surface(const td_view *view, const td_stream *stream, size_t ray) {
    const td_ray_hit *hit = &stream->hits[ray];
    const double ground = td_ground_t(view, &stream->rays[ray]);
    if (hit->hit && hit->t <= ground) {
        return td_body_surface(view, stream, ray);
    }
    if (ground < INFINITY) {
        return td_ground_surface(view, &stream->rays[ray], ground);
    }
    return (td_surface){.kind = TD_SEES_NOTHING, .fade = 1};
}
