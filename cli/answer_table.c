// For people: a summary, and the first pairs or poses.
#include "answer.h"
#include "table.h"

enum { TD_ROWS_SHOWN = 20 };

static const char *td_inside_words(const td_cli_answer *answer, td_inside inside) {
    switch (inside) {
    case TD_INSIDE_A_IN_B:
        return "A lies inside B without touching it";
    case TD_INSIDE_B_IN_A:
        return "B lies inside A without touching it";
    case TD_INSIDE_NONE:
        break;
    }
    return answer->batch ? "" : "none";
}

static void td_table_counters(td_cli_table *table, const td_counters *counters) {
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "box tests");
    td_cli_table_cell(table, "%s", td_cli_grouped(number, counters->box_tests));
    td_cli_table_cell(table, "triangle tests");
    td_cli_table_cell(table, "%s", td_cli_grouped(number, counters->triangle_tests));
    td_cli_table_cell(table, "exact tests");
    td_cli_table_cell(table, "%s: %.3g%% of the triangle tests, left to the exact predicate",
                      td_cli_grouped(number, counters->exact_tests), 100 * td_cli_undecided_share(counters));
    td_cli_table_cell(table, "scratch memory");
    td_cli_table_cell(table, "%s", td_cli_bytes(number, counters->bytes));
}

static void td_table_device(td_cli_table *table, const td_cli_session *session, const td_cli_answer *answer) {
    const td_query_times *times = &answer->times;
    char label[TD_CLI_DEVICE_LABEL];
    td_device_info info;
    td_device_describe(&info, session->opened_device);
    td_cli_table_cell(table, "on the device");
    td_cli_table_cell(table,
                      "boxes %.3g ms, collect %.3g ms, triangles %.3g ms, exact %.3g ms, copy in %.3g ms, "
                      "copy out %.3g ms",
                      times->boxes_ms, times->collect_ms, times->triangles_ms, times->exact_ms,
                      times->copy_in_ms, times->copy_out_ms);
    td_cli_table_cell(table, "ran on");
    td_cli_table_cell(table, "%s, %s, %u compute unit%s, strategy %s",
                      td_cli_device_label(label, session->opened_device), info.name, info.compute_units,
                      info.compute_units == 1 ? "" : "s", session->strategy ? session->strategy : "auto");
}

static void td_table_times(td_cli_table *table, const td_cli_session *session, const td_cli_answer *answer) {
    char load[TD_CLI_NUMBER_SIZE], build[TD_CLI_NUMBER_SIZE], query[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "time");
    td_cli_table_cell(table, "load %s, build %s, query %s%s",
                      td_cli_time(load, td_cli_answer_load_ms(answer)),
                      td_cli_time(build, td_cli_answer_build_ms(answer)),
                      td_cli_time(query, answer->query_ms), answer->repeat > 1 ? " (median)" : "");
    if (session->opened_device) {
        td_table_device(table, session, answer);
        return;
    }
    td_cli_table_cell(table, "ran on");
    td_cli_table_cell(table, "%s, %u thread%s, strategy %s", td_isa_name(td_context_isa(session->context)),
                      td_context_thread_count(session->context),
                      td_context_thread_count(session->context) == 1 ? "" : "s",
                      session->strategy ? session->strategy : "auto");
}

static void td_table_pair_count(td_cli_table *table, const td_cli_answer *answer, uint64_t pairs) {
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "pairs");
    td_cli_table_cell(table, "%s%s", td_cli_grouped(number, pairs),
                      answer->mode == TD_MODE_FIRST ? " (stopped at the first)" : "");
}

static void td_say_more(td_cli_output *output, uint64_t more) {
    char number[TD_CLI_NUMBER_SIZE];
    if (more > 0) {
        td_cli_print(output, "  ... and %s more (--csv or --json gives all)\n", td_cli_grouped(number, more));
    }
}

