// Pairs of quads, or of their lanes, become candidates, candidates contacts: on the device as far as its
// filter goes, then on the host.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "../predicates/moving_filter.h"
#include "swept_device.h"

enum {
    TD_TILE_SLICE = 1 << 14,     // pairs of quads to begin with
    TD_CANDIDATE_ROOM = 1 << 18, // unless memory is short
    TD_LEAST_CANDIDATES = TD_CANDIDATES_OF_TILE
};

// ---------------------------------------------------------------------------------------------------------
// On the host

typedef struct td_host_settling {
    td_swept_run_state *run;
    size_t count;
    atomic_size_t next;
} td_host_settling;

// The worker's list has room for all that is put there.
static void td_settle_task(uint32_t item, void *payload) {
    td_host_settling *settling = payload;
    td_swept_worker *worker = &settling->run->workers[item];
    const td_candidate *candidates = settling->run->state->candidates.items;
    while (worker->result == TD_OK) {
        const size_t first =
            atomic_fetch_add_explicit(&settling->next, TD_CANDIDATES_AT, memory_order_relaxed);
        if (first >= settling->count) {
            return;
        }
        const size_t rest = settling->count - first;
        worker->candidates.count = rest < TD_CANDIDATES_AT ? rest : TD_CANDIDATES_AT;
        __builtin_memcpy(worker->candidates.items, candidates + first,
                         worker->candidates.count * sizeof *candidates);
        td_decide_candidates(worker, settling->run->question);
    }
}

// The first `count` candidates of a buffer, for td_settle_on_host.
static td_result td_read_candidates(td_swept_device *state, td_swept_use use, uint32_t count) {
    state->candidates.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->candidates, count));
    return td_buffer_read(state->device, state->candidates.items, &state->buffers[use], 0,
                          count * sizeof(td_candidate));
}

static td_result td_settle_on_host(td_swept_run_state *run, uint32_t count) {
    td_swept_device *state = run->state;
    for (uint32_t i = 0; i < run->worker_count; ++i) {
        run->workers[i].candidates.count = 0;
        TD_TRY(td_array_reserve(state->context, &run->workers[i].candidates, TD_CANDIDATES_AT));
    }
    td_host_settling settling = {.run = run, .count = count};
    const size_t chunks = (count + (size_t)TD_CANDIDATES_AT - 1) / TD_CANDIDATES_AT;
    td_run_tasks(state->context, td_settle_task,
                 chunks < run->worker_count ? (uint32_t)chunks : run->worker_count, &settling);
    for (uint32_t i = 0; i < run->worker_count; ++i) {
        if (run->workers[i].result != TD_OK) {
            return td_fail(run->workers[i].result, "out of memory while collecting contacts");
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// On the device

static td_result td_read_contacts(td_swept_device *state, uint32_t count) {
    state->contacts.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->contacts, count));
    return td_buffer_read(state->device, state->contacts.items, &state->buffers[TD_SWEPT_USE_CONTACTS], 0,
                          count * sizeof(td_swept_contact));
}

static td_result td_keep_device_contacts(td_swept_run_state *run, uint32_t count) {
    td_swept_worker *worker = &run->workers[0];
    for (uint32_t i = 0; i < count && worker->result == TD_OK; ++i) {
        const td_swept_contact *contact = &run->state->contacts.items[i];
        td_keep_contact(worker, run->question, (td_contact_kind)contact->kind,
                        (td_feature_contact){contact->a, contact->b, contact->certain != 0, contact->time});
    }
    return worker->result == TD_OK ? TD_OK
                                   : td_fail(worker->result, "out of memory while collecting contacts");
}

static td_result td_filter_on_device(uint32_t counts[TD_SWEPT_COUNTS], const td_swept_run_state *run,
                                     uint32_t count) {
    td_swept_device *state = run->state;
    const td_swept_question *question = run->question;
    const uint32_t budget = question->moving.budget, budgeted = budget > 0;
    const int32_t most_steps = budgeted && budget < INT32_MAX ? (int32_t)budget : TD_MOVING_MOST_STEPS;
    const td_kernel_argument arguments[9] = {
        TD_ARG_BUFFER(&state->parts[0][TD_PART_PATHS]),
        TD_ARG_BUFFER(&state->parts[question->self ? 0 : 1][TD_PART_PATHS]),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_CANDIDATES]),
        TD_ARG_VALUE(count),
        TD_ARG_VALUE(most_steps),
        TD_ARG_VALUE(budgeted),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_CONTACTS]),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_HANDED]),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_COUNTS]),
    };
    TD_TRY(td_swept_reset_counts(run));
    TD_TRY(
        td_run_kernel(state->device, run->filter, count, TD_SWEPT_GROUP, arguments, 9, TD_STAGE_TRIANGLES));
    return td_swept_read_counts(counts, run);
}

