#ifndef TD_IO_SCENE_PLANAR_MESH_H
#define TD_IO_SCENE_PLANAR_MESH_H

#include "scene_planar.h"

// A prism for each shape of a planar scene, shared by bodies of the same, and one for each wall, as meshes of
// the scene.
td_result td_make_planar_meshes(td_scene *scene);

#endif
