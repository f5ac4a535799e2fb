// tandem bench build [MESH]: how fast hierarchies are built, and how good they are.
#include "bench_hierarchy.h"
#include "command.h"
#include "json.h"
#include "median.h"
#include "message.h"
#include "processor.h"
#include "table.h"

#include <tandem/mesh.h>

enum { TD_BUILDERS = 2, TD_BUILD_ROWS = (TD_BUILDERS + 1) * TD_HIERARCHY_WORKERS };

static const char *const td_builder_names[TD_BUILDERS] = {
    [TD_BUILDER_SAH] = "sah", [TD_BUILDER_LINEAR] = "linear"};

typedef struct td_build_row {
    td_builder builder;
    bool by_levels; // of a device
    td_hierarchy_worker worker;
    double times[TD_HIERARCHY_REPEATS_MOST];
    double trees[TD_HIERARCHY_REPEATS_MOST];
    double ms, tree_ms;
    td_hierarchy_report report; // of the last build
} td_build_row;

typedef struct td_build_command {
    td_cli_session session;
    const char *name;
    uint32_t repeats;
    td_hierarchy_subject subject;
    td_hierarchy_worker workers[TD_HIERARCHY_WORKERS];
    uint32_t worker_count, row_count;
    td_build_row rows[TD_BUILD_ROWS];
} td_build_command;

static td_cli_parsed td_parse_build(td_build_command *command, int argc, char **argv) {
    const td_cli_option own[] = {
        {.name = "--repeats",
         .argument = "N",
         .number = &command->repeats,
         .least = 1,
         .most = TD_HIERARCHY_REPEATS_MOST,
         .help = "rounds, of which medians are taken; default 5"},
    };
    const td_cli_syntax syntax = {
        .command = "bench build",
        .usage = "[MESH] [options]",
        .about =
            "Measures how fast hierarchies are built: by the surface area heuristic and linearly, on one\n"
            "thread and on all; and what the hierarchies are expected to cost. With --device also there, by\n"
            "the surface area heuristic in the two ways of paper 001, Fig. 7: with queues that are "
            "balanced,\n"
            "and level by level with compaction.\n"
            "\n"
            "MESH is a file, or shape:NAME or shape:NAME:N; by default shape:cow:4, 384,000 triangles.\n",
        .example = "  tandem bench build armadillo.obj --repeats 9\n",
        .groups = {{"Options", own, 1}, td_cli_common_group(&command->session)},
        .operands = "a mesh, or none",
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && !td_hierarchy_check_options(&command->session, syntax.command)) {
        return TD_CLI_REFUSED;
    }
    command->name = parsed == TD_CLI_RUN && count > 0 ? operands[0] : NULL;
    return parsed;
}

static bool td_build_once(td_build_command *command, td_build_row *row, uint32_t round) {
    td_mesh_def def = td_hierarchy_mesh_def(&command->subject);
    def.builder = row->builder;
    def.device = row->worker.device;
    def.device_by_levels = row->by_levels;
    td_mesh *mesh = NULL;
    td_result result = td_create_mesh(&mesh, row->worker.context, &def);
    if (result == TD_OK) {
        result = td_inspect_hierarchy(&row->report, row->worker.context, mesh);
        row->times[round] = row->report.build_ms;
        row->trees[round] = row->report.tree_ms;
        td_destroy_mesh(mesh);
    }
    if (result != TD_OK) {
        td_cli_library_error(NULL);
    }
    return result == TD_OK;
}

// Row after row, round after round, so that whatever disturbs the machine disturbs all.
static bool td_measure_builds(td_build_command *command) {
    for (uint32_t w = 0; w < command->worker_count; ++w) {
        for (int b = 0; b < TD_BUILDERS; ++b) {
            const bool both = command->workers[w].device && b == TD_BUILDER_SAH;
            for (int levels = 0; levels <= (both ? 1 : 0); ++levels) {
                command->rows[command->row_count++] = (td_build_row){
                    .builder = (td_builder)b, .by_levels = levels == 1, .worker = command->workers[w]};
            }
        }
    }
    td_cli_progress_stage(&command->session.progress, "building");
    for (uint32_t round = 0; round < command->repeats; ++round) {
        for (uint32_t i = 0; i < command->row_count; ++i) {
            if (!td_build_once(command, &command->rows[i], round)) {
                return false;
            }
        }
        td_cli_progress_count(&command->session.progress, round + 1, command->repeats, "rounds");
    }
    for (uint32_t i = 0; i < command->row_count; ++i) {
        command->rows[i].ms = td_cli_median(command->rows[i].times, command->repeats);
        command->rows[i].tree_ms = td_cli_median(command->rows[i].trees, command->repeats);
    }
    td_cli_progress_end(&command->session.progress);
    return true;
}

// How work is handed out on a device.
static const char *td_build_scheme(const td_build_row *row) {
    return !row->worker.device || row->builder != TD_BUILDER_SAH ? ""
           : row->by_levels                                      ? "levels"
                                                                 : "balanced";
}

// Million triangles per second.
static double td_build_speed(const td_build_command *command, const td_build_row *row) {
    return command->subject.triangle_count / row->ms / 1e3;
}

