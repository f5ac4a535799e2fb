// tandem view: a page for the browser that plays a recording, or shows meshes and where they intersect; or a
// server that shows a recording while it is written.
#include "command.h"
#include "io/path.h"
#include "json.h"
#include "message.h"
#include "view_live.h"
#include "view_server.h"
#include "view_write.h"

#include <tandem/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TD_VIEW_OPTIONS = 5, TD_VIEW_MESHES_MOST = 10000 };

typedef struct td_view_command {
    td_cli_session session;
    const char *page_path; // null: named after what it shows
    bool serve;
    uint32_t port;
    td_view_wish wish;
    td_view_page page;
    td_view_source source;
} td_view_command;

// -o is the page here, what is said about it goes to standard output.
static td_cli_option_group td_view_common(td_view_command *command) {
    td_cli_session *session = &command->session;
    const td_cli_option_group group = td_cli_common_group(session);
    for (size_t i = 0; i < group.count; ++i) {
        if (session->common[i].letter == 'o') {
            session->common[i].argument = "PAGE";
            session->common[i].text = &command->page_path;
            session->common[i].help = "the page; by default REC with .html in place of its end";
        }
    }
    return group;
}

static bool td_check_options(const td_view_command *command) {
    const td_view_wish *wish = &command->wish;
    if (wish->mesh_count == 0 && !wish->result) {
        td_cli_error("'view' needs a recording, or meshes, or --result: 'tandem view --help' shows how");
        return false;
    }
    if (command->serve && command->page_path) {
        td_cli_error("--serve and -o exclude each other: expected one of them");
        return false;
    }
    if (!command->serve && command->port) {
        td_cli_error("--port goes with --serve: expected both, or neither");
        return false;
    }
    return td_cli_poses_check(&wish->poses);
}

static td_cli_parsed td_parse_view(td_view_command *command, int argc, char **argv) {
    const td_cli_option own[TD_VIEW_OPTIONS] = {
        {.name = "--serve",
         .flag = &command->serve,
         .help = "show it on a port of this machine, also while it is still written"},
        {.name = "--port",
         .argument = "N",
         .number = &command->port,
         .most = UINT16_MAX,
         .help = "of --serve; 0, the default: one that is free"},
        {.name = "--result",
         .argument = "FILE",
         .text = &command->wish.result,
         .help = "highlight triangles: output of collide or self with --json"},
        {.name = "--pose",
         .argument = "NUMBERS",
         .text = &command->wish.poses.text,
         .help = "place the second of two meshes, as in 'tandem collide'"},
        {.name = "--poses",
         .argument = "FILE",
         .text = &command->wish.poses.file,
         .help = "the same, a frame per line of FILE"},
    };
    const td_cli_syntax syntax = {
        .command = "view",
        .usage = "REC | MESH... | --result FILE [-o PAGE | --serve] [options]",
        .about =
            "Writes a page for the browser that plays the recording REC, which 'tandem simulate' wrote.\n"
            "It is one file that needs no server and no network. Or shows meshes, and with --result\n"
            "those of an answer of 'tandem collide' or 'tandem self' with the triangles that intersect.\n"
            "\n"
            "With --serve, nothing is written: the page is shown on a port of this machine until Ctrl-C\n"
            "ends it, and follows a recording that is still written, or not yet there.\n",
        .example = "  tandem view cows.rec -o cows.html\n"
                   "  tandem collide a.obj b.obj --json -o hits.json && tandem view --result hits.json\n",
        .groups = {{"Options", own, TD_VIEW_OPTIONS}, td_view_common(command)},
        .operands = "a recording, or meshes",
        .operands_least = 0,
        .operands_most = TD_VIEW_MESHES_MOST,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed != TD_CLI_RUN) {
        return parsed;
    }
    command->wish.meshes = operands;
    command->wish.mesh_count = (uint32_t)count;
    return td_check_options(command) ? TD_CLI_RUN : TD_CLI_REFUSED;
}

// The recording among the operands, null if they are meshes. False: they do not go together, which was told.
static bool td_find_recording(const char **out, const td_view_command *command) {
    const td_view_wish *wish = &command->wish;
    *out = NULL;
    for (uint32_t i = 0; i < wish->mesh_count && !*out; ++i) {
        *out = td_view_is_recording(wish->meshes[i], command->serve) ? wish->meshes[i] : NULL;
    }
    const char *other = wish->mesh_count > 1 ? "another operand"
                        : wish->result       ? "--result"
                        : wish->poses.text   ? "--pose"
                        : wish->poses.file   ? "--poses"
                                             : NULL;
    if (*out && other) {
        td_cli_error("%s is a recording, and %s was given: expected a recording alone, or meshes", *out,
                     other);
        return false;
    }
    return true;
}

static bool td_open_source(td_view_command *command, const char *recording) {
    return recording ? td_view_open_recording(&command->source, &command->session, recording)
                     : td_view_open_meshes(&command->source, &command->session, &command->wish);
}

