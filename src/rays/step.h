// A step on a device: what host and kernels hand each other, and the bodies of the kernels. C17 and OpenCL C.
//
// The host describes the meshes, the objects and the pairs. td_step_pair_class splits the pairs; every group
// of TD_STEP_GROUP rays of a side becomes a chunk, and a chunk a work-group of the per-vertex kernel, so
// work-items of a group go the same way. That kernel appends rays to the list of their algorithm; each list
// has a kernel. Counters stay on the device; the host asks for them when all is done. Where an append buffer
// was too small, the step is made again: until td_step_commit nothing is changed that a second attempt would
// not change alike.
#ifndef TD_RAYS_STEP_H
#define TD_RAYS_STEP_H

#include "start.h"
#include "walk.h"

#define TD_STEP_GROUP 64u

#define TD_SHAPE_DEFORMABLE 1u
#define TD_SHAPE_OWN        2u // own lengths are there
#define TD_SHAPE_BASIC      4u // as a target it has no hierarchy to use

typedef struct td_step_shape {
    td_vec3 lower, upper, centre, local_origin;
    double scale0, scale1, grain, radius, travel;
    td_u32 first_corner, first_triangle, first_node, first_start; // in the arrays of all shapes
    td_u32 triangle_count, start_count, flags;                    // TD_SHAPE_x
    td_i32 outward;
} td_step_shape;

typedef struct td_step_object {
    td_rigid rigid;
    double around;
    td_u32 shape, spare;
} td_step_object;

typedef struct td_step_pair {
    double margin;
    double touch[2], reach[2]; // of its sides, m
    td_u32 object[2];
    td_u32 slot[2];     // where the memories of its sides' rays begin, or, if an object of it is deformable,
                        // their courses; TD_TRACE_NONE: there are none
    td_u32 walkable[2]; // the target of the side is
    td_u32 record;
    td_u32 fresh; // there is no last step
} td_step_pair;

// What a device keeps of a pair.
typedef struct td_step_record {
    td_rigid reference[2], last[2];
    td_u32 tracked, spare; // memories were made at `reference`
} td_step_record;

#define TD_CLASS_STILL      0u
#define TD_CLASS_SMALL      1u
#define TD_CLASS_HIGH       2u
#define TD_CLASS_DEFORMABLE 3u

typedef struct td_step_side {
    td_rigid rigid;
    double margin, touch, reach;
    td_u32 source, target; // objects
    td_u32 slot, class_of;
    td_u32 walkable, fresh;
} td_step_side;

typedef struct td_step_ray {
    td_u32 side, number;
} td_step_ray;

typedef struct td_step_hit {
    double t;
    td_u32 side, number, triangle;
    td_i32 state, met; // met: the side of the triangle
    td_u32 spare;
} td_step_hit;

// Counters of a step.
#define TD_SUM_CHUNKS    0u
#define TD_SUM_BVH       1u // in the order of td_traced_algorithm
#define TD_SUM_BASIC     2u
#define TD_SUM_ITERATIVE 3u
#define TD_SUM_HITS      4u
#define TD_SUM_BOUNDS    5u // dropped
#define TD_SUM_TEMPORAL  6u // dropped
#define TD_SUM_FALLBACKS 7u // to TD_TRACED_BVH, and behind it to TD_TRACED_BASIC
#define TD_SUM_OPEN      9u
#define TD_SUM_VERTICES  10u
#define TD_SUMS          11u

// How to make the step.
typedef struct td_step_rules {
    td_u32 pair_count;
    td_u32 iterative;   // temporal data is used
    td_u32 trust_still; // the last step missed nothing
    td_u32 room[5];     // of chunks, the lists and hits
    td_u32 first, end;  // of its list, the rays that a kernel is for
    td_u32 step;        // its number
} td_step_rules;

// Temporal data of all rays.
typedef struct td_step_memories {
    TD_GLOBAL td_memory *of_rigid;
    TD_GLOBAL td_course *courses;
} td_step_memories;

// All meshes.
typedef struct td_step_meshes {
    TD_GLOBAL const td_step_shape *shapes;
    TD_GLOBAL const double *corners, *inward, *own;
    TD_GLOBAL const td_u32 *indices, *neighbours, *starts;
    TD_GLOBAL const td_skip_node *nodes;
    TD_GLOBAL const td_step_object *objects;
} td_step_meshes;

