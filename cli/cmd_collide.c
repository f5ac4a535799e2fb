// tandem collide A B: the triangles of two meshes that intersect, for one pose of B or for many.
#include "command.h"
#include "message.h"
#include "pose_options.h"
#include "query.h"

#include <stdlib.h>

typedef struct td_collide_command {
    td_cli_session session;
    td_cli_query query;
    const char *name_a, *name_b;
    // What was read, in reading order. Poses are read sooner than meshes, and a mistake in them is told
    // sooner.
    td_cli_poses poses;
    td_cli_mesh a, b;
    td_collide_result *results;
} td_collide_command;

static td_cli_parsed td_parse_collide(td_collide_command *command, int argc, char **argv) {
    td_cli_option own[TD_CLI_QUERY_OPTIONS + 2] = {
        {.name = "--pose",
         .argument = "NUMBERS",
         .text = &command->poses.text,
         .help = "place B: \"tx ty tz qx qy qz qw\", or a 3x4 matrix"},
        {.name = "--poses",
         .argument = "FILE",
         .text = &command->poses.file,
         .help = "a batch: as many poses as FILE has lines"},
    };
    td_cli_query_options(own + 2, &command->query);
    const td_cli_syntax syntax = {
        .command = "collide",
        .usage = "A B [--pose NUMBERS | --poses FILE] [--count | --first] [options]",
        .about = "Finds the triangles of mesh A and of mesh B that intersect, exactly. B is placed by a\n"
                 "pose: a position and a unit quaternion, or the 12 numbers of a row-major 3x4 matrix.\n"
                 "\n"
                 "A and B are mesh files, or shape:NAME or shape:NAME:N, a built-in shape, subdivided\n"
                 "N times.\n",
        .example = "  tandem collide bunny.obj shape:cow --pose \"0.1 0 0 0 0 0 1\" --json\n",
        .groups = {{"Options", own, TD_CLI_QUERY_OPTIONS + 2}, td_cli_common_group(&command->session)},
        .operands = "two meshes, A and B",
        .operands_least = 2,
        .operands_most = 2,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN) {
        command->name_a = operands[0];
        command->name_b = operands[1];
    }
    return parsed;
}

static bool td_run_collide(td_collide_command *command, bool *colliding) {
    td_cli_session *session = &command->session;
    if (!td_cli_session_open_device(session, false) ||
        !td_cli_read_poses(&command->poses, session->context) ||
        !td_cli_load(&command->a, session, command->name_a, true) ||
        !td_cli_load(&command->b, session, command->name_b, true)) {
        return false;
    }
    td_cli_answer answer = {.a = &command->a,
                            .b = &command->b,
                            .poses = command->poses.poses,
                            .batch = command->poses.file != NULL,
                            .count = command->poses.file ? command->poses.count : 1};
    command->results = calloc(answer.count, sizeof *command->results);
    if (!command->results) {
        td_cli_error("out of memory for the results of %zu poses", answer.count);
        return false;
    }
    return td_cli_query_run(session, &command->query, &answer, command->results, false, colliding);
}

int td_cmd_collide(int argc, char **argv) {
    td_collide_command command = {.query = td_cli_default_query()};
    const td_cli_parsed parsed = td_parse_collide(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_poses_check(&command.poses) || !td_cli_query_check(&command.query) ||
        !td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    bool colliding = false;
    bool success = td_run_collide(&command, &colliding);
    free(command.results);
    td_cli_unload(&command.b);
    td_cli_unload(&command.a);
    td_cli_release_poses(&command.poses, command.session.context);
    success = td_cli_session_close(&command.session, success);
    return td_cli_query_status(&command.query, success, colliding);
}
