// The classic stack of node pairs of paper 000, Fig. 2: the walk is in stack_walk.h, shared with the device.
// Pairs of leaves whose boxes overlap go to the exact predicate, some thousands at a time.
#include "post_visit.h"
#include "stack_walk.h"
#include "walk_device.h"

// Thin variants: the body is inlined, the volume and whether it is self-collision are constants in it.
typedef td_u32 td_stack_go_fn(td_stack_walk *walk, const td_post_visit *visit, td_pair *stack);

#define TD_STACK_VARIANT(name, volume, self)                                                                 \
    static td_u32 name(td_stack_walk *walk, const td_post_visit *visit, td_pair *stack) {                    \
        return td_stack_next(walk, visit->a, visit->b, &visit->place, visit->rule, volume, self, stack,      \
                             TD_STEPS_AT_ONCE);                                                              \
    }

TD_STACK_VARIANT(td_stack_go_aabb, TD_VOLUME_AABB, 0)
TD_STACK_VARIANT(td_stack_go_obb, TD_VOLUME_OBB, 0)
TD_STACK_VARIANT(td_stack_go_straight, TD_VOLUME_STRAIGHT, 0)
TD_STACK_VARIANT(td_stack_go_self_obb, TD_VOLUME_OBB, 1)
TD_STACK_VARIANT(td_stack_go_self_straight, TD_VOLUME_STRAIGHT, 1)

static td_stack_go_fn *td_stack_variant(const td_post_visit *visit) {
    if (visit->traversal->self) {
        return visit->volume == TD_VOLUME_OBB ? td_stack_go_self_obb : td_stack_go_self_straight;
    }
    return visit->volume == TD_VOLUME_OBB        ? td_stack_go_obb
           : visit->volume == TD_VOLUME_STRAIGHT ? td_stack_go_straight
                                                 : td_stack_go_aabb;
}

static void td_stack_walk_below(td_post_visit *visit, td_pair start) {
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    td_pair *stack = worker->stack.items;
    td_stack_walk walk;
    td_stack_begin(&walk, start.a, start.b, stack);
    td_u32 state = TD_WALK_GOING;
    td_stack_go_fn *const go = td_stack_variant(visit);
    while (state != TD_WALK_OVER && !td_worker_done(worker, traversal)) {
        state = go(&walk, visit, stack);
        worker->counters.box_tests += walk.box_tests;
        walk.box_tests = 0;
        if (state == TD_WALK_LEAVES) {
            td_post_visit_leaves(visit, walk.a, walk.b);
        }
    }
    td_note_state(worker, 64 * (uint64_t)walk.deepest);
}

// Each of the pairs on the way down leaves its siblings on the stack. A node that meets itself, at most once
// per level, leaves more.
static size_t td_stack_capacity(const td_traversal *traversal) {
    const td_postorder *a = traversal->post_a, *b = traversal->post_b;
    const size_t arity = a->arity > b->arity ? a->arity : b->arity;
    const size_t siblings = arity > 0 ? arity - 1 : 0;
    const size_t twins = traversal->self ? arity * (arity + 1) / 2 * a->height : 0;
    return siblings * ((size_t)a->height + b->height) + twins + 1;
}

static void td_stack_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                         size_t start_count) {
    td_post_visit visit = td_post_visit_begin(worker, traversal);
    worker->stack.count = 0;
    if (td_array_reserve(traversal->context, &worker->stack, td_stack_capacity(traversal)) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    for (size_t s = 0; s < start_count && !td_worker_done(worker, traversal); ++s) {
        td_stack_walk_below(&visit, starts[s]);
    }
    td_post_decide(&visit);
}

const td_strategy td_strategy_stack = {
    .name = "stack",
    .paper = "000 Fig. 2",
    .idea = "the classic stack of node pairs, one test at a time",
    .layout = TD_LAYOUT_POSTORDER,
    .self = true,
    .obb = true,
    .descents = true,
    .start = td_start_at_nodes,
    .run = td_stack_run,
    .run_on_device = td_stack_run_on_device,
};
