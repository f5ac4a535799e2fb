// Where a camera stands so that bodies fill its picture.
#include "../core/error.h"
#include "../core/memory.h"
#include "../math/quat.h"
#include "../query/pose.h"
#include "set.h"

#include <stdlib.h>

enum { TD_FRAMED_TRIANGLES = 1000000 };

static const double td_margin = 1.1;
static const double td_default_direction[3] = {0.52, 0.4, 0.86}; // as in the page

static int td_compare_numbers(const void *a, const void *b) {
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

// Sorted ends of boxes along an axis, but for outliers: what is farther from the middle 96 of a hundred than
// half of what these span.
static void td_find_span(double *low, double *high, const double *lows, const double *highs, size_t count) {
    const double last = (double)(count - 1);
    const double from = lows[(size_t)(0.02 * last)], to = highs[(size_t)ceil(0.98 * last)];
    const double reach = 0.5 * (to - from);
    *low = fmax(lows[0], from - reach);
    *high = fmin(highs[count - 1], to + reach);
}

static double td_coordinate(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The box of the bodies that matter. `room` holds twice as many numbers as there are bodies.
static td_box td_find_extent(const td_render_body *bodies, size_t count, double *room) {
    double lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < count; ++i) {
            const td_box box = td_body_box(&bodies[i]);
            room[i] = td_coordinate(box.lower, axis);
            room[count + i] = td_coordinate(box.upper, axis);
        }
        qsort(room, count, sizeof *room, td_compare_numbers);
        qsort(room + count, count, sizeof *room, td_compare_numbers);
        td_find_span(&lower[axis], &upper[axis], room, room + count, count);
    }
    return (td_box){td_vec3_make(lower[0], lower[1], lower[2]), td_vec3_make(upper[0], upper[1], upper[2])};
}

// The camera's axes, and how far they may open.
typedef struct td_framing {
    td_vec3 right, up, back;
    double right_slope, up_slope;
    // The largest of x + z s and z s - x over all points, along either axis of the picture: a camera at
    // (cx, cy, cz) that looks along -z sees a point if |x - cx| <= (cz - z) s.
    double most[2][2];
    double nearest, farthest; // along `back`
} td_framing;

static void td_add_point(td_framing *framing, td_vec3 p) {
    const double at[2] = {td_dot(p, framing->right), td_dot(p, framing->up)}, z = td_dot(p, framing->back);
    const double slopes[2] = {framing->right_slope, framing->up_slope};
    for (int k = 0; k < 2; ++k) {
        framing->most[k][0] = fmax(framing->most[k][0], z * slopes[k] + at[k]);
        framing->most[k][1] = fmax(framing->most[k][1], z * slopes[k] - at[k]);
    }
    framing->nearest = fmax(framing->nearest, z);
    framing->farthest = fmin(framing->farthest, z);
}

static void td_add_vertices(td_framing *framing, const td_render_body *body) {
    const td_trimesh *mesh = &body->mesh->mesh->triangles;
    const td_rigid rigid = td_pose_rigid(&body->pose);
    for (size_t corner = 0; corner < 3 * (size_t)mesh->triangle_count; ++corner) {
        td_add_point(framing, td_rigid_apply(rigid, td_trimesh_vertex(mesh, mesh->indices[corner])));
    }
}

// The eight corners of a mesh's own box, placed.
static void td_add_corners(td_framing *framing, const td_render_body *body) {
    const td_trimesh *mesh = &body->mesh->mesh->triangles;
    for (unsigned corner = 0; corner < 8; ++corner) {
        const double point[3] = {corner & 1 ? mesh->upper.x : mesh->lower.x,
                                 corner & 2 ? mesh->upper.y : mesh->lower.y,
                                 corner & 4 ? mesh->upper.z : mesh->lower.z};
        double placed[3];
        td_pose_apply(placed, &body->pose, point);
        td_add_point(framing, td_vec3_make(placed[0], placed[1], placed[2]));
    }
}

