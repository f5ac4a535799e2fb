// tandem bench traverse [A B]: every strategy x bounding volume x device on the same scene.
#include "bench_report.h"
#include "command.h"
#include "message.h"

#include <stdio.h>

// Tests that brute force gets through in a second or so.
static const double td_brute_limit = 2e8;

typedef struct td_traverse_command {
    td_cli_session session;
    const char *scene_name, *name_a, *name_b;
    uint32_t subdivide, pairs, seed, repeats;
    td_bench_choice choice;
    // As opened, in this order.
    td_bench_rows rows;
    td_bench_scene scene;
} td_traverse_command;

enum { TD_TRAVERSE_OPTIONS = 8, TD_ROUNDS_MOST = 10000 };

static void td_traverse_options(td_cli_option own[TD_TRAVERSE_OPTIONS], td_traverse_command *command) {
    const td_cli_option options[TD_TRAVERSE_OPTIONS] = {
        {.name = "--scene", .argument = "NAME", .text = &command->scene_name, .help = "cows, the default"},
        {.name = "--subdivide",
         .argument = "N",
         .number = &command->subdivide,
         .most = TD_CLI_SUBDIVIDE_MOST,
         .help = "of the scene's mesh; default 1, 6,000 triangles"},
        {.name = "--pairs",
         .argument = "N",
         .number = &command->pairs,
         .least = 1,
         .most = TD_BENCH_PAIRS_MOST,
         .help = "object pairs; default 1000"},
        {.name = "--seed",
         .argument = "N",
         .number = &command->seed,
         .most = UINT32_MAX,
         .help = "of the random poses; default 1"},
        {.name = "--repeats",
         .argument = "N",
         .number = &command->repeats,
         .least = 1,
         .most = TD_ROUNDS_MOST,
         .help = "rounds, of which medians are taken; default 5"},
        {.name = "--strategies",
         .argument = "LIST",
         .text = &command->choice.strategies,
         .help = "rows of these only: a,b,..."},
        {.name = "--volumes",
         .argument = "LIST",
         .text = &command->choice.volumes,
         .help = "rows of these only: aabb, obb"},
        {.name = "--devices",
         .argument = "LIST",
         .text = &command->choice.devices,
         .help = "rows of these only: native, opencl, opencl:N, auto"},
    };
    for (int i = 0; i < TD_TRAVERSE_OPTIONS; ++i) {
        own[i] = options[i];
    }
}

// Here the common options that name one thing take lists, as their twins in the plural do.
static td_cli_option_group td_traverse_common_group(td_traverse_command *command) {
    td_cli_session *session = &command->session;
    const td_cli_option_group group = td_cli_common_group(session);
    td_bench_choice *choice = &command->choice;
    for (int i = 0; i < TD_CLI_COMMON_OPTIONS; ++i) {
        td_cli_option *option = &session->common[i];
        const struct {
            const char **from, **to, *help;
        } lists[] = {
            {&session->isa, &choice->isas,
             "instruction sets of the native rows; default: the widest, scalar"},
            {&session->strategy, &choice->strategies, "the same as --strategies"},
            {&session->volume, &choice->volumes, "the same as --volumes"},
            {&session->device, &choice->devices, "the same as --devices"},
        };
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; ++k) {
            if (option->text && option->text == lists[k].from) {
                option->text = lists[k].to;
                option->argument = "LIST";
                option->help = lists[k].help;
            }
        }
    }
    return group;
}

static td_cli_parsed td_parse_traverse(td_traverse_command *command, int argc, char **argv) {
    td_cli_option own[TD_TRAVERSE_OPTIONS];
    td_traverse_options(own, command);
    const td_cli_syntax syntax = {
        .command = "bench traverse",
        .usage = "[A B] [options]",
        .about = "Measures every strategy with every bounding volume on every device: pairs found, tests,\n"
                 "traversal state, and time by stage. All must find the same pairs.\n"
                 "\n"
                 "The scene is a thousand placements of a built-in cow against another, as in a pile, or\n"
                 "such placements of B against A: mesh files, or shape:NAME or shape:NAME:N.\n",
        .example = "  tandem bench traverse --strategies stack,binary --devices native,opencl --csv\n",
        .groups = {{"Options", own, TD_TRAVERSE_OPTIONS}, td_traverse_common_group(command)},
        .operands = "two meshes, A and B, or none",
        .operands_most = 2,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed != TD_CLI_RUN || count == 0) {
        return parsed;
    }
    if (count == 1) {
        td_cli_error("'bench traverse' needs %s, but got only '%s'", syntax.operands, operands[0]);
        return TD_CLI_REFUSED;
    }
    if (command->scene_name) {
        td_cli_error("--scene and two meshes exclude each other: expected one of them");
        return TD_CLI_REFUSED;
    }
    command->name_a = operands[0];
    command->name_b = operands[1];
    return TD_CLI_RUN;
}

static bool td_open_scene(td_traverse_command *command) {
    td_cli_session *session = &command->session;
    const bool opened =
        command->name_a
            ? td_bench_scene_open_files(&command->scene, session, command->name_a, command->name_b)
            : td_bench_scene_open(&command->scene, session,
                                  command->scene_name ? command->scene_name : "cows", command->subdivide);
    return opened && td_bench_scene_place(&command->scene, command->pairs, command->seed);
}

static bool td_run_traverse(td_traverse_command *command) {
    td_cli_session *session = &command->session;
    td_bench_choice *choice = &command->choice;
    choice->descent = session->descent_rule;
    // Devices come before meshes: a wrong one is told sooner.
    if (!td_bench_places_open(&command->rows, session, choice) || !td_open_scene(command)) {
        return false;
    }
    choice->brute_too_slow = td_bench_scene_brute_tests(&command->scene) > td_brute_limit;
    td_bench_storage storage;
    if (!td_bench_rows_make(&command->rows, session, choice, command->repeats) ||
        !td_bench_measure(&command->rows, &storage, session, &command->scene)) {
        return false;
    }
    td_bench_write_report(session, &(td_bench_report){&command->rows, &command->scene, &storage});
    return true;
}

int td_bench_traverse(int argc, char **argv) {
    td_traverse_command command = {.subdivide = 1, .pairs = 1000, .seed = 1, .repeats = 5};
    const td_cli_parsed parsed = td_parse_traverse(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_traverse(&command);
    td_bench_rows_close(&command.rows);
    td_bench_scene_close(&command.scene);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
