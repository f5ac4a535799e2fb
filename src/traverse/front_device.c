// `front` on a device (kernels/front.cl): a step of a front, which is tested, moved and written anew there.
#include "front_device.h"

#include "../core/error.h"
#include "device_state.h"
#include "front.h"
#include "front_units.h"
#include "test_tree.h"

enum {
    TD_GROUP = 64,         // work-items per group
    TD_STARTS = 1 << 10,   // of a question that starts at the root
    TD_UNITS = 1 << 16,    // units per round, without a front, unless memory is short
    TD_EMITTED = 1 << 18,  // entries looked through for tiles at once, likewise
    TD_TILES_AT = 1 << 16, // tiles that are worth a launch
    TD_LEAST = 1 << 6
};

typedef enum td_front_kernel {
    TD_TEST_ENTRIES,
    TD_MOVE_ENTRIES,
    TD_TAKE_ENTRIES,
    TD_SLICE_UNITS,
    TD_OPEN_UNITS,
    TD_FIND_BEGINS,
    TD_FIND_LENGTHS,
    TD_PUT_ENTRIES,
    TD_PUT_UNITS,
    TD_EMIT_TILES,
    TD_FRONT_KERNELS
} td_front_kernel;

static const char *const td_front_kernels[TD_FRONT_KERNELS] = {
    [TD_TEST_ENTRIES] = "td_test_entries", [TD_MOVE_ENTRIES] = "td_move_entries",
    [TD_TAKE_ENTRIES] = "td_take_entries", [TD_SLICE_UNITS] = "td_slice_units",
    [TD_OPEN_UNITS] = "td_open_units",     [TD_FIND_BEGINS] = "td_find_begins",
    [TD_FIND_LENGTHS] = "td_find_lengths", [TD_PUT_ENTRIES] = "td_put_entries",
    [TD_PUT_UNITS] = "td_put_units",       [TD_EMIT_TILES] = "td_emit_tiles",
};

typedef struct td_front_steps {
    td_device_batch *batch;
    td_device_state *state;
    td_device_front *front;
    const td_kernel *kernels[TD_FRONT_KERNELS];
    const td_device_buffer *boxes; // of either kind
    td_front_way way;
    uint32_t chunk;     // as natively: siblings in different chunks know nothing of each other
    uint32_t descend;   // entries that do
    uint32_t tiles;     // in TD_USE_TILES
    uint32_t tests;     // of boxes
    uint32_t most_held; // units at once
} td_front_steps;

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
// Launches

#define TD_ARG_USE(steps, use) TD_ARG_BUFFER(&(steps)->state->buffers[use])
#define TD_ARG_TREE(steps)                                                                                   \
    TD_ARG_BUFFER(&(steps)->state->arena[TD_ARENA_SPLIT]), TD_ARG_BUFFER((steps)->boxes),                    \
        TD_ARG_USE(steps, TD_USE_PAIRS), TD_ARG_VALUE((steps)->way)

static td_result td_launch(const td_front_steps *steps, td_front_kernel kernel, uint32_t items,
                           const td_kernel_argument *arguments, uint32_t count, td_device_stage stage) {
    return td_run_kernel(steps->state->device, steps->kernels[kernel], items, TD_GROUP, arguments, count,
                         stage);
}

#define TD_LAUNCH(steps, kernel, items, stage, arguments)                                                    \
    td_launch(steps, kernel, items, arguments, (uint32_t)(sizeof(arguments) / sizeof *(arguments)), stage)

static void td_exchange(td_front_steps *steps, td_device_use one, td_device_use other) {
    td_device_buffer *buffers = steps->state->buffers;
    const td_device_buffer before = buffers[one];
    buffers[one] = buffers[other];
    buffers[other] = before;
}

static td_result td_word_room(td_front_steps *steps, td_device_use use, size_t count) {
    return td_device_room(steps->state, use, count, sizeof(uint32_t), 0);
}

static td_result td_unit_room(td_front_steps *steps, td_device_use use, size_t count, size_t keep) {
    return td_device_room(steps->state, use, count, sizeof(td_front_entry), keep);
}

