// What `collide` and `self` have in common: the options about the answer, asking it, repeatedly if wanted.
#ifndef TD_CLI_QUERY_H
#define TD_CLI_QUERY_H

#include "answer.h"

typedef struct td_cli_query {
    bool count, first, exit_code; // as parsed
    uint32_t repeat;
    const char *sharing; // null: auto
    uint32_t idle;       // per cent
} td_cli_query;

enum { TD_CLI_QUERY_OPTIONS = 6, TD_CLI_REPEAT_MOST = 1000000 };

td_cli_query td_cli_default_query(void);

// Fills options[0] ... options[TD_CLI_QUERY_OPTIONS - 1].
void td_cli_query_options(td_cli_option *options, td_cli_query *query);

// --count and --first exclude each other, --sharing names a way: if not, false, and told.
bool td_cli_query_check(const td_cli_query *query);

// Answers answer->a against answer->b at answer->poses, or answer->a against itself, query->repeat times;
// sets mode, results and time, writes the answer. `results` has room for answer->count. Returns whether it
// went well; *colliding says whether any pose collides.
bool td_cli_query_run(td_cli_session *session, td_cli_query *query, td_cli_answer *answer,
                      td_collide_result *results, bool keep_degenerate, bool *colliding);

// The exit status after td_cli_session_close.
int td_cli_query_status(const td_cli_query *query, bool success, bool colliding);

#endif
