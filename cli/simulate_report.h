// What `tandem simulate` tells of a run: a row per step, and a summary.
#ifndef TD_CLI_SIMULATE_REPORT_H
#define TD_CLI_SIMULATE_REPORT_H

#include "json.h"
#include "session.h"
#include "table.h"

#include <tandem/scene.h>

// Sums and extremes over the steps so far, which need no row to be kept.
typedef struct td_cli_summary {
    uint64_t steps;
    double total_ms, broad_ms, traversal_ms, contacts_ms, solver_ms, copy_ms, kernel_ms;
    double soft_ms, soft_search_ms, soft_elements_ms, soft_contacts_ms, soft_exact_ms;
    uint64_t soft_held, soft_passed; // sums
    uint64_t contacts;               // sum
    double peak_kinetic_energy;      // J
    double deepest;                  // m
    double worst_residual;           // m/s
    td_step_report last;
    uint64_t hash; // of the world, at the end
} td_cli_summary;

typedef struct td_cli_run_report {
    td_cli_session *session;
    const char *scene_name;
    uint64_t steps;    // that are to come
    uint64_t every;    // steps from one row to the next
    uint64_t overlaps; // pairs of bodies at the start
    bool device;
    td_cli_json json;
    td_cli_table table;
    td_cli_summary summary;
} td_cli_run_report;

// `every` 0: every step for programs, about 20 rows for people.
void td_cli_run_begin(td_cli_run_report *report, td_cli_session *session, td_scene *scene, uint64_t steps,
                      uint64_t every, uint64_t overlaps);
void td_cli_run_step(td_cli_run_report *report, const td_step_report *step);
void td_cli_run_end(td_cli_run_report *report, uint64_t hash, const char *recording);
void td_cli_run_drop(td_cli_run_report *report); // of a run that failed: nothing more is told

#endif
