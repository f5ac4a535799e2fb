#include "simulate_report.h"

#include <stddef.h>
#include <string.h>

enum { TD_ROWS_FOR_PEOPLE = 20 };

// The columns of a row, as a table of where their numbers are. Those with a title are shown to people, too.
typedef enum td_column_kind { TD_COLUMN_U32, TD_COLUMN_U64, TD_COLUMN_DOUBLE } td_column_kind;

typedef struct td_column {
    const char *name;  // in CSV and JSON
    const char *title; // in the table; null: not there
    td_column_kind kind;
    size_t offset;
    int digits;       // behind the point, of a double; -1: significant ones
    bool device_only; // worth a column of the table on a device only
} td_column;

#define TD_AT(field) offsetof(td_step_report, field)

static const td_column td_columns[] = {
    {"step", "step", TD_COLUMN_U64, TD_AT(step), 0, false},
    {"time", "time s", TD_COLUMN_DOUBLE, TD_AT(time), 3, false},
    {"bodies", NULL, TD_COLUMN_U32, TD_AT(bodies), 0, false},
    {"awake", "awake", TD_COLUMN_U32, TD_AT(awake), 0, false},
    {"islands", NULL, TD_COLUMN_U32, TD_AT(islands), 0, false},
    {"broad_pairs", "pairs", TD_COLUMN_U64, TD_AT(broad_pairs), 0, false},
    {"tested_pairs", NULL, TD_COLUMN_U64, TD_AT(tested_pairs), 0, false},
    {"colliding_pairs", "colliding", TD_COLUMN_U64, TD_AT(colliding_pairs), 0, false},
    {"faces", "faces", TD_COLUMN_U64, TD_AT(faces), 0, false},
    {"regions", NULL, TD_COLUMN_U64, TD_AT(regions), 0, false},
    {"contacts", "contacts", TD_COLUMN_U64, TD_AT(contacts), 0, false},
    {"swept_pairs", NULL, TD_COLUMN_U64, TD_AT(swept_pairs), 0, false},
    {"stopped_bodies", NULL, TD_COLUMN_U64, TD_AT(stopped_bodies), 0, false},
    {"residual", "residual", TD_COLUMN_DOUBLE, TD_AT(residual), -1, false},
    {"kinetic_energy", "kinetic J", TD_COLUMN_DOUBLE, TD_AT(kinetic_energy), -1, false},
    {"potential_energy", NULL, TD_COLUMN_DOUBLE, TD_AT(potential_energy), -1, false},
    {"penetration", "depth m", TD_COLUMN_DOUBLE, TD_AT(penetration), -1, false},
    {"colours", NULL, TD_COLUMN_U32, TD_AT(colours), 0, false},
    {"total_ms", "ms", TD_COLUMN_DOUBLE, TD_AT(total_ms), 2, false},
    {"broad_ms", "broad", TD_COLUMN_DOUBLE, TD_AT(broad_ms), 2, false},
    {"traversal_ms", "traversal", TD_COLUMN_DOUBLE, TD_AT(traversal_ms), 2, false},
    {"contacts_ms", "making", TD_COLUMN_DOUBLE, TD_AT(contacts_ms), 2, false},
    {"solver_ms", "solver", TD_COLUMN_DOUBLE, TD_AT(solver_ms), 2, false},
    {"copy_ms", "copy", TD_COLUMN_DOUBLE, TD_AT(copy_ms), 2, true},
    {"kernel_ms", "kernel", TD_COLUMN_DOUBLE, TD_AT(kernel_ms), 2, true},
    {"soft_bodies", NULL, TD_COLUMN_U32, TD_AT(soft_bodies), 0, false},
    {"soft_awake", NULL, TD_COLUMN_U32, TD_AT(soft_awake), 0, false},
    {"soft_laps", NULL, TD_COLUMN_U32, TD_AT(soft_laps), 0, false},
    {"soft_near", NULL, TD_COLUMN_U64, TD_AT(soft_near), 0, false},
    {"soft_contacts", NULL, TD_COLUMN_U64, TD_AT(soft_contacts), 0, false},
    {"soft_held", NULL, TD_COLUMN_U64, TD_AT(soft_held), 0, false},
    {"soft_passed", NULL, TD_COLUMN_U64, TD_AT(soft_passed), 0, false},
    {"soft_ms", NULL, TD_COLUMN_DOUBLE, TD_AT(soft_ms), 2, false},
    {"soft_search_ms", NULL, TD_COLUMN_DOUBLE, TD_AT(soft_search_ms), 2, false},
    {"soft_elements_ms", NULL, TD_COLUMN_DOUBLE, TD_AT(soft_elements_ms), 2, false},
    {"soft_contacts_ms", NULL, TD_COLUMN_DOUBLE, TD_AT(soft_contacts_ms), 2, false},
    {"soft_exact_ms", NULL, TD_COLUMN_DOUBLE, TD_AT(soft_exact_ms), 2, false},
};
enum { TD_COLUMNS = sizeof td_columns / sizeof td_columns[0] };

