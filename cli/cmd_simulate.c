// tandem simulate SCENE: runs a scene, tells what each step did, and records it.
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "simulate_report.h"
#include "simulate_start.h"

#include <string.h>

enum { TD_SIMULATE_OPTIONS = 13 };

typedef struct td_simulate_command {
    td_cli_session session;
    td_cli_scene_options options;
    const char *scene_path, *record_path;
    uint32_t steps, every; // 0: the scene's; by the format
    bool list, times;
    td_scene *scene;
    td_recorder *recorder;
    td_cli_run_report report;
} td_simulate_command;

// -o is the recording here, and so the report has an option of its own.
static td_cli_option_group td_simulate_common(td_simulate_command *command) {
    td_cli_session *session = &command->session;
    const td_cli_option_group group = td_cli_common_group(session);
    for (size_t i = 0; i < group.count; ++i) {
        if (session->common[i].letter == 'o') {
            session->common[i].argument = "REC";
            session->common[i].text = &command->record_path;
            session->common[i].help = "record to REC, which grows step by step";
        }
    }
    return group;
}

static td_cli_parsed td_parse_simulate(td_simulate_command *command, int argc, char **argv) {
    td_cli_scene_options *options = &command->options;
    const td_cli_option own[TD_SIMULATE_OPTIONS] = {
        {.name = "--steps",
         .argument = "N",
         .number = &command->steps,
         .least = 1,
         .most = UINT32_MAX,
         .help = "steps to run, instead of the scene's"},
        {.name = "--step", .argument = "SECONDS", .text = &options->step, .help = "time that a step takes"},
        {.name = "--substeps",
         .argument = "N",
         .number = &options->substeps,
         .least = 1,
         .most = 1000,
         .help = "of the solver within a step"},
        {.name = "--iterations",
         .argument = "N",
         .number = &options->iterations,
         .least = 1,
         .most = 100000,
         .help = "of the solver within a sub-step"},
        {.name = "--set",
         .argument = "NAME=VALUE",
         .list = &options->parameters,
         .help = "set a parameter of the scene; may be repeated"},
        {.name = "--mesh",
         .argument = "NAME=FILE",
         .list = &options->meshes,
         .help = "read a mesh of the scene from FILE; may be repeated"},
        {.name = "--broad",
         .argument = "NAME",
         .text = &options->broad,
         .help = "broad phase: all, sweep or tree; of a planar scene: all or grid"},
        {.name = "--narrow",
         .argument = "NAME",
         .text = &options->narrow,
         .help = "what contacts are made of: triangles that intersect, or rays"},
        {.name = "--stepping",
         .argument = "NAME",
         .text = &options->stepping,
         .help = "of a planar scene: ordered, or first collision first"},
        {.name = "--every",
         .argument = "N",
         .number = &command->every,
         .least = 1,
         .most = UINT32_MAX,
         .help = "tell every Nth step only"},
        {.name = "--times",
         .flag = &command->times,
         .help = "record how long each step took; the file then differs from run to run"},
        {.name = "--report",
         .argument = "FILE",
         .text = &command->session.output_path,
         .help = "write the report to FILE, which appears only when complete"},
        {.name = "--list", .flag = &command->list, .help = "list the built-in scenes"},
    };
    const td_cli_syntax syntax = {
        .command = "simulate",
        .usage = "SCENE [-o REC] [--steps N] [--set NAME=VALUE] [options]",
        .about =
            "Runs a scene: lets bodies made of triangle meshes move, meet and come to rest; or, in planar\n"
            "scenes, circles and polygons. Tells what each step found and did and how long that took.\n"
            "\n"
            "SCENE is a JSON file, or the name of a built-in scene ('tandem simulate --list').\n"
            "Results do not depend on threads, instruction set, strategy or device. They do depend on the\n"
            "narrow phase, which a recording remembers.\n",
        .example = "  tandem simulate cows -o cows.rec\n"
                   "  tandem simulate pile --set n=8 --mesh cow=cow.obj --steps 100 --csv\n",
        .groups = {{"Options", own, TD_SIMULATE_OPTIONS}, td_simulate_common(command)},
        .operands = "a scene",
        .operands_least = 0,
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && count == 0 && !command->list) {
        td_cli_error("'simulate' needs a scene: a file, or a name that 'tandem simulate --list' lists");
        return TD_CLI_REFUSED;
    }
    if (parsed == TD_CLI_RUN && command->times && !command->record_path) {
        td_cli_error("'--times' is about a recording: give its file with -o REC");
        return TD_CLI_REFUSED;
    }
    if (parsed == TD_CLI_RUN && count == 1) {
        command->scene_path = operands[0];
    }
    return parsed;
}

