// Worlds: bodies made of triangle meshes that move, meet and come to rest.
//
// A body is a mesh and where it stands. Meshes are used as they are: non-convex ones meet non-convex ones,
// and the triangles that intersect are found exactly (query.h). Contacts are made from them, and a
// velocity-level complementarity problem with Coulomb friction is solved for them by projected Gauss-Seidel.
// A world is deterministic: the same calls give the same bits for every number of threads, instruction set,
// strategy and device.
//
// Metres, kilograms, seconds; right-handed, y up. One thread at a time may use a world; it spreads the work
// over the context's threads by itself.
#ifndef TANDEM_WORLD_H
#define TANDEM_WORLD_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_world td_world;

// What contacts are made of. They differ in where points, normals and depths come from; which bodies touch is
// told by the exact triangle pairs either way.
typedef enum td_narrow {
    TD_NARROW_TRIANGLES, // the curves in which triangles intersect
    TD_NARROW_RAYS       // rays from vertices, and from edges that go through the other body (traced.h); of
                         // bodies that are not closed, or inside out, triangles all the same
} td_narrow;

TD_API const char *td_narrow_name(td_narrow narrow); // "triangles", "rays"
TD_API td_result td_narrow_from_name(td_narrow *out, const char *name);

typedef struct td_world_def {
    uint32_t cookie;
    double gravity[3];      // m/s^2; 0, -9.81, 0
    double step;            // s; 1/60
    uint32_t substeps;      // of the solver within a step; contacts are found once per step
    uint32_t iterations;    // of projected Gauss-Seidel per sub-step
    uint32_t soft_substeps; // of soft bodies within a step; more where they are fast
    uint32_t relaxations;   // iterations more, which take out the velocity that pushed overlaps apart
    double slop;            // overlap that is left alone, so that resting contacts persist, in parts of the
                            // radius of the smaller body
    double push_speed;      // m/s; overlaps are not pushed apart faster than this
    double bounce_speed;    // m/s; slower impacts do not bounce
    double sleep_speed;     // m/s; bodies that stay below it come to rest; 0: nothing sleeps
    double sleep_time;      // s; ... for so long
    bool continuous;        // fast bodies are swept, so that nothing passes through
    bool exact_ways; // ... by the exact continuous test as well: not even what is thin beside the rest of its
                     // body is stepped over. Every pair that nears is asked about: many times the time
    bool keep_lists; // natively, remember which triangles are near each other from step to step; changes
                     // the time that a step takes, never what it finds
    td_narrow narrow;
    const char *broad;    // "all", "sweep", "tree"; null: the fastest
    const char *strategy; // of the narrow phase, as in td_collide_def
    td_volume volume;     // likewise
    td_descent descent;
    td_device *device; // null: native
} td_world_def;

TD_API td_world_def td_default_world_def(void);

// TD_ERROR_ARGUMENT if a number is not finite or out of range: the message names it.
TD_API td_result td_create_world(td_world **out, td_context *context, const td_world_def *def);
TD_API void td_destroy_world(td_world *world); // null is fine

// ---------------------------------------------------------------------------------------------------------
// Bodies

typedef enum td_body_kind {
    TD_BODY_STATIC,    // stays where it is
    TD_BODY_KINEMATIC, // moves with the velocity given to it, whatever it meets
    TD_BODY_DYNAMIC,   // moved by forces and contacts
    TD_BODY_SOFT       // likewise, vertex by vertex: a sheet, or a soft solid if its mesh is closed
} td_body_kind;

TD_API const char *td_body_kind_name(td_body_kind kind); // "static", "kinematic", "dynamic", "soft"
TD_API td_result td_body_kind_from_name(td_body_kind *out, const char *name);

// A body of a world; stays invalid once its body was removed. Zero is no body.
typedef struct td_body_id {
    uint32_t index; // from 1
    uint32_t generation;
} td_body_id;

