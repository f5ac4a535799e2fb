// tandem bench front [FRAME...]: what a front saves on a mesh that deforms.
//
// Every way has a mesh of its own, refitted frame by frame; the ways take turns at every frame, and who is
// first changes from frame to frame.
#include "bench_front.h"

#include "command.h"
#include "median.h"
#include "message.h"

#include <stdlib.h>
#include <time.h>

const char *const td_front_way_names[TD_FRONT_WAYS] = {"front", "front, from the root", "stack", "wide"};

enum { TD_ROUNDS_MOST = 100 };

typedef struct td_front_lane {
    td_mesh *mesh;
    td_query *query;
    td_front *front; // null but for TD_WAY_FRONT
    td_collide_def def;
    double *query_ms, *refit_ms; // per frame and round
} td_front_lane;

typedef struct td_front_command {
    td_cli_session session;
    const char *positions;
    uint32_t frames, rounds;
    char **files;
    int file_count;
    td_front_bench bench;
    td_front_lane lanes[TD_FRONT_WAYS];
} td_front_command;

static td_cli_parsed td_parse_front(td_front_command *command, int argc, char **argv) {
    const td_cli_option own[] = {
        {.name = "--positions",
         .argument = "FILE",
         .text = &command->positions,
         .help = "all frames of one mesh: float32 x y z per vertex, little-endian"},
        {.name = "--frames",
         .argument = "N",
         .number = &command->frames,
         .least = 1,
         .most = 10000,
         .help = "of the cloth; default 48"},
        {.name = "--rounds",
         .argument = "N",
         .number = &command->rounds,
         .least = 1,
         .most = TD_ROUNDS_MOST,
         .help = "through all frames, of which medians are taken; default 3"},
    };
    const td_cli_syntax syntax = {
        .command = "bench front",
        .usage = "[FRAME...] [options]",
        .about =
            "Finds the self-intersections of a mesh that deforms, frame by frame: from the front that the\n"
            "last frame left (paper 001), from the root by the same traversal, by 'stack' and by 'wide'; "
            "and\n"
            "compares box tests, triangle tests, times and memory. Hierarchies are refitted, not rebuilt.\n"
            "\n"
            "FRAMEs are mesh files with the same connectivity; without any, a cloth that rolls up.\n",
        .example = "  tandem bench front horse.obj --positions horse.f32 --threads 1\n",
        .groups = {{"Options", own, 3}, td_cli_common_group(&command->session)},
        .operands = "mesh files, the frames in order, or none",
        .operands_most = TD_SEQUENCE_FRAMES_MOST,
    };
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &command->files, &command->file_count);
    const td_cli_session *session = &command->session;
    if (parsed == TD_CLI_RUN &&
        (session->strategy || session->volume || session->descent || session->device)) {
        td_cli_error(
            "'bench front' compares strategies on the native backend: expected no --strategy, --volume, "
            "--descent or --device");
        return TD_CLI_REFUSED;
    }
    return parsed;
}

static double td_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_open_lane(td_front_lane *lane, td_front_way way, const td_front_command *command) {
    td_context *context = command->session.context;
    const td_mesh_def def = td_sequence_mesh_def(&command->bench.sequence);
    lane->def = td_default_collide_def();
    lane->def.strategy = way == TD_WAY_STACK ? "stack" : way == TD_WAY_WIDE ? "wide" : "front";
    td_result result = td_create_mesh(&lane->mesh, context, &def);
    result = result == TD_OK ? td_create_query(&lane->query, context) : result;
    if (result == TD_OK && way == TD_WAY_FRONT) {
        const td_front_def front = td_default_front_def();
        result = td_create_front(&lane->front, context, &front);
        lane->def.front = lane->front;
    }
    return result;
}

