// A step on a device (step.h). With a prediction nothing waits between its kernels: the host puts them all
// into the queue, as many work-items as predicted, and reads the counters and the hits behind them. If an
// append buffer was too small, all is put there once more with room enough, or what is missing is counted.
#include "device.h"

#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "per_vertex.h"

#include <stdlib.h>
#include <string.h>

enum { TD_LEAST_ROOM = 256, TD_MOST_ATTEMPTS = 8 };

td_result td_create_trace_device(td_tracer *tracer) {
    td_trace_device *on = TD_NEW(tracer->context, td_trace_device, 1);
    if (on == NULL) {
        return TD_ERROR_MEMORY;
    }
    *on = (td_trace_device){.device = td_device_retain(tracer->def.device)};
    tracer->device = on;
    td_device_info info;
    td_device_describe(&info, on->device);
    return td_choose_trace_kernels(tracer, info.kind == TD_DEVICE_CPU);
}

void td_destroy_trace_device(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    if (on == NULL) {
        return;
    }
    for (int i = 0; i < TD_TRACE_BUFFERS; ++i) {
        td_buffer_release(on->device, &on->buffers[i]);
        td_array_release(tracer->context, &on->sent[i]);
    }
    td_array_release(tracer->context, &on->placed);
    td_array_release(tracer->context, &on->shapes);
    td_array_release(tracer->context, &on->objects);
    td_array_release(tracer->context, &on->pairs);
    td_array_release(tracer->context, &on->classes);
    td_array_release(tracer->context, &on->hits);
    for (int i = 0; i < TD_POOLS; ++i) {
        td_array_release(tracer->context, &on->pools[i].free);
    }
    td_array_release(tracer->context, &on->free_records);
    td_destroy_device(on->device);
    TD_DELETE(tracer->context, td_trace_device, on, 1);
    tracer->device = NULL;
}

void td_forget_trace_device(td_tracer *tracer) {
    if (tracer->device != NULL) {
        tracer->device->has_last = false;
        tracer->device->distrust = true;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Pairs

static uint32_t td_chunks_of(const td_side *side) {
    return (td_rays_of(side->source, side->source_around) + TD_STEP_GROUP - 1) / TD_STEP_GROUP;
}

// *chunks: of all rays there can be.
static td_result td_send_pairs(td_tracer *tracer, uint64_t *chunks) {
    td_trace_device *on = tracer->device;
    const size_t count = tracer->sides.count / 2;
    on->pairs.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &on->pairs, count));
    for (size_t i = 0; i < count; ++i) {
        const td_side *side = &tracer->sides.items[2 * i];
        const td_side_memory *a = side[0].memory, *b = side[1].memory;
        *chunks += td_chunks_of(&side[0]) + td_chunks_of(&side[1]);
        on->pairs.items[on->pairs.count++] =
            (td_step_pair){.margin = side->margin,
                           .touch = {side[0].touch, side[1].touch},
                           .reach = {side[0].reach, side[1].reach},
                           .object = {side->source_object, side->target_object},
                           .slot = {a->slot, b->slot},
                           .walkable = {side[0].walkable, side[1].walkable},
                           .record = side->pair->record,
                           .fresh = !a->known || !b->known};
    }
    if (*chunks > UINT32_MAX / TD_STEP_GROUP) {
        return td_fail(TD_ERROR_UNSUPPORTED, "more than 2^32 rays in a step");
    }
    TD_TRY(td_send_array(tracer, TD_BUFFER_PAIRS, on->pairs.items, count * sizeof *on->pairs.items));
    TD_TRY(td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_CLASSES], (count + 1) * sizeof(uint32_t), 0));
    return td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_SIDES],
                             (2 * count + 1) * sizeof(td_step_side), 0);
}

// ---------------------------------------------------------------------------------------------------------
// An attempt

// Exact numbers are waited for.
static td_result td_ask_counts(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    ++on->waits;
    return td_buffer_read(on->device, on->counts, &on->buffers[TD_BUFFER_COUNTS], 0, sizeof on->counts);
}

static uint32_t td_least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static td_result td_launch_rays(td_tracer *tracer, td_step_rules rules, td_traced_algorithm algorithm,
                                uint32_t rays) {
    rules.end = rules.first + rays; // groups are whole: there are more work-items than that
    return algorithm == TD_TRACED_ITERATIVE ? td_launch_iterative(tracer, rules, rays)
                                            : td_launch_full(tracer, rules, algorithm, rays);
}

