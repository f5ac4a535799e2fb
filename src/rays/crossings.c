// Edges that pass each other inside both objects: what rays from vertices cannot see (beyond paper 003).
// Taken from the exact triangle pairs: two triangles that intersect so that an edge of each goes through the
// other.
#include "../core/context.h"
#include "../core/error.h"
#include "../query/pose.h"
#include "tracer.h"

// Corners of a triangle, in the frame of a.
typedef struct td_crossed {
    td_vec3 corner[3];
} td_crossed;

static td_crossed td_crossed_of(const td_ray_shape *shape, uint32_t triangle, const td_rigid *rigid) {
    const td_triangle t = td_target_triangle(td_shape_target(shape, 0), triangle);
    return (td_crossed){
        {td_rigid_apply(*rigid, t.p0), td_rigid_apply(*rigid, t.p1), td_rigid_apply(*rigid, t.p2)}};
}

// The one edge of `edges` that goes through the triangle; -1: none, or two of them. In doubles: this only
// says how two triangles that do intersect pass each other.
static int td_edge_through(const td_crossed *edges, const td_crossed *triangle) {
    const td_triangle t = {triangle->corner[0], triangle->corner[1], triangle->corner[2]};
    int found = -1;
    for (int k = 0; k < 3; ++k) {
        const td_vec3 p = edges->corner[k], d = td_sub(edges->corner[k == 2 ? 0 : k + 1], p);
        if (d.x == 0 && d.y == 0 && d.z == 0) {
            continue;
        }
        const td_line line = td_line_make(p, d, INFINITY);
        const td_crossing crossing = td_line_crossing(line, t);
        if (crossing.state != TD_LINE_MEETS) {
            continue;
        }
        const double at = td_place_on_line(&line, &t, crossing.corner, crossing.weight, -crossing.side);
        if (at >= 0 && at <= 1) {
            if (found >= 0) {
                return -1;
            }
            found = k;
        }
    }
    return found;
}

static void td_put(double out[3], td_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// The nearest points of the two lines. False: they are all but parallel.
static bool td_nearest_between(td_traced_crossing *out, td_vec3 p, td_vec3 u, td_vec3 q, td_vec3 v,
                               const td_rigid *frame) {
    const td_vec3 n = td_cross(u, v), apart = td_sub(q, p);
    const double nn = td_dot(n, n);
    if (!(nn > 1e-12 * td_dot(u, u) * td_dot(v, v))) {
        return false;
    }
    const double s = td_dot(td_cross(apart, v), n) / nn, t = td_dot(td_cross(apart, u), n) / nn;
    const td_vec3 a = td_add(p, td_scale(u, s)), b = td_add(q, td_scale(v, t));
    // Each edge is inside the other object: the way out of b is from its edge to that of a.
    const double along = td_dot(td_sub(a, b), n), length = sqrt(nn);
    const td_vec3 way = td_scale(n, (along < 0 ? -1 : 1) / length);
    out->depth = fabs(along) / length;
    td_put(out->point, td_rigid_apply(*frame, td_scale(td_add(a, b), 0.5)));
    td_put(out->normal,
           td_vec3_make(td_dot(frame->row0, way), td_dot(frame->row1, way), td_dot(frame->row2, way)));
    return true;
}

static td_vec3 td_outward_normal(const td_ray_shape *shape, uint32_t triangle) {
    const td_triangle t = td_target_triangle(td_shape_target(shape, 0), triangle);
    const td_vec3 n = td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0));
    const double length = sqrt(td_dot(n, n));
    return length > 0 ? td_scale(n, shape->outward / length) : n;
}

// Sine of the angle between a face and what still counts as an edge's own direction: along the normal of a
// face it is the face that is left, which vertices tell.
static const double td_least_angle = 0.05;

// Whether a body may be left at the edge in this direction (of its own frame): the edge is sharp, and the
// direction between the normals of its two triangles. Of flat edges and of those that are notches, never; of
// the rim of a sheet, always.
static bool td_leads_out(const td_ray_shape *shape, uint32_t triangle, uint32_t edge, td_vec3 way) {
    const uint32_t other = shape->neighbours[3 * (size_t)triangle + edge];
    if (other == TD_TRACE_NONE) {
        return true;
    }
    const td_triangle t = td_target_triangle(td_shape_target(shape, 0), triangle);
    const td_vec3 corners[3] = {t.p0, t.p1, t.p2};
    const td_vec3 along = td_scale(td_sub(corners[(edge + 1) % 3], corners[edge]), shape->outward);
    const td_vec3 m = td_outward_normal(shape, triangle), n = td_outward_normal(shape, other);
    const td_vec3 turn = td_cross(m, n); // along the edge if it is convex
    const double sharp = sqrt(td_dot(turn, turn)), least = td_least_angle * sharp;
    return sharp > td_least_angle && td_dot(turn, along) > 0 && td_dot(td_cross(m, way), turn) > least &&
           td_dot(td_cross(way, n), turn) > least && td_dot(td_add(m, n), way) > 0;
}

