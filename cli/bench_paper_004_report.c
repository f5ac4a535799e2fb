#include "bench_paper_004.h"
#include "json.h"
#include "planar/planar.h"
#include "processor.h"
#include "table.h"

#include <math.h>
#include <string.h>

static const struct {
    int table;
    const char *title;
} td_titles[] = {
    {1, "Table 1: bisection, all questions in one launch (inside) or one per launch (outside)"},
    {2, "Table 2: the first collision by three reductions"},
    {3, "Table 3: rendering, as published; ours is measured in a browser: make bench-view"},
    {4, "Table 4: whole steps of the paper's scheme"},
    {5, "Table 5: its phases, polygons"},
    {TD_TABLE_BEYOND, "Beyond: ms per simulated second, triangles"},
    {TD_TABLE_GAS, "Beyond: gas, ms per step"},
};
enum { TD_TITLES = sizeof td_titles / sizeof td_titles[0], TD_COLUMNS_MOST = 18 };

// ---------------------------------------------------------------------------------------------------------
// What is in a table

typedef struct td_grid_of_figures {
    const char *columns[TD_COLUMNS_MOST];
    uint32_t column_count;
    uint32_t sizes[8];
    uint32_t size_count;
} td_grid_of_figures;

static void td_note_figure(td_grid_of_figures *grid, const td_planar_figure *figure) {
    uint32_t column = 0, size = 0;
    while (column < grid->column_count && strcmp(grid->columns[column], figure->column) != 0) {
        ++column;
    }
    if (column == grid->column_count && column < TD_COLUMNS_MOST) {
        grid->columns[grid->column_count++] = figure->column;
    }
    while (size < grid->size_count && grid->sizes[size] != figure->objects) {
        ++size;
    }
    if (size == grid->size_count && size < 8) {
        grid->sizes[grid->size_count++] = figure->objects;
    }
}

static td_grid_of_figures td_grid_of(const td_planar_figures *figures, int table) {
    td_grid_of_figures grid = {0};
    for (uint32_t i = 0; i < figures->count; ++i) {
        if (figures->items[i].table == table) {
            td_note_figure(&grid, &figures->items[i]);
        }
    }
    return grid;
}

// NaN: there is none.
static double td_value_of(const td_planar_figures *figures, int table, const char *column, uint32_t objects) {
    for (uint32_t i = 0; i < figures->count; ++i) {
        const td_planar_figure *figure = &figures->items[i];
        if (figure->table == table && figure->objects == objects && strcmp(figure->column, column) == 0) {
            return figure->value;
        }
    }
    return NAN;
}

// Times grow as objects to this power, from the first to the last size that the column has.
static double td_growth_of(const td_planar_figures *figures, int table, const td_grid_of_figures *grid,
                           const char *column) {
    double first = NAN, last = NAN;
    uint32_t from = 0, to = 0;
    for (uint32_t i = 0; i < grid->size_count; ++i) {
        const double value = td_value_of(figures, table, column, grid->sizes[i]);
        if (!isnan(value) && isnan(first)) {
            first = value;
            from = grid->sizes[i];
        }
        if (!isnan(value)) {
            last = value;
            to = grid->sizes[i];
        }
    }
    return to > from && first > 0 ? log(last / first) / log((double)to / from) : NAN;
}

// ---------------------------------------------------------------------------------------------------------
// For people: a line per column of the paper, so that it fits the width

static void td_number_cell(td_cli_table *table, double value) {
    if (isnan(value)) {
        td_cli_table_cell(table, "-");
    } else {
        td_cli_table_cell(table, value < 10 ? "%.3f" : "%.1f", value);
    }
}

static void td_put_grid(td_cli_output *output, const td_planar_figures *figures, int table,
                        const char *title) {
    static const char alignment[] = "lrrrrrrrrr";
    const td_grid_of_figures grid = td_grid_of(figures, table);
    if (grid.column_count == 0) {
        return;
    }
    char shown[sizeof alignment];
    memcpy(shown, alignment, sizeof alignment);
    shown[grid.size_count + 2] = 0;
    td_cli_print(output, "\n%s\n", title);
    td_cli_table cells = td_cli_table_begin(shown);
    td_cli_table_cell(&cells, "objects");
    for (uint32_t i = 0; i < grid.size_count; ++i) {
        char number[TD_CLI_NUMBER_SIZE];
        td_cli_table_cell(&cells, "%s", td_cli_grouped(number, grid.sizes[i]));
    }
    td_cli_table_cell(&cells, "growth");
    for (uint32_t column = 0; column < grid.column_count; ++column) {
        td_cli_table_cell(&cells, "%s", grid.columns[column]);
        for (uint32_t i = 0; i < grid.size_count; ++i) {
            td_number_cell(&cells, td_value_of(figures, table, grid.columns[column], grid.sizes[i]));
        }
        const double growth = td_growth_of(figures, table, &grid, grid.columns[column]);
        if (isnan(growth)) {
            td_cli_table_cell(&cells, "-");
        } else {
            td_cli_table_cell(&cells, "n^%.2f", growth);
        }
    }
    td_cli_table_end(&cells, output, 2);
}

