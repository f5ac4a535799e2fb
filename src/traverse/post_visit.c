#include "post_visit.h"

#include "../core/clock.h"
#include "swept_walk.h"

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
        .volume = traversal->volume == TD_VOLUME_OBB ? TD_VOLUME_OBB
                  : td_in_one_frame(traversal)       ? TD_VOLUME_STRAIGHT
                                                     : TD_VOLUME_AABB,
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

static void td_post_decide_exactly(td_worker *worker, const td_traversal *traversal) {
    for (size_t i = 0; i < worker->leaves.count && !td_worker_done(worker, traversal); ++i) {
        const td_pair pair = td_triangles_of_leaves(traversal, worker->leaves.items[i]);
        worker->counters.triangle_tests++;
        worker->counters.exact_tests++;
        if (td_exactly_intersects(traversal, pair.a, pair.b)) {
            td_found(worker, traversal, pair.a, pair.b);
        }
    }
}

void td_post_decide(td_post_visit *visit) {
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    td_end_stage(visit, &worker->times.boxes_ms);
    if (traversal->moving != NULL) {
        td_swept_decide_leaves(worker, traversal);
    } else {
        td_post_decide_exactly(worker, traversal);
    }
    worker->leaves.count = 0;
    td_end_stage(visit, &worker->times.exact_ms);
}
