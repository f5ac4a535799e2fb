// tandem replay REC: tells about a recording or one of its frames, or runs the scene again and compares.
#include "command.h"
#include "io/record.h"
#include "json.h"
#include "message.h"
#include "replay_frame.h"
#include "session.h"
#include "table.h"

#include <inttypes.h>

typedef struct td_replay_command {
    td_cli_session session;
    const char *path;
    bool verify, contacts;
    uint32_t frame; // UINT32_MAX: none
    td_recording *recording;
    td_recording_info info;
    td_replay_result replay; // zero without --verify
} td_replay_command;

static td_cli_parsed td_parse_replay(td_replay_command *command, int argc, char **argv) {
    const td_cli_option own[] = {
        {.name = "--verify",
         .flag = &command->verify,
         .help = "run it again and compare every state, bit by bit"},
        {.name = "--frame",
         .argument = "N",
         .number = &command->frame,
         .most = UINT32_MAX - 1,
         .help = "print where the bodies are in frame N and how fast; 0 is the start"},
        {.name = "--contacts", .flag = &command->contacts, .help = "print the contacts of that frame"},
    };
    const td_cli_syntax syntax = {
        .command = "replay",
        .usage = "REC [--verify | --frame N [--contacts]] [options]",
        .about =
            "Tells about the recording REC, which 'tandem simulate' wrote: its scene, its frames and the\n"
            "hash of all their states. The checksums of all frames are checked; one that was damaged or\n"
            "cut off ends the recording before it. With --verify, the recorded scene is run again, and\n"
            "every state must be equal to the recorded one in every bit.\n",
        .example = "  tandem replay cows.rec --verify\n",
        .groups = {{"Options", own, sizeof own / sizeof own[0]}, td_cli_common_group(&command->session)},
        .operands = "one recording, REC",
        .operands_least = 1,
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed != TD_CLI_RUN) {
        return parsed;
    }
    command->path = operands[0];
    if (command->verify && command->frame != UINT32_MAX) {
        td_cli_error("--verify and --frame exclude each other: expected one of them");
        return TD_CLI_REFUSED;
    }
    if (command->contacts && command->frame == UINT32_MAX) {
        td_cli_error("--contacts are those of a frame: expected --frame N beside it");
        return TD_CLI_REFUSED;
    }
    return TD_CLI_RUN;
}

// ---------------------------------------------------------------------------------------------------------
// About the recording

static void td_about_as_json(td_replay_command *command) {
    const td_recording_info *info = &command->info;
    char hash[TD_CLI_HASH_SIZE];
    td_cli_json json = td_cli_json_begin(command->session.output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "hash", td_cli_hash_text(hash, info->hash));
    td_cli_json_count(&json, "frames", info->frames);
    td_cli_json_bool(&json, "verified", command->replay.verified);
    td_cli_json_bool(&json, "complete", info->complete);
    td_cli_json_bool(&json, "timed", info->timed);
    td_cli_json_count(&json, "lost_bytes", info->lost_bytes);
    td_cli_json_text(&json, "scene", info->scene);
    td_cli_json_number(&json, "step", info->step);
    td_cli_json_count(&json, "bodies", info->bodies);
    td_cli_json_count(&json, "meshes", info->meshes);
    td_cli_json_text(&json, "version", td_recording_version(command->recording));
    if (command->verify) {
        td_cli_json_count(&json, "compared", command->replay.frames);
        if (!command->replay.verified) {
            td_cli_json_count(&json, "first_different", command->replay.first_different);
        }
    }
    td_cli_json_end(&json);
}

static void td_about_as_csv(td_replay_command *command) {
    td_cli_output *output = command->session.output;
    const td_recording_info *info = &command->info;
    char hash[TD_CLI_HASH_SIZE];
    td_cli_put(output, "hash,frames,verified,complete,lost_bytes,scene,step,bodies,meshes\n");
    td_cli_print(output, "%s,%" PRIu64 ",%s,%s,%" PRIu64 ",", td_cli_hash_text(hash, info->hash),
                 info->frames, command->replay.verified ? "true" : "false", info->complete ? "true" : "false",
                 info->lost_bytes);
    td_cli_put_csv(output, info->scene);
    td_cli_print(output, ",%.17g,%u,%u\n", info->step, info->bodies, info->meshes);
}

