// How far two bodies are apart: the largest width of a strip between them, and which way it lies. Negative
// for bodies that overlap: then by how much they must be shifted, at most, to be apart.
//
// Two convex polygons are disjoint if and only if the line of an edge of one of them separates them, so the
// strips along all edges are tried. (Paper 004 asks instead whether a vertex of one polygon is inside the
// other, and says that this misses some overlaps; with it, no overlap could be ruled out.)
#ifndef TD_PLANAR_GAP_H
#define TD_PLANAR_GAP_H

#include "turn.h"

typedef struct td_planar_gap {
    double separation;
    td_planar_vector normal; // across the strip, of unit length, from a to b
    td_planar_vector point;  // of the corner, or of the surface, that is nearest
    td_u32 owner;            // whose edge or surface the strip lies on: 0, a; 1, b
} td_planar_gap;

#define TD_PLANAR_FAR 1e300

// The least `direction . corner` over a polygon, direction and corners in its own frame.
TD_INLINE double td_planar_support(td_u32 *at, td_planar_shape shape,
                                   TD_GLOBAL const td_planar_corner *corners, td_planar_vector direction) {
    double least = TD_PLANAR_FAR;
    for (td_u32 k = 0; k < shape.count; ++k) {
        const double reach =
            direction.x * corners[shape.first + k].x + direction.y * corners[shape.first + k].y;
        if (reach < least) {
            least = reach;
            *at = k;
        }
    }
    return least;
}

TD_INLINE td_planar_vector td_planar_corner_at(td_planar_body body, td_planar_turn turn,
                                               TD_GLOBAL const td_planar_corner *corners, td_u32 k) {
    const td_planar_vector own =
        td_planar_make(corners[body.shape.first + k].x, corners[body.shape.first + k].y);
    const td_planar_vector v = td_planar_rotate(turn, own);
    return td_planar_make(body.motion.x + v.x, body.motion.y + v.y);
}

TD_INLINE td_planar_gap td_planar_flip(td_planar_gap gap) {
    gap.normal = td_planar_make(-gap.normal.x, -gap.normal.y);
    gap.owner = 1 - gap.owner;
    return gap;
}

TD_INLINE td_planar_gap td_planar_gap_circles(td_planar_body a, td_planar_body b) {
    const double dx = b.motion.x - a.motion.x, dy = b.motion.y - a.motion.y;
    const double distance = sqrt(dx * dx + dy * dy);
    td_planar_gap gap;
    gap.owner = 0;
    gap.separation = distance - (a.shape.radius + b.shape.radius);
    gap.normal = distance > 0.0 ? td_planar_make(dx / distance, dy / distance) : td_planar_make(1.0, 0.0);
    gap.point = td_planar_make(a.motion.x + gap.normal.x * a.shape.radius,
                               a.motion.y + gap.normal.y * a.shape.radius);
    return gap;
}

// The widest strip along an edge of `a`; `gap` is what was found so far.
TD_INLINE td_planar_gap td_planar_gap_edges(td_planar_gap gap, td_planar_body a, td_planar_turn turn_a,
                                            td_planar_body b, td_planar_turn turn_b,
                                            TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_vector between = td_planar_make(b.motion.x - a.motion.x, b.motion.y - a.motion.y);
    for (td_u32 k = 0; k < a.shape.count; ++k) {
        const td_planar_vector own =
            td_planar_make(corners[a.shape.first + k].nx, corners[a.shape.first + k].ny);
        const td_planar_vector normal = td_planar_rotate(turn_a, own);
        td_u32 at = 0;
        const double reach = td_planar_support(&at, b.shape, corners, td_planar_rotate_back(turn_b, normal));
        const double width = td_planar_dot(normal, between) + reach - corners[a.shape.first + k].height;
        if (width > gap.separation) {
            gap.separation = width;
            gap.normal = normal;
            gap.owner = 0;
            gap.point = td_planar_corner_at(b, turn_b, corners, at);
        }
    }
    return gap;
}

TD_INLINE td_planar_gap td_planar_gap_polygons(td_planar_body a, td_planar_body b,
                                               TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_turn turn_a = td_planar_turn_of(a.motion.angle),
                         turn_b = td_planar_turn_of(b.motion.angle);
    td_planar_gap none;
    none.separation = -TD_PLANAR_FAR;
    none.normal = td_planar_make(1.0, 0.0);
    none.point = none.normal;
    none.owner = 0;
    const td_planar_gap first = td_planar_gap_edges(none, a, turn_a, b, turn_b, corners);
    // Strips along edges of b have normals from b to a.
    return td_planar_flip(td_planar_gap_edges(td_planar_flip(first), b, turn_b, a, turn_a, corners));
}

