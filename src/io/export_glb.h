// The parts of an animation for other programs: meshes with their colours, tracks, and a camera.
#ifndef TD_IO_EXPORT_GLB_H
#define TD_IO_EXPORT_GLB_H

#include "export_gltf.h"
#include "export_names.h"
#include "export_samples.h"
#include "export_shapes.h"

// ---------------------------------------------------------------------------------------------------------
// Meshes. The numbers of a recorded mesh are in the file once; each colour that its bodies have is a mesh of
// glTF on the same numbers, for there materials belong to meshes.

enum { TD_GLB_COLOURS = 9 }; // grey, and those of bodies that may move

typedef struct td_glb_shape {
    uint32_t positions, normals, corners; // accessors
    bool written, closed;
    double rounding;                   // m
    uint32_t coloured[TD_GLB_COLOURS]; // meshes of glTF plus 1; 0: none yet
} td_glb_shape;

typedef struct td_glb_meshes {
    td_glb_shape *shapes; // per recorded mesh
    uint32_t count;
    td_export_names names;                 // of the recorded meshes
    uint32_t materials[TD_GLB_COLOURS][2]; // seen from one side or from both; plus 1, 0: none yet
} td_glb_meshes;

td_result td_begin_glb_meshes(td_glb_meshes *out, const td_export *task);
void td_release_glb_meshes(td_glb_meshes *meshes, td_context *context);

// The mesh of glTF for a body, written if it is not there yet.
td_result td_glb_mesh_of_body(uint32_t *out, td_glb_meshes *meshes, td_gltf *gltf, td_export *task,
                              uint32_t body);

// A new mesh, of the colour and name that a body has, for the accessors of its one primitive. Null if memory
// is short, which is told at the end.
cJSON *td_add_glb_primitive(uint32_t *out, td_glb_meshes *meshes, td_gltf *gltf,
                            const td_recorded_body *recorded, uint32_t body, bool closed);

// Three per triangle, as an accessor.
td_result td_append_corners(uint32_t *out, td_gltf *gltf, const uint32_t *corners, uint32_t triangle_count,
                            uint32_t vertex_count);

// ---------------------------------------------------------------------------------------------------------
// Tracks. Equal lists of times are written once.

typedef struct td_glb_times {
    uint32_t accessor;
    uint32_t count; // 0: an empty place
    size_t offset;  // in the buffer
} td_glb_times;

typedef struct td_glb_animation {
    const char *name;           // borrowed
    cJSON *samplers, *channels; // of the animation; null until there is a track
    uint32_t sampler_count;
    uint32_t view;  // of all keys
    size_t start;   // of the view
    td_track track; // of the body at hand
    TD_ARRAY(float) numbers;
    td_glb_times *times; // a hash table of `time_room` places, a power of two
    size_t time_count, time_room;
} td_glb_animation;

// Behind all meshes: what is appended to the buffer from here on are keys, until the animation ends.
td_result td_begin_glb_animation(td_glb_animation *out, td_gltf *gltf, const char *name);
void td_end_glb_animation(td_glb_animation *animation, td_gltf *gltf);
void td_release_glb_animation(td_glb_animation *animation, td_context *context);

// The tracks of a body that is `node`, whose vertices are `reach` from its origin at most and `rounding` off
// already, m. Adds to the report.
td_result td_animate_body(td_glb_animation *animation, td_gltf *gltf, td_export *task,
                          const td_track_source *source, uint32_t node, double reach, double rounding);

// The weights of `shapes` morph targets of `node`: at each key, that of its shape is 1, others are 0. There
// is a shape at least.
td_result td_animate_shapes(td_glb_animation *animation, td_gltf *gltf, const td_track_source *source,
                            uint32_t node, const td_shape_key *keys, uint32_t key_count, uint32_t shapes);

// ---------------------------------------------------------------------------------------------------------

// A camera from which the bodies that may move are seen as they stand in `poses`; where there are none, all.
// Returns its node.
uint32_t td_add_glb_camera(td_gltf *gltf, const td_export *task, const td_pose *poses,
                           const td_mesh_ball *balls, const double origin[3], const char *name);

#endif