static bool td_is_way_out(const td_side *side, const td_traced_crossing *crossing, const td_rigid *a,
                          const td_rigid *b) {
    const td_vec3 way = td_vec3_make(crossing->normal[0], crossing->normal[1], crossing->normal[2]);
    const td_vec3 in_a =
        td_add(td_add(td_scale(a->row0, way.x), td_scale(a->row1, way.y)), td_scale(a->row2, way.z));
    const td_vec3 in_b =
        td_add(td_add(td_scale(b->row0, way.x), td_scale(b->row1, way.y)), td_scale(b->row2, way.z));
    return td_leads_out(side->source, crossing->triangle_a, crossing->edge_a, in_a) &&
           td_leads_out(side->target, crossing->triangle_b, crossing->edge_b, td_scale(in_b, -1));
}

static void td_add_crossing(td_tracer *tracer, size_t pair, td_pair triangles, const td_rigid *b_in_a) {
    const td_side *side = &tracer->sides.items[2 * pair];
    const td_rigid still = td_rigid_make(td_vec3_make(0, 0, 0), 0, 0, 0, 1);
    const td_crossed a = td_crossed_of(side->source, triangles.a, &still),
                     b = td_crossed_of(side->target, triangles.b, b_in_a);
    const int edge_a = td_edge_through(&a, &b), edge_b = td_edge_through(&b, &a);
    if (edge_a < 0 || edge_b < 0) {
        return;
    }
    td_traced_crossing crossing = {.pair = (uint32_t)pair,
                                   .triangle_a = triangles.a,
                                   .triangle_b = triangles.b,
                                   .edge_a = (uint32_t)edge_a,
                                   .edge_b = (uint32_t)edge_b};
    const td_vec3 p = a.corner[edge_a], q = b.corner[edge_b];
    const td_vec3 u = td_sub(a.corner[(edge_a + 1) % 3], p), v = td_sub(b.corner[(edge_b + 1) % 3], q);
    const td_rigid *frame = &tracer->objects.items[side->source_object].rigid;
    if (td_nearest_between(&crossing, p, u, q, v, frame) &&
        td_is_way_out(side, &crossing, frame, &tracer->objects.items[side->target_object].rigid)) {
        tracer->crossings.items[tracer->crossings.count++] = crossing;
    }
}

// The pose of b in the frame of a, as td_collide_pairs takes it.
static td_result td_ask_pairs(td_tracer *tracer, size_t count) {
    tracer->asked.count = tracer->answers.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &tracer->asked, count));
    TD_TRY(td_array_reserve(tracer->context, &tracer->answers, count));
    for (size_t i = 0; i < count; ++i) {
        const td_side *side = &tracer->sides.items[2 * i]; // its target is b
        const td_rigid r = tracer->sides.items[2 * i + 1].rigid;
        const double matrix[12] = {r.row0.x, r.row0.y,     r.row0.z, r.position.x, r.row1.x, r.row1.y,
                                   r.row1.z, r.position.y, r.row2.x, r.row2.y,     r.row2.z, r.position.z};
        td_object_pair *asked = &tracer->asked.items[tracer->asked.count++];
        asked->a = side->source_mesh;
        asked->b = side->target_mesh;
        TD_TRY(td_pose_from_matrix(&asked->pose, matrix));
    }
    const td_collide_def def = td_default_collide_def();
    return count == 0
               ? TD_OK
               : td_collide_pairs(tracer->answers.items, tracer->query, tracer->asked.items, count, &def);
}

td_result td_trace_crossings(td_tracer *tracer) {
    const size_t count = tracer->sides.count / 2;
    tracer->crossings.count = 0;
    TD_TRY(td_ask_pairs(tracer, count));
    for (size_t i = 0; i < count; ++i) {
        const td_collide_result *answer = &tracer->answers.items[i];
        const td_rigid b_in_a = td_pose_rigid(&tracer->asked.items[i].pose);
        TD_TRY(td_array_reserve(tracer->context, &tracer->crossings, answer->pair_count));
        for (uint64_t k = 0; k < answer->pair_count; ++k) {
            td_add_crossing(tracer, i, answer->pairs[k], &b_in_a);
        }
    }
    return TD_OK;
}