static void td_put_readings(td_cli_output *output) {
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_print(output, "\nElements that a whole reduction reads, by the formulas of section 2.2\n");
    td_cli_table cells = td_cli_table_begin("rrrr");
    td_cli_table_cell(&cells, "objects");
    td_cli_table_cell(&cells, "classic");
    td_cli_table_cell(&cells, "six");
    td_cli_table_cell(&cells, "four-six");
    for (uint32_t size = 256; size <= 4096; size *= 2) {
        td_cli_table_cell(&cells, "%s", td_cli_grouped(number, size));
        for (int reduction = 0; reduction < 3; ++reduction) {
            td_cli_table_cell(
                &cells, "%s",
                td_cli_grouped(number, td_count_readings((td_planar_reduction)reduction, size)));
        }
    }
    td_cli_table_end(&cells, output, 2);
}

static void td_put_beyond(td_cli_output *output, const td_planar_figures *figures) {
    const td_grid_of_figures grid = td_grid_of(figures, TD_TABLE_BEYOND);
    const uint32_t size = grid.sizes[0];
    const double paper = td_value_of(figures, TD_TABLE_BEYOND, "first, all pairs, scalar", size);
    const double ours = td_value_of(figures, TD_TABLE_BEYOND, "ordered, grid, scalar", size);
    td_cli_print(output, "\n  %u triangles: %.1f times faster per simulated second than the paper's scheme\n",
                 size, paper / ours);
    const double gas = td_value_of(figures, TD_TABLE_GAS, "ordered, grid, scalar", 100000);
    if (!isnan(gas)) {
        td_cli_print(output, "  100,000 circles: %.1f steps per second\n", 1000 / gas);
    }
}

static void td_figures_as_tables(td_cli_session *session, const td_planar_figures *figures) {
    td_cli_output *output = session->output;
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_print(output, "Seconds per 1,000 steps. scalar, native: %s, on 1 and %u threads\n",
                 td_cli_processor_name(processor), figures->threads);
    td_cli_print(output, "device: %s; GPU, CPU: published, GeForce 7900 GS and Core 2 Duo 1.86 GHz\n",
                 figures->device[0] ? figures->device : "none");
    for (int i = 0; i < TD_TITLES; ++i) {
        td_put_grid(output, figures, td_titles[i].table, td_titles[i].title);
        if (td_titles[i].table == 2) {
            td_put_readings(output);
        }
    }
    td_put_beyond(output, figures);
    td_cli_print(output, "  waits of the host inside %llu steps on the device: %llu\n",
                 (unsigned long long)figures->device_steps, (unsigned long long)figures->waits);
    td_cli_print(output, "  worst of all runs: energy off by %.1e, momentum by %.1e, smallest gap %.2g m\n",
                 figures->energy_error, figures->momentum_error, figures->gap);
}

// ---------------------------------------------------------------------------------------------------------
// For programs

static const char *td_table_name(int table) {
    return table == TD_TABLE_BEYOND ? "beyond" : table == TD_TABLE_GAS ? "gas" : NULL;
}

static void td_figures_as_csv(td_cli_session *session, const td_planar_figures *figures) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_put(session->output, "table,column,objects,ms_per_step,source,hardware\n");
    for (uint32_t i = 0; i < figures->count; ++i) {
        const td_planar_figure *figure = &figures->items[i];
        const char *name = td_table_name(figure->table);
        if (name) {
            td_cli_print(session->output, "%s,", name);
        } else {
            td_cli_print(session->output, "%d,", figure->table);
        }
        td_cli_put_csv(session->output, figure->column);
        td_cli_print(session->output, ",%u,%.6g,%s,", figure->objects, figure->value,
                     figure->published ? "published" : "measured");
        td_cli_put_csv(session->output, figure->published ? "GeForce 7900 GS, Core 2 Duo 1.86 GHz"
                                                          : td_cli_processor_name(processor));
        td_cli_put(session->output, "\n");
    }
}

static void td_figures_as_json(td_cli_session *session, const td_planar_figures *figures) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "cpu", td_cli_processor_name(processor));
    td_cli_json_text(&json, "device", figures->device);
    td_cli_json_count(&json, "threads", figures->threads);
    td_cli_json_count(&json, "device_steps", figures->device_steps);
    td_cli_json_count(&json, "waits", figures->waits);
    td_cli_json_number(&json, "energy_error", figures->energy_error);
    td_cli_json_number(&json, "momentum_error", figures->momentum_error);
    td_cli_json_number(&json, "smallest_gap", figures->gap);
    td_cli_json_array(&json, "figures", TD_JSON_LINES);
    for (uint32_t i = 0; i < figures->count; ++i) {
        const td_planar_figure *figure = &figures->items[i];
        const char *name = td_table_name(figure->table);
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        if (name) {
            td_cli_json_text(&json, "table", name);
        } else {
            td_cli_json_count(&json, "table", (uint64_t)figure->table);
        }
        td_cli_json_text(&json, "column", figure->column);
        td_cli_json_count(&json, "objects", figure->objects);
        td_cli_json_number(&json, "ms_per_step", figure->value);
        td_cli_json_bool(&json, "published", figure->published);
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_planar_figures_write(td_cli_session *session, const td_planar_figures *figures) {
    if (session->format == TD_CLI_JSON) {
        td_figures_as_json(session, figures);
    } else if (session->format == TD_CLI_CSV) {
        td_figures_as_csv(session, figures);
    } else {
        td_figures_as_tables(session, figures);
    }
}
