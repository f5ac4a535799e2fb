// tandem bench paper NAME: finds the paper in the table and repeats what it measured.
#include "command.h"
#include "message.h"
#include "names.h"
#include "output.h"

#include <stddef.h>
#include <string.h>

typedef struct td_cli_paper {
    const char *name;
    const char *summary;
    td_cli_command_fn *run; // argv[0] is the paper's name
} td_cli_paper;

static const td_cli_paper td_papers[] = {
    {"000", "the binary stack, Table 1: 512 falling cows, iteration by iteration", td_bench_paper_000},
    {"001", "hierarchy operations, Figs. 7 to 9: built, refitted and asked while meshes deform",
     td_bench_paper_001},
    {"002", "blocked hierarchies, Figs. 6 to 8: contact area and speed-up over sizes", td_bench_paper_002},
    {"003", "ray-traced contacts, Figs. 6 and 7, Tables 1 and 2: a pipeline against one kernel",
     td_bench_paper_003},
    {"004", "fully on the device, Tables 1, 2, 4 and 5: circles and polygons in the plane",
     td_bench_paper_004},
};
enum { TD_PAPERS = sizeof td_papers / sizeof td_papers[0] };

static int td_print_papers(void) {
    static td_cli_output output; // 64 KiB: not on the stack
    if (!td_cli_output_open(&output, NULL)) {
        return TD_EXIT_ERROR;
    }
    td_cli_put(&output, "Usage: tandem bench paper NAME [options]\n\n"
                        "Repeats what a paper measured, and prints its figures beside ours.\n\nPapers:\n");
    for (int i = 0; i < TD_PAPERS; ++i) {
        td_cli_print(&output, "  %s  %s\n", td_papers[i].name, td_papers[i].summary);
    }
    td_cli_put(&output, "\n'tandem bench paper NAME --help' tells more.\n\n"
                        "Example:\n  tandem bench paper 000 --csv -o paper-000.csv\n");
    return td_cli_output_commit(&output) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}

int td_bench_paper(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return td_print_papers();
    }
    if (argc < 2 || argv[1][0] == '-') {
        td_cli_error(
            "'bench paper' needs the name of a paper first%s%s: 'tandem bench paper --help' lists them",
            argc < 2 ? "" : ", but got ", argc < 2 ? "" : argv[1]);
        return TD_EXIT_ERROR;
    }
    const char *names[TD_PAPERS];
    for (int i = 0; i < TD_PAPERS; ++i) {
        names[i] = td_papers[i].name;
    }
    size_t index;
    if (!td_cli_find_name(&index, &(td_cli_names){"paper", names, TD_PAPERS}, argv[1], "'bench paper'")) {
        return TD_EXIT_ERROR;
    }
    return td_papers[index].run(argc - 1, argv + 1);
}
