// Temporal data: what a full cast proves about the steps to come, and the walk that uses it. C17 and OpenCL
// C.
//
// Paper 003 uses the iterative algorithm while "displacement remains small" and drops vertices without
// temporal data. Here both are proven. Let a ray have been cast in full, and let since then no point of it,
// from `margin` before its start to `margin` behind its hit, have moved by more than the margin relative to
// the target. A *tube* is the set of target triangles whose boxes come within the margin of that piece: then
// the new piece meets no triangle outside the tube.
//
//   - No triangle in the tube: nothing is met. The vertex is dropped (TD_MEMORY_FAR).
//   - All triangles of the tube face away from the ray's start, by more than rays may have turned, and the
//   target is a
//     solid whose surface does not meet itself. Along any line through it entries and exits alternate. So the
//     new line has at most one crossing in the piece. If a walk over neighbours finds it, it is the first
//     hit, or, behind the start, tells that the vertex is outside (TD_MEMORY_WALK).
//   - Otherwise the ray is cast in full in each step (TD_MEMORY_OPEN).
//
// Whether a vertex is outside must be known for the first of these, unless the tube is as long as the ray: an
// entry tells it if around it nothing but entries are near, so that rounding cannot have exchanged two hits.
#ifndef TD_RAYS_WALK_H
#define TD_RAYS_WALK_H

#include "target.h"

#define TD_MEMORY_OPEN 0
#define TD_MEMORY_FAR  1
#define TD_MEMORY_WALK 2

// The sine of the angle between a ray and the planes of its tube, at least; and how much the direction of a
// ray, of length 1, may have changed.
#define TD_TUBE_STEEP 0.25
#define TD_TUBE_TURN  0.2
// Of the margin: the rest is for rounding.
#define TD_MARGIN_USED 0.95

// Of the margin: a pair that moves by more than this in a step would soon have used it up, and gets no
// temporal data.
#define TD_MARGIN_STEP 0.25

#define TD_WALK_MOST 24u // triangles

typedef struct td_memory {
    double reach;    // WALK: t of the hit, 0 if the vertex was outside
    td_u32 triangle; // WALK: where to begin
    td_i32 state;    // TD_MEMORY_x
} td_memory;

TD_INLINE td_memory td_memory_make(td_i32 state, td_u32 triangle, double reach) {
    td_memory m;
    m.reach = reach;
    m.triangle = triangle;
    m.state = state;
    return m;
}

// ---------------------------------------------------------------------------------------------------------
// The tube

typedef struct td_tube {
    td_i32 count; // 0 or more; how many is not told once one is not as wanted
    td_i32 all;   // all of them face as wanted
    td_u32 first; // the lowest
    td_u32
        crossing; // one that the line crosses within the tube before its start; TD_TRACE_NONE: none is known
} td_tube;

// The piece of the line from `from` to `to` and the margin around it.
typedef struct td_piece {
    td_vec3 origin, direction;
    double from, to, margin;
} td_piece;

// Whether the box around the triangle, enlarged by the margin, meets the piece. In doubles: rounding is what
// TD_MARGIN_USED leaves.
TD_INLINE int td_near_piece(td_triangle t, td_piece piece) {
    double enter = piece.from, leave = piece.to;
    for (int k = 0; k < 3; ++k) {
        const double a = td_component(t.p0, k), b = td_component(t.p1, k), c = td_component(t.p2, k);
        const double o = td_component(piece.origin, k), d = td_component(piece.direction, k);
        const double low = fmin(a, fmin(b, c)) - piece.margin - o,
                     high = fmax(a, fmax(b, c)) + piece.margin - o;
        if (fabs(d) < 0x1p-40) {
            if (low > 0 || high < 0) {
                return 0;
            }
            continue;
        }
        const double s = low / d, e = high / d;
        enter = fmax(enter, fmin(s, e));
        leave = fmin(leave, fmax(s, e));
    }
    return enter <= leave;
}

// Whether the triangle faces along the direction (facing +1), or against it, robustly.
TD_INLINE int td_faces(td_triangle t, td_vec3 direction, double facing) {
    const td_vec3 n = td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0));
    const double along = facing * td_dot(n, direction);
    return along > 0 &&
           along * along >= TD_TUBE_STEEP * TD_TUBE_STEEP * td_dot(n, n) * td_dot(direction, direction);
}

// `facing`: of outward normals along the ray: +1 for exits. Stops at the first triangle that does not.
TD_INLINE td_tube td_find_tube(td_target target, td_piece piece, double facing) {
    td_tube tube;
    tube.count = 0;
    tube.all = 1;
    tube.first = tube.crossing = TD_TRACE_NONE;
    const td_local_ray place = td_local_ray_make(target, piece.origin, piece.direction, piece.margin);
    const td_line line = td_line_make(piece.origin, piece.direction, target.grain);
    if (!place.usable) {
        tube.count = 1;
        tube.all = 0;
        return tube;
    }
    td_u32 node = 0;
    while (node != TD_TRACE_NONE && tube.all) {
        const td_skip_node at = target.nodes[node];
        if (!td_local_ray_meets(&place, at, piece.from, piece.to)) {
            node = at.escape;
            continue;
        }
        if (at.triangle == TD_TRACE_NONE) {
            node = node + 1;
            continue;
        }
        node = at.escape;
        const td_triangle triangle = td_target_triangle(target, at.triangle);
        if (!td_near_piece(triangle, piece)) {
            continue;
        }
        ++tube.count;
        tube.first = at.triangle < tube.first ? at.triangle : tube.first;
        tube.all = td_faces(triangle, piece.direction, facing * target.outward);
        const td_crossing crossing = td_line_crossing(line, triangle);
        double t;
        if (crossing.state == TD_LINE_MEETS && td_place_of(&t, line, triangle, &crossing) && t < 0 &&
            t >= piece.from) {
            tube.crossing = at.triangle;
        }
    }
    return tube;
}

