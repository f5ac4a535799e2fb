// Natively a round has two calls per row: one that is timed as a whole, and one that takes the time of every
// stage, which costs time itself. A device tells its stages for free.
#include "bench_measure.h"

#include "core/clock.h"
#include "median.h"
#include "message.h"
#include "query/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------------------
// What was found

// FNV-1a, a word at a time.
static uint64_t td_hash_word(uint64_t hash, uint64_t word) {
    return (hash ^ word) * 0x100000001b3u;
}

typedef struct td_bench_found {
    uint64_t pairs, hash;
    uint32_t colliding;
    td_counters counters;
} td_bench_found;

// Everything in an answer that does not depend on how it was found.
static td_bench_found td_sum_up(const td_collide_result *results, uint32_t count) {
    td_bench_found found = {.hash = 0xcbf29ce484222325u};
    for (uint32_t i = 0; i < count; ++i) {
        const td_collide_result *result = &results[i];
        found.pairs += result->pair_count;
        found.colliding += result->colliding;
        found.hash = td_hash_word(found.hash, result->pair_count);
        found.hash = td_hash_word(found.hash, (uint64_t)result->inside);
        for (uint64_t k = 0; k < result->pair_count; ++k) {
            found.hash = td_hash_word(found.hash, (uint64_t)result->pairs[k].a << 32 | result->pairs[k].b);
        }
        found.counters.box_tests += result->counters.box_tests;
        found.counters.triangle_tests += result->counters.triangle_tests;
        found.counters.exact_tests += result->counters.exact_tests;
        if (result->counters.bytes > found.counters.bytes) {
            found.counters.bytes = result->counters.bytes;
        }
        if (result->counters.state_bits > found.counters.state_bits) {
            found.counters.state_bits = result->counters.state_bits;
        }
    }
    return found;
}

