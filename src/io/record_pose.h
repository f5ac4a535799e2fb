// Poses on a grid, and lists of those that changed as bytes.
//
// Positions are whole numbers of a unit (a power of two, metres) from an origin that the recording names.
// What is put down is the difference to the last pose, which is small from frame to frame: a body that
// creeps costs seven bytes, one that flies about twelve, one that rests none. Sums of whole numbers are
// exact, so that nothing drifts however long a recording gets.
//
// Rotations are the three smaller components of the quaternion, the largest made positive, each in 2^17 - 1
// steps to either side of zero up to the square root of 1/2, which none of them exceeds. The angle is off by
// 1.9e-5 rad at most: half a step is 2.7e-6 per component, three of them make 4.7e-6, the fourth follows with
// up to sqrt(3) times as much, and the angle is twice the distance of two unit quaternions.
#ifndef TD_IO_RECORD_POSE_H
#define TD_IO_RECORD_POSE_H

#include "record_bytes.h"

#include <tandem/query.h>

typedef struct td_pose_grid {
    double origin[3]; // m
    double unit;      // m
} td_pose_grid;

// A pose in numbers of the grid; all zero is none yet.
typedef struct td_grid_pose {
    int64_t position[3]; // 0 if it is far
    int32_t rotation[3]; // the components but the largest, in the order x, y, z, w
    uint8_t largest;     // 0 ... 3: x, y, z, w
    bool far;            // more than 2^51 units from the origin, where float64 is no finer than the grid ...
    double far_at[3];    // ... and is kept as it is
} td_grid_pose;

// The power of two that is at most `coarsest`, m; for 0, what has no size to go by, some.
#define TD_UNIT_LEAST 0x1p-900
#define TD_UNIT_MOST  0x1p900
double td_choose_unit(double coarsest);

// A grid for bodies in the box from `lower` to `upper`, the smallest of which has the size `smallest` (0: not
// known). The unit is at most 1e-6 of the box's diagonal and at most 2^-15 of the smallest body.
td_pose_grid td_choose_grid(const double lower[3], const double upper[3], double smallest);

// The pose must be finite and its rotation of unit norm, as td_check_pose has it. It comes back within half a
// unit in each coordinate and 1.9e-5 rad (and what float64 itself rounds).
td_grid_pose td_pose_to_grid(const td_pose *pose, const td_pose_grid *grid);
td_pose td_pose_from_grid(const td_grid_pose *pose, const td_pose_grid *grid);

// Puts the poses that differ from `before`, or all of them if `key`; `before` becomes `poses`.
void td_put_poses(td_byte_writer *writer, td_grid_pose *before, const td_grid_pose *poses, uint32_t count,
                  bool key);

// Takes what td_put_poses put, up to the reader's end. False if these are no such bytes: then `poses` is
// undefined. With `key`, all of them must be there.
bool td_take_poses(td_byte_reader *reader, td_grid_pose *poses, uint32_t count, bool key);

// The most bytes that td_put_poses puts for a body.
enum { TD_POSE_MOST_BYTES = TD_VARINT_MOST * 7 };

#endif
