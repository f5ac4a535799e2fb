// The motions of some bodies over the frames that are exported, body by body: a recording has them frame by
// frame. A soft body is where the mean of its vertices is; its shape is not of these (export_shapes.h).
#ifndef TD_IO_EXPORT_SAMPLES_H
#define TD_IO_EXPORT_SAMPLES_H

#include "export.h"
#include "export_track.h"

// A ball about a mesh, in its frame.
typedef struct td_mesh_ball {
    double centre[3], radius;
    double reach; // from the origin of the frame to the farthest vertex
} td_mesh_ball;

td_mesh_ball td_ball_of_mesh(const td_mesh_arrays *mesh);

typedef struct td_samples {
    uint32_t count;     // per body: the frames that are exported
    uint32_t body_room; // how many bodies are held at a time
    td_track_sample *items;
    float *times; // s, from 0
    // Of all bodies, in the frame that was read last and in the one before.
    td_pose *poses, *poses_before;
    td_recorded_motion *motions, *motions_before;
    const td_mesh_ball *balls; // of the meshes; borrowed
    uint32_t body_count;
} td_samples;

// Room for as many bodies as fit in 64 MiB, one at least, and the times. TD_ERROR_UNSUPPORTED if float32
// cannot tell the times of two frames apart. On failure nothing is left to release.
td_result td_begin_samples(td_samples *out, td_export *task, const td_mesh_ball *balls);
void td_release_samples(td_samples *samples, td_context *context);

// Reads the bodies `first` to `first` + `count` - 1, at most as many as there is room for. `done` of `total`
// frames were read before, for the progress.
td_result td_read_samples(td_samples *samples, td_export *task, uint32_t first, uint32_t count, uint64_t done,
                          uint64_t total);

#endif
