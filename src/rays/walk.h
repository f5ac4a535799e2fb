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

#define TD_MEMORY_OPEN  0
#define TD_MEMORY_FAR   1
#define TD_MEMORY_WALK  2
#define TD_MEMORY_NOTED 3 // of a course: only where the ray was
#define TD_MEMORY_ASKED 4 // ... and the full cast of this step is to prove something

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
// Courses

// Of a ray of a side with a deformable object, which moves in its own way: where it was, in the target's
// coordinates, when its memory was made.
typedef struct td_course {
    td_memory memory;
    td_vec3 origin, direction;
    double t_max, travel; // travel: how far the target's vertices had gone
    td_u32 made, seen;    // steps: of all this, and the last one in which the ray was within the bounds
} td_course;

TD_INLINE td_course td_course_make(td_i32 state, td_trace_ray ray, double travel, td_u32 step) {
    td_course course;
    course.memory = td_memory_make(state, TD_TRACE_NONE, 0);
    course.origin = ray.origin;
    course.direction = ray.direction;
    course.t_max = ray.t_max;
    course.travel = travel;
    course.made = course.seen = step;
    return course;
}

// How far any point of what the memory is about has moved relative to the target, at most: its start, its
// end, and the target itself.
TD_INLINE double td_course_shift(td_course course, td_trace_ray ray, double travel, double margin) {
    const double far = course.memory.state == TD_MEMORY_WALK ? course.memory.reach : course.t_max;
    const td_vec3 moved = td_sub(ray.origin, course.origin), turned = td_sub(ray.direction, course.direction);
    const td_vec3 end = td_add(moved, td_scale(turned, far));
    const double size = fabs(ray.origin.x) + fabs(ray.origin.y) + fabs(ray.origin.z);
    return sqrt(fmax(td_dot(moved, moved), td_dot(end, end))) + sqrt(td_dot(turned, turned)) * margin +
           (travel - course.travel) + 0x1p-44 * size;
}

// Whether what the memory says is still true.
TD_INLINE int td_course_holds(td_course course, td_trace_ray ray, double shift, double margin) {
    const td_vec3 turned = td_sub(ray.direction, course.direction);
    return course.memory.state <= TD_MEMORY_WALK && shift <= TD_MARGIN_USED * margin &&
           sqrt(td_dot(turned, turned)) <= TD_TUBE_TURN &&
           ray.t_max <= course.t_max + (1 - TD_MARGIN_USED) * margin;
}

// A ray that is within the bounds, in this step: its course, which is noted anew unless it holds. It is
// proven anew only if it would last at the pace since it was noted. What a first attempt at this step has
// noted stays.
TD_INLINE td_course td_course_follow(td_course course, td_trace_ray ray, double travel, double margin,
                                     td_u32 step) {
    if (course.made == step) {
        return course;
    }
    if (course.seen != step && course.seen + 1 != step) {
        return td_course_make(TD_MEMORY_NOTED, ray, travel, step);
    }
    const double shift = td_course_shift(course, ray, travel, margin);
    if (td_course_holds(course, ray, shift, margin)) {
        course.seen = step;
        return course;
    }
    const int slow = shift <= TD_MARGIN_STEP * margin * (double)(step - course.made);
    return td_course_make(slow ? TD_MEMORY_ASKED : TD_MEMORY_NOTED, ray, travel, step);
}

