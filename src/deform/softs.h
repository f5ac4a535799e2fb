// What only the parts of a step (deform.h) know of each other.
#ifndef TD_DEFORM_SOFTS_H
#define TD_DEFORM_SOFTS_H

#include "../core/error.h"
#include "../core/stages.h"
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
    bool all;                // whatever is marked: the search is for everything, or the obstacle is marked
    const uint8_t *marks[2]; // else: of the vertices of a and of b; null: none
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
    size_t place;        // of its contacts among those of the walk
};

typedef struct td_near_found {
    uint32_t kind, a, b;
    double time;
} td_near_found;

struct td_walk_worker {
    td_swept_worker swept;
    TD_ARRAY(td_near_found) found;
    td_swept_pairs pairs;  // of one kind, while they are sorted
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

// What a contact of an obstacle feels of its mass at a point, along a direction.
static inline double td_obstacle_weight(const td_obstacle *o, td_vec3 arm, td_vec3 direction) {
    if (!(o->inverse_mass > 0)) {
        return 0;
    }
    const td_vec3 turn = td_cross(arm, direction);
    return o->inverse_mass + td_dot(turn, td_sym3_apply(o->inverse_inertia_now, turn));
}

// What `impulse` does at a point: times 1/h one of momentum if `to` is a way, as it is if `to` is a velocity.
static inline void td_push_obstacle(td_nudge *to, const td_obstacle *o, td_vec3 arm, td_vec3 impulse) {
    if (o->inverse_mass > 0) {
        to->way = td_add(to->way, td_scale(impulse, o->inverse_mass));
        to->turn = td_add(to->turn, td_sym3_apply(o->inverse_inertia_now, td_cross(arm, impulse)));
    }
}

static inline td_vec3 td_nudged_at(const td_nudge *by, td_vec3 arm) {
    return td_add(by->way, td_cross(by->turn, arm));
}

// What friction has done so far in a sub-step, after what slid is taken back by it as far as Coulomb's cone
// allows. `along`: how much gives way to it, 1/kg.
static inline td_vec3 td_rub(td_vec3 rubbed, td_vec3 slip, double along, double most) {
    const td_vec3 wanted = td_sub(rubbed, td_scale(slip, 1 / along));
    const double length = td_length(wanted);
    return length > most ? td_scale(wanted, most / length) : wanted;
}

// ---------------------------------------------------------------------------------------------------------
// The parts of a step; each leaves its figures in softs->report.

// lines.c
// How far from its line a vertex may be, in parts of what is looked around: less than half, since two may be
// off towards each other. While everything keeps to that, what the search has not found does not touch.
#define TD_SOFT_OFF 0.49

// Lines of an outlook from now on, by what everything does at the moment.
void td_softs_draw_lines(td_softs *softs, double begin, double end);
// New lines for what is going to leave its own in this lap. Those are marked; returns whether there are any.
bool td_softs_redraw_ahead(td_softs *softs);
// New lines for what is not where its own is at the end of the lap: along the way that it went. Likewise.
bool td_softs_redraw_behind(td_softs *softs);
void td_softs_unmark(td_softs *softs);
// Where an obstacle is expected at a part of the step.
td_stand td_obstacle_ahead(const td_softs *softs, const td_obstacle *o, double at);

// How far along the outlook a part of the step is.
static inline double td_look_part(const td_softs *softs, double at) {
    return (at - softs->look_begin) / (softs->look_end - softs->look_begin);
}

static inline td_vec3 td_path_at(const td_path *path, double part) {
    return td_add(path->at[0], td_scale(td_sub(path->at[1], path->at[0]), part));
}

// sides.c
td_result td_softs_room_for_lines(td_softs *softs);
// The pairs of bodies whose lines come near each other, and their hierarchies; if `marked`, of what is
// marked.
td_result td_softs_find_pairs(td_softs *softs, bool marked);

static inline double td_pair_thickness(const td_soft *a, const td_soft *b) {
    return b != NULL ? 0.5 * (a->thickness + b->thickness) : a->thickness;
}

void td_side_release(td_side *side, td_context *context);
td_box td_obstacle_box(const td_obstacle *o, const td_line *at);

static inline td_line td_line_of(const td_stand *at) {
    return (td_line){at->position, td_quat_matrix(at->rotation)};
}

// search.c: walks the hierarchies of all pairs; what is near is in the workers' lists, by items.
td_result td_softs_walk(td_softs *softs);
// The features of something found, as points.
void td_softs_points(uint32_t point[4], uint8_t *rigid, const td_softs *softs, const td_soft_pair *pair,
                     const td_near_found *found);
// softs->contacts: of everything; or those of what is marked, anew.
td_result td_softs_search(td_softs *softs);
td_result td_softs_search_marked(td_softs *softs);

// near.c: adds contacts of what the last walk found, in free places first.
td_result td_softs_add_contacts(td_softs *softs);
// Frees the places of contacts with something that is marked with a new line.
td_result td_softs_drop_contacts(td_softs *softs);
// All contacts, as everything is at the beginning of a lap.
void td_softs_refresh_contacts(td_softs *softs);

// substeps.c: as many as may be, `done` of them, until too much is not on its line.
td_result td_softs_run_substeps(uint32_t *done, td_softs *softs, uint32_t substeps);
// Where an obstacle is at a part of the step, with what soft bodies did to it.
td_stand td_obstacle_stand(const td_obstacle *o, double part);

// elements.c
// One after the other.
void td_solve_hinges(td_vec3 *x, const double *weight, const td_hinge *hinges, uint32_t count, double h);
// Those of one colour, in the registers of an instruction set (elements_wide.c): the same bits.
typedef void td_solve_colour_fn(td_vec3 *x, const double *weight, const td_hinge *hinges, uint32_t count,
                                double h);
td_solve_colour_fn *td_solve_colour_for(td_isa isa);
void td_solve_volume(td_vec3 *x, const double *weight, td_vec3 *gradient, const td_soft *soft, double h);

// Contacts act on what is nearer than this, in parts of what is wanted; by weighty bodies others may be
// pushed that near within a sub-step.
#define TD_SOFT_ACTIVE         1.02
#define TD_SOFT_ACTIVE_WEIGHTY 1.1

// How fast what is too near at the beginning of a lap is parted, m/s: slowly, or it would fly.
#define TD_PARTING_SPEED 0.02

// Of a contact that is none any more: its place is free.
#define TD_DEAD 255

// Sub-steps in which two that are too far apart by `spare` need not be looked at.
static inline uint8_t td_rest_of(double spare, float pace) {
    const double count = spare / (double)pace;
    return (uint8_t)(count < 0 ? 0 : count >= TD_DEAD ? TD_DEAD - 1 : count);
}

// pinch.c
// Whether anything rigid that contacts can move is near.
bool td_softs_near_movable(const td_softs *softs);
// What is between two obstacles at the beginning of a lap.
td_result td_softs_find_pinches(td_softs *softs);
// As everything stands in a sub-step; then what parts the two, one after the other.
void td_softs_evaluate_pinches(td_softs *softs);
void td_softs_solve_pinches(td_softs *softs, double part);

// contacts.c
// Those that act, one after the other: places in softs->turns.acting. Lists in `again`, and returns the
// number of, those that need another pass: not what is apart by `spare` more than wanted. `again` may be
// `places`. `change`: the most that anything was moved by. Both in parts of how far apart it was wanted.
uint32_t td_solve_soft_contacts(double *change, uint32_t *again, td_softs *softs, const uint32_t *places,
                                uint32_t count, double spare);
// At the end of a sub-step of 1/`rate` seconds: what was pushed does not part faster than contacts part.
void td_slow_soft_contacts(td_softs *softs, const uint32_t *places, uint32_t count, double rate);

// turns.c
// What the sub-steps of a lap need; all that acts in one, solved; and what acted in the last of them.
td_result td_softs_begin_turns(td_softs *softs);
void td_softs_take_turns(td_stages *stages, td_softs *softs, double part);
// And, when velocities are known, slowed down.
void td_softs_slow_turns(td_stages *stages, td_softs *softs, double h);
// Behind the last sub-step: contacts know whether they act.
void td_softs_end_turns(td_stages *stages, td_softs *softs);
td_result td_softs_note_turns(td_softs *softs);
void td_turns_release(td_turns *turns, td_context *context);

// grips.c
// The grips of a lap with sub-steps of h seconds, and who may be pushed in it.
td_result td_softs_begin_grips(td_softs *softs, double h);
// As everything stands in a sub-step, before it is pushed; then what they hold, one after the other.
void td_softs_evaluate_grips(td_softs *softs, double h);
void td_softs_solve_grips(td_softs *softs);

// impacts.c: pushes apart what is in softs->hits, as far as that is little; time: of the lap. Returns how
// many.
size_t td_push_hits(td_softs *softs, double time);

// certain.c
td_result td_softs_make_certain(td_softs *softs, double time);

// rest.c: wakes what lies on something that moves, and forgets who touched whom; notes that again, of
// contacts that act at the end of a lap; at the end of the step, puts to rest.
void td_softs_wake_touched(td_softs *softs);
td_result td_softs_note_touch(td_softs *softs, size_t place);
void td_softs_note_pinches(td_softs *softs);
void td_softs_find_rest(td_softs *softs);

// calm.c: damping, and what is known of a body's motion.
void td_softs_calm(td_softs *softs, double time);

#endif
