// The world: bodies, the links between them, and what a step needs.
#ifndef TD_DYNAMICS_WORLD_H
#define TD_DYNAMICS_WORLD_H

#include "contacts.h"
#include "exact_way.h"
#include "link.h"
#include "narrow_rays.h"
#include "sweep.h"

#define TD_COOKIE_WORLD 0x7d000006u
#define TD_COOKIE_BODY  0x7d000007u
#define TD_COOKIE_SOFT  0x7d000013u

// A question to the narrow phase: which link asks, and where its contacts are.
typedef struct td_question_place {
    uint32_t link;
    uint32_t worker;
    size_t first, count; // in the worker's finder
} td_question_place;

// A surface that bodies of the world have.
typedef struct td_used_surface {
    td_surface *surface;
} td_used_surface;

typedef struct td_motion {
    td_placement at;
    td_vec3 velocity, spin;
    bool awake;
    double still_time;
    td_placement rested;
    double leaning;
} td_motion;

struct td_world {
    td_context *context;
    td_world_def def;
    char *strategy, *broad_kind; // copies; null: the default
    td_broad *broad;
    td_query *query;
    td_continuous *continuous; // null unless def.exact_ways
    td_ray_narrow *rays;       // null unless def.narrow is TD_NARROW_RAYS
    td_solver *solver;
    td_softs *softs;
    TD_ARRAY(td_obstacle) obstacles; // per body: rigid ones as soft ones meet them
    TD_ARRAY(td_grip) grips;         // where these touch each other
    TD_ARRAY(td_body) bodies;        // by proxy number of the broad phase
    uint32_t body_count;             // alive
    TD_ARRAY(td_used_surface) surfaces;
    td_links links, old_links;     // sorted by (a, b)
    td_link_pasts pasts;           // of the links, where they have them ...
    TD_ARRAY(uint32_t) free_pasts; // ... and those that no link has; there is room for all
    td_contact_points points, old_points;
    uint32_t next_contact_id;
    // Per worker.
    td_contact_finder *finders;
    uint32_t finder_count;
    // Of the current step.
    TD_ARRAY(td_sweep) sweeps;
    TD_ARRAY(td_near_pair) near_pairs;
    TD_ARRAY(td_object_pair) object_pairs;
    TD_ARRAY(td_collide_result) answers;
    TD_ARRAY(td_question_place) questions;
    TD_ARRAY(td_solver_body) solver_bodies;
    TD_ARRAY(td_constraint) constraints;
    TD_ARRAY(uint32_t) movers;
    TD_ARRAY(uint32_t) parents; // islands: union-find over bodies
    TD_ARRAY(double) stillness; // per island's root: the shortest still time
    TD_ARRAY(td_touch) began, ended, overlaps;
    uint64_t step_count;
    // A step is made in passes, each a whole step in small: one, unless bodies that touch move too far in it.
    double pass_time; // s
    uint32_t pass_substeps;
    TD_ARRAY(td_motion) before; // per body, at the beginning of the step, which may fail
    td_step_report report;      // of the pass
};

// The body of an id; null, with the error kept, if there is none.
td_body *td_world_body(const td_world *world, td_body_id id);

static inline td_body_id td_id_of(const td_world *world, uint32_t index) {
    return (td_body_id){index + 1, world->bodies.items[index].generation};
}

// How the narrow phase asks for triangles.
td_collide_def td_narrow_def(const td_world *world);

// The parts of a step, in their order. Each leaves its figures in world->report.

// Where everything is going: samples placements and bounds.
td_result td_predict(td_world *world);
// Broad phase; links follow its pairs.
td_result td_update_links(td_world *world);
// Follows fast pairs continuously: bodies that would pass through something are sampled where they meet it.
td_result td_sweep_ahead(td_world *world);
// Narrow phase: asks for the triangles of active links.
td_result td_ask_triangles(td_world *world);
// Contacts from the answers.
td_result td_make_contacts(td_world *world);
// Wakes what is touched, finds islands.
td_result td_find_islands(td_world *world);
// Solves and integrates, in world->solver_bodies; TD_ERROR_NUMBERS if a body's state is not finite.
td_result td_solve_step(td_world *world);
// Halts bodies, in world->solver_bodies, that would have passed through something all the same.
td_result td_sweep_behind(td_world *world);
// Soft bodies, with what they do to the rigid ones in world->solver_bodies.
td_result td_step_soft_bodies(td_world *world);
// In how many passes the step is to be made, so that bodies that touch cannot swing through each other.
uint32_t td_count_passes(const td_world *world);
// The bodies are where the solver brought them.
void td_commit_step(td_world *world);
// Puts islands to rest.
void td_put_to_sleep(td_world *world);

void td_wake(td_world *world, uint32_t index);

// soft_bodies.c: what differs if a body is soft. On failure the message names the body.
td_result td_check_soft_def(const td_soft_def *def, const char *name);
td_result td_add_soft(td_soft **out, td_world *world, const td_body *body, const td_body_def *def,
                      uint32_t index);
td_box td_soft_bounds(const td_world *world, const td_soft *soft);
// soft_overlaps.c: adds to world->overlaps.
td_result td_find_soft_overlaps(td_world *world);
void td_describe_soft(td_body_state *out, const td_world *world, const td_body *body);
void td_wake_softs_near(td_world *world, td_box box);
td_result td_place_soft(td_world *world, uint32_t index, const td_pose *pose);
td_result td_impel_soft(td_world *world, uint32_t index, td_vec3 impulse, const double *point);
td_result td_force_soft(td_world *world, uint32_t index, td_vec3 force, const double *point);

// TD_ERROR_NUMBERS, with the step and the body in the message.
td_result td_fail_numbers(const td_world *world, uint32_t body);

#endif
