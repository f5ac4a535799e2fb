#include "device_state.h"

#include "../core/error.h"
#include "nodes.h"

td_result td_device_state_create(td_device_state **out, td_device *device) {
    td_context *context = td_device_context(device);
    td_device_state *state = TD_NEW(context, td_device_state, 1);
    if (state == NULL) {
        return TD_ERROR_MEMORY;
    }
    *state = (td_device_state){.device = td_device_retain(device), .context = context};
    *out = state;
    return TD_OK;
}

void td_device_state_destroy(td_device_state *state) {
    if (state == NULL) {
        return;
    }
    td_context *context = state->context;
    for (int i = 0; i < TD_USES; ++i) {
        td_buffer_release(state->device, &state->buffers[i]);
    }
    td_device_forget_meshes(state);
    td_array_release(context, &state->entries);
    td_refit_scratch_release(&state->refit, state->device);
    td_queues_release(state->device, &state->queues);
    td_array_release(context, &state->pairs);
    td_array_release(context, &state->motions);
    td_array_release(context, &state->places);
    td_array_release(context, &state->words);
    td_worker_release(&state->scratch, context);
    td_array_release(context, &state->starts);
    td_device_front_release(&state->front);
    td_destroy_device(state->device);
    TD_DELETE(context, td_device_state, state, 1);
}

uint64_t td_device_state_bytes(const td_device_state *state) {
    uint64_t bytes = 0;
    for (int i = 0; i < TD_ARENA_KINDS; ++i) {
        bytes += state->arena[i].size;
    }
    for (int i = 0; i < TD_USES; ++i) {
        bytes += state->buffers[i].size;
    }
    bytes += td_queues_bytes(&state->queues) + td_device_front_bytes(&state->front);
    return bytes + state->refit.bounds.size + state->refit.notes.size + state->refit.moments.size;
}

td_result td_device_room(td_device_state *state, td_device_use use, size_t count, size_t size, size_t keep) {
    td_device_buffer *buffer = &state->buffers[use];
    // OpenCL knows no empty buffers.
    const size_t wanted = (count > 0 ? count : 1) * size;
    return wanted <= buffer->size ? TD_OK : td_buffer_reserve(state->device, buffer, wanted, keep * size);
}

td_result td_device_room_up_to(td_device_state *state, td_device_use use, size_t wanted, size_t least,
                               size_t size, uint32_t *got) {
    for (;; wanted = wanted / 2 > least ? wanted / 2 : least) {
        const td_result result = td_device_room(state, use, wanted, size, 0);
        if (result == TD_OK) {
            *got = (uint32_t)wanted;
        }
        if (result != TD_ERROR_DEVICE || wanted <= least || !td_device_is_short(state->device)) {
            return result;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

static void td_describe_pair(td_device_pair *out, const td_device_state *state,
                             const td_device_question *question) {
    *out = (td_device_pair){0};
    if (!td_device_takes(question)) {
        return; // nobody asks
    }
    out->frame = td_lane_frame_make(&question->frame);
    out->place = td_place_of(&question->frame);
    if (question->traversal.self) {
        out->self = TD_PAIR_SELF | (question->traversal.keep_degenerate ? TD_PAIR_DEGENERATE : 0);
    }
    const td_arena_entry *a = td_arena_find(state, question->stamp_a.mesh);
    const td_arena_entry *b = td_arena_find(state, question->stamp_b.mesh);
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        out->first_a[kind] = a->extents[kind].first;
        out->first_b[kind] = b->extents[kind].first;
    }
}

static td_result td_load_pairs(td_device_batch *batch) {
    td_device_state *state = batch->state;
    td_device *device = state->device;
    const size_t count = batch->count;
    state->pairs.count = state->motions.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->pairs, count));
    TD_TRY(td_array_reserve(state->context, &state->motions, count));
    for (size_t i = 0; i < count; ++i) {
        td_describe_pair(&state->pairs.items[i], state, &batch->questions[i]);
        state->motions.items[i] = batch->questions[i].frame.rigid;
    }
    TD_TRY(td_device_room(state, TD_USE_PAIRS, count, sizeof(td_device_pair), 0));
    TD_TRY(td_buffer_write(device, &state->buffers[TD_USE_PAIRS], 0, state->pairs.items,
                           count * sizeof(td_device_pair)));
    if (td_device_has_float64(device)) {
        TD_TRY(td_device_room(state, TD_USE_MOTIONS, count, sizeof(td_rigid), 0));
        TD_TRY(td_buffer_write(device, &state->buffers[TD_USE_MOTIONS], 0, state->motions.items,
                               count * sizeof(td_rigid)));
    }
    TD_TRY(td_device_room(state, TD_USE_TALLIES, count, TD_TALLIES * sizeof(uint32_t), 0));
    TD_TRY(td_buffer_fill(device, &state->buffers[TD_USE_TALLIES], 0, count * TD_TALLIES, 0));
    TD_TRY(td_device_room(state, TD_USE_COUNTS, TD_COUNTS, sizeof(uint32_t), 0));
    return td_buffer_fill(device, &state->buffers[TD_USE_COUNTS], 0, TD_COUNTS, 0);
}

