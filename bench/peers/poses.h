// The pose sets on which tandem and its peers are measured. Seeded: the same meshes give the same poses on
// every machine, because only + - * / and sqrt are used.
//
// All three sets turn B by a uniform random rotation and put B's vertex centroid at A's plus a uniform random
// direction times a distance. With `radius` the mean distance of a mesh's vertices from their centroid:
//   near      distance = f * (radius of A + radius of B), f uniform in 0.3 ... 1.1
//   far       the same with f uniform in 1.1 ... 2.0
//   touching  B comes in along the direction to its first contact and then 1% of the mean of the two radii
//             further: what a physics engine sees
#ifndef TD_BENCH_POSES_H
#define TD_BENCH_POSES_H

#include <tandem/query.h>

typedef enum td_pose_set { TD_POSES_NEAR, TD_POSES_FAR, TD_POSES_TOUCHING } td_pose_set;

const char *td_pose_set_name(td_pose_set set);                      // "near", "far", "touching"
bool td_pose_set_from_name(td_pose_set *out, const char *set_name); // false: none of those

// Whether the meshes collide with B at `pose`: only asked for the touching set.
typedef bool td_collides_fn(const td_pose *pose, void *user);

typedef struct td_pose_source {
    const double *positions_a; // x y z per vertex
    uint32_t vertex_count_a;
    const double *positions_b;
    uint32_t vertex_count_b;
    uint64_t seed;
    td_collides_fn *collides; // may be null but for the touching set
    void *collides_user;
} td_pose_source;

// Writes `count` poses. A longer list starts with the shorter one. False only for the touching set: after
// many tries no direction led to a contact.
bool td_make_poses(td_pose *out, uint32_t count, td_pose_set set, const td_pose_source *source);

// One pose per line, tx ty tz qx qy qz qw, with all the digits of a float64: `tandem collide A B --poses
// FILE` reads the same poses back. False: errno tells why; no file is left.
bool td_write_poses(const char *path, const td_pose *poses, uint32_t count);

#endif
