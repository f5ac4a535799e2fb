// The walk of two swept hierarchies on a device: rounds over pairs of blocks.
//
// A round takes the last segment of the pairs that wait, or the end of it, and what it finds becomes a
// segment behind it. So memory is bounded by the depth of the hierarchies, not by the number of pairs; and as
// a pair leads to 16 others at most, there is always room for what a round finds.
#include "swept_device.h"

#include "../core/context.h"
#include "../core/error.h"

enum {
    TD_SWEPT_ROUND = 1 << 15, // pairs of blocks per round, unless memory is short
    TD_SWEPT_LEAST_ROUND = 1 << 6,
    TD_TILES_OF_ROUNDS = 2 // so many rounds' pairs of quads may gather
};

td_result td_swept_device_create(td_swept_device **out, td_device *device) {
    td_context *context = td_device_context(device);
    td_swept_device *state = TD_NEW(context, td_swept_device, 1);
    if (state == NULL) {
        return TD_ERROR_MEMORY;
    }
    *state = (td_swept_device){.device = td_device_retain(device), .context = context};
    *out = state;
    return TD_OK;
}

void td_swept_device_destroy(td_swept_device *state) {
    if (state == NULL) {
        return;
    }
    td_context *context = state->context;
    for (int i = 0; i < 2 * TD_PARTS; ++i) {
        td_buffer_release(state->device, &state->parts[i / TD_PARTS][i % TD_PARTS]);
    }
    for (int i = 0; i < TD_SWEPT_USES; ++i) {
        td_buffer_release(state->device, &state->buffers[i]);
    }
    td_device_state_destroy(state->walks);
    td_array_release(context, &state->waiting);
    td_array_release(context, &state->candidates);
    td_array_release(context, &state->contacts);
    td_destroy_device(state->device);
    TD_DELETE(context, td_swept_device, state, 1);
}

uint64_t td_swept_device_bytes(const td_swept_device *state) {
    uint64_t bytes = state->waiting.capacity * sizeof(td_swept_segment) +
                     state->candidates.capacity * sizeof(td_candidate) +
                     state->contacts.capacity * sizeof(td_swept_contact);
    for (int i = 0; i < 2 * TD_PARTS; ++i) {
        bytes += state->parts[i / TD_PARTS][i % TD_PARTS].size;
    }
    for (int i = 0; i < TD_SWEPT_USES; ++i) {
        bytes += state->buffers[i].size;
    }
    return bytes + (state->walks != NULL ? td_device_state_bytes(state->walks) : 0);
}

td_result td_swept_room(td_swept_device *state, td_swept_use use, size_t count, size_t size, size_t keep) {
    td_device_buffer *buffer = &state->buffers[use];
    const size_t wanted = count * size;
    return wanted <= buffer->size ? TD_OK : td_buffer_reserve(state->device, buffer, wanted, keep * size);
}

td_result td_swept_reset_counts(const td_swept_run_state *run) {
    return td_buffer_fill(run->state->device, &run->state->buffers[TD_SWEPT_USE_COUNTS], 0, TD_SWEPT_COUNTS,
                          0);
}

td_result td_swept_read_counts(uint32_t counts[TD_SWEPT_COUNTS], const td_swept_run_state *run) {
    return td_buffer_read(run->state->device, counts, &run->state->buffers[TD_SWEPT_USE_COUNTS], 0,
                          TD_SWEPT_COUNTS * sizeof(uint32_t));
}

// ---------------------------------------------------------------------------------------------------------
// Meshes

static td_result td_bring_part(td_swept_device *state, int side, td_swept_part part, const void *items,
                               size_t count, size_t size) {
    td_device_buffer *buffer = &state->parts[side][part];
    const size_t bytes = count * size;
    if (bytes > buffer->size) {
        TD_TRY(td_buffer_reserve(state->device, buffer, bytes, 0));
    }
    return td_buffer_write(state->device, buffer, 0, items, bytes);
}

static td_result td_bring_side(const td_swept_run_state *run, int side, uint64_t serial, bool blocks) {
    td_swept_device *state = run->state;
    const td_swept *swept = side == 0 ? run->question->a : run->question->b;
    const td_features *features = side == 0 ? run->question->features_a : run->question->features_b;
    if (blocks) {
        TD_TRY(td_bring_part(state, side, TD_PART_BLOCKS, swept->blocks, swept->block_count,
                             sizeof(td_swept_block)));
    }
    TD_TRY(td_bring_part(state, side, TD_PART_QUADS, swept->quads, swept->quad_count, sizeof(td_swept_quad)));
    TD_TRY(
        td_bring_part(state, side, TD_PART_BOXES, swept->boxes, swept->vertex_count, sizeof(td_swept_box)));
    if (run->filter != NULL) {
        TD_TRY(td_bring_part(state, side, TD_PART_PATHS, swept->paths, swept->vertex_count, sizeof(td_path)));
    }
    if (!state->known[side] || state->serials[side] != serial) {
        state->known[side] = false;
        TD_TRY(td_bring_part(state, side, TD_PART_TRIANGLES, features->triangles, features->triangle_count,
                             sizeof(td_swept_triangle)));
        state->serials[side] = serial;
        state->known[side] = true;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Rounds

static td_result td_visit_blocks(const td_swept_run_state *run, uint32_t first, uint32_t count,
                                 uint32_t next_first) {
    td_swept_device *state = run->state;
    const uint32_t self = run->question->self;
    const td_kernel_argument arguments[10] = {
        TD_ARG_BUFFER(&state->parts[0][TD_PART_BLOCKS]),
        TD_ARG_BUFFER(&state->parts[self ? 0 : 1][TD_PART_BLOCKS]),
        TD_ARG_VALUE(self),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_PLACES]),
        TD_ARG_VALUE(first),
        TD_ARG_VALUE(count),
        TD_ARG_VALUE(next_first),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_QUADS]),
        TD_ARG_VALUE(run->tile_count),
        TD_ARG_BUFFER(&state->buffers[TD_SWEPT_USE_COUNTS]),
    };
    TD_TRY(td_swept_reset_counts(run));
    return td_run_kernel(state->device, run->visit_blocks, count, TD_SWEPT_GROUP, arguments, 10,
                         TD_STAGE_BOXES);
}

