// Cuts a traversal of post-order hierarchies into starts: opens pairs of nodes breadth first until there are
// enough. A pair is tested when it is opened, a start when a walk comes to it: every pair is tested once,
// however the work is cut.
#include "post_visit.h"

#include "../core/error.h"
#include "stack_walk.h"

typedef struct td_post_cut {
    td_post_visit visit;
    td_pair_list *starts;
    size_t next;   // pairs before it have been opened, or found apart
    size_t leaves; // ... but for the first so many: pairs of leaves, which are starts
} td_post_cut;

static bool td_is_leaf_pair(const td_post_visit *visit, td_pair pair) {
    return (visit->a.links[pair.a].kind & visit->b.links[pair.b].kind & TD_POST_LEAF) != 0;
}

static bool td_meets(const td_post_visit *visit, td_pair pair) {
    visit->worker->counters.box_tests++;
    return (visit->traversal->self && pair.a == pair.b) ||
           td_post_overlap(visit->a, visit->b, pair.a, pair.b, &visit->place, visit->volume);
}

// The pairs that follow from one pair, by the rules of stack_walk.h.
static td_result td_open_nodes(td_post_cut *cut, td_pair pair) {
    const td_post_visit *visit = &cut->visit;
    td_pair_list *starts = cut->starts;
    const size_t arity_a = visit->traversal->post_a->arity, arity_b = visit->traversal->post_b->arity;
    if (visit->traversal->self && pair.a == pair.b) {
        TD_TRY(td_array_reserve(visit->traversal->context, starts, arity_a * (arity_a + 1) / 2));
        starts->count +=
            td_push_children_with_themselves(pair.a, visit->a.links, starts->items + starts->count);
        return TD_OK;
    }
    TD_TRY(td_array_reserve(visit->traversal->context, starts, arity_a > arity_b ? arity_a : arity_b));
    td_pair *top = starts->items + starts->count;
    if (td_opens_a(visit->a, visit->b, pair.a, pair.b, &visit->place, visit->rule, visit->volume)) {
        starts->count += td_push_children_of_a(pair.a, pair.b, visit->a.links, top);
    } else {
        starts->count += td_push_children_of_b(pair.a, pair.b, visit->b.links, top);
    }
    return TD_OK;
}

td_result td_start_at_nodes(td_pair_list *starts, size_t wanted, td_worker *worker,
                            const td_traversal *traversal) {
    td_post_cut cut = {.visit = td_post_visit_begin(worker, traversal), .starts = starts};
    starts->count = 0;
    TD_TRY(worker->result);
    TD_TRY(td_array_reserve(traversal->context, starts, 1));
    starts->items[starts->count++] = (td_pair){0, 0};
    while (cut.next < starts->count && starts->count - cut.next + cut.leaves < wanted) {
        const td_pair pair = starts->items[cut.next++];
        if (td_is_leaf_pair(&cut.visit, pair)) {
            starts->items[cut.leaves++] = pair;
        } else if (td_meets(&cut.visit, pair)) {
            TD_TRY(td_open_nodes(&cut, pair));
        }
    }
    for (size_t i = cut.next; i < starts->count; ++i) {
        starts->items[cut.leaves++] = starts->items[i];
    }
    starts->count = cut.leaves;
    return TD_OK;
}
