// Binned SAH: prims fall into bins by their centre, only the borders between bins are tried.
// Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
//
// Large nodes are judged by a sample of their prims: some 4,000 tell the best border as well as all. Prims
// move between two buffers, one pass per level; sets of at most TD_SMALL_SET end in the first one and are cut
// there, by full sweep.
//
// Parallel in two phases. The crown of the tree is built level by level, each node of a level being a task;
// once its nodes are small enough (by a rule that knows nothing of threads), each of them is one task that
// builds its whole subtree. Subtrees write to places of their own (build.h), so the tree does not depend on
// who built what.
#include "cut.h"

#include "../core/array.h"
#include "../core/error.h"
#include "../core/tasks.h"

#include <string.h>

enum {
    TD_BINS = 16,
    TD_SAMPLE = 4096,        // prims of a large node that are binned, at least
    TD_STRIDE_MOST = 16,     // ... of so many, one
    TD_CHUNK_PRIMS = 4096,   // nodes of four times as many are cut by all threads together
    TD_SUBTREE_PRIMS = 2048, // nodes up to here are always one task
    TD_SUBTREE_SHARE = 64    // ... and nodes up to this fraction of all prims
};

typedef struct td_work {
    uint32_t node, first, count;
    uint32_t side; // which buffer holds the prims
} td_work;

typedef TD_ARRAY(td_work) td_work_list;

typedef struct td_sah_build {
    td_tree_node *nodes;
    td_prim *buffers[2]; // the prims, and as much room
    td_tree_rules rules;
    const td_work *level; // what the current tasks work on
    td_work (*halves)[2]; // per node of the level
} td_sah_build;

typedef struct td_bins {
    td_box4 box[3][TD_BINS];
    uint32_t count[3][TD_BINS];
} td_bins;

// Maps a key to its bin: (key - offset) * scale, in [0, TD_BINS).
typedef struct td_binning {
    td_f4 offset, scale;
} td_binning;

static td_binning td_binning_over(td_f4 lowest_key, td_f4 highest_key) {
    _Alignas(16) float extent[4], scale[4];
    td_f4_store(extent, td_f4_sub(highest_key, lowest_key));
    for (int k = 0; k < 4; ++k) {
        // 0.9999: the highest key stays below TD_BINS. A flat axis gets one bin.
        scale[k] = extent[k] > 0 ? 0.9999f * (float)TD_BINS / extent[k] : 0;
        scale[k] = scale[k] < FLT_MAX ? scale[k] : 0; // denormal extent
    }
    scale[3] = 0; // the fourth lane is no coordinate
    return (td_binning){lowest_key, td_f4_load(scale)};
}

static inline void td_bins_of(int32_t bin[4], td_binning binning, td_box4 box) {
    td_f4_to_int(bin, td_f4_mul(td_f4_sub(td_f4_add(box.lower, box.upper), binning.offset), binning.scale));
}

static void td_clear_bins(td_bins *bins) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int b = 0; b < TD_BINS; ++b) {
            bins->box[axis][b] = td_box4_empty();
            bins->count[axis][b] = 0;
        }
    }
}

static inline void td_bin_prim(td_bins *bins, td_binning binning, const td_prim *prim) {
    const td_box4 box = td_box4_of(prim);
    _Alignas(16) int32_t bin[4];
    td_bins_of(bin, binning, box);
    for (int axis = 0; axis < 3; ++axis) {
        bins->box[axis][bin[axis]] = td_box4_join(bins->box[axis][bin[axis]], box);
        bins->count[axis][bin[axis]]++;
    }
}

// Bins every `stride`-th prim. Two sets of bins in turn: neighbours fall into the same bins, where each would
// wait for the one before it.
static void td_fill_bins(td_bins *bins, td_binning binning, const td_prim *prims, uint32_t count,
                         uint32_t stride) {
    td_bins other;
    td_clear_bins(bins);
    td_clear_bins(&other);
    uint32_t i = 0;
    for (; i + stride < count; i += 2 * stride) {
        td_bin_prim(bins, binning, &prims[i]);
        td_bin_prim(&other, binning, &prims[i + stride]);
    }
    if (i < count) {
        td_bin_prim(bins, binning, &prims[i]);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int b = 0; b < TD_BINS; ++b) {
            bins->box[axis][b] = td_box4_join(bins->box[axis][b], other.box[axis][b]);
            bins->count[axis][b] += other.count[axis][b];
        }
    }
}

