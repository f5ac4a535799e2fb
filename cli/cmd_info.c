// tandem info: this build and this machine. tandem info MESH...: what meshes are made of (info_mesh.c).
#include "command.h"
#include "info_devices.h"
#include "info_mesh.h"
#include "json.h"
#include "message.h"
#include "table.h"

#include <tandem/query.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// The build and the machine

static void td_build_as_json(td_cli_session *session, const td_cli_devices *devices) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "version", td_version());
    td_cli_json_text(&json, "isa", td_isa_name(td_context_isa(session->context)));
    td_cli_json_array(&json, "isas", TD_JSON_INLINE);
    for (int i = TD_ISA_SCALAR; i < TD_ISA_COUNT; ++i) {
        if (td_isa_available((td_isa)i)) {
            td_cli_json_text(&json, NULL, td_isa_name((td_isa)i));
        }
    }
    td_cli_json_end(&json);
    td_cli_json_count(&json, "threads", td_context_thread_count(session->context));
    td_cli_json_array(&json, "strategies", TD_JSON_LINES);
    for (uint32_t i = 0; i < td_strategy_count(); ++i) {
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "name", td_strategy_name(i));
        td_cli_json_text(&json, "description", td_strategy_description(i));
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_devices_as_json(&json, devices);
    td_cli_json_end(&json);
}

// "scalar, sse4, avx2"; `separator` for CSV is a blank.
static void td_join_isas(char *text, size_t size, const char *separator) {
    text[0] = 0;
    for (int i = TD_ISA_SCALAR; i < TD_ISA_COUNT; ++i) {
        if (td_isa_available((td_isa)i)) {
            const size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used ? separator : "", td_isa_name((td_isa)i));
        }
    }
}

static void td_build_as_csv(td_cli_session *session, const td_cli_devices *devices) {
    char isas[128];
    td_join_isas(isas, sizeof isas, " ");
    td_cli_print(session->output, "key,value\nversion,%s\nisa,%s\nisas,%s\nthreads,%u\nstrategies,",
                 td_version(), td_isa_name(td_context_isa(session->context)), isas,
                 td_context_thread_count(session->context));
    for (uint32_t i = 0; i < td_strategy_count(); ++i) {
        td_cli_print(session->output, "%s%s", i ? " " : "", td_strategy_name(i));
    }
    td_cli_put(session->output, "\n");
    td_cli_devices_as_csv(session->output, devices);
}

static void td_build_as_table(td_cli_session *session, const td_cli_devices *devices) {
    char isas[128];
    td_join_isas(isas, sizeof isas, ", ");
    td_cli_table table = td_cli_table_begin("ll");
    td_cli_table_cell(&table, "version");
    td_cli_table_cell(&table, "%s", td_version());
    td_cli_table_cell(&table, "instruction sets");
    td_cli_table_cell(&table, "%s (used: %s)", isas, td_isa_name(td_context_isa(session->context)));
    td_cli_table_cell(&table, "threads");
    td_cli_table_cell(&table, "%u", td_context_thread_count(session->context));
    for (uint32_t i = 0; i < td_strategy_count(); ++i) {
        td_cli_table_cell(&table, "%s", i == 0 ? "strategies" : "");
        td_cli_table_cell(&table, "%s: %s", td_strategy_name(i), td_strategy_description(i));
    }
    td_cli_table_cell(&table, "OpenCL devices");
    if (devices->missing) {
        td_cli_table_cell(&table, "none: %s", devices->missing);
    } else {
        td_cli_table_cell(&table, "%u", devices->count);
    }
    td_cli_table_end(&table, session->output, 0);
    td_cli_devices_as_table(session->output, devices);
}

// Returns whether all could be told.
static bool td_info_build(td_cli_session *session) {
    td_cli_devices devices;
    if (!td_cli_list_devices(&devices, session->context)) {
        return false;
    }
    if (session->format == TD_CLI_JSON) {
        td_build_as_json(session, &devices);
    } else if (session->format == TD_CLI_CSV) {
        td_build_as_csv(session, &devices);
    } else {
        td_build_as_table(session, &devices);
    }
    td_cli_forget_devices(&devices);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Meshes

// Meshes are gathered before the first is written: one that cannot be read does not keep the others from
// being shown, but a file of -o would not be complete. Returns whether all could be read.
static bool td_info_meshes(td_cli_session *session, char **names, int count) {
    td_cli_mesh_info *infos = calloc((size_t)count, sizeof *infos);
    if (!infos) {
        td_cli_error("out of memory");
        return false;
    }
    int read = 0;
    for (int i = 0; i < count; ++i) {
        read += td_cli_inspect_mesh(&infos[read], session, names[i]);
    }
    td_cli_progress_end(&session->progress);
    if (read > 0) {
        td_cli_write_mesh_infos(session, infos, (size_t)read);
    }
    free(infos);
    return read == count;
}

static td_cli_parsed td_parse_info(td_cli_session *session, int argc, char **argv, char ***names,
                                   int *count) {
    const td_cli_syntax syntax = {
        .command = "info",
        .usage = "[MESH...] [options]",
        .about =
            "Tells the version, the instruction sets, the threads, the strategies and the OpenCL devices;\n"
            "or, of each MESH: counts, what is odd about it, bounds, area, volume and hierarchy.\n"
            "\n"
            "MESH is a mesh file, or shape:NAME or shape:NAME:N, a built-in shape, subdivided N times.\n",
        .example = "  tandem info bunny.obj shape:cow --json\n",
        .groups = {td_cli_common_group(session)},
        .operands = "meshes",
        .operands_most = INT_MAX,
    };
    return td_cli_parse(&syntax, argc, argv, names, count);
}

int td_cmd_info(int argc, char **argv) {
    td_cli_session session = {0};
    char **names;
    int count;
    const td_cli_parsed parsed = td_parse_info(&session, argc, argv, &names, &count);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&session, true)) {
        return TD_EXIT_ERROR;
    }
    bool complete = true;
    if (count == 0) {
        complete = td_info_build(&session);
    } else {
        complete = td_info_meshes(&session, names, count);
    }
    const bool written = td_cli_session_close(&session, complete || !session.output_path);
    return complete && written ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
