// The scene of the pile: copies of a mesh above the ground, in a grid, as paper 000 has its cows.
#ifndef TD_BENCH_PILE_SCENE_H
#define TD_BENCH_PILE_SCENE_H

#include "pile.h"
#include "subject.h"

typedef struct td_pile_settings {
    uint32_t count;  // bodies
    double size;     // m: the largest extent of a body
    double gap;      // between bodies in the grid, in parts of their extent along each axis
    double step;     // s
    double friction; //
    double density;  // kg/m^3
} td_pile_settings;

// 512 bodies of 2 m, a quarter of their size apart, 1/60 s, friction 0.5, 1000 kg/m^3.
td_pile_settings td_default_pile_settings(void);

// The mesh, scaled about the centre of its bounds and moved so that its centre of mass is the origin, and the
// bodies: the smallest cube of a grid that holds them, filled layer by layer from below. Each is moved from
// its place by a seeded random vector of at most 0.4 of the gap along each axis, so that their boxes stay
// apart and columns do not stand. TD_ERROR_MESH if the mesh has no inside.
td_result td_make_pile_scene(td_pile_scene *out, td_context *context, const td_subject *subject,
                             const td_pile_settings *settings);
void td_release_pile_scene(td_pile_scene *scene, td_context *context);

#endif