static void td_place_camera(td_camera *camera, const td_framing *framing) {
    const double by_width = 0.5 * (framing->most[0][0] + framing->most[0][1]) / framing->right_slope;
    const double by_height = 0.5 * (framing->most[1][0] + framing->most[1][1]) / framing->up_slope;
    const double x = 0.5 * (framing->most[0][0] - framing->most[0][1]);
    const double y = 0.5 * (framing->most[1][0] - framing->most[1][1]);
    const double depth = framing->nearest - framing->farthest, middle = framing->farthest + 0.5 * depth;
    double z = fmax(by_width, by_height);
    if (!(z > middle)) { // all is in one point
        z = middle + 1;
    }
    const td_vec3 beside = td_add(td_scale(framing->right, x), td_scale(framing->up, y));
    const td_vec3 eye = td_add(beside, td_scale(framing->back, z));
    const td_vec3 look_at = td_add(beside, td_scale(framing->back, middle));
    const double values[3][3] = {{eye.x, eye.y, eye.z}, {look_at.x, look_at.y, look_at.z}, {0, 1, 0}};
    for (int k = 0; k < 3; ++k) {
        camera->eye[k] = values[0][k];
        camera->look_at[k] = values[1][k];
        camera->up[k] = values[2][k];
    }
}

static td_result td_start_framing(td_framing *out, const double direction[3], double angle,
                                  double proportions) {
    const td_vec3 way = td_vec3_make(direction[0], direction[1], direction[2]);
    const double length = td_length(way);
    if (!(length > 0 && isfinite(length)) || !(proportions > 0 && isfinite(proportions)) ||
        !(angle > 0 && angle < 3.14)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "camera: expected a direction of finite length, proportions of more "
                       "than 0 and a field of view of less than 3.14 rad");
    }
    const td_vec3 back = td_scale(way, 1 / length);
    td_vec3 right = td_cross(td_vec3_make(0, 1, 0), back);
    if (td_length(right) < 1e-9) {
        return td_fail(TD_ERROR_ARGUMENT, "camera: it looks along its own up");
    }
    right = td_scale(right, 1 / td_length(right));
    const double slope = tan(0.5 * angle) / td_margin;
    *out = (td_framing){.right = right,
                        .up = td_cross(back, right),
                        .back = back,
                        .right_slope = slope * proportions,
                        .up_slope = slope,
                        .most = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}},
                        .nearest = -INFINITY,
                        .farthest = INFINITY};
    return TD_OK;
}

// Whether every vertex can be looked at in no time; else boxes do.
static bool td_are_few(const td_render_body *bodies, size_t count) {
    size_t triangles = 0;
    for (size_t i = 0; i < count && triangles <= TD_FRAMED_TRIANGLES; ++i) {
        triangles += bodies[i].mesh->mesh->triangles.triangle_count;
    }
    return triangles <= TD_FRAMED_TRIANGLES;
}

static void td_add_bodies(td_framing *framing, const td_render_body *bodies, size_t count,
                          const td_box *extent) {
    const bool few = td_are_few(bodies, count);
    for (size_t i = 0; i < count; ++i) {
        const td_box box = td_body_box(&bodies[i]);
        const td_vec3 middle = td_scale(td_add(box.lower, box.upper), 0.5);
        if (td_boxes_overlap(&(td_box){middle, middle}, extent)) {
            (few ? td_add_vertices : td_add_corners)(framing, &bodies[i]);
        }
    }
}

td_result td_frame_bodies(td_camera *camera, td_context *context, const td_render_body *bodies, size_t count,
                          double proportions, const double direction[3]) {
    td_framing framing = {0};
    TD_TRY(td_start_framing(&framing, direction ? direction : td_default_direction, camera->field_of_view,
                            proportions));
    if (count == 0) {
        return td_fail(TD_ERROR_ARGUMENT, "camera: there are no bodies to look at");
    }
    double *room = TD_NEW(context, double, 2 * count);
    if (room == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_box extent = td_find_extent(bodies, count, room);
    TD_DELETE(context, double, room, 2 * count);
    td_add_bodies(&framing, bodies, count, &extent);
    td_place_camera(camera, &framing);
    return TD_OK;
}

// Whose box is not lower than what was found need not be looked at.
double td_lowest_height(const td_render_body *bodies, size_t count) {
    double lowest = count > 0 ? INFINITY : 0;
    for (size_t i = 0; i < count; ++i) {
        const td_trimesh *mesh = &bodies[i].mesh->mesh->triangles;
        const td_rigid rigid = td_pose_rigid(&bodies[i].pose);
        const bool lower = td_body_box(&bodies[i]).lower.y < lowest;
        for (size_t corner = 0; lower && corner < 3 * (size_t)mesh->triangle_count; ++corner) {
            const td_vec3 vertex = td_trimesh_vertex(mesh, mesh->indices[corner]);
            lowest = fmin(lowest, td_rigid_apply(rigid, vertex).y);
        }
    }
    return lowest;
}
