// The soft bodies of a world, and the rigid ones as soft ones meet them.
//
// A step has one outlook or more: everything is expected to go along straight lines (lines.c), and the pairs
// of features that come near each other on these are found (search.c), among hierarchies over the lines
// (sides.c). Within an outlook there are laps. A lap
//   1. gives another line to what will not keep to its own, and searches again for that, and for nothing
//   else;
//   2. runs sub-steps of extended position-based dynamics (substeps.c): motion, elements, contacts;
//   3. makes certain, by the exact continuous tests, that nothing passes through anything between the
//      beginning and the end of the lap, and holds back what would (certain.c).
// So if nothing intersects at the beginning nothing does at the end, whatever the sub-steps did.
//
// based on: Macklin, Mueller and Chentanez, XPBD, 2016; Macklin et al., Small Steps in Physics Simulation,
// 2019; the way back to a state without intersections is that of Bridson, Fedkiw and Anderson, Robust
// Treatment of Collisions, Contact and Friction for Cloth Animation, 2002, with the rigid impact zones
// replaced by standing still, which always ends.
#ifndef TD_DEFORM_DEFORM_H
#define TD_DEFORM_DEFORM_H

#include "../broad/broad.h"
#include "../core/array.h"
#include "ends.h"
#include "form.h"

#include <stdatomic.h>

// softs.h
typedef struct td_soft_pair td_soft_pair;
typedef struct td_walk_item td_walk_item;
typedef struct td_walk_worker td_walk_worker;
typedef struct td_side_fitting td_side_fitting;

// Where something rigid is: its centre of mass, and how it is turned.
typedef struct td_stand {
    td_vec3 position;
    td_quat rotation;
} td_stand;

// Where the points of something rigid are expected: p goes to position + turn p. At the beginning and at the
// end of an outlook, and in between on the straight line; so a turn need not be one.
typedef struct td_line {
    td_vec3 position;
    td_mat3 turn;
} td_line;

// What the search needs of a moving mesh.
typedef struct td_side {
    const td_mesh *mesh;
    const td_features *features;
    TD_ARRAY(td_path) paths; // the lines of its vertices
    td_ends ends;
    td_swept swept;       // of which only the paths are used
    td_box bounds;        // of the paths
    uint64_t fitted_in;   // number of the frame its boxes were last fitted in; 0: never
    uint64_t fitted_look; // number of the outlook they are of
    td_line fitted[2];    // of a rigid body: the lines at the time
} td_side;

// Features of a mesh, shared by the rigid bodies that have it.
typedef struct td_shared_features {
    uint64_t identity; // of the mesh
    td_features *features;
    uint32_t users;
} td_shared_features;

typedef struct td_soft {
    uint32_t body; // index in the world
    td_form *form;
    uint32_t first;                                               // of its vertices in the arrays
    double thickness, pressure, damping, friction, gravity_scale; // pressure 0: volume is not kept
    double linear_damping;                                        // 1/s, of all motion
    double mass;
    uint64_t group, collides_with;
    td_vec3 force; // of the next step, N, on the body as a whole
    bool may_sleep, awake;
    double still_time; // s; 0: it moves
    bool paired;       // with something, in this search
    bool marked;       // has vertices with TD_MARK_LINE
    bool woken, saved_awake;
    bool struck; // woken by a newcomer
    double saved_still_time;
    td_side side;
    td_box box; // at the beginning of the step
    // As of the beginning of the lap, or the end of the step.
    td_vec3 velocity;             // of its mass
    double stray;                 // m/s: no vertex moves faster relative to that
    double rms;                   // m/s, likewise, root mean square of all velocities
    TD_ARRAY(td_body_id) touched; // rigid ones that can move, in the last step
} td_soft;

// What pushes do to something rigid.
typedef struct td_nudge {
    td_vec3 way, turn;
} td_nudge;

