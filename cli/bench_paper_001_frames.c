// Figs. 8 and 9: self-collisions frame by frame, in every way, refit included; and the native refits of
// Fig. 7.
//
// Every way has a mesh of its own that follows the frames; the ways take turns at every frame. A frame is
// asked about as it is (discrete), and on the way to it from the one before (continuous).
#include "bench_paper_001_lanes.h"
#include "median.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Ways

static bool td_open_lane(td_lanes *lanes, const char *operation, const char *way, td_volume volume,
                         const td_bench_place *place) {
    td_lane *lane = &lanes->lanes[lanes->count++];
    const size_t samples = (size_t)lanes->steps * lanes->rounds;
    *lane = (td_lane){.row = td_add_operation(lanes->scene, operation, way, volume, place),
                      .continuous = strcmp(operation, "continuous") == 0,
                      .ms = calloc(samples, sizeof *lane->ms),
                      .cpu_ms = calloc(samples, sizeof *lane->cpu_ms)};
    if (!lane->ms || !lane->cpu_ms) {
        td_cli_error("out of memory");
        return false;
    }
    const td_mesh_def def = td_sequence_mesh_def(lanes->sequence);
    td_result result = td_create_mesh(&lane->mesh, place->context, &def);
    if (result == TD_OK) {
        result = lane->continuous ? td_create_continuous(&lane->moving, place->context)
                                  : td_create_query(&lane->query, place->context);
    }
    if (result == TD_OK && strcmp(way, "front") == 0) {
        const td_front_def front = td_default_front_def();
        result = td_create_front(&lane->front, place->context, &front);
    }
    if (result != TD_OK) {
        td_cli_library_error(lanes->scene->name);
    }
    return result == TD_OK;
}

typedef struct td_lane_kind {
    const char *operation, *way;
    td_volume volume;
} td_lane_kind;

static const td_lane_kind td_native_lanes[] = {
    {"discrete", "wide", TD_VOLUME_AABB},    {"discrete", "stack", TD_VOLUME_AABB},
    {"discrete", "stack", TD_VOLUME_OBB},    {"discrete", "balanced", TD_VOLUME_AABB},
    {"discrete", "front", TD_VOLUME_AABB},   {"discrete", "front", TD_VOLUME_OBB},
    {"continuous", "wide", TD_VOLUME_AABB},  {"continuous", "stack", TD_VOLUME_AABB},
    {"continuous", "stack", TD_VOLUME_OBB},  {"continuous", "balanced", TD_VOLUME_AABB},
    {"continuous", "front", TD_VOLUME_AABB}, {"continuous", "front", TD_VOLUME_OBB},
};

static const td_lane_kind td_device_lanes[] = {
    {"discrete", "blocked", TD_VOLUME_AABB},    {"discrete", "stack", TD_VOLUME_AABB},
    {"discrete", "stack", TD_VOLUME_OBB},       {"discrete", "balanced", TD_VOLUME_AABB},
    {"discrete", "balanced", TD_VOLUME_OBB},    {"discrete", "front", TD_VOLUME_AABB},
    {"discrete", "front", TD_VOLUME_OBB},       {"continuous", "blocked", TD_VOLUME_AABB},
    {"continuous", "stack", TD_VOLUME_AABB},    {"continuous", "stack", TD_VOLUME_OBB},
    {"continuous", "balanced", TD_VOLUME_AABB}, {"continuous", "balanced", TD_VOLUME_OBB},
    {"continuous", "front", TD_VOLUME_AABB},    {"continuous", "front", TD_VOLUME_OBB},
};

static bool td_open_kinds(td_lanes *lanes, const td_lane_kind *kinds, size_t count,
                          const td_bench_place *place) {
    bool opened = true;
    for (size_t i = 0; opened && i < count; ++i) {
        opened = td_open_lane(lanes, kinds[i].operation, kinds[i].way, kinds[i].volume, place);
    }
    return opened;
}

static bool td_open_lanes(td_lanes *lanes, const td_operations *all) {
    bool opened = td_open_kinds(lanes, td_native_lanes, sizeof td_native_lanes / sizeof *td_native_lanes,
                                &all->places.places[0]);
    for (uint32_t i = 1; opened && i < all->places.place_count; ++i) {
        opened = td_open_kinds(lanes, td_device_lanes, sizeof td_device_lanes / sizeof *td_device_lanes,
                               &all->places.places[i]);
    }
    return opened;
}

static bool td_make_lists(td_lanes *lanes) {
    bool room = true;
    for (int i = 0; i < 2; ++i) {
        lanes->found[i] = calloc(lanes->steps + (size_t)1, sizeof *lanes->found[i]);
        room = room && lanes->found[i];
    }
    for (int i = 0; i < 3; ++i) {
        lanes->refit_ms[i] = calloc((size_t)lanes->steps * lanes->rounds, sizeof(double));
        room = room && lanes->refit_ms[i];
    }
    if (!room) {
        td_cli_error("out of memory");
    }
    return room;
}