// The point of a polygon's outline that is nearest to `p`, in the polygon's frame, by the edge at k.
TD_INLINE td_planar_vector td_planar_nearest_on_edge(td_planar_corner corner, td_planar_vector p) {
    const td_planar_vector along = td_planar_make(-corner.ny, corner.nx); // counter-clockwise
    double t = along.x * (p.x - corner.x) + along.y * (p.y - corner.y);
    t = td_planar_max(0.0, td_planar_min(corner.length, t));
    return td_planar_make(corner.x + along.x * t, corner.y + along.y * t);
}

// A circle whose centre is outside is nearest to a point of the outline; one whose centre is inside leaves
// through the nearest edge.
TD_INLINE td_planar_gap td_planar_gap_polygon_circle(td_planar_body a, td_planar_body b,
                                                     TD_GLOBAL const td_planar_corner *corners) {
    const td_planar_turn turn = td_planar_turn_of(a.motion.angle);
    const td_planar_vector p =
        td_planar_rotate_back(turn, td_planar_make(b.motion.x - a.motion.x, b.motion.y - a.motion.y));
    double inside = -TD_PLANAR_FAR, nearest = TD_PLANAR_FAR;
    td_planar_vector point = p, normal = td_planar_make(1.0, 0.0);
    for (td_u32 k = 0; k < a.shape.count; ++k) {
        const td_planar_corner corner = corners[a.shape.first + k];
        const double height = corner.nx * p.x + corner.ny * p.y - corner.height;
        const td_planar_vector q = td_planar_nearest_on_edge(corner, p);
        const double square = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
        if (square < nearest) {
            nearest = square;
            point = q;
        }
        if (height > inside) {
            inside = height;
            normal = td_planar_make(corner.nx, corner.ny);
        }
    }
    double distance = inside;
    if (inside > 0.0) {
        distance = sqrt(nearest);
        if (distance > 0.0) {
            normal = td_planar_make((p.x - point.x) / distance, (p.y - point.y) / distance);
        }
    }
    td_planar_gap gap;
    gap.owner = 0;
    gap.separation = distance - b.shape.radius;
    gap.normal = td_planar_rotate(turn, normal);
    const td_planar_vector reach = td_planar_rotate(turn, point);
    gap.point = td_planar_make(a.motion.x + reach.x, a.motion.y + reach.y);
    return gap;
}

// From a wall, `a`, to a body.
TD_INLINE td_planar_gap td_planar_gap_wall(td_planar_body a, td_planar_body b,
                                           TD_GLOBAL const td_planar_corner *corners) {
    td_planar_gap gap;
    gap.owner = 0;
    gap.normal = td_planar_make(corners[a.shape.first].nx, corners[a.shape.first].ny);
    const td_planar_vector centre = td_planar_make(b.motion.x, b.motion.y);
    double reach = -b.shape.radius;
    gap.point =
        td_planar_make(centre.x - gap.normal.x * b.shape.radius, centre.y - gap.normal.y * b.shape.radius);
    if (b.shape.kind == TD_SHAPE_POLYGON) {
        const td_planar_turn turn = td_planar_turn_of(b.motion.angle);
        td_u32 at = 0;
        reach = td_planar_support(&at, b.shape, corners, td_planar_rotate_back(turn, gap.normal));
        gap.point = td_planar_corner_at(b, turn, corners, at);
    }
    gap.separation = td_planar_dot(gap.normal, centre) + reach - a.shape.offset;
    return gap;
}

TD_INLINE td_planar_gap td_planar_gap_between(td_planar_body a, td_planar_body b,
                                              TD_GLOBAL const td_planar_corner *corners) {
    if (a.shape.kind == TD_SHAPE_WALL) {
        return td_planar_gap_wall(a, b, corners);
    }
    if (b.shape.kind == TD_SHAPE_WALL) {
        return td_planar_flip(td_planar_gap_wall(b, a, corners));
    }
    if (a.shape.kind == TD_SHAPE_CIRCLE && b.shape.kind == TD_SHAPE_CIRCLE) {
        return td_planar_gap_circles(a, b);
    }
    if (a.shape.kind == TD_SHAPE_POLYGON && b.shape.kind == TD_SHAPE_POLYGON) {
        return td_planar_gap_polygons(a, b, corners);
    }
    return a.shape.kind == TD_SHAPE_POLYGON ? td_planar_gap_polygon_circle(a, b, corners)
                                            : td_planar_flip(td_planar_gap_polygon_circle(b, a, corners));
}

#endif