// Whether the full cast of a ray with this course is to make its memory.
TD_INLINE int td_course_asks(td_course course, td_u32 step) {
    return course.made == step && course.memory.state != TD_MEMORY_NOTED;
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

TD_INLINE td_piece td_piece_make(td_trace_ray ray, double from, double to, double margin) {
    td_piece piece;
    piece.origin = ray.origin;
    piece.direction = ray.direction;
    piece.from = from;
    piece.to = to;
    piece.margin = margin;
    return piece;
}

TD_INLINE double td_lesser(double a, double b) {
    return a < b ? a : b;
}

TD_INLINE double td_greater(double a, double b) {
    return a > b ? a : b;
}

// Whether the box around the triangle, enlarged by the margin, meets the piece. In doubles: rounding is what
// TD_MARGIN_USED leaves. Comparisons, not fmin, which compilers call: nothing is NaN.
TD_INLINE int td_near_piece(td_triangle t, const td_piece *piece) {
    double enter = piece->from, leave = piece->to;
    for (int k = 0; k < 3; ++k) {
        const double a = td_component(t.p0, k), b = td_component(t.p1, k), c = td_component(t.p2, k);
        const double o = td_component(piece->origin, k), d = td_component(piece->direction, k);
        const double low = td_lesser(a, td_lesser(b, c)) - piece->margin - o,
                     high = td_greater(a, td_greater(b, c)) + piece->margin - o;
        if (fabs(d) < 0x1p-40) {
            if (low > 0 || high < 0) {
                return 0;
            }
            continue;
        }
        const double inverse = 1.0 / d, s = low * inverse, e = high * inverse;
        enter = td_greater(enter, td_lesser(s, e));
        leave = td_lesser(leave, td_greater(s, e));
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

// What is asked of a tube. `facing`: how triangles are to face, of outward normals along the ray: +1 for
// exits, -1 for entries, 0: there is to be none.
typedef struct td_tube_question {
    td_piece piece;
    double facing;
    td_i32 crossing; // whether td_tube.crossing is asked for
    td_i32 spare;
} td_tube_question;

TD_INLINE td_tube td_empty_tube(void) {
    td_tube tube;
    tube.count = 0;
    tube.all = 1;
    tube.first = tube.crossing = TD_TRACE_NONE;
    return tube;
}

// If local coordinates say nothing about the ray.
TD_INLINE td_tube td_unknown_tube(void) {
    td_tube tube = td_empty_tube();
    tube.count = 1;
    tube.all = 0;
    return tube;
}

// Takes a triangle into account that may be near.
TD_INLINE void td_tube_take(td_tube *tube, td_triangle triangle, td_u32 number,
                            const td_tube_question *question, td_i32 outward, double grain) {
    const td_piece *piece = &question->piece;
    if (!td_near_piece(triangle, piece)) {
        return;
    }
    ++tube->count;
    tube->first = number < tube->first ? number : tube->first;
    tube->all = td_faces(triangle, piece->direction, question->facing * outward);
    if (!tube->all || !question->crossing) {
        return;
    }
    const td_line line = td_line_make(piece->origin, piece->direction, grain);
    const td_crossing crossing = td_line_crossing(line, triangle);
    double t;
    if (crossing.state == TD_LINE_MEETS && td_place_of(&t, line, triangle, &crossing) && t < 0 &&
        t >= piece->from) {
        tube->crossing = number;
    }
}

// Stops at the first triangle that does not face as wanted.
TD_INLINE td_tube td_find_tube(td_target target, td_tube_question question) {
    const td_piece piece = question.piece;
    const td_local_ray place = td_local_ray_make(target, piece.origin, piece.direction, piece.margin);
    if (!place.usable) {
        return td_unknown_tube();
    }
    td_tube tube = td_empty_tube();
    td_u32 node = 0;
    while (node != TD_TRACE_NONE && tube.all) {
        const td_skip_node at = target.nodes[node];
        if (!td_local_ray_meets(&place, at, piece.from, piece.to)) {
            node = at.escape;
        } else if (at.triangle == TD_TRACE_NONE) {
            node = node + 1;
        } else {
            td_tube_take(&tube, td_target_triangle(target, at.triangle), at.triangle, &question,
                         target.outward, target.grain);
            node = at.escape;
        }
    }
    return tube;
}

// ---------------------------------------------------------------------------------------------------------
// What a full cast proves

#define TD_ASK_NOTHING 0 // the memory is known
#define TD_ASK_EXIT    1 // all the way to where the ray leaves the target
#define TD_ASK_NEAR    2 // around its start
#define TD_ASK_ENTRY   3 // around where it enters the target
#define TD_ASK_WHOLE   4

// One tube after the other, until the memory is known.
typedef struct td_inquiry {
    td_tube_question question;
    td_memory memory;
    td_u32 near_first; // the lowest triangle around the start; TD_TRACE_NONE: there is none
    td_i32 about;      // TD_ASK_x
} td_inquiry;

TD_INLINE void td_ask(td_inquiry *q, td_i32 about, td_piece piece, double facing, td_i32 crossing) {
    q->about = about;
    q->question.piece = piece;
    q->question.facing = facing;
    q->question.crossing = crossing;
    q->question.spare = 0;
}

// If nothing is near the whole ray, nothing is hit, whatever the target is.
TD_INLINE void td_ask_whole(td_inquiry *q, td_trace_ray ray, double margin) {
    td_ask(q, TD_ASK_WHOLE, td_piece_make(ray, ray.t_min - margin, ray.t_max + margin, margin), 0.0, 0);
}

// `solid`: the target is one whose surface does not meet itself. Then the ray's t_min is 0, its direction of
// length 1.
TD_INLINE td_inquiry td_inquiry_make(td_target target, td_trace_ray ray, td_trace_hit hit, double margin,
                                     int solid) {
    td_inquiry q;
    q.memory = td_memory_make(TD_MEMORY_OPEN, TD_TRACE_NONE, 0);
    q.near_first = TD_TRACE_NONE;
    td_ask(&q, TD_ASK_NOTHING, td_piece_make(ray, 0.0, 0.0, margin), 0.0, 0);
    if (!solid) {
        if (hit.state == TD_TRACE_NOTHING) {
            td_ask_whole(&q, ray, margin);
        }
    } else if (hit.state == TD_TRACE_HIT && hit.side == -target.outward) {
        td_ask(&q, TD_ASK_EXIT, td_piece_make(ray, -margin, hit.t + margin, margin), 1.0, 0);
    } else if (hit.state == TD_TRACE_NOTHING || (hit.state == TD_TRACE_HIT && hit.side == target.outward)) {
        td_ask(&q, TD_ASK_NEAR, td_piece_make(ray, -margin, margin, margin), 1.0,
               hit.state == TD_TRACE_NOTHING);
    }
    return q;
}

// What was asked for is found.
TD_INLINE void td_inquiry_take(td_inquiry *q, td_tube tube, td_trace_ray ray, td_trace_hit hit,
                               double margin) {
    const td_i32 about = q->about;
    q->about = TD_ASK_NOTHING;
    if (about == TD_ASK_WHOLE) {
        q->memory.state = tube.count == 0 ? TD_MEMORY_FAR : TD_MEMORY_OPEN;
    } else if (!tube.all) {
        return;
    } else if (about == TD_ASK_EXIT) {
        q->memory = td_memory_make(TD_MEMORY_WALK, hit.triangle, hit.t);
    } else if (about == TD_ASK_ENTRY) {
        q->memory =
            td_memory_make(q->near_first == TD_TRACE_NONE ? TD_MEMORY_FAR : TD_MEMORY_WALK, q->near_first, 0);
    } else if (hit.state == TD_TRACE_HIT) {
        q->near_first = tube.first;
        td_ask(q, TD_ASK_ENTRY, td_piece_make(ray, hit.t - margin, hit.t + margin, margin), -1.0, 0);
    } else if (tube.count == 0) {
        td_ask_whole(q, ray, margin);
    } else if (tube.crossing !=
               TD_TRACE_NONE) { // outside only if the line came out of the target just before
        q->memory = td_memory_make(TD_MEMORY_WALK, tube.crossing, 0);
    }
}

TD_INLINE td_memory td_remember(td_target target, td_trace_ray ray, td_trace_hit hit, double margin,
                                int solid) {
    td_inquiry q = td_inquiry_make(target, ray, hit, margin, solid);
    while (q.about != TD_ASK_NOTHING) {
        td_inquiry_take(&q, td_find_tube(target, q.question), ray, hit, margin);
    }
    return q.memory;
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
