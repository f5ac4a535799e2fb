// Scenes: JSON files that say which bodies there are and how they move (docs/file-formats.md), and recordings
// of what became of them. In the library tandem-scene, which needs cJSON.
#ifndef TANDEM_SCENE_H
#define TANDEM_SCENE_H

#include "io.h"
#include "planar.h"
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
    const char *narrow;   // "triangles" or "rays"
    const char *stepping; // of a planar scene: "ordered" or "first"
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
TD_API td_world *td_scene_world(td_scene *scene);   // null of a planar scene
TD_API td_planar *td_scene_planar(td_scene *scene); // null of any other
TD_API uint32_t td_scene_body_count(const td_scene *scene);
TD_API uint64_t td_hash_scene(const td_scene *scene);  // of its state, as recordings hold it
TD_API double td_scene_step(const td_scene *scene);    // s
TD_API uint64_t td_scene_steps(const td_scene *scene); // how many the scene wants to be run for
TD_API uint32_t td_scene_mesh_count(const td_scene *scene);
TD_API const td_mesh *td_scene_mesh(const td_scene *scene, uint32_t index);
TD_API const char *td_scene_mesh_name(const td_scene *scene, uint32_t index); // the key in the scene
// The scene as text, parameters and overrides filled in: parsing it gives the same scene.
TD_API const char *td_scene_text(const td_scene *scene);

// One step, or in a planar scene as many as make a frame, of the world and of the scene's own rules (bodies
// that are put back at the top).
TD_API td_result td_step_scene(td_step_report *out, td_scene *scene);

// ---------------------------------------------------------------------------------------------------------
// Recordings: the scene, its meshes, and a frame per step. docs/file-formats.md has the layout.

typedef struct td_recorder td_recorder;

typedef struct td_recorder_def {
    uint32_t cookie;
    bool times; // record how long each step took: then the file differs from run to run
} td_recorder_def;

TD_API td_recorder_def td_default_recorder_def(void);

// Writes the header, with the scene as it stands as frame 0. The file grows frame by frame under its own
// name: what a crash leaves behind can be read up to its last whole frame. `def` may be null.
TD_API td_result td_create_recorder(td_recorder **out, td_context *context, const td_scene *scene,
                                    const char *path, const td_recorder_def *def);
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
    bool timed;          // times were recorded
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
    double unit; // m; of a soft body: its positions are off by half of it at most, in each coordinate
} td_recorded_body;

TD_API td_recorded_body td_recording_body(const td_recording *recording, uint32_t body);
TD_API const td_mesh_arrays *td_recording_mesh(const td_recording *recording, uint32_t mesh);
TD_API const char *td_recording_mesh_name(const td_recording *recording, uint32_t mesh);

// The poses of all bodies in a frame (as many as there are bodies), and the hash of the world's state there.
// That of a soft body is the identity.
TD_API td_result td_read_frame(td_pose *poses, uint64_t *hash, td_recording *recording, uint64_t frame);

// Where the vertices of a soft body are in a frame: x y z of each, in the world, in the order of its mesh.
// TD_ERROR_ARGUMENT if the body is not soft.
TD_API td_result td_read_positions(double *out, td_recording *recording, uint64_t frame, uint32_t body);

// What the step that led to a frame did, as far as it is recorded: the other fields are 0, as all are in
// frame 0. Times are 0 unless they were recorded.
TD_API td_result td_read_report(td_step_report *out, td_recording *recording, uint64_t frame);

typedef struct td_recorded_motion {
    double speed; // m/s, of the centre of mass, in three digits or so
    bool awake;   // dynamic or soft, and does not sleep
} td_recorded_motion;

TD_API td_result td_read_motions(td_recorded_motion *out, td_recording *recording, uint64_t frame);

// A contact as recorded, which is enough to be looked at: to a thousandth of the smaller body.
typedef struct td_recorded_contact {
    uint32_t a, b;    // bodies, a < b
    double point[3];  // in the world
    double normal[3]; // from a to b
    double impulse;   // N s, along the normal, over the step
} td_recorded_contact;

