// What `bench paper 004` measures: jobs, each a planar simulation that runs some steps, and figures, which
// are cells of the paper's tables made from them.
#ifndef TD_CLI_BENCH_PAPER_004_H
#define TD_CLI_BENCH_PAPER_004_H

#include "session.h"

#include <tandem/planar.h>

// Beside the paper's tables 1, 2, 4 and 5.
enum { TD_TABLE_BEYOND = 30, TD_TABLE_GAS = 31 };

typedef enum td_planar_field {
    TD_FIELD_TOTAL, // of a step; the others are phases of it
    TD_FIELD_UPDATE,
    TD_FIELD_OVERLAP,
    TD_FIELD_HITS,
    TD_FIELD_REDUCTION,
    TD_FIELD_IMPULSE,
    TD_FIELD_FORWARD,
    TD_FIELD_PER_SECOND, // of simulated time
    TD_FIELD_COUNT
} td_planar_field;

typedef struct td_planar_job {
    td_context *context;
    td_planar_def def;
    uint32_t corners, objects, steps;
    double *samples[TD_FIELD_COUNT]; // a round each; ms per step
    double energy_error;             // largest |relative change|
    double momentum_error;           // likewise, relative to the sum of all momenta
    double collisions;               // in the last round
    double gap;                      // m, at the end; TD_PLANAR_GAP_UNKNOWN
    uint64_t waits;                  // of the host inside a run of steps
} td_planar_job;

#define TD_PLANAR_GAP_UNKNOWN 1e300 // of too many objects to ask for

// Once, from the start; its times go to the samples of the round. False: the error was told.
bool td_planar_job_run(td_planar_job *job, uint32_t round);

// A cell: ms per step, which is s per 1,000 steps.
typedef struct td_planar_figure {
    int table;
    char column[48];
    uint32_t objects;
    double value;
    bool published;
} td_planar_figure;

typedef struct td_planar_figures {
    td_planar_figure *items;
    uint32_t count, capacity;
    uint64_t waits;                           // of the host inside all runs of steps on devices
    uint64_t device_steps;                    // of those runs
    char device[160];                         // its name; "" if there is none
    uint32_t threads;                         // of "native"
    double energy_error, momentum_error, gap; // the worst of all jobs
} td_planar_figures;

// In the session's format, to the session's output.
void td_planar_figures_write(td_cli_session *session, const td_planar_figures *figures);

#endif
