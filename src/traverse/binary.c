// The binary stack of paper 000: the walk is in binary_walk.h, shared with the device. Pairs of leaves whose
// boxes overlap go to the exact predicate, some thousands at a time.
#include "binary_walk.h"
#include "post_visit.h"
#include "walk_device.h"

// Thin variants: the body is inlined, the volume and whether it is self-collision are constants in it.
typedef td_u32 td_binary_go_fn(td_binary_walk *walk, const td_post_visit *visit, uint32_t *words);

#define TD_BINARY_VARIANT(name, volume, self)                                                                \
    static td_u32 name(td_binary_walk *walk, const td_post_visit *visit, uint32_t *words) {                  \
        return td_binary_next(walk, visit->a, visit->b, &visit->place, visit->rule, volume, self, words,     \
                              TD_STEPS_AT_ONCE);                                                             \
    }

TD_BINARY_VARIANT(td_binary_go_aabb, TD_VOLUME_AABB, 0)
TD_BINARY_VARIANT(td_binary_go_obb, TD_VOLUME_OBB, 0)
TD_BINARY_VARIANT(td_binary_go_straight, TD_VOLUME_STRAIGHT, 0)
TD_BINARY_VARIANT(td_binary_go_self_obb, TD_VOLUME_OBB, 1)
TD_BINARY_VARIANT(td_binary_go_self_straight, TD_VOLUME_STRAIGHT, 1)

static td_binary_go_fn *td_binary_variant(const td_post_visit *visit) {
    if (visit->traversal->self) {
        return visit->volume == TD_VOLUME_OBB ? td_binary_go_self_obb : td_binary_go_self_straight;
    }
    return visit->volume == TD_VOLUME_OBB        ? td_binary_go_obb
           : visit->volume == TD_VOLUME_STRAIGHT ? td_binary_go_straight
                                                 : td_binary_go_aabb;
}

static void td_binary_walk_below(td_post_visit *visit, td_pair start) {
    td_worker *worker = visit->worker;
    td_binary_go_fn *const go = td_binary_variant(visit);
    td_binary_walk walk;
    td_binary_begin(&walk, start.a, start.b);
    while (walk.state != TD_WALK_OVER && !td_worker_done(worker, visit->traversal)) {
        const td_u32 state = go(&walk, visit, worker->words.items);
        worker->counters.box_tests += walk.box_tests;
        walk.box_tests = 0;
        if (state == TD_WALK_LEAVES) {
            td_post_visit_leaves(visit, walk.a, walk.b);
        }
    }
    td_note_state(worker, 64 + walk.deepest);
}

static void td_binary_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                          size_t start_count) {
    td_post_visit visit = td_post_visit_begin(worker, traversal);
    const td_u32 words = td_binary_words(traversal->post_a->height, traversal->post_b->height);
    worker->words.count = 0;
    if (td_array_reserve(traversal->context, &worker->words, words) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    for (size_t s = 0; s < start_count && !td_worker_done(worker, traversal); ++s) {
        td_binary_walk_below(&visit, starts[s]);
    }
    td_post_decide(&visit);
}

const td_strategy td_strategy_binary = {
    .name = "binary",
    .paper = "000",
    .idea = "one bit per descent; escape indices and ancestor counters find the way back",
    .layout = TD_LAYOUT_POSTORDER,
    .self = true,
    .obb = true,
    .descents = true,
    .start = td_start_at_nodes,
    .run = td_binary_run,
    .run_on_device = td_binary_run_on_device,
};
