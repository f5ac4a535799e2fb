// The triangle tests on a device: the float32 filter, then the exact predicate for what it leaves, on the
// device where it has float64, else on the host.
#include "../core/error.h"
#include "../core/tasks.h"
#include "device_state.h"

enum {
    TD_GROUP = 64,        // work-items per group
    TD_FIRST_ROOM = 8192, // hits or undecided pairs to begin with, unless memory is short
    TD_LEAST_ROOM = 64,
    TD_DECIDE_CHUNK = 512 // pairs per task, on the host
};

// What is to be tested: candidates or tiles.
typedef struct td_settling {
    td_device_batch *batch;
    bool tiles;
    uint32_t first, count;
} td_settling;

static td_result td_filter(const td_settling *settling) {
    td_device_state *state = settling->batch->state;
    const td_device_buffer *buffers = state->buffers;
    const td_kernel *kernel;
    TD_TRY(td_find_kernel(&kernel, state->device, "triangles", NULL,
                          settling->tiles ? "td_test_tiles" : "td_test_candidates"));
    const uint32_t hit_room = td_device_items(state, TD_USE_HITS, sizeof(td_device_place));
    const uint32_t undecided_room = td_device_items(state, TD_USE_UNDECIDED, sizeof(td_device_place));
    // Only self-collision reads what is welded; elsewhere anything stands in for it.
    const bool self = settling->batch->questions[0].traversal.self;
    const td_kernel_argument arguments[11] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_QUADS]),
        TD_ARG_BUFFER(&state->arena[self ? TD_ARENA_WELDED : TD_ARENA_QUADS]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&buffers[settling->tiles ? TD_USE_TILES : TD_USE_CANDIDATES]),
        TD_ARG_VALUE(settling->first),
        TD_ARG_VALUE(settling->count),
        TD_ARG_BUFFER(&buffers[TD_USE_HITS]),
        TD_ARG_VALUE(hit_room),
        TD_ARG_BUFFER(&buffers[TD_USE_UNDECIDED]),
        TD_ARG_VALUE(undecided_room),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS]),
    };
    const size_t items = (size_t)settling->count * (settling->tiles ? 16 : 1);
    return td_run_kernel(state->device, kernel, items, TD_GROUP, arguments, 11, TD_STAGE_TRIANGLES);
}

static td_result td_read_counts(uint32_t counts[TD_COUNTS], td_device_state *state) {
    return td_buffer_read(state->device, counts, &state->buffers[TD_USE_COUNTS], 0,
                          TD_COUNTS * sizeof(uint32_t));
}

// Until there is room for all that was found.
static td_result td_filter_all(uint32_t counts[TD_COUNTS], const td_settling *settling) {
    td_device_state *state = settling->batch->state;
    const size_t size = sizeof(td_device_place);
    uint32_t hits, undecided;
    TD_TRY(td_device_room_up_to(state, TD_USE_HITS, TD_FIRST_ROOM, TD_LEAST_ROOM, size, &hits));
    TD_TRY(td_device_room_up_to(state, TD_USE_UNDECIDED, TD_FIRST_ROOM, TD_LEAST_ROOM, size, &undecided));
    do {
        TD_TRY(td_device_room(state, TD_USE_HITS, hits, size, 0));
        TD_TRY(td_device_room(state, TD_USE_UNDECIDED, undecided, size, 0));
        TD_TRY(td_buffer_fill(state->device, &state->buffers[TD_USE_COUNTS], TD_COUNT_HITS * sizeof(uint32_t),
                              3, 0));
        TD_TRY(td_filter(settling));
        TD_TRY(td_read_counts(counts, state));
        hits = counts[TD_COUNT_HITS];
        undecided = counts[TD_COUNT_UNDECIDED];
    } while (hits > td_device_items(state, TD_USE_HITS, size) ||
             undecided > td_device_items(state, TD_USE_UNDECIDED, size));
    return TD_OK;
}

static td_result td_decide_on_device(uint32_t counts[TD_COUNTS], td_device_batch *batch) {
    td_device_state *state = batch->state;
    const td_device_buffer *buffers = state->buffers;
    const uint32_t undecided = counts[TD_COUNT_UNDECIDED], hits = counts[TD_COUNT_HITS];
    const td_kernel *kernel;
    TD_TRY(td_find_kernel(&kernel, state->device, "exact", NULL, "td_decide_exactly"));
    TD_TRY(td_device_room(state, TD_USE_HITS, (size_t)hits + undecided, sizeof(td_device_place), hits));
    TD_TRY(td_device_room(state, TD_USE_HANDED, undecided, sizeof(td_device_place), 0));
    const td_kernel_argument arguments[10] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_CORNERS]), TD_ARG_BUFFER(&state->arena[TD_ARENA_TRIANGLES]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),          TD_ARG_BUFFER(&buffers[TD_USE_MOTIONS]),
        TD_ARG_BUFFER(&buffers[TD_USE_UNDECIDED]),      TD_ARG_VALUE(undecided),
        TD_ARG_BUFFER(&buffers[TD_USE_HITS]),           TD_ARG_BUFFER(&buffers[TD_USE_HANDED]),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS]),         TD_ARG_BUFFER(&buffers[TD_USE_TALLIES]),
    };
    TD_TRY(td_run_kernel(state->device, kernel, undecided, TD_GROUP, arguments, 10, TD_STAGE_EXACT));
    return td_read_counts(counts, state);
}