// A rigid body as soft ones meet it. The world fills in the first part before a step, and reads the last.
typedef struct td_obstacle {
    bool there;
    const td_mesh *mesh;
    td_vec3 centre;          // of mass, in the mesh's frame
    double radius;           // about it
    td_stand start, end;     // of the step, as the rigid solver has it
    td_vec3 bend;            // m: what its velocity at the end adds to the straight way from start to end
    double inverse_mass;     // 0: not moved by contacts
    td_sym3 inverse_inertia; // along its own axes
    double friction;
    uint64_t group, collides_with;
    bool stubborn; // moves on whatever it meets
    bool asleep;   // may be woken
    bool still;    // gets nowhere, however it trembles
    bool newcomer; // has not touched soft bodies for some time
    uint32_t generation;
    const td_soft *soft; // what it is instead, if it is not `there`; null: nothing
    // Made here.
    bool near;                   // to a soft body in this outlook
    td_stand at;                 // now
    td_line line[2];             // at the beginning of the outlook and at its end
    td_stand lap[2];             // at the beginning of the lap; where it is expected to be at its end
    td_mat3 turn[2];             // of lap[0] and of `at`
    td_sym3 inverse_inertia_now; // in the world
    td_vec3 shift;               // m, from where the rigid solver has it
    td_quat twist;               // likewise
    td_vec3 gained, gained_spin; // m/s, rad/s: by contacts with soft bodies
    td_nudge moved;              // m, rad: by contacts of the sub-step
    td_nudge slowed;             // m/s, rad/s: by them at its end
    td_vec3 before;              // position at the beginning of the sub-step
    td_mat3 turn_before;
    bool touched;     // has been moved by soft bodies
    double kept;      // part of its velocity that was left when it was held back
    double held;      // part of the lap's way that it may go
    td_stand reached; // where the sub-steps brought it
    double tested;    // `held` when it was last tested
    float gone;       // m, at least as far as any of its points went in the lap
    bool stirred;     // may be pushed in this lap: is near, or touches something rigid that may be pushed
    bool marked;      // has another line, and is to be searched for
    bool moved_back;  // is to be tested again
    bool woken;
    uint8_t slab; // of the lap (turns.c)
} td_obstacle;

// Where two obstacles touch, as the rigid solver left it.
typedef struct td_grip {
    uint32_t a, b;
    td_vec3 at_a, at_b; // from the centres, along the obstacles' own axes
    td_vec3 normal;     // from a to b
    double pressed;     // N s: along it, in the step
    td_vec3 rubbed;     // N s: on b, by friction
    double friction;
} td_grip;

// One that holds obstacles which soft bodies may push (grips.c).
typedef struct td_held_grip {
    const td_grip *grip;
    td_obstacle *a, *b; // null: nothing moves it
    td_vec3 own;        // m: the way of b relative to a at the point in a sub-step, by the rigid solver
    // Of the sub-step.
    td_vec3 arm_a, arm_b;
    td_vec3 begun;    // m: ... by what they were pushed before
    double lightness; // 1/kg: of both along the normal
    double pressed;   // kg m: what presses, by the rigid solver
    double change;    // kg m: ... and more than that
    td_vec3 rubbed;   // kg m: on b
} td_held_grip;

// What stays from step to step of an obstacle.
typedef struct td_obstacle_side {
    uint32_t generation; // 0: none
    td_side side;
    td_features *shared;
} td_obstacle_side;

// Two features: v f0 f1 f2 or a0 a1 b0 b1.
typedef struct td_four_points {
    uint32_t point[4]; // in the arrays; of the obstacle: vertices of its mesh
    uint32_t obstacle; // TD_NONE: all are soft
    uint8_t kind;      // TD_VERTEX_FACE, TD_EDGE_EDGE
    uint8_t rigid;     // bits: which points are the obstacle's
} td_four_points;

// Two that are, or come, near each other. Which ones, `near_pairs` has: that is asked of all of them again
// and again, the rest of few.
typedef struct td_soft_contact {
    // What sub-steps read.
    td_vec3 from_normal; // of the nearest points at the beginning of the lap: from the second feature
    double from;         // m: how far apart they are at the beginning of the lap
    double distance;     // m: kept apart so far at its end
    float pace;          // m: by how much they may near each other in a sub-step
    float friction;
    int8_t sign; // whose side of the face the vertex is on at the beginning of the lap

    bool active;      // in the last sub-step of the lap
    bool settled;     // `thickness` heeds how near the two are at rest
    bool within;      // at the beginning of the lap the nearest points are at no border
    uint8_t main;     // they are nearest to these corners: bits 0 1, of the first feature; 2 3, of the second
    uint32_t a, b;    // the bodies: places in `list`; b TD_NONE: the obstacle
    double thickness; // m: kept apart so far, if they are not nearer at the beginning of the lap
    double clear;     // m: `from` along `from_normal`, at least; whatever is rounded
    td_vec3 normal;   // if it is active, of that sub-step: from the second feature to the first
} td_soft_contact;

