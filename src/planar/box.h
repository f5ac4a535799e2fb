// Boxes around bodies, for the whole of a step: around the vertices where they are and where they will be
// (paper 004, section 2.1, takes those of the updated object alone), and what their arcs bulge out in
// between.
#ifndef TD_PLANAR_BOX_H
#define TD_PLANAR_BOX_H

#include "turn.h"

typedef struct td_planar_box {
    double low_x, low_y, high_x, high_y;
} td_planar_box;

TD_INLINE td_planar_box td_planar_box_at(td_planar_body body, TD_GLOBAL const td_planar_corner *corners) {
    td_planar_box box;
    double low_x = -body.shape.radius, low_y = low_x, high_x = body.shape.radius, high_y = high_x;
    if (body.shape.kind == TD_SHAPE_POLYGON) {
        const td_planar_turn turn = td_planar_turn_of(body.motion.angle);
        low_x = low_y = body.shape.radius;
        high_x = high_y = -body.shape.radius;
        for (td_u32 k = 0; k < body.shape.count; ++k) {
            const td_planar_vector v = td_planar_rotate(
                turn, td_planar_make(corners[body.shape.first + k].x, corners[body.shape.first + k].y));
            low_x = td_planar_min(low_x, v.x);
            low_y = td_planar_min(low_y, v.y);
            high_x = td_planar_max(high_x, v.x);
            high_y = td_planar_max(high_y, v.y);
        }
    }
    box.low_x = body.motion.x + low_x;
    box.low_y = body.motion.y + low_y;
    box.high_x = body.motion.x + high_x;
    box.high_y = body.motion.y + high_y;
    return box;
}

// Of a wall: all that is behind its plane, and `margin` before it.
TD_INLINE td_planar_box td_planar_box_of_wall(td_planar_body wall, TD_GLOBAL const td_planar_corner *corners,
                                              double margin) {
    const double nx = corners[wall.shape.first].nx, ny = corners[wall.shape.first].ny;
    const double at = wall.shape.offset;
    td_planar_box box;
    box.low_x = nx < 0.0 ? -at - margin : -1e300;
    box.high_x = nx > 0.0 ? at + margin : 1e300;
    box.low_y = ny < 0.0 ? -at - margin : -1e300;
    box.high_y = ny > 0.0 ? at + margin : 1e300;
    return box;
}

// For `time` seconds from now on. A point that turns by an angle w is never farther than w^2 / 8 radii from
// the straight line between its ends. `margin` is for the skin and for rounding.
TD_INLINE td_planar_box td_planar_box_swept(td_planar_body body, double time, double margin,
                                            TD_GLOBAL const td_planar_corner *corners) {
    if (body.shape.kind == TD_SHAPE_WALL) {
        return td_planar_box_of_wall(body, corners, margin);
    }
    const td_planar_box now = td_planar_box_at(body, corners);
    const double turned = body.motion.spin * time;
    body.motion = td_planar_forward(body.motion, time);
    const td_planar_box then = td_planar_box_at(body, corners);
    const double bulge =
        body.shape.kind == TD_SHAPE_POLYGON ? margin + 0.125 * turned * turned * body.shape.radius : margin;
    td_planar_box box;
    box.low_x = td_planar_min(now.low_x, then.low_x) - bulge;
    box.low_y = td_planar_min(now.low_y, then.low_y) - bulge;
    box.high_x = td_planar_max(now.high_x, then.high_x) + bulge;
    box.high_y = td_planar_max(now.high_y, then.high_y) + bulge;
    return box;
}

TD_INLINE int td_planar_boxes_overlap(td_planar_box a, td_planar_box b) {
    return (a.low_x <= b.high_x) & (b.low_x <= a.high_x) & (a.low_y <= b.high_y) & (b.low_y <= a.high_y);
}

TD_INLINE int td_planar_is_movable(td_planar_shape shape) {
    return shape.inverse_mass > 0.0;
}

#endif
