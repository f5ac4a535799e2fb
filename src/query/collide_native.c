// Questions answered by the context's threads: one question over all threads, or many side by side.
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "collision.h"
#include "inside.h"
#include "sort.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    TD_SPLIT_TRIANGLES = 8192, // below this many triangles one query is not worth sharing out
    TD_STARTS_PER_WORKER = 32,
    TD_CHUNKS_PER_WORKER = 8, // of what is left
    TD_MOST_PER_CHUNK = 64,
    // Between two calls of the progress function:
    TD_QUESTIONS_PER_ROUND = 64, // ... and worker
    TD_STARTS_PER_ROUND = 4
};

// The call on all workers.
typedef struct td_native {
    const td_collision *collision;
    // One question shared out over the workers:
    td_frame frame;
    td_traversal traversal;
    const td_strategy *chosen;
    // The current round:
    atomic_size_t next;
    size_t end;
} td_native;

void td_worker_begin(td_worker *worker) {
    worker->undecided.count = 0;
    worker->count = 0;
    worker->counters = (td_counters){0};
    worker->result = TD_OK;
}

uint64_t td_scratch_bytes(const td_query *query) {
    uint64_t pairs = query->starts.capacity, words = 0;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        const td_worker *w = &query->workers[i];
        pairs += w->pairs.capacity + w->undecided.capacity + w->stack.capacity + w->leaves.capacity +
                 w->tiles.capacity + w->spare.capacity;
        words += w->words.capacity + 3 * w->front.capacity + 6 * w->front_tiles.capacity;
        for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
            pairs += w->near_by[k].capacity;
        }
    }
    return pairs * sizeof(td_pair) + words * sizeof(uint32_t) + query->places.capacity * sizeof(td_place) +
           td_share_buffers_bytes(&query->sharing) +
           (query->device_state != NULL ? td_device_state_bytes(query->device_state) : 0);
}

td_result td_sort_answer(const td_collision *collision, td_worker *worker, size_t first,
                         const td_object_pair *pair) {
    const size_t count = worker->pairs.count - first;
    if (count < 2) {
        return TD_OK;
    }
    worker->spare.count = 0;
    TD_TRY(td_array_reserve(collision->query->context, &worker->spare, count));
    td_sort_pairs(worker->pairs.items + first, worker->spare.items, count, pair->a->triangles.triangle_count,
                  pair->b->triangles.triangle_count);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Many questions: each is answered by one worker.

static void td_answer_one(const td_collision *collision, td_worker *worker, size_t question) {
    const td_object_pair pair = td_question(collision, question);
    const td_frame frame = td_question_frame(collision, &pair);
    const td_traversal traversal = td_question_traversal(collision, &pair, &frame);
    const td_strategy *strategy = frame.usable ? collision->strategy : &td_strategy_brute;
    if (!frame.apart) {
        const td_pair root =
            strategy == &td_strategy_brute ? (td_pair){0, pair.a->triangles.triangle_count} : (td_pair){0, 0};
        strategy->run(worker, &traversal, &root, 1);
    }
    td_fill_result(&collision->out[question], collision, &pair, &frame, worker->count, worker->counters);
}

// `start` is the time it begins; returns the time it ends, which is when the next one begins.
static double td_answer_alone(const td_collision *collision, uint32_t index, size_t question, double start) {
    td_worker *worker = &collision->query->workers[index];
    const size_t first = worker->pairs.count;
    td_worker_begin(worker);
    if (collision->near_pairs != NULL) {
        td_answer_near(collision, worker, question);
    } else {
        td_answer_one(collision, worker, question);
    }
    if (worker->result == TD_OK && worker->pairs.count - first > 1) {
        const td_object_pair pair = td_question(collision, question);
        worker->result = td_sort_answer(collision, worker, first, &pair);
    }
    collision->query->places.items[question] = (td_place){index, first};
    if (collision->near_pairs != NULL) {
        return start; // many small questions, which the simulator times together
    }
    const double end = td_clock_ms();
    collision->out[question].ms = end - start;
    return end;
}

// Draws the next chunk of the round; false if nothing is left. Chunks get smaller towards the end, so that
// the workers finish together; before that they are large, so that neighbours in memory are mostly written by
// one worker.
static bool td_draw_chunk(td_native *native, size_t *first, size_t *end) {
    const size_t shares = (size_t)TD_CHUNKS_PER_WORKER * native->collision->query->worker_count;
    size_t next = atomic_load_explicit(&native->next, memory_order_relaxed), chunk;
    do {
        if (next >= native->end) {
            return false;
        }
        const size_t share = (native->end - next) / shares;
        chunk = share < 1 ? 1 : share > TD_MOST_PER_CHUNK ? TD_MOST_PER_CHUNK : share;
    } while (!atomic_compare_exchange_weak_explicit(&native->next, &next, next + chunk, memory_order_relaxed,
                                                    memory_order_relaxed));
    *first = next;
    *end = next + chunk;
    return true;
}

static void td_batch_task(uint32_t item, void *payload) {
    td_native *native = payload;
    const td_worker *worker = &native->collision->query->workers[item];
    size_t question, end;
    double clock = td_clock_ms();
    while (worker->result == TD_OK && td_draw_chunk(native, &question, &end)) {
        for (; question < end && worker->result == TD_OK; ++question) {
            clock = td_answer_alone(native->collision, item, question, clock);
        }
    }
}

td_result td_report_progress(const td_collide_def *def, uint64_t done, uint64_t total) {
    if (def->progress != NULL && !def->progress(done, total, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled after %llu of %llu parts",
                       (unsigned long long)done, (unsigned long long)total);
    }
    return TD_OK;
}

td_result td_workers_result(const td_query *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        if (query->workers[i].result != TD_OK) {
            // The sentence stayed with the thread that failed: say it again on this one.
            return td_fail(query->workers[i].result, "out of memory while collecting triangle pairs");
        }
    }
    return TD_OK;
}

