// `blocked` on a device (kernels/blocked.cl; paper 002, Fig. 5): while there are pairs of blocks, test them,
// sum up the flags, collect the pairs of the next round and the tiles; test the triangles of the tiles at the
// end.
//
// A round takes all pairs of blocks there are, up to a limit; what is beyond waits, and the last come first,
// so that memory is bounded by the depth of the hierarchies and not by the number of pairs. Tiles are tested
// whenever many have gathered.
#include "blocked_device.h"

#include "../core/error.h"

enum {
    TD_GROUP = 64,           // work-items per group: four pairs of blocks
    TD_ROUND = 1 << 16,      // pairs of blocks per round, unless memory is short
    TD_LEAST_ROUND = 1 << 6, //
    TD_TILES_AT = 1 << 16,   // tiles that are worth a launch
    TD_TILES_PER_TEST = 1 << 18
};

typedef struct td_rounds {
    td_device_batch *batch;
    const td_kernel *flag, *collect, *copy;
    uint32_t waiting; // pairs of blocks in TD_USE_PLACES
    uint32_t tiles;   // in TD_USE_TILES
    uint32_t limit;   // pairs of blocks per round
    uint32_t held;    // the most pairs of blocks at once
} td_rounds;

static const size_t td_place_size = sizeof(td_device_place);

static td_result td_begin(td_rounds *rounds) {
    td_device_batch *batch = rounds->batch;
    td_device_state *state = batch->state;
    state->places.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->places, batch->count));
    for (uint32_t i = 0; i < batch->count; ++i) {
        if (td_device_takes(&batch->questions[i])) {
            state->places.items[state->places.count++] = (td_device_place){i, 0, 0};
        }
    }
    rounds->waiting = rounds->held = (uint32_t)state->places.count;
    TD_TRY(td_device_room(state, TD_USE_PLACES, rounds->waiting, td_place_size, 0));
    return td_buffer_write(state->device, &state->buffers[TD_USE_PLACES], 0, state->places.items,
                           rounds->waiting * td_place_size);
}

static td_result td_test_all_tiles(td_rounds *rounds) {
    for (uint32_t first = 0; first < rounds->tiles; first += TD_TILES_PER_TEST) {
        const uint32_t rest = rounds->tiles - first;
        TD_TRY(td_device_settle_tiles(rounds->batch, first,
                                      rest < TD_TILES_PER_TEST ? rest : TD_TILES_PER_TEST));
    }
    rounds->tiles = 0;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The steps of a round over the last `count` pairs of blocks

// Moves them to TD_USE_SLICE: by exchanging the buffers if that is all there are.
static td_result td_take_slice(td_rounds *rounds, uint32_t count) {
    td_device_state *state = rounds->batch->state;
    td_device_buffer *places = &state->buffers[TD_USE_PLACES], *slice = &state->buffers[TD_USE_SLICE];
    if (count == rounds->waiting) {
        const td_device_buffer other = *slice;
        *slice = *places;
        *places = other;
        return TD_OK;
    }
    TD_TRY(td_device_room(state, TD_USE_SLICE, count, td_place_size, 0));
    const uint32_t first = rounds->waiting - count;
    const td_kernel_argument arguments[4] = {TD_ARG_BUFFER(slice), TD_ARG_BUFFER(places), TD_ARG_VALUE(first),
                                             TD_ARG_VALUE(count)};
    return td_run_kernel(state->device, rounds->copy, count, TD_GROUP, arguments, 4, TD_STAGE_COLLECT);
}

static td_result td_flag(const td_rounds *rounds, uint32_t count) {
    td_device_state *state = rounds->batch->state;
    const td_device_buffer *buffers = state->buffers;
    TD_TRY(td_device_room(state, TD_USE_FLAGS, count, sizeof(uint32_t), 0));
    TD_TRY(td_device_room(state, TD_USE_COUNTS_NEXT, count, sizeof(uint32_t), 0));
    TD_TRY(td_device_room(state, TD_USE_COUNTS_TILES, count, sizeof(uint32_t), 0));
    const td_kernel_argument arguments[10] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_BLOCKS]),
        TD_ARG_BUFFER(&state->arena[TD_ARENA_SLABS]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&buffers[TD_USE_SLICE]),
        TD_ARG_VALUE(count),
        TD_ARG_BUFFER(&buffers[TD_USE_FLAGS]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_NEXT]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_TILES]),
        TD_ARG_BUFFER(&buffers[TD_USE_TALLIES]),
        TD_ARG_LOCAL(TD_GROUP),
    };
    return td_run_kernel(state->device, rounds->flag, (size_t)count * 16, TD_GROUP, arguments, 10,
                         TD_STAGE_BOXES);
}