static bool td_is_short(const td_front_steps *steps, td_result result) {
    return result == TD_ERROR_DEVICE && td_device_is_short(steps->state->device);
}

static td_result td_find_front_kernels(td_front_steps *steps) {
    const td_traversal *traversal = &steps->batch->questions[0].traversal;
    static const char *const options[2][2] = {{NULL, "-DTD_FRONT_MOVING=1"},
                                              {"-DTD_WALK_OBB=1", "-DTD_WALK_OBB=1 -DTD_FRONT_MOVING=1"}};
    const bool turned = traversal->volume == TD_VOLUME_OBB;
    for (int i = 0; i < TD_FRONT_KERNELS; ++i) {
        TD_TRY(td_find_kernel(&steps->kernels[i], steps->state->device, "front",
                              options[turned][traversal->moving != NULL], td_front_kernels[i]));
    }
    steps->boxes = &steps->state->arena[turned ? TD_ARENA_TURNED : TD_ARENA_SPLITS];
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Tiles

static td_result td_test_all_tiles(td_front_steps *steps) {
    const uint32_t count = steps->tiles;
    steps->tiles = 0;
    return count > 0 ? td_device_settle_tiles(steps->batch, 0, count) : TD_OK;
}

static td_result td_emit_slice(td_front_steps *steps, const td_device_buffer *entries, uint32_t first,
                               uint32_t count) {
    td_device_state *state = steps->state;
    const td_device_settler *settler = steps->batch->settler;
    const td_device_buffer *arena = state->arena;
    const bool self = steps->batch->questions[steps->way.pair].traversal.self;
    // Only self-collision reads what is welded; elsewhere anything stands in for it.
    const td_kernel_argument of_leaves[4] = {
        TD_ARG_BUFFER(settler != NULL ? settler->quads[0] : &arena[TD_ARENA_QUADS]),
        TD_ARG_BUFFER(settler != NULL ? settler->triangles[0]
                      : self          ? &arena[TD_ARENA_WELDED]
                                      : &arena[TD_ARENA_QUADS]),
        TD_ARG_BUFFER(settler != NULL ? settler->quads[1] : NULL),
        TD_ARG_BUFFER(settler != NULL ? settler->triangles[1] : NULL),
    };
    td_kernel_argument arguments[14] = {TD_ARG_BUFFER(&arena[TD_ARENA_SPLIT]),
                                        TD_ARG_USE(steps, TD_USE_PAIRS), TD_ARG_VALUE(steps->way)};
    uint32_t used = 3;
    for (int i = 0; i < (settler != NULL ? 4 : 2); ++i) {
        arguments[used++] = of_leaves[i];
    }
    arguments[used++] = TD_ARG_BUFFER(entries);
    arguments[used++] = TD_ARG_VALUE(first);
    arguments[used++] = TD_ARG_VALUE(count);
    arguments[used++] = TD_ARG_USE(steps, TD_USE_TILES);
    arguments[used++] = TD_ARG_VALUE(steps->tiles);
    arguments[used++] = TD_ARG_USE(steps, TD_USE_COUNTS);
    arguments[used++] = TD_ARG_USE(steps, TD_USE_TALLIES);
    TD_TRY(td_device_room(state, TD_USE_TILES, (size_t)steps->tiles + count, sizeof(td_device_place),
                          steps->tiles));
    const size_t word = TD_COUNT_CANDIDATES * sizeof(uint32_t);
    uint32_t found;
    TD_TRY(td_buffer_fill(state->device, &state->buffers[TD_USE_COUNTS], word, 1, 0));
    TD_TRY(td_launch(steps, TD_EMIT_TILES, count, arguments, used, TD_STAGE_COLLECT));
    TD_TRY(td_buffer_read(state->device, &found, &state->buffers[TD_USE_COUNTS], word, sizeof found));
    steps->tiles += found;
    return TD_OK;
}

// Finds the tiles among entries, and tests them when many have gathered. Where memory is short those that are
// there are tested first, then fewer entries are looked through at once.
static td_result td_emit_tiles(td_front_steps *steps, const td_device_buffer *entries, uint32_t first,
                               uint32_t count) {
    uint32_t limit = TD_EMITTED;
    for (uint32_t done = 0; done < count;) {
        const uint32_t slice = count - done < limit ? count - done : limit;
        const td_result result = td_emit_slice(steps, entries, first + done, slice);
        if (result == TD_OK) {
            done += slice;
        } else if (!td_is_short(steps, result) || (steps->tiles == 0 && slice <= TD_LEAST)) {
            return result;
        } else if (steps->tiles == 0) {
            limit = slice / 2 > TD_LEAST ? slice / 2 : TD_LEAST;
        }
        if (steps->tiles >= TD_TILES_AT || result != TD_OK) {
            TD_TRY(td_test_all_tiles(steps));
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Entries

// Tests the entries and says how they move.
static td_result td_move_all(td_front_steps *steps, uint32_t record) {
    td_device_state *state = steps->state;
    td_device_front *front = steps->front;
    const uint32_t count = front->count;
    static const td_device_use words[] = {TD_USE_FLAGS, TD_USE_MOVES, TD_USE_COUNTS_NEXT,
                                          TD_USE_COUNTS_TILES};
    for (int i = 0; i < 4; ++i) {
        TD_TRY(td_word_room(steps, words[i], count));
    }
    TD_TRY(td_buffer_fill(state->device, &state->buffers[TD_USE_COUNTS], TD_COUNT_TESTS * sizeof(uint32_t), 2,
                          0));
    const td_kernel_argument of_test[] = {TD_ARG_TREE(steps), TD_ARG_BUFFER(&front->entries),
                                          TD_ARG_VALUE(count), TD_ARG_USE(steps, TD_USE_FLAGS)};
    const td_kernel_argument of_move[] = {TD_ARG_TREE(steps),
                                          TD_ARG_BUFFER(&front->entries),
                                          TD_ARG_VALUE(count),
                                          TD_ARG_VALUE(steps->chunk),
                                          TD_ARG_VALUE(record),
                                          TD_ARG_USE(steps, TD_USE_FLAGS),
                                          TD_ARG_USE(steps, TD_USE_MOVES),
                                          TD_ARG_USE(steps, TD_USE_COUNTS_NEXT),
                                          TD_ARG_USE(steps, TD_USE_COUNTS_TILES),
                                          TD_ARG_USE(steps, TD_USE_COUNTS)};
    TD_TRY(TD_LAUNCH(steps, TD_TEST_ENTRIES, count, TD_STAGE_BOXES, of_test));
    TD_TRY(TD_LAUNCH(steps, TD_MOVE_ENTRIES, count, TD_STAGE_BOXES, of_move));
    return td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_TILES], count, &steps->descend);
}

// The entries that descend, as units.
static td_result td_take_all(td_front_steps *steps, td_device_use units, uint32_t carry) {
    TD_TRY(td_unit_room(steps, units, steps->descend, 0));
    TD_TRY(td_word_room(steps, TD_USE_ORIGINS, carry ? steps->descend : 1));
    TD_TRY(td_word_room(steps, TD_USE_FOLLOW, carry ? steps->descend : 1));
    const td_kernel_argument arguments[] = {TD_ARG_USE(steps, TD_USE_PAIRS),
                                            TD_ARG_VALUE(steps->way),
                                            TD_ARG_BUFFER(&steps->front->entries),
                                            TD_ARG_VALUE(steps->front->count),
                                            TD_ARG_USE(steps, TD_USE_MOVES),
                                            TD_ARG_USE(steps, TD_USE_COUNTS_TILES),
                                            TD_ARG_VALUE(carry),
                                            TD_ARG_USE(steps, units),
                                            TD_ARG_USE(steps, TD_USE_ORIGINS),
                                            TD_ARG_USE(steps, TD_USE_FOLLOW)};
    return TD_LAUNCH(steps, TD_TAKE_ENTRIES, steps->front->count, TD_STAGE_COLLECT, arguments);
}

// What becomes of the entries, but for those that descend, to its places in `next`.
static td_result td_put_all(td_front_steps *steps, uint32_t record, const td_device_buffer *next) {
    const td_kernel_argument arguments[] = {
        TD_ARG_TREE(steps),   TD_ARG_BUFFER(&steps->front->entries), TD_ARG_VALUE(steps->front->count),
        TD_ARG_VALUE(record), TD_ARG_USE(steps, TD_USE_MOVES),       TD_ARG_USE(steps, TD_USE_COUNTS_NEXT),
        TD_ARG_BUFFER(next)};
    return TD_LAUNCH(steps, TD_PUT_ENTRIES, steps->front->count, TD_STAGE_COLLECT, arguments);
}

// One round: `count` units of TD_USE_SLICE give way to what they lead to, behind `first` in TD_USE_PLACES.
static td_result td_open_all(td_front_steps *steps, uint32_t count, uint32_t carry, uint32_t first) {
    const td_kernel_argument arguments[] = {TD_ARG_TREE(steps),
                                            TD_ARG_USE(steps, TD_USE_SLICE),
                                            TD_ARG_USE(steps, TD_USE_ORIGINS),
                                            TD_ARG_USE(steps, TD_USE_FOLLOW),
                                            TD_ARG_VALUE(count),
                                            TD_ARG_VALUE(carry),
                                            TD_ARG_VALUE(first),
                                            TD_ARG_USE(steps, TD_USE_PLACES),
                                            TD_ARG_USE(steps, carry ? TD_USE_ORIGINS_NEXT : TD_USE_ORIGINS),
                                            TD_ARG_USE(steps, carry ? TD_USE_FOLLOW_NEXT : TD_USE_FOLLOW),
                                            TD_ARG_USE(steps, TD_USE_COUNTS)};
    return TD_LAUNCH(steps, TD_OPEN_UNITS, count, TD_STAGE_BOXES, arguments);
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

// ---------------------------------------------------------------------------------------------------------
// With a front

// Rounds until no unit opens: *count of them are in TD_USE_SLICE, in order. *fits is false if there are more
// than a front may have.
static td_result td_open_to_the_end(td_front_steps *steps, uint32_t *count, bool *fits) {
    td_device_state *state = steps->state;
    TD_TRY(td_take_all(steps, TD_USE_SLICE, 1));
    *count = steps->descend;
    for (uint32_t total = 0;; *count = total) {
        td_note_units(steps, *count);
        TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_FOLLOW], *count, &total));
        *fits = total <= steps->front->most_entries;
        if (total == *count || !*fits) {
            return TD_OK;
        }
        TD_TRY(td_unit_room(steps, TD_USE_PLACES, total, 0));
        TD_TRY(td_word_room(steps, TD_USE_ORIGINS_NEXT, total));
        TD_TRY(td_word_room(steps, TD_USE_FOLLOW_NEXT, total));
        TD_TRY(td_open_all(steps, *count, 1, 0));
        td_exchange(steps, TD_USE_SLICE, TD_USE_PLACES);
        td_exchange(steps, TD_USE_ORIGINS, TD_USE_ORIGINS_NEXT);
        td_exchange(steps, TD_USE_FOLLOW, TD_USE_FOLLOW_NEXT);
        TD_TRY(td_device_progress(steps->batch, 0));
    }
}