// The box around the prims, and the range of their keys.
static void td_measure_prims(td_box4 *box, td_box4 *keys, const td_prim *prims, uint32_t count) {
    const td_box4 none = td_box4_empty();
    td_box4 box0 = none, box1 = none, keys0 = none, keys1 = none; // two in turn: less waiting
    for (uint32_t i = 0; i < count; i += 2) {
        const td_box4 one = td_box4_of(&prims[i]), two = td_box4_of(&prims[i + 1 < count ? i + 1 : i]);
        const td_f4 key_one = td_f4_add(one.lower, one.upper), key_two = td_f4_add(two.lower, two.upper);
        box0 = td_box4_join(box0, one);
        box1 = td_box4_join(box1, two);
        keys0 = td_box4_join(keys0, (td_box4){key_one, key_one});
        keys1 = td_box4_join(keys1, (td_box4){key_two, key_two});
    }
    *box = td_box4_join(box0, box1);
    *keys = td_box4_join(keys0, keys1);
}

typedef struct td_border {
    int axis, bin; // prims in bins below `bin` go left
    uint32_t left_count;
} td_border;

// The cheapest border between bins; left_count 0 if there is none (all centres in one place).
static td_border td_best_border(const td_bins *bins, uint32_t count) {
    td_border best = {0};
    float best_cost = FLT_MAX;
    for (int axis = 0; axis < 3; ++axis) {
        float right_cost[TD_BINS];
        td_box4 box = td_box4_empty();
        uint32_t below = 0;
        for (int b = TD_BINS - 1; b > 0; --b) {
            box = td_box4_join(box, bins->box[axis][b]);
            below += bins->count[axis][b];
            right_cost[b] = below == 0 ? 0 : td_box4_area(box) * (float)below;
        }
        box = td_box4_empty();
        below = 0;
        for (int b = 1; b < TD_BINS; ++b) {
            box = td_box4_join(box, bins->box[axis][b - 1]);
            below += bins->count[axis][b - 1];
            if (below == 0 || below == count) {
                continue;
            }
            const float cost = td_box4_area(box) * (float)below + right_cost[b];
            if (cost < best_cost) {
                best_cost = cost;
                best = (td_border){axis, b, below};
            }
        }
    }
    return best;
}

// Which side of a border a prim is on.
typedef struct td_side_test {
    int axis;
    float lowest, per_bin, limit;
} td_side_test;

static td_side_test td_side_test_of(td_binning binning, td_border border) {
    _Alignas(16) float offset[4], scale[4];
    td_f4_store(offset, binning.offset);
    td_f4_store(scale, binning.scale);
    return (td_side_test){border.axis, offset[border.axis], scale[border.axis], (float)border.bin};
}

// 1 or 0, as td_bins_of has it.
static inline uint32_t td_goes_right(const td_prim *prim, td_side_test test) {
    return (td_prim_key(prim, test.axis) - test.lowest) * test.per_bin >= test.limit;
}

static inline void td_copy_prim(td_prim *to, const td_prim *from) {
    td_f4_store(to->lower, td_f4_load(from->lower));
    td_f4_store(to->upper, td_f4_load(from->upper));
}

// Moves the prims from one buffer to the other, left ones from the front, right ones from the back; returns
// the number of left ones. Arithmetic instead of a choice: no branch to mispredict.
static uint32_t td_partition(td_prim *to, const td_prim *from, uint32_t count, td_binning binning,
                             td_border border) {
    const td_side_test test = td_side_test_of(binning, border);
    uint32_t left = 0, right = count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t goes_right = td_goes_right(&from[i], test);
        right -= goes_right;
        td_copy_prim(&to[left + (right - left) * goes_right], &from[i]);
        left += 1 - goes_right;
    }
    return left;
}

