// Questions answered one after the other, each starting from the front that the one before it left behind.
//
// A front is cut into chunks that workers draw. How it is cut depends on the front alone, and what becomes of
// the chunks is put together in their order: so the next front, and every counter, is the same for every
// number of threads.
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "../traverse/front.h"
#include "front.h"

#include <stdatomic.h>
#include <string.h>

typedef struct td_front_call {
    const td_collision *collision;
    td_front *front;
    td_frame frame;
    td_traversal traversal;
    size_t chunk;
    atomic_size_t next;
} td_front_call;

// ---------------------------------------------------------------------------------------------------------
// Where to start

// Why the front is of no use for these meshes, or that it is.
static td_front_start td_find_start(const td_front *front, const td_object_pair *pair, bool self) {
    if (!front->held) {
        return front->was_dropped ? TD_FRONT_DROPPED : TD_FRONT_FIRST;
    }
    if (front->self != self || front->id_a != pair->a->identity || front->id_b != pair->b->identity) {
        return TD_FRONT_OTHER;
    }
    return front->built_a == pair->a->structure && front->built_b == pair->b->structure ? TD_FRONT_WARM
                                                                                        : TD_FRONT_REBUILT;
}

static td_result td_start_front(td_front_call *call, const td_object_pair *pair) {
    td_front *front = call->front;
    const td_front_start start = td_find_start(front, pair, call->collision->self);
    front->report = (td_front_report){.start = start};
    if (start != TD_FRONT_WARM) {
        front->held = front->was_dropped = false;
        front->self = call->collision->self;
        front->id_a = pair->a->identity;
        front->id_b = pair->b->identity;
        front->built_a = pair->a->structure;
        front->built_b = pair->b->structure;
        front->ratio = call->traversal.ratio;
        TD_TRY(td_front_begin(&front->entries, &call->collision->query->workers[0], &call->traversal));
    }
    call->traversal.ratio = front->ratio;
    call->chunk = td_front_chunk(front->entries.count, start == TD_FRONT_WARM);
    const size_t pieces = (front->entries.count + call->chunk - 1) / call->chunk;
    front->pieces.count = 0;
    TD_TRY(td_array_reserve(front->context, &front->pieces, pieces));
    front->pieces.count = pieces;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// One step

static void td_front_task(uint32_t item, void *payload) {
    td_front_call *call = payload;
    td_front *front = call->front;
    td_worker *worker = &call->collision->query->workers[item];
    size_t index;
    while (worker->result == TD_OK &&
           (index = atomic_fetch_add_explicit(&call->next, 1, memory_order_relaxed)) < front->pieces.count) {
        const size_t first = index * call->chunk, rest = front->entries.count - first;
        td_front_piece *piece = &front->pieces.items[index];
        *piece = (td_front_piece){.worker = item, .first = worker->front.count};
        const td_front_part part = {front->entries.items + first, rest < call->chunk ? rest : call->chunk};
        td_front_advance(worker, &call->traversal, &part);
        piece->count = worker->front.count - piece->first;
    }
}

static void td_copy_task(uint32_t item, void *payload) {
    td_front_call *call = payload;
    td_front *front = call->front;
    const td_query *query = call->collision->query;
    size_t at = 0;
    for (size_t i = 0; i < front->pieces.count; ++i) {
        const td_front_piece *piece = &front->pieces.items[i];
        if (piece->worker == item && piece->count > 0) {
            memcpy(front->spare.items + at, query->workers[item].front.items + piece->first,
                   piece->count * sizeof(td_front_entry));
        }
        at += piece->count;
    }
}

// Puts the next front together, unless it has grown too large.
static td_result td_keep_front(td_front_call *call) {
    td_front *front = call->front;
    td_query *query = call->collision->query;
    uint64_t total = 0;
    bool fits = true;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        const td_worker *worker = &query->workers[i];
        total += worker->front.count;
        fits = fits && worker->front_most > 0;
        front->report.kept += worker->moves.kept;
        front->report.descended += worker->moves.descended;
        front->report.ascended += worker->moves.ascended;
    }
    front->held = fits && total <= front->most_entries;
    front->was_dropped = front->report.dropped = !front->held;
    if (!front->held) {
        front->entries.count = 0;
        return TD_OK;
    }
    if (query->worker_count == 1) { // it is together already
        const td_front_list before = front->entries;
        front->entries = query->workers[0].front;
        query->workers[0].front = before;
    } else {
        front->spare.count = 0;
        TD_TRY(td_array_reserve(front->context, &front->spare, (size_t)total));
        td_run_tasks(front->context, td_copy_task, query->worker_count, call);
        const td_front_list before = front->entries;
        front->entries = front->spare;
        front->spare = before;
        front->entries.count = (size_t)total;
    }
    front->report.entries = total;
    return TD_OK;
}

static td_result td_step_front(td_front_call *call, const td_object_pair *pair) {
    td_query *query = call->collision->query;
    TD_TRY(td_start_front(call, pair));
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        query->workers[i].front.count = 0;
        query->workers[i].front_most = call->front->most_entries;
        query->workers[i].moves = (td_front_moves){0};
    }
    atomic_store(&call->next, 0);
    const bool first = call->collision->def->mode == TD_MODE_FIRST; // in order, so by one
    td_run_tasks(query->context, td_front_task, first ? 1 : query->worker_count, call);
    TD_TRY(td_workers_result(query));
    return td_keep_front(call);
}

static td_result td_answer_warm(td_front_call *call, size_t question) {
    const td_collision *collision = call->collision;
    td_query *query = collision->query;
    const double begin = td_clock_ms();
    const td_object_pair pair = td_question(collision, question);
    call->frame = td_question_frame(collision, &pair);
    call->traversal = td_question_traversal(collision, &pair, &call->frame);
    call->front->report = (td_front_report){.start = TD_FRONT_NONE, .entries = call->front->entries.count};
    if (call->frame.apart || !call->frame.usable) {
        return td_answer_shared(collision, question);
    }
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker_begin(&query->workers[i]);
    }
    const size_t first = query->workers[0].pairs.count;
    uint64_t count;
    td_counters counters;
    td_result result = td_step_front(call, &pair);
    result = result == TD_OK ? td_gather(collision, &pair, &count, &counters, first) : result;
    if (result != TD_OK) { // what the workers left is no front
        td_reset_front(call->front);
        return result;
    }
    call->front->report.hierarchy_bytes = td_split_bytes(call->traversal.split_a) +
                                          (collision->self ? 0 : td_split_bytes(call->traversal.split_b));
    td_fill_result(&collision->out[question], collision, &pair, &call->frame, count, counters);
    collision->out[question].ms = td_clock_ms() - begin;
    query->places.items[question] = (td_place){0, first};
    return TD_OK;
}

td_result td_answer_at_front(const td_collision *collision) {
    td_front_call call = {.collision = collision, .front = collision->def->front};
    td_begin_workers(collision->query);
    for (size_t question = 0; question < collision->count; ++question) {
        TD_TRY(td_report_progress(collision->def, question, collision->count));
        TD_TRY(td_answer_warm(&call, question));
    }
    TD_TRY(td_report_progress(collision->def, collision->count, collision->count));
    td_end_workers(collision);
    return TD_OK;
}
