// What `bench ccd` measures: elementary tests by the thousand, and a step of a whole mesh.
#ifndef TD_CLI_BENCH_CCD_H
#define TD_CLI_BENCH_CCD_H

#include "bench_hierarchy.h"
#include "ccd_frames.h"

enum { TD_CCD_REPEATS_MOST = 1000, TD_CCD_FILES_MOST = 256, TD_CCD_ROWS_MOST = 32, TD_CCD_DEVICES_MOST = 8 };

// A set of elementary tests of one kind, and how it went.
typedef struct td_ccd_set {
    const char *name; // of the file, or what it is
    td_feature_pair pair;
    double *positions;      // 24 numbers per test
    double *lower, *upper;  // of known answers: bracket of the first contact; infinite: none; null: unknown
    td_moving_contact *out; // per test
    uint32_t count;
    uint64_t touching;
    double ns; // per test, the median of the rounds
} td_ccd_set;

// A way to answer the step, and how long it took. "discrete" is td_self_collide at the end of the step, new
// positions included.
typedef struct td_ccd_row {
    bool discrete;
    const char *strategy;
    char device_label[TD_CLI_DEVICE_LABEL];
    uint32_t threads;
    td_context *context; // not owned
    td_device *device;   // not owned; null: native
    td_mesh *mesh;
    td_query *query;           // of "discrete"
    td_continuous *continuous; // of the others
    uint64_t found[2];         // pairs of triangles; or of edges, and of vertices and faces
    double times[TD_CCD_REPEATS_MOST], cpu_times[TD_CCD_REPEATS_MOST], fit_times[TD_CCD_REPEATS_MOST];
    double ms, cpu_ms, fit_ms; // medians
    double ratio, cpu_ratio;   // to "discrete" with as many threads
} td_ccd_row;

// Two frames of a mesh.
typedef struct td_ccd_step {
    const char *name;
    td_cli_frames frames;
    td_hierarchy_subject start; // the first frame as arrays
    double *end;                // positions of the second; from malloc
} td_ccd_step;

typedef struct td_ccd_command {
    td_cli_session session;
    uint32_t repeats, random, seed;
    const char *frames[2]; // null: the built-in step
    const char *files[TD_CCD_FILES_MOST];
    uint32_t file_count;
    td_ccd_set *sets; // as many as files, or two
    uint32_t set_count;
    td_ccd_step step;
    td_hierarchy_worker workers[TD_HIERARCHY_WORKERS];
    uint32_t worker_count;
    td_device *devices[TD_CCD_DEVICES_MOST];
    uint32_t device_count;
    td_ccd_row rows[TD_CCD_ROWS_MOST];
    uint32_t row_count;
} td_ccd_command;

// bench_ccd_tests.c: reads the files, or makes tests at random; asks. False: the error was told; so it is if
// an answer is wrong.
bool td_ccd_measure_tests(td_ccd_command *command);
void td_ccd_release_tests(td_ccd_command *command);

// bench_ccd_step.c: likewise for the step. The rows must find the same contacts.
bool td_ccd_measure_step(td_ccd_command *command);
void td_ccd_release_step(td_ccd_command *command);

// bench_ccd_report.c
void td_ccd_report(td_ccd_command *command);

#endif
