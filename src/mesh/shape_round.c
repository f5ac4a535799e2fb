// Surfaces of revolution about the y axis.
#include "../core/error.h"
#include "arrays.h"
#include "circle.h"
#include "shape_makers.h"

// ---------------------------------------------------------------------------------------------------------
// A stack of rings between two poles

typedef struct td_ring {
    double radius, y;
} td_ring;

#define TD_MAX_SEGMENTS 32u

static void td_fill_ring_stack(td_mesh_arrays *out, uint32_t ring_count, uint32_t segments) {
    const uint32_t bottom = ring_count * segments;
    const uint32_t top = bottom + 1;
    uint32_t t = 0;
    for (uint32_t i = 0; i < segments; ++i) {
        const uint32_t j = (i + 1) % segments;
        td_arrays_set_triangle(out, t++, bottom, i, j);
        for (uint32_t r = 0; r + 1 < ring_count; ++r) {
            const uint32_t low = r * segments;
            const uint32_t high = low + segments;
            td_arrays_set_triangle(out, t++, low + i, high + i, high + j);
            td_arrays_set_triangle(out, t++, low + i, high + j, low + j);
        }
        const uint32_t last = (ring_count - 1) * segments;
        td_arrays_set_triangle(out, t++, top, last + j, last + i);
    }
}

// Rings from bottom to top; the poles lie on the axis at the given heights. `segments`: 4, 8, 16 or 32.
static td_result td_make_ring_stack(td_mesh_arrays *out, td_context *context, const td_ring *rings,
                                    uint32_t ring_count, uint32_t segments, double bottom_y, double top_y) {
    td_circle_point circle[TD_MAX_SEGMENTS];
    td_circle_fill(circle, segments);
    TD_TRY(td_arrays_create(out, context, ring_count * segments + 2, 2 * ring_count * segments));
    for (uint32_t r = 0; r < ring_count; ++r) {
        for (uint32_t i = 0; i < segments; ++i) {
            const td_vec3 p =
                td_vec3_make(rings[r].radius * circle[i].c, rings[r].y, rings[r].radius * circle[i].s);
            td_arrays_set_vertex(out, r * segments + i, p);
        }
    }
    td_arrays_set_vertex(out, ring_count * segments, td_vec3_make(0, bottom_y, 0));
    td_arrays_set_vertex(out, ring_count * segments + 1, td_vec3_make(0, top_y, 0));
    td_fill_ring_stack(out, ring_count, segments);
    return TD_OK;
}

static double td_axis_distance(td_vec3 p) {
    return sqrt(p.x * p.x + p.z * p.z);
}

// Moves p away from the axis, or towards it, to the given distance. The axis itself stays.
static td_vec3 td_at_axis_distance(td_vec3 p, double distance) {
    const double now = td_axis_distance(p);
    return now == 0 ? p : td_vec3_make(p.x * (distance / now), p.y, p.z * (distance / now));
}

static td_vec3 td_middle(td_vec3 a, td_vec3 b) {
    return td_scale(td_add(a, b), 0.5);
}

// ---------------------------------------------------------------------------------------------------------
// Cylinder and cone: a curved side and flat caps. An edge belongs to the side if both its ends do; of the
// edges in a cap these are the rim, which is curved as well.

#define TD_ON_SIDE 1e-9 // how far a vertex may be off the side by rounding

static const double td_cylinder_radius = 0.5;
static const double td_cylinder_half_height = 0.5;

td_result td_make_cylinder(td_mesh_arrays *out, td_context *context) {
    td_ring rings[5];
    for (int r = 0; r < 5; ++r) {
        rings[r] = (td_ring){td_cylinder_radius, td_cylinder_half_height * (r - 2) / 2};
    }
    return td_make_ring_stack(out, context, rings, 5, 32, -td_cylinder_half_height, td_cylinder_half_height);
}

static bool td_on_cylinder_side(td_vec3 p) {
    return fabs(td_axis_distance(p) - td_cylinder_radius) < TD_ON_SIDE;
}

td_vec3 td_cylinder_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 middle = td_middle(a, b);
    return td_on_cylinder_side(a) && td_on_cylinder_side(b) ? td_at_axis_distance(middle, td_cylinder_radius)
                                                            : middle;
}

static const double td_cone_radius = 0.5;
static const double td_cone_half_height = 0.5;

td_result td_make_cone(td_mesh_arrays *out, td_context *context) {
    const td_ring base = {td_cone_radius, -td_cone_half_height};
    return td_make_ring_stack(out, context, &base, 1, 32, -td_cone_half_height, td_cone_half_height);
}

static double td_cone_radius_at(double y) {
    return td_cone_radius * (td_cone_half_height - y) / (2 * td_cone_half_height);
}

static bool td_on_cone_side(td_vec3 p) {
    return fabs(td_axis_distance(p) - td_cone_radius_at(p.y)) < TD_ON_SIDE;
}

td_vec3 td_cone_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 middle = td_middle(a, b);
    return td_on_cone_side(a) && td_on_cone_side(b) ? td_at_axis_distance(middle, td_cone_radius_at(middle.y))
                                                    : middle;
}

// ---------------------------------------------------------------------------------------------------------

static const double td_capsule_radius = 0.3;
static const double td_capsule_half_length = 0.5; // of the axis, round ends not counted

