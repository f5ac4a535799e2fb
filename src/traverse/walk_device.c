// `binary` and `stack` on a device (kernels/walk.cl): launches that walk until the buffer of candidates is
// full, and triangle tests between them.
//
// As paper 000 has it, a work-item does one object pair; by default it goes beyond (its future work): a few
// work-items per compute unit draw their work from a pool, and where there are fewer object pairs than
// work-items the pairs are cut into smaller parts.
#include "walk_device.h"

#include "../core/error.h"
#include "binary_walk.h"
#include "stack_walk.h"

enum {
    TD_GROUP = 32,           // work-items per group
    TD_ITEMS_PER_UNIT = 256, // work-items per compute unit, with a pool
    TD_STARTS_PER_ITEM = 4,  // parts in the pool per work-item, if there are too few object pairs
    TD_CANDIDATES = 1 << 20, // room for candidates, unless memory is short
    TD_LEAST_CANDIDATES = 1 << 10
};

// As in kernels/walk.cl.
typedef struct td_binary_slot {
    uint32_t start, held;
    td_binary_walk walk;
} td_binary_slot;

typedef struct td_stack_slot {
    uint32_t start, held;
    td_stack_walk walk;
} td_stack_slot;

// What differs between the two.
typedef struct td_walk_kind {
    const td_strategy *strategy;
    const char *options[2][2]; // by volume; of a mesh against itself
    size_t slot_size, item_size;
} td_walk_kind;

static const td_walk_kind td_binary_kind = {
    .strategy = &td_strategy_binary,
    .options = {[TD_VOLUME_AABB] = {NULL, "-DTD_WALK_SELF=1"},
                [TD_VOLUME_OBB] = {"-DTD_WALK_OBB=1", "-DTD_WALK_OBB=1 -DTD_WALK_SELF=1"}},
    .slot_size = sizeof(td_binary_slot),
    .item_size = sizeof(uint32_t),
};

static const td_walk_kind td_stack_kind = {
    .strategy = &td_strategy_stack,
    .options = {[TD_VOLUME_AABB] = {"-DTD_WALK_STACK=1", "-DTD_WALK_STACK=1 -DTD_WALK_SELF=1"},
                [TD_VOLUME_OBB] = {"-DTD_WALK_STACK=1 -DTD_WALK_OBB=1",
                                   "-DTD_WALK_STACK=1 -DTD_WALK_OBB=1 -DTD_WALK_SELF=1"}},
    .slot_size = sizeof(td_stack_slot),
    .item_size = sizeof(td_u32_pair),
};

typedef struct td_walking {
    td_device_batch *batch;
    const td_walk_kind *kind;
    const td_kernel *kernel;
    td_volume volume;
    uint32_t rule;
    uint32_t pool;            // 1: starts are drawn
    uint32_t start_count;     // all in all
    uint32_t memory_per_slot; // items
    uint32_t slot_count;
    uint32_t capacity; // candidates
} td_walking;

// ---------------------------------------------------------------------------------------------------------
// Where to start

static td_result td_add_start(td_device_state *state, uint32_t question, uint32_t a, uint32_t b) {
    TD_TRY(td_array_reserve(state->context, &state->places, 1));
    state->places.items[state->places.count++] = (td_device_place){question, a, b};
    return TD_OK;
}

// Natively and breadth first. The box tests of the splitting count like any others.
static td_result td_split_question(td_walking *walking, uint32_t question, size_t wanted) {
    td_device_batch *batch = walking->batch;
    td_device_state *state = batch->state;
    td_worker *scratch = &state->scratch;
    scratch->stack.count = 0;
    scratch->counters = (td_counters){0};
    scratch->result = TD_OK; // memory may have run out the last time
    TD_TRY(walking->kind->strategy->start(&scratch->stack, wanted, scratch,
                                          &batch->questions[question].traversal));
    for (size_t i = 0; i < scratch->stack.count; ++i) {
        const td_pair start = scratch->stack.items[i];
        TD_TRY(td_add_start(state, question, start.a, start.b));
    }
    batch->tallies.items[(size_t)question * TD_TALLIES + TD_TALLY_BOXES] +=
        (uint32_t)scratch->counters.box_tests;
    return TD_OK;
}

