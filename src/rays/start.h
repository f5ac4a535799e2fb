// Where the rays of a side start, and how far a side has moved. C17 and OpenCL C.
#ifndef TD_RAYS_START_H
#define TD_RAYS_START_H

#include "target.h"

// Where the source stands in the target's frame: one fixed sequence of operations, which is what rays mean.
TD_INLINE td_rigid td_rigid_within(td_rigid target, td_rigid source) {
    const td_vec3 apart = td_sub(source.position, target.position);
    const td_vec3 t0 = td_vec3_make(target.row0.x, target.row1.x, target.row2.x), // columns of the target
        t1 = td_vec3_make(target.row0.y, target.row1.y, target.row2.y),
                  t2 = td_vec3_make(target.row0.z, target.row1.z, target.row2.z);
    const td_vec3 s0 = td_vec3_make(source.row0.x, source.row1.x, source.row2.x),
                  s1 = td_vec3_make(source.row0.y, source.row1.y, source.row2.y),
                  s2 = td_vec3_make(source.row0.z, source.row1.z, source.row2.z);
    td_rigid r;
    r.row0 = td_vec3_make(td_dot(t0, s0), td_dot(t0, s1), td_dot(t0, s2));
    r.row1 = td_vec3_make(td_dot(t1, s0), td_dot(t1, s1), td_dot(t1, s2));
    r.row2 = td_vec3_make(td_dot(t2, s0), td_dot(t2, s1), td_dot(t2, s2));
    r.position = td_vec3_make(td_dot(t0, apart), td_dot(t1, apart), td_dot(t2, apart));
    return r;
}

TD_INLINE td_vec3 td_rigid_turn(td_rigid m, td_vec3 v) {
    return td_vec3_make(td_dot(m.row0, v), td_dot(m.row1, v), td_dot(m.row2, v));
}

// How far a point of the source has moved in the target's frame, at most, and a direction been turned.
typedef struct td_shift {
    double distance, turn;
} td_shift;

// Of points within `radius` of `centre`. The Frobenius norm of the difference bounds what a turn does.
TD_INLINE td_shift td_shift_between(td_rigid before, td_rigid after, td_vec3 centre, double radius) {
    const td_vec3 d0 = td_sub(after.row0, before.row0), d1 = td_sub(after.row1, before.row1),
                  d2 = td_sub(after.row2, before.row2);
    const td_vec3 moved = td_sub(td_rigid_apply(after, centre), td_rigid_apply(before, centre));
    const double size = fabs(after.position.x) + fabs(after.position.y) + fabs(after.position.z) +
                        fabs(centre.x) + fabs(centre.y) + fabs(centre.z) + radius;
    td_shift shift;
    shift.turn = sqrt(td_dot(d0, d0) + td_dot(d1, d1) + td_dot(d2, d2)) + 0x1p-46;
    shift.distance = sqrt(td_dot(moved, moved)) + shift.turn * radius + 0x1p-44 * size;
    return shift;
}

// The ray from a vertex in the target's frame. `own`: how far it goes through its own object; `around`: half
// the thickness of the source if it is a sheet, else 0; face 1: from its other face. `before`: half the
// thickness of the target.
TD_INLINE td_trace_ray td_start_ray(td_rigid rigid, td_vec3 corner, td_vec3 inward, double own, double around,
                                    td_u32 face, double before) {
    td_trace_ray ray;
    const td_vec3 along = face != 0 ? td_scale(inward, -1.0) : inward;
    const td_vec3 start = around > 0 ? td_sub(corner, td_scale(along, around)) : corner;
    ray.origin = td_rigid_apply(rigid, start);
    ray.direction = td_rigid_turn(rigid, along);
    ray.t_min = -before;
    ray.t_max = own;
    return ray;
}

#endif
