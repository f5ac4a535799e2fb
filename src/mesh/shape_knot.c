// A tube along the trefoil: the (2, 3) torus knot, which winds twice around the y axis while it winds three
// times around the circle of radius td_knot_radius.
#include "../core/error.h"
#include "arrays.h"
#include "circle.h"
#include "shape_makers.h"

static const double td_knot_radius = 0.6;       // of the circle that the knot winds around
static const double td_knot_winding = 0.25;     // distance from that circle
static const double td_knot_tube_radius = 0.13; // strands come no closer than about 0.45

// The knot's middle line at the angle t, given as (cos t, sin t), and its derivatives by t.
typedef struct td_knot_point {
    td_vec3 at, velocity, acceleration;
} td_knot_point;

static td_knot_point td_knot_evaluate(td_circle_point t) {
    const double c2 = t.c * t.c - t.s * t.s;
    const double s2 = 2 * t.c * t.s;
    const double c3 = t.c * c2 - t.s * s2;
    const double s3 = t.s * c2 + t.c * s2;
    const double radius = td_knot_radius + td_knot_winding * c3;
    const double radius_velocity = -3 * td_knot_winding * s3;
    const double radius_acceleration = -9 * td_knot_winding * c3;
    td_knot_point k;
    k.at = td_vec3_make(radius * c2, td_knot_winding * s3, radius * s2);
    k.velocity = td_vec3_make(radius_velocity * c2 - 2 * radius * s2, 3 * td_knot_winding * c3,
                              radius_velocity * s2 + 2 * radius * c2);
    k.acceleration = td_vec3_make(radius_acceleration * c2 - 4 * radius_velocity * s2 - 4 * radius * c2,
                                  -9 * td_knot_winding * s3,
                                  radius_acceleration * s2 + 4 * radius_velocity * c2 - 4 * radius * s2);
    return k;
}

// ---------------------------------------------------------------------------------------------------------

static td_vec3 td_unit(td_vec3 v) {
    return td_scale(v, 1 / sqrt(td_dot(v, v)));
}

// Two directions across the tube. The first points away from the circle that the knot winds around, so that
// the frame closes up after one turn.
static void td_knot_frame(td_vec3 *u, td_vec3 *v, const td_knot_point *knot) {
    const double distance = sqrt(knot->at.x * knot->at.x + knot->at.z * knot->at.z);
    const double scale = td_knot_radius / distance;
    const td_vec3 outward = td_sub(knot->at, td_vec3_make(knot->at.x * scale, 0, knot->at.z * scale));
    const td_vec3 along = td_unit(knot->velocity);
    *v = td_unit(td_cross(along, outward));
    *u = td_cross(*v, along);
}

td_result td_make_knot(td_mesh_arrays *out, td_context *context) {
    enum { around = 128, across = 8 };
    td_circle_point large[around];
    td_circle_point small[across];
    td_circle_fill(large, around);
    td_circle_fill(small, across);
    TD_TRY(td_arrays_create(out, context, around * across, 2 * around * across));
    uint32_t t = 0;
    for (uint32_t i = 0; i < around; ++i) {
        const td_knot_point knot = td_knot_evaluate(large[i]);
        td_vec3 u, v;
        td_knot_frame(&u, &v, &knot);
        const uint32_t row = i * across;
        const uint32_t next_row = (i + 1) % around * across;
        for (uint32_t j = 0; j < across; ++j) {
            const td_vec3 away = td_add(td_scale(u, small[j].c), td_scale(v, small[j].s));
            td_arrays_set_vertex(out, row + j, td_add(knot.at, td_scale(away, td_knot_tube_radius)));
            const uint32_t next = (j + 1) % across;
            td_arrays_set_triangle(out, t++, row + j, row + next, next_row + next);
            td_arrays_set_triangle(out, t++, row + j, next_row + next, next_row + j);
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

// The angle t + 2 atan(h), which for small h is t + 2h.
static td_circle_point td_turn(td_circle_point t, double h) {
    const double c = 1 - h * h;
    const double s = 2 * h;
    const double norm = 1 + h * h;
    return (td_circle_point){(t.c * c - t.s * s) / norm, (t.s * c + t.c * s) / norm};
}

// The nearest of 64 points of the knot: near enough for Newton's method to converge from there.
static td_circle_point td_knot_nearest_sample(td_vec3 p) {
    enum { sample_count = 64 };
    td_circle_point samples[sample_count];
    td_circle_fill(samples, sample_count);
    td_circle_point nearest = samples[0];
    double least = HUGE_VAL;
    for (int i = 0; i < sample_count; ++i) {
        const td_vec3 away = td_sub(p, td_knot_evaluate(samples[i]).at);
        if (td_dot(away, away) < least) {
            least = td_dot(away, away);
            nearest = samples[i];
        }
    }
    return nearest;
}

// Newton's method on the derivative of half the squared distance to the middle line.
td_vec3 td_knot_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 p = td_scale(td_add(a, b), 0.5);
    td_circle_point t = td_knot_nearest_sample(p);
    td_knot_point knot = td_knot_evaluate(t);
    for (int i = 0; i < 6; ++i) {
        const td_vec3 away = td_sub(p, knot.at);
        const double slope = td_dot(away, knot.velocity);
        const double curvature = td_dot(knot.velocity, knot.velocity) - td_dot(away, knot.acceleration);
        t = td_turn(t, slope / curvature / 2);
        knot = td_knot_evaluate(t);
    }
    return td_add(knot.at, td_scale(td_unit(td_sub(p, knot.at)), td_knot_tube_radius));
}
