// Grids: one entry of a scene that stands for many bodies, or for many places.
#ifndef TD_IO_SCENE_GRID_H
#define TD_IO_SCENE_GRID_H

#include "scene_rotation.h"

// What is used of a layer is centred about the origin in x and z, or begins there; layers rise from it in y.
typedef struct td_scene_grid {
    td_vec3 origin;
    td_quat rotation; // of the grid as a whole, not of what stands in it
    uint32_t count[3];
    double spacing[3]; // m
    uint64_t total;    // places that are used, layer by layer from below
    bool begins;       // at the origin, in x and z
    bool turn;         // each body in a rotation of its own
    double jitter;     // m; each body off its place by up to so much, per axis
    uint64_t seed;     // of both
} td_scene_grid;

// One place.
td_scene_grid td_single_place(void);

// Of "grid": {...}; the origin stays as it is. `most`: places that there may be.
td_result td_read_grid(td_scene_grid *out, const td_json *value, uint64_t most);

// The place `index` in [0, total), and the turn of what stands there.
td_vec3 td_grid_place(td_quat *turn, const td_scene_grid *grid, uint64_t index);

#endif