// As many rays as are known to be there, or predicted.
static td_result td_launch_list(td_tracer *tracer, td_step_rules rules, td_traced_algorithm algorithm,
                                bool exact) {
    td_trace_device *on = tracer->device;
    const uint32_t room = rules.room[1 + algorithm],
                   rays = exact ? on->counts[TD_SUM_BVH + algorithm] : on->work[algorithm];
    on->done[algorithm] = td_least(rays, room);
    return td_launch_rays(tracer, rules, algorithm, on->done[algorithm]);
}

static td_result td_launch_steps(td_tracer *tracer, td_step_rules rules, bool exact) {
    td_trace_device *on = tracer->device;
    TD_TRY(td_launch_pairs(tracer, rules));
    if (exact) {
        TD_TRY(td_ask_counts(tracer));
    }
    const uint32_t chunks = exact ? td_least(on->counts[TD_SUM_CHUNKS], rules.room[0]) : rules.room[0];
    if (tracer->def.naive) {
        return td_launch_naive(tracer, rules, chunks);
    }
    TD_TRY(td_launch_vertices(tracer, rules, chunks));
    if (exact) {
        TD_TRY(td_ask_counts(tracer));
    }
    TD_TRY(td_launch_list(tracer, rules, TD_TRACED_ITERATIVE, exact));
    if (exact && on->counts[TD_SUM_ITERATIVE] > 0) {
        TD_TRY(td_ask_counts(tracer));
    }
    TD_TRY(td_launch_list(tracer, rules, TD_TRACED_BVH, exact));
    return td_launch_list(tracer, rules, TD_TRACED_BASIC, exact);
}

// What is in the lists beyond the work that was started: the rest of it. *any: there was some.
static td_result td_launch_rest(td_tracer *tracer, td_step_rules rules, bool *any) {
    td_trace_device *on = tracer->device;
    *any = false;
    for (uint32_t k = TD_TRACED_ALGORITHMS;
         k-- > 0 && !tracer->def.naive;) { // the iterative ones may leave some
        const uint32_t count = td_least(on->counts[TD_SUM_BVH + k], rules.room[1 + k]);
        if (count > on->done[k]) {
            rules.first = on->done[k];
            TD_TRY(td_launch_rays(tracer, rules, (td_traced_algorithm)k, count - on->done[k]));
            on->done[k] = count;
            *any = true;
        }
    }
    return TD_OK;
}

static td_result td_reserve_lists(td_tracer *tracer, const td_step_rules *rules) {
    td_trace_device *on = tracer->device;
    TD_TRY(td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_CHUNKS],
                             ((size_t)rules->room[0] + 1) * sizeof(td_step_ray), 0));
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        TD_TRY(td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_BVH + k],
                                 ((size_t)rules->room[1 + k] + 1) * sizeof(td_step_ray), 0));
    }
    TD_TRY(td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_HITS],
                             ((size_t)rules->room[4] + 1) * sizeof(td_step_hit), 0));
    TD_TRY(td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_COUNTS], TD_SUMS * sizeof(uint32_t), 0));
    return td_buffer_fill(on->device, &on->buffers[TD_BUFFER_COUNTS], 0, TD_SUMS, 0);
}

// Counters, classes and as many hits as there is room for, all asked for together and waited for once.
static td_result td_read_back(td_tracer *tracer, const td_step_rules *rules) {
    td_trace_device *on = tracer->device;
    const size_t pairs = rules->pair_count;
    on->classes.count = on->hits.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &on->classes, pairs));
    TD_TRY(td_array_reserve(tracer->context, &on->hits, rules->room[4]));
    td_device_ticket tickets[3] = {{0}};
    td_result result = td_buffer_read_begin(&tickets[0], on->device, on->counts,
                                            &on->buffers[TD_BUFFER_COUNTS], 0, sizeof on->counts);
    if (result == TD_OK && pairs > 0) {
        result = td_buffer_read_begin(&tickets[1], on->device, on->classes.items,
                                      &on->buffers[TD_BUFFER_CLASSES], 0, pairs * sizeof *on->classes.items);
    }
    if (result == TD_OK && rules->room[4] > 0) {
        result = td_buffer_read_begin(&tickets[2], on->device, on->hits.items, &on->buffers[TD_BUFFER_HITS],
                                      0, rules->room[4] * sizeof *on->hits.items);
    }
    ++on->waits;
    for (int i = 0; i < 3; ++i) {
        const td_result ended = td_buffer_read_end(on->device, &tickets[i]);
        result = result == TD_OK ? ended : result;
    }
    on->classes.count = pairs;
    on->hits.count = td_least(on->counts[TD_SUM_HITS], rules->room[4]);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Room

