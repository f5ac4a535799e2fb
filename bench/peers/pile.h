// What a library that moves bodies has to offer to be measured on the pile: many copies of one mesh that fall
// onto the ground. One file per library implements it: pile_NAME.c or .cpp; pile_libraries.c lists those that
// were built.
//
// All get the same bodies, ground, step and friction. Everything else is left as the library has it when a
// user creates a world and says nothing. Metres, kilograms, seconds; y up; the ground's surface is y = 0.
#ifndef TD_BENCH_PILE_H
#define TD_BENCH_PILE_H

#include "peer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Outlives the piles that are created from it.
typedef struct td_pile_scene {
    td_peer_mesh mesh;    // its centre of mass is the origin
    double *vertices;     // its positions
    double lower[3];      // its bounds
    double upper[3];      //
    double radius;        // of the ball about the origin that holds it
    double density;       // kg/m^3
    double mass;          // kg
    double inertia[3][3]; // kg m^2, about the origin
    double moments[3];    // the same along its principal axes,
    double axes[4];       // a rotation x, y, z, w that takes the principal frame to that of the mesh

    uint32_t body_count;
    double *starts; // x y z per body: where the origin of the mesh is at the start. Bodies are not turned
    double width;   // the bodies start within a square of this side about the y axis,
    double height;  // and below this

    double step;     // s
    double gravity;  // m/s^2, downwards
    double friction; // Coulomb's coefficient between any two of them; nothing bounces
    // For libraries that have no plane: the ground as a box.
    double ground_half_width, ground_thickness;
} td_pile_scene;

typedef struct td_pile_body {
    td_pose pose;       // of the mesh
    double velocity[3]; // m/s, of the centre of mass
    double spin[3];     // rad/s, in the world
} td_pile_body;

// What the library did in its last step.
typedef struct td_pile_step {
    uint64_t contacts;   // points that it solved for
    uint64_t touching;   // pairs of bodies that have such points, the ground being a body
    uint32_t awake;      // bodies that it moves
    double collision_ms; // of the step: all that comes before the equations of motion are solved
    double detection_ms; // of that: until it is known which triangles intersect; 0: it cannot be told
} td_pile_step;

typedef struct td_pile_library {
    const char *name;
    const char *(*version)(void);
    const char *what; // one line: what of the library is used
    bool threads;     // can use more than one

    // On failure nothing is left to release.
    td_result (*create)(void **out, const td_pile_scene *scene, uint32_t threads);
    td_result (*step)(void *pile); // this alone is timed
    void (*count)(td_pile_step *out, void *pile);
    td_result (*read)(td_pile_body *out, void *pile, uint32_t body);
    void (*destroy)(void *pile);
} td_pile_library;

// The libraries of this build, in the order of reports; the first is tandem.
uint32_t td_pile_library_count(void);
const td_pile_library *td_pile_library_at(uint32_t index);
const td_pile_library *td_find_pile_library(const char *name); // null: not in this build

#ifdef __cplusplus
}
#endif
#endif
