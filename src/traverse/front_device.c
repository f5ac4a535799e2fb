// `front` on a device (kernels/front.cl): a step of a front, which is tested, moved and written anew there.
#include "front_device.h"

#include "../core/error.h"
#include "front.h"
#include "front_device_launch.h"
#include "test_tree.h"

enum {
    TD_STARTS = 1 << 10, // of a question that starts at the root
    TD_UNITS = 1 << 16   // units per round, without a front, unless memory is short
};

// ---------------------------------------------------------------------------------------------------------
// The memory of a front

void td_device_front_release(td_device_front *front) {
    if (front->device != NULL) {
        td_buffer_release(front->device, &front->entries);
        td_buffer_release(front->device, &front->next);
        td_destroy_device(front->device);
    }
    *front = (td_device_front){.most_entries = front->most_entries};
}

uint64_t td_device_front_bytes(const td_device_front *front) {
    return front->entries.size + front->next.size;
}

static td_result td_front_room(td_device *device, td_device_buffer *buffer, size_t count) {
    const size_t size = (count > 0 ? count : 1) * sizeof(td_front_entry); // OpenCL knows no empty buffers
    return size <= buffer->size ? TD_OK : td_buffer_reserve(device, buffer, size, 0);
}

td_result td_device_front_write(td_device_front *front, td_device *device, const td_front_list *entries) {
    if (front->device != device) {
        td_device_front_release(front);
        front->device = td_device_retain(device);
    }
    front->held = false;
    if (entries->count > UINT32_MAX / 2) {
        return td_fail(TD_ERROR_UNSUPPORTED, "a front of %zu entries is more than a device takes",
                       entries->count);
    }
    TD_TRY(td_front_room(device, &front->entries, entries->count));
    if (entries->count > 0) {
        TD_TRY(td_buffer_write(device, &front->entries, 0, entries->items,
                               entries->count * sizeof(td_front_entry)));
    }
    front->count = (uint32_t)entries->count;
    front->held = true;
    return TD_OK;
}

td_result td_device_front_read(td_front_list *out, const td_device_front *front, td_context *context) {
    out->count = 0;
    TD_TRY(td_array_reserve(context, out, front->count));
    if (front->count > 0) {
        TD_TRY(td_buffer_read(front->device, out->items, &front->entries, 0,
                              front->count * sizeof(td_front_entry)));
    }
    out->count = front->count;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// With a front

static void td_exchange(td_front_steps *steps, td_device_use one, td_device_use other) {
    td_device_buffer *buffers = steps->state->buffers;
    const td_device_buffer before = buffers[one];
    buffers[one] = buffers[other];
    buffers[other] = before;
}

static void td_note_units(td_front_steps *steps, uint32_t count) {
    steps->most_held = count > steps->most_held ? count : steps->most_held;
}

static td_result td_read_moves(td_front_steps *steps) {
    uint32_t counts[TD_COUNTS];
    td_device_state *state = steps->state;
    TD_TRY(td_buffer_read(state->device, counts, &state->buffers[TD_USE_COUNTS], 0, sizeof counts));
    steps->tests = steps->front->count + counts[TD_COUNT_TESTS];
    steps->front->moves.descended = steps->descend;
    steps->front->moves.ascended = counts[TD_COUNT_ASCENDED];
    steps->front->moves.kept = steps->front->count - steps->descend - counts[TD_COUNT_ASCENDED];
    return TD_OK;
}

// Rounds until no unit opens: *count of them are in TD_USE_SLICE, in order. *fits is false if there are more
// than a front may have.
static td_result td_open_to_the_end(td_front_steps *steps, uint32_t *count, bool *fits) {
    td_device_state *state = steps->state;
    TD_TRY(td_front_take_all(steps, TD_USE_SLICE, 1));
    *count = steps->descend;
    for (uint32_t total = 0;; *count = total) {
        td_note_units(steps, *count);
        TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_FOLLOW], *count, &total));
        *fits = total <= steps->front->most_entries;
        if (total == *count || !*fits) {
            return TD_OK;
        }
        TD_TRY(td_front_units(steps, TD_USE_PLACES, total, 0));
        TD_TRY(td_front_words(steps, TD_USE_ORIGINS_NEXT, total));
        TD_TRY(td_front_words(steps, TD_USE_FOLLOW_NEXT, total));
        TD_TRY(td_front_open_all(steps, *count, 1, 0));
        td_exchange(steps, TD_USE_SLICE, TD_USE_PLACES);
        td_exchange(steps, TD_USE_ORIGINS, TD_USE_ORIGINS_NEXT);
        td_exchange(steps, TD_USE_FOLLOW, TD_USE_FOLLOW_NEXT);
        TD_TRY(td_device_progress(steps->batch, 0));
    }
}

