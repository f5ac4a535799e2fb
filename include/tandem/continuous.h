// Continuous collision: whether and when things in motion touch, between two moments.
//
// Time goes from 0 to 1, and every point moves from its first position to its last along a straight line, at
// constant speed. No contact is ever missed, and no time is later than the first contact. Answers are exact:
// touching counts, whatever is degenerate, parallel or in one plane.
#ifndef TANDEM_CONTINUOUS_H
#define TANDEM_CONTINUOUS_H

#include "front.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------
// Elementary tests: a vertex and a triangle, or two edges.

typedef enum td_feature_pair { TD_PAIR_VERTEX_FACE, TD_PAIR_EDGE_EDGE } td_feature_pair;

TD_API const char *td_feature_pair_name(td_feature_pair pair); // "vertex-face", "edge-edge"

typedef struct td_moving_def {
    uint32_t cookie;
    // Nearer than or at this distance is touching; 0: in contact. Finite, not negative.
    double separation;
    // How many intervals of time may be looked at; 0: as many as it takes. With a budget the work is bounded:
    // what is not decided within it, or by doubles, is answered by "touching, not certain".
    uint32_t budget;
} td_moving_def;

TD_API td_moving_def td_default_moving_def(void);

typedef struct td_moving_contact {
    bool touching;
    // Without separation and without a budget always true. If not, `touching` is true, there is no contact
    // before `time`, and there may be none after. With a separation that means that they come nearer than the
    // separation and 1e-6 of the relative motion, or that rounding leaves it open.
    bool certain;
    // Of the first contact: never later than it is, and, if certain, at most 1e-6 earlier. 1 if not touching.
    double time;
} td_moving_contact;

// `positions` has 24 numbers: four points at t = 0, then the same at t = 1, three coordinates each. The
// points are a vertex and the three corners of a triangle, or the ends of one edge and of the other. All must
// be finite. Memory is asked of the context only where magnitudes differ by hundreds of orders.
TD_API td_result td_test_vertex_face(td_moving_contact *out, td_context *context, const td_moving_def *def,
                                     const double positions[24]);
TD_API td_result td_test_edge_edge(td_moving_contact *out, td_context *context, const td_moving_def *def,
                                   const double positions[24]);

// `count` tests of one kind, one after the other on the calling thread; positions: 24 numbers each. At the
// first that fails it stops; the message names it.
TD_API td_result td_test_moving_batch(td_moving_contact *out, td_context *context, const td_moving_def *def,
                                      td_feature_pair pair, const double *positions, size_t count);

// ---------------------------------------------------------------------------------------------------------
// Meshes in motion: one against itself, or two against each other.
//
// Features are the vertices, edges and faces of the connectivity as it is given: vertices that coincide but
// have different numbers are different, and a vertex that no triangle uses takes no part. Edges are the
// unordered pairs of vertices that triangles join, each once, numbered by their upper vertex, then by their
// lower one. Features that share a vertex are no pair. Faces may be degenerate.
//
// What comes to intersect touches first: in a vertex and a face, or in two edges. But an edge that is through
// a face from the beginning need not touch anything during the step: that is what td_collide and
// td_self_collide tell about t = 0.

typedef enum td_continuous_mode {
    TD_CONTINUOUS_ALL,     // every pair of features that touches, with its first time
    TD_CONTINUOUS_COUNT,   // their numbers, and the earliest time
    TD_CONTINUOUS_EARLIEST // the earliest time and the pair it belongs to: what cannot be earlier is left out
} td_continuous_mode;

// A pair of features that touches. `time` and `certain` as in td_moving_contact.
typedef struct td_feature_contact {
    uint32_t a, b;
    bool certain;
    double time;
} td_feature_contact;

typedef enum td_contact_kind {
    TD_CONTACT_EDGE_EDGE,   // an edge of A, an edge of B (of one mesh: the lower number first)
    TD_CONTACT_VERTEX_FACE, // a vertex of A, a face of B (of one mesh: its vertex, its face)
    TD_CONTACT_FACE_VERTEX  // a face of A, a vertex of B; of one mesh none
} td_contact_kind;

#define TD_CONTACT_KINDS 3

typedef struct td_continuous_counters {
    uint64_t box_tests;      // pairs of boxes of hierarchies tested
    uint64_t triangle_tests; // pairs of triangles whose boxes meet
    uint64_t feature_tests;  // elementary tests
    uint64_t bytes;          // memory held by the query
} td_continuous_counters;

// What a pointer points to is valid until the query is used again or destroyed.
typedef struct td_continuous_result {
    uint64_t count[TD_CONTACT_KINDS];                     // all of TD_CONTINUOUS_EARLIEST: 0 or 1 in total
    const td_feature_contact *contacts[TD_CONTACT_KINDS]; // by a, then by b; null if there are none, and in
                                                          // TD_CONTINUOUS_COUNT
    bool touching;
    bool certain; // every contact is; true if there is none
    // If touching: the earliest contact of all; of several, the first in the order of kinds and numbers.
    double earliest;
    td_contact_kind earliest_kind;
    td_feature_contact earliest_contact;
    // Edges of A and of B by number: their vertices, the lower first. For one mesh, B's are A's.
    const td_pair *edges_a, *edges_b;
    uint32_t edge_count_a, edge_count_b;
    td_volume volume; // of the boxes that were walked; see td_continuous_def
    td_continuous_counters counters;
    double fit_ms;    // bounds of the motion and the hierarchies over it
    double walk_ms;   // traversal and tests; with a device also what is brought there
    double ms;        // wall-clock time of all
    double decide_ms; // natively: of walk_ms, the elementary tests, summed over threads
} td_continuous_result;