static void td_build_as_table(td_build_command *command, const char *processor) {
    td_cli_output *output = command->session.output;
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_print(output, "%s: %s triangles, %s, %s; medians of %u\n\n", command->subject.name,
                 td_cli_grouped(number, command->subject.triangle_count), processor,
                 td_isa_name(td_context_isa(command->session.context)), command->repeats);
    td_cli_table table = td_cli_table_begin("lllrrrrrrr");
    static const char *const heads[] = {"builder", "scheme",        "device",   "threads", "ms",
                                        "tree ms", "M triangles/s", "SAH cost", "blocks",  "MiB"};
    for (int i = 0; i < 10; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_build_row *row = &command->rows[i];
        char label[TD_CLI_DEVICE_LABEL];
        td_cli_table_cell(&table, "%s", td_builder_names[row->builder]);
        td_cli_table_cell(&table, "%s", td_build_scheme(row));
        td_cli_table_cell(&table, "%s", td_cli_device_label(label, row->worker.device));
        td_cli_table_cell(&table, "%u", row->worker.threads);
        td_cli_table_cell(&table, "%.2f", row->ms);
        td_cli_table_cell(&table, "%.2f", row->tree_ms);
        td_cli_table_cell(&table, "%.2f", td_build_speed(command, row));
        td_cli_table_cell(&table, "%.2f", row->report.sah_cost);
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, row->report.blocks));
        td_cli_table_cell(&table, "%.1f", (double)row->report.hierarchy_bytes / (1 << 20));
    }
    td_cli_table_end(&table, output, 2);
}

static void td_build_as_csv(td_build_command *command, const char *processor) {
    td_cli_output *output = command->session.output;
    td_cli_put(output,
               "cpu,isa,mesh,triangles,builder,threads,repeats,build_ms,triangles_per_s,sah_cost,blocks,"
               "leaf_blocks,quads,height,hierarchy_bytes,device,scheme,tree_ms,rounds\n");
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_build_row *row = &command->rows[i];
        const td_hierarchy_report *r = &row->report;
        char label[TD_CLI_DEVICE_LABEL];
        td_cli_put_csv(output, processor);
        td_cli_print(output, ",%s,", td_isa_name(td_context_isa(command->session.context)));
        td_cli_put_csv(output, command->subject.name);
        td_cli_print(output, ",%u,%s,%u,%u,%.6g,%.6g,%.10g,%u,%u,%u,%u,%llu,%s,%s,%.6g,%u\n",
                     command->subject.triangle_count, td_builder_names[row->builder], row->worker.threads,
                     command->repeats, row->ms, 1e6 * td_build_speed(command, row), r->sah_cost, r->blocks,
                     r->leaf_blocks, r->quads, r->height, (unsigned long long)r->hierarchy_bytes,
                     td_cli_device_label(label, row->worker.device), td_build_scheme(row), row->tree_ms,
                     r->rounds);
    }
}

static void td_build_as_json(td_build_command *command, const char *processor) {
    td_cli_json json = td_cli_json_begin(command->session.output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_text(&json, "isa", td_isa_name(td_context_isa(command->session.context)));
    td_cli_json_text(&json, "mesh", command->subject.name);
    td_cli_json_count(&json, "triangles", command->subject.triangle_count);
    td_cli_json_count(&json, "repeats", command->repeats);
    td_cli_json_array(&json, "rows", TD_JSON_LINES);
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_build_row *row = &command->rows[i];
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        char label[TD_CLI_DEVICE_LABEL];
        td_cli_json_text(&json, "builder", td_builder_names[row->builder]);
        td_cli_json_text(&json, "device", td_cli_device_label(label, row->worker.device));
        if (row->worker.device) {
            td_cli_json_text(&json, "scheme", td_build_scheme(row));
            td_cli_json_count(&json, "rounds", row->report.rounds);
        }
        td_cli_json_count(&json, "threads", row->worker.threads);
        td_cli_json_number(&json, "build_ms", row->ms);
        td_cli_json_number(&json, "tree_ms", row->tree_ms);
        td_cli_json_number(&json, "triangles_per_s", 1e6 * td_build_speed(command, row));
        td_cli_json_number(&json, "sah_cost", row->report.sah_cost);
        td_cli_json_count(&json, "blocks", row->report.blocks);
        td_cli_json_count(&json, "leaf_blocks", row->report.leaf_blocks);
        td_cli_json_count(&json, "quads", row->report.quads);
        td_cli_json_count(&json, "height", row->report.height);
        td_cli_json_count(&json, "hierarchy_bytes", row->report.hierarchy_bytes);
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

static bool td_run_build(td_build_command *command) {
    if (!td_cli_session_open_device(&command->session, false) ||
        !td_hierarchy_subject_open(&command->subject, &command->session, command->name)) {
        return false;
    }
    command->worker_count = td_hierarchy_workers_open(command->workers, &command->session);
    if (command->worker_count == 0 || !td_measure_builds(command)) {
        return false;
    }
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    switch (command->session.format) {
    case TD_CLI_TABLE:
        td_build_as_table(command, processor);
        break;
    case TD_CLI_JSON:
        td_build_as_json(command, processor);
        break;
    case TD_CLI_CSV:
        td_build_as_csv(command, processor);
        break;
    }
    return true;
}

int td_bench_build(int argc, char **argv) {
    static td_build_command command; // times of many rounds: not on the stack
    command = (td_build_command){.repeats = 5};
    const td_cli_parsed parsed = td_parse_build(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_build(&command);
    td_hierarchy_workers_close(command.workers, command.worker_count);
    td_hierarchy_subject_close(&command.subject);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