static td_result td_collect(const td_rounds *rounds, uint32_t count, uint32_t waiting) {
    td_device_state *state = rounds->batch->state;
    const td_device_buffer *buffers = state->buffers;
    const td_kernel_argument arguments[11] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_BLOCKS]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&buffers[TD_USE_SLICE]),
        TD_ARG_VALUE(count),
        TD_ARG_BUFFER(&buffers[TD_USE_FLAGS]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_NEXT]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_TILES]),
        TD_ARG_BUFFER(&buffers[TD_USE_PLACES]),
        TD_ARG_VALUE(waiting),
        TD_ARG_BUFFER(&buffers[TD_USE_TILES]),
        TD_ARG_VALUE(rounds->tiles),
    };
    return td_run_kernel(state->device, rounds->collect, (size_t)count * 16, TD_GROUP, arguments, 11,
                         TD_STAGE_COLLECT);
}

// Room for what a round found. Tiles may be tested first to make some.
static td_result td_room_for(td_rounds *rounds, uint32_t waiting, uint32_t next, uint32_t tiles) {
    td_device_state *state = rounds->batch->state;
    td_result result = td_device_room(state, TD_USE_PLACES, (size_t)waiting + next, td_place_size, waiting);
    if (result == TD_OK) {
        result =
            td_device_room(state, TD_USE_TILES, (size_t)rounds->tiles + tiles, td_place_size, rounds->tiles);
    }
    if (result == TD_ERROR_DEVICE && td_device_is_short(state->device) && rounds->tiles > 0) {
        TD_TRY(td_test_all_tiles(rounds));
        return td_room_for(rounds, waiting, next, tiles);
    }
    return result;
}

// Tests the last `count` pairs and puts what they lead to in their place.
static td_result td_do_round(td_rounds *rounds, uint32_t count) {
    td_device_state *state = rounds->batch->state;
    uint32_t next, tiles;
    TD_TRY(td_take_slice(rounds, count));
    const uint32_t waiting = rounds->waiting - count;
    TD_TRY(td_flag(rounds, count));
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_NEXT], count, &next));
    TD_TRY(td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_TILES], count, &tiles));
    TD_TRY(td_room_for(rounds, waiting, next, tiles));
    TD_TRY(td_collect(rounds, count, waiting));
    rounds->waiting = waiting + next;
    rounds->tiles += tiles;
    return TD_OK;
}

td_result td_blocked_run_on_device(td_device_batch *batch) {
    td_device *device = batch->state->device;
    td_rounds rounds = {.batch = batch, .limit = TD_ROUND};
    TD_TRY(td_find_kernel(&rounds.flag, device, "blocked", NULL, "td_flag_blocks"));
    TD_TRY(td_find_kernel(&rounds.collect, device, "blocked", NULL, "td_collect_blocks"));
    TD_TRY(td_find_kernel(&rounds.copy, device, "blocked", NULL, "td_copy_places"));
    TD_TRY(td_begin(&rounds));
    while (rounds.waiting > 0) {
        const uint32_t count = rounds.waiting < rounds.limit ? rounds.waiting : rounds.limit;
        TD_TRY(td_do_round(&rounds, count));
        rounds.held = rounds.waiting > rounds.held ? rounds.waiting : rounds.held;
        if (rounds.tiles >= TD_TILES_AT) {
            TD_TRY(td_test_all_tiles(&rounds));
        }
    }
    // Pairs of blocks are of all questions together; each is told the share it can be said to have held.
    for (uint32_t i = 0; i < batch->count; ++i) {
        batch->tallies.items[(size_t)i * TD_TALLIES + TD_TALLY_STATE] =
            64 * ((rounds.held + batch->count - 1) / batch->count);
    }
    return td_test_all_tiles(&rounds);
}