static void td_table_pairs(td_cli_output *output, const td_collide_result *result, bool self) {
    const uint64_t shown = result->pair_count < TD_ROWS_SHOWN ? result->pair_count : TD_ROWS_SHOWN;
    if (shown == 0) {
        return;
    }
    td_cli_table table = td_cli_table_begin("rr");
    td_cli_table_cell(&table, self ? "triangle" : "triangle of A");
    td_cli_table_cell(&table, self ? "triangle" : "triangle of B");
    for (uint64_t k = 0; k < shown; ++k) {
        td_cli_table_cell(&table, "%u", result->pairs[k].a);
        td_cli_table_cell(&table, "%u", result->pairs[k].b);
    }
    td_cli_put(output, "\n");
    td_cli_table_end(&table, output, 2);
    td_say_more(output, result->pair_count - shown);
}

static void td_table_single(td_cli_session *session, const td_cli_answer *answer) {
    const td_collide_result *result = &answer->results[0];
    td_cli_table table = td_cli_table_begin("ll");
    td_table_pair_count(&table, answer, result->pair_count);
    td_cli_table_cell(&table, "colliding");
    td_cli_table_cell(&table, "%s", result->colliding ? "yes" : "no");
    if (answer->b) {
        td_cli_table_cell(&table, "inside");
        td_cli_table_cell(&table, "%s", td_inside_words(answer, result->inside));
    }
    td_table_counters(&table, &result->counters);
    td_table_times(&table, session, answer);
    td_cli_table_end(&table, session->output, 2);
    if (answer->mode != TD_MODE_COUNT) {
        td_table_pairs(session->output, result, !answer->b);
    }
}

static void td_table_poses(td_cli_output *output, const td_cli_answer *answer) {
    const size_t shown = answer->count < TD_ROWS_SHOWN ? answer->count : TD_ROWS_SHOWN;
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("rrrrl");
    td_cli_table_cell(&table, "pose");
    td_cli_table_cell(&table, "pairs");
    td_cli_table_cell(&table, "colliding");
    td_cli_table_cell(&table, "ms");
    td_cli_table_cell(&table, "%s", "");
    for (size_t i = 0; i < shown; ++i) {
        const td_collide_result *result = &answer->results[i];
        td_cli_table_cell(&table, "%zu", i);
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, result->pair_count));
        td_cli_table_cell(&table, "%s", result->colliding ? "yes" : "no");
        td_cli_table_cell(&table, "%.3f", result->ms);
        td_cli_table_cell(&table, "%s", td_inside_words(answer, result->inside));
    }
    td_cli_put(output, "\n");
    td_cli_table_end(&table, output, 2);
    td_say_more(output, answer->count - shown);
}

static void td_table_batch(td_cli_session *session, const td_cli_answer *answer) {
    const td_cli_totals totals = td_cli_answer_totals(answer);
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("ll");
    td_cli_table_cell(&table, "poses");
    td_cli_table_cell(&table, "%s", td_cli_grouped(number, answer->count));
    td_table_pair_count(&table, answer, totals.pairs);
    td_cli_table_cell(&table, "colliding");
    td_cli_table_cell(&table, "%s of the poses", td_cli_grouped(number, totals.colliding));
    td_cli_table_cell(&table, "inside");
    td_cli_table_cell(&table, "%s of the poses", td_cli_grouped(number, totals.inside));
    td_table_counters(&table, &totals.counters);
    td_table_times(&table, session, answer);
    td_cli_table_end(&table, session->output, 2);
    td_table_poses(session->output, answer);
}

// The headline is a table of one row for the sake of its cleaning of file names.
static void td_table_headline(td_cli_output *output, const td_cli_answer *answer) {
    char a[TD_CLI_NUMBER_SIZE], b[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("l");
    td_cli_grouped(a, td_mesh_triangle_count(answer->a->mesh));
    if (answer->b) {
        td_cli_grouped(b, td_mesh_triangle_count(answer->b->mesh));
        td_cli_table_cell(&table, "A %s (%s triangles), B %s (%s triangles)", answer->a->name, a,
                          answer->b->name, b);
    } else {
        td_cli_table_cell(&table, "%s (%s triangles) against itself", answer->a->name, a);
    }
    td_cli_table_end(&table, output, 0);
}

void td_cli_answer_as_table(td_cli_session *session, const td_cli_answer *answer) {
    td_table_headline(session->output, answer);
    if (answer->batch) {
        td_table_batch(session, answer);
    } else {
        td_table_single(session, answer);
    }
}
