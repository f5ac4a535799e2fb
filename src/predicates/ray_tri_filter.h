// The part of ray_tri.h that doubles decide. C17 and OpenCL C.
#ifndef TD_PREDICATES_RAY_TRI_FILTER_H
#define TD_PREDICATES_RAY_TRI_FILTER_H

#include "orient.h"

typedef struct td_line {
    td_vec3 origin, direction; // finite, direction not zero
    int axis;                  // a largest component of the direction
    double grain;              // along the axis: so far may doubles be off, within the triangle, times two
} td_line;

TD_INLINE double td_component(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

TD_INLINE td_line td_line_make(td_vec3 origin, td_vec3 direction, double grain) {
    const double x = fabs(direction.x), y = fabs(direction.y), z = fabs(direction.z);
    td_line line;
    line.origin = origin;
    line.direction = direction;
    line.grain = grain;
    line.axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    return line;
}

typedef struct td_side_value {
    double det, bound; // |det - exact| <= bound, unless that is NaN
} td_side_value;

// p and q relative to the origin.
TD_INLINE td_side_value td_side_of_edge(td_vec3 p, td_vec3 q, td_vec3 d) {
    const double tiny = 0x1p-1000;
    const td_vec3 r = td_vec3_make(p.y * q.z, p.z * q.x, p.x * q.y);
    const td_vec3 s = td_vec3_make(p.z * q.y, p.x * q.z, p.y * q.x);
    const td_vec3 size = td_vec3_make(fabs(r.x) + fabs(s.x) + tiny, fabs(r.y) + fabs(s.y) + tiny,
                                      fabs(r.z) + fabs(s.z) + tiny);
    const double permanent = td_dot(td_vec3_make(fabs(d.x), fabs(d.y), fabs(d.z)), size);
    td_side_value value;
    value.det = td_dot(d, td_sub(r, s));
    value.bound = 10.0 * 0x1p-53 * permanent + 0x1p-1070;
    return value;
}

#define TD_LINE_MISSES 0
#define TD_LINE_MEETS  1 // in one point, within the triangle
#define TD_LINE_OPEN   2 // doubles cannot tell, or there is more to tell

// Where a line meets a triangle, but for t.
typedef struct td_crossing {
    int state;        // TD_LINE_x; the rest is of TD_LINE_MEETS
    int side;         // +1: seen counterclockwise, -1: from behind
    double weight[3]; // of the corners; they sum up to 1
    double corner[3]; // the triangle's, relative to the origin, along the line's axis
} td_crossing;

TD_INLINE td_crossing td_line_crossing(td_line line, td_triangle triangle) {
    const td_vec3 a = td_sub(triangle.p0, line.origin), b = td_sub(triangle.p1, line.origin),
                  c = td_sub(triangle.p2, line.origin);
    const td_side_value bc = td_side_of_edge(b, c, line.direction),
                        ca = td_side_of_edge(c, a, line.direction),
                        ab = td_side_of_edge(a, b, line.direction);
    const int positive = bc.det > bc.bound || ca.det > ca.bound || ab.det > ab.bound;
    const int negative = bc.det < -bc.bound || ca.det < -ca.bound || ab.det < -ab.bound;
    td_crossing r;
    r.state = TD_LINE_MISSES;
    if (positive && negative) {
        return r;
    }
    const double sum = bc.det + ca.det + ab.det;
    const int all = fabs(bc.det) > bc.bound && fabs(ca.det) > ca.bound && fabs(ab.det) > ab.bound;
    if (!all || !(fabs(sum) < 0x1p1000)) {
        r.state = TD_LINE_OPEN;
        return r;
    }
    r.corner[0] = td_component(a, line.axis);
    r.corner[1] = td_component(b, line.axis);
    r.corner[2] = td_component(c, line.axis);
    // The weights are off by at most `part` of the sum, and by twice that once divided by it.
    const double part = (bc.bound + ca.bound + ab.bound) / fabs(sum);
    const double spread = td_larger(r.corner[0], td_larger(r.corner[1], r.corner[2])) -
                          td_smaller(r.corner[0], td_smaller(r.corner[1], r.corner[2]));
    if (!(part <= 0.5 && part * spread <= line.grain)) {
        r.state = TD_LINE_OPEN;
        return r;
    }
    r.state = TD_LINE_MEETS;
    r.side = sum > 0 ? -1 : 1;
    r.weight[0] = bc.det / sum;
    r.weight[1] = ca.det / sum;
    r.weight[2] = ab.det / sum;
    return r;
}

// The mean of the corners, and not beyond them.
TD_INLINE double td_mean_place(const double *corner, const double *weight) {
    const double mean = weight[0] * corner[0] + weight[1] * corner[1] + weight[2] * corner[2];
    const double low = td_smaller(corner[0], td_smaller(corner[1], corner[2]));
    const double high = td_larger(corner[0], td_larger(corner[1], corner[2]));
    return td_smaller(td_larger(mean, low), high);
}

// t, if its sign is known to be `sign`.
TD_INLINE double td_signed_t(double t, int sign) {
    if (sign == 0) {
        return 0;
    }
    return sign > 0 ? td_larger(t, 0x1p-1074) : td_smaller(t, -0x1p-1074);
}

// On which side of the origin all corners are, along the line's axis: +1, -1, or 0 if not on one.
TD_INLINE int td_side_of_corners(const double *corner) {
    return corner[0] > 0 && corner[1] > 0 && corner[2] > 0   ? 1
           : corner[0] < 0 && corner[1] < 0 && corner[2] < 0 ? -1
                                                             : 0;
}

#endif
