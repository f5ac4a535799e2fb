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
    TD_GROUP = 64,      // work-items per group: four pairs of blocks
    TD_ROUND = 1 << 16, // pairs of blocks per round, unless memory is short
    TD_LEAST_ROUND = 1 << 6,
    TD_TILES_AT = 1 << 16, // tiles that are worth a launch
    TD_TILES_PER_TEST = 1 << 18
};

typedef struct td_rounds {
    td_device_batch *batch;
    const td_kernel *flag, *collect, *copy;
    uint32_t waiting; // pairs of blocks in TD_USE_PLACES
    uint32_t tiles;   // in TD_USE_TILES
    uint32_t held;    // the most pairs of blocks at once
} td_rounds;

// A round: over the last `count` of the waiting pairs of blocks.
typedef struct td_round {
    uint32_t count;
    uint32_t others;      // the pairs before them, which stay
    bool exchanged;       // the buffers of waiting pairs and of the slice have changed places
    uint32_t next, tiles; // what it leads to
} td_round;

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
// The steps of a round

static void td_exchange(td_rounds *rounds, td_round *round) {
    td_device_buffer *buffers = rounds->batch->state->buffers;
    const td_device_buffer other = buffers[TD_USE_SLICE];
    buffers[TD_USE_SLICE] = buffers[TD_USE_PLACES];
    buffers[TD_USE_PLACES] = other;
    round->exchanged = !round->exchanged;
}

// Brings the pairs of the round to TD_USE_SLICE: by exchanging the buffers if that is all there are.
static td_result td_take_slice(td_rounds *rounds, td_round *round) {
    td_device_state *state = rounds->batch->state;
    if (round->others == 0) {
        td_exchange(rounds, round);
        return TD_OK;
    }
    TD_TRY(td_device_room(state, TD_USE_SLICE, round->count, td_place_size, 0));
    const td_kernel_argument arguments[4] = {TD_ARG_BUFFER(&state->buffers[TD_USE_SLICE]),
                                             TD_ARG_BUFFER(&state->buffers[TD_USE_PLACES]),
                                             TD_ARG_VALUE(round->others), TD_ARG_VALUE(round->count)};
    return td_run_kernel(state->device, rounds->copy, round->count, TD_GROUP, arguments, 4, TD_STAGE_COLLECT);
}

static td_result td_flag(const td_rounds *rounds, uint32_t count) {
    td_device_state *state = rounds->batch->state;
    const td_device_buffer *buffers = state->buffers;
    TD_TRY(td_device_room(state, TD_USE_FLAGS, count, sizeof(uint32_t), 0));
    TD_TRY(td_device_room(state, TD_USE_COUNTS_NEXT, count, sizeof(uint32_t), 0));
    TD_TRY(td_device_room(state, TD_USE_COUNTS_TILES, count, sizeof(uint32_t), 0));
    const td_kernel_argument arguments[9] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_BLOCKS]),
        TD_ARG_BUFFER(&state->arena[TD_ARENA_SLABS]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&buffers[TD_USE_SLICE]),
        TD_ARG_VALUE(count),
        TD_ARG_BUFFER(&buffers[TD_USE_FLAGS]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_NEXT]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_TILES]),
        TD_ARG_LOCAL(TD_GROUP),
    };
    return td_run_kernel(state->device, rounds->flag, (size_t)count * 16, TD_GROUP, arguments, 9,
                         TD_STAGE_BOXES);
}

static td_result td_collect(const td_rounds *rounds, const td_round *round) {
    td_device_state *state = rounds->batch->state;
    const td_device_buffer *buffers = state->buffers;
    const td_kernel_argument arguments[13] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_BLOCKS]),
        TD_ARG_BUFFER(&state->arena[TD_ARENA_QUADS]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&buffers[TD_USE_SLICE]),
        TD_ARG_VALUE(round->count),
        TD_ARG_BUFFER(&buffers[TD_USE_FLAGS]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_NEXT]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS_TILES]),
        TD_ARG_BUFFER(&buffers[TD_USE_PLACES]),
        TD_ARG_VALUE(round->others),
        TD_ARG_BUFFER(&buffers[TD_USE_TILES]),
        TD_ARG_VALUE(rounds->tiles),
        TD_ARG_BUFFER(&buffers[TD_USE_TALLIES]),
    };
    return td_run_kernel(state->device, rounds->collect, (size_t)round->count * 16, TD_GROUP, arguments, 13,
                         TD_STAGE_COLLECT);
}

