// A rigid motion in pieces: where points are at the ends of a piece, and how far from straight their paths
// are between.
//
// Both courses are one: a centre that moves along a straight line, and a turn about it at constant speed,
//
//     x(t) = centre + t way + R(q(t)) (v + offset),     q(t) from q(0) to q(1) along the great circle.
//
// q half way between two others is their sum, normalised: no sines, so that every processor computes the same
// bits.
//
// A point at the distance r from the centre, turning by the angle w in a piece, has an acceleration of r w^2
// per piece squared, so its path is within r w^2 / 8 of the straight line between its ends. The angle is
// twice that between the quaternions, which is at most 1.12 times their distance as long as it is no more
// than a right angle.
#ifndef TD_QUERY_CONTINUOUS_MOTION_H
#define TD_QUERY_CONTINUOUS_MOTION_H

#include "../math/quat.h"
#include "../mesh/trimesh.h"

#include <tandem/continuous.h>

typedef struct td_body_motion {
    td_vec3 centre, way, offset;
    td_quat turn[2]; // at t = 0 and at t = 1, the shorter way
    double radius;   // no vertex is farther from the centre
    double rounding; // bounds the error of td_place_vertex, whatever the piece
} td_body_motion;

// Part of the motion: times are multiples of a power of two, hence exact.
typedef struct td_motion_piece {
    double time[2];
    td_quat turn[2]; // at these times
} td_motion_piece;

bool td_is_translation(const td_rigid_motion *motion);

td_body_motion td_body_motion_of(const td_rigid_motion *motion, const td_trimesh *mesh);

td_motion_piece td_whole_motion(const td_body_motion *motion);
td_motion_piece td_half_of_piece(const td_motion_piece *piece, int half); // 0: the first, 1: the second

// How far paths are from straight ones within the piece, but for roundings.
double td_piece_deviation(const td_body_motion *motion, const td_motion_piece *piece);

typedef struct td_placement {
    td_mat3 rotation;
    td_vec3 centre, offset;
} td_placement;

td_placement td_placement_at(const td_body_motion *motion, const td_motion_piece *piece, int end);

static inline td_vec3 td_place_vertex(const td_placement *placement, td_vec3 v) {
    return td_add(placement->centre, td_mat3_apply(placement->rotation, td_add(v, placement->offset)));
}

#endif
