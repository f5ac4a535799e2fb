#include "bench_report.h"

#include "json.h"
#include "processor.h"

#include <math.h>

// The times in the order of td_bench_time.
static const char *const td_time_keys[TD_BENCH_TIMES] = {"boxes",   "collect",  "triangles", "exact",
                                                         "copy_in", "copy_out", "stages",    "total",
                                                         "cpu",     "ratio",    "cpu_ratio"};

// ---------------------------------------------------------------------------------------------------------
// JSON

static void td_json_scene(td_cli_json *json, const td_bench_scene *scene) {
    td_cli_json_object(json, "scene", TD_JSON_INLINE);
    td_cli_json_text(json, "name", scene->name);
    td_cli_json_text(json, "a", scene->loaded[0].name);
    td_cli_json_text(json, "b", scene->loaded[scene->loaded_count - 1].name);
    td_cli_json_count(json, "triangles_a", td_mesh_triangle_count(scene->a));
    td_cli_json_count(json, "triangles_b", td_mesh_triangle_count(scene->b));
    td_cli_json_count(json, "object_pairs", scene->pair_count);
    td_cli_json_count(json, "seed", scene->seed);
    td_cli_json_end(json);
}

static void td_json_storage(td_cli_json *json, const td_bench_storage *storage) {
    td_cli_json_object(json, "storage", TD_JSON_INLINE);
    td_cli_json_count(json, "height_a", storage->height_a);
    td_cli_json_count(json, "height_b", storage->height_b);
    td_cli_json_count(json, "arity", storage->arity);
    td_cli_json_count(json, "stack_printed_bits", storage->bounds.stack_printed);
    td_cli_json_count(json, "stack_bits", storage->bounds.stack);
    td_cli_json_count(json, "binary_bits", storage->bounds.binary);
    td_cli_json_end(json);
}

static void td_json_row(td_cli_json *json, const td_bench_row *row) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "strategy", td_strategy_name(row->strategy));
    td_cli_json_bool(json, "one_item_per_pair", row->one_item_per_pair);
    td_cli_json_text(json, "volume", td_volume_name(row->def.volume));
    td_cli_json_text(json, "descent", td_descent_name(row->def.descent));
    td_cli_json_text(json, "device", row->place->name);
    td_cli_json_count(json, "threads", row->place->threads);
    td_cli_json_count(json, "pairs", row->pairs);
    td_cli_json_count(json, "colliding", row->colliding);
    td_cli_json_object(json, "counters", TD_JSON_INLINE);
    td_cli_json_count(json, "box_tests", row->counters.box_tests);
    td_cli_json_count(json, "triangle_tests", row->counters.triangle_tests);
    td_cli_json_count(json, "exact_tests", row->counters.exact_tests);
    td_cli_json_count(json, "bytes", row->counters.bytes);
    td_cli_json_count(json, "state_bits", row->counters.state_bits);
    td_cli_json_end(json);
    td_cli_json_object(json, "ms", TD_JSON_INLINE);
    for (int k = 0; k < TD_BENCH_RATIO; ++k) {
        td_cli_json_number(json, td_time_keys[k], row->median[k]);
    }
    td_cli_json_end(json);
    for (int k = TD_BENCH_RATIO; k < TD_BENCH_TIMES; ++k) {
        td_cli_json_number(json, td_time_keys[k], row->median[k]);
    }
    td_cli_json_end(json);
}

static void td_report_as_json(td_cli_session *session, const td_bench_report *report) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", td_cli_processor_name(processor));
    td_json_scene(&json, report->scene);
    td_cli_json_count(&json, "repeats", report->rows->rounds);
    td_cli_json_array(&json, "devices", TD_JSON_LINES);
    for (uint32_t i = 0; i < report->rows->place_count; ++i) {
        const td_bench_place *place = &report->rows->places[i];
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "device", place->name);
        td_cli_json_text(&json, "name", place->device ? place->info.name : processor);
        td_cli_json_count(&json, "threads", place->threads);
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    if (report->storage->known) {
        td_json_storage(&json, report->storage);
    }
    td_cli_json_array(&json, "rows", TD_JSON_LINES);
    for (uint32_t i = 0; i < report->rows->count; ++i) {
        td_json_row(&json, &report->rows->rows[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

// ---------------------------------------------------------------------------------------------------------
// CSV

static void td_csv_row(td_cli_output *output, const char *processor, const td_bench_report *report,
                       const td_bench_row *row) {
    const td_bench_scene *scene = report->scene;
    td_cli_put_csv(output, processor);
    td_cli_print(output, ",%s,", scene->name);
    td_cli_put_csv(output, scene->loaded[0].name);
    td_cli_put(output, ",");
    td_cli_put_csv(output, scene->loaded[scene->loaded_count - 1].name);
    td_cli_print(output, ",%u,%u,%u,%u,%u,%s,%s,%s,%s,%s,", td_mesh_triangle_count(scene->a),
                 td_mesh_triangle_count(scene->b), scene->pair_count, scene->seed, report->rows->rounds,
                 td_strategy_name(row->strategy), row->one_item_per_pair ? "true" : "false",
                 td_volume_name(row->def.volume), td_descent_name(row->def.descent), row->place->name);
    td_cli_put_csv(output, row->place->device ? row->place->info.name : processor);
    td_cli_print(output, ",%u,%llu,%llu,%llu,%llu,%llu,", row->place->threads, (unsigned long long)row->pairs,
                 (unsigned long long)row->counters.box_tests,
                 (unsigned long long)row->counters.triangle_tests,
                 (unsigned long long)row->counters.exact_tests, (unsigned long long)row->counters.state_bits);
    if (row->state_bound) {
        td_cli_put_u64(output, row->state_bound);
    }
    for (int k = 0; k < TD_BENCH_RATIO; ++k) {
        td_cli_print(output, ",%.6g", row->median[k]);
    }
    for (int k = TD_BENCH_RATIO; k < TD_BENCH_TIMES; ++k) {
        td_cli_put(output, ",");
        if (!isnan(row->median[k])) {
            td_cli_print(output, "%.4g", row->median[k]);
        }
    }
    td_cli_put(output, "\n");
}

static void td_report_as_csv(td_cli_session *session, const td_bench_report *report) {
    td_cli_output *output = session->output;
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    td_cli_put(output, "cpu,scene,a,b,triangles_a,triangles_b,object_pairs,seed,repeats,strategy,"
                       "one_item_per_pair,volume,descent,device,device_name,threads,pairs,box_tests,"
                       "triangle_tests,exact_tests,state_bits,state_bits_bound");
    for (int k = 0; k < TD_BENCH_RATIO; ++k) {
        td_cli_print(output, ",%s_ms", td_time_keys[k]);
    }
    for (int k = TD_BENCH_RATIO; k < TD_BENCH_TIMES; ++k) {
        td_cli_print(output, ",%s", td_time_keys[k]);
    }
    td_cli_put(output, "\n");
    for (uint32_t i = 0; i < report->rows->count; ++i) {
        td_csv_row(output, processor, report, &report->rows->rows[i]);
    }
}

void td_bench_write_report(td_cli_session *session, const td_bench_report *report) {
    td_cli_progress_end(&session->progress);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_bench_report_as_table(session, report);
        break;
    case TD_CLI_JSON:
        td_report_as_json(session, report);
        break;
    case TD_CLI_CSV:
        td_report_as_csv(session, report);
        break;
    }
}