static void td_set_halves(td_work halves[2], td_work work, uint32_t left, uint32_t side) {
    halves[0] = (td_work){work.node + 1, work.first, left, side};
    halves[1] = (td_work){work.node + 2 * left, work.first + left, work.count - left, side};
}

// Where to cut prims whose keys span `keys`; border.left_count is 0 if no border parts them.
static td_border td_find_border(td_binning *binning, const td_prim *prims, uint32_t count, td_box4 keys) {
    *binning = td_binning_over(keys.lower, keys.upper);
    const uint32_t ratio = count / TD_SAMPLE;
    const uint32_t stride = ratio < 1 ? 1 : ratio > TD_STRIDE_MOST ? TD_STRIDE_MOST : ratio;
    td_bins bins;
    td_fill_bins(&bins, *binning, prims, count, stride);
    return td_best_border(&bins, (count + stride - 1) / stride);
}

// Sets the node of `work` and cuts its prims in two. For more than TD_SMALL_SET prims.
static void td_cut_node(td_work halves[2], const td_sah_build *build, td_work work) {
    const td_prim *prims = build->buffers[work.side] + work.first;
    td_box4 box, keys;
    td_measure_prims(&box, &keys, prims, work.count);
    td_node_set(&build->nodes[work.node], box, work.first, work.count);
    td_binning binning;
    const td_border border = td_find_border(&binning, prims, work.count, keys);
    uint32_t left = 0;
    if (border.left_count > 0) {
        left = td_partition(build->buffers[1 - work.side] + work.first, prims, work.count, binning, border);
    }
    if (left > 0 && left < work.count) {
        td_set_halves(halves, work, left, 1 - work.side);
    } else { // all centres in one bin of every axis: any cut is as good
        td_set_halves(halves, work, work.count / 2, work.side);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The few largest nodes are cut by all threads together, chunk by chunk.

typedef struct td_chunk {
    td_box4 box, keys;
    uint32_t left;              // prims that go left
    uint32_t left_at, right_at; // where they and the others go
} td_chunk;

typedef struct td_wide_cut {
    const td_prim *from;
    td_prim *to;
    uint32_t count;
    td_chunk *chunks;
    td_side_test test;
} td_wide_cut;

static uint32_t td_chunk_size(const td_wide_cut *cut, uint32_t chunk) {
    const uint32_t first = chunk * TD_CHUNK_PRIMS;
    return cut->count - first < TD_CHUNK_PRIMS ? cut->count - first : TD_CHUNK_PRIMS;
}

static void td_measure_chunk(uint32_t item, void *payload) {
    const td_wide_cut *cut = payload;
    td_chunk *chunk = &cut->chunks[item];
    td_measure_prims(&chunk->box, &chunk->keys, cut->from + (size_t)item * TD_CHUNK_PRIMS,
                     td_chunk_size(cut, item));
}

static void td_count_chunk(uint32_t item, void *payload) {
    const td_wide_cut *cut = payload;
    const td_prim *prims = cut->from + (size_t)item * TD_CHUNK_PRIMS;
    const uint32_t count = td_chunk_size(cut, item);
    uint32_t right = 0;
    for (uint32_t i = 0; i < count; ++i) {
        right += td_goes_right(&prims[i], cut->test);
    }
    cut->chunks[item].left = count - right;
}

static void td_move_chunk(uint32_t item, void *payload) {
    const td_wide_cut *cut = payload;
    const td_prim *prims = cut->from + (size_t)item * TD_CHUNK_PRIMS;
    const uint32_t count = td_chunk_size(cut, item);
    uint32_t left = cut->chunks[item].left_at, right = cut->chunks[item].right_at;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t goes_right = td_goes_right(&prims[i], cut->test);
        td_copy_prim(&cut->to[left + (right - left) * goes_right], &prims[i]);
        left += 1 - goes_right;
        right += goes_right;
    }
}

static uint32_t td_place_chunks(td_chunk *chunks, uint32_t chunk_count, const td_wide_cut *cut) {
    uint32_t left = 0;
    for (uint32_t c = 0; c < chunk_count; ++c) {
        chunks[c].left_at = left;
        left += chunks[c].left;
    }
    uint32_t right = left;
    for (uint32_t c = 0; c < chunk_count; ++c) {
        chunks[c].right_at = right;
        right += td_chunk_size(cut, c) - chunks[c].left;
    }
    return left;
}

// As td_cut_node, for a node of many chunks.
static td_result td_cut_wide_node(td_work halves[2], const td_sah_build *build, td_work work,
                                  td_context *context) {
    const uint32_t chunk_count = (work.count + TD_CHUNK_PRIMS - 1) / TD_CHUNK_PRIMS;
    td_chunk *chunks = TD_NEW(context, td_chunk, chunk_count);
    if (chunks == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_wide_cut cut = {.from = build->buffers[work.side] + work.first,
                       .to = build->buffers[1 - work.side] + work.first,
                       .count = work.count,
                       .chunks = chunks};
    td_run_tasks(context, td_measure_chunk, chunk_count, &cut);
    td_box4 box = chunks[0].box, keys = chunks[0].keys;
    for (uint32_t c = 1; c < chunk_count; ++c) {
        box = td_box4_join(box, chunks[c].box);
        keys = td_box4_join(keys, chunks[c].keys);
    }
    td_node_set(&build->nodes[work.node], box, work.first, work.count);
    td_binning binning;
    const td_border border = td_find_border(&binning, cut.from, work.count, keys);
    uint32_t left = 0;
    if (border.left_count > 0) {
        cut.test = td_side_test_of(binning, border);
        td_run_tasks(context, td_count_chunk, chunk_count, &cut);
        left = td_place_chunks(chunks, chunk_count, &cut);
    }
    if (left > 0 && left < work.count) {
        td_run_tasks(context, td_move_chunk, chunk_count, &cut);
        td_set_halves(halves, work, left, 1 - work.side);
    } else {
        td_set_halves(halves, work, work.count / 2, work.side);
    }
    TD_DELETE(context, td_chunk, chunks, chunk_count);
    return TD_OK;
}

// Builds everything below a set of at most TD_SMALL_SET prims, which are in the first buffer.
static void td_build_small(const td_sah_build *build, uint32_t node, uint32_t first, uint32_t count) {
    td_prim *prims = build->buffers[0] + first;
    while (true) {
        td_box4 box = td_box4_of(&prims[0]);
        for (uint32_t i = 1; i < count; ++i) {
            box = td_box4_join(box, td_box4_of(&prims[i]));
        }
        td_node_set(&build->nodes[node], box, first, count);
        if (count <= build->rules.leaf_size) {
            return;
        }
        td_prim scratch[TD_SMALL_SET];
        const uint32_t left = td_cut_small(prims, count, td_cut_step(build->rules, count), scratch);
        td_build_small(build, node + 1, first, left); // at most TD_SMALL_SET deep
        node += 2 * left;
        first += left;
        prims += left;
        count -= left;
    }
}

// Builds everything below `root`. The larger half waits, the smaller is done first: at most log2(count) wait
// at a time.
static void td_build_subtree(const td_sah_build *build, td_work root) {
    td_work stack[64];
    uint32_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        const td_work work = stack[--depth];
        if (work.count <= TD_SMALL_SET) {
            td_prim *prims = build->buffers[0] + work.first;
            if (work.side == 1) {
                memcpy(prims, build->buffers[1] + work.first, work.count * sizeof *prims);
            }
            td_build_small(build, work.node, work.first, work.count);
            continue;
        }
        td_work halves[2];
        td_cut_node(halves, build, work);
        const int larger = halves[1].count > halves[0].count;
        stack[depth++] = halves[larger];
        stack[depth++] = halves[1 - larger];
    }
}

static void td_subtree_task(uint32_t item, void *payload) {
    const td_sah_build *build = payload;
    td_build_subtree(build, build->level[item]);
}

static bool td_is_wide(td_work work) {
    return work.count >= 4 * TD_CHUNK_PRIMS;
}

static void td_crown_task(uint32_t item, void *payload) {
    const td_sah_build *build = payload;
    if (!td_is_wide(build->level[item])) {
        td_cut_node(build->halves[item], build, build->level[item]);
    }
}

// Splits the nodes of `level`; halves larger than `small` go to `next`, the others to `subtrees`.
static td_result td_build_level(td_sah_build *build, td_work_list *level, td_work_list *next,
                                td_work_list *subtrees, uint32_t small, td_context *context) {
    TD_TRY(td_array_reserve(context, next, 2 * level->count));
    TD_TRY(td_array_reserve(context, subtrees, 2 * level->count));
    build->halves = td_allocate(context, level->count, sizeof *build->halves);
    if (build->halves == NULL) {
        return TD_ERROR_MEMORY;
    }
    build->level = level->items;
    td_result result = TD_OK;
    for (size_t i = 0; i < level->count && result == TD_OK; ++i) {
        if (td_is_wide(level->items[i])) {
            result = td_cut_wide_node(build->halves[i], build, level->items[i], context);
        }
    }
    if (result != TD_OK) {
        td_release(context, build->halves, level->count, sizeof *build->halves);
        return result;
    }
    td_run_tasks(context, td_crown_task, (uint32_t)level->count, build);
    next->count = 0;
    for (size_t i = 0; i < 2 * level->count; ++i) {
        const td_work half = build->halves[i / 2][i % 2];
        td_work_list *list = half.count > small ? next : subtrees;
        list->items[list->count++] = half;
    }
    td_release(context, build->halves, level->count, sizeof *build->halves);
    return TD_OK;
}

static td_result td_build_all(td_sah_build *build, td_work_list lists[3], uint32_t count, td_context *context,
                              td_progress_fn *progress, void *progress_user) {
    td_work_list *level = &lists[0], *next = &lists[1], *subtrees = &lists[2];
    const uint32_t share = count / TD_SUBTREE_SHARE;
    const uint32_t small = share > TD_SUBTREE_PRIMS ? share : TD_SUBTREE_PRIMS;
    const td_work root = {0, 0, count, 0};
    td_work_list *start = count > small ? level : subtrees;
    TD_TRY(td_array_reserve(context, start, 1));
    start->items[start->count++] = root;
    while (level->count > 0) {
        TD_TRY(td_build_level(build, level, next, subtrees, small, context));
        td_work_list *swap = level;
        level = next;
        next = swap;
        next->count = 0;
        if (progress != NULL && !progress(0, count, progress_user)) {
            return td_fail(TD_ERROR_CANCELLED, "building a hierarchy over %u triangles was cancelled", count);
        }
    }
    build->level = subtrees->items;
    td_run_tasks(context, td_subtree_task, (uint32_t)subtrees->count, build);
    if (progress != NULL && !progress(count, count, progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "building a hierarchy over %u triangles was cancelled", count);
    }
    return TD_OK;
}

td_result td_build_sah(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                       td_context *context, td_progress_fn *progress, void *progress_user) {
    if (rules.group_size > TD_SMALL_SET) {
        return td_fail(TD_ERROR_ARGUMENT, "group_size is %u, expected at most %d", rules.group_size,
                       TD_SMALL_SET);
    }
    td_prim *scratch = TD_NEW(context, td_prim, count);
    if (scratch == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_sah_build build = {.nodes = nodes, .buffers = {prims, scratch}, .rules = rules};
    td_work_list lists[3] = {{0}, {0}, {0}};
    const td_result result = td_build_all(&build, lists, count, context, progress, progress_user);
    for (int i = 0; i < 3; ++i) {
        td_array_release(context, &lists[i]);
    }
    TD_DELETE(context, td_prim, scratch, count);
    return result;
}
