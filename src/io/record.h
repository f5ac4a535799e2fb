// What is behind the recorders and recordings of scene.h: the same without a scene, so that it can be tested
// and used alone, and what scene.h does not show.
//
// A recording is a start (magic, version) and chunks (record_chunk.h): INFO, SCEN, a MESH each, BODY, then a
// KEYF or FRAM per frame, which a TIME may follow, and END. docs/file-formats.md has the payloads.
#ifndef TD_IO_RECORD_H
#define TD_IO_RECORD_H

#include "record_pose.h"
#include "record_time.h"

#include <tandem/scene.h>

enum { TD_FRAMES_PER_KEY = 64 };

// ---------------------------------------------------------------------------------------------------------
// Writing

typedef struct td_record_mesh {
    const char *name; // the key in the scene
    const td_mesh *mesh;
} td_record_mesh;

typedef struct td_record_body {
    td_body_kind kind;
    uint32_t mesh; // index
    const char *name;
} td_record_body;

// What does not change from frame to frame. Borrowed while td_begin_recorder runs.
typedef struct td_record_content {
    const char *scene; // its name
    const char *text;  // from which the scene can be made again
    double step;       // s
    const td_record_mesh *meshes;
    const td_record_body *bodies;
    uint32_t mesh_count, body_count;
} td_record_content;

// What a frame tells in numbers: of the step that led to it, zeros in the first.
typedef struct td_frame_numbers {
    uint64_t frame;                          // from 0
    uint64_t steps;                          // done until then
    uint64_t hash;                           // of the world's state
    double time;                             // s
    double kinetic_energy, potential_energy; // J
    double penetration;                      // m
    double residual;                         // m/s
    uint32_t awake, islands, passes, colours;
    uint64_t broad_pairs, colliding_pairs, faces, regions, contacts, stopped_bodies;
} td_frame_numbers;

// The bodies in a frame. What is null is left out: bodies without motions stand still, awake.
typedef struct td_recorded_state {
    const td_pose *poses;              // of all bodies; those of soft ones are not looked at
    const td_recorded_motion *motions; // of all bodies
    const double *const *positions;    // per body: x y z of each vertex if it is soft, in the world
    const td_recorded_contact
        *contacts; // of pairs a < b or b < a, in the order of the lesser, then the other
    size_t contact_count;
    const td_record_times *times; // of the step
} td_recorded_state;

// As td_create_recorder; `state` is that of frame 0, whose world has the hash.
td_result td_begin_recorder(td_recorder **out, td_context *context, const char *path,
                            const td_record_content *content, const td_recorded_state *state, uint64_t hash);

// The next frame; `frame` of the numbers is set by the recorder. TD_ERROR_POSE, and nothing written, if a
// pose or a position is not finite. After TD_ERROR_FILE the recorder takes no more frames: they would follow
// a gap.
td_result td_record_state(td_recorder *recorder, const td_recorded_state *state,
                          const td_frame_numbers *numbers);

// What whoever records a scene keeps from frame to frame, and its recorder owns; all zero is none.
typedef struct td_scene_cache {
    uint32_t body_count;
    td_body_id *ids; // of the recorded bodies in the world, in their order, which is that of their indices
    td_pose *poses;
    td_recorded_motion *motions;
    bool *soft;               // which bodies are soft; null: none
    const double **positions; // of these, as the world has them; null: there are none
    TD_ARRAY(td_recorded_contact) contacts;
    bool times; // are to be recorded
} td_scene_cache;

td_scene_cache *td_recorder_cache(td_recorder *recorder);
void td_release_scene_cache(td_scene_cache *cache, td_context *context);
td_context *td_recorder_context(const td_recorder *recorder);

// ---------------------------------------------------------------------------------------------------------
// Reading

td_context *td_recording_context(const td_recording *recording);
const char *td_recording_path(const td_recording *recording);
const char *td_recording_text(const td_recording *recording);    // of the scene
const char *td_recording_version(const td_recording *recording); // of the library that wrote it
td_pose_grid td_recording_grid(const td_recording *recording);
uint64_t td_recording_hash(const td_recording *recording, uint64_t frame);
uint64_t td_recording_steps(const td_recording *recording, uint64_t frame);

// As td_read_frame, with all of its numbers. `poses` may be null.
td_result td_read_frame_numbers(td_pose *poses, td_frame_numbers *out, td_recording *recording,
                                uint64_t frame);

// As td_read_frame; the position of a soft body is the mean of those of its vertices.
td_result td_read_centred_frame(td_pose *poses, td_recording *recording, uint64_t frame);

// As td_replay_recording, in another way than the recorded one: strategy, volume, device and so on of `def`,
// whose progress is the replay's own.
td_result td_replay_recording_with(td_replay_result *out, td_recording *recording, const td_scene_def *def,
                                   td_progress_fn *progress, void *progress_user);

#endif
