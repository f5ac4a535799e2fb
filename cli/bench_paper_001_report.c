// What `bench paper 001` found, in tables that look like the paper's.
#include "bench_paper_001.h"
#include "processor.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct td_operation_column {
    const char *operation, *way; // way null: that of the line
    td_volume volume;
} td_operation_column;

// Which rows stand in a line of a table.
typedef struct td_operation_line {
    const char *way;             // null: any
    const td_bench_place *place; // null: the paper's,
    const char *hardware;        // on this
} td_operation_line;

static const td_operation_row *td_find_row(const td_operation_scene *scene, const td_operation_line *line,
                                           const td_operation_column *column) {
    const char *way = column->way ? column->way : line->way;
    for (uint32_t i = 0; i < scene->row_count; ++i) {
        const td_operation_row *row = &scene->rows[i];
        if (strcmp(row->operation, column->operation) == 0 && row->volume == column->volume &&
            row->place == line->place && row->hardware == line->hardware &&
            (!way || strcmp(row->way, way) == 0)) {
            return row;
        }
    }
    return NULL;
}

// "-" where there is nothing.
static void td_number_cell(td_cli_table *table, double number, int digits) {
    if (isnan(number)) {
        td_cli_table_cell(table, "-");
    } else {
        td_cli_table_cell(table, "%.*f", digits, number);
    }
}

static const char *td_line_place(const td_operation_line *line) {
    return line->place ? line->place->name : line->hardware;
}

static void td_put_line(td_cli_table *table, const td_operation_scene *scene, const td_operation_line *line,
                        const td_operation_column *columns, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const td_operation_row *row = td_find_row(scene, line, &columns[i]);
        td_number_cell(table, row ? row->ms : NAN, row && !row->place ? 1 : 2);
    }
}

