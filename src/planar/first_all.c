// The paper's step natively, phase by phase on all pairs: the reference. Rows of the triangle are shared out
// to threads; no result depends on how.
#include "../core/clock.h"
#include "../core/tasks.h"
#include "planar.h"

enum { TD_PAIRS_PER_TASK = 1 << 15 };

typedef void td_rows_fn(td_planar *planar, uint32_t from, uint32_t to);

typedef struct td_rows_work {
    td_planar *planar;
    td_rows_fn *run;
    uint32_t tasks;
} td_rows_work;

// Rows before which a share `part` of all pairs lies.
static uint32_t td_row_of_share(const td_planar *planar, uint32_t part, uint32_t parts) {
    return part == parts ? planar->size : (uint32_t)(planar->size * sqrt((double)part / parts));
}

static void td_run_rows(uint32_t item, void *payload) {
    const td_rows_work *work = payload;
    work->run(work->planar, td_row_of_share(work->planar, item, work->tasks),
              td_row_of_share(work->planar, item + 1, work->tasks));
}

static void td_for_rows(td_planar *planar, td_rows_fn *run) {
    const size_t tasks = 1 + planar->pairs.count / TD_PAIRS_PER_TASK;
    td_rows_work work = {.planar = planar, .run = run, .tasks = (uint32_t)tasks};
    if (tasks == 1 || td_context_thread_count(planar->context) == 1) {
        run(planar, 0, planar->size);
    } else {
        td_run_tasks(planar->context, td_run_rows, work.tasks, &work);
    }
}

// ---------------------------------------------------------------------------------------------------------

static void td_overlap_rows(td_planar *planar, uint32_t from, uint32_t to) {
    const double *boxes = planar->boxes;
    const uint32_t size = planar->size;
    for (uint32_t row = from; row < to; ++row) {
        td_u8 *restrict flags = planar->pairs.flags + td_triangle_at(row, 0); // a vector at a time
        for (uint32_t column = 0; column < row; ++column) {
            flags[column] = td_phase_overlap(boxes, size, row, column);
        }
    }
}

static void td_begin_rows(td_planar *planar, uint32_t from, uint32_t to) {
    for (uint32_t row = from; row < to; ++row) {
        td_u8 *levels = planar->pairs.flags + td_triangle_at(row, 0);
        double *times = planar->pairs.times + td_triangle_at(row, 0);
        for (uint32_t column = 0; column < row; ++column) {
            times[column] = TD_PLANAR_NEVER;
            if (levels[column]) {
                const td_planar_hit hit = td_phase_begin(planar->shapes, planar->motions, planar->corners,
                                                         planar->rules, row, column);
                times[column] = hit.time;
                levels[column] = (td_u8)hit.level;
            }
        }
    }
}

static void td_ask_rows(td_planar *planar, uint32_t from, uint32_t to, uint32_t questions) {
    for (uint32_t row = from; row < to; ++row) {
        td_u8 *levels = planar->pairs.flags + td_triangle_at(row, 0);
        double *times = planar->pairs.times + td_triangle_at(row, 0);
        for (uint32_t column = 0; column < row; ++column) {
            if (times[column] <= 1) {
                const td_planar_hit hit =
                    td_phase_halve((td_planar_hit){times[column], levels[column]}, questions, planar->shapes,
                                   planar->motions, planar->corners, planar->rules, row, column);
                times[column] = hit.time;
                levels[column] = (td_u8)hit.level;
            }
        }
    }
}

static void td_ask_once(td_planar *planar, uint32_t from, uint32_t to) {
    td_ask_rows(planar, from, to, 1);
}

static void td_ask_all(td_planar *planar, uint32_t from, uint32_t to) {
    td_ask_rows(planar, from, to, TD_QUESTIONS_PER_HALVING * planar->rules.halvings);
}

// All questions in one pass over the pairs, or one per pass: the paper's "inside" and "outside".
static void td_find_hits(td_planar *planar) {
    td_for_rows(planar, td_begin_rows);
    if (!planar->def.halve_outside) {
        td_for_rows(planar, td_ask_all);
        return;
    }
    for (uint32_t i = 0; i < TD_QUESTIONS_PER_HALVING * planar->rules.halvings; ++i) {
        td_for_rows(planar, td_ask_once);
    }
}

static void td_impulses(td_planar *planar, double first) {
    for (uint32_t row = 0; first <= 1 && row < planar->size; ++row) {
        const double *times = planar->pairs.times + td_triangle_at(row, 0);
        for (uint32_t column = 0; column < row; ++column) {
            if (times[column] == first) {
                td_phase_impulse(planar->struck, planar->marks, planar->pairs.times, planar->shapes,
                                 planar->motions, planar->corners, planar->rules, first, row, column);
            }
        }
    }
}

static double td_lap(td_planar *planar, td_planar_phase phase, double start) {
    const double now = td_clock_ms();
    planar->ms[phase] += now - start;
    return now;
}

td_result td_step_first_of_all(td_planar *planar) {
    double at = td_clock_ms();
    for (uint32_t i = 0; i < planar->size; ++i) {
        td_phase_update(planar->boxes, planar->shapes, planar->motions, planar->corners, planar->rules, i);
    }
    at = td_lap(planar, TD_PHASE_UPDATE, at);
    td_for_rows(planar, td_overlap_rows);
    at = td_lap(planar, TD_PHASE_OVERLAP, at);
    td_find_hits(planar);
    at = td_lap(planar, TD_PHASE_HITS, at);
    const double first = td_reduce_pairs(planar, planar->def.reduction);
    at = td_lap(planar, TD_PHASE_REDUCTION, at);
    td_impulses(planar, first);
    at = td_lap(planar, TD_PHASE_IMPULSE, at);
    for (uint32_t i = 0; i < planar->count; ++i) {
        td_phase_forward(planar->motions, planar->tallies, planar->marks, planar->struck, planar->shapes,
                         planar->rules, first, i);
    }
    planar->clock = td_phase_tick(planar->clock, planar->rules, first);
    td_lap(planar, TD_PHASE_FORWARD, at);
    return TD_OK;
}
