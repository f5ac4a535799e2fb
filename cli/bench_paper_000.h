// What `bench paper 000` measures: every step of the same scene natively and on devices, by turns.
#ifndef TD_CLI_BENCH_PAPER_000_H
#define TD_CLI_BENCH_PAPER_000_H

#include "bench_rows.h"
#include "published_000.h"

#include <tandem/scene.h>

// One of the places where the scene is run.
typedef struct td_fall_run {
    const td_bench_place *place;
    td_scene *scene;
    td_step_report *reports;          // per iteration
    double (*seconds)[TD_STEP_TIMES]; // per iteration and repeat; medians in the end, one per iteration
    double (*summed)[TD_STEP_TIMES];  // up to each iteration, itself included: Fig. 10
    uint64_t *hashes;                 // of the state after each iteration
} td_fall_run;

typedef struct td_fall {
    uint32_t n, subdivide; // of the scene
    uint32_t last, every;  // the last iteration, and from row to row
    uint32_t repeats;
    const char *mesh;     // null: the built-in cow
    const char *strategy; // of the narrow phase
    td_volume volume;
    uint32_t bodies, triangles; // bodies with the ground; triangles of a cow
    td_fall_run runs[TD_BENCH_PLACES];
    uint32_t run_count;
} td_fall;

// In the session's format, to the session's output.
void td_fall_write(td_cli_session *session, const td_fall *fall);

#endif
