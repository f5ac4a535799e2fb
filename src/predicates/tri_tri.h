// Whether two triangles intersect, exactly, for all finite doubles. C17 and OpenCL C.
//
// Triangles are closed sets: touching counts. They may be coplanar, and either may be degenerate: a segment
// if its corners lie on one line, a point if they coincide. The answers do not depend on the order of the
// corners or of the triangles.
//
// The host sees these as functions of tri_tri.c. In OpenCL C the bodies come along, and coordinates must be
// in the range of expansions (td_triangle_in_expansion_range): the caller hands other triangles to the host.
#ifndef TD_PREDICATES_TRI_TRI_H
#define TD_PREDICATES_TRI_TRI_H

#include "../math/vec3.h"

#ifdef __OPENCL_VERSION__
#include "tri_tri_body.h"
#else

// 1 if the triangles share at least one point, else 0.
int td_triangles_intersect(td_triangle a, td_triangle b);

// 1 if the triangle has no area: its corners lie on one line.
int td_triangle_is_degenerate(td_triangle t);

// 1 if the closed segment, which may be a point, and the triangle share at least one point, else 0.
int td_segment_intersects_triangle(td_vec3 p, td_vec3 q, td_triangle t);

// For counting crossings. 1: the segment passes from one side of the triangle to the other through its
// interior; 0: they have no point in common; -1: neither is certain without a closer look, as the segment
// lies in the plane, ends on it, or passes through the line of an edge.
int td_segment_crosses_triangle(td_vec3 p, td_vec3 q, td_triangle t);

#endif
#endif
