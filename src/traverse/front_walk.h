// One pair of nodes of two split hierarchies (src/bvh/split.h): do they overlap, what follows from it, and
// where did it come from.
#ifndef TD_TRAVERSE_FRONT_WALK_H
#define TD_TRAVERSE_FRONT_WALK_H

#include "../math/f4.h"
#include "front.h"
#include "nodes.h"
#include "stage_clock.h"

typedef struct td_front_walk {
    td_worker *worker;
    const td_traversal *traversal;
    const td_split_node *a, *b;
    const td_split_box *boxes_a, *boxes_b;
    const td_obbf *obbs_a, *obbs_b; // null: boxes are along the axes
    td_placef place;                // of B
    td_f4 slack;                    // one frame
    bool one_frame, self;
    size_t tiles_at; // tiles are worked off when there are so many
} td_front_walk;

// Makes room for the walk's lists; on failure worker->result says so.
td_front_walk td_front_walk_begin(td_worker *worker, const td_traversal *traversal);

// Tests the tiles that wait, decides what is undecided, and stops the clock.
void td_front_finish(const td_front_walk *walk, const td_stage_clock *clock);

// Visits what is below a pair that overlaps and is no pair of leaves.
void td_front_below(const td_front_walk *walk, td_pair pair);

static inline bool td_is_pair(td_front_entry entry, td_pair pair) {
    return entry.a == pair.a && entry.b == pair.b;
}

static inline td_boxf td_split_boxf(const td_split_box *box) {
    td_boxf out;
    for (int k = 0; k < 3; ++k) {
        const float upper = -box->minus_upper[k], center = 0.5f * box->lower[k] + 0.5f * upper;
        const float above = upper - center, below = center - box->lower[k];
        const float half = above > below ? above : below;
        out.center[k] = center;
        out.half[k] = half + half * 0x1p-22f; // covers the rounding of the subtraction
    }
    return out;
}

// A node overlaps itself.
static inline bool td_front_overlap(const td_front_walk *walk, td_pair pair) {
    const td_split_box *a = &walk->boxes_a[pair.a], *b = &walk->boxes_b[pair.b];
    if (walk->obbs_a != NULL) {
        return (walk->self && pair.a == pair.b) ||
               td_obb_overlaps(&walk->obbs_a[pair.a], &walk->obbs_b[pair.b], &walk->place);
    }
    if (!walk->one_frame) {
        return td_box_overlaps(td_split_boxf(a), td_split_boxf(b), walk->place);
    }
    const td_f4 before = td_f4_add(td_f4_load(a->lower), td_f4_load(b->minus_upper));
    const td_f4 behind = td_f4_add(td_f4_load(b->lower), td_f4_load(a->minus_upper));
    return td_f4_signs(td_f4_sub(walk->slack, td_f4_max(before, behind))) == 0;
}

static inline bool td_front_meets(const td_front_walk *walk, td_pair pair) {
    walk->worker->counters.box_tests++;
    return td_front_overlap(walk, pair);
}

static inline bool td_front_is_leaf(const td_front_walk *walk, td_pair pair) {
    return td_split_is_leaf(walk->a, pair.a) && td_split_is_leaf(walk->b, pair.b);
}

// The size of a node of B in A's units.
static inline float td_size_in_a(const td_front_walk *walk, uint32_t b) {
    const float size = walk->b[b].size;
    return size > 0 ? size * walk->traversal->ratio : size;
}

// Puts what follows from a pair on the stack, the left-most on top; at most three pairs.
static inline uint32_t td_front_open(const td_front_walk *walk, td_pair pair, td_pair *top) {
    if (walk->self && pair.a == pair.b) {
        const uint32_t left = pair.a + 1, right = walk->a[pair.a].right;
        top[0] = (td_pair){right, right};
        top[1] = (td_pair){left, right};
        top[2] = (td_pair){left, left};
        return 3;
    }
    if (walk->a[pair.a].size >= td_size_in_a(walk, pair.b)) { // leaves have the least size there is
        top[0] = (td_pair){walk->a[pair.a].right, pair.b};
        top[1] = (td_pair){pair.a + 1, pair.b};
    } else {
        top[0] = (td_pair){pair.a, walk->b[pair.b].right};
        top[1] = (td_pair){pair.a, pair.b + 1};
    }
    return 2;
}

// The two pairs that follow from one: what td_front_open puts on the stack.
typedef struct td_front_family {
    td_pair parent, left, right;
    bool known; // false: no parent, or one that overlaps itself and is never ascended to
} td_front_family;

// Sizes shrink on the way down, and the larger side is opened first, A's if both are the same: so of the two
// parents the smaller one was opened last, B's if both are the same. A side that has not been opened since
// the two sides parted (self) has the other side below its parent.
static inline td_front_family td_front_family_of(const td_front_walk *walk, td_pair pair) {
    const uint32_t above_a = walk->a[pair.a].parent, above_b = walk->b[pair.b].parent;
    if ((above_a == TD_NONE && above_b == TD_NONE) || (walk->self && above_a == above_b)) {
        return (td_front_family){.known = false};
    }
    bool opened_a = above_b == TD_NONE;
    if (above_a != TD_NONE && above_b != TD_NONE) {
        opened_a = walk->a[above_a].size < td_size_in_a(walk, above_b);
        if (walk->self && td_split_below(walk->a, above_b, pair.a)) {
            opened_a = true;
        } else if (walk->self && td_split_below(walk->a, above_a, pair.b)) {
            opened_a = false;
        }
    }
    td_front_family family = {.known = true};
    if (opened_a) {
        family.parent = (td_pair){above_a, pair.b};
        family.left = (td_pair){above_a + 1, pair.b};
        family.right = (td_pair){walk->a[above_a].right, pair.b};
    } else {
        family.parent = (td_pair){pair.a, above_b};
        family.left = (td_pair){pair.a, above_b + 1};
        family.right = (td_pair){pair.a, walk->b[above_b].right};
    }
    return family;
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

static inline td_front_entry td_new_entry(td_pair pair) {
    return (td_front_entry){pair.a, pair.b, TD_LANES_UNKNOWN};
}

// A pair of quads that overlap, which is an entry of the next front: its triangles are to be tested.
static inline void td_front_leaf(const td_front_walk *walk, td_front_entry entry) {
    td_worker *worker = walk->worker;
    if (worker->front_tiles.count >= walk->tiles_at) {
        td_front_tiles(worker, walk->traversal);
    }
    td_front_record(walk, entry);
    worker->front_tiles.items[worker->front_tiles.count++] =
        (td_front_tile){walk->a[entry.a].right, walk->b[entry.b].right, entry.lanes, worker->front.count - 1};
}

#endif
