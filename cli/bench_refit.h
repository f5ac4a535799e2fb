// A mesh that deforms, frame by frame: its hierarchies refitted beside one that is built anew.
#ifndef TD_CLI_BENCH_REFIT_H
#define TD_CLI_BENCH_REFIT_H

#include "bench_hierarchy.h"

#include <tandem/query.h>

enum { TD_REFIT_FRAMES_MOST = 1000 };

typedef enum td_refit_time {
    TD_REFIT_READ,    // positions: checked and copied
    TD_REFIT_BLOCKS,  // the blocked hierarchy
    TD_REFIT_AABB,    // post-order, with axis-aligned boxes
    TD_REFIT_OBB,     // ... and with oriented ones as well
    TD_REFIT_REBUILD, // the blocked hierarchy built anew
    TD_REFIT_TIMES
} td_refit_time;

extern const char *const td_refit_keys[TD_REFIT_TIMES];

typedef struct td_refit_frame {
    double amount; // of the deformation, 0 to 1
    double ms[TD_REFIT_TIMES];
    double cost, rebuilt_cost; // by the surface area heuristic
} td_refit_frame;

typedef struct td_refit_run {
    td_hierarchy_worker worker;
    td_refit_frame *frames;
    double median_ms[TD_REFIT_TIMES];
} td_refit_run;

typedef struct td_refit_bench {
    td_hierarchy_subject subject;
    uint32_t frame_count, run_count;
    td_refit_run runs[TD_HIERARCHY_WORKERS];
} td_refit_bench;

// The mesh three times: `aabb` and `obb` have post-order hierarchies with these volumes and are refitted, the
// third is built anew.
typedef struct td_refit_meshes {
    td_mesh *aabb, *obb, *rebuilt;
    td_query *query; // on a device
} td_refit_meshes;

// Has the device bring the hierarchies of `aabb` and `obb` up to date, and takes its times. The first time
// they are brought there.
td_result td_refit_on_device(td_refit_frame *frame, const td_refit_meshes *meshes, td_device *device);

void td_refit_write(td_cli_session *session, const td_refit_bench *bench); // bench_refit_report.c

#endif
