// Where the time of a native traversal goes, if it is to be taken (td_traversal.measure). Stages are nested:
// what an inner stage took is no part of the outer one.
#ifndef TD_TRAVERSE_STAGE_CLOCK_H
#define TD_TRAVERSE_STAGE_CLOCK_H

#include "../core/clock.h"
#include "traversal.h"

typedef struct td_stage_clock {
    bool runs;
    double start;
    double inner; // what had been taken by other stages before
} td_stage_clock;

static inline double td_time_of_stages(const td_query_times *times) {
    return times->boxes_ms + times->collect_ms + times->triangles_ms + times->exact_ms;
}

static inline td_stage_clock td_start_clock(const td_worker *worker, const td_traversal *traversal) {
    if (!traversal->measure) {
        return (td_stage_clock){0};
    }
    return (td_stage_clock){true, td_clock_ms(), td_time_of_stages(&worker->times)};
}

// Adds the time since the start to `stage`, one of the worker's times.
static inline void td_stop_clock(const td_stage_clock *clock, double *stage, const td_worker *worker) {
    if (clock->runs) {
        *stage += td_clock_ms() - clock->start - (td_time_of_stages(&worker->times) - clock->inner);
    }
}

static inline void td_decide_in_time(td_worker *worker, const td_traversal *traversal) {
    const td_stage_clock clock = td_start_clock(worker, traversal);
    td_decide(worker, traversal);
    td_stop_clock(&clock, &worker->times.exact_ms, worker);
}

#endif
