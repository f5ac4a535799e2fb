// tandem self A: the triangles of one mesh that intersect each other.
#include "command.h"
#include "query.h"

#include <stddef.h>

static td_cli_parsed td_parse_self(td_cli_session *session, td_cli_query *query, bool *degenerate, int argc,
                                   char **argv, const char **name) {
    td_cli_option own[TD_CLI_QUERY_OPTIONS + 1] = {
        {.name = "--degenerate", .flag = degenerate, .help = "triangles of zero area take part, too"},
    };
    td_cli_query_options(own + 1, query);
    const td_cli_syntax syntax = {
        .command = "self",
        .usage = "A [--count | --first] [options]",
        .about = "Finds the triangles of mesh A that intersect each other, exactly. Pairs that share\n"
                 "a vertex position are left out, and so are triangles of zero area.\n"
                 "\n"
                 "A is a mesh file, or shape:NAME or shape:NAME:N, a built-in shape, subdivided N times.\n",
        .example = "  tandem self armadillo.obj --csv -o pairs.csv\n",
        .groups = {{"Options", own, TD_CLI_QUERY_OPTIONS + 1}, td_cli_common_group(session)},
        .operands = "one mesh, A",
        .operands_least = 1,
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN) {
        *name = operands[0];
    }
    return parsed;
}

int td_cmd_self(int argc, char **argv) {
    td_cli_session session = {0};
    td_cli_query query = td_cli_default_query();
    bool degenerate = false, colliding = false;
    const char *name = NULL;
    const td_cli_parsed parsed = td_parse_self(&session, &query, &degenerate, argc, argv, &name);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_query_check(&query) || !td_cli_session_open(&session, true)) {
        return TD_EXIT_ERROR;
    }
    td_cli_mesh mesh = {0};
    td_collide_result result;
    td_cli_answer answer = {.a = &mesh, .count = 1};
    bool success = td_cli_session_open_device(&session, true) && td_cli_load(&mesh, &session, name, true) &&
                   td_cli_query_run(&session, &query, &answer, &result, degenerate, &colliding);
    td_cli_unload(&mesh);
    success = td_cli_session_close(&session, success);
    return td_cli_query_status(&query, success, colliding);
}