// Runs `task` on as many workers as there are, over the items [0, total), in rounds of so many per worker.
static td_result td_run_rounds(td_native *native, td_task_fn *task, size_t total, size_t per_worker) {
    const td_collision *collision = native->collision;
    td_query *query = collision->query;
    assert(query->worker_count > 0);
    const size_t round = collision->def->progress == NULL ? total : per_worker * query->worker_count;
    for (size_t done = 0; done < total; done = native->end) {
        TD_TRY(td_report_progress(collision->def, done, total));
        native->end = total - done < round ? total : done + round;
        atomic_store(&native->next, done);
        const size_t items = native->end - done;
        td_run_tasks(query->context, task,
                     items < query->worker_count ? (uint32_t)items : query->worker_count, native);
        TD_TRY(td_workers_result(query));
    }
    return td_report_progress(collision->def, total, total);
}

void td_give_out_pairs(const td_collision *collision) {
    const td_query *query = collision->query;
    const uint64_t bytes = td_scratch_bytes(query);
    for (size_t i = 0; i < collision->count; ++i) {
        const td_place place = query->places.items[i];
        collision->out[i].counters.bytes = bytes;
        if (collision->def->mode != TD_MODE_COUNT && collision->out[i].pair_count > 0) {
            collision->out[i].pairs = query->workers[place.worker].pairs.items + place.first;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// One question, shared out over the workers by its starts.

static void td_share_task(uint32_t item, void *payload) {
    td_native *native = payload;
    td_query *query = native->collision->query;
    td_worker *worker = &query->workers[item];
    size_t first, end;
    while (worker->result == TD_OK && td_draw_chunk(native, &first, &end)) {
        native->chosen->run(worker, &native->traversal, &query->starts.items[first], end - first);
    }
}

td_result td_gather(const td_collision *collision, const td_object_pair *pair, uint64_t *count,
                    td_counters *counters, size_t first) {
    td_query *query = collision->query;
    td_worker *all = &query->workers[0];
    *count = 0;
    *counters = (td_counters){0};
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker *worker = &query->workers[i];
        *count += worker->count;
        counters->box_tests += worker->counters.box_tests;
        counters->triangle_tests += worker->counters.triangle_tests;
        counters->exact_tests += worker->counters.exact_tests;
        counters->state_bits = worker->counters.state_bits > counters->state_bits
                                   ? worker->counters.state_bits
                                   : counters->state_bits;
        if (i > 0 && worker->pairs.count > 0) {
            TD_TRY(td_array_reserve(query->context, &all->pairs, worker->pairs.count));
            for (size_t k = 0; k < worker->pairs.count; ++k) {
                all->pairs.items[all->pairs.count++] = worker->pairs.items[k];
            }
            worker->pairs.count = 0;
        }
    }
    return td_sort_answer(collision, all, first, pair);
}

static td_result td_share_starts(td_native *native) {
    td_query *query = native->collision->query;
    const size_t wanted = (size_t)TD_STARTS_PER_WORKER * query->worker_count;
    query->starts.count = 0;
    TD_TRY(native->chosen->start(&query->starts, wanted, &query->workers[0], &native->traversal));
    return td_run_rounds(native, td_share_task, query->starts.count, TD_STARTS_PER_ROUND);
}

static td_result td_share_at_once(td_native *native) {
    td_query *query = native->collision->query;
    TD_TRY(td_report_progress(native->collision->def, 0, 1));
    TD_TRY(native->chosen->share(query->workers, query->worker_count, &native->traversal, &query->sharing));
    TD_TRY(td_workers_result(query));
    return td_report_progress(native->collision->def, 1, 1);
}

td_result td_answer_shared(const td_collision *collision, size_t question) {
    td_native shared = {.collision = collision}, *native = &shared;
    td_query *query = collision->query;
    const double begin = td_clock_ms();
    const td_object_pair pair = td_question(collision, question);
    const td_frame *frame = &native->frame;
    native->frame = td_question_frame(collision, &pair);
    native->traversal = td_question_traversal(collision, &pair, frame);
    native->chosen = frame->usable ? collision->strategy : &td_strategy_brute;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker_begin(&query->workers[i]);
    }
    const size_t first = query->workers[0].pairs.count;
    uint64_t count = 0;
    td_counters counters = {0};
    if (!frame->apart) {
        TD_TRY(native->chosen->share != NULL ? td_share_at_once(native) : td_share_starts(native));
        TD_TRY(td_gather(collision, &pair, &count, &counters, first));
    }
    td_collide_result *out = &collision->out[question];
    td_fill_result(out, collision, &pair, frame, count, counters);
    out->ms = td_clock_ms() - begin;
    query->places.items[question] = (td_place){0, first};
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static uint64_t td_most_triangles(const td_collision *collision) {
    uint64_t most = 0;
    for (size_t i = 0; i < collision->count; ++i) {
        const td_object_pair pair = td_question(collision, i);
        const uint64_t triangles =
            (uint64_t)pair.a->triangles.triangle_count + pair.b->triangles.triangle_count;
        most = triangles > most ? triangles : most;
    }
    return most;
}

static bool td_worth_sharing(const td_collision *collision) {
    const td_query *query = collision->query;
    if (collision->def->mode == TD_MODE_FIRST || collision->near_pairs != NULL) {
        return false; // a near list is made and read by one worker
    }
    // Brute force is slow enough to want its progress reported, even by one worker.
    const bool report = collision->def->progress != NULL && collision->count == 1;
    const bool share = query->worker_count > 1 && collision->count < 2 * (size_t)query->worker_count;
    return (report || share) && td_most_triangles(collision) >= TD_SPLIT_TRIANGLES;
}

static void td_sum_times(td_query *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        const td_query_times *times = &query->workers[i].times;
        query->times.boxes_ms += times->boxes_ms;
        query->times.collect_ms += times->collect_ms;
        query->times.triangles_ms += times->triangles_ms;
        query->times.exact_ms += times->exact_ms;
    }
}

void td_begin_workers(td_query *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        query->workers[i].pairs.count = 0;
        query->workers[i].times = (td_query_times){0};
        td_worker_begin(&query->workers[i]);
    }
}

void td_end_workers(const td_collision *collision) {
    td_sum_times(collision->query);
    td_give_out_pairs(collision);
}

td_result td_answer_natively(const td_collision *collision) {
    td_query *query = collision->query;
    td_begin_workers(query);
    if (td_worth_sharing(collision)) {
        for (size_t question = 0; question < collision->count; ++question) {
            TD_TRY(td_answer_shared(collision, question));
        }
    } else {
        td_native native = {.collision = collision};
        TD_TRY(td_run_rounds(&native, td_batch_task, collision->count, TD_QUESTIONS_PER_ROUND));
    }
    td_end_workers(collision);
    return TD_OK;
}
