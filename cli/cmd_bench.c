// tandem bench NAME: finds the benchmark in the table and runs it.
#include "command.h"
#include "message.h"
#include "names.h"
#include "output.h"

#include <stddef.h>
#include <string.h>

typedef struct td_cli_bench {
    const char *name;
    const char *summary;
    td_cli_command_fn *run; // argv[0] is the benchmark's name
} td_cli_bench;

static const td_cli_bench td_benches[] = {
    {"traverse", "every strategy, bounding volume and device on the same scene", td_bench_traverse},
    {"build", "how fast hierarchies are built, and how good they are", td_bench_build},
    {"refit", "how fast hierarchies follow a deforming mesh, and how they decay", td_bench_refit},
    {"front", "what a front saves on a mesh that deforms", td_bench_front},
    {"paper", "what a paper measured, its figures beside ours: 000 to 004", td_bench_paper},
    {"ray", "rays against a mesh: closest hit and any hit, of a camera and at random", td_bench_ray},
    {"ccd", "continuous collision: elementary tests, and a step of a mesh", td_bench_ccd},
    {"scaling", "time per step over the size of a scene, and memory", td_bench_scaling},
};
enum { TD_BENCHES = sizeof td_benches / sizeof td_benches[0] };

static int td_print_benches(void) {
    static td_cli_output output; // 64 KiB: not on the stack
    if (!td_cli_output_open(&output, NULL)) {
        return TD_EXIT_ERROR;
    }
    td_cli_put(&output,
               "Usage: tandem bench NAME [arguments]\n\nMeasures what the program does.\n\nBenchmarks:\n");
    for (int i = 0; i < TD_BENCHES; ++i) {
        td_cli_print(&output, "  %-8s  %s\n", td_benches[i].name, td_benches[i].summary);
    }
    td_cli_put(&output,
               "\n'tandem bench NAME --help' tells more.\n\nExample:\n  tandem bench traverse --pairs 100\n");
    return td_cli_output_commit(&output) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}

int td_cmd_bench(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return td_print_benches();
    }
    if (argc < 2 || argv[1][0] == '-') {
        td_cli_error("'bench' needs the name of a benchmark first%s%s: 'tandem bench --help' lists them",
                     argc < 2 ? "" : ", but got ", argc < 2 ? "" : argv[1]);
        return TD_EXIT_ERROR;
    }
    const char *names[TD_BENCHES];
    for (int i = 0; i < TD_BENCHES; ++i) {
        names[i] = td_benches[i].name;
    }
    size_t index;
    if (!td_cli_find_name(&index, &(td_cli_names){"benchmark", names, TD_BENCHES}, argv[1], "'bench'")) {
        return TD_EXIT_ERROR;
    }
    return td_benches[index].run(argc - 1, argv + 1);
}
