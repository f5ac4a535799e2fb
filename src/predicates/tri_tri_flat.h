// Triangles that are coplanar, and triangles that are segments or points. C17 and OpenCL C.
//
// What lies in one plane is projected along an axis that keeps the plane's area; the projection only drops a
// coordinate, so it is exact, and one-to-one on the plane. Points on one line are ordered lexicographically,
// which is their order along the line.
#ifndef TD_PREDICATES_TRI_TRI_FLAT_H
#define TD_PREDICATES_TRI_TRI_FLAT_H

#include "orient.h"

// Orientation of the projections along axis 0 (x), 1 (y) or 2 (z).
TD_INLINE int td_orient_projected(td_vec3 a, td_vec3 b, td_vec3 c, int axis) {
    if (axis == 0) {
        return td_orient2d(a.y, a.z, b.y, b.z, c.y, c.z);
    }
    if (axis == 1) {
        return td_orient2d(a.z, a.x, b.z, b.x, c.z, c.x);
    }
    return td_orient2d(a.x, a.y, b.x, b.y, c.x, c.y);
}

#define TD_NO_AXIS (-1)

// An axis along which the three points project to an area; TD_NO_AXIS if they lie on one line.
TD_INLINE int td_spanning_axis(td_vec3 a, td_vec3 b, td_vec3 c) {
    for (int axis = 0; axis < 3; ++axis) {
        if (td_orient_projected(a, b, c, axis) != 0) {
            return axis;
        }
    }
    return TD_NO_AXIS;
}

// Whether a comes before b or is b, in the order of x, then y, then z.
TD_INLINE int td_not_after(td_vec3 a, td_vec3 b) {
    if (a.x != b.x) {
        return a.x < b.x;
    }
    if (a.y != b.y) {
        return a.y < b.y;
    }
    return a.z <= b.z;
}

// A segment with first not after last; a point if they are equal.
typedef struct td_ordered_segment {
    td_vec3 first, last;
} td_ordered_segment;

// The segment that a degenerate triangle is.
TD_INLINE td_ordered_segment td_extent(td_triangle t) {
    td_ordered_segment s;
    s.first = td_not_after(t.p0, t.p1) ? t.p0 : t.p1;
    s.last = td_not_after(t.p0, t.p1) ? t.p1 : t.p0;
    s.first = td_not_after(s.first, t.p2) ? s.first : t.p2;
    s.last = td_not_after(s.last, t.p2) ? t.p2 : s.last;
    return s;
}

// Whether all corners of t lie strictly on the given side (+1 or -1) of the line p q, projected.
TD_INLINE int td_all_beside_line(td_vec3 p, td_vec3 q, int side, td_triangle t, int axis) {
    return td_orient_projected(p, q, t.p0, axis) == side && td_orient_projected(p, q, t.p1, axis) == side &&
           td_orient_projected(p, q, t.p2, axis) == side;
}

// Whether a line along an edge of t, which has an area in the projection, has t and `other` strictly apart.
TD_INLINE int td_edge_separates(td_triangle t, td_triangle other, int axis) {
    const int outside = -td_orient_projected(t.p0, t.p1, t.p2, axis);
    return td_all_beside_line(t.p0, t.p1, outside, other, axis) ||
           td_all_beside_line(t.p1, t.p2, outside, other, axis) ||
           td_all_beside_line(t.p2, t.p0, outside, other, axis);
}

// A segment or point in the plane of t, which has an area in the projection. Convex sets in the plane, one of
// them with an area, are apart exactly if a line along an edge of one has them strictly apart: their
// Minkowski difference is a polygon whose edges are parallel to theirs, and the origin is outside.
TD_INLINE int td_segment_meets_in_plane(td_ordered_segment s, td_triangle t, int axis) {
    td_triangle flat;
    flat.p0 = s.first;
    flat.p1 = s.last;
    flat.p2 = s.last;
    return !td_edge_separates(t, flat, axis) && !td_all_beside_line(s.first, s.last, 1, t, axis) &&
           !td_all_beside_line(s.first, s.last, -1, t, axis);
}

// A segment or point against t, which has an area and projects to one along `axis`.
TD_INLINE int td_segment_meets_triangle(td_ordered_segment s, td_triangle t, int axis) {
    const int side_first = td_orient3d(t.p0, t.p1, t.p2, s.first);
    const int side_last = td_orient3d(t.p0, t.p1, t.p2, s.last);
    if (side_first * side_last > 0) {
        return 0;
    }
    if (side_first == 0 && side_last == 0) {
        return td_segment_meets_in_plane(s, t, axis);
    }
    // The line cuts the plane in one point, which belongs to s; its side of each edge is that of the line.
    const int edge0 = td_orient3d(s.first, s.last, t.p0, t.p1);
    const int edge1 = td_orient3d(s.first, s.last, t.p1, t.p2);
    const int edge2 = td_orient3d(s.first, s.last, t.p2, t.p0);
    return (edge0 >= 0 && edge1 >= 0 && edge2 >= 0) || (edge0 <= 0 && edge1 <= 0 && edge2 <= 0);
}

// Segments (or points) on one line.
TD_INLINE int td_extents_overlap(td_ordered_segment s, td_ordered_segment t) {
    return td_not_after(s.first, t.last) && td_not_after(t.first, s.last);
}

// Two segments, either of which may be a point.
TD_INLINE int td_segments_meet(td_ordered_segment s, td_ordered_segment t) {
    if (td_orient3d(s.first, s.last, t.first, t.last) != 0) {
        return 0;
    }
    // Three of the four points not on one line give the plane; if s is a point, all must include t's ends.
    int axis = td_spanning_axis(s.first, t.first, t.last);
    if (axis == TD_NO_AXIS) {
        axis = td_spanning_axis(s.last, t.first, t.last);
    }
    if (axis == TD_NO_AXIS) {
        axis = td_spanning_axis(t.first, s.first, s.last);
    }
    if (axis == TD_NO_AXIS) {
        return td_extents_overlap(s, t);
    }
    if (td_same_point(s.first, s.last) || td_same_point(t.first, t.last)) {
        return 0; // a point off the line of the other
    }
    return td_orient_projected(s.first, s.last, t.first, axis) *
                   td_orient_projected(s.first, s.last, t.last, axis) <=
               0 &&
           td_orient_projected(t.first, t.last, s.first, axis) *
                   td_orient_projected(t.first, t.last, s.last, axis) <=
               0;
}

// For triangles that are coplanar, or of which one at least is degenerate.
TD_INLINE int td_flat_triangles_intersect(td_triangle a, td_triangle b) {
    const int axis_a = td_spanning_axis(a.p0, a.p1, a.p2);
    const int axis_b = td_spanning_axis(b.p0, b.p1, b.p2);
    if (axis_a != TD_NO_AXIS && axis_b != TD_NO_AXIS) {
        return !td_edge_separates(a, b, axis_a) && !td_edge_separates(b, a, axis_a);
    }
    if (axis_b != TD_NO_AXIS) {
        return td_segment_meets_triangle(td_extent(a), b, axis_b);
    }
    if (axis_a != TD_NO_AXIS) {
        return td_segment_meets_triangle(td_extent(b), a, axis_a);
    }
    return td_segments_meet(td_extent(a), td_extent(b));
}

#endif