// All that the device may fail at comes before anything is kept: so what failed can be asked again.
static td_result td_settle_candidates(td_swept_run_state *run, uint32_t count) {
    if (run->filter == NULL) {
        TD_TRY(td_read_candidates(run->state, TD_SWEPT_USE_CANDIDATES, count));
        return td_settle_on_host(run, count);
    }
    uint32_t counts[TD_SWEPT_COUNTS];
    TD_TRY(td_filter_on_device(counts, run, count));
    const uint32_t contacts = counts[TD_SWEPT_CONTACTS], handed = counts[TD_SWEPT_HANDED];
    if (contacts > 0) {
        TD_TRY(td_read_contacts(run->state, contacts));
    }
    if (handed > 0) {
        TD_TRY(td_read_candidates(run->state, TD_SWEPT_USE_HANDED, handed));
    }
    run->workers[0].counters.feature_tests += count - handed;
    TD_TRY(td_keep_device_contacts(run, contacts));
    return handed > 0 ? td_settle_on_host(run, handed) : TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Pairs of quads or of lanes

// As many candidates as there is room for in half of the memory that is left: walks go on after this.
static uint32_t td_candidates_to_hold(const td_swept_run_state *run) {
    const td_swept_device *state = run->state;
    const size_t each = 2 * sizeof(td_candidate) + sizeof(td_swept_contact);
    const uint64_t held = state->buffers[TD_SWEPT_USE_CANDIDATES].size / sizeof(td_candidate);
    const uint64_t more = td_device_memory_left(state->device) / 2 / each;
    const uint64_t most = held > more ? held : more;
    return most < TD_LEAST_CANDIDATES ? TD_LEAST_CANDIDATES
           : most < TD_CANDIDATE_ROOM ? (uint32_t)most
                                      : TD_CANDIDATE_ROOM;
}

// Room for candidates and for what becomes of them; less where memory is short.
static td_result td_room_for_candidates(td_swept_run_state *run) {
    td_swept_device *state = run->state;
    for (uint32_t room = td_candidates_to_hold(run);;
         room = room / 2 > TD_LEAST_CANDIDATES ? room / 2 : TD_LEAST_CANDIDATES) {
        td_result result = td_swept_room(state, TD_SWEPT_USE_CANDIDATES, room, sizeof(td_candidate), 0);
        if (result == TD_OK && run->filter != NULL) {
            result = td_swept_room(state, TD_SWEPT_USE_CONTACTS, room, sizeof(td_swept_contact), 0);
        }
        if (result == TD_OK && run->filter != NULL) {
            result = td_swept_room(state, TD_SWEPT_USE_HANDED, room, sizeof(td_candidate), 0);
        }
        run->candidate_room = room;
        if (result != TD_ERROR_DEVICE || !td_device_is_short(state->device) || room == TD_LEAST_CANDIDATES) {
            return result;
        }
        for (int use = TD_SWEPT_USE_CANDIDATES; use <= TD_SWEPT_USE_HANDED; ++use) {
            td_buffer_release(state->device, &state->buffers[use]);
        }
    }
}

static td_result td_visit_tiles(const td_swept_run_state *run, uint32_t first, uint32_t count) {
    td_swept_device *state = run->state;
    const uint32_t self = run->question->self;
    const td_device_buffer *a = state->parts[0], *b = state->parts[self ? 0 : 1];
    const uint32_t words =
        (uint32_t)(run->places != NULL ? sizeof(td_device_place) : sizeof(td_swept_place)) / sizeof(uint32_t);
    const td_kernel_argument arguments[14] = {
        TD_ARG_BUFFER(&a[TD_PART_QUADS]),
        TD_ARG_BUFFER(&a[TD_PART_TRIANGLES]),
        TD_ARG_BUFFER(&a[TD_PART_BOXES]),
        TD_ARG_BUFFER(&b[TD_PART_QUADS]),
        TD_ARG_BUFFER(&b[TD_PART_TRIANGLES]),
        TD_ARG_BUFFER(&b[TD_PART_BOXES]),
        TD_ARG_VALUE(self),
        TD_ARG_BUFFER(run->places != NULL ? run->places : &state->buffers[TD_SWEPT_USE_QUADS]),
        TD_ARG_VALUE(words),
        TD_ARG_VALUE(first),
        TD_ARG_VALUE(count),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_CANDIDATES]),
        TD_ARG_VALUE(run->candidate_room),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_COUNTS]),
    };
    TD_TRY(td_swept_reset_counts(run));
    return td_run_kernel(state->device, run->visit_tiles, (size_t)count * (run->lanes ? 1 : 16),
                         TD_SWEPT_GROUP, arguments, 14, TD_STAGE_COLLECT);
}

// From the last to the first: those that were tested are gone.
td_result td_swept_settle_tiles(td_swept_run_state *run) {
    if (run->tile_count == 0) {
        return TD_OK;
    }
    TD_TRY(td_room_for_candidates(run));
    run->tile_slice = run->tile_slice > 0 ? run->tile_slice : TD_TILE_SLICE;
    td_continuous_counters *counters = &run->workers[0].counters;
    while (run->tile_count > 0) {
        const uint32_t count = run->tile_count < run->tile_slice ? run->tile_count : run->tile_slice;
        uint32_t counts[TD_SWEPT_COUNTS];
        TD_TRY(td_visit_tiles(run, run->first_place + run->tile_count - count, count));
        TD_TRY(td_swept_read_counts(counts, run));
        const uint32_t candidates = counts[TD_SWEPT_CANDIDATES];
        if (candidates > run->candidate_room) { // one pair always fits
            run->tile_slice = count / 2;
            continue;
        }
        if (candidates > 0) {
            TD_TRY(td_settle_candidates(run, candidates));
        }
        run->tile_count -= count;
        counters->box_tests += run->lanes ? 0 : 16 * (uint64_t)count;
        counters->triangle_tests += counts[TD_SWEPT_TRIANGLES];
    }
    return TD_OK;
}
