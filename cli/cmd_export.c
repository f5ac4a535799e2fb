// tandem export REC -o FILE: a recording for other programs.
#include "command.h"
#include "interrupt.h"
#include "io/decimal.h"
#include "json.h"
#include "message.h"
#include "names.h"
#include "session.h"
#include "table.h"

#include <tandem/scene.h>

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define TD_NO_FRAME UINT32_MAX

typedef struct td_export_command {
    td_cli_session session;
    const char *path;
    const char *format, *tolerance, *soft_tolerance; // null: not given
    uint32_t frame, from, to;                        // TD_NO_FRAME: not given
    uint32_t every;
    td_export_def def;
    td_recording *recording;
    td_recording_info info;
} td_export_command;

// ---------------------------------------------------------------------------------------------------------
// The command line

// `text` null: not given.
static bool td_parse_tolerance(double *out, const char *text, const char *name, const char *expected) {
    const char *at = text, *end = text ? text + strlen(text) : NULL;
    if (text && (td_decimal_parse(out, &at, end) != TD_DECIMAL_OK || at != end || !(*out >= 0))) {
        td_cli_error("%s '%s' is not %s, 0 or more", name, text, expected);
        return false;
    }
    return true;
}

static bool td_parse_format(td_export_command *command) {
    if (!command->format) {
        if (td_export_format_of_path(&command->def.format, command->session.output_path) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
        return true;
    }
    const char *names[TD_EXPORT_FORMAT_COUNT - 1];
    for (int i = 1; i < TD_EXPORT_FORMAT_COUNT; ++i) {
        names[i - 1] = td_export_format_name((td_export_format)i);
    }
    size_t index;
    const td_cli_names known = {"format", names, TD_EXPORT_FORMAT_COUNT - 1};
    if (!td_cli_find_name(&index, &known, command->format, "--format")) {
        return false;
    }
    command->def.format = (td_export_format)(index + 1);
    return true;
}

static bool td_parse_frames(td_export_command *command) {
    const bool range = command->from != TD_NO_FRAME || command->to != TD_NO_FRAME || command->every != 1;
    td_export_def *def = &command->def;
    if (command->frame != TD_NO_FRAME && range) {
        td_cli_error("--frame excludes --from, --to and --every: expected one frame or a range");
        return false;
    }
    if (td_export_is_mesh(def->format) && command->frame == TD_NO_FRAME) {
        td_cli_error(".%s holds one frame: expected --frame N as well", td_export_format_name(def->format));
        return false;
    }
    def->every = command->every;
    if (command->frame != TD_NO_FRAME) {
        def->first = def->last = command->frame;
    }
    if (command->from != TD_NO_FRAME) {
        def->first = command->from;
    }
    if (command->to != TD_NO_FRAME) {
        def->last = command->to;
    }
    return true;
}

static bool td_check_export_options(td_export_command *command) {
    if (!command->session.output_path) {
        td_cli_error("'export' needs a file to write: expected -o FILE, such as -o anim.glb");
        return false;
    }
    if (!td_parse_format(command) ||
        !td_parse_tolerance(&command->def.tolerance, command->tolerance, "--tolerance",
                            "a length: expected metres") ||
        !td_parse_tolerance(&command->def.soft_tolerance, command->soft_tolerance, "--soft-tolerance",
                            "a part of a body's size: expected a number")) {
        return false;
    }
    if ((command->tolerance || command->soft_tolerance) && command->def.format != TD_EXPORT_GLB) {
        td_cli_error("%s is about the keys of an animation: expected -o FILE.glb with it",
                     command->tolerance ? "--tolerance" : "--soft-tolerance");
        return false;
    }
    return td_parse_frames(command);
}

static td_cli_parsed td_parse_export(td_export_command *command, int argc, char **argv) {
    const td_cli_option own[] = {
        {.name = "--format",
         .argument = "NAME",
         .text = &command->format,
         .help = "glb, csv, obj, ply, off or stl; the default: as FILE's extension says"},
        {.name = "--frame",
         .argument = "N",
         .number = &command->frame,
         .most = TD_NO_FRAME - 1,
         .help = "frame N alone; 0 is the start"},
        {.name = "--from",
         .argument = "N",
         .number = &command->from,
         .most = TD_NO_FRAME - 1,
         .help = "the first frame"},
        {.name = "--to",
         .argument = "N",
         .number = &command->to,
         .most = TD_NO_FRAME - 1,
         .help = "the last frame"},
        {.name = "--every",
         .argument = "N",
         .number = &command->every,
         .least = 1,
         .most = UINT32_MAX,
         .help = "every Nth frame only"},
        {.name = "--tolerance",
         .argument = "M",
         .text = &command->tolerance,
         .help = "leave keys out as long as no vertex is M metres off; 1e-5"},
        {.name = "--soft-tolerance",
         .argument = "PART",
         .text = &command->soft_tolerance,
         .help = "the same for shapes of soft bodies, as a part of their size; 1/256"},
    };
    const td_cli_syntax syntax = {
        .command = "export",
        .usage = "REC -o FILE [--frame N | --from N --to N --every N] [options]",
        .about = "Writes the recording REC, which 'tandem simulate' wrote, for other programs:\n"
                 "\n"
                 "  .glb                     an animation: glTF 2.0, for Blender and others\n"
                 "  .csv                     the pose of every body in every frame; of soft\n"
                 "                           bodies, where their middle is\n"
                 "  .obj, .ply, .off, .stl   frame N as one mesh\n",
        .example = "  tandem export cows.rec -o cows.glb\n"
                   "  tandem export cows.rec --frame 400 -o heap.obj\n",
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
    return td_check_export_options(command) ? TD_CLI_RUN : TD_CLI_REFUSED;
}

// ---------------------------------------------------------------------------------------------------------
// What was written

static void td_export_as_json(const td_export_command *command, const td_export_report *report) {
    td_cli_json json = td_cli_json_begin(command->session.output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "file", command->session.output_path);
    td_cli_json_text(&json, "format", td_export_format_name(report->format));
    td_cli_json_count(&json, "bytes", report->bytes);
    td_cli_json_count(&json, "frames", report->frames);
    td_cli_json_count(&json, "bodies", report->bodies);
    td_cli_json_count(&json, "triangles", report->triangles);
    if (report->format == TD_EXPORT_GLB) {
        td_cli_json_count(&json, "meshes", report->meshes);
        td_cli_json_count(&json, "moving_bodies", report->moving_bodies);
        td_cli_json_count(&json, "keys", report->keys);
        td_cli_json_count(&json, "sampled_keys", report->sampled_keys);
        td_cli_json_count(&json, "jumps", report->jumps);
        td_cli_json_number(&json, "tolerance", command->def.tolerance);
        if (report->soft_bodies > 0) {
            td_cli_json_count(&json, "soft_bodies", report->soft_bodies);
            td_cli_json_count(&json, "shapes", report->shapes);
            td_cli_json_count(&json, "sampled_shapes", report->sampled_shapes);
            td_cli_json_number(&json, "soft_tolerance", command->def.soft_tolerance);
        }
        td_cli_json_number(&json, "largest_error", report->largest_error);
    }
    td_cli_json_bool(&json, "complete", command->info.complete);
    td_cli_json_count(&json, "lost_bytes", command->info.lost_bytes);
    td_cli_json_end(&json);
}

static void td_export_as_csv(const td_export_command *command, const td_export_report *report) {
    td_cli_output *output = command->session.output;
    td_cli_put(output, "file,format,bytes,frames,bodies,triangles,meshes,moving_bodies,keys,sampled_keys,"
                       "jumps,soft_bodies,shapes,sampled_shapes,largest_error,complete,lost_bytes\n");
    td_cli_put_csv(output, command->session.output_path);
    td_cli_print(output,
                 ",%s,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%u,%u,%" PRIu64
                 ",%" PRIu64 ",%.17g,%s,%" PRIu64 "\n",
                 td_export_format_name(report->format), report->bytes, report->frames, report->bodies,
                 report->triangles, report->meshes, report->moving_bodies, report->keys, report->sampled_keys,
                 report->jumps, report->soft_bodies, report->shapes, report->sampled_shapes,
                 report->largest_error, command->info.complete ? "true" : "false", command->info.lost_bytes);
}

static void td_export_as_text(const td_export_command *command, const td_export_report *report) {
    char frames[TD_CLI_NUMBER_SIZE], bodies[TD_CLI_NUMBER_SIZE], size[TD_CLI_NUMBER_SIZE],
        keys[TD_CLI_NUMBER_SIZE], all[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("l");
    td_cli_table_cell(&table, "%s: %s bodies, %s frame%s, %s", command->session.output_path,
                      td_cli_grouped(bodies, report->bodies), td_cli_grouped(frames, report->frames),
                      report->frames == 1 ? "" : "s", td_cli_bytes(size, report->bytes));
    if (report->keys > 0) {
        td_cli_table_cell(&table, "%s keys of %s; no vertex is off by more than %.2g m",
                          td_cli_grouped(keys, report->keys), td_cli_grouped(all, report->sampled_keys),
                          report->largest_error);
    }
    if (report->soft_bodies > 0) {
        td_cli_table_cell(&table,
                          "%s shapes of %s of soft bodies; the others are in between, within %.2g of a size",
                          td_cli_grouped(keys, report->shapes), td_cli_grouped(all, report->sampled_shapes),
                          command->def.soft_tolerance);
    }
    td_cli_table_end(&table, command->session.output, 0);
}

static void td_tell_export(const td_export_command *command, const td_export_report *report) {
    if (command->session.format == TD_CLI_JSON) {
        td_export_as_json(command, report);
    } else if (command->session.format == TD_CLI_CSV) {
        td_export_as_csv(command, report);
    } else if (!command->session.quiet) {
        td_export_as_text(command, report);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Exporting

// A recording without its end is exported as far as it is whole.
static void td_tell_lost(const td_export_command *command) {
    const td_recording_info *info = &command->info;
    if (info->complete || command->session.quiet) {
        return;
    }
    td_cli_note("%s: its end is missing, %" PRIu64
                " bytes behind its last whole frame are lost: it has %" PRIu64 " frames",
                command->path, info->lost_bytes, info->frames);
}

// Shows how far it is, and asks to stop if a signal waits.
static bool td_export_progress(uint64_t done, uint64_t total, void *user) {
    td_cli_progress *progress = user;
    td_progress_fn *show = td_cli_progress_function(progress);
    if (show) {
        show(done, total, progress);
    }
    return !td_cli_signal_waits();
}

// What is there already and is no regular file: a pipe, a device.
static bool td_is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

// The library removes what it has not finished, but not if it is cut in two: signals wait until it is done or
// has stopped. A pipe leaves nothing to remove, and may keep it waiting for ever.
static bool td_run_export(td_export_command *command) {
    td_cli_session *session = &command->session;
    if (td_open_recording(&command->recording, session->context, command->path) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    command->info = td_recording_about(command->recording);
    td_tell_lost(command);
    td_export_report report;
    td_cli_progress_stage(&session->progress, "exporting %.60s", command->path);
    command->def.progress = td_export_progress;
    command->def.progress_user = &session->progress;
    if (!td_is_special(session->output_path)) {
        td_cli_hold_signals();
    }
    const td_result result =
        td_export_recording(&report, command->recording, session->output_path, &command->def);
    td_cli_progress_end(&session->progress);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(result == TD_ERROR_FILE ? td_cli_output_expected : NULL);
        return false;
    }
    td_tell_export(command, &report);
    return true;
}

int td_cmd_export(int argc, char **argv) {
    td_export_command command = {.frame = TD_NO_FRAME,
                                 .from = TD_NO_FRAME,
                                 .to = TD_NO_FRAME,
                                 .every = 1,
                                 .def = td_default_export_def()};
    td_cli_session *session = &command.session;
    const td_cli_parsed parsed = td_parse_export(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    // The session's output is the summary, on standard output; the library writes the file.
    const char *path = session->output_path;
    session->output_path = NULL;
    if (!td_cli_session_open(session, true)) {
        return TD_EXIT_ERROR;
    }
    session->output_path = path;
    const bool success = td_run_export(&command);
    td_close_recording(command.recording);
    return td_cli_session_close(session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
