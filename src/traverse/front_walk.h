// A walk of one worker through the test tree of two split hierarchies (test_tree.h): what it keeps for the
// next front, and which tiles are to be tested.
#ifndef TD_TRAVERSE_FRONT_WALK_H
#define TD_TRAVERSE_FRONT_WALK_H

#include "front.h"
#include "nodes.h"
#include "stage_clock.h"
#include "test_tree.h"

typedef struct td_front_walk {
    td_worker *worker;
    const td_traversal *traversal;
    td_test_tree tree;
    size_t tiles_at; // tiles are worked off when there are so many
} td_front_walk;

// Makes room for the walk's lists; on failure worker->result says so.
td_front_walk td_front_walk_begin(td_worker *worker, const td_traversal *traversal);

// Tests the tiles that wait, decides what is undecided, and stops the clock.
void td_front_finish(const td_front_walk *walk, const td_stage_clock *clock);

// Visits what is below a pair that overlaps and is no pair of leaves.
void td_front_below(const td_front_walk *walk, td_pair pair);

static inline bool td_front_meets(const td_front_walk *walk, td_pair pair) {
    walk->worker->counters.box_tests++;
    return td_front_overlap(&walk->tree, pair);
}

// ---------------------------------------------------------------------------------------------------------

static inline void td_front_record(const td_front_walk *walk, td_front_entry entry) {
    td_worker *worker = walk->worker;
    if (worker->front_most == 0) {
        return;
    }
    if (worker->front.count == worker->front_most) {
        worker->front.count = worker->front_most = 0;
    } else if (td_array_reserve(walk->traversal->context, &worker->front, 1) == TD_OK) {
        worker->front.items[worker->front.count++] = entry;
    } else {
        worker->result = TD_ERROR_MEMORY;
    }
}

// A pair of quads that overlap, which is an entry of the next front: its triangles are to be tested.
static inline void td_front_leaf(const td_front_walk *walk, td_front_entry entry) {
    td_worker *worker = walk->worker;
    if (worker->front_tiles.count >= walk->tiles_at) {
        td_front_tiles(worker, walk->traversal);
    }
    td_front_record(walk, entry);
    worker->front_tiles.items[worker->front_tiles.count++] =
        (td_front_tile){entry.a, entry.b, entry.lanes, (uint32_t)(worker->front.count - 1)};
}

#endif
