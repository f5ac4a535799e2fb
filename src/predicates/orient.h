// On which side of a line or of a plane a point lies, exactly, for all finite doubles. C17 and OpenCL C.
//
//   td_orient2d(a, b, c)     +1 if a, b, c turn counterclockwise, -1 if clockwise, 0 if they lie on one line.
//   td_orient3d(a, b, c, d)  the sign of ((b - a) x (c - a)) . (d - a): +1 if d lies on the side of the plane
//                            of a, b, c from which these are seen counterclockwise, 0 if all lie on one
//                            plane.
//
// Three stages, each asked only for what the one before could not tell:
//   1. a filter in doubles, inline, with the bound proven below;
//   2. expansions, for coordinates that are 0 or of magnitude 2^-250 ... 2^250 (orient_adaptive.h);
//   3. integers of up to 6,500 bits (big_orient.h), on the host only. On a device the caller must have handed
//      triangles outside the range of stage 2 (td_triangle_in_expansion_range) to the host.
//
// Proof of the filter for the plane. Let e = 2^-53 and n = 2^-1075. A sum of doubles is rounded as x (1 + r)
// with |r| <= e, also where it is subnormal; a product as x (1 + r) + s with |s| <= n, unless it overflows.
// With u = b - a, v = c - a, w = d - a, the determinant is the sum over the three axes of w_i (p_i - q_i),
// where p_i and q_i are products of one coordinate of u and one of v. Each of its six products goes through
// at most 8 roundings (three differences, product, difference, product with w_i, two sums). Let P be the sum
// of their absolute values and W = |w_x| + |w_y| + |w_z|. Then the computed determinant errs by at most
//     8.01 e P + 2.01 n W + 3.01 n.
// The computed permanent takes the same way with |.| and one more sum, which adds T = 2^-1000 to |p_i| +
// |q_i|:
//     permanent >= (P + T W) (1 - 9.01 e) - 2.01 n W - 3.01 n.
// Put P into the first bound: since 8 e T = 2^-1050 is far more than all the multiples of n W, these vanish,
// and
//     |computed - true| <= 8.1 e permanent + 3.1 n.
// The bound used, 10 e permanent + 2^-1070, is larger even after its own two roundings. If anything
// overflows, the permanent is infinite or NaN, because rounding is monotonic and so no intermediate result of
// the determinant exceeds its counterpart in the permanent; then no comparison holds and the filter does not
// decide. In the plane the same count gives 4 roundings and no third factor: 4.1 e permanent + 2.1 n.
#ifndef TD_PREDICATES_ORIENT_H
#define TD_PREDICATES_ORIENT_H

#include "orient_adaptive.h"

#ifdef __OPENCL_VERSION__
#define td_orient2d_exact td_orient2d_adaptive
#define td_orient3d_exact td_orient3d_adaptive
#else
// Stages 2 and 3.
int td_orient2d_exact(double ax, double ay, double bx, double by, double cx, double cy);
int td_orient3d_exact(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d);
#endif

// The plane of three points as the filter wants it, so that several points can be held against it.
typedef struct td_orient_plane {
    td_vec3 origin;
    td_vec3 normal; // rounded
    td_vec3 size;   // the sums of absolute values that stand beside the differences in `normal`, plus T
} td_orient_plane;

TD_INLINE td_orient_plane td_orient_plane_make(td_vec3 a, td_vec3 b, td_vec3 c) {
    const double tiny = 0x1p-1000;
    const td_vec3 u = td_sub(b, a);
    const td_vec3 v = td_sub(c, a);
    const td_vec3 p = td_vec3_make(u.y * v.z, u.z * v.x, u.x * v.y);
    const td_vec3 q = td_vec3_make(u.z * v.y, u.x * v.z, u.y * v.x);
    td_orient_plane r;
    r.origin = a;
    r.normal = td_sub(p, q);
    r.size = td_vec3_make(fabs(p.x) + fabs(q.x) + tiny, fabs(p.y) + fabs(q.y) + tiny,
                          fabs(p.z) + fabs(q.z) + tiny);
    return r;
}

// +1 or -1 if that is certainly the side of d, 0 if the filter cannot tell.
TD_INLINE int td_orient_plane_filter(td_orient_plane plane, td_vec3 d) {
    const td_vec3 w = td_sub(d, plane.origin);
    const double det = td_dot(w, plane.normal);
    const double permanent = td_dot(td_vec3_make(fabs(w.x), fabs(w.y), fabs(w.z)), plane.size);
    const double bound = 10.0 * 0x1p-53 * permanent + 0x1p-1070;
    return (det > bound) - (det < -bound);
}

TD_INLINE int td_orient3d(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    const int sign = td_orient_plane_filter(td_orient_plane_make(a, b, c), d);
    return sign != 0 ? sign : td_orient3d_exact(a, b, c, d);
}

TD_INLINE int td_orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
    const double left = (ax - cx) * (by - cy);
    const double right = (ay - cy) * (bx - cx);
    const double det = left - right;
    const double bound = 6.0 * 0x1p-53 * (fabs(left) + fabs(right)) + 0x1p-1070;
    const int sign = (det > bound) - (det < -bound);
    return sign != 0 ? sign : td_orient2d_exact(ax, ay, bx, by, cx, cy);
}

#endif