static const uint32_t td_counter_of_room[5] = {TD_SUM_CHUNKS, TD_SUM_BVH, TD_SUM_BASIC, TD_SUM_ITERATIVE,
                                               TD_SUM_HITS};

// By Eq. 1 or 2; of buffers whose numbers are waited for, twice the last number.
static uint32_t td_expect(const td_tracer *tracer, uint32_t room, uint64_t pairs, bool exact) {
    const td_trace_device *on = tracer->device;
    if (!on->has_last) {
        return TD_LEAST_ROOM;
    }
    const double last = on->counts[td_counter_of_room[room]];
    if (exact || room == 4) {
        return (uint32_t)fmin(2 * last + TD_LEAST_ROOM, 1e9);
    }
    const bool grows = tracer->def.prediction == TD_PREDICT_PAIRS && on->last_pairs > 0;
    const double growth = grows ? (double)pairs / (double)on->last_pairs : 1;
    return (uint32_t)fmin(ceil(last * growth * tracer->def.confidence), 1e9);
}

// Buffers are larger than the work that is predicted (paper 003, section 4.2): what is beyond the prediction
// need only be added to it, unless it is to be ignored.
static void td_predict_rooms(td_step_rules *rules, td_tracer *tracer, uint64_t chunks, bool exact) {
    td_trace_device *on = tracer->device;
    for (uint32_t k = 0; k < 5; ++k) {
        rules->room[k] = td_expect(tracer, k, rules->pair_count, exact);
    }
    for (uint32_t k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        on->work[k] = rules->room[1 + k];
        if (tracer->def.shortfall == TD_SHORTFALL_BACKTRACK && on->work[k] < 500000000) {
            rules->room[1 + k] = 2 * on->work[k] + TD_LEAST_ROOM;
        }
    }
    // Chunks are never missed; without a prediction, none is needed.
    if (exact || !on->has_last || tracer->def.shortfall == TD_SHORTFALL_IGNORE || rules->room[0] > chunks) {
        rules->room[0] = (uint32_t)chunks;
    }
    for (uint32_t k = 0; k < TD_TRACED_ALGORITHMS && !exact && on->has_last; ++k) {
        tracer->report.predicted[k] = on->work[k];
    }
}

// What was too small becomes large enough. False: nothing was.
static bool td_grow_rooms(td_step_rules *rules, td_tracer *tracer) {
    bool grown = false;
    for (uint32_t k = 0; k < 5; ++k) {
        const uint32_t count = tracer->device->counts[td_counter_of_room[k]];
        const bool ignored = tracer->def.shortfall == TD_SHORTFALL_IGNORE && k >= 1 && k <= 3 &&
                             tracer->device->has_last && tracer->def.prediction != TD_PREDICT_EXACT;
        const bool unused = tracer->def.naive && k >= 1 && k <= 3;
        if (count > rules->room[k] && !ignored && !unused) {
            rules->room[k] = count;
            if (k >= 1 && k <= 3) {
                tracer->device->work[k - 1] = count;
            }
            grown = true;
        }
    }
    return grown;
}