static void td_close_lanes(td_lanes *lanes) {
    for (uint32_t i = 0; i < lanes->count; ++i) {
        td_lane *lane = &lanes->lanes[i];
        td_destroy_front(lane->front);
        td_destroy_query(lane->query);
        td_destroy_continuous(lane->moving);
        td_destroy_mesh(lane->mesh);
        free(lane->ms);
        free(lane->cpu_ms);
    }
    for (int i = 0; i < 3; ++i) {
        free(lanes->refit_ms[i]);
    }
    free(lanes->found[0]);
    free(lanes->found[1]);
}

static bool td_check_found(td_lanes *lanes, const td_lane *lane, uint32_t frame, td_lane_found found) {
    td_lane_found *first = &lanes->found[lane->continuous][frame];
    if (!first->known) {
        *first = found;
    }
    if (first->count != found.count || first->hash != found.hash) {
        td_cli_error("%s, frame %u: '%s' with %s on %s found %llu pairs, others %llu, or not the same",
                     lanes->scene->name, frame, lane->row->way, td_volume_name(lane->row->volume),
                     lane->row->place->name, (unsigned long long)found.count,
                     (unsigned long long)first->count);
        return false;
    }
    return true;
}

static void td_note_refit(td_lanes *lanes, const td_lane *lane, const td_refit_report *report, size_t at) {
    if (lane->continuous || lane->row->place->device) {
        return;
    }
    if (strcmp(lane->row->way, "wide") == 0) {
        lanes->refit_ms[0][at] = report->refit_ms;
    } else if (strcmp(lane->row->way, "stack") == 0) {
        lanes->refit_ms[lane->row->volume == TD_VOLUME_OBB ? 2 : 1][at] = report->post_ms;
    }
}

// Rounds below lanes->rounds are timed; the one behind them takes stages. Frame 0 only warms up.
static bool td_run_lane(td_lanes *lanes, td_lane *lane, uint32_t frame, uint32_t round) {
    const bool stages = round == lanes->rounds, warm = frame == 0;
    td_refit_report report;
    td_lane_found found;
    if (td_ask_lane(&found, &report, lane, lanes, warm && lane->continuous ? 1 : frame, stages && !warm) !=
        TD_OK) {
        td_cli_error("%s, frame %u: %s", lanes->scene->name, frame, td_error_message());
        return false;
    }
    if (!stages && !warm) {
        const size_t at = (size_t)(frame - 1) * lanes->rounds + round;
        lane->ms[at] = found.ms;
        lane->cpu_ms[at] = found.cpu_ms;
        td_note_refit(lanes, lane, &report, at);
    }
    return warm || td_check_found(lanes, lane, frame, found);
}

static bool td_run_rounds(td_lanes *lanes, td_cli_session *session) {
    const uint32_t frames = lanes->steps + 1, rounds = lanes->rounds + 1;
    td_cli_progress_stage(&session->progress, "deforming %s", lanes->scene->name);
    for (uint32_t i = 0; i < lanes->count; ++i) { // from here on they are sums
        td_operation_row *row = lanes->lanes[i].row;
        row->box_tests = row->triangle_tests = 0;
        memset(row->stages, 0, sizeof row->stages);
    }
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t frame = 0; frame < frames; ++frame) {
            for (uint32_t i = 0; i < lanes->count; ++i) {
                if (!td_run_lane(lanes, &lanes->lanes[(i + frame) % lanes->count], frame, round)) {
                    return false;
                }
            }
            td_cli_progress_count(&session->progress, (uint64_t)round * frames + frame + 1,
                                  (uint64_t)rounds * frames, "frames");
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

// Medians over the rounds of a frame, their mean over the frames: the paper averages over the animation.
static double td_mean_of_medians(double *samples, uint32_t steps, uint32_t rounds) {
    double sum = 0;
    for (uint32_t i = 0; i < steps; ++i) {
        sum += td_cli_median(samples + (size_t)i * rounds, rounds);
    }
    return sum / steps;
}

static void td_sum_up(td_lanes *lanes) {
    static const char *const names[3] = {"blocks", "post-order", "post-order"};
    for (uint32_t i = 0; i < lanes->count; ++i) {
        td_lane *lane = &lanes->lanes[i];
        lane->row->ms = td_mean_of_medians(lane->ms, lanes->steps, lanes->rounds);
        lane->row->cpu_ms = td_mean_of_medians(lane->cpu_ms, lanes->steps, lanes->rounds);
        lane->row->found = 0;
        for (uint32_t f = 1; f <= lanes->steps; ++f) {
            lane->row->found += (double)lanes->found[lane->continuous][f].count / lanes->steps;
        }
    }
    for (int i = 0; i < 3; ++i) {
        const td_volume volume = i == 2 ? TD_VOLUME_OBB : TD_VOLUME_AABB;
        td_add_operation(lanes->scene, "refit", names[i], volume, lanes->lanes[0].row->place)->ms =
            td_mean_of_medians(lanes->refit_ms[i], lanes->steps, lanes->rounds);
    }
}

bool td_operations_collide(td_operation_scene *scene, const td_operations *all, td_cli_session *session) {
    td_lanes lanes = {.steps = scene->sequence.frame_count - 1,
                      .rounds = all->rounds,
                      .sequence = &scene->sequence,
                      .scene = scene};
    const bool success =
        td_make_lists(&lanes) && td_open_lanes(&lanes, all) && td_run_rounds(&lanes, session);
    if (success) {
        td_sum_up(&lanes);
    }
    td_close_lanes(&lanes);
    return success;
}