// The next front, beside the last; *fits is false if it has grown too large, and there is none then.
static td_result td_make_next(td_front_steps *steps, uint32_t *total, bool *fits) {
    td_device_state *state = steps->state;
    td_device_front *front = steps->front;
    uint32_t units = 0;
    TD_TRY(td_front_move_all(steps, 1));
    *fits = true;
    if (steps->descend > 0) {
        TD_TRY(td_open_to_the_end(steps, &units, fits));
        if (!*fits) {
            return TD_OK;
        }
        TD_TRY(td_front_count_units(steps, units));
    }
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_NEXT], front->count, total));
    *fits = *total <= front->most_entries;
    if (!*fits) {
        return TD_OK;
    }
    TD_TRY(td_front_room(state->device, &front->next, *total));
    TD_TRY(td_front_put_all(steps, 1, &front->next));
    TD_TRY(td_front_put_units(steps, units));
    return td_read_moves(steps);
}

// What only fronts need, where there is to be none.
static void td_forget_units(td_front_steps *steps) {
    static const td_device_use uses[] = {TD_USE_PLACES,       TD_USE_SLICE,  TD_USE_ORIGINS,
                                         TD_USE_ORIGINS_NEXT, TD_USE_FOLLOW, TD_USE_FOLLOW_NEXT};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; ++i) {
        td_buffer_release(steps->state->device, &steps->state->buffers[uses[i]]);
    }
    td_buffer_release(steps->state->device, &steps->front->next);
}

// ---------------------------------------------------------------------------------------------------------
// Without one

// The last `count` of the units that wait give way to what they lead to, *total units. On failure they are
// still waiting.
static td_result td_do_round(td_front_steps *steps, uint32_t waiting, uint32_t count, uint32_t *total) {
    td_device_state *state = steps->state;
    const uint32_t first = waiting - count;
    TD_TRY(td_front_units(steps, TD_USE_SLICE, count, 0));
    TD_TRY(td_front_words(steps, TD_USE_FOLLOW, count));
    TD_TRY(td_front_slice_units(steps, first, count));
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_FOLLOW], count, total));
    TD_TRY(td_front_units(steps, TD_USE_PLACES, (size_t)first + *total, waiting));
    return td_front_open_all(steps, count, 0, first);
}

// Everything below the entries, and no front. Where memory is short rounds get smaller.
static td_result td_walk_without(td_front_steps *steps) {
    td_device_state *state = steps->state;
    uint32_t met, limit = TD_UNITS;
    TD_TRY(td_front_move_all(steps, 0));
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_NEXT], steps->front->count, &met));
    TD_TRY(td_front_units(steps, TD_USE_SLICE, met, 0));
    TD_TRY(td_front_put_all(steps, 0, &state->buffers[TD_USE_SLICE]));
    TD_TRY(td_front_emit_tiles(steps, &state->buffers[TD_USE_SLICE], 0, met));
    TD_TRY(td_front_take_all(steps, TD_USE_PLACES, 0));
    for (uint32_t waiting = steps->descend, total = 0; waiting > 0;) {
        const uint32_t count = waiting < limit ? waiting : limit;
        td_note_units(steps, waiting);
        const td_result result = td_do_round(steps, waiting, count, &total);
        if (result == TD_OK) {
            waiting += total - count;
            TD_TRY(td_front_emit_tiles(steps, &state->buffers[TD_USE_PLACES], waiting - total, total));
            TD_TRY(td_device_progress(steps->batch, 0));
        } else if (!td_front_is_short(steps, result) || (steps->tiles == 0 && count <= TD_FRONT_LEAST)) {
            return result;
        } else if (steps->tiles > 0) {
            TD_TRY(td_front_test_tiles(steps)); // makes room
        } else {
            limit = count / 2 > TD_FRONT_LEAST ? count / 2 : TD_FRONT_LEAST;
        }
    }
    return td_read_moves(steps);
}

