// Four points in linear motion over t in [0, 1]: a vertex and a triangle, or two edges. C17 and OpenCL C.
//
// Both questions are one question about three vectors x, p, q that are linear in t:
//
//     vertex v, face f:  p = f1 - f0,  q = f2 - f0,  x = v - f0
//     edges a, b:        p = a1 - a0,  q = b1 - b0,  x = b0 - a0
//
// With N = p x q, the four points are coplanar where F = x . N = 0, a cubic in t. There, if N is not zero,
// the vertex is x = alpha p + beta q with alpha N = x x q and beta N = p x x, and it is in the triangle if
// alpha >= 0, beta >= 0 and alpha + beta <= 1; the edges cross at a0 + s p = b0 + u q with s N = x x q and u
// N = x x p, and touch if s and u are in [0, 1]. On any axis k on which N_k keeps its sign these are signs of
// quadratics.
#ifndef TD_PREDICATES_MOVING_H
#define TD_PREDICATES_MOVING_H

#include "../math/vec3.h"

#define TD_VERTEX_FACE 0
#define TD_EDGE_EDGE   1

// Vertex-face: v f0 f1 f2; edge-edge: a0 a1 b0 b1.
typedef struct td_moving_points {
    td_vec3 at[2][4]; // at t = 0 and at t = 1
} td_moving_points;

#define TD_MOVING_APART     0 // no contact at any t in [0, 1]
#define TD_MOVING_TOUCHING  1 // a contact
#define TD_MOVING_UNDECIDED 2 // only of the filter

typedef struct td_moving_result {
    int state;
    // TOUCHING: the first contact is in [lower, upper], which is no wider than 1e-6. UNDECIDED: there is none
    // before lower and none after upper.
    double lower, upper;
    int single; // of UNDECIDED: F changes its sign between lower and upper, and has one root there
} td_moving_result;

#endif
