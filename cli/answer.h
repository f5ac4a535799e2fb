// The answer to `collide` or `self`, and its three forms: a table for people, JSON, CSV.
#ifndef TD_CLI_ANSWER_H
#define TD_CLI_ANSWER_H

#include "load.h"

#include <tandem/query.h>

typedef struct td_cli_answer {
    const td_cli_mesh *a;
    const td_cli_mesh *b; // null: `a` against itself
    const td_pose *poses; // of `b`, as many as results; null: the identity
    const td_collide_result *results;
    size_t count; // of results: poses of a batch, else 1
    bool batch;
    td_mode mode;
    double query_ms; // wall-clock time of the query or of the whole batch; the median if repeated
    uint32_t repeat;
    td_query_times times; // on a device, of the last repeat
} td_cli_answer;

typedef struct td_cli_totals {
    uint64_t pairs;
    uint64_t colliding; // poses
    uint64_t inside;    // poses
    td_counters counters;
} td_cli_totals;

td_cli_totals td_cli_answer_totals(const td_cli_answer *answer);

// The share of triangle tests that the float32 filter left to the exact predicate; 0 if there were none.
double td_cli_undecided_share(const td_counters *counters);

// Times of both meshes together.
double td_cli_answer_load_ms(const td_cli_answer *answer);
double td_cli_answer_build_ms(const td_cli_answer *answer);

// In the session's format, to the session's output.
void td_cli_write_answer(td_cli_session *session, const td_cli_answer *answer);

void td_cli_answer_as_table(td_cli_session *session, const td_cli_answer *answer); // answer_table.c
void td_cli_answer_as_json(td_cli_session *session, const td_cli_answer *answer);  // answer_json.c
void td_cli_answer_as_csv(td_cli_session *session, const td_cli_answer *answer);   // answer_csv.c

#endif