static bool td_any_taken(const td_device_batch *batch) {
    for (uint32_t i = 0; i < batch->count; ++i) {
        if (td_device_takes(&batch->questions[i])) {
            return true;
        }
    }
    return false;
}

static td_result td_run_once(td_device_batch *batch, const td_strategy *strategy) {
    td_device_state *state = batch->state;
    const size_t words = (size_t)batch->count * TD_TALLIES;
    batch->hits.count = 0;
    if (batch->settler != NULL) {
        batch->settler->begin(batch->settler->user);
    }
    for (size_t i = 0; i < words; ++i) {
        batch->tallies.items[i] = 0; // what the host counts; the device's numbers are added at the end
    }
    TD_TRY(td_device_load_meshes(batch, strategy));
    TD_TRY(td_load_pairs(batch));
    TD_TRY(strategy->run_on_device(batch));
    state->words.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->words, words));
    TD_TRY(td_buffer_read(state->device, state->words.items, &state->buffers[TD_USE_TALLIES], 0,
                          words * sizeof(uint32_t)));
    for (size_t i = 0; i < words; i += 2) { // 64 bits in two words each
        uint32_t *own = batch->tallies.items + i;
        const uint32_t *of_device = state->words.items + i;
        const uint64_t sum =
            own[0] + ((uint64_t)own[1] << 32) + of_device[0] + ((uint64_t)of_device[1] << 32);
        own[0] = (uint32_t)sum;
        own[1] = (uint32_t)(sum >> 32);
    }
    return TD_OK;
}

// What earlier calls left on the device: room for this one.
static void td_forget(td_device_state *state) {
    td_device_forget_meshes(state);
    td_refit_scratch_release(&state->refit, state->device);
    td_queues_release(state->device, &state->queues);
    td_device_front_release(&state->front);
    for (int i = 0; i < TD_USES; ++i) {
        td_buffer_release(state->device, &state->buffers[i]);
    }
}

td_result td_device_run(td_device_batch *batch, const td_strategy *strategy) {
    td_device_state *state = batch->state;
    const size_t words = (size_t)batch->count * TD_TALLIES;
    TD_TRY(td_array_reserve(state->context, &batch->tallies, words));
    batch->tallies.count = words;
    for (size_t i = 0; i < words; ++i) {
        batch->tallies.items[i] = 0;
    }
    if (!td_any_taken(batch)) {
        return TD_OK;
    }
    const bool fresh = td_device_state_bytes(state) == 0;
    const td_result result = td_run_once(batch, strategy);
    if (result != TD_ERROR_DEVICE || !td_device_is_short(state->device) || fresh) {
        return result;
    }
    td_forget(state);
    return td_run_once(batch, strategy);
}

void td_device_batch_release(td_device_batch *batch, td_context *context) {
    td_array_release(context, &batch->hits);
    td_array_release(context, &batch->tallies);
}

td_result td_device_progress(const td_device_batch *batch, uint64_t done) {
    if (batch->progress != NULL && !batch->progress(done, batch->count, batch->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled after some %llu of %u questions",
                       (unsigned long long)done, batch->count);
    }
    return TD_OK;
}
