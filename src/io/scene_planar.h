// Planar scenes: a scene with a `planar` section, simulated by planar.h in place of a world. In three
// dimensions, for recordings, the plane lies flat: x is x, y is -z, and bodies are thin prisms.
#ifndef TD_IO_SCENE_PLANAR_H
#define TD_IO_SCENE_PLANAR_H

#include "../core/array.h"

#include <tandem/planar.h>
#include <tandem/scene.h>

enum { TD_PLANAR_WALL_BODIES = 4 }; // behind the others, in recordings

typedef struct td_planar_scene {
    td_planar *planar;
    td_planar_state *states; // as of the last step
    uint32_t *meshes;        // of each body, an index of the scene's
    uint32_t count;          // bodies, without walls
    uint32_t steps_per_frame;
    double room[2];
    td_planar_report report; // of the last step
} td_planar_scene;

struct td_scene_reader;

// The `planar` section, and the meshes of its shapes.
td_result td_read_planar_scene(struct td_scene_reader *reader);
void td_destroy_planar_scene(td_planar_scene *scene, td_context *context);

// One frame's steps, and what they did.
td_result td_step_planar_scene(td_step_report *out, td_scene *scene);

// The bodies of a recording: those of the plane, then the walls.
uint32_t td_planar_recorded_count(const td_planar_scene *scene);
td_pose td_planar_recorded_pose(const td_planar_scene *scene, uint32_t body);

#endif