// How many units there are of each entry that descended: counted as entries of the next front.
static td_result td_count_units(td_front_steps *steps, uint32_t units) {
    const td_kernel_argument of_begins[] = {TD_ARG_USE(steps, TD_USE_ORIGINS), TD_ARG_VALUE(units),
                                            TD_ARG_USE(steps, TD_USE_FLAGS)};
    const td_kernel_argument of_lengths[] = {TD_ARG_USE(steps, TD_USE_ORIGINS), TD_ARG_VALUE(units),
                                             TD_ARG_USE(steps, TD_USE_FLAGS),
                                             TD_ARG_USE(steps, TD_USE_COUNTS_NEXT)};
    TD_TRY(TD_LAUNCH(steps, TD_FIND_BEGINS, units, TD_STAGE_COLLECT, of_begins));
    return TD_LAUNCH(steps, TD_FIND_LENGTHS, units, TD_STAGE_COLLECT, of_lengths);
}

// The next front, beside the last; *fits is false if it has grown too large, and there is none then.
static td_result td_make_next(td_front_steps *steps, uint32_t *total, bool *fits) {
    td_device_state *state = steps->state;
    td_device_front *front = steps->front;
    uint32_t units = 0;
    TD_TRY(td_move_all(steps, 1));
    *fits = true;
    if (steps->descend > 0) {
        TD_TRY(td_open_to_the_end(steps, &units, fits));
        if (!*fits) {
            return TD_OK;
        }
        TD_TRY(td_count_units(steps, units));
    }
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_NEXT], front->count, total));
    *fits = *total <= front->most_entries;
    if (!*fits) {
        return TD_OK;
    }
    TD_TRY(td_front_room(state->device, &front->next, *total));
    TD_TRY(td_put_all(steps, 1, &front->next));
    const td_kernel_argument of_units[] = {
        TD_ARG_USE(steps, TD_USE_SLICE), TD_ARG_USE(steps, TD_USE_ORIGINS),     TD_ARG_VALUE(units),
        TD_ARG_USE(steps, TD_USE_FLAGS), TD_ARG_USE(steps, TD_USE_COUNTS_NEXT), TD_ARG_BUFFER(&front->next)};
    TD_TRY(TD_LAUNCH(steps, TD_PUT_UNITS, units, TD_STAGE_COLLECT, of_units));
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
    TD_TRY(td_unit_room(steps, TD_USE_SLICE, count, 0));
    TD_TRY(td_word_room(steps, TD_USE_FOLLOW, count));
    const td_kernel_argument arguments[] = {TD_ARG_USE(steps, TD_USE_PAIRS),
                                            TD_ARG_VALUE(steps->way),
                                            TD_ARG_USE(steps, TD_USE_PLACES),
                                            TD_ARG_VALUE(first),
                                            TD_ARG_VALUE(count),
                                            TD_ARG_USE(steps, TD_USE_SLICE),
                                            TD_ARG_USE(steps, TD_USE_FOLLOW)};
    TD_TRY(TD_LAUNCH(steps, TD_SLICE_UNITS, count, TD_STAGE_COLLECT, arguments));
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_FOLLOW], count, total));
    TD_TRY(td_unit_room(steps, TD_USE_PLACES, (size_t)first + *total, waiting));
    return td_open_all(steps, count, 0, first);
}