typedef struct td_continuous_def {
    uint32_t cookie;
    td_continuous_mode mode;
    td_moving_def moving; // separation and budget of the elementary tests
    // "wide", "blocked", "balanced", "front", "stack", "binary", "brute"; on a device all but "wide" and
    // "brute"; null or "auto": the fastest. The answer is the same, to the bit. What cannot be done in the
    // way that is asked for is TD_ERROR_UNSUPPORTED, and not done in another.
    const char *strategy;
    td_device *device; // null: native. Must be of the query's context. The answer is the same, to the bit
    double tolerance;  // of td_continuous_rigid; see there
    td_progress_fn *progress;
    void *progress_user;
    // Boxes that hold a triangle from the beginning of the step to its end: along the axes, or, of "stack",
    // "binary", "front" and, on a device, "balanced", oriented. With a separation, a budget or a turning
    // motion they are along the axes whatever is asked for: what doubles leave open there is told as
    // "touching, not certain", and tighter boxes would leave some of that out, so that the answer would
    // depend on them. The result tells which.
    td_volume volume;
    td_descent descent; // "stack" and "binary": which of two overlapping nodes is opened
    td_front *front; // "front" only: where to start from, kept from step to step (tandem/front.h); null: the
                     // root. Must be of the query's context
    td_sharing sharing; // "balanced"
    double idle_share;  // ... by queues: the share of idle tasks at which work is balanced, 0 to 1
} td_continuous_def;

TD_API td_continuous_def td_default_continuous_def(void);

// A mesh between two positions of its vertices: those it has at t = 0, and others at t = 1.
typedef struct td_moving_mesh {
    const td_mesh *mesh;
    const void *positions;  // at t = 1, x y z per vertex; null: the mesh stands still
    td_scalar scalar;       // of `positions`
    size_t position_stride; // bytes from vertex to vertex; 0: packed
    uint32_t vertex_count;  // of `positions`: must be the mesh's
} td_moving_mesh;

// Holds buffers, and the features of the meshes it was asked about last: a step that follows another one of
// the same meshes finds them, and allocates nothing. One thread at a time may use it.
typedef struct td_continuous td_continuous;

TD_API td_result td_create_continuous(td_continuous **out, td_context *context);
TD_API void td_destroy_continuous(td_continuous *query); // null is fine

// The pairs of features of one mesh, or of two, that touch during the step. TD_ERROR_MESH if vertex counts
// differ, a position at t = 1 is not finite, or the step is so large that its bounds overflow: the message
// names the mesh and the vertex.
TD_API td_result td_continuous_self(td_continuous_result *out, td_continuous *query,
                                    const td_moving_mesh *mesh, const td_continuous_def *def);
TD_API td_result td_continuous_pair(td_continuous_result *out, td_continuous *query, const td_moving_mesh *a,
                                    const td_moving_mesh *b, const td_continuous_def *def);

// ---------------------------------------------------------------------------------------------------------
// Rigid bodies

typedef enum td_course_kind {
    TD_COURSE_LINEAR, // the body's pivot moves along a straight line while the body turns about it
    TD_COURSE_SCREW   // the body turns about an axis that is fixed in space while it moves along it
} td_course_kind;

// From one pose to another, at constant speeds, by the shorter of the two turns.
typedef struct td_rigid_motion {
    td_pose start, end;
    td_course_kind course;
    double
        pivot[3]; // of TD_COURSE_LINEAR: in the body's coordinates, what moves along the line; 0: its origin
} td_rigid_motion;

// The pairs of features of two rigid bodies that touch while both move.
//
// If neither turns, vertices go straight from where td_pose_apply puts them for `start` to where it does for
// `end`, and the answer is that of td_continuous_pair: exact. (Neither turns if the two quaternions of each
// motion are the same numbers.)
//
// Else time is cut into pieces, in which paths are within a known distance of straight ones; a pair that
// comes nearer than that is cut further, until the distance is at most def->tolerance (not negative; 0: 2^-24
// of the size of what the motion covers). So no contact is missed, and no time is later than the first
// contact. What is told comes as near as the separation and twice the tolerance, but may not touch: `certain`
// is false.
//
// TD_ERROR_POSE if a pose is none, or takes a vertex beyond float64; the message names the body.
TD_API td_result td_continuous_rigid(td_continuous_result *out, td_continuous *query, const td_mesh *a,
                                     const td_rigid_motion *motion_a, const td_mesh *b,
                                     const td_rigid_motion *motion_b, const td_continuous_def *def);

#ifdef __cplusplus
}
#endif
#endif
