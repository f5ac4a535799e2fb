// Questions answered one after the other, each starting from the front that the one before it left behind.
#include "../core/clock.h"
#include "../core/error.h"
#include "front.h"

static td_result td_answer_warm(const td_collision *collision, size_t question) {
    td_query *query = collision->query;
    td_front *front = collision->def->front;
    const double begin = td_clock_ms();
    const td_object_pair pair = td_question(collision, question);
    const td_frame frame = td_question_frame(collision, &pair);
    const td_traversal traversal = td_question_traversal(collision, &pair, &frame);
    front->report = (td_front_report){.start = TD_FRONT_NONE, .entries = td_front_entries(front)};
    if (frame.apart || !frame.usable) {
        return td_answer_shared(collision, question);
    }
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker_begin(&query->workers[i]);
    }
    const size_t first = query->workers[0].pairs.count;
    uint64_t count;
    td_counters counters;
    const td_front_question step = {.traversal = &traversal,
                                    .a = pair.a,
                                    .b = pair.b,
                                    .workers = query->workers,
                                    .worker_stride = sizeof *query->workers,
                                    .worker_count = query->worker_count};
    TD_TRY(td_step_front(front, &step));
    const td_result result = td_gather(collision, &pair, &count, &counters, first);
    if (result != TD_OK) {
        td_reset_front(front);
        return result;
    }
    td_fill_result(&collision->out[question], collision, &pair, &frame, count, counters);
    collision->out[question].ms = td_clock_ms() - begin;
    query->places.items[question] = (td_place){0, first};
    return TD_OK;
}

td_result td_answer_at_front(const td_collision *collision) {
    td_begin_workers(collision->query);
    for (size_t question = 0; question < collision->count; ++question) {
        TD_TRY(td_report_progress(collision->def, question, collision->count));
        TD_TRY(td_answer_warm(collision, question));
    }
    TD_TRY(td_report_progress(collision->def, collision->count, collision->count));
    td_end_workers(collision);
    return TD_OK;
}
