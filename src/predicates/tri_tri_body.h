// The bodies of tri_tri.h, where the functions are explained. C17 and OpenCL C.
//
// based on: Guigue, Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates,
//           2003.
//
// Two triangles in general position: if all corners of one lie strictly on one side of the other's plane,
// they do not meet. Otherwise each triangle cuts the line in which the planes meet in an interval (maybe a
// point), and they meet if the intervals do. Let p be the corner that is alone on its side of the other
// triangle's plane, q and r the rest, all in such order that each p sees the other triangle counterclockwise:
//
//           p1
//           /|             k = p1 q1 and l = p1 r1 cut the plane of triangle 2,
//   -------k-l-------      i = p2 q2 and j = p2 r2 that of triangle 1, with j <= i if k <= l;
//         /  |             the intervals meet if k <= i and j <= l.
//       q1   r1
//
// Each comparison is one orientation, since the lines p1 q1 and p2 q2 pass each other on the side that tells
// the order of k and i. Thus 8 orientations decide, of which the first 6 share two normals. They are exact,
// so the reasoning holds for zeros too.
//
// What lies in one plane or on a line goes to tri_tri_flat.h.
#ifndef TD_PREDICATES_TRI_TRI_BODY_H
#define TD_PREDICATES_TRI_TRI_BODY_H

#include "tri_tri_flat.h"

#ifdef __OPENCL_VERSION__
#define TD_TRI_TRI_FUNCTION inline
#else
#define TD_TRI_TRI_FUNCTION
#endif

