#include "bench_scaling.h"
#include "json.h"
#include "processor.h"
#include "table.h"

#include <math.h>
#include <string.h>

static const char *const td_scaling_keys[TD_SCALING_TIMES] = {"step",      "cpu",      "broad",
                                                              "traversal", "contacts", "solver"};

static void td_scaling_table_row(td_cli_table *table, const td_scaling_row *row) {
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "%s", row->scene);
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->bodies));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->awake));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->object_triangles));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->triangles));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, (uint64_t)row->object_pairs));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, (uint64_t)row->tested_pairs));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, (uint64_t)row->faces));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, (uint64_t)row->contacts));
    for (int k = 0; k < TD_SCALING_TIMES; ++k) {
        td_cli_table_cell(table, "%.2f", row->ms[k]);
    }
    if (row->contacts > 0) {
        td_cli_table_cell(table, "%.2f", 1e3 * row->ms[TD_SCALING_STEP] / row->contacts);
    } else {
        td_cli_table_cell(table, "%s", "");
    }
    td_cli_table_cell(table, "%s", td_cli_bytes(number, row->peak_bytes));
}

static void td_scaling_as_table(td_cli_session *session, const td_scaling *scaling, const char *processor) {
    static const char *const heads[] = {
        "scene",     "cows",   "awake",    "triangles each", "triangles",  "pairs",
        "tested",    "faces",  "contacts", "ms per step",    "cpu",        "broad",
        "traversal", "making", "solver",   "us per contact", "peak memory"};
    td_cli_output *output = session->output;
    td_cli_print(output, "%s, %u thread%s; medians of %u steps, times in milliseconds\n\n", processor,
                 scaling->threads, scaling->threads == 1 ? "" : "s", scaling->steps);
    td_cli_table table = td_cli_table_begin("lrrrrrrrrrrrrrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    for (uint32_t i = 0; i < scaling->count; ++i) {
        td_scaling_table_row(&table, &scaling->rows[i]);
    }
    td_cli_table_end(&table, output, 0);
    td_cli_put(output, "\nExponent of time in contacts, by least squares (1: linear)\n");
    for (uint32_t i = 0; i < scaling->fit_count; ++i) {
        if (isnan(scaling->fits[i].exponent)) {
            td_cli_print(output, "  %s  cannot be told: too few contacts\n", scaling->fits[i].scene);
        } else {
            td_cli_print(output, "  %s  %.3f, of processor time %.3f\n", scaling->fits[i].scene,
                         scaling->fits[i].exponent, scaling->fits[i].cpu_exponent);
        }
    }
}

static void td_csv_exponents(td_cli_output *output, const td_scaling *scaling, const td_scaling_row *row) {
    for (uint32_t i = 0; row->fitted && i < scaling->fit_count; ++i) {
        if (strcmp(scaling->fits[i].scene, row->scene) == 0 && !isnan(scaling->fits[i].exponent)) {
            td_cli_print(output, ",%.4f,%.4f\n", scaling->fits[i].exponent, scaling->fits[i].cpu_exponent);
            return;
        }
    }
    td_cli_put(output, ",,\n");
}

static void td_scaling_as_csv(td_cli_session *session, const td_scaling *scaling, const char *processor) {
    td_cli_output *output = session->output;
    td_cli_put(output, "cpu,threads,scene,cows,awake,object_triangles,triangles,settle_steps,steps,object_"
                       "pairs,tested_pairs,faces,"
                       "contacts");
    for (int k = 0; k < TD_SCALING_TIMES; ++k) {
        td_cli_print(output, ",%s_ms", td_scaling_keys[k]);
    }
    td_cli_put(output, ",peak_bytes,exponent,cpu_exponent\n");
    for (uint32_t i = 0; i < scaling->count; ++i) {
        const td_scaling_row *row = &scaling->rows[i];
        td_cli_put_csv(output, processor);
        td_cli_print(output, ",%u,%s,%u,%u,%u,%llu,%u,%u,%.10g,%.10g,%.10g,%.10g", scaling->threads,
                     row->scene, row->bodies, row->awake, row->object_triangles,
                     (unsigned long long)row->triangles, row->settle, scaling->steps, row->object_pairs,
                     row->tested_pairs, row->faces, row->contacts);
        for (int k = 0; k < TD_SCALING_TIMES; ++k) {
            td_cli_print(output, ",%.6g", row->ms[k]);
        }
        td_cli_print(output, ",%llu", (unsigned long long)row->peak_bytes);
        td_csv_exponents(output, scaling, row);
    }
}

static void td_scaling_json_row(td_cli_json *json, const td_scaling_row *row) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "scene", row->scene);
    td_cli_json_count(json, "cows", row->bodies);
    td_cli_json_count(json, "awake", row->awake);
    td_cli_json_count(json, "object_triangles", row->object_triangles);
    td_cli_json_count(json, "triangles", row->triangles);
    td_cli_json_count(json, "settle_steps", row->settle);
    td_cli_json_number(json, "object_pairs", row->object_pairs);
    td_cli_json_number(json, "tested_pairs", row->tested_pairs);
    td_cli_json_number(json, "faces", row->faces);
    td_cli_json_number(json, "contacts", row->contacts);
    td_cli_json_object(json, "ms", TD_JSON_INLINE);
    for (int k = 0; k < TD_SCALING_TIMES; ++k) {
        td_cli_json_number(json, td_scaling_keys[k], row->ms[k]);
    }
    td_cli_json_end(json);
    td_cli_json_count(json, "peak_bytes", row->peak_bytes);
    td_cli_json_end(json);
}

static void td_scaling_as_json(td_cli_session *session, const td_scaling *scaling, const char *processor) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_count(&json, "threads", scaling->threads);
    td_cli_json_count(&json, "steps", scaling->steps);
    td_cli_json_object(&json, "exponents", TD_JSON_INLINE);
    for (uint32_t i = 0; i < scaling->fit_count; ++i) {
        td_cli_json_number(&json, scaling->fits[i].scene, scaling->fits[i].exponent);
    }
    td_cli_json_end(&json);
    td_cli_json_object(&json, "cpu_exponents", TD_JSON_INLINE);
    for (uint32_t i = 0; i < scaling->fit_count; ++i) {
        td_cli_json_number(&json, scaling->fits[i].scene, scaling->fits[i].cpu_exponent);
    }
    td_cli_json_end(&json);
    td_cli_json_array(&json, "rows", TD_JSON_LINES);
    for (uint32_t i = 0; i < scaling->count; ++i) {
        td_scaling_json_row(&json, &scaling->rows[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_scaling_write(td_cli_session *session, const td_scaling *scaling) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    td_cli_progress_end(&session->progress);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_scaling_as_table(session, scaling, processor);
        break;
    case TD_CLI_JSON:
        td_scaling_as_json(session, scaling, processor);
        break;
    case TD_CLI_CSV:
        td_scaling_as_csv(session, scaling, processor);
        break;
    }
}
