// What `bench paper 002` measures: the collision phase of scenes of many sizes, the same object pairs asked
// in several ways.
#ifndef TD_CLI_BENCH_PAPER_002_H
#define TD_CLI_BENCH_PAPER_002_H

#include "bench_rows.h"
#include "published_002.h"

// A way to answer.
typedef struct td_way {
    const char *strategy; // a name of td_strategy_name
    td_volume volume;
    const td_bench_place *place;
    double median[TD_BENCH_TIMES]; // ratios are to the reference
} td_way;

// A scene of one size at one moment, and all ways on it; the first is the reference.
typedef struct td_configuration {
    const td_published_scene *scene;
    uint32_t size, subdivide; // indices
    uint32_t steps;           // before it was measured
    uint32_t objects, object_triangles;
    uint64_t triangles; // of all bodies
    uint32_t object_pairs, colliding;
    uint64_t faces; // intersecting triangle pairs
    td_way ways[TD_BENCH_PLACES + 1];
    uint32_t way_count;
} td_configuration;

typedef struct td_configurations {
    td_configuration *items;
    uint32_t count;
    uint32_t repeats;
} td_configurations;

// Faces by triangles: the paper's estimate of contact area.
static inline double td_contact_area(const td_configuration *configuration) {
    return (double)configuration->faces / (double)configuration->triangles;
}

// Times of the reference by those of the way: with all that a call does, and its kernels alone.
static inline double td_speedup(const td_way *way) {
    return 1 / way->median[TD_BENCH_RATIO];
}

static inline double td_kernel_speedup(const td_configuration *configuration, const td_way *way) {
    return configuration->ways[0].median[TD_BENCH_TOTAL] / way->median[TD_BENCH_STAGES];
}

// In the session's format, to the session's output.
void td_configurations_write(td_cli_session *session, const td_configurations *all);

#endif
