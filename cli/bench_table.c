// The table of `bench traverse` for people: what was measured and where, the rows, the paper's bounds.
#include "bench_report.h"
#include "table.h"

#include <math.h>

static void td_put_heading(td_cli_output *output, const td_bench_report *report) {
    const td_bench_scene *scene = report->scene;
    char a[TD_CLI_NUMBER_SIZE], b[TD_CLI_NUMBER_SIZE], pairs[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("l"); // for the sake of its cleaning of names
    td_cli_table_cell(
        &table, "%s object pairs of %s (%s triangles) and %s (%s), seed %u; medians of %u rounds",
        td_cli_grouped(pairs, scene->pair_count), scene->loaded[0].name,
        td_cli_grouped(a, td_mesh_triangle_count(scene->a)), scene->loaded[scene->loaded_count - 1].name,
        td_cli_grouped(b, td_mesh_triangle_count(scene->b)), scene->seed, report->rows->rounds);
    for (uint32_t i = 0; i < report->rows->place_count; ++i) {
        const td_bench_place *place = &report->rows->places[i];
        if (place->device) {
            td_cli_table_cell(&table, "%s: %s, a %s of %s with %u compute unit%s", place->name,
                              place->info.name, td_device_kind_name(place->info.kind), place->info.platform,
                              place->info.compute_units, place->info.compute_units == 1 ? "" : "s");
        }
    }
    td_cli_table_end(&table, output, 0);
}

// Milliseconds to three digits or so, without an exponent.
static void td_cell_ms(td_cli_table *table, double ms) {
    td_cli_table_cell(table, ms == 0 ? "-" : ms < 9.995 ? "%.2f" : ms < 99.95 ? "%.1f" : "%.0f", ms);
}

static void td_cell_ratio(td_cli_table *table, double ratio) {
    if (isnan(ratio)) {
        td_cli_table_cell(table, "-");
    } else {
        td_cli_table_cell(table, "%.3f", ratio);
    }
}

static void td_put_column_names(td_cli_table *table) {
    static const char *const names[] = {
        "strategy", "volume", "device", "threads", "pairs",     "box tests", "triangle tests",
        "exact",    "state",  "boxes",  "collect", "triangles", "exact",     "copy in",
        "copy out", "total",  "cpu",    "ratio",   "ratio"};
    static const char *const units[] = {"",   "",   "",   "",   "",   "",   "",   "tests",    "bytes", "ms",
                                        "ms", "ms", "ms", "ms", "ms", "ms", "ms", "of total", "of cpu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        td_cli_table_cell(table, "%s", names[i]);
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        td_cli_table_cell(table, "%s", units[i]);
    }
}

static void td_put_row(td_cli_table *table, const td_bench_row *row) {
    char text[TD_BENCH_ROW_NAME], number[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "%s", td_bench_row_strategy(text, row));
    td_cli_table_cell(table, "%s", td_volume_name(row->def.volume));
    td_cli_table_cell(table, "%s", row->place->name);
    td_cli_table_cell(table, "%u", row->place->threads);
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->pairs));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->counters.box_tests));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->counters.triangle_tests));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->counters.exact_tests));
    td_cli_table_cell(table, "%.1f", (double)row->counters.state_bits / 8);
    static const td_bench_time times[] = {TD_BENCH_BOXES, TD_BENCH_COLLECT, TD_BENCH_TRIANGLES,
                                          TD_BENCH_EXACT, TD_BENCH_COPY_IN, TD_BENCH_COPY_OUT,
                                          TD_BENCH_TOTAL, TD_BENCH_CPU};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        td_cell_ms(table, row->median[times[i]]);
    }
    td_cell_ratio(table, row->median[TD_BENCH_RATIO]);
    td_cell_ratio(table, row->median[TD_BENCH_CPU_RATIO]);
}

static void td_put_storage(td_cli_output *output, const td_bench_storage *storage) {
    td_cli_print(
        output,
        "\nPaper 000 on these hierarchies (heights %u and %u, at most %u children), per object pair:\n",
        storage->height_a, storage->height_b, storage->arity);
    td_cli_table table = td_cli_table_begin("lrrl");
    const struct {
        const char *what, *remark;
        uint64_t bits;
    } lines[] = {
        {"Eq. 2, binary", "", storage->bounds.binary},
        {"Eq. 1, stack, as printed", "not a bound: takes the higher tree's height for the longest way",
         storage->bounds.stack_printed},
        {"Eq. 1, stack, corrected", "the longest way goes down both trees", storage->bounds.stack},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        td_cli_table_cell(&table, "%s", lines[i].what);
        td_cli_table_cell(&table, "%llu bits", (unsigned long long)lines[i].bits);
        td_cli_table_cell(&table, "%.1f bytes", (double)lines[i].bits / 8);
        td_cli_table_cell(&table, "%s", lines[i].remark);
    }
    td_cli_table_end(&table, output, 2);
}

void td_bench_report_as_table(td_cli_session *session, const td_bench_report *report) {
    td_cli_output *output = session->output;
    td_put_heading(output, report);
    td_cli_put(output, "\n");
    td_cli_table table = td_cli_table_begin("lllrrrrrrrrrrrrrrrr");
    td_put_column_names(&table);
    for (uint32_t i = 0; i < report->rows->count; ++i) {
        td_put_row(&table, &report->rows->rows[i]);
    }
    td_cli_table_end(&table, output, 0);
    td_cli_put(
        output,
        "\nstate: the most that one object pair's traversal had to remember. boxes to exact: natively\n"
        "by the wall clock of each thread, summed, in calls of their own, for looking costs a little time;\n"
        "on a device by its own clock. total: wall clock. cpu: of all threads of the process. ratio: to\n"
        "stack with aabb on native scalar, less is faster. threads of a device: its compute units.\n");
    if (report->storage->known) {
        td_put_storage(output, report->storage);
    }
}
