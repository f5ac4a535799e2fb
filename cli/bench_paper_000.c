// tandem bench paper 000: its Table 1, 512 falling cows, ours beside the published figures.
//
// Based on: paper 000, section 5. The scene is run natively and on every device side by side, a step here and
// a step there, so that both have the same neighbours on the machine; after every step the states must be
// equal bit by bit (in the paper the two diverged).
#include "bench_paper_000.h"
#include "bench_sides.h"
#include "bench_world.h"
#include "command.h"
#include "load.h"
#include "median.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

enum {
    TD_FALL_OPTIONS = 6,
    TD_FALL_SIDE_MOST = 64,
    TD_FALL_STEPS_MOST = 1000000,
    TD_FALL_REPEATS_MOST = 100
};

typedef struct td_fall_command {
    td_cli_session session;
    td_bench_rows places; // without rows
    td_fall fall;
} td_fall_command;

static td_cli_parsed td_parse_fall(td_fall_command *command, int argc, char **argv) {
    td_fall *fall = &command->fall;
    const td_cli_option own[TD_FALL_OPTIONS] = {
        {.name = "--n",
         .argument = "N",
         .number = &fall->n,
         .least = 1,
         .most = TD_FALL_SIDE_MOST,
         .help = "N x N x N cows; default 8"},
        {.name = "--steps",
         .argument = "N",
         .number = &fall->last,
         .least = 1,
         .most = TD_FALL_STEPS_MOST,
         .help = "the last iteration; default 400"},
        {.name = "--every",
         .argument = "N",
         .number = &fall->every,
         .least = 1,
         .most = TD_FALL_STEPS_MOST,
         .help = "iterations from row to row; default 25"},
        {.name = "--subdivide",
         .argument = "N",
         .number = &fall->subdivide,
         .most = TD_CLI_SUBDIVIDE_MOST,
         .help = "of the built-in cow; default 0, 1,500 triangles"},
        {.name = "--mesh", .argument = "FILE", .text = &fall->mesh, .help = "read the cow from FILE"},
        {.name = "--repeats",
         .argument = "N",
         .number = &fall->repeats,
         .least = 1,
         .most = TD_FALL_REPEATS_MOST,
         .help = "run it all N times, tell median times; default 1"},
    };
    const td_cli_syntax syntax = {
        .command = "bench paper 000",
        .usage = "[options]",
        .about = "Repeats Table 1 of paper 000: cows fall from a grid to the ground, and every iteration is\n"
                 "timed, natively on one thread and on the OpenCL devices there are, with the strategy\n"
                 "'binary' and oriented boxes unless --strategy and --volume say otherwise. All must move\n"
                 "the cows in the same way, bit by bit.\n",
        .example = "  tandem bench paper 000 --n 4 --steps 100\n",
        .groups = {{"Options", own, TD_FALL_OPTIONS}, td_bench_sides_group(&command->session)},
        .operands = "no operand",
    };
    char **operands;
    int count;
    return td_cli_parse(&syntax, argc, argv, &operands, &count);
}

// ---------------------------------------------------------------------------------------------------------

static bool td_fall_open_run(td_fall_run *run, const td_bench_place *place, const td_fall *fall) {
    const size_t iterations = (size_t)fall->last + 1;
    *run = (td_fall_run){.place = place};
    run->reports = calloc(iterations, sizeof *run->reports);
    run->seconds = calloc(iterations * fall->repeats, sizeof *run->seconds);
    run->summed = calloc(iterations, sizeof *run->summed);
    run->hashes = calloc(iterations, sizeof *run->hashes);
    if (run->reports && run->seconds && run->summed && run->hashes) {
        return true;
    }
    td_cli_error("out of memory for the times of %zu iterations", iterations);
    return false;
}

static void td_fall_close(td_fall *fall) {
    for (uint32_t i = 0; i < fall->run_count; ++i) {
        td_fall_run *run = &fall->runs[i];
        td_destroy_scene(run->scene);
        free(run->reports);
        free(run->seconds);
        free(run->summed);
        free(run->hashes);
    }
    fall->run_count = 0;
}

