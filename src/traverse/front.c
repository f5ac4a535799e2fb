// The strategy: without a front to start from, a traversal from the root. With one: front_step.c.
#include "front_device.h"
#include "front_walk.h"
#include "stage_clock.h"
#include "swept_walk.h"

#include "../core/context.h"
#include "../core/error.h"

enum {
    TD_TILES_AT = 1024,
    TD_FRONT_LEVELS = 11 // of the test tree above the entries of a first front
};

static td_front_tiles_fn *td_front_tiles_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_front_tiles_sse4;
    case TD_ISA_AVX2:
        return td_front_tiles_avx2;
    case TD_ISA_AVX512:
        return td_front_tiles_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_front_tiles_neon;
#endif
    default:
        return td_front_tiles_scalar;
    }
}

void td_front_tiles(td_worker *worker, const td_traversal *traversal) {
    if (traversal->moving != NULL) {
        td_swept_front_tiles(worker, traversal);
        return;
    }
    td_front_tiles_for(traversal->context->isa)(worker, traversal);
}

td_front_walk td_front_walk_begin(td_worker *worker, const td_traversal *traversal) {
    td_front_walk walk = {
        .worker = worker,
        .traversal = traversal,
        .tree = {.a = traversal->split_a->nodes,
                 .b = traversal->split_b->nodes,
                 .boxes_a = traversal->split_a->boxes,
                 .boxes_b = traversal->split_b->boxes,
                 .obbs_a = traversal->volume == TD_VOLUME_OBB ? traversal->split_a->obbs : NULL,
                 .obbs_b = traversal->volume == TD_VOLUME_OBB ? traversal->split_b->obbs : NULL,
                 .place = td_place_of(traversal->frame),
                 .ratio = traversal->ratio,
                 .one_frame = td_in_one_frame(traversal),
                 .self = traversal->self},
        .tiles_at = traversal->mode == TD_MODE_FIRST ? 1 : TD_TILES_AT, // nothing is put off
    };
    // Every pair on the way down leaves a sibling on the stack, a node that meets itself two.
    const size_t heights = (size_t)traversal->split_a->height + traversal->split_b->height;
    worker->stack.count = worker->front_tiles.count = 0;
    if (td_array_reserve(traversal->context, &worker->stack, 2 * heights + 4) != TD_OK ||
        td_array_reserve(traversal->context, &worker->front_tiles, walk.tiles_at) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    return walk;
}

void td_front_finish(const td_front_walk *walk, const td_stage_clock *clock) {
    td_worker *worker = walk->worker;
    if (!td_worker_done(worker, walk->traversal)) {
        td_front_tiles(worker, walk->traversal);
    }
    if (!td_worker_done(worker, walk->traversal)) {
        td_decide_in_time(worker, walk->traversal);
    }
    td_stop_clock(clock, &worker->times.boxes_ms, worker); // what was neither triangles nor exact
}

void td_front_below(const td_front_walk *walk, td_pair pair) {
    td_worker *worker = walk->worker;
    td_pair *stack = worker->stack.items;
    size_t count = td_front_open(&walk->tree, pair, stack), deepest = count;
    while (count > 0 && !td_worker_done(worker, walk->traversal)) {
        const td_pair next = stack[--count];
        if (!td_front_meets(walk, next)) {
            td_front_record(walk, td_new_entry(next));
        } else if (td_front_is_leaf(&walk->tree, next)) {
            td_front_leaf(walk, td_new_entry(next));
        } else {
            count += td_front_open(&walk->tree, next, stack + count);
            deepest = count > deepest ? count : deepest;
        }
    }
    while (count > 0) { // done: what is left goes to the front untested
        td_front_record(walk, td_new_entry(stack[--count]));
    }
    const uint64_t bits = 64 * (uint64_t)deepest;
    worker->counters.state_bits = bits > worker->counters.state_bits ? bits : worker->counters.state_bits;
}

// ---------------------------------------------------------------------------------------------------------
// Starts

// Cuts the test tree below a pair so many levels down, left to right. What is found apart on the way is part
// of a front, but no start. A pair is tested when it is opened, a start when a walk comes to it.
static td_result td_cut_below(td_pair_list *out, const td_front_walk *walk, td_pair pair, uint32_t levels,
                              bool keep_apart) {
    bool is_part = levels == 0 || td_front_is_leaf(&walk->tree, pair);
    if (!is_part && td_front_meets(walk, pair)) {
        td_pair top[3];
        for (uint32_t k = td_front_open(&walk->tree, pair, top); k-- > 0;) {
            TD_TRY(td_cut_below(out, walk, top[k], levels - 1, keep_apart));
        }
    } else {
        is_part = is_part || keep_apart;
    }
    if (is_part) {
        TD_TRY(td_array_reserve(walk->traversal->context, out, 1));
        out->items[out->count++] = pair;
    }
    return TD_OK;
}

static td_result td_cut_at_root(td_pair_list *out, td_worker *worker, const td_traversal *traversal,
                                uint32_t levels, bool keep_apart) {
    const td_front_walk walk = td_front_walk_begin(worker, traversal);
    out->count = 0;
    TD_TRY(worker->result);
    return td_cut_below(out, &walk, (td_pair){0, 0}, levels, keep_apart);
}

td_result td_front_begin(td_front_list *out, td_worker *worker, const td_traversal *traversal) {
    td_pair_list *pairs = &worker->spare;
    TD_TRY(td_cut_at_root(pairs, worker, traversal, TD_FRONT_LEVELS, true));
    out->count = 0;
    TD_TRY(td_array_reserve(traversal->context, out, pairs->count));
    for (size_t i = 0; i < pairs->count; ++i) {
        out->items[out->count++] = td_new_entry(pairs->items[i]);
    }
    return TD_OK;
}

static td_result td_front_starts(td_pair_list *starts, size_t wanted, td_worker *worker,
                                 const td_traversal *traversal) {
    uint32_t levels = 2; // some pairs have nothing below them
    for (size_t w = wanted; w > 1 && levels < TD_FRONT_LEVELS; w /= 2) {
        ++levels;
    }
    return td_cut_at_root(starts, worker, traversal, levels, false);
}

static void td_front_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                         size_t start_count) {
    const td_front_walk walk = td_front_walk_begin(worker, traversal);
    const td_stage_clock clock = td_start_clock(worker, traversal);
    worker->front_most = 0;
    for (size_t s = 0; s < start_count && !td_worker_done(worker, traversal); ++s) {
        if (!td_front_meets(&walk, starts[s])) {
            continue;
        }
        if (td_front_is_leaf(&walk.tree, starts[s])) {
            td_front_leaf(&walk, td_new_entry(starts[s]));
        } else {
            td_front_below(&walk, starts[s]);
        }
    }
    td_front_finish(&walk, &clock);
}

const td_strategy td_strategy_front = {
    .name = "front",
    .paper = "001",
    .idea = "starts where the last question ended (td_front), or at the root",
    .layout = TD_LAYOUT_SPLIT,
    .self = true,
    .obb = true,
    .start = td_front_starts,
    .run = td_front_run,
    .run_on_device = td_front_run_on_device,
};
