// The program: finds the subcommand in the table and runs it.
#include "command.h"
#include "core/nearest.h"
#include "help.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct td_cli_command {
    const char *name;
    const char *summary;
    td_cli_command_fn *run;
} td_cli_command;

static const td_cli_command td_commands[] = {
    {"info", "tells about this program, or about meshes", td_cmd_info},
    {"gen", "writes a built-in mesh", td_cmd_gen},
    {"collide", "finds the intersecting triangles of two meshes", td_cmd_collide},
    {"self", "finds the triangles of a mesh that intersect each other", td_cmd_self},
    {"ccd", "finds what touches between the two ends of a step, and when", td_cmd_ccd},
    {"simulate", "runs a scene and tells what happens in it", td_cmd_simulate},
    {"replay", "tells about a recording, or runs it again and compares", td_cmd_replay},
    {"view", "shows a recording, or meshes, in the browser", td_cmd_view},
    {"render", "draws a picture or a film of a recording, or of meshes", td_cmd_render},
    {"export", "writes a recording for other programs: an animation, poses, a mesh", td_cmd_export},
    {"bench", "measures what the program does", td_cmd_bench},
};
enum { TD_COMMANDS = sizeof td_commands / sizeof td_commands[0] };

static const td_cli_command *td_find_command(const char *name) {
    for (int i = 0; i < TD_COMMANDS; ++i) {
        if (strcmp(td_commands[i].name, name) == 0) {
            return &td_commands[i];
        }
    }
    return NULL;
}

static int td_refuse_command(const char *name) {
    td_nearest nearest = td_nearest_to(name);
    for (int i = 0; i < TD_COMMANDS; ++i) {
        td_nearest_offer(&nearest, td_commands[i].name);
    }
    if (name[0] == '-') {
        td_cli_error("unknown option %s: expected a subcommand first; 'tandem --help' lists them", name);
    } else if (nearest.best) {
        td_cli_error("unknown subcommand '%s': did you mean %s? 'tandem --help' lists them", name,
                     nearest.best);
    } else {
        td_cli_error("unknown subcommand '%s': 'tandem --help' lists them", name);
    }
    return TD_EXIT_ERROR;
}

static int td_print_overview(void) {
    static td_cli_output output;
    if (!td_cli_output_open(&output, NULL)) {
        return TD_EXIT_ERROR;
    }
    td_cli_put(&output, "Usage: tandem SUBCOMMAND [arguments]\n\n"
                        "Exact collision detection between triangle meshes.\n\n"
                        "Subcommands:\n");
    for (int i = 0; i < TD_COMMANDS; ++i) {
        td_cli_print(&output, "  %-8s  %s\n", td_commands[i].name, td_commands[i].summary);
    }
    td_cli_put(&output, "\n'tandem SUBCOMMAND --help' tells more. 'tandem --version' tells the version.\n\n"
                        "Exit status: 0 done, 1 a collision was found (with --exit-code), 2 error.\n\n"
                        "Example:\n"
                        "  tandem collide shape:cow shape:torus --pose \"0.3 0 0 0 0 0 1\"\n");
    return td_cli_output_commit(&output) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}

// `tandem help`, `tandem help collide`, `tandem help bench paper 000`. Words beyond these are not looked at.
static int td_help(int argc, char **argv) {
    if (argc < 2) {
        return td_print_overview();
    }
    const td_cli_command *command = td_find_command(argv[1]);
    if (!command) {
        return td_refuse_command(argv[1]);
    }
    char option[] = "--help";
    enum { TD_HELP_WORDS = 3 };
    char *arguments[TD_HELP_WORDS + 2] = {NULL};
    int count = 0;
    while (count < TD_HELP_WORDS && count + 1 < argc) {
        arguments[count] = argv[count + 1];
        ++count;
    }
    arguments[count++] = option;
    return command->run(count, arguments);
}

// Descriptors 0 to 2 that the caller closed would otherwise go to the next file that is opened. They are
// opened for reading only, so that writing to them still fails.
static bool td_occupy_standard_files(void) {
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    return fd >= 0 && close(fd) == 0;
}

int main(int argc, char **argv) {
    if (!td_occupy_standard_files()) {
        td_cli_error("cannot open /dev/null");
        return TD_EXIT_ERROR;
    }
    td_cli_install_signals();
    if (argc < 2) {
        td_cli_error("expected a subcommand: 'tandem --help' lists them");
        return TD_EXIT_ERROR;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        return td_help(argc - 1, argv + 1);
    }
    if (strcmp(name, "--version") == 0) {
        return td_cli_print_version() ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    const td_cli_command *command = td_find_command(name);
    return command ? command->run(argc - 1, argv + 1) : td_refuse_command(name);
}