static void td_count_missed(td_tracer *tracer, const td_step_rules *rules) {
    for (uint32_t k = 1; k <= 3 && !tracer->def.naive; ++k) {
        const uint32_t count = tracer->device->counts[td_counter_of_room[k]];
        tracer->report.missed += count > rules->room[k] ? count - rules->room[k] : 0;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Hits

static int td_compare_hits(const void *x, const void *y) {
    const td_step_hit *a = x, *b = y;
    if (a->side != b->side) {
        return a->side < b->side ? -1 : 1;
    }
    return a->number < b->number ? -1 : 1;
}

// Appended in any order; the order of sides and rays is the answer's.
static td_result td_take_hits(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    for (size_t i = 0; i < on->classes.count; ++i) {
        if (on->classes.items[i] == TD_CLASS_STILL) {
            continue; // known, and with the hits of the last step
        }
        for (int s = 0; s < 2; ++s) {
            td_side_memory *memory = tracer->sides.items[2 * i + (size_t)s].memory;
            memory->hits.count = 0;
            memory->known = true;
        }
    }
    qsort(on->hits.items, on->hits.count, sizeof *on->hits.items, td_compare_hits);
    for (size_t i = 0; i < on->hits.count; ++i) {
        const td_step_hit *from = &on->hits.items[i];
        td_side *side = &tracer->sides.items[from->side];
        td_trace_hit hit = {
            .t = from->t, .triangle = from->triangle, .state = from->state, .side = from->met};
        if (hit.state == TD_TRACE_HANDED) {
            const td_trace_ray ray = td_ray_of_side(side, from->number);
            hit = td_cast_alone(side, &ray);
            ++tracer->report.handed;
        }
        td_pass_entry(tracer, side, from->number, &hit);
        if (td_hit_counts(side, from->number, &hit)) {
            TD_TRY(td_array_reserve(tracer->context, &side->memory->hits, 1));
            side->memory->hits.items[side->memory->hits.count++] =
                (td_side_hit){from->number, hit.triangle, hit.t};
        }
    }
    return TD_OK;
}

static void td_report_counts(td_tracer *tracer) {
    const td_trace_device *on = tracer->device;
    td_traced_report *report = &tracer->report;
    uint64_t classes[4] = {0};
    for (size_t i = 0; i < on->classes.count; ++i) {
        ++classes[on->classes.items[i]];
    }
    report->pairs_still = classes[TD_CLASS_STILL];
    report->pairs_small = classes[TD_CLASS_SMALL];
    report->pairs_high = classes[TD_CLASS_HIGH];
    report->pairs_deformable = classes[TD_CLASS_DEFORMABLE];
    report->vertices = on->counts[TD_SUM_VERTICES];
    report->dropped_bounds = on->counts[TD_SUM_BOUNDS];
    report->dropped_temporal = on->counts[TD_SUM_TEMPORAL];
    for (uint32_t k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        report->rays[k] = on->counts[TD_SUM_BVH + k];
    }
    for (uint32_t k = 0; k < 2; ++k) {
        const uint32_t fallbacks = on->counts[TD_SUM_FALLBACKS + k];
        report->fallbacks += fallbacks;
        report->rays[k] -= tracer->def.naive ? 0 : fallbacks; // lists hold them, too
    }
    report->open = on->counts[TD_SUM_OPEN];
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_attempt(td_tracer *tracer, td_step_rules *rules, bool exact) {
    bool more = false;
    for (int attempt = 0; attempt < TD_MOST_ATTEMPTS; ++attempt) {
        if (!more) {
            TD_TRY(td_reserve_lists(tracer, rules));
            TD_TRY(td_launch_steps(tracer, *rules, exact));
        }
        const double start = td_clock_ms();
        TD_TRY(td_read_back(tracer, rules));
        tracer->report.copy_ms += td_clock_ms() - start;
        more = false;
        if (!td_grow_rooms(rules, tracer)) {
            TD_TRY(td_launch_rest(tracer, *rules, &more));
            if (!more) {
                return TD_OK;
            }
        }
        ++tracer->report.retries;
    }
    return td_fail(TD_ERROR_DEVICE, "append buffers were too small %d times in one step", TD_MOST_ATTEMPTS);
}

static td_result td_step_on_device(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    const bool exact = tracer->def.prediction == TD_PREDICT_EXACT || !on->has_last;
    uint64_t chunks = 0;
    td_step_rules rules = {.pair_count = (uint32_t)(tracer->sides.count / 2),
                           .iterative = tracer->def.iterative,
                           .step = (uint32_t)tracer->step,
                           .trust_still = !on->distrust};
    const double start = td_clock_ms();
    TD_TRY(td_send_meshes(tracer));
    TD_TRY(td_give_slots(tracer));
    TD_TRY(td_send_pairs(tracer, &chunks));
    tracer->report.copy_ms += td_clock_ms() - start;
    td_predict_rooms(&rules, tracer, chunks, exact);
    TD_TRY(td_attempt(tracer, &rules, exact));
    TD_TRY(td_launch_commit(tracer, rules));
    td_count_missed(tracer, &rules);
    td_report_counts(tracer);
    on->last_pairs = rules.pair_count;
    on->has_last = true;
    on->distrust = tracer->report.missed > 0;
    return td_take_hits(tracer);
}

td_result td_run_on_trace_device(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    const uint64_t launches = on->launches, waits = on->waits;
    td_device_time_kernels(on->device, tracer->def.measure);
    const td_result result = td_step_on_device(tracer);
    td_device_time_kernels(on->device, true);
    tracer->report.launches = on->launches - launches;
    tracer->report.waits = on->waits - waits;
    return result;
}
