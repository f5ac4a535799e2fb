#include "post_visit.h"

#include "../core/clock.h"

enum { TD_LEAVES_AT = 4096 };

td_post_visit td_post_visit_begin(td_worker *worker, const td_traversal *traversal) {
    const td_postorder *a = traversal->post_a, *b = traversal->post_b;
    td_post_visit visit = {
        .worker = worker,
        .traversal = traversal,
        .a = {a->links, a->boxes, a->obbs},
        .b = {b->links, b->boxes, b->obbs},
        .place = td_place_of(traversal->frame),
        .rule = traversal->descent,
        .leaves_at = traversal->mode == TD_MODE_FIRST ? 1 : TD_LEAVES_AT, // nothing is put off
        .clock = traversal->measure ? td_clock_ms() : 0,
    };
    worker->leaves.count = 0;
    if (td_array_reserve(traversal->context, &worker->leaves, visit.leaves_at) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    return visit;
}

// Ends a stage: the time since the last one ended goes to `stage`.
static void td_end_stage(td_post_visit *visit, double *stage) {
    if (visit->traversal->measure) {
        const double now = td_clock_ms();
        *stage += now - visit->clock;
        visit->clock = now;
    }
}

static uint32_t td_leaf_triangle(const td_blocked *blocked, const td_postorder *post, uint32_t leaf) {
    const uint32_t at = post->links[leaf].child;
    return blocked->quads[at / 4].triangle[at % 4];
}

void td_post_decide(td_post_visit *visit) {
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    td_end_stage(visit, &worker->times.boxes_ms);
    for (size_t i = 0; i < worker->leaves.count && !td_worker_done(worker, traversal); ++i) {
        const td_pair leaves = worker->leaves.items[i];
        const uint32_t a = td_leaf_triangle(traversal->a, traversal->post_a, leaves.a);
        const uint32_t b = td_leaf_triangle(traversal->b, traversal->post_b, leaves.b);
        worker->counters.triangle_tests++;
        worker->counters.exact_tests++;
        if (td_exactly_intersects(traversal, a, b)) {
            td_found(worker, traversal, a, b);
        }
    }
    worker->leaves.count = 0;
    td_end_stage(visit, &worker->times.exact_ms);
}
