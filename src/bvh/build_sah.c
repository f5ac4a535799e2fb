// Binned SAH (cut_bins.h), with subtrees over small sets by full sweep (cut_small.c).
//
// Prims move between two buffers, one pass per level; small sets end in the first one.
//
// Parallel in two phases. The crown of the tree is built level by level: the largest nodes are cut by all
// threads together, of the others each is a task. Once nodes are small enough (by a rule that knows nothing
// of threads), each of them is one task that builds its whole subtree, the largest first. Subtrees write to
// places of their own (build.h), so the tree does not depend on who built what.
#include "build_sah.h"

#include "cut_together.h"

#include "../core/array.h"
#include "../core/error.h"
#include "../core/tasks.h"

#include <stdlib.h>
#include <string.h>

typedef struct td_work {
    td_measures measures; // if `measured`
    uint32_t node, first, count;
    uint32_t side; // which buffer holds the prims
    bool measured;
} td_work;

typedef TD_ARRAY(td_work) td_work_list;

typedef struct td_sah_build {
    td_tree_node *nodes;
    td_prim *buffers[2]; // the prims, and as much room
    td_chunk *chunks;    // for cuts together
    td_tree_rules rules;
    const td_work *level; // what the current tasks work on
    td_work (*halves)[2]; // per node of the level
} td_sah_build;

static void td_set_halves(td_work halves[2], const td_work *work, uint32_t left, uint32_t side) {
    halves[0] = (td_work){.node = work->node + 1, .first = work->first, .count = left, .side = side};
    halves[1] = (td_work){.node = work->node + 2 * left,
                          .first = work->first + left,
                          .count = work->count - left,
                          .side = side};
}

// Sets the node of `work` and cuts its prims in two. For more than TD_SMALL_SET prims.
static void td_cut_node(td_work halves[2], const td_sah_build *build, const td_work *work) {
    const td_prim *prims = build->buffers[work->side] + work->first;
    const td_measures measures = work->measured ? work->measures : td_measure_prims(prims, work->count);
    td_node_set(&build->nodes[work->node], measures.box, work->count);
    const td_border border = td_find_border(prims, work->count, measures.keys, build->rules);
    uint32_t left = 0;
    if (border.found) {
        left = td_partition(build->buffers[1 - work->side] + work->first, prims, work->count, &border);
    }
    if (left > 0 && left < work->count) {
        td_set_halves(halves, work, left, 1 - work->side);
    } else { // all centres in one bin of every axis: any cut is as good
        td_set_halves(halves, work, work->count / 2, work->side);
    }
}

// The same, by all threads.
static void td_cut_node_together(td_work halves[2], const td_sah_build *build, const td_work *work,
                                 td_context *context) {
    const td_prim *prims = build->buffers[work->side] + work->first;
    const td_measures measures =
        work->measured ? work->measures : td_measure_together(prims, work->count, build->chunks, context);
    td_node_set(&build->nodes[work->node], measures.box, work->count);
    const td_border border =
        td_find_border_together(prims, work->count, measures.keys, build->rules, build->chunks, context);
    td_measures sides[2];
    uint32_t left = 0;
    if (border.found) {
        left = td_partition_together(sides, build->buffers[1 - work->side] + work->first, prims, work->count,
                                     &border, build->chunks, context);
    }
    if (left > 0 && left < work->count) {
        td_set_halves(halves, work, left, 1 - work->side);
        for (int i = 0; i < 2; ++i) {
            halves[i].measures = sides[i];
            halves[i].measured = true;
        }
    } else {
        td_set_halves(halves, work, work->count / 2, work->side);
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
            td_prim *out = build->buffers[0] + work.first, *prims = build->buffers[1] + work.first;
            if (work.side == 0) {
                memcpy(prims, out, work.count * sizeof *prims);
            }
            td_build_small(build->nodes, work.node, out, prims, work.count, build->rules);
            continue;
        }
        td_work halves[2];
        td_cut_node(halves, build, &work);
        const int larger = halves[1].count > halves[0].count;
        stack[depth++] = halves[larger];
        stack[depth++] = halves[1 - larger];
    }
}

static void td_subtree_task(uint32_t item, void *payload) {
    const td_sah_build *build = payload;
    td_build_subtree(build, build->level[item]);
}

static void td_crown_task(uint32_t item, void *payload) {
    const td_sah_build *build = payload;
    if (build->level[item].count < TD_TOGETHER) {
        td_cut_node(build->halves[item], build, &build->level[item]);
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
    for (size_t i = 0; i < level->count; ++i) {
        if (level->items[i].count >= TD_TOGETHER) {
            td_cut_node_together(build->halves[i], build, &level->items[i], context);
        }
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

static int td_compare_work(const void *left, const void *right) {
    const td_work *a = left, *b = right;
    return a->count > b->count ? -1 : (a->count < b->count);
}

static td_result td_build_all(td_sah_build *build, td_work_list lists[3], uint32_t count, td_context *context,
                              td_progress_fn *progress, void *progress_user) {
    td_work_list *level = &lists[0], *next = &lists[1], *subtrees = &lists[2];
    const uint32_t small = td_subtree_most(count);
    const td_work root = {.count = count};
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
    qsort(subtrees->items, subtrees->count, sizeof *subtrees->items, td_compare_work);
    build->level = subtrees->items;
    td_run_tasks(context, td_subtree_task, (uint32_t)subtrees->count, build);
    if (progress != NULL && !progress(count, count, progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "building a hierarchy over %u triangles was cancelled", count);
    }
    return TD_OK;
}

td_result td_check_tree_rules(td_tree_rules rules) {
    if ((rules.leaf_size & (rules.leaf_size - 1)) != 0 || (rules.group_size & (rules.group_size - 1)) != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "leaves of %u in groups of %u, expected powers of two",
                       rules.leaf_size, rules.group_size);
    }
    if (rules.group_size > TD_SMALL_SET) {
        return td_fail(TD_ERROR_ARGUMENT, "group_size is %u, expected at most %d", rules.group_size,
                       TD_SMALL_SET);
    }
    return TD_OK;
}

void td_build_sah_below(td_tree_node *nodes, td_prim *prims, td_prim *from, uint32_t node, uint32_t first,
                        uint32_t count, td_tree_rules rules) {
    const td_sah_build build = {.nodes = nodes, .buffers = {prims, from}, .rules = rules};
    td_build_subtree(&build, (td_work){.node = node, .first = first, .count = count, .side = 1});
}

td_result td_build_sah(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                       td_context *context, td_progress_fn *progress, void *progress_user) {
    TD_TRY(td_check_tree_rules(rules));
    const uint32_t chunk_count = td_chunk_count(count);
    td_prim *scratch = TD_NEW(context, td_prim, count);
    td_chunk *chunks = TD_NEW(context, td_chunk, chunk_count);
    td_result result = TD_ERROR_MEMORY;
    if (scratch != NULL && chunks != NULL) {
        td_sah_build build = {.nodes = nodes, .buffers = {prims, scratch}, .chunks = chunks, .rules = rules};
        td_work_list lists[3] = {{0}, {0}, {0}};
        result = td_build_all(&build, lists, count, context, progress, progress_user);
        for (int i = 0; i < 3; ++i) {
            td_array_release(context, &lists[i]);
        }
    }
    TD_DELETE(context, td_chunk, chunks, chunk_count);
    TD_DELETE(context, td_prim, scratch, count);
    return result;
}
