// What rays are cast at, and one ray on its way: full casts, and how they are decided. C17 and OpenCL C.
//
// Whether and where a line meets a triangle is that of predicates/ray_tri.h, so answers are those of
// td_cast_rays, to the bit. Doubles decide nearly all; natively the rest is decided exactly, on a device the
// ray is handed to the host.
#ifndef TD_RAYS_TARGET_H
#define TD_RAYS_TARGET_H

#include "../math/rigid.h"
#ifdef __OPENCL_VERSION__
#include "../predicates/ray_tri_filter.h"
#else
#include "../predicates/ray_tri.h"

#include <stddef.h>
#endif

#define TD_TRACE_NONE 0xffffffffu

// A node of a hierarchy to be walked without a stack: nodes are in pre-order, so the first child of a node
// follows it, and `escape` is where to go on if the ray misses it (paper 003, section 3.4, after Popov et al.
// 2007). The box is in the local coordinates of the blocked hierarchy (bvh/blocked.h), conservative. 32
// bytes.
typedef struct td_skip_node {
    float center[3];
    td_u32 escape; // TD_TRACE_NONE: there is nothing more
    float half[3];
    td_u32 triangle; // TD_TRACE_NONE: an inner node
} td_skip_node;

typedef struct td_target {
    TD_GLOBAL const double *corners;     // 3 per vertex
    TD_GLOBAL const td_u32 *indices;     // 3 per triangle
    TD_GLOBAL const td_u32 *neighbours;  // 3 per triangle: across the edge from corner k to k + 1
    TD_GLOBAL const td_skip_node *nodes; // nodes[0] is the root
    td_u32 triangle_count;
    td_i32 outward;        // +1: triangles are counterclockwise seen from outside, -1: the other way
    td_vec3 origin;        // of the local coordinates
    double scale0, scale1; // ... whose product is their scale
    double grain;          // of td_line
    td_vec3 lower, upper;  // bounds; of a sheet with half its thickness around
} td_target;

// In the target's coordinates.
typedef struct td_trace_ray {
    td_vec3 origin, direction;
    double t_min, t_max;
} td_trace_ray;

#define TD_TRACE_NOTHING 0
#define TD_TRACE_HIT     1
#define TD_TRACE_HANDED  2 // doubles cannot tell
#define TD_TRACE_LOST    3 // a walk that came to no end

typedef struct td_trace_hit {
    double t;
    td_u32 triangle;
    td_i32 state; // TD_TRACE_x
    td_i32 side;  // +1: met from the front, -1: from behind, 0: along its plane. By the order of corners
    td_i32 spare;
} td_trace_hit;

TD_INLINE td_trace_hit td_no_trace_hit(td_i32 state) {
    td_trace_hit hit;
    hit.t = 0;
    hit.triangle = TD_TRACE_NONE;
    hit.state = state;
    hit.side = 0;
    hit.spare = 0;
    return hit;
}

TD_INLINE td_vec3 td_target_corner(td_target target, td_u32 vertex) {
    TD_GLOBAL const double *p = target.corners + 3 * (size_t)vertex;
    return td_vec3_make(p[0], p[1], p[2]);
}

TD_INLINE td_triangle td_target_triangle(td_target target, td_u32 triangle) {
    TD_GLOBAL const td_u32 *i = target.indices + 3 * (size_t)triangle;
    td_triangle t;
    t.p0 = td_target_corner(target, i[0]);
    t.p1 = td_target_corner(target, i[1]);
    t.p2 = td_target_corner(target, i[2]);
    return t;
}

TD_INLINE int td_within(td_vec3 p, td_vec3 lower, td_vec3 upper, double around) {
    return p.x >= lower.x - around && p.x <= upper.x + around && p.y >= lower.y - around &&
           p.y <= upper.y + around && p.z >= lower.z - around && p.z <= upper.z + around;
}

// ---------------------------------------------------------------------------------------------------------
// Decisions

#ifdef __OPENCL_VERSION__
// As td_place_on_line (predicates/ray_tri.h) has it. 0: doubles cannot tell the sign.
TD_INLINE int td_place_of(double *t, td_line line, td_triangle triangle, const td_crossing *crossing) {
    const double d = td_component(line.direction, line.axis);
    const double place = td_mean_place(crossing->corner, crossing->weight) / d;
    const int corners = td_side_of_corners(crossing->corner);
    if (corners != 0) {
        *t = td_signed_t(place, corners * (d > 0 ? 1 : -1));
        return 1;
    }
    const int side =
        td_orient_plane_filter(td_orient_plane_make(triangle.p0, triangle.p1, triangle.p2), line.origin);
    *t = td_signed_t(place, side * crossing->side);
    return side != 0;
}
#else
TD_INLINE int td_place_of(double *t, td_line line, td_triangle triangle, const td_crossing *crossing) {
    *t = td_place_on_line(&line, &triangle, crossing->corner, crossing->weight, -crossing->side);
    return 1;
}
#endif

// Where the line meets the triangle, of a ray that starts to count at t_min: as td_ray_consider
// (traverse/ray.h). The hit's state says whether.
TD_INLINE td_trace_hit td_trace_meet(td_line line, td_triangle triangle, double t_min, td_u32 number) {
    td_trace_hit hit = td_no_trace_hit(TD_TRACE_NOTHING);
#ifdef __OPENCL_VERSION__
    const td_crossing crossing = td_line_crossing(line, triangle);
    if (crossing.state == TD_LINE_MISSES) {
        return hit;
    }
    if (crossing.state == TD_LINE_OPEN || !td_place_of(&hit.t, line, triangle, &crossing)) {
        hit.state = TD_TRACE_HANDED;
        return hit;
    }
    hit.side = crossing.side;
#else
    td_meeting meeting;
    if (!td_line_meets_triangle(&meeting, &line, &triangle)) {
        return hit;
    }
    hit.side = meeting.side;
    hit.t = meeting.t;
    if (meeting.side == 0 && meeting.t < t_min && t_min <= meeting.t_end) {
        hit.t = t_min;
    }
#endif
    (void)t_min;
    hit.state = TD_TRACE_HIT;
    hit.triangle = number;
    return hit;
}