// ---------------------------------------------------------------------------------------------------------
// On the host

typedef struct td_host_decision {
    td_device_batch *batch;
    td_device_place *places;
    uint32_t *verdicts;
    size_t count;
} td_host_decision;

static void td_host_task(uint32_t item, void *payload) {
    const td_host_decision *decision = payload;
    const size_t first = (size_t)item * TD_DECIDE_CHUNK;
    const size_t end = decision->count - first < TD_DECIDE_CHUNK ? decision->count : first + TD_DECIDE_CHUNK;
    for (size_t i = first; i < end; ++i) {
        const td_device_place place = decision->places[i];
        const td_traversal *traversal = &decision->batch->questions[place.pair].traversal;
        decision->verdicts[i] = td_exactly_intersects(traversal, place.a, place.b);
    }
}

// Reads `count` places of a buffer and adds those that intersect to the hits.
static td_result td_decide_on_host(td_device_batch *batch, td_device_use use, uint32_t count, bool tally) {
    td_device_state *state = batch->state;
    td_context *context = state->context;
    state->places.count = state->words.count = 0;
    TD_TRY(td_array_reserve(context, &state->places, count));
    TD_TRY(td_array_reserve(context, &state->words, count));
    TD_TRY(td_array_reserve(context, &batch->hits, count));
    TD_TRY(td_buffer_read(state->device, state->places.items, &state->buffers[use], 0,
                          count * sizeof(td_device_place)));
    td_host_decision decision = {batch, state->places.items, state->words.items, count};
    td_run_tasks(context, td_host_task, (count + TD_DECIDE_CHUNK - 1) / TD_DECIDE_CHUNK, &decision);
    for (uint32_t i = 0; i < count; ++i) {
        const td_device_place place = state->places.items[i];
        if (decision.verdicts[i]) {
            batch->hits.items[batch->hits.count++] = place;
        }
        batch->tallies.items[(size_t)place.pair * TD_TALLIES + TD_TALLY_EXACT] += tally;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_read_hits(td_device_batch *batch, uint32_t count) {
    td_device_state *state = batch->state;
    if (count == 0) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(state->context, &batch->hits, count));
    TD_TRY(td_buffer_read(state->device, batch->hits.items + batch->hits.count, &state->buffers[TD_USE_HITS],
                          0, count * sizeof(td_device_place)));
    batch->hits.count += count;
    return TD_OK;
}

static td_result td_settle_at_once(const td_settling *settling) {
    td_device_batch *batch = settling->batch;
    uint32_t counts[TD_COUNTS];
    TD_TRY(td_filter_all(counts, settling));
    const uint32_t undecided = counts[TD_COUNT_UNDECIDED];
    if (undecided > 0 && td_device_has_float64(batch->state->device)) {
        TD_TRY(td_decide_on_device(counts, batch));
        if (counts[TD_COUNT_HANDED] > 0) {
            TD_TRY(td_decide_on_host(batch, TD_USE_HANDED, counts[TD_COUNT_HANDED], false));
        }
    } else if (undecided > 0) {
        TD_TRY(td_decide_on_host(batch, TD_USE_UNDECIDED, undecided, true));
    }
    return td_read_hits(batch, counts[TD_COUNT_HITS]);
}

// Where memory is short, half at a time. What failed leaves no hits behind: they would be found again.
static td_result td_settle(const td_settling *settling) {
    if (settling->count == 0) {
        return TD_OK;
    }
    const size_t hits = settling->batch->hits.count;
    const td_result result = td_settle_at_once(settling);
    if (result != TD_OK) {
        settling->batch->hits.count = hits;
    }
    if (result != TD_ERROR_DEVICE || !td_device_is_short(settling->batch->state->device) ||
        settling->count == 1) {
        return result;
    }
    td_settling half = *settling;
    half.count = settling->count / 2;
    TD_TRY(td_settle(&half));
    half.first += half.count;
    half.count = settling->count - half.count;
    return td_settle(&half);
}

td_result td_device_settle_candidates(td_device_batch *batch, uint32_t count) {
    if (batch->settler != NULL) {
        return count > 0 ? batch->settler->settle(batch, count, batch->settler->user) : TD_OK;
    }
    return td_settle(&(td_settling){.batch = batch, .count = count});
}

td_result td_device_settle_tiles(td_device_batch *batch, uint32_t first, uint32_t count) {
    if (batch->settler != NULL) {
        return count > 0 ? batch->settler->settle_tiles(batch, first, count, batch->settler->user) : TD_OK;
    }
    return td_settle(&(td_settling){.batch = batch, .tiles = true, .first = first, .count = count});
}
