// The front of paper 001, section 4.2 and Figs. 3 to 5: where the traversal of a bounding volume test tree
// ended, kept as the place to start from the next time.
//
// Nodes of the test tree are pairs of nodes of two binary hierarchies (src/bvh/split.h). Of a pair that
// overlaps the larger side is opened, "larger" by the sizes at the time when the tree was made: so the test
// tree stays the same while meshes move and deform, and every pair has one parent. The front is a *cut*
// through it, left to right: every way from the root down to a pair of quads passes one entry. In
// self-collision, pairs of quads without a pair of triangles that share no corner are no part of the tree,
// nor is what holds only such pairs.
//
// An entry is tested again and
//   keeps its place   if it is apart, or a pair of quads,
//   descends          if it overlaps: what ends below it takes its place,
//   ascends           if it and all its siblings are apart, and their parent is, too: the parent takes their
//                     place, put there by the left-most of them only.
// Each move turns a cut into a cut. That is all that exactness needs: whatever the boxes did meanwhile, every
// pair of triangles is below an entry that is apart, or its quads have been reached. The paper's Fig. 4 tests
// the parent of every entry that is apart; here an entry asks its siblings first, which are its neighbours in
// the list. There a parent that is apart may take the place of some siblings only, if boxes do not nest
// exactly.
#ifndef TD_TRAVERSE_FRONT_H
#define TD_TRAVERSE_FRONT_H

#include "traversal.h"

// A first front, some levels below the root. Only what was found apart has been tested.
td_result td_front_begin(td_front_list *out, td_worker *worker, const td_traversal *traversal);

// Entries per task for a front of so many: the same whatever the threads. Each entry of a first front (not
// `warm`) is a lot of work.
size_t td_front_chunk(size_t entries, bool warm);

// Neighbouring entries of a front.
typedef struct td_front_part {
    const td_front_entry *entries;
    size_t count;
} td_front_part;

// Tests the entries of a part and everything that follows from them. What becomes of them is
// appended to worker->front, in order, as long as there are no more than worker->front_most; with more the
// list is emptied and front_most 0. A worker that has found what it came for (TD_MODE_FIRST) leaves the rest
// as it was.
void td_front_advance(td_worker *worker, const td_traversal *traversal, const td_front_part *part);

// TD_OK if the entries are a cut through the test tree; TD_ERROR_MESH with the first violation. As slow as a
// traversal of all of them.
td_result td_front_validate(const td_front_list *front, td_worker *worker, const td_traversal *traversal);

// ---------------------------------------------------------------------------------------------------------

// Tests worker->front_tiles and empties it (front_wide.c).
typedef void td_front_tiles_fn(td_worker *worker, const td_traversal *traversal);

td_front_tiles_fn td_front_tiles_scalar;
#if defined(__x86_64__)
td_front_tiles_fn td_front_tiles_sse4, td_front_tiles_avx2, td_front_tiles_avx512;
#elif defined(__aarch64__)
td_front_tiles_fn td_front_tiles_neon;
#endif

// By the instruction set of the traversal's context.
td_front_tiles_fn td_front_tiles;

#endif