static td_result td_make_starts(td_walking *walking) {
    td_device_batch *batch = walking->batch;
    td_device_state *state = batch->state;
    size_t taken = 0;
    for (uint32_t i = 0; i < batch->count; ++i) {
        taken += td_device_takes(&batch->questions[i]);
    }
    const size_t items = (size_t)TD_ITEMS_PER_UNIT * td_device_compute_units(state->device);
    const size_t wanted = items * TD_STARTS_PER_ITEM / (taken > 0 ? taken : 1);
    const bool split = walking->pool && taken < items;
    state->places.count = 0;
    for (uint32_t i = 0; i < batch->count; ++i) {
        if (td_device_takes(&batch->questions[i])) {
            TD_TRY(split ? td_split_question(walking, i, wanted) : td_add_start(state, i, 0, 0));
        }
    }
    walking->start_count = (uint32_t)state->places.count;
    TD_TRY(td_device_room(state, TD_USE_STARTS, walking->start_count, sizeof(td_device_place), 0));
    return td_buffer_write(state->device, &state->buffers[TD_USE_STARTS], 0, state->places.items,
                           walking->start_count * sizeof(td_device_place));
}

// ---------------------------------------------------------------------------------------------------------
// Memory

// Eq. 2 of the paper, and its Eq. 1 corrected: docs/methods/binary-stack.md.
static uint32_t td_memory_of(const td_walking *walking, const td_traversal *traversal) {
    const uint32_t height = traversal->post_a->height + traversal->post_b->height;
    if (walking->kind == &td_binary_kind) {
        return (height + 31) / 32;
    }
    const uint32_t arity = traversal->post_a->arity > traversal->post_b->arity ? traversal->post_a->arity
                                                                               : traversal->post_b->arity;
    const uint32_t twins = traversal->self ? arity * (arity + 1) / 2 * traversal->post_a->height : 0;
    return (arity > 1 ? arity - 1 : 1) * height + twins + 1;
}

static uint64_t td_at_least(uint64_t count, uint64_t least) {
    return count > least ? count : least;
}

// As many slots as are wanted, but in no more than a quarter of the memory that is left.
static td_result td_make_slots(td_walking *walking, uint32_t wanted) {
    td_device_state *state = walking->batch->state;
    const size_t memory_size = walking->memory_per_slot * walking->kind->item_size;
    const size_t slot_size = walking->kind->slot_size;
    const uint32_t held_memory = td_device_items(state, TD_USE_MEMORY, memory_size);
    const uint32_t held_slots = td_device_items(state, TD_USE_SLOTS, slot_size);
    const uint32_t held = held_memory < held_slots ? held_memory : held_slots;
    const uint64_t most = td_device_memory_left(state->device) / 4 / (memory_size + slot_size);
    walking->slot_count =
        wanted <= held || wanted <= most ? wanted : (uint32_t)td_at_least(most, td_at_least(held, 1));
    TD_TRY(td_device_room(state, TD_USE_MEMORY, walking->slot_count, memory_size, 0));
    return td_device_room(state, TD_USE_SLOTS, walking->slot_count, slot_size, 0);
}

// Room for candidates in an eighth of the memory that is left: at worst all are undecided, then hits, and
// each of these lists is copied while it grows.
static td_result td_make_candidates(td_walking *walking) {
    td_device_state *state = walking->batch->state;
    const size_t size = sizeof(td_device_place);
    const uint32_t held = td_device_items(state, TD_USE_CANDIDATES, size);
    const uint64_t most =
        td_at_least(td_device_memory_left(state->device) / 8 / size, td_at_least(held, TD_LEAST_CANDIDATES));
    walking->capacity = (uint32_t)(most < TD_CANDIDATES ? most : TD_CANDIDATES);
    return td_device_room(state, TD_USE_CANDIDATES, walking->capacity, size, 0);
}

static td_result td_make_room(td_walking *walking) {
    td_device_batch *batch = walking->batch;
    td_device_state *state = batch->state;
    walking->memory_per_slot = 1;
    for (uint32_t i = 0; i < batch->count; ++i) {
        if (td_device_takes(&batch->questions[i])) {
            const uint32_t items = td_memory_of(walking, &batch->questions[i].traversal);
            walking->memory_per_slot = items > walking->memory_per_slot ? items : walking->memory_per_slot;
        }
    }
    const size_t pool_items = (size_t)TD_ITEMS_PER_UNIT * td_device_compute_units(state->device);
    TD_TRY(td_make_slots(walking, walking->pool && pool_items < walking->start_count ? (uint32_t)pool_items
                                                                                     : walking->start_count));
    return td_make_candidates(walking);
}

// ---------------------------------------------------------------------------------------------------------
// Walking

