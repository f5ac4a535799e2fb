// The forms of `bench ccd`: two tables for people, JSON, CSV.
#include "bench_ccd.h"
#include "json.h"
#include "processor.h"
#include "table.h"

static const char *td_query_name(const td_ccd_row *row) {
    return row->discrete ? "discrete" : "continuous";
}

static void td_heads(td_cli_table *table, const char *const *heads) {
    for (; *heads; ++heads) {
        td_cli_table_cell(table, "%s", *heads);
    }
}

static void td_tests_as_table(const td_ccd_command *command, td_cli_output *output) {
    static const char *const heads[] = {"elementary tests", "kind", "number", "touching", "ns each", NULL};
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("llrrr");
    td_heads(&table, heads);
    for (uint32_t i = 0; i < command->set_count; ++i) {
        const td_ccd_set *set = &command->sets[i];
        td_cli_table_cell(&table, "%s", set->name);
        td_cli_table_cell(&table, "%s", td_feature_pair_name(set->pair));
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, set->count));
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, set->touching));
        td_cli_table_cell(&table, "%.1f", set->ns);
    }
    td_cli_table_end(&table, output, 0);
}

static void td_step_as_table(const td_ccd_command *command, td_cli_output *output) {
    static const char *const heads[] = {"query",     "strategy",    "device", "threads", "pairs",
                                        "edge-edge", "vertex-face", "fit ms", "ms",      "cpu ms",
                                        "ratio",     "cpu ratio",   NULL};
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("lllrrrrrrrrr");
    td_heads(&table, heads);
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_ccd_row *row = &command->rows[i];
        td_cli_table_cell(&table, "%s", td_query_name(row));
        td_cli_table_cell(&table, "%s", row->strategy);
        td_cli_table_cell(&table, "%s", row->device_label);
        td_cli_table_cell(&table, "%u", row->threads);
        td_cli_table_cell(&table, "%s", row->discrete ? td_cli_grouped(number, row->found[0]) : "");
        td_cli_table_cell(&table, "%s", row->discrete ? "" : td_cli_grouped(number, row->found[0]));
        td_cli_table_cell(&table, "%s", row->discrete ? "" : td_cli_grouped(number, row->found[1]));
        td_cli_table_cell(&table, "%.2f", row->fit_ms);
        td_cli_table_cell(&table, "%.2f", row->ms);
        td_cli_table_cell(&table, "%.2f", row->cpu_ms);
        td_cli_table_cell(&table, "%.2f", row->ratio);
        td_cli_table_cell(&table, "%.2f", row->cpu_ratio);
    }
    td_cli_table_end(&table, output, 0);
}

static void td_ccd_as_table(const td_ccd_command *command, const char *processor) {
    td_cli_output *output = command->session.output;
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_print(output, "%s, %s; medians of %u rounds\n\n", processor,
                 td_isa_name(td_context_isa(command->session.context)), command->repeats);
    td_tests_as_table(command, output);
    td_cli_print(output, "\nA step of %s, %s triangles, against itself:\n\n", command->step.name,
                 td_cli_grouped(number, command->step.start.triangle_count));
    td_step_as_table(command, output);
}

static void td_ccd_as_csv(const td_ccd_command *command, const char *processor) {
    td_cli_output *output = command->session.output;
    const char *isa = td_isa_name(td_context_isa(command->session.context));
    td_cli_put(output, "cpu,isa,query,subject,number,strategy,device,threads,repeats,pairs,edge_edge,"
                       "vertex_face,fit_ms,ms,cpu_ms,ratio,cpu_ratio,ns_each\n");
    for (uint32_t i = 0; i < command->set_count; ++i) {
        const td_ccd_set *set = &command->sets[i];
        const bool edges = set->pair == TD_PAIR_EDGE_EDGE;
        td_cli_put_csv(output, processor);
        td_cli_print(output, ",%s,elementary,", isa);
        td_cli_put_csv(output, set->name);
        td_cli_print(output, ",%u,,native,1,%u,,", set->count, command->repeats);
        td_cli_print(output, edges ? "%llu,," : ",%llu,", (unsigned long long)set->touching);
        td_cli_print(output, ",%.6g,,,,%.6g\n", 1e-6 * set->ns * set->count, set->ns);
    }
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_ccd_row *row = &command->rows[i];
        td_cli_put_csv(output, processor);
        td_cli_print(output, ",%s,%s,", isa, td_query_name(row));
        td_cli_put_csv(output, command->step.name);
        td_cli_print(output, ",%u,%s,%s,%u,%u,", command->step.start.triangle_count, row->strategy,
                     row->device_label, row->threads, command->repeats);
        if (row->discrete) {
            td_cli_print(output, "%llu,,", (unsigned long long)row->found[0]);
        } else {
            td_cli_print(output, ",%llu,%llu", (unsigned long long)row->found[0],
                         (unsigned long long)row->found[1]);
        }
        td_cli_print(output, ",%.6g,%.6g,%.6g,%.4g,%.4g,\n", row->fit_ms, row->ms, row->cpu_ms, row->ratio,
                     row->cpu_ratio);
    }
}

static void td_json_set(td_cli_json *json, const td_ccd_set *set) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "name", set->name);
    td_cli_json_text(json, "kind", td_feature_pair_name(set->pair));
    td_cli_json_count(json, "number", set->count);
    td_cli_json_count(json, "touching", set->touching);
    td_cli_json_number(json, "ns_each", set->ns);
    td_cli_json_end(json);
}

static void td_json_row(td_cli_json *json, const td_ccd_row *row) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "query", td_query_name(row));
    td_cli_json_text(json, "strategy", row->strategy);
    td_cli_json_text(json, "device", row->device_label);
    td_cli_json_count(json, "threads", row->threads);
    if (row->discrete) {
        td_cli_json_count(json, "pairs", row->found[0]);
    } else {
        td_cli_json_count(json, "edge_edge", row->found[0]);
        td_cli_json_count(json, "vertex_face", row->found[1]);
    }
    td_cli_json_number(json, "fit_ms", row->fit_ms);
    td_cli_json_number(json, "ms", row->ms);
    td_cli_json_number(json, "cpu_ms", row->cpu_ms);
    td_cli_json_number(json, "ratio", row->ratio);
    td_cli_json_number(json, "cpu_ratio", row->cpu_ratio);
    td_cli_json_end(json);
}

static void td_ccd_as_json(const td_ccd_command *command, const char *processor) {
    td_cli_json json = td_cli_json_begin(command->session.output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_text(&json, "isa", td_isa_name(td_context_isa(command->session.context)));
    td_cli_json_count(&json, "repeats", command->repeats);
    td_cli_json_array(&json, "tests", TD_JSON_LINES);
    for (uint32_t i = 0; i < command->set_count; ++i) {
        td_json_set(&json, &command->sets[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_text(&json, "mesh", command->step.name);
    td_cli_json_count(&json, "triangles", command->step.start.triangle_count);
    td_cli_json_array(&json, "rows", TD_JSON_LINES);
    for (uint32_t i = 0; i < command->row_count; ++i) {
        td_json_row(&json, &command->rows[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_ccd_report(td_ccd_command *command) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    switch (command->session.format) {
    case TD_CLI_TABLE:
        td_ccd_as_table(command, processor);
        break;
    case TD_CLI_JSON:
        td_ccd_as_json(command, processor);
        break;
    case TD_CLI_CSV:
        td_ccd_as_csv(command, processor);
        break;
    }
}
