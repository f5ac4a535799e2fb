// The blocked traversal (paper 002, Fig. 5), natively. While there are pairs of blocks:
//
//   flags      16 box tests at once leave one bit per pair of nodes that is to be followed
//   prefix sum over the numbers of bits: every pair of blocks knows where what follows from it goes
//   collect    into the array of the next iteration, or that of pairs of leaf blocks
//
// The same three steps turn pairs of leaf blocks into tiles, which the triangle tests take at the end. The
// paper has leaf blocks in one array with the others; here they are apart, so that no loop has to ask what it
// is looking at.
//
// An array that has grown large is worked off in slices, the last pairs first: what follows from a slice goes
// on top of what is left of the array. So there are never more than 16 slices of pairs per level of the
// hierarchies, and nothing is cut off. As long as an array fits one slice, the order is the paper's.
#include "blocked.h"

#include "blocks_wide.h"

enum { TD_FLAGS_AHEAD = 4 }; // pairs between fetching and using

// Room for `count` flag words and as many sums behind them; null if there is no memory.
static uint32_t *td_reserve_flags(const td_block_visit *visit, size_t count) {
    td_worker *worker = visit->worker;
    worker->words.count = 0;
    if (td_array_reserve(visit->traversal->context, &worker->words, 2 * count) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return NULL;
    }
    return worker->words.items;
}

// sums[i] becomes the number of bits of `mask` in the flags before i; returns the number in all.
static uint32_t td_sum_flags(uint32_t *sums, const uint32_t *flags, size_t count, uint32_t mask) {
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sums[i] = sum;
        sum += (uint32_t)__builtin_popcount(flags[i] & mask);
    }
    return sum;
}

// Room for `extra` pairs and what td_wide_pairs writes beyond; null if there is no memory. The pairs count
// already.
static td_pair *td_extend(const td_block_visit *visit, td_pair_list *list, size_t extra) {
    if (td_array_reserve(visit->traversal->context, list, extra + TD_TILE) != TD_OK) {
        visit->worker->result = TD_ERROR_MEMORY;
        return NULL;
    }
    list->count += extra;
    return list->items + list->count - extra;
}

// ---------------------------------------------------------------------------------------------------------
// Pairs of leaf blocks -> tiles

static void td_flag_leaf_slice(td_block_visit *visit, uint32_t *flags, const td_pair *pairs, size_t count) {
    const td_stage_clock clock = td_start_clock(visit->worker, visit->traversal);
    for (size_t i = 0; i < count; ++i) {
        if (i + TD_FLAGS_AHEAD < count) {
            td_fetch_blocks(visit, pairs[i + TD_FLAGS_AHEAD]);
        }
        flags[i] = td_test_blocks(visit, pairs[i], true);
    }
    td_stop_clock(&clock, &visit->worker->times.boxes_ms, visit->worker);
}

static void td_collect_tiles(const td_block_visit *visit, const td_pair *pairs, const uint32_t *flags,
                             uint32_t *sums, size_t count) {
    td_worker *worker = visit->worker;
    const td_stage_clock clock = td_start_clock(worker, visit->traversal);
    td_pair *tiles = td_extend(visit, &worker->tiles, td_sum_flags(sums, flags, count, 0xffffu));
    for (size_t i = 0; i < count && tiles != NULL; ++i) {
        td_append_tiles(tiles + sums[i], visit, pairs[i], flags[i]);
    }
    td_stop_clock(&clock, &worker->times.collect_ms, worker);
}