// A contact that acts in a sub-step: all that solving it reads, but for where its points are. What is read
// first stands first: most are told by it that nothing is to be done.
typedef struct td_acting {
    td_vec3 normal;   // from the second feature to the first
    double wanted;    // m, along the normal
    double yields;    // 1/kg: of all that takes part, along the normal
    double pushed;    // so far in this sub-step, along the normal: times 1/h it is an impulse
    td_vec3 point_at; // the obstacle's point of contact, with its sign in the contact; 0 if there is none
    double weight[4]; // of the soft points
    uint32_t point[4];
    uint8_t points; // soft ones
    int8_t sign;    // of the obstacle in the contact
    float friction;
    uint32_t mover; // the obstacle, if contacts can move it; TD_NONE
    uint32_t place; // in `contacts`
    td_vec3 rubbed; // as `pushed`, by friction
    td_vec3 slide;  // way of the obstacle's point in this sub-step, with its sign
    // If there is a mover.
    td_vec3 arm;      // from its centre to the point of contact
    double lightness; // 1/kg: of the soft points, together
} td_acting;

enum { TD_SLABS = 16, TD_TURN_GROUPS = 2 * TD_SLABS + 1 };

// The contacts that act, in groups of which some are solved side by side (turns.c).
typedef struct td_turns {
    bool weighty; // rigid bodies that can be moved are near
    uint32_t block_size, block_count;
    TD_ARRAY(uint8_t) slab_of;  // per vertex
    TD_ARRAY(td_acting) acting; // in this sub-step, by blocks of contacts
    TD_ARRAY(uint8_t) groups;   // of these
    TD_ARRAY(uint32_t) counts;  // how many act of each block
    TD_ARRAY(uint32_t) places;  // in `acting`, by groups
    TD_ARRAY(uint32_t) again;   // of these, likewise: `left` that the next pass solves
    uint32_t first[TD_TURN_GROUPS], counted[TD_TURN_GROUPS], left[TD_TURN_GROUPS];
    double change[TD_TURN_GROUPS]; // by the last pass: the most, in parts of what was wanted
} td_turns;

// What is behind a vertex: something rigid, and layers upon it (pinch.c).
typedef struct td_column {
    uint32_t obstacle; // TD_NONE: nothing
    td_vec3 base;      // the point of it
    td_vec3 along;     // from it to the vertex, of length 1
    double give;       // m: by how much the layers are to be thicker at the end of the lap than they are
    double friction;   // the least of them
} td_column;

// Two obstacles with layers between them. Points are relative to the centres, along the obstacles' own axes.
typedef struct td_pinch {
    uint32_t a, b;
    td_vec3 at_a, at_b;
    td_vec3 normal;      // from b to a
    double from, wanted; // m, along the normal: at the beginning of the lap and at its end
    double friction;
    bool acted; // in this lap
    // Of the sub-step.
    td_vec3 arm_a, arm_b, slide;
    double apart;
    double pushed; // as of td_acting
    td_vec3 rubbed;
} td_pinch;

// Two features that would pass through each other.
typedef struct td_soft_hit {
    td_four_points pair;
    double thickness; // m: kept apart as far as that
    double distance;  // m: or as far as that at the end of the lap
    double time;
} td_soft_hit;

typedef struct td_span {
    uint32_t first, end;
    uint32_t off; // of these, so many are not on their lines
} td_span;

// What `marks` of a vertex says.
enum {
    TD_MARK_LINE = 1, // has another line, and is to be searched for
    TD_MARK_MOVED = 2 // has been held back, and is to be tested again
};

typedef struct td_soft_settings {
    td_vec3 gravity;
    double time; // s, of the step
    uint32_t substeps;
    double sleep_speed, sleep_time;
    const td_grip *grips;
    uint32_t grip_count;
} td_soft_settings;

typedef struct td_soft_report {
    uint32_t bodies, awake; // of them
    uint64_t vertices;
    uint32_t laps, substeps;
    uint64_t pairs;      // of bodies
    uint64_t candidates; // pairs of features that come near each other, of the last lap
    uint64_t contacts;   // of these, the ones that pushed in its last sub-step
    uint64_t pushed;     // pairs of features that were pushed apart by the exact tests
    uint64_t held;       // vertices and bodies that were held back by them
    uint32_t searches;   // for everything
    uint32_t walks;      // for what got another line
    uint64_t redrawn;    // vertices that did
    uint32_t rounds;     // of holding back, at most
    uint64_t passed;     // pairs of features that passed all the same: pushed by what cannot be halted
    double search_ms, elements_ms, contacts_ms, certain_ms;
} td_soft_report;

