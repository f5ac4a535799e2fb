// The solver: bodies and the contacts between them through one step of time.
//
// The velocity-level complementarity problem of papers 000 and 002 (non-penetration at each contact: relative
// normal velocity >= target, impulse >= 0, one of the two zero; Coulomb friction within the cone) is solved
// by projected Gauss-Seidel, warm started. What is ours on top: the step is cut into sub-steps, contacts are
// soft springs in the sense of implicit Euler, and relaxation passes take the pushing velocity out again, so
// that correcting positions adds no energy.
//
// based on: Catto, Soft constraints (2011) and Solver2D (2024), for soft steps; Macklin, Storey, Lu,
// Terdiman, Chentanez, Jeschke, Mueller, Small steps in physics simulation (2019).
//
// Bodies are read and written by index; constraints of one colour share no body that moves, so they are
// solved side by side, and colours one after the other: the outcome is the same for every number of threads.
#ifndef TD_DYNAMICS_SOLVER_H
#define TD_DYNAMICS_SOLVER_H

#include "../core/array.h"
#include "../math/quat.h"

typedef struct td_solver_body {
    td_vec3 position; // of the centre of mass
    td_quat rotation;
    td_vec3 velocity, spin;
    double inverse_mass;                    // 0: contacts do not move it
    td_sym3 inertia;                        // about the centre of mass, along the body's own axes
    td_sym3 inverse_inertia;                // of `inertia`; zero if inverse_mass is
    td_vec3 acceleration;                   // of the whole step: gravity and forces
    td_vec3 torque;                         // of the whole step, in the world
    double linear_damping, angular_damping; // 1/s
} td_solver_body;

// A contact point. At the poses where it was found the two anchors are at the same place in the world, half
// way between the surfaces, and the gap is `separation`; elsewhere it is `separation` + normal . (anchor of b
// - anchor of a).
typedef struct td_contact_point {
    td_vec3 anchor_a, anchor_b; // from the centres of mass, along the bodies' own axes
    td_vec3 normal;             // in the world, unit, from a to b
    double separation;          // m; negative: overlap
    double impulse;             // N s; along the normal, of one sub-step: what warm starting begins with
    td_vec3 friction;           // N s; on b, perpendicular to the normal, likewise
    double total_impulse;       // out: over the whole step
    td_vec3 total_friction;     // out
    uint64_t feature;           // what of the meshes the point was made of
    uint32_t region;            // within its pair of bodies
    uint32_t id;                // persists while the contact lasts
} td_contact_point;

// The contacts of a pair of bodies.
typedef struct td_constraint {
    uint32_t a, b;         // bodies
    uint32_t first, count; // points
    double friction, restitution;
    double slop; // m
    double deep; // m: overlap at which friction is gone, so that what is stuck in each other can slip out
} td_constraint;

typedef struct td_solver_settings {
    double step; // s, of the whole step
    uint32_t substeps, iterations, relaxations;
    double push_speed, bounce_speed; // m/s
} td_solver_settings;

// One step's problem.
typedef struct td_problem {
    td_solver_body *bodies;
    uint32_t body_count;
    const uint32_t *movers; // bodies that are integrated: awake dynamic ones and kinematic ones
    uint32_t mover_count;
    const td_constraint *constraints;
    uint32_t constraint_count;
    td_contact_point *points;
    td_solver_settings settings;
} td_problem;

typedef struct td_solution {
    double residual; // m/s
    uint32_t colours;
} td_solution;

typedef struct td_solver td_solver; // holds buffers from step to step

td_result td_solver_create(td_solver **out, td_context *context);
void td_solver_destroy(td_solver *solver); // null is fine

// Brings bodies to the end of the step and points to their impulses. Fails only for want of memory, before
// anything was changed.
td_result td_solve(td_solution *out, td_solver *solver, const td_problem *problem);

#endif