// Turns all pairs of leaf blocks into tiles, and tests tiles as often as there are enough of them.
static void td_take_leaves(td_block_visit *visit, const td_slices *slices) {
    td_worker *worker = visit->worker;
    while (worker->leaves.count > 0 && !td_worker_done(worker, visit->traversal)) {
        const size_t count = worker->leaves.count < slices->leaves ? worker->leaves.count : slices->leaves;
        uint32_t *flags = td_reserve_flags(visit, count);
        if (flags == NULL) {
            return;
        }
        worker->leaves.count -= count;
        const td_pair *pairs = worker->leaves.items + worker->leaves.count;
        if (worker->tiles.count + TD_TILE * count > slices->tiles) {
            td_work_off_tiles(&visit->tiles);
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
        td_flag_leaf_slice(visit, flags, pairs, count);
        td_collect_tiles(visit, pairs, flags, flags + count, count);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Pairs of blocks -> pairs of blocks

// The flags of both kinds in one word: pairs of leaf blocks in the upper half.
static void td_flag_slice(td_block_visit *visit, uint32_t *flags, const td_pair *pairs, size_t count) {
    const td_stage_clock clock = td_start_clock(visit->worker, visit->traversal);
    for (size_t i = 0; i < count; ++i) {
        if (i + TD_FLAGS_AHEAD < count) {
            td_fetch_blocks(visit, pairs[i + TD_FLAGS_AHEAD]);
        }
        const td_flags of_pair = td_flag_blocks(visit, pairs[i]);
        flags[i] = of_pair.blocks | of_pair.leaves << 16;
    }
    td_stop_clock(&clock, &visit->worker->times.boxes_ms, visit->worker);
}

static void td_collect_blocks(const td_block_visit *visit, const td_pair *pairs, const uint32_t *flags,
                              uint32_t *sums, size_t count) {
    td_worker *worker = visit->worker;
    const td_stage_clock clock = td_start_clock(worker, visit->traversal);
    td_pair *next = td_extend(visit, &worker->stack, td_sum_flags(sums, flags, count, 0xffffu));
    for (size_t i = 0; i < count && next != NULL; ++i) {
        td_append(next + sums[i], visit, pairs[i], flags[i] & 0xffffu);
    }
    td_pair *leaves = next == NULL
                          ? NULL
                          : td_extend(visit, &worker->leaves, td_sum_flags(sums, flags, count, 0xffff0000u));
    for (size_t i = 0; i < count && leaves != NULL; ++i) {
        td_append(leaves + sums[i], visit, pairs[i], flags[i] >> 16);
    }
    td_stop_clock(&clock, &worker->times.collect_ms, worker);
}

// The last `most` pairs of the stack, or all, moved to worker->spare; their number, 0 if there is no memory.
static size_t td_take_slice(const td_block_visit *visit, size_t most) {
    td_worker *worker = visit->worker;
    const size_t count = worker->stack.count < most ? worker->stack.count : most;
    worker->spare.count = 0;
    if (td_array_reserve(visit->traversal->context, &worker->spare, count) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return 0;
    }
    worker->stack.count -= count;
    memcpy(worker->spare.items, worker->stack.items + worker->stack.count, count * sizeof(td_pair));
    return count;
}

static void td_descend(td_block_visit *visit, const td_slices *slices) {
    td_worker *worker = visit->worker;
    while (worker->stack.count > 0 && !td_worker_done(worker, visit->traversal)) {
        const size_t count = td_take_slice(visit, slices->blocks);
        uint32_t *flags = count == 0 ? NULL : td_reserve_flags(visit, count);
        if (flags == NULL) {
            return;
        }
        const td_pair *pairs = worker->spare.items;
        td_flag_slice(visit, flags, pairs, count);
        td_collect_blocks(visit, pairs, flags, flags + count, count);
        td_hold(visit, count + worker->stack.count + worker->leaves.count);
        if (worker->result == TD_OK && worker->leaves.count >= slices->leaves) {
            td_take_leaves(visit, slices);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// The first pair

// Puts what follows from the pairs of a slice back onto the stack, in their order; pairs of leaf blocks stay
// as they are. Returns whether there was anything else.
static bool td_open_slice(td_block_visit *visit, size_t count) {
    const td_pair *pairs = visit->worker->spare.items;
    td_pair_list *stack = &visit->worker->stack;
    bool opened = false;
    td_pair *next = td_extend(visit, stack, TD_TILE * count);
    if (next == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (td_are_leaves(visit, pairs[i])) {
            *next++ = pairs[i];
            continue;
        }
        const td_flags flags = td_flag_blocks(visit, pairs[i]);
        next += td_append(next, visit, pairs[i], flags.blocks | flags.leaves);
        opened = true;
    }
    stack->count = (size_t)(next - stack->items);
    return opened;
}

static void td_test_slice_backwards(td_block_visit *visit, size_t count) {
    td_worker *worker = visit->worker;
    for (size_t i = count; i-- > 0 && !td_worker_done(worker, visit->traversal);) {
        const td_pair pair = worker->spare.items[i];
        td_pair tiles[TD_TILE];
        const uint32_t flags = td_test_blocks(visit, pair, true);
        for (uint32_t k = td_append_tiles(tiles, visit, pair, flags); k-- > 0;) {
            worker->tiles.items[worker->tiles.count++] = tiles[k];
        }
        td_work_off_tiles(&visit->tiles);
    }
}

// Slices are opened until the last pairs are all of leaf blocks; these are tested, the last first. Pairs keep
// the order of the hierarchies, whatever the slices: overlap decides whether a pair is visited, never when.
// So every instruction set finds the same first pair.
static void td_descend_to_first(td_block_visit *visit, const td_slices *slices) {
    td_worker *worker = visit->worker;
    if (td_array_reserve(visit->traversal->context, &worker->tiles, TD_TILE) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    while (worker->stack.count > 0 && !td_worker_done(worker, visit->traversal)) {
        td_hold(visit, worker->stack.count);
        const size_t count = td_take_slice(visit, slices->first), rest = worker->stack.count;
        if (count > 0 && !td_open_slice(visit, count) && worker->result == TD_OK) {
            worker->stack.count = rest;
            td_test_slice_backwards(visit, count);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

static void td_put_starts(const td_block_visit *visit, const td_pair *starts, size_t start_count) {
    td_worker *worker = visit->worker;
    worker->stack.count = worker->leaves.count = worker->tiles.count = 0;
    for (size_t s = 0; s < start_count && worker->result == TD_OK; ++s) {
        const bool apart = visit->traversal->mode != TD_MODE_FIRST && td_are_leaves(visit, starts[s]);
        td_pair *place = td_extend(visit, apart ? &worker->leaves : &worker->stack, 1);
        if (place != NULL) {
            *place = starts[s];
        }
    }
}

void TD_WIDE(td_blocked_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                             size_t start_count, const td_slices *slices) {
    td_block_visit visit;
    td_prepare_blocks(&visit, worker, traversal);
    td_put_starts(&visit, starts, start_count);
    if (traversal->mode == TD_MODE_FIRST) {
        const td_stage_clock clock = td_start_clock(worker, traversal);
        td_descend_to_first(&visit, slices);
        td_stop_clock(&clock, &worker->times.boxes_ms, worker);
    } else {
        td_descend(&visit, slices);
        td_take_leaves(&visit, slices);
        if (worker->result == TD_OK) {
            td_work_off_tiles(&visit.tiles);
            td_decide_in_time(worker, traversal);
        }
    }
    td_count_state(&visit);
}