static void td_put_heads(td_cli_table *table, const char *const *heads, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        td_cli_table_cell(table, "%s", heads[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------

enum { TD_COLUMNS_7 = 7, TD_COLUMNS_8 = 4 };

static void td_put_scene_7(td_cli_table *table, const td_operation_scene *scene, const td_operations *all) {
    static const td_operation_column columns[TD_COLUMNS_7] = {
        {"build", "linear", TD_VOLUME_AABB},     {"build", "sah", TD_VOLUME_AABB},
        {"build", "compaction", TD_VOLUME_AABB}, {"build", "balanced", TD_VOLUME_AABB},
        {"refit", "blocks", TD_VOLUME_AABB},     {"refit", "post-order", TD_VOLUME_AABB},
        {"refit", "post-order", TD_VOLUME_OBB}};
    // What the paper has. A line is about one kind of box.
    static const td_operation_column published[2][TD_COLUMNS_7] = {{{"build", "linear", TD_VOLUME_AABB},
                                                                    {"build", "sah", TD_VOLUME_AABB},
                                                                    {"build", "compaction", TD_VOLUME_AABB},
                                                                    {"build", "balanced", TD_VOLUME_AABB},
                                                                    {"refit", "blocks", TD_VOLUME_AABB},
                                                                    {"refit", NULL, TD_VOLUME_AABB},
                                                                    {"refit", "none", TD_VOLUME_OBB}},
                                                                   {{"build", "linear", TD_VOLUME_OBB},
                                                                    {"build", "sah", TD_VOLUME_OBB},
                                                                    {"build", "compaction", TD_VOLUME_OBB},
                                                                    {"build", "balanced", TD_VOLUME_OBB},
                                                                    {"refit", "blocks", TD_VOLUME_OBB},
                                                                    {"refit", "none", TD_VOLUME_AABB},
                                                                    {"refit", NULL, TD_VOLUME_OBB}}};
    for (int i = 0; scene->published && i < 3; ++i) {
        static const char *const names[3] = {"paper, aabb", "paper, obb", "paper, aabb"}; // the last on cores
        const td_operation_line line = {.hardware = td_published_001_hardware[i / 2]};
        td_cli_table_cell(table, "%s", scene->name);
        td_cli_table_cell(table, "%s", names[i]);
        td_cli_table_cell(table, "%s", line.hardware);
        td_put_line(table, scene, &line, published[i % 2], TD_COLUMNS_7);
    }
    for (uint32_t p = 0; p < all->places.place_count; ++p) {
        const td_operation_line line = {.place = &all->places.places[p]};
        td_cli_table_cell(table, "%s", scene->name);
        td_cli_table_cell(table, "tandem");
        td_cli_table_cell(table, "%s", line.place->name);
        td_put_line(table, scene, &line, columns, TD_COLUMNS_7);
    }
}

static void td_write_7(td_cli_output *output, const td_operations *all) {
    static const char *const heads[] = {"scene",      "source",   "place",        "linear",     "sah",
                                        "compaction", "balanced", "refit blocks", "refit aabb", "refit obb"};
    td_cli_put(output, "\nFig. 7, construction and refit, ms\n\n");
    td_cli_table table = td_cli_table_begin("lllrrrrrrr");
    td_put_heads(&table, heads, sizeof heads / sizeof heads[0]);
    for (uint32_t s = 0; s < all->count; ++s) {
        td_put_scene_7(&table, &all->scenes[s], all);
    }
    td_cli_table_end(&table, output, 0);
}

static void td_put_line_8(td_cli_table *table, const td_operation_scene *scene,
                          const td_operation_line *line) {
    static const td_operation_column columns[TD_COLUMNS_8] = {{"discrete", NULL, TD_VOLUME_AABB},
                                                              {"discrete", NULL, TD_VOLUME_OBB},
                                                              {"continuous", NULL, TD_VOLUME_AABB},
                                                              {"continuous", NULL, TD_VOLUME_OBB}};
    td_cli_table_cell(table, "%s", scene->name);
    td_cli_table_cell(table, "%s%s", line->place ? "" : "paper, ", line->way);
    td_cli_table_cell(table, "%s", td_line_place(line));
    td_put_line(table, scene, line, columns, TD_COLUMNS_8);
}

static void td_write_8(td_cli_output *output, const td_operations *all) {
    static const char *const heads[] = {"scene",        "traversal",       "place",         "discrete aabb",
                                        "discrete obb", "continuous aabb", "continuous obb"};
    static const char *const native[] = {"wide", "stack", "balanced", "front"};
    static const char *const published[] = {"standard", "front"};
    td_cli_put(output, "\nFig. 8, self-collision, ms per frame with refit\n\n");
    td_cli_table table = td_cli_table_begin("lllrrrr");
    td_put_heads(&table, heads, sizeof heads / sizeof heads[0]);
    for (uint32_t s = 0; s < all->count; ++s) {
        const td_operation_scene *scene = &all->scenes[s];
        for (int i = 0; scene->published && i < 2; ++i) {
            td_put_line_8(&table, scene,
                          &(td_operation_line){published[i], NULL, td_published_001_hardware[0]});
        }
        for (int i = 0; i < 4; ++i) {
            td_put_line_8(&table, scene, &(td_operation_line){native[i], &all->places.places[0], NULL});
        }
        static const char *const on_device[] = {"blocked", "stack", "balanced", "front"};
        for (uint32_t p = 1; p < all->places.place_count; ++p) {
            for (int i = 0; i < 4; ++i) {
                td_put_line_8(&table, scene,
                              &(td_operation_line){on_device[i], &all->places.places[p], NULL});
            }
        }
    }
    td_cli_table_end(&table, output, 0);
}

static void td_put_shares(td_cli_table *table, const td_operation_scene *scene, const td_operation_row *row) {
    double sum = 0;
    for (int i = 0; i < TD_OPERATION_STAGES; ++i) {
        sum += row->stages[i];
    }
    td_cli_table_cell(table, "%s", scene->name);
    td_cli_table_cell(table, "%s %s", row->operation, td_volume_name(row->volume));
    td_cli_table_cell(table, "%s", row->way);
    td_cli_table_cell(table, "%s", row->place->name);
    for (int i = 0; i < TD_OPERATION_STAGES; ++i) {
        const bool apart = !row->place->device || i != TD_STAGE_OF_TRIANGLES;
        td_number_cell(table, apart ? 100 * row->stages[i] / sum : NAN, 1);
    }
    td_number_cell(table, row->found, 0);
    td_number_cell(table, row->box_tests, 0);
    td_number_cell(table, row->triangle_tests, 0);
}

static void td_write_9(td_cli_output *output, const td_operations *all) {
    static const char *const heads[] = {"scene",   "query",   "traversal", "place",     "refit %",
                                        "boxes %", "tests %", "found",     "box tests", "triangle tests"};
    td_cli_put(output, "\nFig. 9, where the time goes; per frame\n\n");
    td_cli_table table = td_cli_table_begin("llllrrrrrr");
    td_put_heads(&table, heads, sizeof heads / sizeof heads[0]);
    for (uint32_t s = 0; s < all->count; ++s) {
        for (uint32_t i = 0; i < all->scenes[s].row_count; ++i) {
            const td_operation_row *row = &all->scenes[s].rows[i];
            if (row->place && !isnan(row->stages[0])) {
                td_put_shares(&table, &all->scenes[s], row);
            }
        }
    }
    td_cli_table_end(&table, output, 0);
}

static void td_write_tables(td_cli_session *session, const td_operations *all, const char *processor) {
    td_cli_output *output = session->output;
    td_cli_print(output, "Paper 001, published: on an %s, refit also on an %s.\n",
                 td_published_001_hardware[0], td_published_001_hardware[1]);
    for (uint32_t p = 0; p < all->places.place_count; ++p) {
        const td_bench_place *place = &all->places.places[p];
        td_cli_print(output, "%s is %s%s%s, %u thread%s.\n", place->name,
                     place->device ? place->info.name : processor,
                     place->device ? ", an OpenCL device of kind " : "",
                     place->device ? td_device_kind_name(place->info.kind) : "", place->threads,
                     place->threads == 1 ? "" : "s");
    }
    for (uint32_t s = 0; s < all->count; ++s) {
        const td_operation_scene *scene = &all->scenes[s];
        char number[TD_CLI_NUMBER_SIZE];
        td_cli_print(output, "%s: %u frame%s of %s triangles%s%s.\n", scene->name,
                     scene->sequence.frame_count - 1, scene->sequence.frame_count == 2 ? "" : "s",
                     td_cli_grouped(number, scene->sequence.triangle_count),
                     scene->published ? "; the paper's: " : "",
                     scene->published ? scene->published->model : "");
    }
    td_write_7(output, all);
    td_write_8(output, all);
    td_write_9(output, all);
}

void td_operations_write(td_cli_session *session, const td_operations *all) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    td_cli_progress_end(&session->progress);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_write_tables(session, all, processor);
        break;
    case TD_CLI_JSON:
        td_operations_as_json(session, all, processor);
        break;
    case TD_CLI_CSV:
        td_operations_as_csv(session, all, processor);
        break;
    }
}
