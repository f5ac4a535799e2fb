// What every subcommand has: the common options, and from them the context, the progress line and the output.
#ifndef TD_CLI_SESSION_H
#define TD_CLI_SESSION_H

#include "options.h"
#include "output.h"
#include "progress.h"

#include <tandem/base.h>

typedef enum td_cli_format { TD_CLI_TABLE, TD_CLI_JSON, TD_CLI_CSV } td_cli_format;

enum { TD_CLI_COMMON_OPTIONS = 9 };

// Zero-initialise, then td_cli_common_group() before parsing.
typedef struct td_cli_session {
    // As parsed.
    uint32_t threads; // 0: one per processor
    const char *isa, *strategy, *device, *volume, *output_path;
    bool json, csv, quiet;
    td_cli_option common[TD_CLI_COMMON_OPTIONS];
    // As opened.
    td_cli_format format;
    td_context *context;
    td_cli_progress progress;
    td_cli_output *output; // null: not asked for
} td_cli_session;

// The common options, their values going to `session`.
td_cli_option_group td_cli_common_group(td_cli_session *session);

// Checks the common options, opens the output (if `with_output`) and creates the context. False: the error
// was told and nothing is left open.
bool td_cli_session_open(td_cli_session *session, bool with_output);

// Ends the session; `success` says whether the output is to appear. Returns whether all went well: `success`,
// and the output could be written.
bool td_cli_session_close(td_cli_session *session, bool success);

// The strategy for td_collide_def: null for "auto".
const char *td_cli_session_strategy(const td_cli_session *session);

#endif
