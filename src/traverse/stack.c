// The classic stack of node pairs (paper 000, Fig. 2): one box test at a time, one triangle test at a time.
// It walks the blocked hierarchy node by node and takes every triangle pair of overlapping leaves to the
// exact predicate.
//
// Descent rule: open the larger node, if it can be opened.
#include "nodes.h"

typedef struct td_stack_visit {
    td_worker *worker;
    const td_traversal *traversal;
    td_placef place;
} td_stack_visit;

static void td_push(const td_stack_visit *visit, uint32_t node_a, uint32_t node_b) {
    td_pair_list *stack = &visit->worker->stack;
    if (td_array_reserve(visit->traversal->context, stack, 1) != TD_OK) {
        visit->worker->result = TD_ERROR_MEMORY;
        return;
    }
    stack->items[stack->count++] = (td_pair){node_a, node_b};
}

// Pairs are pushed last to first, so that they are visited first to last.
static void td_push_blocks(const td_stack_visit *visit, uint32_t index_a, uint32_t index_b) {
    const td_traversal *traversal = visit->traversal;
    const bool same = traversal->self && index_a == index_b;
    for (uint32_t j = traversal->b->blocks[index_b].node_count; j-- > 0;) {
        for (uint32_t i = traversal->a->blocks[index_a].node_count; i-- > 0;) {
            if (!same || i <= j) {
                td_push(visit, td_node(index_a, i), td_node(index_b, j));
            }
        }
    }
}

static void td_test_leaves(const td_stack_visit *visit, uint32_t node_a, uint32_t node_b) {
    const td_traversal *traversal = visit->traversal;
    td_worker *worker = visit->worker;
    const td_quad *quad_a = &traversal->a->quads[td_node_block(traversal->a, node_a)->child[node_a % 4]];
    const td_quad *quad_b = &traversal->b->quads[td_node_block(traversal->b, node_b)->child[node_b % 4]];
    const bool same = traversal->self && node_a == node_b;
    for (int i = 0; i < 4; ++i) {
        for (int j = same ? i + 1 : 0; j < 4; ++j) {
            const uint32_t a = quad_a->triangle[i], b = quad_b->triangle[j];
            if (a == TD_NONE || b == TD_NONE || td_worker_done(worker, traversal)) {
                continue;
            }
            worker->counters.triangle_tests++;
            worker->counters.exact_tests++;
            if (td_exactly_intersects(traversal, a, b)) {
                td_found(worker, traversal, a, b);
            }
        }
    }
}

static float td_box_size(td_boxf box) {
    return box.half[0] + box.half[1] + box.half[2];
}

static void td_visit_pair(const td_stack_visit *visit, td_pair pair) {
    const td_traversal *traversal = visit->traversal;
    const bool same = traversal->self && pair.a == pair.b;
    const td_boxf box_a = td_node_box(traversal->a, pair.a), box_b = td_node_box(traversal->b, pair.b);
    visit->worker->counters.box_tests++;
    if (!same && !td_box_overlaps(box_a, box_b, visit->place)) {
        return;
    }
    const td_block *block_a = td_node_block(traversal->a, pair.a),
                   *block_b = td_node_block(traversal->b, pair.b);
    if (block_a->leaf && block_b->leaf) {
        td_test_leaves(visit, pair.a, pair.b);
    } else if (same) {
        td_push_blocks(visit, block_a->child[pair.a % 4], block_b->child[pair.b % 4]);
    } else if (block_b->leaf ||
               (!block_a->leaf && td_box_size(box_a) >= td_box_size(box_b) * visit->place.ratio)) {
        const uint32_t child = block_a->child[pair.a % 4];
        for (uint32_t i = traversal->a->blocks[child].node_count; i-- > 0;) {
            td_push(visit, td_node(child, i), pair.b);
        }
    } else {
        const uint32_t child = block_b->child[pair.b % 4];
        for (uint32_t j = traversal->b->blocks[child].node_count; j-- > 0;) {
            td_push(visit, pair.a, td_node(child, j));
        }
    }
}

static void td_stack_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                         size_t start_count) {
    const td_stack_visit visit = {worker, traversal, td_place_of(traversal->frame)};
    worker->stack.count = 0;
    for (size_t s = 0; s < start_count; ++s) {
        td_push_blocks(&visit, starts[s].a, starts[s].b);
        while (worker->stack.count > 0 && !td_worker_done(worker, traversal)) {
            td_visit_pair(&visit, worker->stack.items[--worker->stack.count]);
        }
    }
}

const td_strategy td_strategy_stack = {
    .name = "stack",
    .paper = "000 Fig. 2",
    .idea = "the classic stack of node pairs, one test at a time",
    .self = true,
    .start = td_start_at_blocks,
    .run = td_stack_run,
};
