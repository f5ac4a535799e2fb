// What only the parts of a step (deform.h) know of each other.
#ifndef TD_DEFORM_SOFTS_H
#define TD_DEFORM_SOFTS_H

#include "../core/error.h"
#include "deform.h"
#include "ends_walk.h"

// What is looked for is this much farther away than it touches, in thicknesses: so much may motion differ
// from what was predicted, and nothing be missed.
#define TD_SOFT_REACH 1.1

// A pair of bodies, the first being soft.
struct td_soft_pair {
    uint32_t a; // place in `list`
    uint32_t b; // likewise; TD_NONE: an obstacle. a: the body with itself
    uint32_t obstacle;
    double thickness, reach; // m: of contacts; within which they are looked for
    double beyond;           // m: the reach, and what distances are rounded by
    double friction;
    td_ends_question question;
};

// Boxes to be made.
struct td_side_fitting {
    td_side *side;
    const td_obstacle *obstacle; // null: of a soft body, whose paths are there
    td_ends_fitting fitting;
};

// Part of the walk through a pair's hierarchies, and what was found in it.
struct td_walk_item {
    uint32_t pair;
    td_pair start;
    uint32_t worker;
    size_t first, count; // in the worker's list
    size_t place;        // of its contacts among all
};

typedef struct td_near_found {
    uint32_t kind, a, b;
    double time;
} td_near_found;

struct td_walk_worker {
    td_swept_worker swept;
    TD_ARRAY(td_near_found) found;
    td_swept_pairs starts; // of the first worker
};

static inline void td_box_add(td_box *box, td_vec3 p) {
    box->lower.x = p.x < box->lower.x ? p.x : box->lower.x;
    box->lower.y = p.y < box->lower.y ? p.y : box->lower.y;
    box->lower.z = p.z < box->lower.z ? p.z : box->lower.z;
    box->upper.x = p.x > box->upper.x ? p.x : box->upper.x;
    box->upper.y = p.y > box->upper.y ? p.y : box->upper.y;
    box->upper.z = p.z > box->upper.z ? p.z : box->upper.z;
}

static inline td_vec3 td_obstacle_point(const td_obstacle *o, td_vec3 position, td_mat3 turn,
                                        uint32_t vertex) {
    const td_vec3 local = td_sub(td_trimesh_vertex(&o->mesh->triangles, vertex), o->centre);
    return td_add(position, td_mat3_apply(turn, local));
}

// ---------------------------------------------------------------------------------------------------------
// The parts of a step; each leaves its figures in softs->report.

// sides.c: paths from `start` to where things are predicted to be (or are, if `actual`), the pairs of bodies
// that come near each other on them, and their hierarchies.
// Over the real motion only what is marked is of interest: what the search may have missed something of, and
// what has been held back.
td_result td_softs_find_pairs(td_softs *softs, double time, bool actual);

// How far the end of a path may be from where it was predicted, in parts of what is looked around: less than
// half, since two may be off towards each other.
#define TD_SOFT_OFF 0.49

static inline double td_pair_thickness(const td_soft *a, const td_soft *b) {
    return b != NULL ? 0.5 * (a->thickness + b->thickness) : a->thickness;
}

void td_side_release(td_side *side, td_context *context);
td_box td_obstacle_box(const td_obstacle *o, const td_stand *at);

// search.c: walks the hierarchies of all pairs; what `decide` keeps is in the workers' lists, by items.
td_result td_softs_walk(td_softs *softs, td_decide_fn *decide);
// The features of something found, as points.
void td_softs_points(uint32_t point[4], uint8_t *rigid, const td_softs *softs, const td_soft_pair *pair,
                     const td_near_found *found);
// softs->contacts from what is near; time: of the lap.
td_result td_softs_search(td_softs *softs, double time);

// substeps.c: as many as may be, `done` of them, until too much is not where it was predicted to be.
td_result td_softs_run_substeps(uint32_t *done, td_softs *softs, double begin, double end, uint32_t substeps);
// Where an obstacle is at a part of the step, with what soft bodies did to it.
td_stand td_obstacle_stand(const td_obstacle *o, double part);

// elements.c
void td_solve_hinges(td_vec3 *x, const double *weight, const td_hinge *hinges, uint32_t count, double h);
void td_solve_volume(td_vec3 *x, const double *weight, td_vec3 *gradient, const td_soft *soft, double h);

// Contacts act on what is nearer than this, in parts of what is wanted.
#define TD_SOFT_ACTIVE 1.1

// Sub-steps in which two that are too far apart by `spare` need not be looked at.
static inline uint8_t td_rest_of(double spare, float pace) {
    const double count = spare / (double)pace;
    return (uint8_t)(count < 0 ? 0 : count > 255 ? 255 : count);
}

// contacts.c
// Whether it acts in this sub-step, and how; returns the sub-steps in which it need not be looked at.
uint8_t td_evaluate_contact(td_soft_contact *contact, const td_softs *softs, double part);
// Those listed, one after the other.
void td_solve_soft_contacts(td_softs *softs, const uint32_t *acting, uint32_t count, double h, double part);

// certain.c
td_result td_softs_make_certain(td_softs *softs, double time);

// rest.c: wakes what lies on something that moves; at the end of the step, notes who touches whom, and puts
// to rest.
void td_softs_wake_touched(td_softs *softs);
td_result td_softs_find_rest(td_softs *softs);

// calm.c: damping, and what is known of a body's motion.
void td_softs_calm(td_softs *softs, double time);

#endif
