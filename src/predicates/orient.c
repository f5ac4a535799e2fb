#include "orient.h"

#include "big_orient.h"

int td_orient2d_exact(double ax, double ay, double bx, double by, double cx, double cy) {
    if (td_in_expansion_range(ax) && td_in_expansion_range(ay) && td_in_expansion_range(bx) &&
        td_in_expansion_range(by) && td_in_expansion_range(cx) && td_in_expansion_range(cy)) {
        return td_orient2d_adaptive(ax, ay, bx, by, cx, cy);
    }
    return td_big_orient2d(ax, ay, bx, by, cx, cy);
}

int td_orient3d_exact(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    if (td_point_in_expansion_range(a) && td_point_in_expansion_range(b) && td_point_in_expansion_range(c) &&
        td_point_in_expansion_range(d)) {
        return td_orient3d_adaptive(a, b, c, d);
    }
    return td_big_orient3d(a, b, c, d);
}