static bool td_open_lanes(td_front_command *command) {
    const size_t frames = command->bench.sequence.frame_count, samples = frames * command->rounds;
    bool room = true;
    for (int way = 0; way < TD_FRONT_WAYS; ++way) {
        td_front_lane *lane = &command->lanes[way];
        lane->query_ms = calloc(samples, sizeof *lane->query_ms);
        lane->refit_ms = calloc(samples, sizeof *lane->refit_ms);
        command->bench.samples[way] = calloc(frames, sizeof(td_front_sample));
        room = room && lane->query_ms && lane->refit_ms && command->bench.samples[way];
        if (td_open_lane(lane, (td_front_way)way, command) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
    }
    command->bench.frame_pairs = calloc(frames, sizeof(uint64_t));
    if (!room || !command->bench.frame_pairs) {
        td_cli_error("out of memory");
        return false;
    }
    return true;
}

static void td_close_lanes(td_front_command *command) {
    for (int way = 0; way < TD_FRONT_WAYS; ++way) {
        td_front_lane *lane = &command->lanes[way];
        td_destroy_front(lane->front);
        td_destroy_query(lane->query);
        td_destroy_mesh(lane->mesh);
        free(lane->query_ms);
        free(lane->refit_ms);
        free(command->bench.samples[way]);
    }
    free(command->bench.frame_pairs);
}

static void td_note_memory(td_front_bench *bench, td_front_way way, const td_front_lane *lane,
                           uint64_t scratch) {
    uint64_t bytes = scratch;
    if (lane->front) {
        const td_front_report report = td_last_front(lane->front);
        bytes += report.bytes + report.hierarchy_bytes;
        bench->front_bytes = report.bytes > bench->front_bytes ? report.bytes : bench->front_bytes;
        bench->hierarchy_bytes = report.hierarchy_bytes;
    }
    td_front_total *total = &bench->totals[way];
    total->bytes = bytes > total->bytes ? bytes : total->bytes;
}

// One frame in one way. False: the error was told.
static bool td_ask(td_front_command *command, td_front_way way, uint32_t frame, uint32_t round) {
    td_front_bench *bench = &command->bench;
    td_front_lane *lane = &command->lanes[way];
    td_front_sample *sample = &bench->samples[way][frame];
    const size_t at = (size_t)frame * command->rounds + round;
    const double begin = td_now_ms();
    td_collide_result answer;
    if (td_set_positions(NULL, lane->mesh, TD_FLOAT64, td_sequence_frame(&bench->sequence, frame), 0,
                         TD_REBUILD_NEVER) != TD_OK) {
        td_cli_error("frame %u: %s", frame, td_error_message());
        return false;
    }
    const double refitted = td_now_ms();
    if (td_self_collide(&answer, lane->query, lane->mesh, &lane->def) != TD_OK) {
        td_cli_error("frame %u: %s", frame, td_error_message());
        return false;
    }
    lane->query_ms[at] = td_now_ms() - refitted;
    lane->refit_ms[at] = refitted - begin;
    sample->counters = answer.counters;
    td_note_memory(bench, way, lane, answer.counters.bytes);
    if (lane->front) {
        const td_front_report report = td_last_front(lane->front);
        sample->entries = report.entries;
        sample->moved = report.descended + report.ascended;
    }
    const bool first = round == 0 && bench->frame_pairs[frame] == UINT64_MAX;
    bench->frame_pairs[frame] = first ? answer.pair_count : bench->frame_pairs[frame];
    if (bench->frame_pairs[frame] != answer.pair_count) {
        td_cli_error("frame %u: '%s' found %llu pairs, others %llu", frame, td_front_way_names[way],
                     (unsigned long long)answer.pair_count, (unsigned long long)bench->frame_pairs[frame]);
        return false;
    }
    return true;
}

static bool td_ask_all(td_front_command *command) {
    td_front_bench *bench = &command->bench;
    const uint32_t frames = bench->sequence.frame_count;
    for (uint32_t frame = 0; frame < frames; ++frame) {
        bench->frame_pairs[frame] = UINT64_MAX; // not known yet
    }
    td_cli_progress_stage(&command->session.progress, "deforming %s", bench->sequence.name);
    for (uint32_t round = 0; round < command->rounds; ++round) {
        for (uint32_t frame = 0; frame < frames; ++frame) {
            for (uint32_t k = 0; k < TD_FRONT_WAYS; ++k) {
                if (!td_ask(command, (td_front_way)((k + frame) % TD_FRONT_WAYS), frame, round)) {
                    return false;
                }
            }
            td_cli_progress_count(&command->session.progress, (uint64_t)round * frames + frame + 1,
                                  (uint64_t)command->rounds * frames, "frames");
        }
    }
    return true;
}

static void td_sum_up(td_front_command *command) {
    td_front_bench *bench = &command->bench;
    const uint32_t frames = bench->sequence.frame_count, rounds = command->rounds;
    for (int way = 0; way < TD_FRONT_WAYS; ++way) {
        td_front_total *total = &bench->totals[way];
        for (uint32_t frame = 0; frame < frames; ++frame) {
            td_front_sample *sample = &bench->samples[way][frame];
            const size_t at = (size_t)frame * rounds;
            sample->query_ms = td_cli_median(command->lanes[way].query_ms + at, rounds);
            sample->refit_ms = td_cli_median(command->lanes[way].refit_ms + at, rounds);
            total->query_ms += sample->query_ms / frames;
            total->refit_ms += sample->refit_ms / frames;
            total->box_tests += (double)sample->counters.box_tests / frames;
            total->triangle_tests += (double)sample->counters.triangle_tests / frames;
            total->exact_tests += (double)sample->counters.exact_tests / frames;
        }
    }
    for (uint32_t frame = 0; frame < frames; ++frame) {
        bench->pairs += bench->frame_pairs[frame];
    }
}

static bool td_run_front(td_front_command *command) {
    td_front_bench *bench = &command->bench;
    bench->rounds = command->rounds;
    bench->threads = td_context_thread_count(command->session.context);
    bool success = td_sequence_open(&bench->sequence, &command->session, command->files, command->file_count,
                                    command->positions, command->frames) &&
                   td_open_lanes(command) && td_ask_all(command);
    if (success) {
        td_cli_progress_end(&command->session.progress);
        td_sum_up(command);
        td_front_write(&command->session, bench);
    }
    td_close_lanes(command);
    td_sequence_close(&bench->sequence);
    return success;
}

int td_bench_front(int argc, char **argv) {
    td_front_command command = {.frames = 48, .rounds = 3};
    const td_cli_parsed parsed = td_parse_front(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_front(&command);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
