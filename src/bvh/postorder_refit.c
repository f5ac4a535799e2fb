#include "postorder_refit.h"

#include "../core/array.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"

enum {
    TD_POST_TASKS = 16,
    TD_POST_LIMBS = 64 // a limb is at most that part of all nodes, or a job
};

typedef TD_ARRAY(td_post_item) td_post_items;
typedef TD_ARRAY(td_post_limb) td_post_limbs;

typedef struct td_post_entry {
    td_refit_post_fn *limbs, *crown;
} td_post_entry;

static td_post_entry td_post_entry_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return (td_post_entry){td_refit_post_limbs_sse4, td_refit_post_crown_sse4};
    case TD_ISA_AVX2:
        return (td_post_entry){td_refit_post_limbs_avx2, td_refit_post_crown_avx2};
    case TD_ISA_AVX512:
        return (td_post_entry){td_refit_post_limbs_avx512, td_refit_post_crown_avx512};
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return (td_post_entry){td_refit_post_limbs_neon, td_refit_post_crown_neon};
#endif
    default:
        return (td_post_entry){td_refit_post_limbs_scalar, td_refit_post_crown_scalar};
    }
}

// Puts the children of a node on the list, left-most first: the right-most, which comes next in the array, is
// taken first. The subtree of a child ends where that of its left neighbour starts.
static td_result td_push_children(td_post_items *waiting, const td_postorder *post, td_post_item parent,
                                  td_context *context) {
    uint32_t child = post->links[parent.node].child, end = parent.end;
    for (;;) {
        TD_TRY(td_array_reserve(context, waiting, 1));
        waiting->items[waiting->count++] = (td_post_item){child, end, end - child > TD_POST_JOB};
        if (post->links[child].counter > 0) {
            return TD_OK;
        }
        end = child;
        child = post->links[child].escape;
    }
}

static td_result td_list_post_items(td_post_items *items, td_post_items *waiting, const td_postorder *post,
                                    td_context *context) {
    TD_TRY(td_array_reserve(context, waiting, 1));
    waiting->items[waiting->count++] = (td_post_item){0, post->node_count, post->node_count > TD_POST_JOB};
    while (waiting->count > 0) {
        const td_post_item item = waiting->items[--waiting->count];
        TD_TRY(td_array_reserve(context, items, 1));
        items->items[items->count++] = item;
        if (item.inner) {
            TD_TRY(td_push_children(waiting, post, item, context));
        }
    }
    return TD_OK;
}

// Items stand in the order of a walk, so those below one follow it.
static td_result td_list_limbs(td_post_limbs *limbs, const td_post_items *items, uint32_t most_nodes,
                               td_context *context) {
    const uint32_t count = (uint32_t)items->count;
    for (uint32_t first = 0, end; first < count; first = end) {
        const td_post_item *item = &items->items[first];
        const bool crown = item->inner && item->end - item->node > most_nodes;
        for (end = first + 1; !crown && end < count && items->items[end].node < item->end; ++end) {
        }
        TD_TRY(td_array_reserve(context, limbs, 1));
        limbs->items[limbs->count++] = (td_post_limb){first, end, crown};
    }
    return TD_OK;
}

typedef struct td_post_work {
    td_post_refit *refit;
    td_refit_post_fn *limbs;
} td_post_work;

static void td_post_task(uint32_t item, void *payload) {
    const td_post_work *work = payload;
    work->limbs(work->refit, item);
}

static td_result td_refit_limbs(td_post_refit *refit, td_context *context) {
    const uint32_t tasks = refit->limb_count < TD_POST_TASKS ? refit->limb_count : TD_POST_TASKS;
    td_result result = TD_ERROR_MEMORY;
    refit->sums = TD_NEW(context, td_post_sum, refit->item_count);
    refit->scratch = TD_NEW(context, td_post_scratch, tasks);
    if (refit->sums != NULL && refit->scratch != NULL) {
        const td_post_entry entry = td_post_entry_for(context->isa);
        td_post_work work = {refit, entry.limbs};
        td_run_tasks(context, td_post_task, tasks, &work);
        entry.crown(refit, 0);
        result = TD_OK;
    }
    TD_DELETE(context, td_post_sum, refit->sums, refit->item_count);
    TD_DELETE(context, td_post_scratch, refit->scratch, tasks);
    return result;
}

td_result td_postorder_refit(td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked) {
    td_context *context = mesh->context;
    td_post_items items = {0}, waiting = {0};
    td_post_limbs limbs = {0};
    td_result result = td_list_post_items(&items, &waiting, post, context);
    if (result == TD_OK) {
        result = td_list_limbs(&limbs, &items, post->node_count / TD_POST_LIMBS, context);
    }
    if (result == TD_OK) {
        td_post_refit refit = {.post = post,
                               .blocked = blocked,
                               .source = td_refit_source_of(blocked, mesh),
                               .items = items.items,
                               .limbs = limbs.items,
                               .item_count = (uint32_t)items.count,
                               .limb_count = (uint32_t)limbs.count};
        result = td_refit_limbs(&refit, context);
    }
    td_array_release(context, &items);
    td_array_release(context, &waiting);
    td_array_release(context, &limbs);
    return result;
}
