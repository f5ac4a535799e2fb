// Cuts a traversal of blocked hierarchies into starts: opens pairs of blocks breadth first until there are
// enough.
#include "nodes.h"

#include "../core/error.h"

// The pairs of blocks that follow from one pair, by the same rules as in wide_wide.c. At most 16.
static uint32_t td_open_pair(td_pair out[16], td_worker *worker, const td_traversal *traversal,
                             td_placef place, td_pair pair) {
    const td_block *block_a = &traversal->a->blocks[pair.a], *block_b = &traversal->b->blocks[pair.b];
    const bool same = traversal->self && pair.a == pair.b;
    uint32_t count = 0;
    bool held[4] = {false};
    for (uint32_t j = 0; j < block_b->node_count; ++j) {
        for (uint32_t i = 0; i < block_a->node_count; ++i) {
            if (same && i > j) {
                continue;
            }
            worker->counters.box_tests++;
            if (!(same && i == j) && !td_box_overlaps(td_node_box(traversal->a, td_node(pair.a, i)),
                                                      td_node_box(traversal->b, td_node(pair.b, j)), place)) {
                continue;
            }
            const uint32_t opened = block_a->leaf ? j : i;
            if (block_a->leaf || block_b->leaf) {
                if (!held[opened]) {
                    out[count++] = block_a->leaf ? (td_pair){pair.a, block_b->child[j]}
                                                 : (td_pair){block_a->child[i], pair.b};
                }
                held[opened] = true;
            } else {
                out[count++] = (td_pair){block_a->child[i], block_b->child[j]};
            }
        }
    }
    return count;
}

td_result td_start_at_blocks(td_pair_list *starts, size_t wanted, td_worker *worker,
                             const td_traversal *traversal) {
    td_context *context = traversal->context;
    starts->count = 0;
    TD_TRY(td_array_reserve(context, starts, wanted + 16));
    starts->items[starts->count++] = (td_pair){0, 0};
    if (wanted <= 1) {
        return TD_OK;
    }
    const td_placef place = td_place_of(traversal->frame);
    // A queue in one array: pairs before `next` are opened, pairs of two leaf blocks are final and move to
    // the front.
    size_t final = 0;
    for (size_t next = 0; next < starts->count && starts->count - next + final < wanted; ++next) {
        const td_pair pair = starts->items[next];
        if (traversal->a->blocks[pair.a].leaf && traversal->b->blocks[pair.b].leaf) {
            starts->items[next] = (td_pair){TD_NONE, TD_NONE};
            starts->items[final++] = pair; // final <= next: the place is free
            continue;
        }
        td_pair opened[16];
        const uint32_t count = td_open_pair(opened, worker, traversal, place, pair);
        TD_TRY(td_array_reserve(context, starts, count));
        for (uint32_t i = 0; i < count; ++i) {
            starts->items[starts->count++] = opened[i];
        }
        starts->items[next] = (td_pair){TD_NONE, TD_NONE};
    }
    size_t kept = final;
    for (size_t i = final; i < starts->count; ++i) {
        if (starts->items[i].a != TD_NONE) {
            starts->items[kept++] = starts->items[i];
        }
    }
    starts->count = kept;
    return TD_OK;
}
