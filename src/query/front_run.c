// A step of a front: where to start, its chunks shared out over workers, and the next front put together.
//
// A front is cut into chunks that workers draw. How it is cut depends on the front alone, and what becomes of
// the chunks is put together in their order: so the next front, and every counter, is the same for every
// number of threads.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "../traverse/front.h"
#include "front.h"

#include <stdatomic.h>
#include <string.h>

typedef struct td_front_call {
    const td_front_question *question;
    td_front *front;
    td_traversal traversal;
    size_t chunk;
    atomic_size_t next;
} td_front_call;

static td_worker *td_worker_at(const td_front_question *question, uint32_t index) {
    return (td_worker *)(void *)((unsigned char *)question->workers + index * question->worker_stride);
}

// ---------------------------------------------------------------------------------------------------------
// Where to start

// Why the front is of no use for these meshes, or that it is.
static td_front_start td_find_start(const td_front *front, const td_front_question *question) {
    const td_mesh *a = question->a, *b = question->b;
    if (!front->held) {
        return front->was_dropped ? TD_FRONT_DROPPED : TD_FRONT_FIRST;
    }
    if (front->self != question->traversal->self || front->moving != (question->traversal->moving != NULL) ||
        front->id_a != a->identity || front->id_b != b->identity) {
        return TD_FRONT_OTHER;
    }
    return front->built_a == a->structure && front->built_b == b->structure ? TD_FRONT_WARM
                                                                            : TD_FRONT_REBUILT;
}

// Decides where to start, and what the front is of. True: at its entries.
static bool td_begin_step(td_front *front, const td_front_question *question) {
    const td_front_start start = td_find_start(front, question);
    front->report = (td_front_report){.start = start};
    if (start == TD_FRONT_WARM) {
        return true;
    }
    front->held = front->was_dropped = front->is_away = false;
    front->self = question->traversal->self;
    front->moving = question->traversal->moving != NULL;
    front->id_a = question->a->identity;
    front->id_b = question->b->identity;
    front->built_a = question->a->structure;
    front->built_b = question->b->structure;
    front->ratio = question->traversal->ratio;
    return false;
}

static td_result td_start_front(td_front_call *call) {
    td_front *front = call->front;
    const bool warm = td_begin_step(front, call->question);
    TD_TRY(warm ? td_front_home(front)
                : td_front_begin(&front->entries, td_worker_at(call->question, 0), &call->traversal));
    call->traversal.ratio = front->ratio;
    call->chunk = td_front_chunk(front->entries.count, warm);
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
    td_worker *worker = td_worker_at(call->question, item);
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
    const td_worker *worker = td_worker_at(call->question, item);
    size_t at = 0;
    for (size_t i = 0; i < front->pieces.count; ++i) {
        const td_front_piece *piece = &front->pieces.items[i];
        if (piece->worker == item && piece->count > 0) {
            memcpy(front->spare.items + at, worker->front.items + piece->first,
                   piece->count * sizeof(td_front_entry));
        }
        at += piece->count;
    }
}

// Puts the next front together, unless it has grown too large.
static td_result td_keep_front(td_front_call *call) {
    td_front *front = call->front;
    const td_front_question *question = call->question;
    uint64_t total = 0;
    bool fits = true;
    for (uint32_t i = 0; i < question->worker_count; ++i) {
        const td_worker *worker = td_worker_at(question, i);
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
    if (question->worker_count == 1) { // it is together already
        const td_front_list before = front->entries;
        front->entries = question->workers->front;
        question->workers->front = before;
    } else {
        front->spare.count = 0;
        TD_TRY(td_array_reserve(front->context, &front->spare, (size_t)total));
        td_run_tasks(front->context, td_copy_task, question->worker_count, call);
        const td_front_list before = front->entries;
        front->entries = front->spare;
        front->spare = before;
        front->entries.count = (size_t)total;
    }
    front->report.entries = total;
    return TD_OK;
}

static td_result td_workers_of_front(const td_front_question *question) {
    for (uint32_t i = 0; i < question->worker_count; ++i) {
        const td_result result = td_worker_at(question, i)->result;
        if (result != TD_OK) {
            // The sentence stayed with the thread that failed: say it again on this one.
            return td_fail(result, "out of memory while stepping a front");
        }
    }
    return TD_OK;
}

static td_result td_do_step(td_front_call *call) {
    const td_front_question *question = call->question;
    TD_TRY(td_start_front(call));
    for (uint32_t i = 0; i < question->worker_count; ++i) {
        td_worker *worker = td_worker_at(question, i);
        worker->front.count = 0;
        worker->front_most = call->front->most_entries;
        worker->moves = (td_front_moves){0};
    }
    atomic_store(&call->next, 0);
    const bool first = question->traversal->mode == TD_MODE_FIRST; // in order, so by one
    td_run_tasks(question->traversal->context, td_front_task, first ? 1 : question->worker_count, call);
    TD_TRY(td_workers_of_front(question));
    return td_keep_front(call);
}

static void td_note_hierarchies(td_front *front, const td_front_question *question) {
    front->report.hierarchy_bytes =
        td_split_bytes(question->traversal->split_a) +
        (question->traversal->self ? 0 : td_split_bytes(question->traversal->split_b));
}

td_result td_step_front(td_front *front, const td_front_question *question) {
    td_front_call call = {.question = question, .front = front, .traversal = *question->traversal};
    const td_result result = td_do_step(&call);
    if (result != TD_OK) { // what the workers left is no front
        td_reset_front(front);
        return result;
    }
    td_note_hierarchies(front, question);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// On a device

td_result td_front_home(td_front *front) {
    if (front->is_away) {
        TD_TRY(td_device_front_read(&front->entries, &front->away, front->context));
        front->is_away = false;
    }
    return TD_OK;
}

static td_result td_bring_front(td_front *front, td_device *device, bool warm) {
    if (warm && front->is_away && front->away.device == device) {
        return TD_OK;
    }
    if (warm) {
        TD_TRY(td_front_home(front));
        TD_TRY(td_device_front_write(&front->away, device, &front->entries));
    }
    front->is_away = warm;
    front->away.held = warm; // else it starts there from the root
    front->entries.count = 0;
    return TD_OK;
}

td_result td_front_to_device(td_front *front, const td_front_question *question, td_device *device,
                             td_traversal *traversal) {
    const bool warm = td_begin_step(front, question);
    front->away.most_entries = front->most_entries;
    traversal->ratio = front->ratio;
    const td_result result = td_bring_front(front, device, warm);
    if (result != TD_OK) {
        td_reset_front(front);
    }
    return result;
}

td_result td_front_from_device(td_front *front, const td_front_question *question, td_result result) {
    const td_device_front *away = &front->away;
    if (result != TD_OK) {
        td_reset_front(front);
        return result;
    }
    front->held = front->is_away = away->held;
    front->was_dropped = front->report.dropped = !away->held;
    front->report.entries = away->count;
    front->report.kept = away->moves.kept;
    front->report.descended = away->moves.descended;
    front->report.ascended = away->moves.ascended;
    td_note_hierarchies(front, question);
    return TD_OK;
}