typedef struct td_softs {
    td_context *context;
    TD_ARRAY(td_soft *) list; // in the order they were added
    TD_ARRAY(td_form *) forms;
    uint32_t vertex_count;
    // Per vertex, all of the same size.
    TD_ARRAY(td_vec3) x, v, previous, start;
    TD_ARRAY(double) weight; // 1/kg; 0: stays where it is, by itself or because its body sleeps
    TD_ARRAY(double) mass;   // kg
    TD_ARRAY(uint8_t) pinned;
    TD_ARRAY(float) gone;               // m, at least as far as it went in the lap
    TD_ARRAY(double) held;              // part of the lap's way that it may go
    TD_ARRAY(double) tested;            // `held` when it was last tested
    TD_ARRAY(uint8_t) marks;            // TD_MARK_...
    TD_ARRAY(uint32_t) carrier;         // the obstacle that takes it along; TD_NONE
    TD_ARRAY(td_vec3) gradient;         // of volumes
    TD_ARRAY(td_vec3) rested;           // where it was when its body began to be still
    TD_ARRAY(td_vec3) saved_x, saved_v; // when the step began, which may fail
    TD_ARRAY(td_vec3) saved_rested;     // likewise
    // Per body of the world.
    td_obstacle *obstacles; // the caller's
    uint32_t obstacle_count;
    TD_ARRAY(td_obstacle_side) sides;
    TD_ARRAY(td_shared_features) shared;
    // Of the outlook.
    double look_begin, look_end; // parts of the step
    td_swept_frame frame;
    uint64_t frame_number, look_number;
    td_vec3 frame_lower, frame_upper;
    double frame_reach;
    double thinnest; // m
    TD_ARRAY(td_side_fitting) fittings;
    // Of the lap.
    double lap_begin, lap_end; // parts of the step
    uint32_t lap_substeps;
    double lap_length, saved_lap_length; // parts of a step, at most
    uint32_t failed_body;                // index in the world, of TD_ERROR_NUMBERS
    TD_ARRAY(td_soft_pair) pairs;
    TD_ARRAY(td_walk_item) items;
    td_walk_worker *workers;
    uint32_t worker_count;
    TD_ARRAY(td_four_points) near_pairs;
    TD_ARRAY(td_soft_contact) contacts; // of each pair
    TD_ARRAY(uint8_t) rests;            // per contact: sub-steps in which it need not be looked at; TD_DEAD
    TD_ARRAY(uint32_t) dead;            // places of contacts that are
    td_turns turns;
    TD_ARRAY(uint32_t) layers;   // places of contacts that may be part of a pinch
    TD_ARRAY(td_column) columns; // per vertex
    TD_ARRAY(td_pinch) pinches;
    TD_ARRAY(td_held_grip) held_grips;
    TD_ARRAY(uint32_t) stirred; // obstacles
    TD_ARRAY(td_soft_hit) hits;
    TD_ARRAY(double) times;     // per contact: of the exact test
    TD_ARRAY(uint32_t) near;    // obstacles
    TD_ARRAY(td_span) spans;    // of vertices that move, in blocks
    TD_ARRAY(uint32_t) span_of; // whose they are: places in `moving`
    TD_ARRAY(uint32_t) moving;  // bodies that are awake, places in `list`
    atomic_ullong unused;       // of questions that ask for all contacts
    td_soft_settings settings;
    td_soft_report report;
} td_softs;

// ---------------------------------------------------------------------------------------------------------
// What a world calls

td_result td_softs_create(td_softs **out, td_context *context);
void td_softs_destroy(td_softs *softs); // null is fine

typedef struct td_soft_start {
    uint32_t body;
    const td_mesh *mesh;
    const td_soft_def *def;
    td_stand frame; // of the mesh
    td_vec3 velocity, spin;
    double mass;
    double friction, gravity_scale, linear_damping;
    uint64_t group, collides_with;
    bool may_sleep;
} td_soft_start;

td_result td_softs_add(td_soft **out, td_softs *softs, const td_soft_start *start);
void td_softs_remove(td_softs *softs, td_soft *soft);
void td_softs_place(td_softs *softs, td_soft *soft, td_stand frame);
void td_softs_set_velocity(td_softs *softs, td_soft *soft, td_vec3 velocity, td_vec3 spin);
void td_softs_wake(td_softs *softs, td_soft *soft);
void td_softs_sleep(td_softs *softs, td_soft *soft);

typedef struct td_soft_sums {
    td_vec3 centre, momentum, angular_momentum; // about the centre
    td_vec3 spin;
    double kinetic_energy;
    double radius;
} td_soft_sums;

td_soft_sums td_softs_sum(const td_softs *softs, const td_soft *soft);

static inline const td_vec3 *td_softs_positions(const td_softs *softs, const td_soft *soft) {
    return softs->x.items + soft->first;
}

// The whole step. After a failure td_softs_restore brings everything back to when td_softs_save was called.
td_result td_softs_step(td_soft_report *out, td_softs *softs, td_obstacle *obstacles, uint32_t obstacle_count,
                        const td_soft_settings *settings);
td_result td_softs_save(td_softs *softs);
void td_softs_restore(td_softs *softs);

#endif
