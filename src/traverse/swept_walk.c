#include "swept_walk.h"

#include "post_visit.h"

#include <math.h>

// Both sides are in the coordinates of the step, within [-1, 1]: B stands where it is. The slack is that of
// any two meshes at the identity (docs/exactness.md): 64 u (1 + sqrt 3) for what is rounded in the tests,
// with u = 2^-24; the coordinates themselves are off by 2^-52.
static td_frame td_frame_of_step(void) {
    return (td_frame){.identity = true,
                      .usable = true,
                      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .ratio = 1,
                      .unit = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .slack = 0x3p-18f};
}

void td_swept_walk_begin(td_swept_walk *out, const td_swept_question *question, const td_swept_side sides[2],
                         td_volume volume) {
    const td_swept_side *a = &sides[0], *b = &sides[1];
    out->frame = td_frame_of_step();
    out->trees[0] = a->tree;
    out->trees[1] = b->tree;
    out->traversal = (td_traversal){
        .context = question->context,
        .mesh_a = a->mesh,
        .mesh_b = b->mesh,
        .a = a->blocked,
        .b = b->blocked,
        .post_a = &a->tree->post,
        .post_b = &b->tree->post,
        .split_a = &a->tree->split,
        .split_b = &b->tree->split,
        .frame = &out->frame,
        .mode = TD_MODE_PAIRS,
        .volume = volume,
        .descent = TD_DESCENT_LARGER, // unless the caller has another one
        // The sizes by which a front opens nodes are in the units of the meshes.
        .ratio = (float)ldexp(1.0, a->blocked->exponent - b->blocked->exponent),
        .self = question->self,
        .moving = question,
    };
}

void td_swept_walk_end(td_swept_worker *worker, const td_swept_question *question) {
    worker->counters.box_tests += worker->walk.counters.box_tests;
    worker->walk.counters = (td_counters){0};
    if (worker->result == TD_OK) {
        worker->result = worker->walk.result;
    }
    if (worker->result == TD_OK) {
        td_decide_candidates(worker, question);
    }
}

void td_swept_walk_run(td_swept_worker *worker, const td_swept_walk *walk, const td_strategy *strategy,
                       const td_pair *starts, size_t start_count) {
    if (td_swept_ready(worker, walk->traversal.moving)) {
        strategy->run(&worker->walk, &walk->traversal, starts, start_count);
        td_swept_walk_end(worker, walk->traversal.moving);
    }
}

// ---------------------------------------------------------------------------------------------------------

// What failed in either stays failed.
static void td_pass_result(td_worker *worker) {
    worker->result = worker->result == TD_OK ? worker->moving->result : worker->result;
}

void td_swept_decide_leaves(td_worker *worker, const td_traversal *traversal) {
    td_swept_worker *moving = worker->moving;
    const td_swept_question *question = traversal->moving;
    for (size_t i = 0; i < worker->leaves.count && moving->result == TD_OK; ++i) {
        moving->counters.triangle_tests++;
        td_swept_test_pair(moving, question, td_triangles_of_leaves(traversal, worker->leaves.items[i]));
        if (moving->candidates.count >= TD_CANDIDATES_AT) {
            td_decide_candidates(moving, question);
        }
    }
    td_pass_result(worker);
}

void td_swept_front_tiles(td_worker *worker, const td_traversal *traversal) {
    for (size_t i = 0; i < worker->front_tiles.count; ++i) { // of quads, no longer of nodes
        td_front_tile *tile = &worker->front_tiles.items[i];
        tile->a = traversal->split_a->nodes[tile->a].right;
        tile->b = traversal->split_b->nodes[tile->b].right;
    }
    td_swept_tiles(worker->moving, traversal->moving, worker->front_tiles.items, worker->front_tiles.count);
    worker->front_tiles.count = 0;
    td_pass_result(worker);
}

bool td_swept_pair_counts(const td_swept_question *question, td_pair triangles) {
    return td_own_features(&question->features_a->triangles[triangles.a],
                           &question->features_b->triangles[triangles.b], question->self);
}
