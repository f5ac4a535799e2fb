// Continuous collision on a device by `stack`, `binary`, `balanced` and `front`: the binary trees of the step
// (bvh/swept_tree.h) are walked by the kernels that walk those of a moment (walk_device.c, balanced_device.c,
// front_device.c). Leaves whose boxes meet are no candidates for a triangle test then: they are asked for
// pairs of features (swept_settle.c).
#include "swept_device.h"

#include "../core/error.h"

static td_result td_settle_leaves(td_device_batch *batch, uint32_t count, void *user) {
    td_swept_run_state *run = user;
    run->places = &batch->state->buffers[TD_USE_CANDIDATES];
    run->first_place = 0;
    run->tile_count = count;
    return td_swept_settle_tiles(run);
}

static td_result td_settle_quads(td_device_batch *batch, uint32_t first, uint32_t count, void *user) {
    td_swept_run_state *run = user;
    run->places = &batch->state->buffers[TD_USE_TILES];
    run->first_place = first;
    run->tile_count = count;
    return td_swept_settle_tiles(run);
}

// From the beginning: nothing has been found.
static void td_begin_leaves(void *user) {
    const td_swept_run_state *run = user;
    for (uint32_t i = 0; i < run->worker_count; ++i) {
        td_swept_worker_begin(&run->workers[i]);
    }
}

// The boxes are those of this step and of this side: both may be of one mesh that moves in two ways.
static td_mesh_stamp td_stamp_of_step(const td_swept_device *state, const td_swept_walk *walk,
                                      const uint64_t serials[2], uint64_t side) {
    return (td_mesh_stamp){
        .mesh = 2 * serials[side] + side, .structure = walk->trees[side]->structure, .refits = state->steps};
}

// What other strategies, or other steps, have left on the device.
static void td_forget_blocks(td_swept_device *state) {
    td_buffer_release(state->device, &state->parts[0][TD_PART_BLOCKS]);
    td_buffer_release(state->device, &state->parts[1][TD_PART_BLOCKS]);
    td_buffer_release(state->device, &state->buffers[TD_SWEPT_USE_PLACES]);
    td_buffer_release(state->device, &state->buffers[TD_SWEPT_USE_QUADS]);
}

static void td_forget_walks(td_swept_device *state) {
    td_device_state_destroy(state->walks);
    state->walks = NULL;
    for (int use = TD_SWEPT_USE_CANDIDATES; use <= TD_SWEPT_USE_HANDED; ++use) {
        td_buffer_release(state->device, &state->buffers[use]);
    }
}

static td_result td_walk_once(td_swept_run_state *run, const td_device_question *question,
                              const td_strategy *strategy) {
    td_swept_device *state = run->state;
    if (state->walks == NULL) {
        TD_TRY(td_device_state_create(&state->walks, state->device));
    }
    const td_device_buffer *a = state->parts[0], *b = state->parts[run->question->self ? 0 : 1];
    const td_device_settler settler = {
        .settle = td_settle_leaves,
        .settle_tiles = td_settle_quads,
        .begin = td_begin_leaves,
        .user = run,
        .quads = {&a[TD_PART_QUADS], &b[TD_PART_QUADS]},
        .triangles = {&a[TD_PART_TRIANGLES], &b[TD_PART_TRIANGLES]},
    };
    td_device_batch batch = {.state = state->walks,
                             .questions = question,
                             .count = 1,
                             .progress = run->progress,
                             .progress_user = run->progress_user,
                             .settler = &settler,
                             .front = run->front};
    const td_result result = td_device_run(&batch, strategy);
    if (result == TD_OK) {
        const uint32_t *boxes = batch.tallies.items + TD_TALLY_BOXES;
        run->workers[0].counters.box_tests += boxes[0] + ((uint64_t)boxes[1] << 32);
    }
    td_device_batch_release(&batch, state->context);
    return result;
}

td_result td_swept_walk_on_device(td_swept_run_state *run, const uint64_t serials[2],
                                  const td_swept_walk *walk, const td_strategy *strategy) {
    td_swept_device *state = run->state;
    td_forget_blocks(state);
    run->lanes = strategy->layout == TD_LAYOUT_POSTORDER;
    TD_TRY(td_swept_bring(run, serials, false));
    ++state->steps;
    td_device_question question = {.traversal = walk->traversal, .frame = walk->frame};
    question.stamp_a = td_stamp_of_step(state, walk, serials, 0);
    question.stamp_b = td_stamp_of_step(state, walk, serials, run->question->self ? 0 : 1);
    question.traversal.frame = &question.frame;
    const td_result result = td_walk_once(run, &question, strategy);
    if (result != TD_ERROR_DEVICE || !td_device_is_short(state->device)) {
        return result;
    }
    td_forget_walks(state);
    return td_walk_once(run, &question, strategy);
}
