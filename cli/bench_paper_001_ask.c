// One frame asked about in one way.
#include "bench_measure.h"
#include "bench_paper_001_lanes.h"
#include "core/clock.h"

typedef struct td_moment {
    double ms, cpu_ms;
} td_moment;

// Nothing yet, but how long it took: what is found is hashed after that.
static td_lane_found td_found_since(td_moment start) {
    return (td_lane_found){.hash = 0xcbf29ce484222325u,
                           .known = true,
                           .ms = td_clock_ms() - start.ms,
                           .cpu_ms = td_bench_cpu_ms() - start.cpu_ms};
}

static uint64_t td_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    }
    return hash;
}

static void td_add_stages(td_operation_row *row, double refit, double boxes, double triangles,
                          uint32_t steps) {
    const double stages[TD_OPERATION_STAGES] = {refit, boxes, triangles};
    for (int i = 0; i < TD_OPERATION_STAGES; ++i) {
        row->stages[i] += stages[i] / steps;
    }
}

// `start` is when the new positions were given, `ms` what they took. Stages are added up with `measure`.
static td_result td_ask_discrete(td_lane_found *out, td_lane *lane, const td_lanes *lanes, td_moment start,
                                 double ms, bool measure) {
    td_operation_row *row = lane->row;
    td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    def.strategy = row->way;
    def.volume = row->volume;
    def.front = lane->front;
    def.device = row->place->device;
    def.measure = measure;
    const td_result result = td_self_collide(&answer, lane->query, lane->mesh, &def);
    *out = td_found_since(start);
    if (result == TD_OK) {
        out->count = answer.pair_count;
        for (uint64_t i = 0; i < answer.pair_count; ++i) {
            out->hash = td_hash_bytes(out->hash, &answer.pairs[i], sizeof answer.pairs[i]);
        }
    }
    if (result == TD_OK && measure) {
        const td_query_times times = td_last_times(lane->query);
        td_add_stages(row, ms + times.refit_ms, times.boxes_ms + times.collect_ms,
                      times.triangles_ms + times.exact_ms, lanes->steps);
        row->box_tests += (double)answer.counters.box_tests / lanes->steps;
        row->triangle_tests += (double)answer.counters.triangle_tests / lanes->steps;
    }
    return result;
}

static void td_hash_contacts(td_lane_found *out, const td_continuous_result *answer) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        out->count += answer->count[kind];
        for (uint64_t i = 0; i < answer->count[kind]; ++i) {
            const td_feature_contact *contact = &answer->contacts[kind][i];
            const uint32_t names[2] = {contact->a, contact->b};
            out->hash = td_hash_bytes(out->hash, names, sizeof names);
            out->hash = td_hash_bytes(out->hash, &contact->time, sizeof contact->time);
        }
    }
}

static td_result td_ask_continuous(td_lane_found *out, td_lane *lane, const td_lanes *lanes, uint32_t frame,
                                   td_moment start, double ms, bool measure) {
    td_operation_row *row = lane->row;
    const td_moving_mesh moving = {.mesh = lane->mesh,
                                   .positions = td_sequence_frame(lanes->sequence, frame),
                                   .scalar = TD_FLOAT64,
                                   .vertex_count = lanes->sequence->vertex_count};
    td_continuous_def def = td_default_continuous_def();
    td_continuous_result answer;
    def.strategy = row->way;
    def.volume = row->volume;
    def.front = lane->front;
    def.device = row->place->device;
    const td_result result = td_continuous_self(&answer, lane->moving, &moving, &def);
    *out = td_found_since(start);
    if (result == TD_OK) {
        td_hash_contacts(out, &answer);
    }
    if (result == TD_OK && measure) {
        const double tests = row->place->device ? 0 : answer.decide_ms / row->place->threads;
        td_add_stages(row, ms + answer.fit_ms, answer.walk_ms - tests, tests, lanes->steps);
        row->box_tests += (double)answer.counters.box_tests / lanes->steps;
        row->triangle_tests += (double)answer.counters.triangle_tests / lanes->steps;
    }
    return result;
}

td_result td_ask_lane(td_lane_found *out, td_refit_report *report, td_lane *lane, const td_lanes *lanes,
                      uint32_t frame, bool measure) {
    const uint32_t first = lane->continuous ? frame - 1 : frame;
    const td_moment start = {td_clock_ms(), td_bench_cpu_ms()};
    const td_result result = td_set_positions(report, lane->mesh, TD_FLOAT64,
                                              td_sequence_frame(lanes->sequence, first), 0, TD_REBUILD_NEVER);
    const double ms = td_clock_ms() - start.ms;
    if (result != TD_OK) {
        return result;
    }
    return lane->continuous ? td_ask_continuous(out, lane, lanes, frame, start, ms, measure)
                            : td_ask_discrete(out, lane, lanes, start, ms, measure);
}
