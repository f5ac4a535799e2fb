// `balanced` on a device (kernels/balanced.cl): launches that walk until enough tasks are idle, triangle
// tests of what they found, and balancing passes (src/device/balance.h) between them, until no pair of nodes
// is left.
#include "balanced_device.h"

#include "../core/error.h"

#include <stdio.h>

enum {
    TD_GROUP = 64,           // work-items of a task
    TD_TASKS_PER_UNIT = 4,   // tasks per compute unit: while one waits for memory others run
    TD_QUEUE = 1024,         // pairs of nodes in the queue of a task: 12 KiB of local memory
    TD_CANDIDATES = 1 << 20, // room for candidates, unless memory is short
    TD_LEAST_CANDIDATES = 1 << 10
};

typedef struct td_balancing {
    td_device_batch *batch;
    td_work_queues *queues;
    const td_kernel *kernel;
    td_volume volume;
    uint32_t rule, arity;
    uint32_t most_new; // pairs that one leads to
    uint32_t capacity; // candidates
} td_balancing;

static td_result td_find_balanced(td_balancing *balancing) {
    char options[96];
    snprintf(options, sizeof options, "-DTD_GROUP=%d -DTD_QUEUE=%d%s", TD_GROUP, TD_QUEUE,
             balancing->volume == TD_VOLUME_OBB ? " -DTD_WALK_OBB=1" : "");
    return td_find_kernel(&balancing->kernel, balancing->batch->state->device, "balanced", options,
                          "td_walk_balanced");
}

// A few per compute unit, but with queues (twice: balancing moves them) in no more than a quarter of the
// memory that is left.
static uint32_t td_task_count(const td_balancing *balancing) {
    td_device *device = balancing->batch->state->device;
    const uint32_t wanted = TD_TASKS_PER_UNIT * td_device_compute_units(device);
    const uint64_t held = td_queues_bytes(balancing->queues);
    const uint64_t most =
        (td_device_memory_left(device) + held) / 4 / (2 * TD_QUEUE * sizeof(td_device_place));
    return wanted <= most ? wanted : most > 0 ? (uint32_t)most : 1;
}

// Room for candidates in an eighth of the memory that is left: at worst all are undecided, then hits, and
// each of these lists is copied while it grows.
static td_result td_make_candidates(td_balancing *balancing) {
    td_device_state *state = balancing->batch->state;
    const size_t size = sizeof(td_device_place);
    const uint32_t held = td_device_items(state, TD_USE_CANDIDATES, size);
    const uint64_t most = td_device_memory_left(state->device) / 8 / size;
    const uint64_t least = held > TD_LEAST_CANDIDATES ? held : TD_LEAST_CANDIDATES;
    const uint64_t capacity = most > least ? most : least;
    balancing->capacity = (uint32_t)(capacity < TD_CANDIDATES ? capacity : TD_CANDIDATES);
    return td_device_room(state, TD_USE_CANDIDATES, balancing->capacity, size, 0);
}

// The roots of every question, dealt out to the tasks.
static td_result td_begin_queues(td_balancing *balancing) {
    td_device_batch *batch = balancing->batch;
    td_device_state *state = batch->state;
    state->places.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->places, batch->count));
    for (uint32_t i = 0; i < batch->count; ++i) {
        const td_device_question *question = &batch->questions[i];
        if (td_device_takes(question)) {
            const uint32_t a = question->traversal.post_a->arity, b = question->traversal.post_b->arity;
            balancing->arity = a > balancing->arity ? a : balancing->arity;
            balancing->arity = b > balancing->arity ? b : balancing->arity;
            state->places.items[state->places.count++] = (td_device_place){i, 0, 0};
        }
    }
    // Pairs that one may lead to: a node that meets itself leads to pairs i <= j of its children.
    const bool self = batch->questions[0].traversal.self;
    balancing->most_new = self ? balancing->arity * (balancing->arity + 1) / 2 : balancing->arity;
    // Half a queue must take all that one step leads to.
    if ((uint64_t)TD_GROUP * (balancing->most_new - 1) > TD_QUEUE / 2) {
        return td_fail(TD_ERROR_UNSUPPORTED, "hierarchies with %u children per node: 'balanced' takes %d",
                       balancing->arity, TD_QUEUE / 2 / TD_GROUP + 1);
    }
    const td_queue_sizes sizes = {sizeof(td_device_place) / sizeof(uint32_t), td_task_count(balancing),
                                  TD_QUEUE, TD_GROUP * (balancing->most_new - 1)};
    TD_TRY(td_queues_begin(state->device, balancing->queues, &sizes, state->places.items,
                           (uint32_t)state->places.count));
    // Now that there is memory: balancing needs as much once more.
    return td_buffer_reserve(state->device, &balancing->queues->other, balancing->queues->units.size, 0);
}

