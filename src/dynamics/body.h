// A body: a mesh, where its centre of mass is, how it moves. Its own axes are those of the mesh.
#ifndef TD_DYNAMICS_BODY_H
#define TD_DYNAMICS_BODY_H

#include "../deform/deform.h"
#include "surface.h"

#include <tandem/world.h>

typedef struct td_placement {
    td_vec3 position; // of the centre of mass
    td_quat rotation;
} td_placement;

// How far a body goes on its course.
typedef struct td_travel {
    td_vec3 way; // of the centre of mass
    double arc;  // m: how far the farthest point is turned, at most
} td_travel;

typedef struct td_body {
    bool alive;
    uint32_t generation;
    td_body_kind kind;
    td_surface *surface;
    td_soft *soft; // null unless it is one; owned by the world's soft bodies
    uint64_t group, collides_with;
    char *name; // owned; never null
    size_t name_bytes;
    uint64_t user;
    td_placement at;
    td_vec3 velocity, spin;
    double mass, inverse_mass; // kg; 0 unless dynamic
    td_sym3 inertia, inverse_inertia;
    double friction, restitution, gravity_scale, linear_damping, angular_damping;
    td_vec3 force, torque; // of the next step
    bool may_sleep, awake;
    double still_time;   // s, for how long it was slow
    td_placement rested; // where it was when that began
    double leaning;      // s: for so long it still counts as touched by soft bodies, itself or through others
    bool placed;         // by hand since the last step: what it meets there wakes
    // Of the current step: where the body would be at its end if nothing held it, or where it first meets
    // something on its way there.
    td_placement sampled;
    td_mat3 turn;     // of `sampled`, as a matrix
    td_travel travel; // on the course that sweeps follow
    double fraction;  // of the way
    td_box bounds;    // of the mesh at `sampled`
} td_body;

// The mesh's frame for a placement.
static inline td_vec3 td_frame_position(const td_body *body, const td_placement *at, td_mat3 rotation) {
    return td_sub(at->position, td_mat3_apply(rotation, body->surface->centre));
}

static inline void td_sample(td_body *body, td_placement at) {
    body->sampled = at;
    body->turn = td_quat_matrix(at.rotation);
}

static inline bool td_is_dynamic(const td_body *body) {
    return body->kind == TD_BODY_DYNAMIC;
}

static inline bool td_is_soft(const td_body *body) {
    return body->kind == TD_BODY_SOFT;
}

// The bounds of the body's mesh at a placement, rounding included.
static inline td_box td_bounds_at(const td_body *body, const td_placement *at) {
    const td_mat3 turn = td_quat_matrix(at->rotation);
    return td_surface_bounds(body->surface, turn, td_frame_position(body, at, turn));
}

// ... at `sampled`.
static inline td_box td_sampled_bounds(const td_body *body) {
    return td_surface_bounds(body->surface, body->turn, td_frame_position(body, &body->sampled, body->turn));
}

// Where the body is after `time` seconds with the velocities it has.
td_placement td_placement_after(const td_body *body, double time);

// Where b's mesh stands in the frame of a's.
td_pose td_relative_pose(const td_body *a, const td_placement *at_a, const td_body *b,
                         const td_placement *at_b);
// ... both at `sampled`.
td_pose td_sampled_pose(const td_body *a, const td_body *b);

// A turn moves the smaller of two bodies less: it is that one's motion, in the frame of the other, which is
// followed.
static inline bool td_is_b_followed(const td_body *a, const td_body *b) {
    return b->surface->radius <= a->surface->radius;
}

// Where the one that is followed stands.
typedef struct td_station {
    td_pose pose;   // of its mesh in the frame of the other's
    td_vec3 centre; // of mass, turned by that pose, not shifted
} td_station;

// At a pose of b's mesh in the frame of a's.
td_station td_station_at(const td_body *a, const td_body *b, const td_pose *pose);

// How far any point of one mesh may be from where it was in the frame of the other (m).
double td_motion_since(const td_body *a, const td_body *b, const td_station *before, const td_station *now);

// Mass and inertia from the mesh, as the definition says. On failure the message names the body.
td_result td_fill_mass(td_body *body, const td_body_def *def);

#endif
