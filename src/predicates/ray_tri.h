// Whether and where a line meets a triangle: whether is exact for all finite doubles, where is float64.
//
// The line o + t d passes the edge from p to q on a side given by the sign of
//     det(p - o, q - o, d) = ((p - o) x (q - o)) . d.
// It meets the triangle if the three signs do not contradict each other. If all are zero, line and triangle
// lie in one plane. An edge gives opposite signs to its two triangles, exactly, so nothing passes between
// them.
//
// based on: Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, 2013. Deviations: signs are exact, so
// that no ray needs a sheared frame, and t is the mean of the corners' t with the determinants as weights,
// which stays within the triangle however flat the ray comes in.
//
// The filter is that of orient.h: det has the same six products of three factors, of which the third is given
// here, not a difference. So the bound of that proof holds.
#ifndef TD_PREDICATES_RAY_TRI_H
#define TD_PREDICATES_RAY_TRI_H

#include "orient.h"

#include <stdbool.h>

typedef struct td_line {
    td_vec3 origin, direction; // finite, direction not zero
    int axis;                  // a largest component of the direction
} td_line;

// Where a line meets a triangle: one point, or, in its plane, those from `t` to `t_end`.
typedef struct td_meeting {
    double t, u, v;
    int side;                   // +1: seen counterclockwise, -1: from behind, 0: in the plane
    double t_end, u_end, v_end; // in the plane only
} td_meeting;

static inline double td_component(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline td_line td_line_make(td_vec3 origin, td_vec3 direction) {
    const double x = fabs(direction.x), y = fabs(direction.y), z = fabs(direction.z);
    return (td_line){origin, direction, x >= y && x >= z ? 0 : y >= z ? 1 : 2};
}

typedef struct td_side_value {
    double det, bound; // |det - exact| <= bound, unless that is NaN
} td_side_value;

// p and q relative to the origin.
static inline td_side_value td_side_of_edge(td_vec3 p, td_vec3 q, td_vec3 d) {
    const double tiny = 0x1p-1000;
    const td_vec3 r = td_vec3_make(p.y * q.z, p.z * q.x, p.x * q.y);
    const td_vec3 s = td_vec3_make(p.z * q.y, p.x * q.z, p.y * q.x);
    const td_vec3 size = td_vec3_make(fabs(r.x) + fabs(s.x) + tiny, fabs(r.y) + fabs(s.y) + tiny,
                                      fabs(r.z) + fabs(s.z) + tiny);
    const double permanent = td_dot(td_vec3_make(fabs(d.x), fabs(d.y), fabs(d.z)), size);
    return (td_side_value){td_dot(d, td_sub(r, s)), 10.0 * 0x1p-53 * permanent + 0x1p-1070};
}

// The same without a filter.
bool td_line_meets_carefully(td_meeting *out, const td_line *line, const td_triangle *triangle);

// t from the place along the line's axis, the exact sign of t included. `corner`: of the triangle, relative
// to the origin, along the axis; `weight` sums up to 1; `through`: the sign of the direction along the
// triangle's normal.
double td_place_on_line(const td_line *line, const td_triangle *triangle, const double corner[3],
                        const double weight[3], int through);

static inline bool td_line_meets_triangle(td_meeting *out, const td_line *line, const td_triangle *triangle) {
    const td_vec3 a = td_sub(triangle->p0, line->origin), b = td_sub(triangle->p1, line->origin),
                  c = td_sub(triangle->p2, line->origin);
    const td_side_value bc = td_side_of_edge(b, c, line->direction),
                        ca = td_side_of_edge(c, a, line->direction),
                        ab = td_side_of_edge(a, b, line->direction);
    const bool positive = bc.det > bc.bound || ca.det > ca.bound || ab.det > ab.bound;
    const bool negative = bc.det < -bc.bound || ca.det < -ca.bound || ab.det < -ab.bound;
    if (positive && negative) {
        return false;
    }
    const double sum = bc.det + ca.det + ab.det;
    const bool all = fabs(bc.det) > bc.bound && fabs(ca.det) > ca.bound && fabs(ab.det) > ab.bound;
    if (!all || !(fabs(sum) < 0x1p1000)) {
        return td_line_meets_carefully(out, line, triangle);
    }
    const double weight[3] = {bc.det / sum, ca.det / sum, ab.det / sum};
    const double corner[3] = {td_component(a, line->axis), td_component(b, line->axis),
                              td_component(c, line->axis)};
    out->side = sum > 0 ? -1 : 1;
    out->u = weight[1];
    out->v = weight[2];
    out->t = td_place_on_line(line, triangle, corner, weight, -out->side);
    return true;
}

#endif
