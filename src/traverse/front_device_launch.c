#include "front_device_launch.h"

#include "../core/error.h"

enum {
    TD_GROUP = 64,        // work-items per group
    TD_EMITTED = 1 << 18, // entries looked through for tiles at once, unless memory is short
    TD_TILES_AT = 1 << 16 // tiles that are worth a launch
};

static const char *const td_front_kernels[TD_FRONT_KERNELS] = {
    [TD_TEST_ENTRIES] = "td_test_entries", [TD_MOVE_ENTRIES] = "td_move_entries",
    [TD_TAKE_ENTRIES] = "td_take_entries", [TD_SLICE_UNITS] = "td_slice_units",
    [TD_OPEN_UNITS] = "td_open_units",     [TD_FIND_BEGINS] = "td_find_begins",
    [TD_FIND_LENGTHS] = "td_find_lengths", [TD_PUT_ENTRIES] = "td_put_entries",
    [TD_PUT_UNITS] = "td_put_units",       [TD_EMIT_TILES] = "td_emit_tiles",
};

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

td_result td_front_words(td_front_steps *steps, td_device_use use, size_t count) {
    return td_device_room(steps->state, use, count, sizeof(uint32_t), 0);
}

td_result td_front_units(td_front_steps *steps, td_device_use use, size_t count, size_t keep) {
    return td_device_room(steps->state, use, count, sizeof(td_front_entry), keep);
}

bool td_front_is_short(const td_front_steps *steps, td_result result) {
    return result == TD_ERROR_DEVICE && td_device_is_short(steps->state->device);
}

td_result td_front_find_kernels(td_front_steps *steps) {
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

td_result td_front_test_tiles(td_front_steps *steps) {
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

td_result td_front_emit_tiles(td_front_steps *steps, const td_device_buffer *entries, uint32_t first,
                              uint32_t count) {
    uint32_t limit = TD_EMITTED;
    for (uint32_t done = 0; done < count;) {
        const uint32_t slice = count - done < limit ? count - done : limit;
        const td_result result = td_emit_slice(steps, entries, first + done, slice);
        if (result == TD_OK) {
            done += slice;
        } else if (!td_front_is_short(steps, result) || (steps->tiles == 0 && slice <= TD_FRONT_LEAST)) {
            return result;
        } else if (steps->tiles == 0) {
            limit = slice / 2 > TD_FRONT_LEAST ? slice / 2 : TD_FRONT_LEAST;
        }
        if (steps->tiles >= TD_TILES_AT || result != TD_OK) {
            TD_TRY(td_front_test_tiles(steps));
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Entries

td_result td_front_move_all(td_front_steps *steps, uint32_t record) {
    td_device_state *state = steps->state;
    td_device_front *front = steps->front;
    const uint32_t count = front->count;
    static const td_device_use words[] = {TD_USE_FLAGS, TD_USE_MOVES, TD_USE_COUNTS_NEXT,
                                          TD_USE_COUNTS_TILES};
    for (int i = 0; i < 4; ++i) {
        TD_TRY(td_front_words(steps, words[i], count));
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

td_result td_front_take_all(td_front_steps *steps, td_device_use units, uint32_t carry) {
    TD_TRY(td_front_units(steps, units, steps->descend, 0));
    TD_TRY(td_front_words(steps, TD_USE_ORIGINS, carry ? steps->descend : 1));
    TD_TRY(td_front_words(steps, TD_USE_FOLLOW, carry ? steps->descend : 1));
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

td_result td_front_put_all(td_front_steps *steps, uint32_t record, const td_device_buffer *next) {
    const td_kernel_argument arguments[] = {
        TD_ARG_TREE(steps),   TD_ARG_BUFFER(&steps->front->entries), TD_ARG_VALUE(steps->front->count),
        TD_ARG_VALUE(record), TD_ARG_USE(steps, TD_USE_MOVES),       TD_ARG_USE(steps, TD_USE_COUNTS_NEXT),
        TD_ARG_BUFFER(next)};
    return TD_LAUNCH(steps, TD_PUT_ENTRIES, steps->front->count, TD_STAGE_COLLECT, arguments);
}

td_result td_front_open_all(td_front_steps *steps, uint32_t count, uint32_t carry, uint32_t first) {
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

td_result td_front_slice_units(td_front_steps *steps, uint32_t first, uint32_t count) {
    const td_kernel_argument arguments[] = {TD_ARG_USE(steps, TD_USE_PAIRS),
                                            TD_ARG_VALUE(steps->way),
                                            TD_ARG_USE(steps, TD_USE_PLACES),
                                            TD_ARG_VALUE(first),
                                            TD_ARG_VALUE(count),
                                            TD_ARG_USE(steps, TD_USE_SLICE),
                                            TD_ARG_USE(steps, TD_USE_FOLLOW)};
    return TD_LAUNCH(steps, TD_SLICE_UNITS, count, TD_STAGE_COLLECT, arguments);
}

td_result td_front_count_units(td_front_steps *steps, uint32_t units) {
    const td_kernel_argument of_begins[] = {TD_ARG_USE(steps, TD_USE_ORIGINS), TD_ARG_VALUE(units),
                                            TD_ARG_USE(steps, TD_USE_FLAGS)};
    const td_kernel_argument of_lengths[] = {TD_ARG_USE(steps, TD_USE_ORIGINS), TD_ARG_VALUE(units),
                                             TD_ARG_USE(steps, TD_USE_FLAGS),
                                             TD_ARG_USE(steps, TD_USE_COUNTS_NEXT)};
    TD_TRY(TD_LAUNCH(steps, TD_FIND_BEGINS, units, TD_STAGE_COLLECT, of_begins));
    return TD_LAUNCH(steps, TD_FIND_LENGTHS, units, TD_STAGE_COLLECT, of_lengths);
}

td_result td_front_put_units(td_front_steps *steps, uint32_t units) {
    const td_kernel_argument of_units[] = {TD_ARG_USE(steps, TD_USE_SLICE),
                                           TD_ARG_USE(steps, TD_USE_ORIGINS),
                                           TD_ARG_VALUE(units),
                                           TD_ARG_USE(steps, TD_USE_FLAGS),
                                           TD_ARG_USE(steps, TD_USE_COUNTS_NEXT),
                                           TD_ARG_BUFFER(&steps->front->next)};
    return TD_LAUNCH(steps, TD_PUT_UNITS, units, TD_STAGE_COLLECT, of_units);
}