TD_INLINE td_target td_step_target(td_step_meshes m, td_step_side side) {
    const td_step_object o = m.objects[side.target];
    const td_step_shape s = m.shapes[o.shape];
    const double by = fmax(o.around, side.touch);
    const td_vec3 grown = td_vec3_make(by, by, by);
    td_target t;
    t.corners = m.corners + 3 * (size_t)s.first_corner;
    t.indices = m.indices + 3 * (size_t)s.first_triangle;
    t.neighbours = m.neighbours + 3 * (size_t)s.first_triangle;
    t.nodes = m.nodes + s.first_node;
    t.triangle_count = s.triangle_count;
    t.outward = s.outward;
    t.origin = s.local_origin;
    t.scale0 = s.scale0;
    t.scale1 = s.scale1;
    t.grain = s.grain;
    t.lower = td_sub(s.lower, grown);
    t.upper = td_add(s.upper, grown);
    return t;
}

TD_INLINE td_vec3 td_step_vector(TD_GLOBAL const double *vectors, size_t vertex) {
    TD_GLOBAL const double *p = vectors + 3 * vertex;
    return td_vec3_make(p[0], p[1], p[2]);
}

// Where the ray of a solid starts, in its own coordinates.
TD_INLINE td_vec3 td_step_corner(td_step_meshes m, td_step_side side, td_u32 number) {
    const td_step_shape s = m.shapes[m.objects[side.source].shape];
    return td_step_vector(m.corners, s.first_corner + (size_t)m.starts[s.first_start + number]);
}

// As td_ray_of_side (per_vertex.c).
TD_INLINE td_trace_ray td_step_ray_of(td_step_meshes m, td_step_side side, td_u32 number) {
    const td_step_object from = m.objects[side.source];
    const td_step_shape s = m.shapes[from.shape];
    const int sheet = from.around > 0;
    const size_t vertex = s.first_corner + (size_t)m.starts[s.first_start + (sheet ? number / 2 : number)];
    const double own = sheet                    ? 2 * from.around
                       : s.flags & TD_SHAPE_OWN ? fmax(m.own[vertex], side.reach)
                                                : 2 * s.radius;
    return td_start_ray(side.rigid, td_step_vector(m.corners, vertex), td_step_vector(m.inward, vertex), own,
                        from.around, sheet ? number % 2 : 0, m.objects[side.target].around);
}

TD_INLINE td_u32 td_step_rays(td_step_meshes m, td_u32 object) {
    const td_u32 starts = m.shapes[m.objects[object].shape].start_count;
    return m.objects[object].around > 0 ? 2 * starts : starts;
}

TD_INLINE int td_same_rigid(td_rigid a, td_rigid b) {
    return td_same_point(a.row0, b.row0) && td_same_point(a.row1, b.row1) && td_same_point(a.row2, b.row2) &&
           td_same_point(a.position, b.position);
}

// Of the source, with what is around it.
TD_INLINE double td_step_radius(td_step_meshes m, td_step_side side) {
    const td_step_object from = m.objects[side.source];
    return m.shapes[from.shape].radius + from.around + m.objects[side.target].around + side.margin;
}

// Whether temporal data is worth making (per_pair.c).
TD_INLINE int td_step_is_slow(td_step_meshes m, td_step_side side, td_rigid last, td_u32 fresh) {
    const td_vec3 centre = m.shapes[m.objects[side.source].shape].centre;
    return !fresh && td_shift_between(last, side.rigid, centre, td_step_radius(m, side)).distance <=
                         TD_MARGIN_STEP * side.margin;
}

// The class of one side (per_pair.c).
TD_INLINE td_u32 td_step_class(td_step_meshes m, td_step_side side, td_rigid reference, td_rigid last,
                               td_u32 fresh, td_u32 tracked, td_step_rules rules) {
    const td_step_object from = m.objects[side.source], to = m.objects[side.target];
    const td_step_shape s = m.shapes[from.shape], t = m.shapes[to.shape];
    if ((s.flags | t.flags) & TD_SHAPE_DEFORMABLE) {
        return TD_CLASS_DEFORMABLE;
    }
    if (fresh || !rules.iterative || side.slot == TD_TRACE_NONE) {
        return TD_CLASS_HIGH;
    }
    if (rules.trust_still && td_same_rigid(last, side.rigid)) {
        return TD_CLASS_STILL;
    }
    if (!tracked) {
        return TD_CLASS_HIGH;
    }
    const td_shift shift = td_shift_between(reference, side.rigid, s.centre, td_step_radius(m, side));
    return shift.distance <= TD_MARGIN_USED * side.margin && shift.turn <= TD_TUBE_TURN ? TD_CLASS_SMALL
                                                                                        : TD_CLASS_HIGH;
}

