// A question shared out over the context's threads: pairs of blocks, or, by brute force, triangles of A.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "continuous.h"

#include <string.h>

enum {
    TD_STARTS_OF_WORKER = 64,
    TD_ITEMS_OF_ROUND = 16, // per worker, between two calls of the progress function
    TD_BRUTE_ROWS = 16      // triangles of A per item
};

// ---------------------------------------------------------------------------------------------------------------------
// Parts

typedef struct td_continuous_round {
    const td_continuous_parts *parts;
    atomic_uint next;
    uint32_t end;
} td_continuous_round;

static void td_continuous_task(uint32_t item, void *payload) {
    td_continuous_round *round = payload;
    const td_continuous_parts *parts = round->parts;
    td_swept_worker *worker = &parts->query->workers[item];
    while (worker->result == TD_OK) {
        const uint32_t next = atomic_fetch_add_explicit(&round->next, 1, memory_order_relaxed);
        if (next >= round->end) {
            return;
        }
        parts->part(worker, next, parts->user);
    }
}

td_result td_result_of_workers(const td_continuous *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        if (query->workers[i].result != TD_OK) {
            // The sentence stayed with the thread that failed: say it again on this one.
            return td_fail(query->workers[i].result, "out of memory while collecting contacts");
        }
    }
    return TD_OK;
}

td_result td_tell_progress(const td_continuous_def *def, uint32_t done, uint32_t total) {
    if (def->progress != NULL && !def->progress(done, total, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled after %u of %u parts", done, total);
    }
    return TD_OK;
}

size_t td_wanted_parts(const td_continuous *query, const td_continuous_def *def) {
    return query->worker_count == 1 && def->progress == NULL
               ? 1
               : (size_t)TD_STARTS_OF_WORKER * query->worker_count;
}

td_result td_run_in_parts(const td_continuous_parts *parts, const td_continuous_def *def) {
    const td_continuous *query = parts->query;
    const uint32_t total = parts->total, per_round = TD_ITEMS_OF_ROUND * query->worker_count;
    td_continuous_round round = {.parts = parts};
    for (uint32_t done = 0; done < total; done = round.end) {
        TD_TRY(td_tell_progress(def, done, total));
        round.end = def->progress == NULL || total - done < per_round ? total : done + per_round;
        atomic_store(&round.next, done);
        const uint32_t items = round.end - done;
        td_run_tasks(query->context, td_continuous_task,
                     items < query->worker_count ? items : query->worker_count, &round);
        TD_TRY(td_result_of_workers(query));
    }
    return td_tell_progress(def, total, total);
}

// ---------------------------------------------------------------------------------------------------------------------
// Strategies

static void td_brute_part(td_swept_worker *worker, uint32_t item, const void *user) {
    const td_continuous_parts *parts = user;
    const uint32_t count = parts->question->features_a->triangle_count, first = item * TD_BRUTE_ROWS;
    td_swept_brute(worker, parts->question, first,
                   count - first < TD_BRUTE_ROWS ? count : first + TD_BRUTE_ROWS);
}

static void td_wide_part(td_swept_worker *worker, uint32_t item, const void *user) {
    const td_continuous_parts *parts = user;
    td_swept_run(worker, parts->question, &parts->query->starts.items[item], 1);
}

static void td_blocked_part(td_swept_worker *worker, uint32_t item, const void *user) {
    const td_continuous_parts *parts = user;
    td_swept_run_blocked(worker, parts->question, &parts->query->starts.items[item], 1);
}

static td_result td_run_brute(td_continuous *query, const td_swept_question *question,
                              const td_continuous_def *def) {
    const uint32_t rows = question->features_a->triangle_count;
    td_continuous_parts parts = {.query = query,
                                 .question = question,
                                 .part = td_brute_part,
                                 .user = &parts,
                                 .total = rows / TD_BRUTE_ROWS + (rows % TD_BRUTE_ROWS != 0)};
    return td_run_in_parts(&parts, def);
}

// From pairs of blocks down, each a part.
static td_result td_run_blocks(td_continuous *query, const td_swept_question *question,
                               const td_continuous_def *def, bool breadth_first) {
    TD_TRY(td_swept_starts(&query->starts, td_wanted_parts(query, def), question));
    td_continuous_parts parts = {.query = query,
                                 .question = question,
                                 .part = breadth_first ? td_blocked_part : td_wide_part,
                                 .user = &parts,
                                 .total = (uint32_t)query->starts.count};
    return td_run_in_parts(&parts, def);
}

static td_result td_run_balanced(td_continuous *query, const td_swept_question *question,
                                 const td_continuous_def *def) {
    const td_sharing sharing = def->sharing == TD_SHARING_AUTO ? TD_SHARING_QUEUES : def->sharing;
    TD_TRY(td_tell_progress(def, 0, 1));
    TD_TRY(td_swept_share(query->workers, query->worker_count, question, &query->distributor, sharing,
                          def->idle_share));
    TD_TRY(td_result_of_workers(query));
    return td_tell_progress(def, 1, 1);
}

td_result td_run_continuous(td_continuous *query, const td_swept_question *question,
                            const td_continuous_def *def, const td_continuous_way *way) {
    const td_moving_strategy *strategy = way->strategy;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_swept_worker_begin(&query->workers[i]);
    }
    if (def->device != NULL) {
        return td_run_continuous_on_device(query, question, def, way);
    }
    if (way->walks != NULL) {
        return td_walk_continuous(query, question, def, way);
    }
    if (strcmp(strategy->name, "brute") == 0) {
        return td_run_brute(query, question, def);
    }
    return strcmp(strategy->name, "balanced") == 0
               ? td_run_balanced(query, question, def)
               : td_run_blocks(query, question, def, strcmp(strategy->name, "blocked") == 0);
}
