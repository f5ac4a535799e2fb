// A question answered by walking the binary hierarchies of the step: `stack` and `binary` from pairs of nodes
// that threads share, `front` from where the step before it ended.
#include "../core/error.h"
#include "continuous.h"
#include "front.h"

typedef struct td_walk_parts {
    td_continuous_parts parts;
    const td_swept_walk *walk;
    const td_strategy *strategy;
} td_walk_parts;

static void td_walk_part(td_swept_worker *worker, uint32_t item, const void *user) {
    const td_walk_parts *parts = user;
    td_swept_walk_run(worker, parts->walk, parts->strategy, &parts->parts.query->node_starts.items[item], 1);
}

static td_result td_walk_from_starts(td_continuous *query, const td_swept_walk *walk,
                                     const td_continuous_def *def, const td_strategy *strategy) {
    td_swept_worker *first = &query->workers[0];
    query->node_starts.count = 0;
    TD_TRY(strategy->start(&query->node_starts, td_wanted_parts(query, def), &first->walk, &walk->traversal));
    td_walk_parts parts = {.parts = {.query = query,
                                     .question = walk->traversal.moving,
                                     .part = td_walk_part,
                                     .user = &parts,
                                     .total = (uint32_t)query->node_starts.count},
                           .walk = walk,
                           .strategy = strategy};
    TD_TRY(td_run_in_parts(&parts.parts, def));
    if (query->node_starts.count == 0) { // apart at the root: what was counted on the way is the first's
        td_swept_walk_end(first, walk->traversal.moving);
    }
    return td_result_of_workers(query);
}

static td_result td_walk_from_front(td_continuous *query, const td_swept_walk *walk,
                                    const td_continuous_def *def, const td_continuous_way *way) {
    const td_swept_question *question = walk->traversal.moving;
    TD_TRY(td_tell_progress(def, 0, 1));
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_swept_ready(&query->workers[i], question);
    }
    TD_TRY(td_result_of_workers(query));
    const td_front_question step = {.traversal = &walk->traversal,
                                    .a = way->meshes[0],
                                    .b = way->meshes[1],
                                    .workers = &query->workers[0].walk,
                                    .worker_stride = sizeof query->workers[0],
                                    .worker_count = query->worker_count};
    TD_TRY(td_step_front(def->front, &step));
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_swept_walk_end(&query->workers[i], question);
    }
    const td_result result = td_result_of_workers(query);
    if (result != TD_OK) {
        td_reset_front(def->front);
        return result;
    }
    return td_tell_progress(def, 1, 1);
}

void td_begin_walk(td_swept_walk *walk, const td_continuous *query, const td_swept_question *question,
                   const td_continuous_def *def, const td_continuous_way *way) {
    td_swept_side sides[2];
    for (int i = 0; i < 2; ++i) {
        const td_mesh *mesh = way->meshes[way->self ? 0 : i];
        sides[i] = (td_swept_side){&mesh->triangles, &mesh->hierarchy, &query->sides[way->self ? 0 : i].tree};
    }
    td_swept_walk_begin(walk, question, sides, way->volume);
    walk->traversal.descent = def->descent == TD_DESCENT_AUTO ? TD_DESCENT_LARGER : def->descent;
}

td_result td_walk_continuous(td_continuous *query, const td_swept_question *question,
                             const td_continuous_def *def, const td_continuous_way *way) {
    td_swept_walk walk;
    td_begin_walk(&walk, query, question, def, way);
    return def->front != NULL ? td_walk_from_front(query, &walk, def, way)
                              : td_walk_from_starts(query, &walk, def, way->walks);
}
