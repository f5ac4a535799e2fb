// tandem ccd A0 A1 [B0 B1]: what touches, and when, between the two ends of a step.
#include "ccd_frames.h"
#include "command.h"
#include "core/clock.h"
#include "io/decimal.h"
#include "median.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { TD_CCD_OPTIONS = 6, TD_CCD_REPEAT_MOST = 1000000 };

typedef struct td_ccd_command {
    td_cli_session session;
    bool count, earliest, exit_code;
    const char *separation;
    uint32_t budget, repeat;
    const char *names[4]; // the frames of A, then those of B, or null
    td_cli_frames a, b;
    td_continuous_def def;
} td_ccd_command;

static td_cli_parsed td_parse_ccd(td_ccd_command *command, int argc, char **argv) {
    const td_cli_option own[TD_CCD_OPTIONS] = {
        {.name = "--count", .flag = &command->count, .help = "count the contacts, do not list them"},
        {.name = "--earliest", .flag = &command->earliest, .help = "find the earliest contact only"},
        {.name = "--separation",
         .argument = "D",
         .text = &command->separation,
         .help = "nearer than D, or at D, is touching, too"},
        {.name = "--budget",
         .argument = "N",
         .number = &command->budget,
         .most = UINT32_MAX,
         .help = "look at N intervals of time per test at most"},
        {.name = "--repeat",
         .argument = "N",
         .number = &command->repeat,
         .least = 1,
         .most = TD_CCD_REPEAT_MOST,
         .help = "ask N times and tell the median time"},
        {.name = "--exit-code", .flag = &command->exit_code, .help = "exit with 1 if anything touches"},
    };
    const td_cli_syntax syntax = {
        .command = "ccd",
        .usage = "A0 A1 [B0 B1] [--count | --earliest] [options]",
        .about = "Finds what touches between the two ends of a step, and when: pairs of edges, and of\n"
                 "vertices and faces. A0 and A1 are two frames of one mesh, with the same triangles; every\n"
                 "vertex moves from the one to the other along a straight line while the time goes from 0\n"
                 "to 1. Without B0 and B1, A is asked against itself; features that share a vertex are left\n"
                 "out. No contact is missed, and no time is later than the contact.\n"
                 "\n"
                 "Frames are mesh files, or shape:NAME or shape:NAME:N, a built-in shape, subdivided N\n"
                 "times. Vertices are told apart by their numbers, wherever they are.\n",
        .example = "  tandem ccd cloth-1.ply cloth-2.ply --json\n",
        .groups = {{"Options", own, TD_CCD_OPTIONS}, td_cli_common_group(&command->session)},
        .operands = "two frames, A0 and A1, or four",
        .operands_least = 2,
        .operands_most = 4,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && count == 3) {
        td_cli_error("'ccd' got three frames: expected A0 and A1, or A0, A1, B0 and B1");
        return TD_CLI_REFUSED;
    }
    for (int i = 0; parsed == TD_CLI_RUN && i < count; ++i) {
        command->names[i] = operands[i];
    }
    return parsed;
}

static bool td_parse_separation(double *out, const char *text) {
    const char *at = text, *end = text + strlen(text);
    if (td_decimal_parse(out, &at, end) != TD_DECIMAL_OK || at != end || !(*out >= 0)) {
        td_cli_error("--separation '%s' is not a distance: expected a finite number, 0 or more", text);
        return false;
    }
    return true;
}

static bool td_check_ccd(td_ccd_command *command) {
    if (command->count && command->earliest) {
        td_cli_error("--count and --earliest exclude each other: expected one of them");
        return false;
    }
    command->def.mode = command->count      ? TD_CONTINUOUS_COUNT
                        : command->earliest ? TD_CONTINUOUS_EARLIEST
                                            : TD_CONTINUOUS_ALL;
    command->def.moving.budget = command->budget;
    return !command->separation || td_parse_separation(&command->def.moving.separation, command->separation);
}

