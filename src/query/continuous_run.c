// A question shared out over the context's threads: pairs of blocks, or, by brute force, triangles of A.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "continuous.h"

enum {
    TD_STARTS_OF_WORKER = 64,
    TD_ITEMS_OF_ROUND = 16, // per worker, between two calls of the progress function
    TD_BRUTE_ROWS = 16      // triangles of A per item
};

typedef struct td_continuous_run {
    td_continuous *query;
    const td_swept_question *question;
    bool brute;
    atomic_uint next;
    uint32_t end; // of the round
} td_continuous_run;

static void td_run_item(td_continuous_run *run, td_swept_worker *worker, uint32_t item) {
    if (run->brute) {
        const uint32_t count = run->question->features_a->triangle_count, first = item * TD_BRUTE_ROWS;
        td_swept_brute(worker, run->question, first,
                       count - first < TD_BRUTE_ROWS ? count : first + TD_BRUTE_ROWS);
    } else {
        td_swept_run(worker, run->question, &run->query->starts.items[item], 1);
    }
}

static void td_continuous_task(uint32_t item, void *payload) {
    td_continuous_run *run = payload;
    td_swept_worker *worker = &run->query->workers[item];
    while (worker->result == TD_OK) {
        const uint32_t next = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        if (next >= run->end) {
            return;
        }
        td_run_item(run, worker, next);
    }
}

static td_result td_result_of_workers(const td_continuous *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        if (query->workers[i].result != TD_OK) {
            // The sentence stayed with the thread that failed: say it again on this one.
            return td_fail(query->workers[i].result, "out of memory while collecting contacts");
        }
    }
    return TD_OK;
}

static td_result td_tell_progress(const td_continuous_def *def, uint32_t done, uint32_t total) {
    if (def->progress != NULL && !def->progress(done, total, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled after %u of %u parts", done, total);
    }
    return TD_OK;
}

static td_result td_run_in_rounds(td_continuous_run *run, const td_continuous_def *def, uint32_t total) {
    td_continuous *query = run->query;
    const uint32_t per_round = TD_ITEMS_OF_ROUND * query->worker_count;
    for (uint32_t done = 0; done < total; done = run->end) {
        TD_TRY(td_tell_progress(def, done, total));
        run->end = def->progress == NULL || total - done < per_round ? total : done + per_round;
        atomic_store(&run->next, done);
        const uint32_t items = run->end - done;
        td_run_tasks(query->context, td_continuous_task,
                     items < query->worker_count ? items : query->worker_count, run);
        TD_TRY(td_result_of_workers(query));
    }
    return td_tell_progress(def, total, total);
}

td_result td_run_continuous(td_continuous *query, const td_swept_question *question,
                            const td_continuous_def *def) {
    td_continuous_run run = {.query = query, .question = question, .brute = td_is_brute(def)};
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_swept_worker_begin(&query->workers[i]);
    }
    if (def->device != NULL) {
        return td_run_continuous_on_device(query, question, def);
    }
    if (run.brute) {
        const uint32_t rows = question->features_a->triangle_count;
        return td_run_in_rounds(&run, def, rows / TD_BRUTE_ROWS + (rows % TD_BRUTE_ROWS != 0));
    }
    const size_t wanted = query->worker_count == 1 && def->progress == NULL
                              ? 1
                              : (size_t)TD_STARTS_OF_WORKER * query->worker_count;
    TD_TRY(td_swept_starts(&query->starts, wanted, question));
    return td_run_in_rounds(&run, def, (uint32_t)query->starts.count);
}