// *out, sorted by (a, b), is the recording's, valid until its next call.
TD_API td_result td_read_contacts(const td_recorded_contact **out, size_t *count, td_recording *recording,
                                  uint64_t frame);

// Runs the recorded scene again and compares the state after every step, bit by bit.
typedef struct td_replay_result {
    uint64_t frames;          // compared
    bool verified;            // all were equal
    uint64_t first_different; // frame; meaningful if not verified
    uint64_t hash;
} td_replay_result;

TD_API td_result td_replay_recording(td_replay_result *out, td_recording *recording, td_progress_fn *progress,
                                     void *progress_user);

// ---------------------------------------------------------------------------------------------------------
// Recordings for other programs: as an animation, as a table of poses, or one frame of it as a mesh.

typedef enum td_export_format {
    TD_EXPORT_BY_NAME, // as the extension of the file says
    TD_EXPORT_GLB,     // glTF 2.0, binary: an animation
    TD_EXPORT_CSV,     // a row per frame and body
    TD_EXPORT_OBJ,     // a frame as one mesh, an object per body
    TD_EXPORT_PLY,     // likewise, without names
    TD_EXPORT_OFF,
    TD_EXPORT_STL
} td_export_format;

#define TD_EXPORT_FORMAT_COUNT 7

// "by name", "glb", "csv", ...: the extension without its dot. Never null.
TD_API const char *td_export_format_name(td_export_format format);
TD_API bool td_export_is_mesh(td_export_format format); // of one frame

// From the extension of a path. TD_ERROR_UNSUPPORTED, with the list of those that are known, for any other.
TD_API td_result td_export_format_of_path(td_export_format *out, const char *path);

typedef struct td_export_def {
    uint32_t cookie;
    td_export_format format;
    // Frames `first`, `first` + `every`, ... up to `last`; a mesh is that of `first` alone.
    uint64_t first;
    uint64_t last; // UINT64_MAX, the default: that of the recording
    uint64_t every;
    // Of an animation: m, how far a vertex may be from where it is in the recording, at any of these frames;
    // positions, and rotations as quaternions, are no further off than this number either. Keys that are not
    // needed for that are left out; 0 keeps them all. What float32 rounds off is beyond it.
    double tolerance;
    // The same for the shapes of soft bodies, about their middle, as a part of the diagonal of the body's
    // mesh: each frame that is kept has all of its vertices. 0 keeps them all.
    double soft_tolerance;
    td_progress_fn *progress; // may be null
    void *progress_user;
} td_export_def;

TD_API td_export_def td_default_export_def(void);

typedef struct td_export_report {
    td_export_format format;
    uint64_t frames; // written
    uint32_t bodies;
    uint64_t triangles; // of all bodies
    uint64_t bytes;     // of the file; 0 if it is a pipe or the like
    // Of an animation.
    uint32_t meshes;        // each once, whatever the number of bodies
    uint32_t moving_bodies; // with a track at least
    uint64_t keys;          // of all tracks
    uint64_t sampled_keys;  // what they would be without a tolerance
    uint32_t jumps;         // of bodies that are suddenly elsewhere
    uint32_t soft_bodies;
    uint64_t shapes;         // of soft bodies, that are kept: morph targets, beside the shapes at the start
    uint64_t sampled_shapes; // what they would be without a tolerance
    double largest_error;    // m, of any vertex, at most; with what float32 rounds off
} td_export_report;

// The file appears under its name only when it is complete. `out` and `def` may be null. TD_ERROR_ARGUMENT
// for frames that the recording does not have; TD_ERROR_UNSUPPORTED for what the format cannot hold.
TD_API td_result td_export_recording(td_export_report *out, td_recording *recording, const char *path,
                                     const td_export_def *def);

#ifdef __cplusplus
}
#endif
#endif
