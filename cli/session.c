#include "session.h"

#include "interrupt.h"
#include "message.h"
#include "names.h"

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
        {.name = "--device",
         .argument = "NAME",
         .text = &session->device,
         .help = "native, the default; opencl, opencl:N or auto"},
        {.name = "--volume",
         .argument = "NAME",
         .text = &session->volume,
         .help = "bounding volume: aabb, the default, or obb"},
        {.name = "--descent",
         .argument = "NAME",
         .text = &session->descent,
         .help = "side to open: auto, larger, a, b or alternate"},
        {.name = "--quiet", .letter = 'q', .flag = &session->quiet, .help = "no progress and no remarks"},
    };
    memcpy(session->common, options, sizeof options);
    return (td_cli_option_group){"Common options", session->common, TD_CLI_COMMON_OPTIONS};
}

// ---------------------------------------------------------------------------------------------------------
// Names

enum { TD_STRATEGY_NAMES = 32 };

static bool td_check_strategy(const char *strategy) {
    const char *names[TD_STRATEGY_NAMES] = {"auto"};
    size_t count = 1;
    for (uint32_t i = 0; i < td_strategy_count() && count < TD_STRATEGY_NAMES; ++i) {
        names[count++] = td_strategy_name(i);
    }
    size_t index;
    return td_cli_find_name(&index, &(td_cli_names){"strategy", names, count}, strategy, "--strategy");
}

static bool td_parse_volume(td_volume *out, const char *name) {
    const char *const names[] = {td_volume_name(TD_VOLUME_AABB), td_volume_name(TD_VOLUME_OBB)};
    size_t index;
    if (!td_cli_find_name(&index, &(td_cli_names){"bounding volume", names, 2}, name, "--volume")) {
        return false;
    }
    *out = (td_volume)index;
    return true;
}

static bool td_parse_descent(td_descent *out, const char *name) {
    const char *names[TD_DESCENT_COUNT];
    for (int i = 0; i < TD_DESCENT_COUNT; ++i) {
        names[i] = td_descent_name((td_descent)i);
    }
    size_t index;
    if (!td_cli_find_name(&index, &(td_cli_names){"descent rule", names, TD_DESCENT_COUNT}, name,
                          "--descent")) {
        return false;
    }
    *out = (td_descent)index;
    return true;
}

bool td_cli_check_device_name(const char *name, const char *option) {
    static const char *const names[] = {"native", "opencl", "opencl:N", "auto"};
    static const char prefix[] = "opencl:";
    const size_t start = sizeof prefix - 1;
    if (strncmp(name, prefix, start) == 0 && name[start] &&
        strspn(name + start, "0123456789") == strlen(name + start)) {
        return true;
    }
    if (strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0 || strcmp(name, names[3]) == 0) {
        return true;
    }
    td_cli_refuse_name(&(td_cli_names){"device", names, sizeof names / sizeof names[0]}, name, option);
    return false;
}

bool td_cli_parse_isa(td_isa *isa, const char *name) {
    *isa = TD_ISA_AUTO;
    if (!name) {
        return true;
    }
    const char *names[TD_ISA_COUNT];
    for (int i = 0; i < TD_ISA_COUNT; ++i) {
        names[i] = td_isa_name((td_isa)i);
    }
    size_t index;
    if (!td_cli_find_name(&index, &(td_cli_names){"instruction set", names, TD_ISA_COUNT}, name, "--isa")) {
        return false;
    }
    *isa = (td_isa)index;
    if (!td_isa_available(*isa)) {
        td_cli_error(
            "--isa %s is not available on this processor or in this build: 'tandem info' lists those "
            "that are",
            name);
        return false;
    }
    return true;
}

static bool td_check_names(td_cli_session *session, td_isa *isa) {
    return (!session->device || td_cli_check_device_name(session->device, "--device")) &&
           (!session->volume || td_parse_volume(&session->bounding_volume, session->volume)) &&
           (!session->descent || td_parse_descent(&session->descent_rule, session->descent)) &&
           (!session->strategy || td_check_strategy(session->strategy)) &&
           td_cli_parse_isa(isa, session->isa);
}

// ---------------------------------------------------------------------------------------------------------
// Contexts and devices

// What the library has to say beside errors. What only its authors want to know is left out.
static void td_log_to_user(td_log_level level, const char *message, void *user) {
    (void)user;
    if (level == TD_LOG_WARNING) {
        td_cli_warning("%s", message);
    } else if (level == TD_LOG_NOTE) {
        td_cli_note("%s", message);
    }
}

bool td_cli_create_context(td_context **out, const td_cli_session *session, td_isa isa) {
    td_context_def def = td_default_context_def();
    def.thread_count = session->threads;
    def.isa = isa;
    def.log = session->quiet ? NULL : td_log_to_user;
    td_cli_hold_signals(); // inherited by the context's threads, so that only this one takes signals
    const td_result result = td_create_context(out, &def);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(NULL);
    }
    return result == TD_OK;
}

// Whether the strategy of --strategy runs on devices, of self-intersections if `self`; the automatic choice
// does.
static bool td_runs_on_devices(const td_cli_session *session, bool self) {
    const char *name = td_cli_session_strategy(session);
    for (uint32_t i = 0; name && i < td_strategy_count(); ++i) {
        if (strcmp(name, td_strategy_name(i)) == 0) {
            return self ? td_strategy_can(i).device_self : td_strategy_can(i).device;
        }
    }
    return true;
}

bool td_cli_session_open_device(td_cli_session *session, bool self) {
    const char *name = session->device ? session->device : "native";
    if (strcmp(name, "auto") == 0 && !td_runs_on_devices(session, self)) {
        if (!session->quiet) {
            td_cli_note("device auto: native, for: %s runs natively only", session->strategy);
        }
        return true;
    }
    td_cli_progress_stage(&session->progress, "opening the device");
    td_cli_hold_signals(); // inherited by the threads of the device's driver
    const td_result result = td_create_device_by_name(&session->opened_device, session->context, name);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error("--device");
    }
    return result == TD_OK;
}

const char *td_cli_device_label(char label[TD_CLI_DEVICE_LABEL], const td_device *device) {
    if (device) {
        td_device_info info;
        td_device_describe(&info, device);
        snprintf(label, TD_CLI_DEVICE_LABEL, "opencl:%u", info.index);
    } else {
        snprintf(label, TD_CLI_DEVICE_LABEL, "native");
    }
    return label;
}

// ---------------------------------------------------------------------------------------------------------

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
    if (!td_check_names(session, &isa)) {
        return false;
    }
    td_cli_progress_init(&session->progress, session->quiet);
    if (!td_cli_create_context(&session->context, session, isa)) {
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
    td_destroy_device(session->opened_device);
    session->opened_device = NULL;
    td_destroy_context(session->context);
    session->context = NULL;
    return success;
}

const char *td_cli_session_strategy(const td_cli_session *session) {
    const char *name = session->strategy;
    return name && strcmp(name, "auto") != 0 ? name : NULL;
}