TD_INLINE td_piece td_piece_make(td_trace_ray ray, double from, double to, double margin) {
    td_piece piece;
    piece.origin = ray.origin;
    piece.direction = ray.direction;
    piece.from = from;
    piece.to = to;
    piece.margin = margin;
    return piece;
}

// ---------------------------------------------------------------------------------------------------------
// What a full cast proves

// Whatever the target is: if nothing is near the whole ray, nothing is hit.
TD_INLINE td_memory td_remember_plainly(td_target target, td_trace_ray ray, td_trace_hit hit, double margin) {
    if (hit.state != TD_TRACE_NOTHING) {
        return td_memory_make(TD_MEMORY_OPEN, TD_TRACE_NONE, 0);
    }
    const td_tube whole =
        td_find_tube(target, td_piece_make(ray, ray.t_min - margin, ray.t_max + margin, margin), 1.0);
    return td_memory_make(whole.count == 0 ? TD_MEMORY_FAR : TD_MEMORY_OPEN, TD_TRACE_NONE, 0);
}

// Of a solid whose surface does not meet itself. The ray's t_min is 0, its direction of length 1.
TD_INLINE td_memory td_remember_solid(td_target target, td_trace_ray ray, td_trace_hit hit, double margin) {
    const td_memory open = td_memory_make(TD_MEMORY_OPEN, TD_TRACE_NONE, 0);
    if (hit.state == TD_TRACE_HIT && hit.side == -target.outward) {
        const td_tube tube = td_find_tube(target, td_piece_make(ray, -margin, hit.t + margin, margin), 1.0);
        return tube.all ? td_memory_make(TD_MEMORY_WALK, hit.triangle, hit.t) : open;
    }
    const td_tube near = td_find_tube(target, td_piece_make(ray, -margin, margin, margin), 1.0);
    if (hit.state == TD_TRACE_HANDED || !near.all) {
        return open;
    }
    if (hit.state == TD_TRACE_HIT) {
        if (hit.side != target.outward ||
            !td_find_tube(target, td_piece_make(ray, hit.t - margin, hit.t + margin, margin), -1.0).all) {
            return open;
        }
        return near.count == 0 ? td_memory_make(TD_MEMORY_FAR, TD_TRACE_NONE, 0)
                               : td_memory_make(TD_MEMORY_WALK, near.first, 0);
    }
    if (near.count > 0) { // outside only if the line came out of the target just before
        return near.crossing != TD_TRACE_NONE ? td_memory_make(TD_MEMORY_WALK, near.crossing, 0) : open;
    }
    return td_remember_plainly(target, ray, hit, margin);
}

// ---------------------------------------------------------------------------------------------------------
// The walk

// From the triangle of the memory over the edges that the line passes on the wrong side, to the one that it
// goes through. TD_TRACE_LOST if there is none within the piece that the proof is about, or doubles cannot
// tell: then the ray is to be cast in full.
TD_INLINE td_trace_hit td_walk(td_target target, td_trace_ray ray, td_memory memory, double margin) {
    const td_line line = td_line_make(ray.origin, ray.direction, target.grain);
    td_trace_hit hit = td_no_trace_hit(TD_TRACE_LOST);
    td_u32 number = memory.triangle;
    for (td_u32 step = 0; step < TD_WALK_MOST && number != TD_TRACE_NONE; ++step) {
        const td_triangle triangle = td_target_triangle(target, number);
        const td_vec3 a = td_sub(triangle.p0, ray.origin), b = td_sub(triangle.p1, ray.origin),
                      c = td_sub(triangle.p2, ray.origin);
        // Of a triangle seen from behind all three are positive if the line goes through it.
        const double ab = target.outward * td_side_of_edge(a, b, ray.direction).det,
                     bc = target.outward * td_side_of_edge(b, c, ray.direction).det,
                     ca = target.outward * td_side_of_edge(c, a, ray.direction).det;
        if (ab > 0 && bc > 0 && ca > 0) {
            const td_crossing crossing = td_line_crossing(line, triangle);
            if (crossing.state != TD_LINE_MEETS || !td_place_of(&hit.t, line, triangle, &crossing) ||
                !(hit.t >= -margin && hit.t <= memory.reach + margin)) {
                return hit;
            }
            hit.triangle = number;
            hit.side = crossing.side;
            hit.state = hit.t >= 0 && hit.t <= ray.t_max ? TD_TRACE_HIT : TD_TRACE_NOTHING;
            return hit;
        }
        const int edge = ab <= bc && ab <= ca ? 0 : bc <= ca ? 1 : 2;
        number = target.neighbours[3 * (size_t)number + (td_u32)edge];
    }
    return hit;
}

#endif
