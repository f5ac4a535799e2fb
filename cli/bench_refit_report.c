// What `bench refit` found, as a table, JSON or CSV.
#include "bench_refit.h"
#include "json.h"
#include "processor.h"
#include "table.h"

static double td_speed(const td_refit_bench *bench, double ms) { // million triangles per second
    return bench->subject.triangle_count / ms / 1e3;
}

static void td_table_of_speeds(td_cli_output *output, const td_refit_bench *bench) {
    static const char *const whats[TD_REFIT_TIMES] = {
        [TD_REFIT_READ] = "read positions",         [TD_REFIT_BLOCKS] = "refit blocks (aabb)",
        [TD_REFIT_AABB] = "refit post-order, aabb", [TD_REFIT_OBB] = "refit post-order, aabb and obb",
        [TD_REFIT_REBUILD] = "rebuild blocks",
    };
    td_cli_table table = td_cli_table_begin("llrrr");
    static const char *const heads[] = {"", "device", "threads", "ms", "M triangles/s"};
    for (int i = 0; i < 5; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    for (int k = 0; k < TD_REFIT_TIMES; ++k) {
        for (uint32_t i = 0; i < bench->run_count; ++i) {
            const td_refit_run *run = &bench->runs[i];
            char label[TD_CLI_DEVICE_LABEL];
            td_cli_table_cell(&table, "%s", whats[k]);
            td_cli_table_cell(&table, "%s", td_cli_device_label(label, run->worker.device));
            td_cli_table_cell(&table, "%u", run->worker.threads);
            td_cli_table_cell(&table, "%.3f", run->median_ms[k]);
            td_cli_table_cell(&table, "%.2f", td_speed(bench, run->median_ms[k]));
        }
    }
    td_cli_table_end(&table, output, 2);
}

// Costs do not depend on threads.
static void td_table_of_costs(td_cli_output *output, const td_refit_bench *bench) {
    td_cli_table table = td_cli_table_begin("rrrr");
    static const char *const heads[] = {"deformed", "cost refitted", "cost rebuilt", "ratio"};
    for (int i = 0; i < 4; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    for (uint32_t i = 0; i < bench->frame_count; ++i) {
        const td_refit_frame *frame = &bench->runs[0].frames[i];
        td_cli_table_cell(&table, "%.3f", frame->amount);
        td_cli_table_cell(&table, "%.2f", frame->cost);
        td_cli_table_cell(&table, "%.2f", frame->rebuilt_cost);
        td_cli_table_cell(&table, "%.3f", frame->cost / frame->rebuilt_cost);
    }
    td_cli_table_end(&table, output, 2);
}

static void td_refit_as_table(td_cli_session *session, const td_refit_bench *bench, const char *processor) {
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_print(session->output, "%s: %s triangles, %s, %s; medians of %u frames\n\n", bench->subject.name,
                 td_cli_grouped(number, bench->subject.triangle_count), processor,
                 td_isa_name(td_context_isa(session->context)), bench->frame_count);
    td_table_of_speeds(session->output, bench);
    td_cli_put(session->output, "\nExpected tests of a random line (surface area heuristic):\n\n");
    td_table_of_costs(session->output, bench);
}

static void td_refit_as_csv(td_cli_session *session, const td_refit_bench *bench, const char *processor) {
    td_cli_output *output = session->output;
    td_cli_put(output, "cpu,isa,mesh,triangles,threads,frame,amount");
    for (int k = 0; k < TD_REFIT_TIMES; ++k) {
        td_cli_print(output, ",%s_ms", td_refit_keys[k]);
    }
    td_cli_put(output, ",cost,rebuilt_cost,device\n");
    for (uint32_t r = 0; r < bench->run_count; ++r) {
        const td_refit_run *run = &bench->runs[r];
        for (uint32_t i = 0; i < bench->frame_count; ++i) {
            const td_refit_frame *frame = &run->frames[i];
            td_cli_put_csv(output, processor);
            td_cli_print(output, ",%s,", td_isa_name(td_context_isa(session->context)));
            td_cli_put_csv(output, bench->subject.name);
            td_cli_print(output, ",%u,%u,%u,%.6g", bench->subject.triangle_count, run->worker.threads, i,
                         frame->amount);
            for (int k = 0; k < TD_REFIT_TIMES; ++k) {
                td_cli_print(output, ",%.6g", frame->ms[k]);
            }
            char label[TD_CLI_DEVICE_LABEL];
            td_cli_print(output, ",%.10g,%.10g,%s\n", frame->cost, frame->rebuilt_cost,
                         td_cli_device_label(label, run->worker.device));
        }
    }
}

static void td_json_run(td_cli_json *json, const td_refit_bench *bench, const td_refit_run *run) {
    td_cli_json_object(json, NULL, TD_JSON_LINES);
    char label[TD_CLI_DEVICE_LABEL];
    td_cli_json_text(json, "device", td_cli_device_label(label, run->worker.device));
    td_cli_json_count(json, "threads", run->worker.threads);
    td_cli_json_object(json, "median_ms", TD_JSON_INLINE);
    for (int k = 0; k < TD_REFIT_TIMES; ++k) {
        td_cli_json_number(json, td_refit_keys[k], run->median_ms[k]);
    }
    td_cli_json_end(json);
    td_cli_json_object(json, "triangles_per_s", TD_JSON_INLINE);
    for (int k = 0; k < TD_REFIT_TIMES; ++k) {
        td_cli_json_number(json, td_refit_keys[k], 1e6 * td_speed(bench, run->median_ms[k]));
    }
    td_cli_json_end(json);
    td_cli_json_array(json, "frames", TD_JSON_LINES);
    for (uint32_t i = 0; i < bench->frame_count; ++i) {
        const td_refit_frame *frame = &run->frames[i];
        td_cli_json_object(json, NULL, TD_JSON_INLINE);
        td_cli_json_number(json, "amount", frame->amount);
        td_cli_json_object(json, "ms", TD_JSON_INLINE);
        for (int k = 0; k < TD_REFIT_TIMES; ++k) {
            td_cli_json_number(json, td_refit_keys[k], frame->ms[k]);
        }
        td_cli_json_end(json);
        td_cli_json_number(json, "cost", frame->cost);
        td_cli_json_number(json, "rebuilt_cost", frame->rebuilt_cost);
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
    td_cli_json_end(json);
}

static void td_refit_as_json(td_cli_session *session, const td_refit_bench *bench, const char *processor) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_text(&json, "isa", td_isa_name(td_context_isa(session->context)));
    td_cli_json_text(&json, "mesh", bench->subject.name);
    td_cli_json_count(&json, "triangles", bench->subject.triangle_count);
    td_cli_json_array(&json, "runs", TD_JSON_LINES);
    for (uint32_t i = 0; i < bench->run_count; ++i) {
        td_json_run(&json, bench, &bench->runs[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_refit_write(td_cli_session *session, const td_refit_bench *bench) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_refit_as_table(session, bench, processor);
        break;
    case TD_CLI_JSON:
        td_refit_as_json(session, bench, processor);
        break;
    case TD_CLI_CSV:
        td_refit_as_csv(session, bench, processor);
        break;
    }
}