// `wide` and `brute` do not answer on devices; the automatic choice of a device heeds that.
static void td_choose_device(td_cli_session *session) {
    const char *strategy = td_cli_session_strategy(session);
    if (session->device && strcmp(session->device, "auto") == 0 && strategy &&
        (strcmp(strategy, "wide") == 0 || strcmp(strategy, "brute") == 0)) {
        if (!session->quiet) {
            td_cli_note("device auto: native, for: continuous collision by %s runs natively only", strategy);
        }
        session->device = NULL;
    }
}

static td_result td_ask_ccd(td_continuous_result *result, td_continuous *query,
                            const td_ccd_command *command) {
    const td_moving_mesh a = td_cli_moving_mesh(&command->a);
    if (!command->names[2]) {
        return td_continuous_self(result, query, &a, &command->def);
    }
    const td_moving_mesh b = td_cli_moving_mesh(&command->b);
    return td_continuous_pair(result, query, &a, &b, &command->def);
}

static bool td_ask_ccd_repeatedly(td_continuous_result *result, double *median, td_continuous *query,
                                  const td_ccd_command *command) {
    double *times = malloc(command->repeat * sizeof *times);
    if (!times) {
        td_cli_error("out of memory");
        return false;
    }
    td_result asked = TD_OK;
    for (uint32_t i = 0; i < command->repeat && asked == TD_OK; ++i) {
        const double began = td_clock_ms();
        asked = td_ask_ccd(result, query, command);
        times[i] = td_clock_ms() - began;
    }
    if (asked == TD_OK) {
        *median = td_cli_median(times, command->repeat);
    } else {
        td_cli_library_error(NULL);
    }
    free(times);
    return asked == TD_OK;
}

static bool td_answer_ccd(td_ccd_command *command, bool *touching) {
    td_cli_session *session = &command->session;
    td_continuous *query;
    td_continuous_result result;
    command->def.strategy = td_cli_session_strategy(session);
    command->def.volume = session->bounding_volume;
    command->def.descent = session->descent_rule;
    command->def.device = session->opened_device;
    command->def.progress = td_cli_progress_function(&session->progress);
    command->def.progress_user = &session->progress;
    td_cli_progress_stage(&session->progress, "%s", "looking for contacts");
    const td_front_def front = td_default_front_def();
    const bool at_front = command->def.strategy && strcmp(command->def.strategy, "front") == 0;
    if (td_create_continuous(&query, session->context) != TD_OK ||
        (at_front && td_create_front(&command->def.front, session->context, &front) != TD_OK)) {
        td_cli_library_error(NULL);
        td_destroy_continuous(query);
        return false;
    }
    td_cli_ccd_answer answer = {.a = &command->a,
                                .b = command->names[2] ? &command->b : NULL,
                                .mode = command->def.mode,
                                .separation = command->def.moving.separation,
                                .budget = command->budget,
                                .repeat = command->repeat,
                                .result = &result};
    const bool success = td_ask_ccd_repeatedly(&result, &answer.query_ms, query, command);
    if (success) {
        *touching = result.touching;
        td_cli_write_ccd(session, &answer);
    }
    td_destroy_front(command->def.front);
    td_destroy_continuous(query);
    return success;
}

int td_cmd_ccd(int argc, char **argv) {
    td_ccd_command command = {.repeat = 1, .def = td_default_continuous_def()};
    const td_cli_parsed parsed = td_parse_ccd(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_check_ccd(&command) || !td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    bool touching = false;
    const char *const *names = command.names;
    td_choose_device(&command.session);
    bool success = td_cli_session_open_device(&command.session, false) &&
                   td_cli_load_frames(&command.a, &command.session, names[0], names[1]) &&
                   (!names[2] || td_cli_load_frames(&command.b, &command.session, names[2], names[3])) &&
                   td_answer_ccd(&command, &touching);
    td_cli_unload_frames(&command.b);
    td_cli_unload_frames(&command.a);
    success = td_cli_session_close(&command.session, success);
    if (!success) {
        return TD_EXIT_ERROR;
    }
    return command.exit_code && touching ? TD_EXIT_COLLISION : TD_EXIT_DONE;
}
