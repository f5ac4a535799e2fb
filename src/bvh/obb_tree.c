#include "obb_tree.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"
#include "blocked_node.h"

typedef struct td_obb_entry {
    td_obb_fit_fn *jobs, *crown;
} td_obb_entry;

static td_obb_entry td_obb_entry_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return (td_obb_entry){td_obb_fit_jobs_sse4, td_obb_fit_crown_sse4};
    case TD_ISA_AVX2:
        return (td_obb_entry){td_obb_fit_jobs_avx2, td_obb_fit_crown_avx2};
    case TD_ISA_AVX512:
        return (td_obb_entry){td_obb_fit_jobs_avx512, td_obb_fit_crown_avx512};
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return (td_obb_entry){td_obb_fit_jobs_neon, td_obb_fit_crown_neon};
#endif
    default:
        return (td_obb_entry){td_obb_fit_jobs_scalar, td_obb_fit_crown_scalar};
    }
}

void td_obb_tree_destroy(td_obb_tree *tree, td_context *context) {
    TD_DELETE(context, uint32_t, tree->second, tree->node_count);
    TD_DELETE(context, td_obbf, tree->obbs, tree->node_count);
    TD_DELETE(context, td_obb_item, tree->items, tree->item_room);
    TD_DELETE(context, td_post_sum, tree->sums, tree->item_room);
    TD_DELETE(context, td_obb_scratch, tree->scratch, tree->task_count);
    *tree = (td_obb_tree){0};
}

td_result td_obb_tree_create(td_obb_tree *out, td_context *context, uint32_t node_count) {
    *out = (td_obb_tree){.node_count = node_count};
    out->second = TD_NEW(context, uint32_t, node_count);
    out->obbs = TD_NEW(context, td_obbf, node_count);
    if (out->second == NULL || out->obbs == NULL) {
        td_obb_tree_destroy(out, context);
        return TD_ERROR_MEMORY;
    }
    return TD_OK;
}

// Cuts the tree into jobs and what lies above them, ascending by node; with `items` null only counts. Nodes
// of the crown stand before what is below them, so one pass over the array is a walk: the end of a subtree is
// where its sibling begins, or its parent's.
static uint32_t td_cut_into_items(td_obb_item *items, const td_obb_tree *tree, uint32_t *ends) {
    uint32_t count = 0;
    ends[0] = tree->node_count;
    for (uint32_t n = 0; n < tree->node_count;) {
        const uint32_t end = ends[n];
        const bool crown = end - n > TD_OBB_JOB;
        if (items != NULL) {
            items[count] = (td_obb_item){n, end, crown};
        }
        ++count;
        if (crown) {
            ends[n + 1] = tree->second[n];
            ends[tree->second[n]] = end;
        }
        n = crown ? n + 1 : end;
    }
    return count;
}

td_result td_obb_tree_link(td_obb_tree *tree, td_context *context) {
    uint32_t *ends = TD_NEW(context, uint32_t, tree->node_count);
    if (ends != NULL) {
        tree->item_room = td_cut_into_items(NULL, tree, ends);
        tree->items = TD_NEW(context, td_obb_item, tree->item_room);
        tree->sums = TD_NEW(context, td_post_sum, tree->item_room);
        tree->task_count = tree->item_room < TD_OBB_TASKS ? tree->item_room : TD_OBB_TASKS;
        tree->scratch = TD_NEW(context, td_obb_scratch, tree->task_count);
    }
    const bool enough = tree->items != NULL && tree->sums != NULL && tree->scratch != NULL;
    if (enough) {
        tree->item_count = td_cut_into_items(tree->items, tree, ends);
    }
    TD_DELETE(context, uint32_t, ends, tree->node_count);
    if (!enough) {
        td_obb_tree_destroy(tree, context);
        return TD_ERROR_MEMORY;
    }
    return TD_OK;
}

uint64_t td_obb_tree_bytes(const td_obb_tree *tree) {
    return tree->node_count * (uint64_t)(sizeof *tree->second + sizeof *tree->obbs) +
           tree->item_room * (uint64_t)(sizeof *tree->items + sizeof *tree->sums) +
           tree->task_count * (uint64_t)sizeof *tree->scratch;
}

typedef struct td_obb_work {
    td_obb_fit_call call;
    td_obb_fit_fn *jobs;
} td_obb_work;

static void td_obb_task(uint32_t item, void *payload) {
    const td_obb_work *work = payload;
    work->jobs(&work->call, item);
}

void td_obb_tree_fit(td_obb_tree *tree, td_context *context, td_obb_leaf_fn *corners, const void *user) {
    const td_obb_entry entry = td_obb_entry_for(context->isa);
    td_obb_work work = {{tree, corners, user}, entry.jobs};
    if (!tree->fitted) { // axes to start from
        for (uint32_t n = 0; n < tree->node_count; ++n) {
            tree->obbs[n] = (td_obbf){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        }
    }
    td_run_tasks(context, td_obb_task, tree->task_count, &work);
    entry.crown(&work.call, 0);
    tree->fitted = true;
}
