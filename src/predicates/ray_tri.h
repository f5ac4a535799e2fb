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

#include "ray_tri_filter.h"

#include <stdbool.h>

// Where a line meets a triangle: one point, or, in its plane, those from `t` to `t_end`.
typedef struct td_meeting {
    double t, u, v;
    int side;                   // +1: seen counterclockwise, -1: from behind, 0: in the plane
    double t_end, u_end, v_end; // in the plane only
} td_meeting;

// The same without a filter.
bool td_line_meets_carefully(td_meeting *out, const td_line *line, const td_triangle *triangle);

// t from the place along the line's axis, the exact sign of t included. `corner`: of the triangle, relative
// to the origin, along the axis; `weight` sums up to 1; `through`: the sign of the direction along the
// triangle's normal.
double td_place_on_line(const td_line *line, const td_triangle *triangle, const double corner[3],
                        const double weight[3], int through);

static inline bool td_line_meets_triangle(td_meeting *out, const td_line *line, const td_triangle *triangle) {
    const td_crossing crossing = td_line_crossing(*line, *triangle);
    if (crossing.state != TD_LINE_MEETS) {
        return crossing.state == TD_LINE_OPEN && td_line_meets_carefully(out, line, triangle);
    }
    out->side = crossing.side;
    out->u = crossing.weight[1];
    out->v = crossing.weight[2];
    out->t = td_place_on_line(line, triangle, crossing.corner, crossing.weight, -crossing.side);
    return true;
}

#endif