static bool td_fall_load(td_fall_command *command) {
    td_fall *fall = &command->fall;
    for (uint32_t i = 0; i < fall->run_count; ++i) {
        td_fall_run *run = &fall->runs[i];
        td_destroy_scene(run->scene);
        run->scene = NULL;
        const td_bench_world_def def = {.scene = "cows",
                                        .n = fall->n,
                                        .subdivide = fall->subdivide,
                                        .mesh = fall->mesh,
                                        .strategy = fall->strategy,
                                        .volume = fall->volume,
                                        .descent = command->session.descent_rule,
                                        .device = run->place->device};
        if (!td_bench_world_open(&run->scene, &command->session, &def)) {
            return false;
        }
    }
    fall->bodies = td_body_count(td_scene_world(fall->runs[0].scene));
    fall->triangles = td_mesh_triangle_count(td_bench_world_mesh(fall->runs[0].scene));
    return true;
}

static bool td_fall_step(td_fall *fall, td_fall_run *run, uint32_t iteration, uint32_t repeat) {
    td_step_report report;
    if (!td_bench_world_step(&report, run->scene)) {
        return false;
    }
    double *seconds = run->seconds[(size_t)iteration * fall->repeats + repeat];
    seconds[TD_STEP_SIMULATION] = 1e-3 * report.total_ms;
    seconds[TD_STEP_CONTACT] = 1e-3 * report.contacts_ms;
    seconds[TD_STEP_COLLISION] = 1e-3 * report.traversal_ms;
    seconds[TD_STEP_COPY] = 1e-3 * report.copy_ms;
    seconds[TD_STEP_KERNEL] = 1e-3 * report.kernel_ms;
    run->reports[iteration] = report;
    run->hashes[iteration] = td_hash_world(td_scene_world(run->scene));
    return true;
}

static bool td_fall_check(const td_fall *fall, const td_fall_run *run, uint32_t iteration) {
    const td_fall_run *first = &fall->runs[0];
    if (run->hashes[iteration] == first->hashes[iteration]) {
        return true;
    }
    td_cli_error(
        "iteration %u: the bodies are not where they are on %s (hash %016llx) when %s finds the triangles "
        "(hash %016llx): expected the same bits",
        iteration, first->place->name, (unsigned long long)first->hashes[iteration], run->place->name,
        (unsigned long long)run->hashes[iteration]);
    return false;
}

static bool td_fall_repeat(td_fall_command *command, uint32_t repeat) {
    td_fall *fall = &command->fall;
    if (!td_fall_load(command)) {
        return false;
    }
    td_cli_progress_stage(&command->session.progress, "paper 000, run %u of %u", repeat + 1, fall->repeats);
    for (uint32_t k = 0; k <= fall->last; ++k) {
        for (uint32_t i = 0; i < fall->run_count; ++i) {
            if (!td_fall_step(fall, &fall->runs[i], k, repeat) || !td_fall_check(fall, &fall->runs[i], k)) {
                return false;
            }
        }
        td_cli_progress_count(&command->session.progress, k + 1, (uint64_t)fall->last + 1, "steps");
    }
    return true;
}

// Medians over the repeats, and sums of them over the iterations.
static void td_fall_conclude(td_fall *fall, td_fall_run *run) {
    double column[TD_FALL_REPEATS_MOST], sums[TD_STEP_TIMES] = {0};
    for (uint32_t k = 0; k <= fall->last; ++k) {
        for (int time = 0; time < TD_STEP_TIMES; ++time) {
            for (uint32_t i = 0; i < fall->repeats; ++i) {
                column[i] = run->seconds[(size_t)k * fall->repeats + i][time];
            }
            run->seconds[k][time] = td_cli_median(column, fall->repeats); // read already: k <= k repeats
            run->summed[k][time] = sums[time] += run->seconds[k][time];
        }
    }
}

static bool td_run_fall(td_fall_command *command) {
    td_fall *fall = &command->fall;
    if (!td_bench_sides_open(&command->places, &command->session)) {
        return false;
    }
    for (uint32_t i = 0; i < command->places.place_count; ++i) {
        ++fall->run_count;
        if (!td_fall_open_run(&fall->runs[i], &command->places.places[i], fall)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < fall->repeats; ++i) {
        if (!td_fall_repeat(command, i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < fall->run_count; ++i) {
        td_fall_conclude(fall, &fall->runs[i]);
    }
    td_fall_write(&command->session, fall);
    return true;
}

int td_bench_paper_000(int argc, char **argv) {
    td_fall_command command = {.session = {.threads = 1, .strategy = "binary", .volume = "obb"},
                               .fall = {.n = 8, .last = 400, .every = 25, .repeats = 1}};
    const td_cli_parsed parsed = td_parse_fall(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    command.fall.strategy = td_cli_session_strategy(&command.session);
    command.fall.volume = command.session.bounding_volume;
    const bool success = td_run_fall(&command);
    td_fall_close(&command.fall);
    td_bench_rows_close(&command.places);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
