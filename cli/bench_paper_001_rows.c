// What `bench paper 001` found as CSV and JSON: a row per time, those of the paper among them.
#include "bench_paper_001.h"
#include "json.h"

#include <math.h>

enum { TD_ROW_NUMBERS = 8 };

static const char *const td_number_names[TD_ROW_NUMBERS] = {
    "ms", "cpu_ms", "refit_ms", "traversal_ms", "tests_ms", "found", "box_tests", "triangle_tests"};

static void td_numbers_of(double out[TD_ROW_NUMBERS], const td_operation_row *row) {
    const double numbers[TD_ROW_NUMBERS] = {
        row->ms,
        row->cpu_ms,
        row->stages[TD_STAGE_OF_REFIT],
        row->stages[TD_STAGE_OF_BOXES],
        row->place && row->place->device ? NAN : row->stages[TD_STAGE_OF_TRIANGLES], // not told apart there
        row->found,
        row->box_tests,
        row->triangle_tests};
    for (int i = 0; i < TD_ROW_NUMBERS; ++i) {
        out[i] = numbers[i];
    }
}

static const char *td_hardware_of(const td_operation_row *row, const char *processor) {
    return !row->place ? row->hardware : row->place->device ? row->place->info.name : processor;
}

static void td_csv_row(td_cli_output *output, const td_operation_scene *scene, const td_operation_row *row,
                       uint32_t rounds, const char *processor) {
    double numbers[TD_ROW_NUMBERS];
    td_numbers_of(numbers, row);
    td_cli_print(output, "%s,%s,", row->place ? "tandem" : "paper", scene->name);
    if (row->place) {
        td_cli_print(output, "%u,%u,%u", scene->sequence.triangle_count, scene->sequence.frame_count - 1,
                     rounds);
    } else {
        td_cli_put(output, ",,");
    }
    td_cli_print(output, ",%s,%s,%s,%s,", row->operation, row->way, td_volume_name(row->volume),
                 row->place ? row->place->name : "");
    td_cli_put_csv(output, td_hardware_of(row, processor));
    td_cli_put(output, ",");
    if (row->place) {
        td_cli_print(output, "%u", row->place->threads);
    }
    for (int i = 0; i < TD_ROW_NUMBERS; ++i) {
        if (isnan(numbers[i])) {
            td_cli_put(output, ",");
        } else {
            td_cli_print(output, ",%.6g", numbers[i]);
        }
    }
    td_cli_put(output, "\n");
}

void td_operations_as_csv(td_cli_session *session, const td_operations *all, const char *processor) {
    td_cli_put(session->output,
               "source,scene,triangles,frames,rounds,operation,way,volume,place,hardware,threads");
    for (int i = 0; i < TD_ROW_NUMBERS; ++i) {
        td_cli_print(session->output, ",%s", td_number_names[i]);
    }
    td_cli_put(session->output, "\n");
    for (uint32_t s = 0; s < all->count; ++s) {
        for (uint32_t i = 0; i < all->scenes[s].row_count; ++i) {
            td_csv_row(session->output, &all->scenes[s], &all->scenes[s].rows[i], all->rounds, processor);
        }
    }
}

static void td_json_row(td_cli_json *json, const td_operation_row *row, const char *processor) {
    double numbers[TD_ROW_NUMBERS];
    td_numbers_of(numbers, row);
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "source", row->place ? "tandem" : "paper");
    td_cli_json_text(json, "operation", row->operation);
    td_cli_json_text(json, "way", row->way);
    td_cli_json_text(json, "volume", td_volume_name(row->volume));
    if (row->place) {
        td_cli_json_text(json, "place", row->place->name);
        td_cli_json_count(json, "threads", row->place->threads);
    }
    td_cli_json_text(json, "hardware", td_hardware_of(row, processor));
    for (int i = 0; i < TD_ROW_NUMBERS; ++i) {
        if (!isnan(numbers[i])) {
            td_cli_json_number(json, td_number_names[i], numbers[i]);
        }
    }
    td_cli_json_end(json);
}

void td_operations_as_json(td_cli_session *session, const td_operations *all, const char *processor) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_count(&json, "rounds", all->rounds);
    td_cli_json_array(&json, "scenes", TD_JSON_LINES);
    for (uint32_t s = 0; s < all->count; ++s) {
        const td_operation_scene *scene = &all->scenes[s];
        td_cli_json_object(&json, NULL, TD_JSON_LINES);
        td_cli_json_text(&json, "scene", scene->name);
        td_cli_json_count(&json, "triangles", scene->sequence.triangle_count);
        td_cli_json_count(&json, "frames", scene->sequence.frame_count - 1);
        td_cli_json_array(&json, "rows", TD_JSON_LINES);
        for (uint32_t i = 0; i < scene->row_count; ++i) {
            td_json_row(&json, &scene->rows[i], processor);
        }
        td_cli_json_end(&json);
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}