td_result td_make_capsule(td_mesh_arrays *out, td_context *context) {
    enum { steps = 4, segments = 4 * steps, between = 3, ring_count = 2 * steps + between };
    td_circle_point arc[segments];
    td_circle_fill(arc, segments);
    td_ring rings[ring_count];
    for (int i = 0; i < steps; ++i) {
        const double radius = td_capsule_radius * arc[i].c;
        const double y = td_capsule_half_length + td_capsule_radius * arc[i].s;
        rings[steps - 1 - i] = (td_ring){radius, -y};
        rings[steps + between + i] = (td_ring){radius, y};
    }
    for (int i = 0; i < between; ++i) {
        const double y = td_capsule_half_length * (2.0 * (i + 1) / (between + 1) - 1);
        rings[steps + i] = (td_ring){td_capsule_radius, y};
    }
    const double pole = td_capsule_half_length + td_capsule_radius;
    return td_make_ring_stack(out, context, rings, ring_count, segments, -pole, pole);
}

td_vec3 td_capsule_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 p = td_middle(a, b);
    const double y = fmax(-td_capsule_half_length, fmin(p.y, td_capsule_half_length));
    const td_vec3 axis = td_vec3_make(0, y, 0);
    const td_vec3 away = td_sub(p, axis);
    return td_add(axis, td_scale(away, td_capsule_radius / sqrt(td_dot(away, away))));
}

// ---------------------------------------------------------------------------------------------------------
// Tori. There are two: the ring is thin enough for two others in its hole, so that chains can be made of it.

typedef struct td_torus {
    double radius; // of the circle in the middle of the tube
    double tube;   // radius of the tube around it
} td_torus;

static const td_torus td_thick_torus = {0.7, 0.25};
static const td_torus td_thin_torus = {0.8, 0.15};

static td_result td_make_tube(td_mesh_arrays *out, td_context *context, td_torus torus) {
    enum { around = 32, across = 16 };
    td_circle_point large[around];
    td_circle_point small[across];
    td_circle_fill(large, around);
    td_circle_fill(small, across);
    TD_TRY(td_arrays_create(out, context, around * across, 2 * around * across));
    uint32_t t = 0;
    for (uint32_t i = 0; i < around; ++i) {
        const uint32_t row = i * across;
        const uint32_t next_row = (i + 1) % around * across;
        for (uint32_t j = 0; j < across; ++j) {
            const double radius = torus.radius + torus.tube * small[j].c;
            const td_vec3 p = td_vec3_make(radius * large[i].c, torus.tube * small[j].s, radius * large[i].s);
            td_arrays_set_vertex(out, row + j, p);
            const uint32_t next = (j + 1) % across;
            td_arrays_set_triangle(out, t++, row + j, row + next, next_row + next);
            td_arrays_set_triangle(out, t++, row + j, next_row + next, next_row + j);
        }
    }
    return TD_OK;
}

static td_vec3 td_tube_edge_point(td_vec3 a, td_vec3 b, td_torus torus) {
    const td_vec3 p = td_middle(a, b);
    const td_vec3 core = td_at_axis_distance(td_vec3_make(p.x, 0, p.z), torus.radius);
    const td_vec3 away = td_sub(p, core);
    return td_add(core, td_scale(away, torus.tube / sqrt(td_dot(away, away))));
}

td_result td_make_torus(td_mesh_arrays *out, td_context *context) {
    return td_make_tube(out, context, td_thick_torus);
}

td_vec3 td_torus_edge_point(td_vec3 a, td_vec3 b) {
    return td_tube_edge_point(a, b, td_thick_torus);
}

td_result td_make_ring(td_mesh_arrays *out, td_context *context) {
    return td_make_tube(out, context, td_thin_torus);
}

td_vec3 td_ring_edge_point(td_vec3 a, td_vec3 b) {
    return td_tube_edge_point(a, b, td_thin_torus);
}

// ---------------------------------------------------------------------------------------------------------
// Half a ball, hollow: up its outside, over the rim and down its inside is a stack of rings, too.

static const double td_bowl_outer_radius = 1;
static const double td_bowl_inner_radius = 0.9;
static const double td_bowl_rim = 0.5; // y of the rim, and of the centre of the ball

td_result td_make_bowl(td_mesh_arrays *out, td_context *context) {
    enum { steps = 8, segments = 4 * steps };
    td_circle_point arc[segments];
    td_circle_fill(arc, segments);
    td_ring rings[2 * steps];
    for (int i = 0; i < steps; ++i) { // from the rim downwards
        rings[steps - 1 - i] =
            (td_ring){td_bowl_outer_radius * arc[i].c, td_bowl_rim - td_bowl_outer_radius * arc[i].s};
        rings[steps + i] =
            (td_ring){td_bowl_inner_radius * arc[i].c, td_bowl_rim - td_bowl_inner_radius * arc[i].s};
    }
    return td_make_ring_stack(out, context, rings, 2 * steps, segments, td_bowl_rim - td_bowl_outer_radius,
                              td_bowl_rim - td_bowl_inner_radius);
}

// The rim, between outside and inside, is flat.
td_vec3 td_bowl_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 centre = td_vec3_make(0, td_bowl_rim, 0);
    const td_vec3 to_a = td_sub(a, centre), to_b = td_sub(b, centre), away = td_sub(td_middle(a, b), centre);
    const double balls[] = {td_bowl_outer_radius, td_bowl_inner_radius};
    for (int i = 0; i < 2; ++i) {
        if (fabs(sqrt(td_dot(to_a, to_a)) - balls[i]) < TD_ON_SIDE &&
            fabs(sqrt(td_dot(to_b, to_b)) - balls[i]) < TD_ON_SIDE) {
            return td_add(centre, td_scale(away, balls[i] / sqrt(td_dot(away, away))));
        }
    }
    return td_middle(a, b);
}