static td_result td_launch(const td_balancing *balancing) {
    td_device_state *state = balancing->batch->state;
    const td_device_buffer *buffers = state->buffers;
    const td_work_queues *queues = balancing->queues;
    const td_kernel_argument arguments[14] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_LINKS]),
        TD_ARG_BUFFER(&state->arena[balancing->volume == TD_VOLUME_OBB ? TD_ARENA_OBBS : TD_ARENA_BOXES]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&queues->units),
        TD_ARG_BUFFER(&queues->counts),
        TD_ARG_BUFFER(&queues->starts),
        TD_ARG_BUFFER(&queues->idle),
        TD_ARG_VALUE(queues->threshold),
        TD_ARG_BUFFER(&buffers[TD_USE_CANDIDATES]),
        TD_ARG_VALUE(balancing->capacity),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS]),
        TD_ARG_BUFFER(&buffers[TD_USE_TALLIES]),
        TD_ARG_VALUE(balancing->rule),
        TD_ARG_VALUE(balancing->most_new),
    };
    return td_run_kernel(state->device, balancing->kernel, (size_t)queues->task_count * TD_GROUP, TD_GROUP,
                         arguments, 14, TD_STAGE_BOXES);
}

// A launch and the triangle tests of what it found.
static td_result td_walk_once(const td_balancing *balancing) {
    td_device_state *state = balancing->batch->state;
    td_device_buffer *words = &state->buffers[TD_USE_COUNTS];
    const size_t size = sizeof(uint32_t);
    uint32_t counts[TD_COUNTS];
    TD_TRY(td_buffer_fill(state->device, words, TD_COUNT_CANDIDATES * size, 1, 0));
    TD_TRY(td_buffer_fill(state->device, words, TD_COUNT_KEPT * size, 1, UINT32_MAX));
    TD_TRY(td_launch(balancing));
    TD_TRY(td_buffer_read(state->device, counts, words, 0, sizeof counts));
    const uint32_t found = counts[TD_COUNT_CANDIDATES], kept = counts[TD_COUNT_KEPT];
    return td_device_settle_candidates(balancing->batch, found < kept ? found : kept);
}

td_result td_balanced_run_on_device(td_device_batch *batch) {
    td_device_state *state = batch->state;
    const td_traversal *traversal = &batch->questions[0].traversal;
    td_balancing balancing = {.batch = batch,
                              .queues = &state->queues,
                              .volume = traversal->volume,
                              .rule = (uint32_t)traversal->descent,
                              .arity = 2};
    TD_TRY(td_find_balanced(&balancing));
    TD_TRY(td_begin_queues(&balancing));
    TD_TRY(td_make_candidates(&balancing));
    while (state->queues.total > 0) {
        TD_TRY(td_walk_once(&balancing));
        TD_TRY(td_queues_balance(state->device, &state->queues));
        TD_TRY(td_device_progress(batch, 0)); // all questions go down together
    }
    // Pairs of nodes are of all questions together; each is told the share it can be said to have held.
    const uint64_t held = ((uint64_t)state->queues.most + batch->count - 1) / batch->count;
    for (uint32_t i = 0; i < batch->count; ++i) {
        batch->tallies.items[(size_t)i * TD_TALLIES + TD_TALLY_STATE] = (uint32_t)(64 * held);
    }
    return TD_OK;
}

// Of `balanced`, on devices: over the post-order hierarchy, whose boxes may be oriented.
const td_strategy td_strategy_balanced_on_device = {
    .name = "balanced",
    .paper = "001",
    .idea = "a queue of node pairs per task; when half of the tasks are idle, queues are balanced",
    .layout = TD_LAYOUT_POSTORDER,
    .self = true,
    .obb = true,
    .descents = true,
    .run_on_device = td_balanced_run_on_device,
};
