// One step of a front: every entry keeps its place, descends or ascends (front.h).
//
// Nearly all entries keep their place. So a part is stepped in two passes: the first tests all entries
// (front_sift.h), makes tiles of those that stay and whose triangles are to be tested, and lists those that
// may move; the second looks at these. What lies between entries that move is copied as it is.
#include "front_sift.h"
#include "front_walk.h"

#include "../core/context.h"

#include <string.h>

enum { TD_CHUNKS = 64, TD_LEAST_PER_CHUNK = 2048, TD_MOST_PER_CHUNK = 4096 };

size_t td_front_chunk(size_t entries, bool warm) {
    const size_t chunk = entries / TD_CHUNKS, least = warm ? TD_LEAST_PER_CHUNK : 1;
    return chunk < least ? least : chunk > TD_MOST_PER_CHUNK ? TD_MOST_PER_CHUNK : chunk;
}

typedef struct td_front_step {
    const td_front_walk *walk;
    const td_front_entry *entries; // of the part
    size_t from;                   // entries before it have been moved or copied
} td_front_step;

// Copies the entries up to `end` to the next front.
static void td_copy_entries(td_front_step *step, size_t end) {
    td_worker *worker = step->walk->worker;
    const size_t count = end - step->from;
    const td_front_entry *entries = step->entries + step->from;
    step->from = end;
    if (worker->front_most == 0 || count == 0) {
        return;
    }
    if (worker->front.count + count > worker->front_most) {
        worker->front.count = worker->front_most = 0;
    } else if (td_array_reserve(step->walk->traversal->context, &worker->front, count) == TD_OK) {
        memcpy(worker->front.items + worker->front.count, entries, count * sizeof *entries);
        worker->front.count += count;
    } else {
        worker->result = TD_ERROR_MEMORY;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Passes

static td_front_sift_fn *td_front_sift_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_front_sift_sse4;
    case TD_ISA_AVX2:
        return td_front_sift_avx2;
    case TD_ISA_AVX512:
        return td_front_sift_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_front_sift_neon;
#endif
    default:
        return td_front_sift_scalar;
    }
}

// Tests the entries of a part; tiles go to the worker's list. Returns how many are listed in worker->words.
static size_t td_sift_part(const td_front_step *step, size_t count) {
    const td_front_walk *walk = step->walk;
    td_worker *worker = walk->worker;
    td_front_sifted sifted = {.tiles = worker->front_tiles.items,
                              .tile_count = worker->front_tiles.count,
                              .movers = worker->words.items};
    td_front_sift_for(walk->traversal->context->isa)(&sifted, &walk->tree, step->entries, count);
    worker->front_tiles.count = sifted.tile_count;
    worker->counters.box_tests += count;
    return sifted.mover_count;
}

// Only the left-most sibling asks whether to ascend. In self-collision one that is not in the list, nor
// anything below it, has no pair of triangles that counts: but these share corners, so the parent overlaps.
static void td_try_ascent(td_front_step *step, size_t at) {
    const td_front_walk *walk = step->walk;
    const td_front_entry *entry = step->entries + at;
    const td_front_family family = td_front_family_of(&walk->tree, (td_pair){entry->a, entry->b});
    if (at < step->from || !family.known || !td_is_pair(entry[0], family.left) ||
        !td_is_pair(entry[1], family.right) || td_front_meets(walk, family.parent)) {
        return;
    }
    td_copy_entries(step, at);
    td_front_record(walk, td_new_entry(family.parent));
    step->from = at + 2;
    walk->worker->moves.ascended += 2;
}

static void td_keep_leaf(td_front_step *step, size_t at) {
    td_worker *worker = step->walk->worker;
    const td_front_entry entry = step->entries[at];
    if (entry.lanes == 0) { // no part of the tree
        td_copy_entries(step, at);
        step->from = at + 1;
        return;
    }
    if (worker->front_tiles.count >= step->walk->tiles_at) {
        td_copy_entries(step, at); // where the lanes of the tiles are noted
        td_front_tiles(worker, step->walk->traversal);
    }
    const size_t place = worker->front.count + (at - step->from);
    worker->front_tiles.items[worker->front_tiles.count++] =
        (td_front_tile){entry.a, entry.b, entry.lanes, (uint32_t)place};
}

static void td_move_entry(td_front_step *step, size_t at, bool meets) {
    const td_front_walk *walk = step->walk;
    const td_pair pair = {step->entries[at].a, step->entries[at].b};
    if (!meets) {
        td_try_ascent(step, at);
    } else if (td_front_is_leaf(&walk->tree, pair)) {
        td_keep_leaf(step, at);
    } else {
        td_copy_entries(step, at);
        step->from = at + 1;
        td_front_below(walk, pair);
        walk->worker->moves.descended++;
    }
}

static void td_step_part(td_front_step *step, size_t count) {
    const td_front_walk *walk = step->walk;
    td_worker *worker = walk->worker;
    const uint32_t *movers = worker->words.items;
    const uint64_t moved = worker->moves.ascended + worker->moves.descended;
    const size_t listed = td_sift_part(step, count);
    if (worker->front_tiles.count >= walk->tiles_at) {
        td_front_tiles(worker, walk->traversal);
    }
    for (size_t k = 0; k < listed && !td_worker_done(worker, walk->traversal); ++k) {
        td_move_entry(step, movers[k] >> 1, (movers[k] & 1u) != 0);
    }
    worker->moves.kept += count - (worker->moves.ascended + worker->moves.descended - moved);
}

void td_front_advance(td_worker *worker, const td_traversal *traversal, const td_front_part *part) {
    const td_front_walk walk = td_front_walk_begin(worker, traversal);
    const td_stage_clock clock = td_start_clock(worker, traversal);
    worker->words.count = 0;
    if (worker->result != TD_OK ||
        td_array_reserve(traversal->context, &worker->words, part->count + 1) != TD_OK ||
        td_array_reserve(traversal->context, &worker->front_tiles, part->count + walk.tiles_at) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return;
    }
    td_front_step step = {&walk, part->entries, 0};
    if (!td_worker_done(worker, traversal)) {
        td_step_part(&step, part->count);
    }
    td_copy_entries(&step, part->count);
    td_front_finish(&walk, &clock);
}
