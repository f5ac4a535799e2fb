// What a collision does to the velocities of a pair: paper 004, section 2.3.
//
// The impulses of several contact points are given one after the other, each on the velocities that the one
// before has left, until no point approaches any more. (Summed from the velocities before all of them, as in
// the paper, they would add energy: a box that lands flat would leave faster than it came.)
#ifndef TD_PLANAR_IMPULSE_H
#define TD_PLANAR_IMPULSE_H

#include "gap.h"

#define TD_PLANAR_ROUNDS 64 // over all contact points of a pair

typedef struct td_planar_pair {
    td_planar_body a, b; // where they meet; their velocities change
    double restitution;
    int hit; // whether any impulse was given
} td_planar_pair;

TD_INLINE td_planar_vector td_planar_velocity_at(td_planar_motion motion, td_planar_vector arm) {
    return td_planar_make(motion.vx - motion.spin * arm.y, motion.vy + motion.spin * arm.x);
}

TD_INLINE td_planar_vector td_planar_arm(td_planar_motion motion, td_planar_vector point) {
    return td_planar_make(point.x - motion.x, point.y - motion.y);
}

TD_INLINE td_planar_motion td_planar_push(td_planar_motion motion, td_planar_shape shape,
                                          td_planar_vector arm, td_planar_vector impulse) {
    motion.vx = motion.vx + impulse.x * shape.inverse_mass;
    motion.vy = motion.vy + impulse.y * shape.inverse_mass;
    motion.spin = motion.spin + td_planar_cross(arm, impulse) * shape.inverse_inertia;
    return motion;
}

// Below this share of the speeds at a contact, approaching is rounding.
#define TD_PLANAR_RESTING 1e-12

// Equation (2) of the paper at one contact point, if the bodies approach there.
TD_INLINE td_planar_pair td_planar_strike(td_planar_pair pair, td_planar_vector normal,
                                          td_planar_vector point) {
    const td_planar_vector arm_a = td_planar_arm(pair.a.motion, point);
    const td_planar_vector arm_b = td_planar_arm(pair.b.motion, point);
    const td_planar_vector va = td_planar_velocity_at(pair.a.motion, arm_a);
    const td_planar_vector vb = td_planar_velocity_at(pair.b.motion, arm_b);
    const double approach = td_planar_dot(normal, td_planar_make(va.x - vb.x, va.y - vb.y));
    const double speeds = fabs(va.x) + fabs(va.y) + fabs(vb.x) + fabs(vb.y);
    if (!(approach > TD_PLANAR_RESTING * speeds)) {
        return pair;
    }
    const double lever_a = td_planar_cross(arm_a, normal), lever_b = td_planar_cross(arm_b, normal);
    const double yield = pair.a.shape.inverse_mass + pair.b.shape.inverse_mass +
                         lever_a * lever_a * pair.a.shape.inverse_inertia +
                         lever_b * lever_b * pair.b.shape.inverse_inertia;
    const double size = (1.0 + pair.restitution) * approach / yield;
    const td_planar_vector impulse = td_planar_make(normal.x * size, normal.y * size);
    pair.a.motion =
        td_planar_push(pair.a.motion, pair.a.shape, arm_a, td_planar_make(-impulse.x, -impulse.y));
    pair.b.motion = td_planar_push(pair.b.motion, pair.b.shape, arm_b, impulse);
    pair.hit = 1;
    return pair;
}

// The corners of the polygon `other` that are on edges of `owner`, to within `reach`. `sign` is 1 if the
// owner is the pair's a: contact normals go from a to b.
TD_INLINE td_planar_pair td_planar_strike_corners(td_planar_pair pair, td_planar_body owner,
                                                  td_planar_body other, double reach, double sign,
                                                  TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_turn turn = td_planar_turn_of(owner.motion.angle);
    const td_planar_turn other_turn = td_planar_turn_of(other.motion.angle);
    for (td_u32 i = 0; i < other.shape.count; ++i) {
        const td_planar_vector point = td_planar_corner_at(other, other_turn, corners, i);
        const td_planar_vector p = td_planar_rotate_back(turn, td_planar_arm(owner.motion, point));
        for (td_u32 k = 0; k < owner.shape.count; ++k) {
            const td_planar_corner edge = corners[owner.shape.first + k];
            const double height = edge.nx * p.x + edge.ny * p.y - edge.height;
            const double along = edge.nx * (p.y - edge.y) - edge.ny * (p.x - edge.x);
            if (height >= 0.0 && height <= reach && along >= 0.0 && along <= edge.length) {
                const td_planar_vector normal =
                    td_planar_rotate(turn, td_planar_make(sign * edge.nx, sign * edge.ny));
                pair = td_planar_strike(pair, normal, point);
            }
        }
    }
    return pair;
}

// The corners of a polygon that are within `reach` of a wall.
TD_INLINE td_planar_pair td_planar_strike_wall(td_planar_pair pair, td_planar_body wall, td_planar_body other,
                                               double reach, double sign,
                                               TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_turn turn = td_planar_turn_of(other.motion.angle);
    const td_planar_vector n = td_planar_make(corners[wall.shape.first].nx, corners[wall.shape.first].ny);
    for (td_u32 i = 0; i < other.shape.count; ++i) {
        const td_planar_vector point = td_planar_corner_at(other, turn, corners, i);
        if (td_planar_dot(n, point) - wall.shape.offset <= reach) {
            pair = td_planar_strike(pair, td_planar_make(sign * n.x, sign * n.y), point);
        }
    }
    return pair;
}

// All contact points once. Places do not change: `a` and `b` are as they were before.
TD_INLINE td_planar_pair td_planar_strike_round(td_planar_pair pair, td_planar_body a, td_planar_body b,
                                                td_planar_gap gap,
                                                TD_GLOBAL const td_planar_corner *corners) {
    const double reach = 2.0 * gap.separation;
    pair = td_planar_strike(pair, gap.normal, gap.point);
    if (a.shape.kind == TD_SHAPE_POLYGON && b.shape.kind == TD_SHAPE_POLYGON) {
        pair = td_planar_strike_corners(pair, a, b, reach, 1.0, corners);
        pair = td_planar_strike_corners(pair, b, a, reach, -1.0, corners);
    } else if (a.shape.kind == TD_SHAPE_WALL && b.shape.kind == TD_SHAPE_POLYGON) {
        pair = td_planar_strike_wall(pair, a, b, reach, 1.0, corners);
    } else if (b.shape.kind == TD_SHAPE_WALL && a.shape.kind == TD_SHAPE_POLYGON) {
        pair = td_planar_strike_wall(pair, b, a, reach, -1.0, corners);
    }
    return pair;
}

// What becomes of a pair that has met.
TD_INLINE td_planar_pair td_planar_collide(td_planar_body a, td_planar_body b, double restitution,
                                           TD_GLOBAL const td_planar_corner *corners) {
    td_planar_pair pair;
    pair.a = a;
    pair.b = b;
    pair.restitution = restitution;
    pair.hit = 0;
    const td_planar_gap gap = td_planar_gap_between(a, b, corners);
    int more = 1, any = 0;
    for (int round = 0; round < TD_PLANAR_ROUNDS && more; ++round) {
        pair.hit = 0;
        pair = td_planar_strike_round(pair, a, b, gap, corners);
        more = pair.hit;
        any |= more;
    }
    pair.hit = any;
    return pair;
}

#endif
