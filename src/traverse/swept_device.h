// Continuous collision on a device: what a query holds there, and how a question is answered.
//
// The step's boxes are made natively (bvh/swept.h) and brought to the device, with the paths of the vertices.
// There the two hierarchies are walked together, blocks breadth first (kernels/swept.cl) or binary trees by
// the kernels of `stack`, `binary` and `balanced` (swept_walk_device.c); and, on devices with float64, pairs
// of features are tested (kernels/moving.cl). What the filter leaves undecided, pairs with a separation, and
// all pairs where there is no float64, are decided by the host as ever. So the answer is the native one, to
// the bit.
#ifndef TD_TRAVERSE_SWEPT_DEVICE_H
#define TD_TRAVERSE_SWEPT_DEVICE_H

#include "../device/device.h"
#include "device_state.h"
#include "swept_counts.h"
#include "swept_walk.h"

// What is brought of one mesh.
typedef enum td_swept_part {
    TD_PART_BLOCKS, // only where they are walked
    TD_PART_QUADS,
    TD_PART_BOXES,     // of the vertices
    TD_PART_TRIANGLES, // stay as long as the mesh does
    TD_PART_PATHS,     // only where there is float64
    TD_PARTS
} td_swept_part;

typedef enum td_swept_use {
    TD_SWEPT_USE_COUNTS,     // TD_SWEPT_COUNTS words
    TD_SWEPT_USE_PLACES,     // pairs of blocks, in segments
    TD_SWEPT_USE_QUADS,      // pairs of quads
    TD_SWEPT_USE_CANDIDATES, // pairs of features
    TD_SWEPT_USE_CONTACTS,
    TD_SWEPT_USE_HANDED, // candidates
    TD_SWEPT_USES
} td_swept_use;

// Pairs of blocks that wait, one behind the other.
typedef struct td_swept_segment {
    uint32_t first, count;
} td_swept_segment;

typedef struct td_swept_device {
    td_device *device;
    td_context *context;
    td_device_buffer parts[2][TD_PARTS];
    uint64_t serials[2]; // of the meshes whose triangles are there
    bool known[2];       // there are triangles
    td_device_buffer buffers[TD_SWEPT_USES];
    td_device_state *walks; // of strategies that walk binary trees; null: none has been asked for
    uint64_t steps;         // that these have answered
    TD_ARRAY(td_swept_segment) waiting;
    TD_ARRAY(td_candidate) candidates; // as read
    TD_ARRAY(td_swept_contact) contacts;
} td_swept_device;

td_result td_swept_device_create(td_swept_device **out, td_device *device);
void td_swept_device_destroy(td_swept_device *state); // null is fine
uint64_t td_swept_device_bytes(const td_swept_device *state);

// A question on its way through a device.
typedef struct td_swept_run_state {
    td_swept_device *state;
    const td_swept_question *question;
    td_swept_worker *workers; // those of the host; the device's contacts go to the first
    uint32_t worker_count;
    const td_kernel *visit_blocks, *visit_tiles;
    const td_kernel *filter;        // null: the host decides everything
    bool lanes;                     // tiles are single lanes of quads, not quads
    const td_device_buffer *places; // what walks found (td_device_place); null: TD_SWEPT_USE_QUADS
    uint32_t first_place;           // of the tiles in `places`
    uint32_t tile_count;            // pairs of quads, or of lanes
    uint32_t tile_slice;            // so many are visited at once
    uint32_t candidate_room;        // in TD_SWEPT_USE_CANDIDATES
    td_progress_fn *progress;       // null: nobody wants to know
    void *progress_user;
    td_device_front *front; // strategy `front`; null: from the root
} td_swept_run_state;

// Answers the question; what was found is with the workers, which have begun. `serials`: of the two meshes,
// which tell whether their triangles are known.
td_result td_swept_run_on_device(td_swept_run_state *run, const uint64_t serials[2]);

// swept_walk_device.c: likewise, by a strategy that walks binary trees.
td_result td_swept_walk_on_device(td_swept_run_state *run, const uint64_t serials[2],
                                  const td_swept_walk *walk, const td_strategy *strategy);

// Finds the kernels and brings what moves; `blocks` or not. Whether tiles are lanes is known.
td_result td_swept_bring(td_swept_run_state *run, const uint64_t serials[2], bool blocks);

// swept_settle.c: turns all pairs of quads, or of lanes, into contacts.
td_result td_swept_settle_tiles(td_swept_run_state *run);

// All words zero, before a launch; and what they are after it.
td_result td_swept_reset_counts(const td_swept_run_state *run);
td_result td_swept_read_counts(uint32_t counts[TD_SWEPT_COUNTS], const td_swept_run_state *run);

// Room for `count` items of `size` bytes, of which the first `keep` are kept.
td_result td_swept_room(td_swept_device *state, td_swept_use use, size_t count, size_t size, size_t keep);

enum { TD_SWEPT_GROUP = 64 }; // work-items per group

#endif