static double td_double_of(const td_column *column, const td_step_report *step) {
    double value;
    memcpy(&value, (const char *)step + column->offset, sizeof value);
    return value;
}

static uint64_t td_count_of(const td_column *column, const td_step_report *step) {
    const char *at = (const char *)step + column->offset;
    uint64_t value = 0;
    uint32_t small;
    if (column->kind == TD_COLUMN_U64) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&small, at, sizeof small);
    return small;
}

static bool td_is_shown(const td_cli_run_report *report, const td_column *column) {
    return column->title && (report->device || !column->device_only);
}

// ---------------------------------------------------------------------------------------------------------
// Rows

static void td_csv_header(td_cli_output *output) {
    for (int i = 0; i < TD_COLUMNS; ++i) {
        td_cli_print(output, "%s%s", i ? "," : "", td_columns[i].name);
    }
    td_cli_put(output, "\n");
}

static void td_csv_row(td_cli_output *output, const td_step_report *step) {
    for (int i = 0; i < TD_COLUMNS; ++i) {
        td_cli_put(output, i ? "," : "");
        if (td_columns[i].kind == TD_COLUMN_DOUBLE) {
            td_cli_print(output, "%.17g", td_double_of(&td_columns[i], step));
        } else {
            td_cli_put_u64(output, td_count_of(&td_columns[i], step));
        }
    }
    td_cli_put(output, "\n");
}

static void td_json_row(td_cli_json *json, const td_step_report *step) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    for (int i = 0; i < TD_COLUMNS; ++i) {
        const td_column *column = &td_columns[i];
        if (column->kind == TD_COLUMN_DOUBLE) {
            td_cli_json_number(json, column->name, td_double_of(column, step));
        } else {
            td_cli_json_count(json, column->name, td_count_of(column, step));
        }
    }
    td_cli_json_end(json);
}

static void td_table_header(td_cli_run_report *report) {
    static const char alignment[] = "rrrrrrrrrrrrrrrrrrrr";
    size_t shown = 0;
    for (int i = 0; i < TD_COLUMNS; ++i) {
        shown += td_is_shown(report, &td_columns[i]);
    }
    report->table = td_cli_table_begin(alignment + sizeof alignment - 1 - shown);
    for (int i = 0; i < TD_COLUMNS; ++i) {
        if (td_is_shown(report, &td_columns[i])) {
            td_cli_table_cell(&report->table, "%s", td_columns[i].title);
        }
    }
}

