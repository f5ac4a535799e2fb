// A query's memory on a device, and a batch of questions put to it.
//
// Memory stays as large as the largest query so far wanted it (paper 002, section 2); what is short is grown
// and the step retried. Meshes that were met stay on the device, one behind the other, until room is needed.
#ifndef TD_TRAVERSE_DEVICE_STATE_H
#define TD_TRAVERSE_DEVICE_STATE_H

#include "../device/device.h"
#include "device_pair.h"
#include "traversal.h"

typedef enum td_device_use {
    TD_USE_PAIRS,        // td_device_pair per question
    TD_USE_MOTIONS,      // td_rigid per question, for the exact predicate
    TD_USE_COUNTS,       // TD_COUNTS words
    TD_USE_TALLIES,      // TD_TALLIES words per question
    TD_USE_STARTS,       // walks: places to start from
    TD_USE_SLOTS,        // walks: where the work-items stand
    TD_USE_MEMORY,       // walks: their stacks
    TD_USE_CANDIDATES,   // walks: pairs of lanes
    TD_USE_PLACES,       // blocked: pairs of blocks still to be visited
    TD_USE_SLICE,        // blocked: those being visited
    TD_USE_FLAGS,        // blocked: a word per pair of blocks
    TD_USE_COUNTS_NEXT,  // blocked: counts, then sums
    TD_USE_COUNTS_TILES, // blocked: likewise
    TD_USE_TILES,        // blocked: pairs of quads
    TD_USE_HITS,
    TD_USE_UNDECIDED,
    TD_USE_HANDED,
    TD_USE_RAYS,     // td_ray_form per ray
    TD_USE_RAY_HITS, // td_lane_hit per ray
    TD_USES
} td_device_use;

// Where a mesh lies in the arena.
typedef struct td_arena_entry {
    uint64_t serial;
    uint32_t first[TD_ARENA_KINDS];
    uint32_t present; // a bit per kind
} td_arena_entry;

typedef struct td_device_state {
    td_device *device;
    td_context *context;
    td_device_buffer arena[TD_ARENA_KINDS];
    uint64_t arena_count[TD_ARENA_KINDS]; // items
    TD_ARRAY(td_arena_entry) entries;
    TD_ARRAY(uint32_t) entry_of_serial; // TD_NONE: not there
    td_device_buffer buffers[TD_USES];
    TD_ARRAY(td_device_pair) pairs;   // what is to be written to the device
    TD_ARRAY(td_rigid) motions;       // likewise
    TD_ARRAY(td_device_place) places; // likewise; and what was read
    TD_ARRAY(uint32_t) words;
    td_worker scratch; // for splitting walks natively
} td_device_state;

td_result td_device_state_create(td_device_state **out, td_device *device);
void td_device_state_destroy(td_device_state *state);         // null is fine
uint64_t td_device_state_bytes(const td_device_state *state); // held on the device

// Room for `count` items of `size` bytes, of which the first `keep` are kept.
td_result td_device_room(td_device_state *state, td_device_use use, size_t count, size_t size, size_t keep);

// Likewise, but where memory is short also less, down to `least`: *got tells.
td_result td_device_room_up_to(td_device_state *state, td_device_use use, size_t wanted, size_t least,
                               size_t size, uint32_t *got);

#define td_device_items(state, use, item_size) ((uint32_t)((state)->buffers[use].size / (item_size)))

// ---------------------------------------------------------------------------------------------------------

// One object pair of a batch.
typedef struct td_device_question {
    td_traversal traversal; // its frame is the one below
    td_frame frame;
    uint64_t serial_a, serial_b; // of the meshes
} td_device_question;

// All questions of one call, and the answers as they come.
struct td_device_batch {
    td_device_state *state;
    const td_device_question *questions;
    uint32_t count;
    bool one_item_per_pair;
    td_progress_fn *progress; // null: nobody wants to know
    void *progress_user;
    TD_ARRAY(td_device_place) hits; // intersecting triangles, in no order
    TD_ARRAY(uint32_t) tallies;     // TD_TALLIES per question
};

// Whether a question goes to the device at all: it is left out where the meshes are far apart, or where
// float32 is of no use.
static inline bool td_device_takes(const td_device_question *question) {
    return question->frame.usable && !question->frame.apart;
}

// Tells the caller that about `done` of the questions are answered; TD_ERROR_CANCELLED if they want no more.
td_result td_device_progress(const td_device_batch *batch, uint64_t done);

// Brings the meshes of the questions, as far as the strategy reads them, and the pairs to the device, runs
// the strategy and fetches hits and tallies.
td_result td_device_run(td_device_batch *batch, const td_strategy *strategy);
void td_device_batch_release(td_device_batch *batch, td_context *context);

// device_arena.c: sees to it that the meshes of all questions are on the device.
td_result td_device_load_meshes(td_device_batch *batch, const td_strategy *strategy);
void td_device_forget_meshes(td_device_state *state);

// device_settle.c: the triangle tests, at the end of every strategy. Candidates [0, count) are pairs of
// lanes, tiles [first, first + count) pairs of quads.
td_result td_device_settle_candidates(td_device_batch *batch, uint32_t count);
td_result td_device_settle_tiles(td_device_batch *batch, uint32_t first, uint32_t count);

#endif