// What a soft body is made of. Its rest shape is the mesh of its td_body_def; stiffness is the material's, so
// that a finer mesh of the same thing moves alike.
typedef struct td_soft_def {
    uint32_t cookie;
    double thickness;     // m: what is nearer to the surface than this touches it; it is never passed through
    double stretch;       // N/m, along edges
    double shear;         // N/m, across pairs of triangles
    double bend;          // N m
    double pressure;      // Pa: how a closed mesh resists a change of its volume; 0: it does not
    double damping;       // 1/s, of motion within the body; the body as a whole is not slowed down
    const uint32_t *pins; // vertices that stay where they are; may be null
    size_t pin_count;
} td_soft_def;

TD_API td_soft_def td_default_soft_def(void);

typedef struct td_body_def {
    uint32_t cookie;
    td_body_kind kind;
    const td_mesh *mesh;     // must outlive the body; shared by any number of bodies
    const td_soft_def *soft; // of a soft body; null: the default
    td_pose pose;            // of the mesh's frame
    double velocity[3];      // m/s, of the centre of mass
    double spin[3];          // angular velocity, rad/s
    // Of a dynamic body: the mesh, if it is closed, is filled with this density. An open mesh has no inside:
    // it needs a mass, and is taken as a shell of even thickness.
    double density;     // kg/m^3
    double mass;        // kg; 0: from the density
    double friction;    // Coulomb's coefficient; of two bodies that meet, the geometric mean
    double restitution; // 0 to 1; of two bodies that meet, the larger
    double gravity_scale;
    double linear_damping;  // 1/s
    double angular_damping; // 1/s; of a soft body 0, which has td_soft_def.damping instead
    // Two bodies may meet if each one's group has a bit in common with what the other collides with.
    uint64_t group, collides_with;
    bool may_sleep;
    uint64_t user;    // the caller's
    const char *name; // for messages; copied; may be null
} td_body_def;

TD_API td_body_def td_default_body_def(void);

// TD_ERROR_ARGUMENT or TD_ERROR_POSE if a number is not finite or out of range, TD_ERROR_MESH if a dynamic
// body's mesh is open (or has no volume) and no mass was given. The message names the body and the field.
TD_API td_result td_add_body(td_body_id *out, td_world *world, const td_body_def *def);

// TD_ERROR_ARGUMENT if there is no such body, here and below. Bodies that rested on it wake.
TD_API td_result td_remove_body(td_world *world, td_body_id body);
TD_API bool td_body_exists(const td_world *world, td_body_id body);
TD_API uint32_t td_body_count(const td_world *world);

// The body at a place in [0, td_body_count), in the order of their indices.
TD_API td_body_id td_body_at(const td_world *world, uint32_t place);

typedef struct td_body_state {
    td_body_kind kind;
    const td_mesh *mesh;
    const char *name;
    uint64_t user;
    td_pose pose;                // of the mesh's frame
    double centre[3];            // of mass, in the world
    double velocity[3], spin[3]; // m/s, rad/s
    double mass;                 // kg; 0 unless dynamic
    double momentum[3];          // kg m/s
    double angular_momentum[3];  // kg m^2/s, about the centre of mass
    double kinetic_energy;       // J
    double radius;               // m, of the ball about the centre of mass that holds the mesh
    bool awake;
} td_body_state;

TD_API td_result td_get_body(td_body_state *out, const td_world *world, td_body_id body);

// Where the vertices of a soft body are: x y z of each, in the world, in the order of its mesh; its pose is
// the identity. *out is the world's, valid until its next step. TD_ERROR_ARGUMENT if the body is not soft.
TD_API td_result td_get_positions(const double **out, uint32_t *vertex_count, const td_world *world,
                                  td_body_id body);

// All of these wake the body.
TD_API td_result td_set_body_pose(td_world *world, td_body_id body, const td_pose *pose);
TD_API td_result td_set_body_velocity(td_world *world, td_body_id body, const double velocity[3],
                                      const double spin[3]);
// Of the next step only. `point` in the world; null: the centre of mass.
TD_API td_result td_apply_force(td_world *world, td_body_id body, const double force[3], const double *point);
TD_API td_result td_apply_torque(td_world *world, td_body_id body, const double torque[3]);
// At once.
TD_API td_result td_apply_impulse(td_world *world, td_body_id body, const double impulse[3],
                                  const double *point);
TD_API td_result td_wake_body(td_world *world, td_body_id body);

// ---------------------------------------------------------------------------------------------------------
// Steps

