// Binned SAH: prims fall into bins by their centre, only the borders between bins are tried.
// Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
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
    TD_TWO_BINS_FROM = 256,  // prims that are worth a second set of bins
    TD_SUBTREE_PRIMS = 2048, // nodes up to here are always one task
    TD_SUBTREE_SHARE = 64    // ... and nodes up to this fraction of all prims
};

typedef struct td_work {
    uint32_t node, first, count;
} td_work;

typedef TD_ARRAY(td_work) td_work_list;

typedef struct td_sah_build {
    td_tree_node *nodes;
    td_prim *prims;
    td_prim *scratch; // as many as prims, for stable partitions
    td_tree_rules rules;
    const td_work *level; // what the current tasks work on
    uint32_t *cuts;       // per node of the level: prims that went left
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

static td_binning td_fill_bins(td_bins *bins, const td_prim *prims, uint32_t count) {
    td_f4 lowest = td_f4_set1(FLT_MAX), highest = td_f4_set1(-FLT_MAX);
    for (uint32_t i = 0; i < count; ++i) {
        const td_f4 key = td_f4_add(td_f4_load(prims[i].lower), td_f4_load(prims[i].upper));
        lowest = td_f4_min(lowest, key);
        highest = td_f4_max(highest, key);
    }
    const td_binning binning = td_binning_over(lowest, highest);
    td_clear_bins(bins);
    if (count < TD_TWO_BINS_FROM) {
        for (uint32_t i = 0; i < count; ++i) {
            td_bin_prim(bins, binning, &prims[i]);
        }
        return binning;
    }
    // Neighbours fall into the same bins, where each would wait for the one before it: every other prim goes
    // to a second set of bins.
    td_bins other;
    td_clear_bins(&other);
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        td_bin_prim(bins, binning, &prims[i]);
        td_bin_prim(&other, binning, &prims[i + 1]);
    }
    if (count % 2 == 1) {
        td_bin_prim(bins, binning, &prims[count - 1]);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int b = 0; b < TD_BINS; ++b) {
            bins->box[axis][b] = td_box4_join(bins->box[axis][b], other.box[axis][b]);
            bins->count[axis][b] += other.count[axis][b];
        }
    }
    return binning;
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

// Stable, so that the order of prims depends on nothing but the input.
static void td_partition(td_prim *prims, uint32_t count, td_binning binning, td_border border,
                         td_prim *scratch) {
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < count; ++i) {
        _Alignas(16) int32_t bin[4];
        td_bins_of(bin, binning, td_box4_of(&prims[i]));
        const uint32_t goes_right = bin[border.axis] >= border.bin;
        scratch[right] = prims[i]; // both are written, one of them counts: no branch to mispredict
        prims[left] = prims[i];
        right += goes_right;
        left += 1 - goes_right;
    }
    memcpy(prims + left, scratch, right * sizeof *prims);
}

static uint32_t td_cut(td_prim *prims, uint32_t count, td_tree_rules rules, td_prim *scratch) {
    if (count <= TD_SMALL_SET) {
        return td_cut_small(prims, count, td_cut_step(rules, count), scratch);
    }
    td_bins bins;
    const td_binning binning = td_fill_bins(&bins, prims, count);
    const td_border border = td_best_border(&bins, count);
    if (border.left_count == 0) {
        return count / 2; // all centres in one bin of every axis: any cut is as good
    }
    td_partition(prims, count, binning, border, scratch);
    return border.left_count;
}

static void td_set_node(td_tree_node *nodes, uint32_t node, const td_prim *prims, uint32_t first,
                        uint32_t count) {
    td_box4 box = td_box4_of(&prims[first]);
    for (uint32_t i = 1; i < count; ++i) {
        box = td_box4_join(box, td_box4_of(&prims[first + i]));
    }
    td_node_set(&nodes[node], box, first, count);
}

// Builds everything below `work`. Iterative: a degenerate mesh may be as deep as it has triangles. The right
// halves still to be done wait in the tree itself: nothing else is needed to find them again.
static void td_build_subtree(const td_sah_build *build, td_work root) {
    td_work stack[64];
    uint32_t depth = 0;
    td_work work = root;
    for (;;) {
        td_set_node(build->nodes, work.node, build->prims, work.first, work.count);
        if (work.count > build->rules.leaf_size) {
            const uint32_t left =
                td_cut(build->prims + work.first, work.count, build->rules, build->scratch + work.first);
            td_work small = {work.node + 1, work.first, left};
            td_work large = {work.node + 2 * left, work.first + left, work.count - left};
            if (small.count > large.count) {
                const td_work swap = small;
                small = large;
                large = swap;
            }
            // The larger half waits, the smaller is done first: at most log2(count) wait at any time.
            stack[depth++] = large;
            work = small;
            continue;
        }
        if (depth == 0) {
            return;
        }
        work = stack[--depth];
    }
}

static void td_subtree_task(uint32_t item, void *payload) {
    const td_sah_build *build = payload;
    td_build_subtree(build, build->level[item]);
}

static void td_crown_task(uint32_t item, void *payload) {
    const td_sah_build *build = payload;
    const td_work work = build->level[item];
    td_set_node(build->nodes, work.node, build->prims, work.first, work.count);
    build->cuts[item] =
        td_cut(build->prims + work.first, work.count, build->rules, build->scratch + work.first);
}

// Splits the nodes of `level` that are larger than `small`; what is small enough moves to `subtrees`.
static td_result td_build_level(td_sah_build *build, td_work_list *level, td_work_list *next,
                                td_work_list *subtrees, uint32_t small, td_context *context) {
    TD_TRY(td_array_reserve(context, next, 2 * level->count));
    TD_TRY(td_array_reserve(context, subtrees, 2 * level->count));
    uint32_t *cuts = TD_NEW(context, uint32_t, level->count);
    if (cuts == NULL) {
        return TD_ERROR_MEMORY;
    }
    build->cuts = cuts;
    build->level = level->items;
    td_run_tasks(context, td_crown_task, (uint32_t)level->count, build);
    next->count = 0;
    for (size_t i = 0; i < level->count; ++i) {
        const td_work work = level->items[i];
        const td_work halves[2] = {{work.node + 1, work.first, cuts[i]},
                                   {work.node + 2 * cuts[i], work.first + cuts[i], work.count - cuts[i]}};
        for (int h = 0; h < 2; ++h) {
            if (halves[h].count > small) {
                next->items[next->count++] = halves[h];
            } else {
                subtrees->items[subtrees->count++] = halves[h];
            }
        }
    }
    TD_DELETE(context, uint32_t, cuts, level->count);
    return TD_OK;
}

static td_result td_build_all(td_sah_build *build, td_work_list lists[3], uint32_t count, td_context *context,
                              td_progress_fn *progress, void *progress_user) {
    td_work_list *level = &lists[0], *next = &lists[1], *subtrees = &lists[2];
    const uint32_t share = count / TD_SUBTREE_SHARE;
    const uint32_t small = share > TD_SUBTREE_PRIMS ? share : TD_SUBTREE_PRIMS;
    const td_work root = {0, 0, count};
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
    td_sah_build build = {.nodes = nodes, .prims = prims, .scratch = scratch, .rules = rules};
    td_work_list lists[3] = {{0}, {0}, {0}};
    const td_result result = td_build_all(&build, lists, count, context, progress, progress_user);
    for (int i = 0; i < 3; ++i) {
        td_array_release(context, &lists[i]);
    }
    TD_DELETE(context, td_prim, scratch, count);
    return result;
}
