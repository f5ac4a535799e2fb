// tandem bench ccd [FRAME0 FRAME1] [QUERIES.ccdq...]: how fast continuous collision is.
#include "bench_ccd.h"
#include "command.h"
#include "message.h"

#include <string.h>

enum { TD_CCD_BENCH_OPTIONS = 3, TD_CCD_RANDOM_MOST = 10000000 };

static bool td_is_query_file(const char *name) {
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".ccdq") == 0;
}

static bool td_sort_operands(td_ccd_command *command, char **operands, int count) {
    int frames = 0;
    for (int i = 0; i < count; ++i) {
        if (td_is_query_file(operands[i])) {
            command->files[command->file_count++] = operands[i];
        } else if (frames < 2) {
            command->frames[frames++] = operands[i];
        } else {
            td_cli_error("'bench ccd' got a third frame, '%s': expected two, and files that end in .ccdq",
                         operands[i]);
            return false;
        }
    }
    if (frames == 1) {
        td_cli_error("'bench ccd' got one frame, '%s': expected two of one mesh, or none",
                     command->frames[0]);
        return false;
    }
    return true;
}

static td_cli_parsed td_parse_ccd_bench(td_ccd_command *command, int argc, char **argv) {
    const td_cli_option own[TD_CCD_BENCH_OPTIONS] = {
        {.name = "--repeats",
         .argument = "N",
         .number = &command->repeats,
         .least = 1,
         .most = TD_CCD_REPEATS_MOST,
         .help = "rounds, of which medians are taken; default 5"},
        {.name = "--random",
         .argument = "N",
         .number = &command->random,
         .least = 1,
         .most = TD_CCD_RANDOM_MOST,
         .help = "elementary tests of either kind; default 100000"},
        {.name = "--seed",
         .argument = "N",
         .number = &command->seed,
         .most = UINT32_MAX,
         .help = "of the random tests; default 1"},
    };
    const td_cli_syntax syntax = {
        .command = "bench ccd",
        .usage = "[FRAME0 FRAME1] [QUERIES.ccdq ...] [options]",
        .about =
            "Measures continuous collision: elementary tests, of a vertex and a face or of two edges, on "
            "one\n"
            "thread; and a whole step of a mesh against itself, on one thread and on all, natively and on\n"
            "devices, beside its self-intersections at the end of the step, refit included.\n"
            "\n"
            "The step is from FRAME0 to FRAME1, two frames of one mesh; without them a cow of 6,000\n"
            "triangles is folded a little. Elementary tests are those of the files that end in .ccdq, whose\n"
            "answers are known and are checked; without them some at random. Rows of a step must agree.\n",
        .example = "  tandem bench ccd cloth-1.ply cloth-2.ply --threads 1\n",
        .groups = {{"Options", own, TD_CCD_BENCH_OPTIONS}, td_cli_common_group(&command->session)},
        .operands = "two frames and files of queries, or none",
        .operands_most = TD_CCD_FILES_MOST,
    };
    for (int i = 0; i < TD_CLI_COMMON_OPTIONS; ++i) {
        if (command->session.common[i].text == &command->session.device) {
            command->session.common[i].help = "beside native: opencl, opencl:N; default: all; native: none";
        }
    }
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    const td_cli_session *session = &command->session;
    if (parsed == TD_CLI_RUN && (session->strategy || session->volume || session->descent)) {
        td_cli_error("'bench ccd' has rows of every strategy: expected no --strategy, --volume or --descent");
        return TD_CLI_REFUSED;
    }
    return parsed == TD_CLI_RUN && !td_sort_operands(command, operands, count) ? TD_CLI_REFUSED : parsed;
}

int td_bench_ccd(int argc, char **argv) {
    static td_ccd_command command; // times of many rounds: not on the stack
    command = (td_ccd_command){.repeats = 5, .random = 100000, .seed = 1};
    const td_cli_parsed parsed = td_parse_ccd_bench(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_ccd_measure_tests(&command) && td_ccd_measure_step(&command);
    if (success) {
        td_ccd_report(&command);
    }
    td_ccd_release_step(&command);
    td_ccd_release_tests(&command);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
