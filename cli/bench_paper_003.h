// What `bench paper 003` measures: lanes, each a tracer that sees the same steps of the same scene.
#ifndef TD_CLI_BENCH_PAPER_003_H
#define TD_CLI_BENCH_PAPER_003_H

#include "session.h"

#include <tandem/traced.h>

enum { TD_TRACE_LANES = 12 };

typedef struct td_trace_lane {
    const char *name;
    bool naive, iterative, on_device;
    bool lossy; // more rays than predicted are missed: for Table 2
    td_prediction prediction;
    double confidence;
    td_tracer *tracer; // null: it has no device to run on
    // Sums over the steps of the whole run, and of its last quarter.
    double ms[2], ray_ms[2], vertex_ms[2];
    double all_ray_ms; // of all steps, the first one, which is not in ray_ms, included
    uint64_t rays[TD_TRACED_ALGORITHMS], missed, retries, fallbacks, open, waits, handed;
} td_trace_lane;

// A scene, run and traced.
typedef struct td_trace_figures {
    const char *scene;
    uint32_t objects, sheets, steps, settle;
    bool awake;          // bodies did not sleep
    uint32_t counted[2]; // steps of the whole run, but for the first, and of its last quarter
    uint64_t most_pairs; // of a step
    double contacts;     // per step
    const char *device;  // "" if there is none
    td_trace_lane lanes[TD_TRACE_LANES];
    uint32_t lane_count;
} td_trace_figures;

// In the session's format, to the session's output.
void td_trace_figures_write(td_cli_session *session, const td_trace_figures *figures);

#endif