// ---------------------------------------------------------------------------------------------------------
// Per vertex

#define TD_WAY_FULL      0u // by the target's full algorithm
#define TD_WAY_ITERATIVE 1u
#define TD_WAY_BOUNDS    2u // dropped
#define TD_WAY_TEMPORAL  3u // dropped
#define TD_WAY_OPEN      4u // full, though little moved

// Where the temporal data of a ray is; that of a side without any is not to be used.
TD_INLINE td_u32 td_step_slot(td_step_side side, td_u32 number) {
    return side.slot == TD_TRACE_NONE ? 0 : side.slot + number;
}

TD_INLINE TD_GLOBAL td_memory *td_step_memory(td_step_memories of, td_step_side side, td_u32 number) {
    const td_u32 slot = td_step_slot(side, number);
    return side.class_of == TD_CLASS_DEFORMABLE ? &of.courses[slot].memory : &of.of_rigid[slot];
}

// What becomes of one ray of a side with a deformable object, which is within the target's bounds; its course
// is written.
TD_INLINE td_u32 td_step_course_way(TD_GLOBAL td_course *course, td_step_side side, td_trace_ray ray,
                                    double travel, td_u32 step) {
    if (side.slot == TD_TRACE_NONE) {
        return TD_WAY_FULL;
    }
    const td_course next = side.fresh ? td_course_make(TD_MEMORY_NOTED, ray, travel, step)
                                      : td_course_follow(*course, ray, travel, side.margin, step);
    *course = next;
    if (next.made == step) {
        return TD_WAY_FULL;
    }
    return next.memory.state == TD_MEMORY_WALK  ? TD_WAY_ITERATIVE
           : next.memory.state == TD_MEMORY_FAR ? TD_WAY_TEMPORAL
                                                : TD_WAY_OPEN;
}

// What becomes of one ray; its temporal data is written if it is to be made anew.
TD_INLINE td_u32 td_step_way(td_step_meshes m, td_target target, td_step_side side, td_trace_ray ray,
                             td_step_memories of, td_u32 number, td_u32 step) {
    const int some = ray.direction.x != 0 || ray.direction.y != 0 || ray.direction.z != 0;
    const int within = td_within(ray.origin, target.lower, target.upper, 0) && some;
    const td_u32 slot = td_step_slot(side, number);
    if (side.class_of == TD_CLASS_DEFORMABLE) {
        const double travel = m.shapes[m.objects[side.target].shape].travel;
        return within ? td_step_course_way(&of.courses[slot], side, ray, travel, step) : TD_WAY_BOUNDS;
    }
    if (side.class_of == TD_CLASS_SMALL) {
        const td_i32 state = of.of_rigid[slot].state;
        if (state != TD_MEMORY_OPEN) {
            return state == TD_MEMORY_FAR ? TD_WAY_TEMPORAL : TD_WAY_ITERATIVE;
        }
        return within ? TD_WAY_OPEN : TD_WAY_BOUNDS;
    }
    if (side.slot != TD_TRACE_NONE) {
        const int far = !td_within(ray.origin, target.lower, target.upper, side.margin) || !some;
        of.of_rigid[slot] = td_memory_make(far ? TD_MEMORY_FAR : TD_MEMORY_OPEN, TD_TRACE_NONE, 0);
    }
    return within ? TD_WAY_FULL : TD_WAY_BOUNDS;
}

// ---------------------------------------------------------------------------------------------------------
// Per ray

// What a full cast proves, where it is asked to.
TD_INLINE void td_step_remember(td_target target, td_step_side side, td_trace_ray ray, td_trace_hit hit,
                                td_step_memories of, td_u32 number, td_u32 step) {
    if (side.slot == TD_TRACE_NONE) {
        return;
    }
    const int asked = side.class_of == TD_CLASS_DEFORMABLE
                          ? td_course_asks(of.courses[side.slot + number], step)
                          : side.class_of == TD_CLASS_HIGH;
    if (asked) {
        *td_step_memory(of, side, number) = td_remember(target, ray, hit, side.margin, (int)side.walkable);
    }
}

// Whether the host is to hear of a hit: those that count, and those that it is to decide.
TD_INLINE int td_step_counts(td_trace_hit hit, td_i32 outward, double target_around, double touch) {
    return hit.state == TD_TRACE_HANDED ||
           (hit.state == TD_TRACE_HIT && (target_around > 0 || hit.side == -outward || hit.t < touch));
}

#endif
