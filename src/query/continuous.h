// A question about meshes in motion: what it holds between calls, and the parts of a call.
#ifndef TD_QUERY_CONTINUOUS_H
#define TD_QUERY_CONTINUOUS_H

#include "../traverse/swept_balanced.h"
#include "../traverse/swept_blocked.h"
#include "../traverse/swept_device.h"
#include "../traverse/swept_walk.h"
#include "mesh.h"

#define TD_COOKIE_CONTINUOUS 0x7d00000cu

typedef struct td_bounds {
    td_vec3 lower, upper; // empty: lower is +infinity
} td_bounds;

// One of the meshes asked about.
typedef struct td_continuous_side {
    bool known; // there are features, of the mesh created with this serial
    uint64_t serial;
    td_features features;
    TD_ARRAY(td_path) paths; // per vertex
    td_swept swept;
    td_swept_tree tree; // of strategies that walk binary hierarchies
    td_bounds bounds;   // of the paths that triangles use
} td_continuous_side;

struct td_continuous {
    td_context *context;
    td_swept_worker *workers;
    uint32_t worker_count;
    td_continuous_side sides[2];
    td_swept_frame frame; // of all sides
    td_swept_pairs starts;
    td_pair_list node_starts; // of strategies that walk binary hierarchies
    td_distributor distributor;
    TD_ARRAY(td_bounds) partial; // bounds per task
    td_contact_list contacts[TD_CONTACT_KINDS], spare;
    td_swept_device *device_state; // null: no device was asked yet
};

// ---------------------------------------------------------------------------------------------------------
// Before: continuous_paths.c

// Fills `side` for a mesh whose vertices move as `moving` says. `name` is "mesh", "A" or "B", for messages.
td_result td_prepare_side(td_continuous *query, td_continuous_side *side, const td_moving_mesh *moving,
                          const char *name);

// The features of the mesh; kept if they are known.
td_result td_prepare_features(td_continuous *query, td_continuous_side *side, const td_mesh *mesh);

// Room for as many paths as the mesh has vertices.
td_result td_prepare_paths(td_continuous *query, td_continuous_side *side, const td_mesh *mesh);

// Bounds of the side's paths, from its features. Fails for want of memory only.
td_result td_find_bounds(td_continuous *query, td_continuous_side *side);

// The frame of one side, or of two, and all boxes, with `diagonals` or without. TD_ERROR_MESH if the bounds
// overflow.
td_result td_fit_sides(td_continuous *query, const td_mesh *const meshes[2], int count, double separation,
                       bool diagonals);

// ---------------------------------------------------------------------------------------------------------
// How: continuous_strategy.c

// A strategy of continuous collision: one of the discrete ones' names, and what it walks.
typedef struct td_moving_strategy {
    const char *name;
    bool device;                     // runs there, too
    const td_strategy *walks;        // natively: binary hierarchies, by this; null: blocks, or nothing
    const td_strategy *device_walks; // on a device, likewise
} td_moving_strategy;

// One question, as its meshes, its strategy and its boxes have it.
typedef struct td_continuous_way {
    const td_moving_strategy *strategy;
    const td_strategy *walks; // of the strategy, where it is to run
    const td_mesh *meshes[2];
    bool self; // the second is the first
    td_volume volume;
} td_continuous_way;

// Finds the strategy for a way that knows whether its mesh meets itself. TD_ERROR_ARGUMENT with the known
// names if the definition's is none of them; TD_ERROR_UNSUPPORTED if it cannot do what is asked.
td_result td_find_moving_strategy(td_continuous_way *way, const td_continuous *query,
                                  const td_continuous_def *def);

// The boxes of the binary hierarchies of both sides, where the strategy walks them; the sides have been
// fitted.
td_result td_fit_trees(td_continuous *query, const td_continuous_way *way);

// ---------------------------------------------------------------------------------------------------------
// During: continuous_run.c, on the device of the definition if it has one: continuous_device.c; binary
// hierarchies: continuous_walk.c

// Answers the question with all workers; they keep what they found.
td_result td_run_continuous(td_continuous *query, const td_swept_question *question,
                            const td_continuous_def *def, const td_continuous_way *way);

// By parts that workers draw: `item` of `total`.
typedef struct td_continuous_parts {
    td_continuous *query;
    const td_swept_question *question;
    void (*part)(td_swept_worker *worker, uint32_t item, const void *user);
    const void *user;
    uint32_t total;
} td_continuous_parts;

td_result td_run_in_parts(const td_continuous_parts *parts, const td_continuous_def *def);
size_t td_wanted_parts(const td_continuous *query, const td_continuous_def *def);
td_result td_result_of_workers(const td_continuous *query);
td_result td_tell_progress(const td_continuous_def *def, uint32_t done, uint32_t total);

td_result td_walk_continuous(td_continuous *query, const td_swept_question *question,
                             const td_continuous_def *def, const td_continuous_way *way);
td_result td_run_continuous_on_device(td_continuous *query, const td_swept_question *question,
                                      const td_continuous_def *def, const td_continuous_way *way);

// A walk of the binary hierarchies of the step, natively or on a device.
void td_begin_walk(td_swept_walk *walk, const td_continuous *query, const td_swept_question *question,
                   const td_continuous_def *def, const td_continuous_way *way);

// ---------------------------------------------------------------------------------------------------------
// After: continuous_gather.c

// Adds what the workers found to `out` and their contacts to the query's lists, unsorted.
td_result td_gather_contacts(td_continuous_result *out, td_continuous *query);

// Sorts the query's contacts and keeps of equal pairs the earliest; fills in what of `out` follows from them.
td_result td_finish_contacts(td_continuous_result *out, td_continuous *query, const td_continuous_def *def);

// ---------------------------------------------------------------------------------------------------------
// Around: continuous.c

// Also finds the strategy.
td_result td_check_continuous_def(td_continuous_way *way, const td_continuous *query,
                                  const td_continuous_def *def, bool self);
void td_begin_result(td_continuous_result *out, td_continuous *query);
void td_give_out_edges(td_continuous_result *out, const td_continuous *query, bool self);

// All but how a pair of features is decided. `best_bits` is set to never.
td_swept_question td_question_about(const td_continuous *query, const td_continuous_def *def, bool self,
                                    atomic_ullong *best_bits);

// Answers for the sides' paths and bounds as they are. `start`: when the question was asked.
td_result td_answer_straight(td_continuous_result *out, td_continuous *query, td_continuous_way *way,
                             const td_continuous_def *def, double start);

#endif
