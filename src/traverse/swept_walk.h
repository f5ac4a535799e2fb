// Continuous collision by the strategies that walk binary hierarchies: `stack`, `binary`, `front`. They walk
// the hierarchies of a step (src/bvh/swept_tree.h) as they do those of a moment. What differs is what becomes
// of leaves whose boxes meet: their triangles are asked for pairs of features that touch (swept.h).
#ifndef TD_TRAVERSE_SWEPT_WALK_H
#define TD_TRAVERSE_SWEPT_WALK_H

#include "../bvh/swept_tree.h"
#include "swept.h"

// What such a traversal needs, kept as long as it runs.
typedef struct td_swept_walk {
    td_frame frame;
    td_traversal traversal;
    const td_swept_tree *trees[2];
} td_swept_walk;

// One of the sides: its hierarchy, whose quads are those of the trees, and the binary tree over the step.
typedef struct td_swept_side {
    const td_trimesh *mesh;
    const td_blocked *blocked;
    const td_swept_tree *tree;
} td_swept_side;

// `question` stays where it is. The sides are one for a mesh against itself.
void td_swept_walk_begin(td_swept_walk *out, const td_swept_question *question, const td_swept_side sides[2],
                         td_volume volume);

// Visits everything below the given pairs of nodes; the worker's candidates are decided.
void td_swept_walk_run(td_swept_worker *worker, const td_swept_walk *walk, const td_strategy *strategy,
                       const td_pair *starts, size_t start_count);

// Brings what the worker's walk counted to its own counters, and decides its candidates.
void td_swept_walk_end(td_swept_worker *worker, const td_swept_question *question);

// What the walks call, with a traversal whose `moving` is not null: worker->leaves, pairs of leaves of
// post-order hierarchies whose boxes meet; worker->front_tiles, pairs of quads, which is emptied.
void td_swept_decide_leaves(td_worker *worker, const td_traversal *traversal);
void td_swept_front_tiles(td_worker *worker, const td_traversal *traversal);

// Whether two triangles own features that share no vertex.
bool td_swept_pair_counts(const td_swept_question *question, td_pair triangles);

#endif
