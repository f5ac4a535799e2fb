// Scenes: JSON files that say which bodies there are and how they move (docs/file-formats.md), and recordings
// of what became of them. In the library tandem-scene, which needs cJSON.
#ifndef TANDEM_SCENE_H
#define TANDEM_SCENE_H

#include "io.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

// A scene and the world made from it. Its meshes and bodies are its own.
typedef struct td_scene td_scene;

// Gives the arrays of the mesh that a scene names, released by the caller with td_release_mesh_arrays:
// another way to read files (assimp.h), or meshes kept elsewhere. `source` is as written in the scene; for a
// file, the path resolved against the scene's folder.
typedef td_result td_scene_mesh_fn(td_mesh_arrays *out, td_context *context, const char *source, void *user);

typedef struct td_scene_def {
    uint32_t cookie;
    // Values of the scene's parameters, "name=value" each; those not given keep the scene's own.
    const char *const *parameters;
    size_t parameter_count;
    // Meshes to read from other files than the scene says, "name=file" each, from here; scaled and placed as
    // the scene says.
    const char *const *meshes;
    size_t mesh_count;
    // What holds instead of the scene's own: 0 and null leave it.
    double step;
    uint32_t substeps, iterations;
    const char *broad, *strategy;
    td_volume volume;
    td_descent descent;
    td_device *device;
    td_scene_mesh_fn *read_mesh; // null: td_read_mesh_file
    void *read_mesh_user;
    td_progress_fn *progress; // of reading and building meshes; may be null
    void *progress_user;
} td_scene_def;

TD_API td_scene_def td_default_scene_def(void);

// `path` is a file, or the name of a scene in scenes/. Errors name the file, the place inside it
// ("bodies[3].density") and what was expected.
TD_API td_result td_load_scene(td_scene **out, td_context *context, const char *path,
                               const td_scene_def *def);
// From text; `name` stands for the path in messages, files are looked for beside `folder` (null: here).
TD_API td_result td_parse_scene(td_scene **out, td_context *context, const char *text, size_t size,
                                const char *name, const char *folder, const td_scene_def *def);
TD_API void td_destroy_scene(td_scene *scene); // null is fine

// The scenes that come with the library, by name.
TD_API uint32_t td_builtin_scene_count(void);
TD_API const char *td_builtin_scene_name(uint32_t index);
TD_API const char *td_builtin_scene_description(uint32_t index); // one line

TD_API const char *td_scene_name(const td_scene *scene);
TD_API const char *td_scene_description(const td_scene *scene);
TD_API td_world *td_scene_world(td_scene *scene);
TD_API double td_scene_step(const td_scene *scene);    // s
TD_API uint64_t td_scene_steps(const td_scene *scene); // how many the scene wants to be run for
TD_API uint32_t td_scene_mesh_count(const td_scene *scene);
TD_API const td_mesh *td_scene_mesh(const td_scene *scene, uint32_t index);
TD_API const char *td_scene_mesh_name(const td_scene *scene, uint32_t index); // the key in the scene
// The scene as text, parameters and overrides filled in: parsing it gives the same scene.
TD_API const char *td_scene_text(const td_scene *scene);

// One step of the world and of the scene's own rules (bodies that are put back at the top).
TD_API td_result td_step_scene(td_step_report *out, td_scene *scene);

// ---------------------------------------------------------------------------------------------------------
// Recordings: the scene, its meshes, and a frame per step. docs/file-formats.md has the layout.

typedef struct td_recorder td_recorder;

// Writes the header, with the scene as it stands as frame 0. The file grows frame by frame under its own
// name: what a crash leaves behind can be read up to its last whole frame.
TD_API td_result td_create_recorder(td_recorder **out, td_context *context, const td_scene *scene,
                                    const char *path);
TD_API td_result td_record_frame(td_recorder *recorder, const td_scene *scene, const td_step_report *report);
// Writes the end mark and closes; *hash (may be null) is that of the recording. The recorder is gone either
// way.
TD_API td_result td_close_recorder(td_recorder *recorder, uint64_t *hash);

typedef struct td_recording td_recording;

typedef struct td_recording_info {
    const char *scene; // its name
    double step;       // s
    uint32_t bodies, meshes;
    uint64_t frames;     // whole ones, that of the start included
    bool complete;       // has its end mark
    uint64_t lost_bytes; // behind the last whole frame
    uint64_t hash;       // of all states, frame by frame
} td_recording_info;

// Reads the header and finds the frames. TD_ERROR_FORMAT if there is no whole header, or a checksum in it is
// wrong; a frame that is cut off or damaged ends the recording before it.
TD_API td_result td_open_recording(td_recording **out, td_context *context, const char *path);
TD_API void td_close_recording(td_recording *recording); // null is fine
TD_API td_recording_info td_recording_about(const td_recording *recording);

typedef struct td_recorded_body {
    td_body_kind kind;
    uint32_t mesh; // index
    const char *name;
} td_recorded_body;

TD_API td_recorded_body td_recording_body(const td_recording *recording, uint32_t body);
TD_API const td_mesh_arrays *td_recording_mesh(const td_recording *recording, uint32_t mesh);
TD_API const char *td_recording_mesh_name(const td_recording *recording, uint32_t mesh);

// The poses of all bodies in a frame (as many as there are bodies), and the hash of the world's state there.
TD_API td_result td_read_frame(td_pose *poses, uint64_t *hash, td_recording *recording, uint64_t frame);

// Runs the recorded scene again and compares the state after every step, bit by bit.
typedef struct td_replay_result {
    uint64_t frames;          // compared
    bool verified;            // all were equal
    uint64_t first_different; // frame; meaningful if not verified
    uint64_t hash;
} td_replay_result;

TD_API td_result td_replay_recording(td_replay_result *out, td_recording *recording, td_progress_fn *progress,
                                     void *progress_user);

#ifdef __cplusplus
}
#endif
#endif