// Takes up to `limit` pairs from the end of the last segment.
static td_result td_do_swept_round(td_swept_run_state *run, uint32_t limit) {
    td_swept_device *state = run->state;
    td_swept_segment *last = &state->waiting.items[state->waiting.count - 1];
    const uint32_t count = last->count < limit ? last->count : limit;
    const uint32_t end = last->first + last->count;
    const size_t size = sizeof(td_swept_place);
    if (run->tile_count > TD_TILES_OF_ROUNDS * 16 * limit - 16 * count) {
        TD_TRY(td_swept_settle_tiles(run));
    }
    TD_TRY(td_swept_room(state, TD_SWEPT_USE_PLACES, (size_t)end + 16 * (size_t)count, size, end));
    TD_TRY(td_swept_room(state, TD_SWEPT_USE_QUADS, (size_t)TD_TILES_OF_ROUNDS * 16 * limit, size,
                         run->tile_count));
    TD_TRY(td_array_reserve(state->context, &state->waiting, 1));
    last = &state->waiting.items[state->waiting.count - 1];
    TD_TRY(td_visit_blocks(run, end - count, count, end));
    uint32_t counts[TD_SWEPT_COUNTS];
    TD_TRY(td_swept_read_counts(counts, run));
    run->workers[0].counters.box_tests += counts[TD_SWEPT_BOXES];
    run->tile_count += counts[TD_SWEPT_TILES];
    last->count -= count;
    const bool emptied = last->count == 0;
    const td_swept_segment next = {end, counts[TD_SWEPT_NEXT]};
    if (emptied) {
        --state->waiting.count;
    }
    if (next.count > 0) {
        state->waiting.items[state->waiting.count++] = next;
    }
    return TD_OK;
}

static td_result td_tell_round(const td_swept_run_state *run) {
    if (run->progress != NULL && !run->progress(0, 1, run->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled");
    }
    return TD_OK;
}

// Where memory is short, rounds get smaller.
static td_result td_do_swept_rounds(td_swept_run_state *run) {
    td_swept_device *state = run->state;
    const td_swept_place roots = {0, 0};
    state->waiting.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->waiting, 1));
    state->waiting.items[state->waiting.count++] = (td_swept_segment){0, 1};
    TD_TRY(td_swept_room(state, TD_SWEPT_USE_PLACES, 1, sizeof roots, 0));
    TD_TRY(td_buffer_write(state->device, &state->buffers[TD_SWEPT_USE_PLACES], 0, &roots, sizeof roots));
    for (uint32_t limit = TD_SWEPT_ROUND; state->waiting.count > 0;) {
        TD_TRY(td_tell_round(run));
        const td_result result = td_do_swept_round(run, limit);
        if (result == TD_ERROR_DEVICE && td_device_is_short(state->device) && limit > TD_SWEPT_LEAST_ROUND) {
            TD_TRY(td_swept_settle_tiles(run));
            td_buffer_release(state->device, &state->buffers[TD_SWEPT_USE_QUADS]);
            limit /= 2;
        } else if (result != TD_OK) {
            return result;
        }
    }
    return td_swept_settle_tiles(run);
}

td_result td_swept_bring(td_swept_run_state *run, const uint64_t serials[2], bool blocks) {
    td_swept_device *state = run->state;
    td_device *device = state->device;
    const td_swept_question *question = run->question;
    TD_TRY(td_find_kernel(&run->visit_tiles, device, "swept", NULL,
                          run->lanes ? "td_visit_swept_leaves" : "td_visit_swept_tiles"));
    run->filter = NULL;
    if (td_device_has_float64(device) && question->decide == td_decide_linear &&
        question->moving.separation == 0.0) {
        TD_TRY(td_find_kernel(&run->filter, device, "moving", NULL, "td_filter_candidates"));
    }
    for (int side = 0; side < (question->self ? 1 : 2); ++side) {
        TD_TRY(td_bring_side(run, side, serials[side], blocks));
    }
    run->tile_count = 0;
    return td_swept_room(state, TD_SWEPT_USE_COUNTS, TD_SWEPT_COUNTS, sizeof(uint32_t), 0);
}

td_result td_swept_run_on_device(td_swept_run_state *run, const uint64_t serials[2]) {
    td_device_state_destroy(run->state->walks); // room for blocks
    run->state->walks = NULL;
    TD_TRY(td_find_kernel(&run->visit_blocks, run->state->device, "swept", NULL, "td_visit_swept_blocks"));
    TD_TRY(td_swept_bring(run, serials, true));
    return td_do_swept_rounds(run);
}
