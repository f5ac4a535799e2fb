// What every strategy is given and what it leaves behind.
//
// A traversal is one question about two hierarchies: which pairs of triangles intersect. It is cut into
// *starts*, pairs of places in the two hierarchies below which the work goes on; strategies say what a place
// is. The starts of one traversal may be shared out over threads: each works with its own td_worker, and the
// union of what they find is the answer, whatever the sharing.
#ifndef TD_TRAVERSE_TRAVERSAL_H
#define TD_TRAVERSE_TRAVERSAL_H

#include "../bvh/postorder.h"
#include "../bvh/split.h"
#include "../core/array.h"
#include "frame.h"
#include "front_entry.h"

#include <tandem/query.h>

typedef TD_ARRAY(td_pair) td_pair_list;

// Pairs of quads within a margin of each other come in classes: class k is not proven to be farther apart
// than td_near_fraction(k) of the margin, but farther than the fraction before it.
enum { TD_NEAR_CLASSES = 4 };

static inline float td_near_fraction(int k) {
    static const float fractions[TD_NEAR_CLASSES] = {0.0625f, 0.25f, 0.5f, 1.0f};
    return fractions[k];
}

typedef TD_ARRAY(td_front_entry) td_front_list;

// Two leaves of split hierarchies and the lanes of their tile that are to be tested: an entry, and its place
// in the worker's front, to note the lanes at once they are known.
typedef struct td_front_tile {
    uint32_t a, b, lanes, entry;
} td_front_tile;

#define TD_NO_ENTRY UINT32_MAX

// How entries of a front moved.
typedef struct td_front_moves {
    uint64_t kept, descended, ascended;
} td_front_moves;

typedef struct td_swept_question td_swept_question; // swept.h
typedef struct td_swept_worker td_swept_worker;

typedef struct td_traversal {
    td_context *context;
    const td_trimesh *mesh_a, *mesh_b;
    const td_blocked *a, *b;
    const td_postorder *post_a, *post_b;    // null but for strategies with TD_LAYOUT_POSTORDER
    const td_split_tree *split_a, *split_b; // null but for strategies with TD_LAYOUT_SPLIT
    const td_frame *frame;
    td_mode mode;
    td_volume volume;
    td_descent descent;
    float ratio;        // front: the unit of B's sizes in that of A's, for the order of opening
    td_sharing sharing; // balanced
    double idle_share;  // ... by queues
    bool list_near; // wide only: pairs of quads within the frame's margin are put into the worker's near_by,
                    // and no triangles are tested
    bool any_first; // with TD_MODE_FIRST, wide only: any pair will do, and instruction sets may differ in
                    // which
    bool measure;   // keep the worker's times
    bool self;      // b is a: pairs a < b that share no vertex position
    // Continuous collision, where hierarchies are over a step: what triangles are asked when their boxes meet
    // (swept_walk.h). Null: whether they intersect where they are.
    const td_swept_question *moving;
    bool keep_degenerate; // self only: zero-area triangles take part
} td_traversal;

// Buffers of one thread, and what it found. Buffers stay allocated between queries.
typedef struct td_worker {
    td_swept_worker *moving;               // of a traversal with `moving`: who keeps what it finds
    td_pair_list pairs;                    // intersecting triangles, unsorted (empty in TD_MODE_COUNT)
    td_pair_list undecided;                // what a filter passed on and the exact predicate has not seen yet
    td_pair_list stack;                    // places still to be visited
    td_pair_list leaves;                   // pairs of leaf blocks still to be tested
    td_pair_list tiles;                    // pairs of quads still to be tested
    td_pair_list spare;                    // for sorting
    td_pair_list near_by[TD_NEAR_CLASSES]; // pairs of quads that a traversal with list_near found
    TD_ARRAY(uint32_t) words;              // bits of descent (binary), flags (blocked, front)
    TD_ARRAY(td_front_tile) front_tiles;   // front: tiles still to be tested
    td_front_list front;                   // front: what it found of the next front
    size_t front_most;                     // ... and how much it may keep; 0: nothing
    td_front_moves moves;
    uint64_t count; // intersecting pairs
    td_counters counters;
    td_query_times times;
    td_result result; // TD_ERROR_MEMORY: the worker gave up, the answer is void
} td_worker;

void td_worker_release(td_worker *worker, td_context *context);

// Puts a pair that intersects into the worker's result.
void td_found(td_worker *worker, const td_traversal *traversal, uint32_t a, uint32_t b);

// Whether two triangles have a vertex position in common, by what positions were when the mesh was created.
bool td_share_a_position(const td_trimesh *mesh, uint32_t a, uint32_t b);

// Decides pair (a, b) exactly; for self-collision with the rules about shared positions and zero area.
bool td_exactly_intersects(const td_traversal *traversal, uint32_t a, uint32_t b);

// Decides everything in worker->undecided and empties it.
void td_decide(td_worker *worker, const td_traversal *traversal);

// Both sides are in the same coordinates: boxes along the axes are compared as they are.
static inline bool td_in_one_frame(const td_traversal *traversal) {
    return traversal->self || traversal->moving != NULL;
}

// True if the worker has what it came for or cannot go on.
static inline bool td_worker_done(const td_worker *worker, const td_traversal *traversal) {
    return worker->result != TD_OK || (traversal->mode == TD_MODE_FIRST && worker->count > 0);
}

// ---------------------------------------------------------------------------------------------------------
// The table of strategies.

typedef enum td_layout { TD_LAYOUT_BLOCKED, TD_LAYOUT_POSTORDER, TD_LAYOUT_SPLIT } td_layout;

typedef struct td_device_batch td_device_batch; // device_state.h

typedef struct td_share_buffers td_share_buffers; // balanced.h

typedef struct td_strategy {
    const char *name;
    const char *paper;
    const char *idea;
    td_layout layout;
    bool self;     // supports self-collision
    bool obb;      // supports TD_VOLUME_OBB
    bool descents; // supports descent rules
    // At least `wanted` starts if the work can be cut that fine, at least one in any case.
    td_result (*start)(td_pair_list *starts, size_t wanted, td_worker *worker, const td_traversal *traversal);
    // Visits everything below the given starts.
    void (*run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts, size_t start_count);
    // One question by all workers at once, from the root; null: `start` and `run` do it.
    td_result (*share)(td_worker *workers, uint32_t worker_count, const td_traversal *traversal,
                       td_share_buffers *buffers);
    // All questions of a batch on its device; null: natively only.
    td_result (*run_on_device)(td_device_batch *batch);
    // What takes its place on devices, where it reads another layout; null: nothing does.
    const struct td_strategy *on_device;
} td_strategy;

// TD_ERROR_ARGUMENT with the known names if there is none of this name. Null and "auto": the fastest,
// natively or on a device.
td_result td_find_strategy(const td_strategy **out, const char *name, bool on_device);

extern const td_strategy td_strategy_brute, td_strategy_stack, td_strategy_binary, td_strategy_blocked,
    td_strategy_wide, td_strategy_front, td_strategy_balanced, td_strategy_balanced_on_device;

// Places are pairs of blocks, from (0, 0) down: shared by the strategies that walk the blocked hierarchy.
td_result td_start_at_blocks(td_pair_list *starts, size_t wanted, td_worker *worker,
                             const td_traversal *traversal);

#endif