static bool td_check_same(const td_bench_row *row, const td_bench_found *found, const td_bench_row *first,
                          uint32_t first_colliding) {
    if (found->hash == first->hash && found->pairs == first->pairs && found->colliding == first_colliding) {
        return true;
    }
    char name[TD_BENCH_ROW_NAME], other[TD_BENCH_ROW_NAME];
    td_bench_row_name(name, row);
    td_bench_row_name(other, first);
    if (found->pairs != first->pairs) {
        td_cli_error("rows disagree: '%s' found %llu pairs of triangles, '%s' %llu; expected one answer",
                     other, (unsigned long long)first->pairs, name, (unsigned long long)found->pairs);
    } else {
        td_cli_error("rows disagree: '%s' and '%s' found %llu pairs of triangles each, but not the same ones",
                     other, name, (unsigned long long)found->pairs);
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------------
// Bounds

static bool td_find_storage(td_bench_storage *out, td_bench_rows *rows, const td_bench_scene *scene) {
    *out = (td_bench_storage){0};
    for (uint32_t i = 0; i < rows->count; ++i) {
        const char *name = td_strategy_name(rows->rows[i].strategy);
        out->known = out->known || strcmp(name, "stack") == 0 || strcmp(name, "binary") == 0;
    }
    if (!out->known) {
        return true;
    }
    if (td_mesh_prepare_postorder(scene->a, TD_VOLUME_AABB) != TD_OK ||
        td_mesh_prepare_postorder(scene->b, TD_VOLUME_AABB) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    const td_postorder *a = &scene->a->late->post, *b = &scene->b->late->post;
    out->height_a = a->height;
    out->height_b = b->height;
    out->arity = a->arity > b->arity ? a->arity : b->arity;
    out->bounds = td_storage_bounds(a, b);
    for (uint32_t i = 0; i < rows->count; ++i) {
        td_bench_row *row = &rows->rows[i];
        const char *name = td_strategy_name(row->strategy);
        row->state_bound = strcmp(name, "binary") == 0  ? out->bounds.binary
                           : strcmp(name, "stack") == 0 ? out->bounds.stack
                                                        : 0;
    }
    return true;
}

static bool td_check_bound(const td_bench_row *row) {
    if (row->state_bound == 0 || row->counters.state_bits <= row->state_bound) {
        return true;
    }
    char name[TD_BENCH_ROW_NAME];
    td_cli_error("'%s' had to remember %llu bits for one object pair: expected at most %llu by paper 000",
                 td_bench_row_name(name, row), (unsigned long long)row->counters.state_bits,
                 (unsigned long long)row->state_bound);
    return false;
}

// ---------------------------------------------------------------------------------------------------------
// Times

double td_bench_cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

typedef struct td_bench_run {
    td_bench_rows *rows;
    td_cli_session *session;
    const td_bench_scene *scene;
    td_collide_result *results; // per object pair, of the last call
    uint64_t done, calls;       // for the progress line
} td_bench_run;

// One call; `out` gets what it took.
static bool td_answer_scene(td_bench_run *run, td_bench_row *row, bool measure, td_bench_sample *out) {
    td_progress_fn *show = td_cli_progress_function(&run->session->progress);
    if (show) {
        show(run->done, run->calls, &run->session->progress);
    }
    ++run->done;
    double *times = out->times;
    row->def.measure = measure;
    const double cpu = td_bench_cpu_ms(), began = td_clock_ms();
    const td_result result =
        td_collide_pairs(run->results, row->query, run->scene->pairs, run->scene->pair_count, &row->def);
    times[TD_BENCH_TOTAL] = td_clock_ms() - began;
    times[TD_BENCH_CPU] = td_bench_cpu_ms() - cpu;
    if (result != TD_OK) {
        char name[TD_BENCH_ROW_NAME];
        td_cli_library_error(td_bench_row_name(name, row));
        return false;
    }
    const td_query_times stages = td_last_times(row->query);
    times[TD_BENCH_BOXES] = stages.boxes_ms;
    times[TD_BENCH_COLLECT] = stages.collect_ms;
    times[TD_BENCH_TRIANGLES] = stages.triangles_ms;
    times[TD_BENCH_EXACT] = stages.exact_ms;
    times[TD_BENCH_COPY_IN] = stages.copy_in_ms;
    times[TD_BENCH_COPY_OUT] = stages.copy_out_ms;
    times[TD_BENCH_STAGES] = stages.boxes_ms + stages.collect_ms + stages.triangles_ms + stages.exact_ms;
    return true;
}

static bool td_check_answer(td_bench_run *run, td_bench_row *row, bool first_time) {
    const td_bench_found found = td_sum_up(run->results, run->scene->pair_count);
    if (first_time) {
        row->pairs = found.pairs;
        row->hash = found.hash;
        row->colliding = found.colliding;
        row->counters = found.counters;
    } else if (found.counters.state_bits > row->counters.state_bits) {
        row->counters.state_bits = found.counters.state_bits; // how work is shared out may differ by call
    }
    const td_bench_row *first = &run->rows->rows[0];
    return td_check_same(row, &found, first, first->colliding) && td_check_bound(row);
}

static bool td_run_row(td_bench_run *run, td_bench_row *row, uint32_t round) {
    td_bench_sample sample = {0};
    if (!td_answer_scene(run, row, false, &sample) || !td_check_answer(run, row, false)) {
        return false;
    }
    if (!row->place->device) {
        td_bench_sample staged = {0};
        if (!td_answer_scene(run, row, true, &staged) || !td_check_answer(run, row, false)) {
            return false;
        }
        staged.times[TD_BENCH_TOTAL] = sample.times[TD_BENCH_TOTAL];
        staged.times[TD_BENCH_CPU] = sample.times[TD_BENCH_CPU];
        sample = staged;
    }
    row->samples[round] = sample;
    return true;
}

// Ratios are taken within a round, where both sides had the same neighbours on the machine.
static void td_find_ratios(td_bench_sample *sample, const td_bench_sample *reference) {
    const double *own = sample->times;
    sample->times[TD_BENCH_RATIO] = reference ? own[TD_BENCH_TOTAL] / reference->times[TD_BENCH_TOTAL] : NAN;
    sample->times[TD_BENCH_CPU_RATIO] = reference ? own[TD_BENCH_CPU] / reference->times[TD_BENCH_CPU] : NAN;
}

// `column` has room for a number per round.
static void td_find_medians(td_bench_rows *rows, double *column) {
    const td_bench_row *reference = rows->reference < rows->count ? &rows->rows[rows->reference] : NULL;
    for (uint32_t i = 0; i < rows->count; ++i) {
        td_bench_row *row = &rows->rows[i];
        for (uint32_t round = 0; round < rows->rounds; ++round) {
            td_find_ratios(&row->samples[round], reference ? &reference->samples[round] : NULL);
        }
        for (int k = 0; k < TD_BENCH_TIMES; ++k) {
            for (uint32_t round = 0; round < rows->rounds; ++round) {
                column[round] = row->samples[round].times[k];
            }
            row->median[k] = td_cli_median(column, rows->rounds);
        }
    }
}

static bool td_warm_up(td_bench_run *run) {
    for (uint32_t i = 0; i < run->rows->count; ++i) {
        td_bench_sample cold = {0};
        if (!td_answer_scene(run, &run->rows->rows[i], false, &cold) ||
            !td_check_answer(run, &run->rows->rows[i], true)) {
            return false;
        }
    }
    return true;
}

static bool td_run_rounds(td_bench_run *run) {
    for (uint32_t round = 0; round < run->rows->rounds; ++round) {
        for (uint32_t i = 0; i < run->rows->count; ++i) {
            if (!td_run_row(run, &run->rows->rows[i], round)) {
                return false;
            }
        }
    }
    return true;
}

bool td_bench_measure(td_bench_rows *rows, td_bench_storage *storage, td_cli_session *session,
                      const td_bench_scene *scene) {
    if (!td_find_storage(storage, rows, scene)) {
        return false;
    }
    td_bench_run run = {.rows = rows, .session = session, .scene = scene};
    run.results = malloc(scene->pair_count * sizeof *run.results);
    double *column = malloc(rows->rounds * sizeof *column);
    for (uint32_t i = 0; i < rows->count; ++i) {
        run.calls += 1 + (rows->rows[i].place->device ? 1u : 2u) * (uint64_t)rows->rounds;
    }
    td_cli_progress_stage(&session->progress, "measuring %u rows, %u rounds", rows->count, rows->rounds);
    bool success = run.results && column;
    if (!success) {
        td_cli_error("out of memory for the results of %u object pairs", scene->pair_count);
    }
    success = success && td_warm_up(&run) && td_run_rounds(&run);
    if (success) {
        td_find_medians(rows, column);
    }
    free(column);
    free(run.results);
    return success;
}