// ---------------------------------------------------------------------------------------------------------

// One step, told and recorded. False: the error was told.
static bool td_simulate_step(td_simulate_command *command) {
    td_step_report step;
    if (td_step_scene(&step, command->scene) != TD_OK) {
        td_cli_library_error(td_scene_name(command->scene));
        return false;
    }
    if (command->recorder && td_record_frame(command->recorder, command->scene, &step) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    td_cli_run_step(&command->report, &step);
    return true;
}

// An end that was asked for by a signal: what was recorded so far stays, with its end mark.
static void td_end_by_request(td_simulate_command *command) {
    td_close_recorder(command->recorder, NULL);
    command->recorder = NULL;
    if (!command->session.quiet) {
        td_cli_note("stopped after %llu steps, which %s holds",
                    (unsigned long long)command->report.summary.steps, command->record_path);
    }
    td_cli_release_signals(); // the signal ends the program here
}

static bool td_simulate_steps(td_simulate_command *command, uint64_t steps) {
    td_cli_session *session = &command->session;
    td_cli_progress_stage(&session->progress, "simulating %.60s", td_scene_name(command->scene));
    for (uint64_t i = 0; i < steps; ++i) {
        if (!td_simulate_step(command)) {
            return false;
        }
        td_cli_progress_count(&session->progress, i + 1, steps, "steps");
        if (command->recorder && td_cli_signal_waits()) {
            td_end_by_request(command);
            return false; // where the signal was ignored by then
        }
        if (td_cli_output_failed(session->output)) {
            break; // told when the output is closed
        }
    }
    return true;
}

// A recording is closed whatever happened, so that it can be read up to where it got.
static bool td_record_steps(td_simulate_command *command, uint64_t steps) {
    if (!command->record_path) {
        return td_simulate_steps(command, steps);
    }
    td_cli_hold_signals();
    td_recorder_def def = td_default_recorder_def();
    def.times = command->times;
    bool success = td_create_recorder(&command->recorder, command->session.context, command->scene,
                                      command->record_path, &def) == TD_OK;
    if (!success) {
        td_cli_library_error(NULL);
    } else {
        success = td_simulate_steps(command, steps);
        if (command->recorder && td_close_recorder(command->recorder, NULL) != TD_OK) {
            td_cli_library_error(NULL);
            success = false;
        }
    }
    td_cli_release_signals();
    return success;
}

static bool td_run_simulate(td_simulate_command *command) {
    td_cli_session *session = &command->session;
    if (command->list) {
        return td_cli_list_scenes(session);
    }
    uint64_t overlaps;
    if (!td_cli_session_open_device(session, false) ||
        !td_cli_load_scene(&command->scene, session, command->scene_path, &command->options) ||
        !td_cli_check_overlaps(&overlaps, session, command->scene)) {
        return false;
    }
    const uint64_t steps = command->steps ? command->steps : td_scene_steps(command->scene);
    td_cli_run_begin(&command->report, session, command->scene, steps, command->every, overlaps);
    const bool success = td_record_steps(command, steps);
    if (success) {
        td_cli_run_end(&command->report, td_hash_scene(command->scene), command->record_path);
    } else {
        td_cli_run_drop(&command->report);
    }
    return success;
}

int td_cmd_simulate(int argc, char **argv) {
    td_simulate_command command = {0};
    const td_cli_parsed parsed = td_parse_simulate(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    bool success = td_run_simulate(&command);
    td_destroy_scene(command.scene);
    success = td_cli_session_close(&command.session, success);
    return success ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
