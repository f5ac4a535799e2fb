// The closest points of two triangles that are apart lie on two edges, or on a corner and a face, and the way
// between them is the axis along which the triangles are apart by their distance. So the closest points are
// computed, with whatever error, and what is proven is the gap along the axis they give: points that are
// wrong give an axis that proves less.
//
// Closest points of segments after Ericson, Real-Time Collision Detection, 2005, 5.1.9.
#include "clear_triangles.h"

// Below this the square of a length has lost bits to underflow.
static const double TD_LEAST_SQUARE = 1e-200;

typedef struct td_witness {
    double square; // of the distance
    td_vec3 way;
    td_vec3 edge_a, edge_b; // that the closest points lie on; zero for a corner and a face
} td_witness;

static double td_min3(double a, double b, double c) {
    return fmin(a, fmin(b, c));
}

static double td_max3(double a, double b, double c) {
    return fmax(a, fmax(b, c));
}

// Whether the triangles are more than `limit` apart along `axis`.
static bool td_axis_clears(const td_triangle *a, const td_triangle *b, td_vec3 axis, double limit) {
    const double square = td_dot(axis, axis);
    if (!(square > TD_LEAST_SQUARE)) {
        return false;
    }
    const double a0 = td_dot(axis, a->p0), a1 = td_dot(axis, a->p1), a2 = td_dot(axis, a->p2);
    const double b0 = td_dot(axis, b->p0), b1 = td_dot(axis, b->p1), b2 = td_dot(axis, b->p2);
    const double above = td_min3(b0, b1, b2) - td_max3(a0, a1, a2);
    const double below = td_min3(a0, a1, a2) - td_max3(b0, b1, b2);
    return fmax(above, below) > limit * sqrt(square);
}

static double td_clamp(double x) {
    return fmin(fmax(x, 0), 1);
}

// The way from the segment p + s d to the segment q + t e, s and t in [0, 1], where they are closest.
static td_vec3 td_segments_way(td_vec3 p, td_vec3 d, td_vec3 q, td_vec3 e) {
    const td_vec3 r = td_sub(p, q);
    const double dd = td_dot(d, d), ee = td_dot(e, e), er = td_dot(e, r), dr = td_dot(d, r);
    double s = 0, t = 0;
    if (dd > TD_LEAST_SQUARE && ee > TD_LEAST_SQUARE) {
        const double de = td_dot(d, e), area = dd * ee - de * de;
        s = area > 0 ? td_clamp((de * er - dr * ee) / area) : 0;
        t = (de * s + er) / ee;
        if (t < 0 || t > 1) {
            t = td_clamp(t);
            s = td_clamp((de * t - dr) / dd);
        }
    } else if (dd > TD_LEAST_SQUARE) {
        s = td_clamp(-dr / dd);
    } else if (ee > TD_LEAST_SQUARE) {
        t = td_clamp(er / ee);
    }
    return td_sub(td_add(q, td_scale(e, t)), td_add(p, td_scale(d, s)));
}

static void td_keep_nearer(td_witness *nearest, td_vec3 way, td_vec3 edge_a, td_vec3 edge_b) {
    const double square = td_dot(way, way);
    if (square < nearest->square) {
        *nearest = (td_witness){square, way, edge_a, edge_b};
    }
}

static void td_try_edges(td_witness *nearest, const td_triangle *a, const td_triangle *b) {
    const td_vec3 p[3] = {a->p0, a->p1, a->p2}, q[3] = {b->p0, b->p1, b->p2};
    for (int i = 0; i < 3; ++i) {
        const td_vec3 d = td_sub(p[(i + 1) % 3], p[i]);
        for (int j = 0; j < 3; ++j) {
            const td_vec3 e = td_sub(q[(j + 1) % 3], q[j]);
            td_keep_nearer(nearest, td_segments_way(p[i], d, q[j], e), d, e);
        }
    }
}

// Whether the foot of the point over the plane of the triangle lies in the triangle, about.
static bool td_foot_inside(const td_triangle *t, td_vec3 normal, td_vec3 point) {
    const td_vec3 p[3] = {t->p0, t->p1, t->p2};
    for (int i = 0; i < 3; ++i) {
        const td_vec3 edge = td_sub(p[(i + 1) % 3], p[i]);
        if (td_dot(td_cross(edge, td_sub(point, p[i])), normal) < 0) {
            return false;
        }
    }
    return true;
}

// Corners of `points` over the face of `t`.
static void td_try_face(td_witness *nearest, const td_triangle *t, const td_triangle *points) {
    const td_vec3 zero = {0, 0, 0}, q[3] = {points->p0, points->p1, points->p2};
    const td_vec3 normal = td_cross(td_sub(t->p1, t->p0), td_sub(t->p2, t->p0));
    const double square = td_dot(normal, normal);
    for (int k = 0; k < 3 && square > TD_LEAST_SQUARE; ++k) {
        if (td_foot_inside(t, normal, q[k])) {
            const double height = td_dot(normal, td_sub(q[k], t->p0)) / square;
            td_keep_nearer(nearest, td_scale(normal, height), zero, zero);
        }
    }
}

static td_vec3 td_normal(const td_triangle *t) {
    return td_cross(td_sub(t->p1, t->p0), td_sub(t->p2, t->p0));
}

bool td_triangles_clear(const td_triangle *a, const td_triangle *b, double limit) {
    // What clears most triangles costs least.
    const td_vec3 sum_a = td_add(a->p0, td_add(a->p1, a->p2)), sum_b = td_add(b->p0, td_add(b->p1, b->p2));
    if (td_axis_clears(a, b, td_sub(sum_b, sum_a), limit) || td_axis_clears(a, b, td_normal(a), limit) ||
        td_axis_clears(a, b, td_normal(b), limit)) {
        return true;
    }
    td_witness nearest = {.square = INFINITY};
    td_try_edges(&nearest, a, b);
    td_try_face(&nearest, a, b);
    td_try_face(&nearest, b, a);
    if (!(nearest.square > limit * limit)) {
        return false;
    }
    // Of points that are very close the way is inaccurate; the product of their edges is not.
    return td_axis_clears(a, b, nearest.way, limit) ||
           td_axis_clears(a, b, td_cross(nearest.edge_a, nearest.edge_b), limit);
}
