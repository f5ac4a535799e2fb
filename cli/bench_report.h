// What `bench traverse` found, in three forms: a table for people, JSON, CSV.
#ifndef TD_CLI_BENCH_REPORT_H
#define TD_CLI_BENCH_REPORT_H

#include "bench_measure.h"

typedef struct td_bench_report {
    const td_bench_rows *rows;
    const td_bench_scene *scene;
    const td_bench_storage *storage;
} td_bench_report;

// In the session's format, to the session's output.
void td_bench_write_report(td_cli_session *session, const td_bench_report *report);

void td_bench_report_as_table(td_cli_session *session, const td_bench_report *report); // bench_table.c

#endif
