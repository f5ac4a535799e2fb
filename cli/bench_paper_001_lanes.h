// The ways in which `bench paper 001` asks about a frame.
#ifndef TD_CLI_BENCH_PAPER_001_LANES_H
#define TD_CLI_BENCH_PAPER_001_LANES_H

#include "bench_paper_001.h"

#include <tandem/continuous.h>
#include <tandem/front.h>

enum { TD_LANES_MOST = 12 + 14 * TD_BENCH_PLACES }; // natively, and on every device

// What was found in a frame: numbers, and a hash of all of it.
typedef struct td_lane_found {
    uint64_t count, hash;
    bool known;
    double ms, cpu_ms; // that it took, new positions included
} td_lane_found;

typedef struct td_lane {
    td_operation_row *row;
    bool continuous;
    td_mesh *mesh;
    td_query *query; // discrete
    td_front *front; // of the way that has one
    td_continuous *moving;
    double *ms, *cpu_ms; // per frame and round
} td_lane;

typedef struct td_lanes {
    td_lane lanes[TD_LANES_MOST];
    uint32_t count, steps, rounds;
    const td_cli_sequence *sequence;
    td_lane_found *found[2]; // per frame, discrete and continuous
    double *refit_ms[3];     // per frame and round: blocks, post-order with either box
    td_operation_scene *scene;
} td_lanes;

// bench_paper_001_ask.c: takes the mesh of a lane to the frame, of a continuous question to the one before
// it, and asks. With `measure` stages and counts are added to the lane's row.
td_result td_ask_lane(td_lane_found *out, td_refit_report *report, td_lane *lane, const td_lanes *lanes,
                      uint32_t frame, bool measure);

#endif