TD_INLINE double td_least(double a, double b, double c) {
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

TD_INLINE double td_greatest(double a, double b, double c) {
    const double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

// Whether the intervals spanned by a0, a1, a2 and by b0, b1, b2 have no point in common. Comparisons are
// joined by | rather than ||: which axis has a gap is anybody's guess, and a wrong guess costs more than the
// comparison.
TD_INLINE int td_spans_apart(double a0, double a1, double a2, double b0, double b1, double b2) {
    const int a_first = td_greatest(a0, a1, a2) < td_least(b0, b1, b2);
    const int b_first = td_greatest(b0, b1, b2) < td_least(a0, a1, a2);
    return a_first | b_first;
}

TD_INLINE int td_boxes_apart(td_triangle a, td_triangle b) {
    return td_spans_apart(a.p0.x, a.p1.x, a.p2.x, b.p0.x, b.p1.x, b.p2.x) |
           td_spans_apart(a.p0.y, a.p1.y, a.p2.y, b.p0.y, b.p1.y, b.p2.y) |
           td_spans_apart(a.p0.z, a.p1.z, a.p2.z, b.p0.z, b.p1.z, b.p2.z);
}

// Sides of the corners of one triangle about the plane of another; all zero if that one is degenerate.
typedef struct td_sides {
    int s0, s1, s2;
} td_sides;

TD_INLINE td_sides td_sides_of(td_triangle t, td_triangle plane) {
    const td_orient_plane filter = td_orient_plane_make(plane.p0, plane.p1, plane.p2);
    td_sides r;
    r.s0 = td_orient_plane_filter(filter, t.p0);
    r.s1 = td_orient_plane_filter(filter, t.p1);
    r.s2 = td_orient_plane_filter(filter, t.p2);
    if (r.s0 == 0) {
        r.s0 = td_orient3d_exact(plane.p0, plane.p1, plane.p2, t.p0);
    }
    if (r.s1 == 0) {
        r.s1 = td_orient3d_exact(plane.p0, plane.p1, plane.p2, t.p1);
    }
    if (r.s2 == 0) {
        r.s2 = td_orient3d_exact(plane.p0, plane.p1, plane.p2, t.p2);
    }
    return r;
}

TD_INLINE int td_all_on_one_side(td_sides s) {
    const int sum = s.s0 + s.s1 + s.s2;
    return sum * sum == 9;
}

TD_INLINE int td_all_in_plane(td_sides s) {
    return (s.s0 | s.s1 | s.s2) == 0;
}

// Which corner is alone: the others are not on its side of the plane, at most on the plane. The sides must
// neither be all equal nor all zero.
TD_INLINE int td_lone_corner(td_sides s) {
    if (s.s0 * s.s1 * s.s2 != 0) {
        return 2 * (s.s0 == s.s1) + (s.s0 == s.s2);
    }
    if (s.s1 * s.s2 > 0) {
        return 0;
    }
    if (s.s2 * s.s0 > 0) {
        return 1;
    }
    if (s.s0 * s.s1 > 0) {
        return 2;
    }
    return s.s0 != 0 ? 0 : s.s1 != 0 ? 1 : 2; // no two on one side: any that is off the plane
}

// Of the lone corner; if that is on the plane, opposite to the others.
TD_INLINE int td_side_of_lone(td_sides s, int lone) {
    const int side = lone == 0 ? s.s0 : lone == 1 ? s.s1 : s.s2;
    return side != 0 ? side : -(s.s0 + s.s1 + s.s2);
}

// The intervals on the common line. Swapping q and r of one triangle turns its normal over, and with it the
// side of the other's p. Corners are looked up rather than branched for: no processor can predict the order.
TD_INLINE int td_intervals_meet(td_triangle a, td_sides sides_a, td_triangle b, td_sides sides_b) {
    const td_vec3 corners_a[5] = {a.p0, a.p1, a.p2, a.p0, a.p1};
    const td_vec3 corners_b[5] = {b.p0, b.p1, b.p2, b.p0, b.p1};
    const int p_a = td_lone_corner(sides_a);
    const int p_b = td_lone_corner(sides_b);
    const int swap_b = td_side_of_lone(sides_a, p_a) < 0;
    const int swap_a = td_side_of_lone(sides_b, p_b) < 0;
    return td_orient3d(corners_a[p_a], corners_a[p_a + 1 + swap_a], corners_b[p_b],
                       corners_b[p_b + 1 + swap_b]) <= 0 &&
           td_orient3d(corners_a[p_a], corners_a[p_a + 2 - swap_a], corners_b[p_b],
                       corners_b[p_b + 2 - swap_b]) >= 0;
}

TD_TRI_TRI_FUNCTION int td_triangles_intersect(td_triangle a, td_triangle b) {
    if (td_boxes_apart(a, b)) {
        return 0;
    }
    const td_sides sides_a = td_sides_of(a, b);
    if (td_all_on_one_side(sides_a)) {
        return 0;
    }
    const td_sides sides_b = td_sides_of(b, a);
    if (td_all_on_one_side(sides_b)) {
        return 0;
    }
    // If some corner of a is off the plane of b, then b has an area, and the other way round. If neither has
    // such a corner they are coplanar or degenerate; if just one has, the other is degenerate.
    if (td_all_in_plane(sides_a) || td_all_in_plane(sides_b)) {
        return td_flat_triangles_intersect(a, b);
    }
    return td_intervals_meet(a, sides_a, b, sides_b);
}

TD_TRI_TRI_FUNCTION int td_triangle_is_degenerate(td_triangle t) {
    return td_spanning_axis(t.p0, t.p1, t.p2) == TD_NO_AXIS;
}

TD_TRI_TRI_FUNCTION int td_segment_intersects_triangle(td_vec3 p, td_vec3 q, td_triangle t) {
    td_ordered_segment s;
    s.first = td_not_after(p, q) ? p : q;
    s.last = td_not_after(p, q) ? q : p;
    const int axis = td_spanning_axis(t.p0, t.p1, t.p2);
    return axis == TD_NO_AXIS ? td_segments_meet(s, td_extent(t)) : td_segment_meets_triangle(s, t, axis);
}

TD_TRI_TRI_FUNCTION int td_segment_crosses_triangle(td_vec3 p, td_vec3 q, td_triangle t) {
    const td_orient_plane filter = td_orient_plane_make(t.p0, t.p1, t.p2);
    int side_p = td_orient_plane_filter(filter, p);
    int side_q = td_orient_plane_filter(filter, q);
    side_p = side_p != 0 ? side_p : td_orient3d_exact(t.p0, t.p1, t.p2, p);
    side_q = side_q != 0 ? side_q : td_orient3d_exact(t.p0, t.p1, t.p2, q);
    if (side_p * side_q > 0) {
        return 0;
    }
    const int edge0 = td_orient3d(p, q, t.p0, t.p1);
    const int edge1 = td_orient3d(p, q, t.p1, t.p2);
    if (edge0 * edge1 < 0) {
        return 0; // the line passes outside one of the two edges, whatever the third says
    }
    const int edge2 = td_orient3d(p, q, t.p2, t.p0);
    if (edge0 * edge2 < 0 || edge1 * edge2 < 0) {
        return 0;
    }
    return side_p * side_q * edge0 * edge1 * edge2 == 0 ? -1 : 1;
}

#endif
