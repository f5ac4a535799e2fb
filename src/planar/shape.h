// What the planar simulator holds of a body, in the memory of the host or of a device: how it moves, and what
// it is. C17 and OpenCL C alike; all numbers are float64, metres, seconds, kilograms and radians.
//
// These are the textures of paper 004, section 2: Linear and Rotational are td_planar_motion, Geometry is
// td_planar_shape, Vertices is td_planar_corner.
#ifndef TD_PLANAR_SHAPE_H
#define TD_PLANAR_SHAPE_H

#include "../math/shared.h"

// A wall is a half-plane: the room is on the side that its normal points to.
#define TD_SHAPE_CIRCLE  0
#define TD_SHAPE_POLYGON 1
#define TD_SHAPE_WALL    2

#define TD_PLANAR_WALLS 4 // of a room; they stand behind the bodies in every array

#ifdef __OPENCL_VERSION__
typedef uchar td_u8;
#else
typedef uint8_t td_u8;
#endif

typedef struct td_planar_vector {
    double x, y;
} td_planar_vector;

typedef struct td_planar_motion {
    double x, y;   // centre of mass
    double vx, vy; // its velocity
    double angle;  // within [-pi, pi]
    double spin;   // rad/s, counter-clockwise
} td_planar_motion;

typedef struct td_planar_shape {
    td_u32 kind;
    td_u32 first, count; // corners of a polygon, counter-clockwise; of a wall the one that holds its normal
    td_u32 unused;
    double radius; // of a circle; of a polygon, that of the disc about its centre that holds it
    double inverse_mass, inverse_inertia; // 0: it does not move, whatever hits it
    double offset;                        // of a wall: points p of the room have normal . p >= offset
} td_planar_shape;

// A corner of a polygon about its centre of mass, and the edge that starts there: of unit outward normal,
// with edge points p at normal . p = height.
typedef struct td_planar_corner {
    double x, y;
    double nx, ny;
    double height, length;
} td_planar_corner;

// What a body has met so far: sums over all its collisions.
typedef struct td_planar_tally {
    double wall_x, wall_y; // N s, that walls and other immovable bodies gave it
    double hits;           // collisions, as a number that cannot overflow
} td_planar_tally;

// A body, taken out of its arrays.
typedef struct td_planar_body {
    td_planar_shape shape;
    td_planar_motion motion;
} td_planar_body;

TD_INLINE td_planar_vector td_planar_make(double x, double y) {
    td_planar_vector v;
    v.x = x;
    v.y = y;
    return v;
}

TD_INLINE double td_planar_dot(td_planar_vector a, td_planar_vector b) {
    return a.x * b.x + a.y * b.y;
}

TD_INLINE double td_planar_cross(td_planar_vector a, td_planar_vector b) {
    return a.x * b.y - a.y * b.x;
}

TD_INLINE double td_planar_min(double a, double b) {
    return a < b ? a : b;
}

TD_INLINE double td_planar_max(double a, double b) {
    return a > b ? a : b;
}

#endif