// The first words of slot i: what it begins with. With a pool nothing; else the start of its number.
static td_result td_write_slots(const td_walking *walking, uint32_t first_start) {
    td_device_state *state = walking->batch->state;
    const size_t words = walking->kind->slot_size / sizeof(uint32_t);
    state->words.count = 0;
    TD_TRY(td_array_reserve(state->context, &state->words, walking->slot_count * words));
    for (uint32_t i = 0; i < walking->slot_count; ++i) {
        uint32_t *slot = state->words.items + i * words;
        for (size_t k = 0; k < words; ++k) {
            slot[k] = 0;
        }
        const bool has_start = !walking->pool && i < walking->start_count - first_start;
        slot[0] = has_start ? first_start + i : TD_DEVICE_IDLE;
        slot[1] = has_start ? TD_SLOT_FRESH : TD_SLOT_EMPTY;
    }
    return td_buffer_write(state->device, &state->buffers[TD_USE_SLOTS], 0, state->words.items,
                           walking->slot_count * walking->kind->slot_size);
}

static td_result td_launch(const td_walking *walking) {
    td_device_state *state = walking->batch->state;
    const td_device_buffer *buffers = state->buffers;
    const td_kernel_argument arguments[15] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_LINKS]),
        TD_ARG_BUFFER(&state->arena[walking->volume == TD_VOLUME_OBB ? TD_ARENA_OBBS : TD_ARENA_BOXES]),
        TD_ARG_BUFFER(&buffers[TD_USE_PAIRS]),
        TD_ARG_BUFFER(&buffers[TD_USE_STARTS]),
        TD_ARG_VALUE(walking->start_count),
        TD_ARG_BUFFER(&buffers[TD_USE_SLOTS]),
        TD_ARG_VALUE(walking->slot_count),
        TD_ARG_BUFFER(&buffers[TD_USE_MEMORY]),
        TD_ARG_VALUE(walking->memory_per_slot),
        TD_ARG_BUFFER(&buffers[TD_USE_CANDIDATES]),
        TD_ARG_VALUE(walking->capacity),
        TD_ARG_BUFFER(&buffers[TD_USE_COUNTS]),
        TD_ARG_BUFFER(&buffers[TD_USE_TALLIES]),
        TD_ARG_VALUE(walking->rule),
        TD_ARG_VALUE(walking->pool),
    };
    return td_run_kernel(state->device, walking->kernel, walking->slot_count, TD_GROUP, arguments, 15,
                         TD_STAGE_BOXES);
}

// Launches until no work-item had to stop for want of room. Each time there is room for all candidates again.
static td_result td_walk_to_the_end(const td_walking *walking, uint32_t first_start) {
    td_device_state *state = walking->batch->state;
    uint32_t counts[2], found;
    do {
        TD_TRY(td_buffer_fill(state->device, &state->buffers[TD_USE_COUNTS],
                              TD_COUNT_CANDIDATES * sizeof(uint32_t), 1, 0));
        TD_TRY(td_launch(walking));
        TD_TRY(td_buffer_read(state->device, counts, &state->buffers[TD_USE_COUNTS], 0, sizeof counts));
        found = counts[TD_COUNT_CANDIDATES];
        const uint64_t begun = walking->pool ? counts[TD_COUNT_DRAWN] : first_start;
        TD_TRY(td_device_progress(walking->batch, begun < walking->start_count
                                                      ? begun * walking->batch->count / walking->start_count
                                                      : walking->batch->count));
        TD_TRY(td_device_settle_candidates(walking->batch,
                                           found < walking->capacity ? found : walking->capacity));
        // At exactly the capacity, work-items may have refrained from drawing.
    } while (found >= walking->capacity);
    return TD_OK;
}

static td_result td_walk_on_device(td_device_batch *batch, const td_walk_kind *kind) {
    td_device_state *state = batch->state;
    const td_traversal *traversal = &batch->questions[0].traversal;
    td_walking walking = {.batch = batch,
                          .kind = kind,
                          .volume = traversal->volume,
                          .rule = (uint32_t)traversal->descent,
                          .pool = !batch->one_item_per_pair};
    TD_TRY(td_find_kernel(&walking.kernel, state->device, "walk",
                          kind->options[walking.volume][traversal->self], "td_walk_pairs"));
    TD_TRY(td_make_starts(&walking));
    if (walking.start_count == 0) {
        return TD_OK; // the splitting saw that all are apart
    }
    TD_TRY(td_make_room(&walking));
    // Without a pool, as many starts at a time as there are slots.
    for (uint32_t first = 0; first < walking.start_count; first += walking.slot_count) {
        TD_TRY(td_write_slots(&walking, first));
        TD_TRY(td_walk_to_the_end(&walking, first));
        if (walking.pool || walking.start_count - first <= walking.slot_count) {
            break;
        }
    }
    return TD_OK;
}

td_result td_binary_run_on_device(td_device_batch *batch) {
    return td_walk_on_device(batch, &td_binary_kind);
}

td_result td_stack_run_on_device(td_device_batch *batch) {
    return td_walk_on_device(batch, &td_stack_kind);
}
