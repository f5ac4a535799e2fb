// One work unit of the balanced traversal: 16 box tests (blocks_wide.h). Pairs of leaf blocks are units like
// the others; what they leave are tiles, which the task keeps.
#include "balanced.h"
#include "blocks_wide.h"

enum { TD_TILES_AT = 512 };

struct td_balanced_visit {
    td_block_visit blocks;
};

static void td_begin_balanced(td_balanced_visit *visit, td_worker *worker, const td_traversal *traversal) {
    td_prepare_blocks(&visit->blocks, worker, traversal);
    worker->tiles.count = 0;
    if (td_array_reserve(traversal->context, &worker->tiles, TD_TILES_AT + 32) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
}

static uint32_t td_balanced_unit(td_unit *out, td_balanced_visit *visit, td_unit unit) {
    td_block_visit *blocks = &visit->blocks;
    td_worker *worker = blocks->worker;
    const td_pair pair = {unit.a, unit.b};
    td_pair *const next = (td_pair *)(void *)out;
    if (!td_are_leaves(blocks, pair)) {
        const td_flags flags = td_flag_blocks(blocks, pair);
        return td_append(next, blocks, pair, flags.blocks | flags.leaves);
    }
    const uint32_t overlap = td_test_blocks(blocks, pair, true);
    worker->tiles.count += td_append_tiles(worker->tiles.items + worker->tiles.count, blocks, pair, overlap);
    if (worker->tiles.count >= TD_TILES_AT || blocks->traversal->mode == TD_MODE_FIRST) {
        td_work_off_tiles(&blocks->tiles);
    }
    return 0;
}

static void td_end_balanced(td_balanced_visit *visit) {
    td_worker *worker = visit->blocks.worker;
    const td_traversal *traversal = visit->blocks.traversal;
    if (!td_worker_done(worker, traversal)) {
        td_work_off_tiles(&visit->blocks.tiles);
    }
    if (!td_worker_done(worker, traversal)) {
        td_decide_in_time(worker, traversal);
    }
}

static void td_run_below(td_balanced_visit *visit, td_pair start) {
    td_worker *worker = visit->blocks.worker;
    const td_traversal *traversal = visit->blocks.traversal;
    td_pair_list *queue = &worker->stack;
    queue->count = 0;
    while (!td_worker_done(worker, traversal)) {
        if (td_array_reserve(traversal->context, queue, TD_UNITS_PER_PAIR) != TD_OK) {
            worker->result = TD_ERROR_MEMORY;
            return;
        }
        td_unit *top = (td_unit *)(void *)(queue->items + queue->count);
        queue->count += td_balanced_unit(top, visit, (td_unit){start.a, start.b});
        td_hold(&visit->blocks, queue->count);
        if (queue->count == 0) {
            return;
        }
        start = queue->items[--queue->count];
    }
}

static void td_run_balanced(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                            size_t start_count) {
    td_balanced_visit visit;
    td_begin_balanced(&visit, worker, traversal);
    const td_stage_clock clock = td_start_clock(worker, traversal);
    for (size_t s = 0; s < start_count && !td_worker_done(worker, traversal); ++s) {
        td_run_below(&visit, starts[s]);
    }
    td_end_balanced(&visit);
    td_count_state(&visit.blocks);
    td_stop_clock(&clock, &worker->times.boxes_ms, worker);
}

_Static_assert(sizeof(td_unit) == sizeof(td_pair), "units are written as pairs of blocks");

const td_balanced_entry TD_WIDE(td_balanced) = {
    .visit_bytes = sizeof(td_balanced_visit),
    .begin = td_begin_balanced,
    .unit = td_balanced_unit,
    .end = td_end_balanced,
    .run = td_run_balanced,
};
