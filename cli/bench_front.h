// Self-intersections of a deforming mesh: from the front that the last frame left, and from the root.
#ifndef TD_CLI_BENCH_FRONT_H
#define TD_CLI_BENCH_FRONT_H

#include "sequence.h"

#include <tandem/front.h>

typedef enum td_front_way {
    TD_WAY_FRONT, // from the front
    TD_WAY_COLD,  // the same traversal, from the root every time
    TD_WAY_STACK, // the binary hierarchy of paper 000, one test at a time
    TD_WAY_WIDE,  // four by four
    TD_FRONT_WAYS
} td_front_way;

extern const char *const td_front_way_names[TD_FRONT_WAYS];

// Of one way and frame.
typedef struct td_front_sample {
    double query_ms, refit_ms; // medians over the rounds
    td_counters counters;      // of the last round
    uint64_t entries, moved;   // front: what is kept, and what descended or ascended
} td_front_sample;

typedef struct td_front_total {
    double query_ms, refit_ms, box_tests, triangle_tests, exact_tests; // per frame
    uint64_t bytes; // the most: scratch of the query, the front and its hierarchies
} td_front_total;

typedef struct td_front_bench {
    td_cli_sequence sequence;
    uint32_t rounds, threads;
    uint64_t pairs;                          // of all frames
    uint64_t *frame_pairs;                   // per frame
    td_front_sample *samples[TD_FRONT_WAYS]; // per frame
    td_front_total totals[TD_FRONT_WAYS];
    uint64_t front_bytes, hierarchy_bytes; // the most that the front held, and its hierarchies
} td_front_bench;

void td_front_write(td_cli_session *session, const td_front_bench *bench); // bench_front_report.c

#endif
