#include "session.h"

#include "interrupt.h"
#include "message.h"
#include "nearest.h"

#include <tandem/query.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TD_THREADS_MOST = 1024 };

td_cli_option_group td_cli_common_group(td_cli_session *session) {
    const td_cli_option options[TD_CLI_COMMON_OPTIONS] = {
        {.name = "--json", .flag = &session->json, .help = "print JSON"},
        {.name = "--csv", .flag = &session->csv, .help = "print CSV"},
        {.name = "--output",
         .letter = 'o',
         .argument = "FILE",
         .text = &session->output_path,
         .help = "write to FILE, which appears only when complete"},
        {.name = "--threads",
         .argument = "N",
         .number = &session->threads,
         .most = TD_THREADS_MOST,
         .help = "threads to use; 0, the default: one per processor"},
        {.name = "--isa",
         .argument = "NAME",
         .text = &session->isa,
         .help = "instruction set: auto, scalar, sse4, avx2, avx512, neon"},
        {.name = "--strategy",
         .argument = "NAME",
         .text = &session->strategy,
         .help = "traversal: auto, or one that 'tandem info' lists"},
        {.name = "--device", .argument = "NAME", .text = &session->device, .help = "native, the processor"},
        {.name = "--volume", .argument = "NAME", .text = &session->volume, .help = "bounding volume: aabb"},
        {.name = "--quiet", .letter = 'q', .flag = &session->quiet, .help = "no progress and no remarks"},
    };
    memcpy(session->common, options, sizeof options);
    return (td_cli_option_group){"Common options", session->common, TD_CLI_COMMON_OPTIONS};
}

static bool td_check_device(const char *device) {
    if (!device || strcmp(device, "native") == 0) {
        return true;
    }
    if (strcmp(device, "opencl") == 0 || strncmp(device, "opencl:", 7) == 0) {
        td_cli_error("--device %s is not in this version: expected native", device);
    } else {
        td_cli_error("unknown device '%s' of --device: expected native", device);
    }
    return false;
}

static bool td_check_volume(const char *volume) {
    if (!volume || strcmp(volume, "aabb") == 0) {
        return true;
    }
    if (strcmp(volume, "obb") == 0) {
        td_cli_error("--volume obb is not in this version: expected aabb");
    } else {
        td_cli_error("unknown bounding volume '%s' of --volume: expected aabb", volume);
    }
    return false;
}

static bool td_check_strategy(const char *strategy) {
    if (!strategy || strcmp(strategy, "auto") == 0) {
        return true;
    }
    char names[256] = "auto";
    td_cli_nearest nearest = td_cli_nearest_to(strategy);
    td_cli_nearest_offer(&nearest, "auto");
    for (uint32_t i = 0; i < td_strategy_count(); ++i) {
        const char *name = td_strategy_name(i);
        if (strcmp(strategy, name) == 0) {
            return true;
        }
        td_cli_nearest_offer(&nearest, name);
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", name);
    }
    if (nearest.best) {
        td_cli_error("unknown strategy '%s' of --strategy: did you mean %s? Expected one of %s", strategy,
                     nearest.best, names);
    } else {
        td_cli_error("unknown strategy '%s' of --strategy: expected one of %s", strategy, names);
    }
    return false;
}

static bool td_parse_isa(td_isa *isa, const char *name) {
    *isa = TD_ISA_AUTO;
    if (name && td_isa_from_name(isa, name) != TD_OK) {
        td_cli_error(
            "unknown instruction set '%s' of --isa: expected auto, scalar, sse4, avx2, avx512 or neon", name);
        return false;
    }
    if (!td_isa_available(*isa)) {
        td_cli_error(
            "--isa %s is not available on this processor or in this build: 'tandem info' lists those "
            "that are",
            name);
        return false;
    }
    return true;
}

static bool td_create_session_context(td_cli_session *session, td_isa isa) {
    td_context_def def = td_default_context_def();
    def.thread_count = session->threads;
    def.isa = isa;
    td_cli_hold_signals(); // inherited by the context's threads, so that only this one takes signals
    const td_result result = td_create_context(&session->context, &def);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(NULL);
    }
    return result == TD_OK;
}

static bool td_open_session_output(td_cli_session *session) {
    session->output = malloc(sizeof *session->output);
    if (!session->output) {
        td_cli_error("out of memory");
        return false;
    }
    if (!td_cli_output_open(session->output, session->output_path)) {
        free(session->output);
        session->output = NULL;
        return false;
    }
    return true;
}

bool td_cli_session_open(td_cli_session *session, bool with_output) {
    td_isa isa;
    if (session->json && session->csv) {
        td_cli_error("--json and --csv exclude each other: expected one of them");
        return false;
    }
    session->format = session->json ? TD_CLI_JSON : session->csv ? TD_CLI_CSV : TD_CLI_TABLE;
    if (!td_check_device(session->device) || !td_check_volume(session->volume) ||
        !td_check_strategy(session->strategy) || !td_parse_isa(&isa, session->isa)) {
        return false;
    }
    td_cli_progress_init(&session->progress, session->quiet);
    if (!td_create_session_context(session, isa)) {
        return false;
    }
    if (with_output && !td_open_session_output(session)) {
        td_destroy_context(session->context);
        session->context = NULL;
        return false;
    }
    return true;
}

bool td_cli_session_close(td_cli_session *session, bool success) {
    td_cli_progress_end(&session->progress);
    if (session->output) {
        if (success) {
            success = td_cli_output_commit(session->output);
        } else {
            td_cli_output_discard(session->output);
        }
        free(session->output);
        session->output = NULL;
    }
    td_destroy_context(session->context);
    session->context = NULL;
    return success;
}

const char *td_cli_session_strategy(const td_cli_session *session) {
    const char *name = session->strategy;
    return name && strcmp(name, "auto") != 0 ? name : NULL;
}
