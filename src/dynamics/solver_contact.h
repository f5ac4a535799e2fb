// One constraint of the solver: the contacts of a pair of bodies.
//
// Both bodies get their impulses at one and the same point, and by the masses, inertias and positions that
// they have at that moment: momentum and angular momentum are conserved to rounding.
//
// What is done to a is done to b: the two are the two lanes of a vector (td_lanes, td_vec3x2). A body that
// contacts do not move has zeros for its inverse mass and inertia, and is never written to.
#ifndef TD_DYNAMICS_SOLVER_CONTACT_H
#define TD_DYNAMICS_SOLVER_CONTACT_H

#include "solver.h"

typedef double td_lanes __attribute__((vector_size(16))); // of a, of b

typedef struct td_vec3x2 {
    td_lanes x, y, z;
} td_vec3x2;

// What the solver knows of a body: two cache lines.
typedef struct td_kinetic {
    td_vec3 velocity, spin;
    td_vec3 position;        // of the centre of mass
    td_sym3 inverse_inertia; // in the world
    double inverse_mass;
} td_kinetic;

// An impulse and its torque about a body's centre of mass, N s and N m s.
typedef struct td_wrench {
    td_vec3 impulse, torque;
} td_wrench;

// A contact point, ready to be solved: as few cache lines as possible, since all points together do not fit
// into the caches close to the processor.
typedef struct td_solver_point {
    td_vec3x2 arm;                        // from the centres of mass to the point
    td_vec3 normal, tangent;              // unit; the other tangent is their cross product
    double impulse, friction1, friction2; // N s, on b along the normal and the tangents, of this sub-step
    double gap;                           // m, to where the contact is to rest
    double normal_mass;                   // kg: impulse along the normal for a velocity along it
    double coupling1, coupling2;          // 1/kg: velocity along the normal by impulses along the tangents
    double stick11, stick12, stick22;     // kg: impulse along the tangents that stops a velocity along them
    double slide;                         // kg: the least of these for any direction between the tangents
    double bounce;    // m/s; velocity along the normal that it is to have after a hit; 0: no bounce
    double most_push; // m/s; overlap is not pushed apart faster than this
    double carried;   // N s; part of the impulse that the spring need not hold
    double grip;      // 0 to 1: of the friction
    // What follows is read when the bodies have moved, and at the end.
    td_vec3x2 anchor;  // from the centres of mass, along the bodies' own axes
    double separation; // m, plus slop
    double total_impulse, total_friction1, total_friction2; // N s, of the sub-steps that are over
    // Of a bounce.
    double absorbed; // J: what its impulses along the normal have taken from the bodies in this sub-step
    double target;   // m/s; 0: of a contact that was not hit
    double before_impulse, before_friction1, before_friction2; // N s
} td_solver_point;

// How softly overlap is pushed apart: implicit Euler of a damped spring, for a time of one sub-step.
typedef struct td_softness {
    double rate;          // 1/s: of overlap that becomes velocity
    double mass_scale;    // of the impulse of a hard contact
    double impulse_scale; // of the impulse so far, which is taken back
} td_softness;

td_softness td_make_softness(double hertz, double damping_ratio, double substep);

typedef struct td_solver_constraint {
    uint32_t a, b;   // bodies; contacts move one of them at least
    uint32_t first;  // of its solver points
    uint32_t source; // the same in the problem's points
    uint32_t count;  // of them
    double friction, restitution;
    double slop, deep; // m
    td_softness softness;
} td_solver_constraint;

// What all constraints share.
typedef struct td_contact_world {
    td_kinetic *bodies;
    const td_mat3 *rotations; // of the bodies
    td_solver_point *points;
    td_contact_point *sources;       // the problem's points
    double inverse_substep;          // 1/s
    double push_speed, bounce_speed; // m/s
} td_contact_world;

// Fills the constraint's points from the problem's, for the bodies as they are.
void td_prepare_contacts(const td_contact_world *world, const td_solver_constraint *constraint);

// Brings arms, gaps and masses up to where the bodies are now.
void td_refresh_contacts(const td_contact_world *world, const td_solver_constraint *constraint);

// Before each sub-step: contacts that close faster than bounce_speed are to open again if they are hit in it,
// and those that open may close again: only if it goes for both is energy kept where many bodies meet.
void td_watch_approach(const td_contact_world *world, const td_solver_constraint *constraint);

typedef enum td_contact_pass {
    TD_PASS_PUSH,   // overlap is pushed apart, softly
    TD_PASS_RELAX,  // overlap is let be
    TD_PASS_BOUNCE, // contacts with a bounce get their velocity
} td_contact_pass;

// One iteration of projected Gauss-Seidel over the points of a constraint, one after the other; of each, both
// tangents at once, then the normal. Returns the square of the largest change of relative velocity along a
// normal or a tangent plane that solving a point made, m^2/s^2, if it is to be `measured`.
double td_solve_contacts(const td_contact_world *world, const td_solver_constraint *constraint,
                         td_contact_pass pass, bool measured);

// Of the impulses that the points have now, on a and on b: what warm starting applies.
void td_sum_contacts(const td_contact_world *world, const td_solver_constraint *constraint, td_wrench out[2]);

// Adds the impulses of the sub-step that is over to the totals; the next one begins with them. Returns
// whether a contact was hit that is to bounce.
bool td_end_substep(const td_contact_world *world, const td_solver_constraint *constraint);

// Before and after TD_PASS_BOUNCE, between sub-steps. Its impulses come on top of those of the sub-step and
// may take back from these, so that relative velocity is turned round wherever there is an impulse in the
// end: the impact law of Moreau, which keeps energy for a restitution of 1. The next sub-step begins with the
// impulses from before, and with none where the contact has bounced.
void td_begin_bounce(const td_contact_world *world, const td_solver_constraint *constraint);
void td_end_bounce(const td_contact_world *world, const td_solver_constraint *constraint);

// Stores the impulses of the last sub-step and of the whole step in the problem's points.
void td_store_contacts(const td_contact_world *world, const td_solver_constraint *constraint);

#endif