// Room for what a round found. Until it is collected the pairs that wait are kept, those of the round among
// them, so that the round can be given up.
static td_result td_room_for(td_rounds *rounds, const td_round *round) {
    td_device_state *state = rounds->batch->state;
    TD_TRY(td_device_room(state, TD_USE_PLACES, (size_t)round->others + round->next, td_place_size,
                          round->exchanged ? 0 : rounds->waiting));
    return td_device_room(state, TD_USE_TILES, (size_t)rounds->tiles + round->tiles, td_place_size,
                          rounds->tiles);
}

// Tests the pairs of the round and puts what they lead to in their place. On failure they are still waiting.
static td_result td_do_round(td_rounds *rounds, td_round *round) {
    td_device_state *state = rounds->batch->state;
    TD_TRY(td_take_slice(rounds, round));
    td_result result = td_flag(rounds, round->count);
    if (result == TD_OK) {
        result =
            td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_NEXT], round->count, &round->next);
    }
    if (result == TD_OK) {
        result =
            td_device_scan(state->device, &state->buffers[TD_USE_COUNTS_TILES], round->count, &round->tiles);
    }
    if (result == TD_OK) {
        result = td_room_for(rounds, round);
    }
    if (result != TD_OK) {
        if (round->exchanged) {
            td_exchange(rounds, round);
        }
        return result;
    }
    TD_TRY(td_collect(rounds, round));
    rounds->waiting = round->others + round->next;
    rounds->tiles += round->tiles;
    rounds->held = rounds->waiting > rounds->held ? rounds->waiting : rounds->held;
    return TD_OK;
}

// Rounds until nothing waits. Where memory is short, tiles are tested to make room, then rounds get smaller.
static td_result td_do_all_rounds(td_rounds *rounds) {
    uint32_t limit = TD_ROUND;
    while (rounds->waiting > 0) {
        td_round round = {.count = rounds->waiting < limit ? rounds->waiting : limit};
        round.others = rounds->waiting - round.count;
        const td_result result = td_do_round(rounds, &round);
        const bool is_short = result == TD_ERROR_DEVICE && td_device_is_short(rounds->batch->state->device);
        if (result != TD_OK && (!is_short || (rounds->tiles == 0 && round.count <= TD_LEAST_ROUND))) {
            return result;
        }
        if (is_short && rounds->tiles == 0) {
            limit = round.count / 2 > TD_LEAST_ROUND ? round.count / 2 : TD_LEAST_ROUND;
        }
        TD_TRY(td_device_progress(rounds->batch, 0)); // all questions go down together
        if (is_short || rounds->tiles >= TD_TILES_AT) {
            TD_TRY(td_test_all_tiles(rounds));
        }
    }
    return td_test_all_tiles(rounds);
}

td_result td_blocked_run_on_device(td_device_batch *batch) {
    td_device *device = batch->state->device;
    td_rounds rounds = {.batch = batch};
    TD_TRY(td_find_kernel(&rounds.flag, device, "blocked", NULL, "td_flag_blocks"));
    TD_TRY(td_find_kernel(&rounds.collect, device, "blocked", NULL, "td_collect_blocks"));
    TD_TRY(td_find_kernel(&rounds.copy, device, "blocked", NULL, "td_copy_places"));
    TD_TRY(td_begin(&rounds));
    TD_TRY(td_do_all_rounds(&rounds));
    // Pairs of blocks are of all questions together; each is told the share it can be said to have held.
    const uint32_t held = (rounds.held + batch->count - 1) / batch->count;
    for (uint32_t i = 0; i < batch->count; ++i) {
        batch->tallies.items[(size_t)i * TD_TALLIES + TD_TALLY_STATE] = 64 * held;
    }
    return TD_OK;
}