static void td_about_as_table(td_replay_command *command) {
    const td_recording_info *info = &command->info;
    char number[TD_CLI_NUMBER_SIZE], hash[TD_CLI_HASH_SIZE];
    td_cli_table table = td_cli_table_begin("ll");
    td_cli_table_cell(&table, "scene");
    td_cli_table_cell(&table, "%s", info->scene);
    td_cli_table_cell(&table, "bodies");
    td_cli_table_cell(&table, "%s", td_cli_grouped(number, info->bodies));
    td_cli_table_cell(&table, "meshes");
    td_cli_table_cell(&table, "%s", td_cli_grouped(number, info->meshes));
    td_cli_table_cell(&table, "step");
    td_cli_table_cell(&table, "%.6g s", info->step);
    td_cli_table_cell(&table, "frames");
    td_cli_table_cell(&table, "%s", td_cli_grouped(number, info->frames));
    td_cli_table_cell(&table, "complete");
    td_cli_table_cell(&table, "%s", info->complete ? "yes" : "no, its end is missing");
    if (info->lost_bytes > 0) {
        td_cli_table_cell(&table, "lost");
        td_cli_table_cell(&table, "%s behind the last whole frame", td_cli_bytes(number, info->lost_bytes));
    }
    td_cli_table_cell(&table, "times");
    td_cli_table_cell(&table, "%s", info->timed ? "yes" : "not recorded");
    td_cli_table_cell(&table, "hash");
    td_cli_table_cell(&table, "%s", td_cli_hash_text(hash, info->hash));
    td_cli_table_cell(&table, "verified");
    if (!command->verify) {
        td_cli_table_cell(&table, "not asked: the checksums are right, --verify runs it again");
    } else {
        td_cli_table_cell(&table, "%s", command->replay.verified ? "yes, every state is equal" : "no");
    }
    td_cli_table_cell(&table, "written by");
    td_cli_table_cell(&table, "tandem %s", td_recording_version(command->recording));
    td_cli_table_end(&table, command->session.output, 0);
}

static void td_tell_about(td_replay_command *command) {
    if (command->session.format == TD_CLI_JSON) {
        td_about_as_json(command);
    } else if (command->session.format == TD_CLI_CSV) {
        td_about_as_csv(command);
    } else {
        td_about_as_table(command);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Again

// In the way of the common options. Returns whether it could be run and every state was equal.
static bool td_verify(td_replay_command *command) {
    td_cli_session *session = &command->session;
    if (!td_cli_session_open_device(session, false)) {
        return false;
    }
    td_scene_def def = td_default_scene_def();
    def.strategy = td_cli_session_strategy(session);
    def.volume = session->bounding_volume;
    def.descent = session->descent_rule;
    def.device = session->opened_device;
    td_cli_progress_stage(&session->progress, "replaying %s", command->path);
    const td_result result =
        td_replay_recording_with(&command->replay, command->recording, &def,
                                 td_cli_progress_function(&session->progress), &session->progress);
    td_cli_progress_end(&session->progress);
    if (result != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    td_tell_about(command);
    if (!command->replay.verified) {
        td_cli_error("%s: the scene ran differently: frame %" PRIu64 " of %" PRIu64
                     " is the first whose state is not the recorded one",
                     command->path, command->replay.first_different, command->info.frames);
    }
    return command->replay.verified;
}

int td_cmd_replay(int argc, char **argv) {
    td_replay_command command = {.frame = UINT32_MAX};
    td_cli_session *session = &command.session;
    const td_cli_parsed parsed = td_parse_replay(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(session, true)) {
        return TD_EXIT_ERROR;
    }
    bool success = td_open_recording(&command.recording, session->context, command.path) == TD_OK;
    if (!success) {
        td_cli_library_error(NULL);
    } else {
        command.info = td_recording_about(command.recording);
        if (command.verify) {
            success = td_verify(&command);
        } else if (command.frame != UINT32_MAX) {
            success = td_cli_tell_frame(session, command.recording, command.frame, command.contacts);
        } else {
            td_tell_about(&command);
        }
    }
    td_close_recording(command.recording);
    // That a run was different is a result as well, told where it does not pass for a file that is complete.
    const bool shown = success || (command.replay.frames > 0 && !session->output_path);
    const bool written = td_cli_session_close(session, shown);
    return success && written ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