static void td_table_row(td_cli_run_report *report, const td_step_report *step) {
    char number[TD_CLI_NUMBER_SIZE];
    for (int i = 0; i < TD_COLUMNS; ++i) {
        const td_column *column = &td_columns[i];
        if (!td_is_shown(report, column)) {
            continue;
        }
        if (column->kind != TD_COLUMN_DOUBLE) {
            td_cli_table_cell(&report->table, "%s", td_cli_grouped(number, td_count_of(column, step)));
        } else if (column->digits < 0) {
            td_cli_table_cell(&report->table, "%.3g", td_double_of(column, step));
        } else {
            td_cli_table_cell(&report->table, "%.*f", column->digits, td_double_of(column, step));
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// The beginning and the steps

static void td_json_begin(td_cli_run_report *report, td_scene *scene) {
    td_cli_json *json = &report->json;
    char label[TD_CLI_DEVICE_LABEL];
    *json = td_cli_json_begin(report->session->output);
    td_cli_json_object(json, NULL, TD_JSON_LINES);
    td_cli_json_text(json, "scene", td_scene_name(scene));
    td_cli_json_count(json, "bodies", td_scene_body_count(scene));
    td_cli_json_number(json, "step", td_scene_step(scene));
    td_cli_json_count(json, "overlaps", report->overlaps);
    td_cli_json_text(json, "device", td_cli_device_label(label, report->session->opened_device));
    td_cli_json_text(json, "isa", td_isa_name(td_context_isa(report->session->context)));
    td_cli_json_count(json, "threads", td_context_thread_count(report->session->context));
    td_cli_json_array(json, "rows", TD_JSON_LINES);
}

void td_cli_run_begin(td_cli_run_report *report, td_cli_session *session, td_scene *scene, uint64_t steps,
                      uint64_t every, uint64_t overlaps) {
    const uint64_t for_people = (steps + TD_ROWS_FOR_PEOPLE - 1) / TD_ROWS_FOR_PEOPLE;
    *report = (td_cli_run_report){.session = session,
                                  .scene_name = td_scene_name(scene),
                                  .steps = steps,
                                  .every = every                             ? every
                                           : session->format == TD_CLI_TABLE ? for_people
                                                                             : 1,
                                  .overlaps = overlaps,
                                  .device = session->opened_device != NULL};
    if (session->format == TD_CLI_CSV) {
        td_csv_header(session->output);
    } else if (session->format == TD_CLI_JSON) {
        td_json_begin(report, scene);
    } else {
        td_table_header(report);
    }
}

static double td_larger(double a, double b) {
    return a > b ? a : b;
}

static void td_add_up(td_cli_summary *summary, const td_step_report *step) {
    ++summary->steps;
    summary->total_ms += step->total_ms;
    summary->broad_ms += step->broad_ms;
    summary->traversal_ms += step->traversal_ms;
    summary->contacts_ms += step->contacts_ms;
    summary->solver_ms += step->solver_ms;
    summary->copy_ms += step->copy_ms;
    summary->kernel_ms += step->kernel_ms;
    summary->soft_ms += step->soft_ms;
    summary->soft_search_ms += step->soft_search_ms;
    summary->soft_elements_ms += step->soft_elements_ms;
    summary->soft_contacts_ms += step->soft_contacts_ms;
    summary->soft_exact_ms += step->soft_exact_ms;
    summary->soft_held += step->soft_held;
    summary->soft_passed += step->soft_passed;
    summary->contacts += step->contacts;
    summary->peak_kinetic_energy = td_larger(summary->peak_kinetic_energy, step->kinetic_energy);
    summary->deepest = td_larger(summary->deepest, step->penetration);
    summary->worst_residual = td_larger(summary->worst_residual, step->residual);
    summary->last = *step;
}

void td_cli_run_step(td_cli_run_report *report, const td_step_report *step) {
    td_add_up(&report->summary, step);
    const uint64_t done = report->summary.steps;
    if (done % report->every != 0 && done != report->steps) {
        return;
    }
    if (report->session->format == TD_CLI_CSV) {
        td_csv_row(report->session->output, step);
    } else if (report->session->format == TD_CLI_JSON) {
        td_json_row(&report->json, step);
    } else {
        td_table_row(report, step);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The summary

static double td_per_step(const td_cli_summary *summary, double sum) {
    return summary->steps ? sum / (double)summary->steps : 0;
}

static void td_json_summary(td_cli_run_report *report, const char *recording) {
    const td_cli_summary *summary = &report->summary;
    td_cli_json *json = &report->json;
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)summary->hash);
    td_cli_json_end(json);
    td_cli_json_object(json, "summary", TD_JSON_LINES);
    td_cli_json_count(json, "steps", summary->steps);
    td_cli_json_object(json, "ms_per_step", TD_JSON_INLINE);
    td_cli_json_number(json, "total", td_per_step(summary, summary->total_ms));
    td_cli_json_number(json, "broad", td_per_step(summary, summary->broad_ms));
    td_cli_json_number(json, "traversal", td_per_step(summary, summary->traversal_ms));
    td_cli_json_number(json, "contacts", td_per_step(summary, summary->contacts_ms));
    td_cli_json_number(json, "solver", td_per_step(summary, summary->solver_ms));
    td_cli_json_number(json, "copy", td_per_step(summary, summary->copy_ms));
    td_cli_json_number(json, "kernel", td_per_step(summary, summary->kernel_ms));
    td_cli_json_number(json, "soft", td_per_step(summary, summary->soft_ms));
    td_cli_json_end(json);
    td_cli_json_number(json, "contacts_per_step", td_per_step(summary, (double)summary->contacts));
    td_cli_json_number(json, "peak_kinetic_energy", summary->peak_kinetic_energy);
    td_cli_json_number(json, "kinetic_energy", summary->last.kinetic_energy);
    td_cli_json_number(json, "potential_energy", summary->last.potential_energy);
    td_cli_json_number(json, "deepest_penetration", summary->deepest);
    td_cli_json_number(json, "penetration", summary->last.penetration);
    td_cli_json_number(json, "worst_residual", summary->worst_residual);
    td_cli_json_count(json, "awake", summary->last.awake);
    td_cli_json_text(json, "hash", hash);
    if (recording) {
        td_cli_json_text(json, "recording", recording);
    }
    td_cli_json_end(json);
    td_cli_json_end(json);
}

static void td_put_share(td_cli_output *output, const char *what, double part, double whole) {
    td_cli_print(output, ", %s %.0f%%", what, whole > 0 ? 100 * part / whole : 0);
}

static void td_put_soft(const td_cli_run_report *report) {
    const td_cli_summary *summary = &report->summary;
    td_cli_output *output = report->session->output;
    if (summary->last.soft_bodies == 0) {
        return;
    }
    const double whole = summary->soft_ms;
    td_put_share(output, "soft bodies", whole, summary->total_ms);
    td_cli_print(output, "\n  soft         %u bodies, %u awake at the end; %llu times held back, %llu passed",
                 summary->last.soft_bodies, summary->last.soft_awake, (unsigned long long)summary->soft_held,
                 (unsigned long long)summary->soft_passed);
    td_put_share(output, "search", summary->soft_search_ms, whole);
    td_put_share(output, "elements", summary->soft_elements_ms, whole);
    td_put_share(output, "contacts", summary->soft_contacts_ms, whole);
    td_put_share(output, "exact tests", summary->soft_exact_ms, whole);
}

static void td_table_summary(td_cli_run_report *report, const char *recording) {
    const td_cli_summary *summary = &report->summary;
    td_cli_output *output = report->session->output;
    const double total = summary->total_ms;
    char time[TD_CLI_NUMBER_SIZE];
    td_cli_print(output, "%s: %u bodies, %llu steps\n", report->scene_name, summary->last.bodies,
                 (unsigned long long)summary->steps);
    td_cli_table_end(&report->table, output, 2);
    td_cli_print(output, "  per step     %s", td_cli_time(time, td_per_step(summary, total)));
    td_put_share(output, "broad phase", summary->broad_ms, total);
    td_put_share(output, "traversal", summary->traversal_ms, total);
    td_put_share(output, "making contacts", summary->contacts_ms, total);
    td_put_share(output, "solver", summary->solver_ms, total);
    if (report->device) {
        td_put_share(output, "of the traversal: copies", summary->copy_ms, total);
        td_put_share(output, "kernels", summary->kernel_ms, total);
    }
    td_put_soft(report);
    td_cli_print(output, "\n  energy       %.4g J kinetic at the end, %.4g J at its peak\n",
                 summary->last.kinetic_energy, summary->peak_kinetic_energy);
    td_cli_print(output, "  penetration  %.3g m at the end, %.3g m at its deepest\n",
                 summary->last.penetration, summary->deepest);
    td_cli_print(output, "  awake        %u bodies at the end\n", summary->last.awake);
    td_cli_print(output, "  hash         %016llx\n", (unsigned long long)summary->hash);
    if (recording) {
        td_cli_print(output, "  recording    %s\n", recording);
    }
}

void td_cli_run_end(td_cli_run_report *report, uint64_t hash, const char *recording) {
    report->summary.hash = hash;
    if (report->session->format == TD_CLI_JSON) {
        td_json_summary(report, recording);
    } else if (report->session->format == TD_CLI_TABLE) {
        td_table_summary(report, recording);
    }
}

void td_cli_run_drop(td_cli_run_report *report) {
    td_cli_table_drop(&report->table);
}
