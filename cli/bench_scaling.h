// What `bench scaling` measures: the time of a step over the size of a scene.
#ifndef TD_CLI_BENCH_SCALING_H
#define TD_CLI_BENCH_SCALING_H

#include "session.h"

// Medians over the measured steps.
typedef enum td_scaling_time {
    TD_SCALING_STEP,
    TD_SCALING_CPU, // of all threads: a busy machine disturbs it less
    TD_SCALING_BROAD,
    TD_SCALING_TRAVERSAL,
    TD_SCALING_CONTACTS,
    TD_SCALING_SOLVER,
    TD_SCALING_TIMES
} td_scaling_time;

typedef struct td_scaling_row {
    const char *scene;
    uint32_t n, subdivide; // parameters of the scene
    uint32_t settle;       // steps before those that are measured
    bool fitted;           // takes part in the exponent of its scene
    uint32_t bodies, awake, object_triangles;
    uint64_t triangles;                                 // of all bodies
    double object_pairs, tested_pairs, faces, contacts; // tested: asked for their triangles
    double ms[TD_SCALING_TIMES];
    uint64_t peak_bytes; // of the program's memory, up to here
} td_scaling_row;

enum { TD_SCALING_SCENES = 2, TD_SCALING_ROWS = 16 };

typedef struct td_scaling {
    uint32_t threads, steps; // measured steps per row
    td_scaling_row rows[TD_SCALING_ROWS];
    uint32_t count;
    struct {
        const char *scene;
        double exponent, cpu_exponent; // of time in contacts; NaN if it cannot be told
    } fits[TD_SCALING_SCENES];
    uint32_t fit_count;
} td_scaling;

// In the session's format, to the session's output.
void td_scaling_write(td_cli_session *session, const td_scaling *scaling);

#endif
