// Tubes along closed lines that wind around the y axis: non-convex bodies of given numbers of triangles.
#include "../core/error.h"
#include "arrays.h"
#include "circle.h"
#include "shape_makers.h"

// A point of the middle line at a part t of the way, in [0, 1).
typedef td_vec3 td_line_fn(double t);

static td_vec3 td_hoop_line(double t) {
    const td_circle_point a = td_circle_at(t);
    return td_vec3_make(0.7 * a.c, 0, 0.7 * a.s);
}

// The trefoil: twice around the axis, three times up and down.
static td_vec3 td_clover_line(double t) {
    const td_circle_point a = td_circle_at(2 * t), b = td_circle_at(3 * t);
    const double radius = 0.6 + 0.25 * b.c;
    return td_vec3_make(radius * a.c, 0.25 * b.s, radius * a.s);
}

static td_vec3 td_wave_line(double t) {
    const td_circle_point a = td_circle_at(t), b = td_circle_at(4 * t);
    return td_vec3_make(0.75 * a.c, 0.15 * b.c, 0.75 * a.s);
}

// The figure-eight knot.
static td_vec3 td_pretzel_line(double t) {
    const td_circle_point a = td_circle_at(3 * t), b = td_circle_at(2 * t), c = td_circle_at(4 * t);
    const double radius = (2 + b.c) / 3.5;
    return td_vec3_make(radius * a.c, c.s / 3.5, radius * a.s);
}

static td_vec3 td_unit(td_vec3 v) {
    return td_scale(v, 1 / sqrt(td_dot(v, v)));
}

// Around the line at its sample i: away from the axis as far as that is across the line, which it never is
// along, since the line winds around the axis.
static void td_tube_frame(td_vec3 *u, td_vec3 *v, td_line_fn *line, uint32_t i, uint32_t around) {
    const td_vec3 at = line((double)i / around);
    const td_vec3 along = td_unit(td_sub(line((double)((i + 1) % around) / around),
                                         line((double)((i + around - 1) % around) / around)));
    const td_vec3 away = td_vec3_make(at.x, 0, at.z);
    *u = td_unit(td_sub(away, td_scale(along, td_dot(away, along))));
    *v = td_cross(along, *u);
}

static td_result td_make_tube(td_mesh_arrays *out, td_context *context, td_line_fn *line, double radius,
                              uint32_t around, uint32_t across) {
    TD_TRY(td_arrays_create(out, context, around * across, 2 * around * across));
    uint32_t t = 0;
    for (uint32_t i = 0; i < around; ++i) {
        td_vec3 u, v;
        td_tube_frame(&u, &v, line, i, around);
        const td_vec3 middle = line((double)i / around);
        const uint32_t row = i * across, next_row = (i + 1) % around * across;
        for (uint32_t j = 0; j < across; ++j) {
            const td_circle_point a = td_circle_at((double)j / across);
            const td_vec3 away = td_add(td_scale(u, a.c), td_scale(v, a.s));
            td_arrays_set_vertex(out, row + j, td_add(middle, td_scale(away, radius)));
            const uint32_t next = (j + 1) % across;
            td_arrays_set_triangle(out, t++, row + j, row + next, next_row + next);
            td_arrays_set_triangle(out, t++, row + j, next_row + next, next_row + j);
        }
    }
    return TD_OK;
}

td_result td_make_hoop(td_mesh_arrays *out, td_context *context) {
    return td_make_tube(out, context, td_hoop_line, 0.25, 25, 18);
}

td_result td_make_clover(td_mesh_arrays *out, td_context *context) {
    return td_make_tube(out, context, td_clover_line, 0.13, 71, 15);
}

td_result td_make_wave(td_mesh_arrays *out, td_context *context) {
    return td_make_tube(out, context, td_wave_line, 0.14, 51, 32);
}

td_result td_make_pretzel(td_mesh_arrays *out, td_context *context) {
    return td_make_tube(out, context, td_pretzel_line, 0.11, 91, 19);
}