// Takes a triangle, which has this number, into account; of equal t the lowest number wins. False: doubles
// cannot tell.
TD_INLINE int td_trace_consider(td_trace_hit *best, td_triangle triangle, td_u32 number, td_line line,
                                double t_min, double t_max) {
    const td_trace_hit hit = td_trace_meet(line, triangle, t_min, number);
    if (hit.state == TD_TRACE_HANDED) {
        *best = hit;
        return 0;
    }
    if (hit.state == TD_TRACE_HIT && hit.t >= t_min && hit.t <= t_max &&
        (best->state != TD_TRACE_HIT || hit.t < best->t || (hit.t == best->t && number < best->triangle))) {
        *best = hit;
    }
    return 1;
}

// ---------------------------------------------------------------------------------------------------------
// Full casts

// Every triangle.
TD_INLINE td_trace_hit td_cast_basic(td_target target, td_trace_ray ray) {
    const td_line line = td_line_make(ray.origin, ray.direction, target.grain);
    td_trace_hit best = td_no_trace_hit(TD_TRACE_NOTHING);
    for (td_u32 i = 0; i < target.triangle_count; ++i) {
        if (!td_trace_consider(&best, td_target_triangle(target, i), i, line, ray.t_min, ray.t_max)) {
            break;
        }
    }
    return best;
}

// A ray in local coordinates; t is what it was. Boxes are enlarged by `slack`, and the range of t at both
// ends by `late`: 16 e of the local frame each, as traverse/ray.h has them, where the bounds are explained.
typedef struct td_local_ray {
    double origin[3], inverse[3];
    double slack, late;
    int usable; // else it starts too far away, or is of such a scale, that local coordinates say nothing
} td_local_ray;

#define TD_LOCAL_FARTHEST 1024.0   // of a start
#define TD_LOCAL_LEAST    0x1p-500 // of a direction, and its most
#define TD_LOCAL_MOST     0x1p500

// With `around` that boxes are enlarged by, in the target's coordinates.
TD_INLINE double td_local_slack(td_target target, double around) {
    return 0x1p-20 + around * target.scale0 * target.scale1 * (1 + 0x1p-20);
}

TD_INLINE td_local_ray td_local_ray_make(td_target target, td_vec3 origin, td_vec3 direction, double around) {
    const td_vec3 o = td_scale(td_scale(td_sub(origin, target.origin), target.scale0), target.scale1);
    const td_vec3 d = td_scale(td_scale(direction, target.scale0), target.scale1);
    const double largest = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    const double far = fmax(fabs(o.x), fmax(fabs(o.y), fabs(o.z)));
    td_local_ray place;
    place.usable = far <= TD_LOCAL_FARTHEST && largest >= TD_LOCAL_LEAST && largest <= TD_LOCAL_MOST;
    place.slack = td_local_slack(target, around);
    place.late = 0x1p-20 / largest;
    for (int k = 0; k < 3; ++k) {
        // All but zero becomes 2^-40 of the largest: within 2^10 of the origin, that moves it by less than
        // 2^-30.
        const double component = td_component(d, k), least = 0x1p-40 * largest;
        const double steep = fabs(component) < least ? (component < 0 ? -least : least) : component;
        place.origin[k] = td_component(o, k);
        place.inverse[k] = 1.0 / steep;
    }
    return place;
}

TD_INLINE int td_local_ray_meets(const td_local_ray *ray, td_skip_node node, double t_min, double t_max) {
    double enter = t_min - ray->late, leave = t_max + ray->late;
    for (int k = 0; k < 3; ++k) {
        const double middle = ((double)node.center[k] - ray->origin[k]) * ray->inverse[k];
        const double reach = ((double)node.half[k] + ray->slack) * fabs(ray->inverse[k]);
        enter = fmax(enter, middle - reach);
        leave = fmin(leave, middle + reach);
    }
    return enter <= leave;
}

// Through the hierarchy, without a stack.
TD_INLINE td_trace_hit td_cast_stackless(td_target target, td_trace_ray ray) {
    const td_local_ray place = td_local_ray_make(target, ray.origin, ray.direction, 0.0);
    if (!place.usable) {
#ifdef __OPENCL_VERSION__
        return td_no_trace_hit(TD_TRACE_HANDED);
#else
        return td_cast_basic(target, ray);
#endif
    }
    const td_line line = td_line_make(ray.origin, ray.direction, target.grain);
    td_trace_hit best = td_no_trace_hit(TD_TRACE_NOTHING);
    td_u32 node = 0;
    while (node != TD_TRACE_NONE) {
        const td_skip_node at = target.nodes[node];
        const double t_max = best.state == TD_TRACE_HIT ? best.t : ray.t_max;
        if (!td_local_ray_meets(&place, at, ray.t_min, t_max)) {
            node = at.escape;
        } else if (at.triangle == TD_TRACE_NONE) {
            node = node + 1;
        } else {
            if (!td_trace_consider(&best, td_target_triangle(target, at.triangle), at.triangle, line,
                                   ray.t_min, ray.t_max)) {
                break;
            }
            node = at.escape;
        }
    }
    return best;
}

#endif
