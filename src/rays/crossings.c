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
    if (td_nearest_between(&crossing, p, u, q, v, &tracer->objects.items[side->source_object].rigid)) {
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
