// What every subcommand has: the common options, and from them the context, the progress line and the output.
#ifndef TD_CLI_SESSION_H
#define TD_CLI_SESSION_H

#include "options.h"
#include "output.h"
#include "progress.h"

#include <tandem/query.h>

typedef enum td_cli_format { TD_CLI_TABLE, TD_CLI_JSON, TD_CLI_CSV } td_cli_format;

enum { TD_CLI_COMMON_OPTIONS = 10 };

// Zero-initialise, then td_cli_common_group() before parsing.
typedef struct td_cli_session {
    // As parsed.
    uint32_t threads; // 0: one per processor
    const char *isa, *strategy, *device, *volume, *descent, *output_path;
    bool json, csv, quiet;
    td_cli_option common[TD_CLI_COMMON_OPTIONS];
    // As opened.
    td_cli_format format;
    td_volume bounding_volume;
    td_descent descent_rule;
    td_context *context;
    td_device *opened_device; // by td_cli_session_open_device; null: native
    td_cli_progress progress;
    td_cli_output *output; // null: not asked for
} td_cli_session;

// The common options, their values going to `session`.
td_cli_option_group td_cli_common_group(td_cli_session *session);

// Checks the common options, opens the output (if `with_output`) and creates the context. False: the error
// was told and nothing is left open.
bool td_cli_session_open(td_cli_session *session, bool with_output);

// Opens the device of --device, before meshes are read, so that a wrong one is told at once. For "auto" it is
// the native one, with a note, where the device could not do what is asked: `self` says whether these are
// self-intersections. False: the error was told.
bool td_cli_session_open_device(td_cli_session *session, bool self);

// A context with the session's threads and log.
bool td_cli_create_context(td_context **out, const td_cli_session *session, td_isa isa);

// The instruction set of --isa, null: auto. False: unknown or not available, which was told.
bool td_cli_parse_isa(td_isa *isa, const char *name);

// Whether `name` is one that --device takes: native, opencl, opencl:N, auto. False: told.
bool td_cli_check_device_name(const char *name, const char *option);

// "native" or "opencl:N"; returns `label`.
enum { TD_CLI_DEVICE_LABEL = 32 };
const char *td_cli_device_label(char label[TD_CLI_DEVICE_LABEL], const td_device *device);

// Ends the session; `success` says whether the output is to appear. Returns whether all went well: `success`,
// and the output could be written.
bool td_cli_session_close(td_cli_session *session, bool success);

// The strategy for td_collide_def: null for "auto".
const char *td_cli_session_strategy(const td_cli_session *session);

#endif
