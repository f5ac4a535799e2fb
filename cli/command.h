// The subcommands: one file each, one row each in the table of main.c.
#ifndef TD_CLI_COMMAND_H
#define TD_CLI_COMMAND_H

// The exit status of the program. A signal ends it as signals do (a shell tells 130 for Ctrl-C).
enum { TD_EXIT_DONE = 0, TD_EXIT_COLLISION = 1, TD_EXIT_ERROR = 2 };

// `argv[0]` is the subcommand's name; returns the exit status. A failure was already told on standard error.
typedef int td_cli_command_fn(int argc, char **argv);

td_cli_command_fn td_cmd_info, td_cmd_gen, td_cmd_collide, td_cmd_self, td_cmd_ccd, td_cmd_simulate,
    td_cmd_replay, td_cmd_view, td_cmd_render, td_cmd_export, td_cmd_bench;

// The benchmarks, likewise: one row each in the table of cmd_bench.c.
td_cli_command_fn td_bench_traverse, td_bench_build, td_bench_refit, td_bench_front, td_bench_ray,
    td_bench_ccd, td_bench_paper, td_bench_scaling;

// What `bench paper` repeats, likewise: one row each in the table of bench_paper.c.
td_cli_command_fn td_bench_paper_000, td_bench_paper_001, td_bench_paper_002, td_bench_paper_003,
    td_bench_paper_004;

#endif