// ---------------------------------------------------------------------------------------------------------
// Writing a page

// "cows.html" of "cows.rec", "cow.html" of "shape:cow:2"; for free(), null if out of memory.
static char *td_default_path(const td_view_wish *wish) {
    static const char prefix[] = "shape:";
    const char *name = wish->result ? wish->result : wish->meshes[0];
    size_t length = strlen(name) - strlen(td_path_extension(name));
    if (!wish->result && strncmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
        length = strcspn(name, ":/");
    }
    char *path = NULL;
    return asprintf(&path, "%.*s.html", (int)length, name) < 0 ? NULL : path;
}

static bool td_is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// The page must not take the place of what it is made from.
static bool td_check_page_path(const td_view_wish *wish, const char *path) {
    const char *clash = wish->result && td_is_same_file(wish->result, path) ? wish->result : NULL;
    for (uint32_t i = 0; i < wish->mesh_count && !clash; ++i) {
        clash = td_is_same_file(wish->meshes[i], path) ? wish->meshes[i] : NULL;
    }
    if (clash) {
        td_cli_error("the page %s would replace %s: expected another name with -o", path, clash);
    }
    return !clash;
}

static bool td_write_page(td_view_command *command, const char *recording, td_cli_output *output,
                          const char *path) {
    td_cli_session *session = &command->session;
    if (!td_check_page_path(&command->wish, path) || !td_open_source(command, recording) ||
        !td_cli_output_open(output, path)) {
        return false;
    }
    uint64_t bytes = 0;
    if (!td_view_write(output, &command->page, &command->source, session, &bytes)) {
        td_cli_output_discard(output);
        return false;
    }
    if (!td_cli_output_commit(output)) {
        return false;
    }
    td_view_tell(session, &command->source, path, bytes);
    return true;
}

static bool td_run_write(td_view_command *command, const char *recording) {
    td_cli_output *output = malloc(sizeof *output);
    char *own_path = command->page_path ? NULL : td_default_path(&command->wish);
    const char *path = command->page_path ? command->page_path : own_path;
    bool success = output && path;
    if (!success) {
        td_cli_error("out of memory");
    } else {
        success = td_write_page(command, recording, output, path);
    }
    free(own_path);
    free(output);
    return success;
}

// ---------------------------------------------------------------------------------------------------------
// Serving

// A recording that cannot become readable any more is told at once; for one that may, the page waits.
static bool td_check_live(td_view_command *command, const char *path) {
    td_recording *recording = NULL;
    if (!td_view_starts_well(path) &&
        td_open_recording(&recording, command->session.context, path) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    td_close_recording(recording);
    if (access(path, F_OK) != 0 && !command->session.quiet) {
        td_cli_note("%s does not exist yet: the page waits for it", path);
    }
    return true;
}

// Standard output gets it before the first request can come.
static bool td_tell_address(td_cli_session *session, const char *path, uint16_t port) {
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", port);
    if (session->format == TD_CLI_JSON) {
        td_cli_json json = td_cli_json_begin(session->output);
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "url", url);
        td_cli_json_count(&json, "port", port);
        td_cli_json_text(&json, "path", path);
        td_cli_json_end(&json);
    } else if (session->format == TD_CLI_CSV) {
        td_cli_print(session->output, "url,port,path\n%s,%u,", url, port);
        td_cli_put_csv(session->output, path);
        td_cli_put(session->output, "\n");
    } else {
        td_cli_print(session->output, "%s is shown at %s until Ctrl-C\n", path, url);
    }
    return td_cli_output_commit(session->output);
}

static bool td_run_serve(td_view_command *command, const char *recording) {
    td_cli_session *session = &command->session;
    if (recording ? !td_check_live(command, recording) : !td_open_source(command, NULL)) {
        return false;
    }
    const td_view_source *source = &command->source;
    td_view_site site = {
        .page = command->page,
        .name = recording ? td_path_file_name(recording) : source->name,
        .highlights = source->highlights ? source->highlights : "",
        .live = recording ? td_view_live_path(recording) : td_view_live_file(source->file),
    };
    td_cli_progress_end(&session->progress);
    td_view_server server;
    if (!td_open_server(&server, (uint16_t)command->port)) {
        return false;
    }
    const bool success = td_tell_address(session, recording ? recording : source->path, server.port) &&
                         td_run_server(&server, &site);
    td_close_server(&server);
    return success;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_run_view(td_view_command *command) {
    const char *recording;
    if (!td_view_find_page(&command->page) || !td_find_recording(&recording, command)) {
        return false;
    }
    return command->serve ? td_run_serve(command, recording) : td_run_write(command, recording);
}

int td_cmd_view(int argc, char **argv) {
    td_view_command command = {.source = {.file = -1}};
    const td_cli_parsed parsed = td_parse_view(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    bool success = td_run_view(&command);
    td_view_close_source(&command.source);
    success = td_cli_session_close(&command.session, success);
    return success ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