// ---------------------------------------------------------------------------------------------------------

// From the root: a first front made natively, whose box tests count like any others.
static td_result td_start_at_root(td_front_steps *steps, const td_traversal *traversal) {
    td_device_state *state = steps->state;
    td_worker *scratch = &state->scratch;
    scratch->counters = (td_counters){0};
    scratch->result = TD_OK; // memory may have run out the last time
    if (steps->front->most_entries > 0) {
        TD_TRY(td_front_begin(&state->starts, scratch, traversal));
    } else {
        TD_TRY(td_strategy_front.start(&scratch->spare, TD_STARTS, scratch, traversal));
        state->starts.count = 0;
        TD_TRY(td_array_reserve(state->context, &state->starts, scratch->spare.count));
        for (size_t i = 0; i < scratch->spare.count; ++i) {
            state->starts.items[state->starts.count++] = td_new_entry(scratch->spare.items[i]);
        }
    }
    steps->batch->tallies.items[(size_t)steps->way.pair * TD_TALLIES + TD_TALLY_BOXES] +=
        (uint32_t)scratch->counters.box_tests;
    return td_device_front_write(steps->front, state->device, &state->starts);
}

// A front that cannot be kept is dropped, and the question answered without it.
static td_result td_step_entries(td_front_steps *steps) {
    td_device_front *front = steps->front;
    bool fits = front->most_entries > 0;
    uint32_t total = 0;
    if (fits) {
        const td_result result = td_make_next(steps, &total, &fits);
        if (td_front_is_short(steps, result)) {
            fits = false;
        } else {
            TD_TRY(result);
        }
        if (!fits) {
            td_forget_units(steps);
        }
    }
    if (!fits) {
        TD_TRY(td_walk_without(steps));
        front->held = false;
        front->count = 0;
        return td_front_test_tiles(steps);
    }
    TD_TRY(td_front_emit_tiles(steps, &front->next, 0, total));
    TD_TRY(td_front_test_tiles(steps));
    const td_device_buffer before = front->entries;
    front->entries = front->next;
    front->next = before;
    front->count = total;
    return TD_OK;
}

static td_result td_step_question(td_front_steps *steps, uint32_t number) {
    const td_traversal *traversal = &steps->batch->questions[number].traversal;
    td_device_front *front = steps->front;
    const bool warm = front->held;
    steps->way =
        (td_front_way){.pair = number, .one_frame = td_in_one_frame(traversal), .ratio = traversal->ratio};
    steps->most_held = 0;
    if (!warm) {
        TD_TRY(td_start_at_root(steps, traversal));
    }
    front->moves = (td_front_moves){0};
    if (front->count > 0) {
        steps->chunk = (uint32_t)td_front_chunk(front->count, warm);
        TD_TRY(td_step_entries(steps));
        uint32_t *tallies = steps->batch->tallies.items + (size_t)number * TD_TALLIES;
        tallies[TD_TALLY_BOXES] += steps->tests;
        tallies[TD_TALLY_STATE] = 64 * steps->most_held;
    }
    return TD_OK;
}

td_result td_front_run_on_device(td_device_batch *batch) {
    td_device_state *state = batch->state;
    td_front_steps steps = {
        .batch = batch, .state = state, .front = batch->front != NULL ? batch->front : &state->front};
    TD_TRY(td_front_find_kernels(&steps));
    for (uint32_t i = 0; i < batch->count; ++i) {
        if (!td_device_takes(&batch->questions[i])) {
            continue;
        }
        if (batch->front == NULL) {
            state->front.held = false;
        }
        TD_TRY(td_step_question(&steps, i));
        TD_TRY(td_device_progress(batch, i));
    }
    return TD_OK;
}