// Everything below the entries, and no front. Where memory is short rounds get smaller.
static td_result td_walk_without(td_front_steps *steps) {
    td_device_state *state = steps->state;
    uint32_t met, limit = TD_UNITS;
    TD_TRY(td_move_all(steps, 0));
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_NEXT], steps->front->count, &met));
    TD_TRY(td_unit_room(steps, TD_USE_SLICE, met, 0));
    TD_TRY(td_put_all(steps, 0, &state->buffers[TD_USE_SLICE]));
    TD_TRY(td_emit_tiles(steps, &state->buffers[TD_USE_SLICE], 0, met));
    TD_TRY(td_take_all(steps, TD_USE_PLACES, 0));
    for (uint32_t waiting = steps->descend, total = 0; waiting > 0;) {
        const uint32_t count = waiting < limit ? waiting : limit;
        td_note_units(steps, waiting);
        const td_result result = td_do_round(steps, waiting, count, &total);
        if (result == TD_OK) {
            waiting += total - count;
            TD_TRY(td_emit_tiles(steps, &state->buffers[TD_USE_PLACES], waiting - total, total));
            TD_TRY(td_device_progress(steps->batch, 0));
        } else if (!td_is_short(steps, result) || (steps->tiles == 0 && count <= TD_LEAST)) {
            return result;
        } else if (steps->tiles > 0) {
            TD_TRY(td_test_all_tiles(steps)); // makes room
        } else {
            limit = count / 2 > TD_LEAST ? count / 2 : TD_LEAST;
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
        if (td_is_short(steps, result)) {
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
        return td_test_all_tiles(steps);
    }
    TD_TRY(td_emit_tiles(steps, &front->next, 0, total));
    TD_TRY(td_test_all_tiles(steps));
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
    TD_TRY(td_find_front_kernels(&steps));
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