// What a step did: a row of the papers' tables. Times in milliseconds.
typedef struct td_step_report {
    uint64_t step; // from 0
    double time;   // s, at the end of the step
    // Counts, and sums over all bodies.
    uint32_t bodies, awake, islands;
    uint64_t broad_pairs;     // of boxes that overlap
    uint64_t tested_pairs;    // of these, asked for their triangles: not both asleep, not known to be apart
    uint64_t colliding_pairs; // of these, with triangles that intersect
    uint64_t faces;           // intersecting triangle pairs
    uint64_t regions;         // of contact
    uint64_t contacts;        // points
    uint64_t swept_pairs;     // pairs whose motion was followed continuously
    uint32_t passes;          // 1; more where bodies that touch move so fast that the step is made in parts
    uint64_t stopped_bodies;  // bodies that were halted on their way by what they would have passed through
    double residual; // m/s: the largest change of a contact's relative velocity in the last iteration
    double kinetic_energy, potential_energy; // J; the latter by gravity, relative to the origin
    double penetration;                      // m: the deepest contact when the contacts were found, 0 if none
    uint32_t colours;                        // of the solver's graph
    double total_ms, broad_ms;
    double traversal_ms; // finding intersecting triangles, and sweeping fast bodies before and after solving
    double contacts_ms, solver_ms;
    double copy_ms, kernel_ms; // of traversal_ms, on a device
    // With TD_NARROW_RAYS; else zero.
    uint64_t traced_pairs, traced_rays; // pairs whose vertices were traced, and rays that were cast
    uint64_t untraced_pairs; // pairs whose contacts were taken from triangles all the same: a body without an
                             // inside, or no ray that told
    // Soft bodies; all zero if there are none.
    uint32_t soft_bodies, soft_awake;
    uint32_t soft_laps; // parts of the step, each with exact tests at its end: more, the faster things are
    uint64_t
        soft_near; // pairs of features (vertex and face, two edges) that come near each other, in the last
    uint64_t soft_contacts; // of these, pushed apart at its end
    uint64_t soft_held;     // vertices and bodies held back by the exact tests from passing through something
    uint64_t soft_passed;   // pairs of features that passed all the same, forced by a kinematic body; else 0
    double soft_ms;         // of total_ms; of these:
    double soft_search_ms, soft_elements_ms, soft_contacts_ms, soft_exact_ms;
} td_step_report;

// One step. TD_ERROR_NUMBERS if the state of a body is no longer finite: the message names the step and the
// body. Whatever fails leaves all bodies as they were before the step; contacts are found anew in the next
// one. `out` may be null.
TD_API td_result td_step_world(td_step_report *out, td_world *world);

// The moments at which two bodies began or ceased to touch, in the last step.
typedef struct td_touch {
    td_body_id a, b;
} td_touch;

typedef struct td_touches {
    const td_touch *began, *ended;
    size_t began_count, ended_count;
} td_touches;

TD_API td_touches td_last_touches(const td_world *world); // valid until the next step

// The contacts of the last step.
typedef struct td_contact {
    td_body_id a, b;
    double point[3];    // in the world
    double normal[3];   // from a to b
    double depth;       // m; negative: apart
    double impulse;     // N s, along the normal, over the step
    double friction[3]; // N s, on b
    uint32_t region;    // number of the region within its pair of bodies
    uint32_t id;        // the same from step to step as long as the contact lasts
} td_contact;

TD_API size_t td_contact_count(const td_world *world);
// `index` in [0, td_contact_count). Valid until the next step.
TD_API td_contact td_get_contact(const td_world *world, size_t index);

// Pairs of bodies that overlap as they stand now, of which one is dynamic: what a scene should not start
// with. Those that only touch (by less than a thousandth of the smaller one's radius) are left out. Soft
// bodies are told with whatever their triangles intersect, be it themselves (then a is b). *out is the
// world's, valid until its next call.
TD_API td_result td_find_overlaps(const td_touch **out, size_t *count, td_world *world);

// A hash of all poses and velocities, bit by bit.
TD_API uint64_t td_hash_world(const td_world *world);

#ifdef __cplusplus
}
#endif
#endif
