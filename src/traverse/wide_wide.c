// The wide traversal: two blocks meet in one tile of 16 box tests, two quads in one tile of 16 triangle
// tests (blocks_wide.h, tiles_wide.h).
//
// The three kinds of work wait in three lists: `stack` (pairs of blocks that are not both leaf blocks),
// `leaves` and `tiles` (pairs of quads). Each list is worked off in a tight loop that knows what comes next:
// no branch depends on what kind of pair it is, and the memory of the pairs ahead is on its way before they
// are reached.
#include "wide.h"

#include "blocks_wide.h"
#include "near_tiles_wide.h"

enum {
    TD_BUNDLE = 16,     // pairs of blocks taken from the stack at once
    TD_LEAVES_AT = 256, // lists are worked off when they have grown to this
    TD_LEAVES_SOON = 4, // ... if any pair ends the search
    TD_TILES_AT = 512,
    TD_LEAVES_AHEAD = 4 // pairs between fetching and using
};

static void td_work_off(td_block_visit *visit) {
    if (visit->traversal->list_near) {
        td_list_tiles(&visit->tiles);
    } else {
        td_work_off_tiles(&visit->tiles);
    }
}

static void td_work_off_leaves(td_block_visit *visit) {
    td_worker *worker = visit->worker;
    const td_pair *leaves = worker->leaves.items;
    const size_t count = worker->leaves.count;
    worker->leaves.count = 0;
    for (size_t l = 0; l < count; ++l) {
        if (l + TD_LEAVES_AHEAD < count) {
            td_fetch_blocks(visit, leaves[l + TD_LEAVES_AHEAD]);
        }
        const uint32_t overlap = td_test_blocks(visit, leaves[l], true);
        worker->tiles.count +=
            td_append_tiles(worker->tiles.items + worker->tiles.count, visit, leaves[l], overlap);
        if (worker->tiles.count >= TD_TILES_AT) {
            td_work_off(visit);
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
    }
}

// Visits a pair of blocks that are not both leaf blocks.
static inline void td_visit_blocks(td_block_visit *visit, td_pair pair) {
    td_pair_list *stack = &visit->worker->stack, *leaves = &visit->worker->leaves;
    const td_flags flags = td_flag_blocks(visit, pair);
    const td_followers followers = td_followers_of(visit, pair);
    leaves->count += td_append_followers(leaves->items + leaves->count, &followers, flags.leaves);
    stack->count += td_append_followers(stack->items + stack->count, &followers, flags.blocks);
}

static void td_work_off_stack(td_block_visit *visit) {
    td_worker *worker = visit->worker;
    // To find the first pair soon, nothing is put off. The order of visits is then fixed by the hierarchies
    // alone (overlap decides whether a pair is visited, never when), so every instruction set finds the same
    // first pair. Where any will do, little is put off.
    const bool soon = visit->traversal->mode == TD_MODE_FIRST, first = soon && !visit->traversal->any_first;
    const size_t bundle_size = first ? 1 : TD_BUNDLE;
    const size_t leaves_at = first ? 1 : soon ? TD_LEAVES_SOON : TD_LEAVES_AT;
    while (worker->stack.count > 0) {
        td_pair bundle[TD_BUNDLE];
        const size_t count = worker->stack.count < bundle_size ? worker->stack.count : bundle_size;
        td_hold(visit, worker->stack.count + worker->leaves.count);
        worker->stack.count -= count;
        for (size_t i = 0; i < count; ++i) {
            bundle[i] = worker->stack.items[worker->stack.count + i];
            td_fetch_blocks(visit, bundle[i]);
        }
        for (size_t i = 0; i < count; ++i) {
            const size_t before = worker->stack.count;
            td_visit_blocks(visit, bundle[i]);
            for (size_t k = before; first && k < worker->stack.count; ++k) { // no bundle that fetches ahead
                td_fetch_blocks(visit, worker->stack.items[k]);
            }
            if (worker->leaves.count < leaves_at) {
                continue;
            }
            td_work_off_leaves(visit);
            if (soon) {
                td_work_off(visit);
            }
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
    }
}

static td_result td_reserve_lists(td_worker *worker, const td_traversal *traversal) {
    td_context *context = traversal->context;
    worker->stack.count = worker->leaves.count = worker->tiles.count = 0;
    // A bundle leaves at most 16 pairs per pair it takes. Pairs higher up in the stack are of lower levels
    // than those a bundle below them left, so there are at most as many leavings as levels. Lists are written
    // 16 at a time.
    const size_t levels = (size_t)traversal->a->height + traversal->b->height + 1;
    if (td_array_reserve(context, &worker->stack, 16 * TD_BUNDLE * levels + 16) != TD_OK ||
        td_array_reserve(context, &worker->leaves, TD_LEAVES_AT + 32) != TD_OK ||
        td_array_reserve(context, &worker->tiles, TD_TILES_AT + 32) != TD_OK) {
        return TD_ERROR_MEMORY;
    }
    return TD_OK;
}

void TD_WIDE(td_wide_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                          size_t start_count);

void TD_WIDE(td_wide_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                          size_t start_count) {
    td_block_visit visit;
    td_prepare_blocks(&visit, worker, traversal);
    const td_stage_clock clock = td_start_clock(worker, traversal);
    worker->result = td_reserve_lists(worker, traversal);
    for (size_t s = 0; s < start_count && !td_worker_done(worker, traversal); ++s) {
        td_pair_list *list = td_are_leaves(&visit, starts[s]) ? &worker->leaves : &worker->stack;
        list->items[list->count++] = starts[s];
        td_work_off_stack(&visit);
        if (!td_worker_done(worker, traversal)) {
            td_work_off_leaves(&visit);
            td_work_off(&visit);
        }
    }
    if (!td_worker_done(worker, traversal)) {
        td_decide_in_time(worker, traversal);
    }
    td_count_state(&visit);
    td_stop_clock(&clock, &worker->times.boxes_ms, worker); // what was neither triangles nor exact
}
