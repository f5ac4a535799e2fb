#include "cut_together.h"

#include "../core/tasks.h"

typedef struct td_joint_cut {
    const td_prim *from;
    td_prim *to;
    uint32_t count;
    td_border border;
    td_binning binning;
    td_chunk *chunks;
} td_joint_cut;

static uint32_t td_chunk_size(const td_joint_cut *cut, uint32_t chunk) {
    const uint32_t first = chunk * TD_CHUNK_PRIMS;
    return cut->count - first < TD_CHUNK_PRIMS ? cut->count - first : TD_CHUNK_PRIMS;
}

static void td_measure_chunk(uint32_t item, void *payload) {
    const td_joint_cut *cut = payload;
    cut->chunks[item].measures[0] =
        td_measure_prims(cut->from + (size_t)item * TD_CHUNK_PRIMS, td_chunk_size(cut, item));
}

static td_measures td_join_chunks(const td_chunk *chunks, uint32_t chunk_count, int side) {
    td_measures all = chunks[0].measures[side];
    for (uint32_t c = 1; c < chunk_count; ++c) {
        all = td_join_measures(all, chunks[c].measures[side]);
    }
    return all;
}

td_measures td_measure_together(const td_prim *prims, uint32_t count, td_chunk *chunks, td_context *context) {
    td_joint_cut cut = {.from = prims, .count = count, .chunks = chunks};
    td_run_tasks(context, td_measure_chunk, td_chunk_count(count), &cut);
    return td_join_chunks(chunks, td_chunk_count(count), 0);
}

// A chunk of the sample.
static void td_bin_chunk(uint32_t item, void *payload) {
    const td_joint_cut *cut = payload;
    const uint32_t first = item * TD_CHUNK_PRIMS, samples = cut->binning.samples;
    const uint32_t end = samples - first < TD_CHUNK_PRIMS ? samples : first + TD_CHUNK_PRIMS;
    td_fill_bins(&cut->chunks[item].bins, &cut->binning, cut->from, first, end);
}

td_border td_find_border_together(const td_prim *prims, uint32_t count, td_box4 keys, td_tree_rules rules,
                                  td_chunk *chunks, td_context *context) {
    td_joint_cut cut = {.from = prims, .binning = td_choose_binning(count, keys), .chunks = chunks};
    const uint32_t chunk_count = td_chunk_count(cut.binning.samples);
    td_run_tasks(context, td_bin_chunk, chunk_count, &cut);
    for (uint32_t c = 1; c < chunk_count; ++c) {
        td_merge_bins(&chunks[0].bins, &chunks[c].bins);
    }
    return td_choose_border(&chunks[0].bins, &cut.binning, rules);
}

static void td_count_chunk(uint32_t item, void *payload) {
    const td_joint_cut *cut = payload;
    const td_prim *prims = cut->from + (size_t)item * TD_CHUNK_PRIMS;
    const td_border border = cut->border;
    const uint32_t count = td_chunk_size(cut, item);
    uint32_t right = 0;
    for (uint32_t i = 0; i < count; ++i) {
        right += td_goes_right(&prims[i], &border);
    }
    cut->chunks[item].left = count - right;
}

// The prims are measured where they have been moved to: they are still in the cache.
static void td_move_chunk(uint32_t item, void *payload) {
    const td_joint_cut *cut = payload;
    td_chunk *chunk = &cut->chunks[item];
    const td_prim *prims = cut->from + (size_t)item * TD_CHUNK_PRIMS;
    const td_border border = cut->border;
    const uint32_t count = td_chunk_size(cut, item);
    uint32_t left = chunk->left_at, right = chunk->right_at;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t goes_right = td_goes_right(&prims[i], &border);
        td_copy_prim(&cut->to[left + (right - left) * goes_right], &prims[i]);
        left += 1 - goes_right;
        right += goes_right;
    }
    chunk->measures[0] = td_measure_prims(cut->to + chunk->left_at, left - chunk->left_at);
    chunk->measures[1] = td_measure_prims(cut->to + chunk->right_at, right - chunk->right_at);
}

static uint32_t td_place_chunks(const td_joint_cut *cut, uint32_t chunk_count) {
    uint32_t left = 0;
    for (uint32_t c = 0; c < chunk_count; ++c) {
        cut->chunks[c].left_at = left;
        left += cut->chunks[c].left;
    }
    uint32_t right = left;
    for (uint32_t c = 0; c < chunk_count; ++c) {
        cut->chunks[c].right_at = right;
        right += td_chunk_size(cut, c) - cut->chunks[c].left;
    }
    return left;
}

uint32_t td_partition_together(td_measures halves[2], td_prim *to, const td_prim *from, uint32_t count,
                               const td_border *border, td_chunk *chunks, td_context *context) {
    const uint32_t chunk_count = td_chunk_count(count);
    td_joint_cut cut = {.from = from, .to = to, .count = count, .border = *border, .chunks = chunks};
    td_run_tasks(context, td_count_chunk, chunk_count, &cut);
    const uint32_t left = td_place_chunks(&cut, chunk_count);
    if (left > 0 && left < count) {
        td_run_tasks(context, td_move_chunk, chunk_count, &cut);
        halves[0] = td_join_chunks(chunks, chunk_count, 0);
        halves[1] = td_join_chunks(chunks, chunk_count, 1);
    }
    return left;
}
