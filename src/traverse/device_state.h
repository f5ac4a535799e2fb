// A query's memory on a device, and a batch of questions put to it.
//
// Memory stays as large as the largest query so far wanted it (paper 002, section 2); what is short is grown
// and the step retried. Meshes that were met stay on the device, one behind the other, until room is needed,
// or until most of them have not been met for long.
#ifndef TD_TRAVERSE_DEVICE_STATE_H
#define TD_TRAVERSE_DEVICE_STATE_H

#include "../bvh/refit_device.h"
#include "../device/balance.h"
#include "../device/device.h"
#include "device_pair.h"
#include "front_device.h"

typedef enum td_device_use {
    TD_USE_PAIRS,        // td_device_pair per question
    TD_USE_MOTIONS,      // td_rigid per question, for the exact predicate
    TD_USE_COUNTS,       // TD_COUNTS words
    TD_USE_TALLIES,      // TD_TALLIES words per question
    TD_USE_STARTS,       // walks: places to start from
    TD_USE_SLOTS,        // walks: where the work-items stand
    TD_USE_MEMORY,       // walks: their stacks
    TD_USE_CANDIDATES,   // walks: pairs of lanes
    TD_USE_PLACES,       // blocked: pairs of blocks still to be visited; front: units
    TD_USE_SLICE,        // blocked: those being visited; front: likewise
    TD_USE_FLAGS,        // blocked: a word per pair of blocks; front: per entry
    TD_USE_COUNTS_NEXT,  // blocked: counts, then sums; front: entries of the next front
    TD_USE_COUNTS_TILES, // blocked: likewise; front: entries that descend
    TD_USE_TILES,        // blocked, front: pairs of quads
    TD_USE_MOVES,        // front: per entry
    TD_USE_ORIGINS,      // front: per unit, the entry it is below; and those of the next round
    TD_USE_ORIGINS_NEXT,
    TD_USE_FOLLOW, // front: per unit, how many it leads to, then sums; and those of the next round
    TD_USE_FOLLOW_NEXT,
    TD_USE_HITS,
    TD_USE_UNDECIDED,
    TD_USE_HANDED,
    TD_USE_RAYS,     // td_ray_form per ray
    TD_USE_RAY_HITS, // td_lane_hit per ray
    TD_USES
} td_device_use;

// What tells a mesh, and the state of its hierarchies, from others.
typedef struct td_mesh_stamp {
    uint64_t mesh;      // this mesh, whatever its positions
    uint64_t structure; // ... while its hierarchies are only refitted
    uint64_t refits;    // how often they have been
} td_mesh_stamp;

// Items of one kind of one mesh.
typedef struct td_arena_extent {
    uint32_t first, count;
    uint32_t room;   // items that it may have without moving; 0: it has no place yet
    bool present;    // the items are those of the entry's structure,
    uint64_t refits; // ... refitted so often
} td_arena_extent;

// Where a mesh lies in the arena.
typedef struct td_arena_entry {
    uint64_t mesh, structure; // as in its stamp
    uint64_t met;             // number of the batch that met it last
    td_arena_extent extents[TD_ARENA_KINDS];
    td_levels levels, ranks; // deformable meshes; without order, which is on the device
} td_arena_entry;

typedef struct td_device_state {
    td_device *device;
    td_context *context;
    td_device_buffer arena[TD_ARENA_KINDS];
    uint64_t arena_count[TD_ARENA_KINDS]; // items, and what nobody has any more
    TD_ARRAY(td_arena_entry) entries;     // ascending by mesh
    uint64_t batches;                     // so far
    td_refit_scratch refit;
    td_work_queues queues; // balanced
    td_device_buffer buffers[TD_USES];
    TD_ARRAY(td_device_pair) pairs;   // what is to be written to the device
    TD_ARRAY(td_rigid) motions;       // likewise
    TD_ARRAY(td_device_place) places; // likewise; and what was read
    TD_ARRAY(uint32_t) words;
    td_worker scratch;     // for splitting walks natively
    td_front_list starts;  // front: a first front, made natively
    td_device_front front; // front: of questions that leave none behind
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
    td_mesh_stamp stamp_a, stamp_b; // of the meshes
} td_device_question;

// What becomes of the candidates of walks, where it is not that triangles are tested at one moment. All that
// was found is void when a batch begins anew, for want of memory.
typedef struct td_device_settler {
    td_result (*settle)(td_device_batch *batch, uint32_t count, void *user);
    td_result (*settle_tiles)(td_device_batch *batch, uint32_t first, uint32_t count, void *user);
    void (*begin)(void *user);
    void *user;
    // Of each side: its quads (td_swept_quad) and triangles (td_swept_triangle).
    const td_device_buffer *quads[2], *triangles[2];
} td_device_settler;

// All questions of one call, and the answers as they come.
struct td_device_batch {
    td_device_state *state;
    const td_device_question *questions;
    uint32_t count;
    bool one_item_per_pair;
    td_progress_fn *progress; // null: nobody wants to know
    void *progress_user;
    const td_device_settler *settler; // of meshes in motion; null: device_settle.c
    td_device_front *front;           // of one question: where to start, and what to leave; null: nothing
    TD_ARRAY(td_device_place) hits;   // intersecting triangles, in no order
    TD_ARRAY(uint32_t) tallies;       // TD_TALLIES per question
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

// device_meshes.c: sees to it that the meshes of all questions are on the device, as they are now: what is
// there and only has other positions is refitted there.
td_result td_device_load_meshes(td_device_batch *batch, const td_strategy *strategy);

// device_arena.c: memory for the arrays of meshes. td_arena_find gives the entry of a mesh, or null;
// td_arena_meet makes one if there is none. Entries move when one is made.
td_arena_entry *td_arena_find(const td_device_state *state, uint64_t mesh);
td_result td_arena_meet(td_arena_entry **out, td_device_state *state, uint64_t mesh);
// A place for `count` items, where they were if they fit; their room is `spare` more. Nothing is written.
td_result td_arena_place(td_device_state *state, td_arena_entry *entry, int kind, size_t count, size_t spare);
size_t td_arena_item_size(int kind);
void td_arena_tidy(td_device_state *state); // forgets all if more is waste than is not
void td_device_forget_meshes(td_device_state *state);

// device_settle.c: the triangle tests, at the end of every strategy, or what the batch's settler does
// instead. Candidates [0, count) are pairs of lanes, tiles [first, first + count) pairs of quads.
td_result td_device_settle_candidates(td_device_batch *batch, uint32_t count);
td_result td_device_settle_tiles(td_device_batch *batch, uint32_t first, uint32_t count);

#endif
