// What `bench build` and `bench refit` share: a mesh as plain arrays, and threads.
#ifndef TD_CLI_BENCH_HIERARCHY_H
#define TD_CLI_BENCH_HIERARCHY_H

#include "load.h"

enum { TD_HIERARCHY_REPEATS_MOST = 1000, TD_HIERARCHY_WORKERS = 3 };

typedef struct td_hierarchy_subject {
    const char *name;
    double *positions; // x y z per vertex
    uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} td_hierarchy_subject;

// A file or a built-in shape; `name` null: the cow, subdivided to 384,000 triangles. False: the error was
// told.
bool td_hierarchy_subject_open(td_hierarchy_subject *out, td_cli_session *session, const char *name);
void td_hierarchy_subject_close(td_hierarchy_subject *subject); // fine on a zeroed one

// Options that name what has no say here are refused. False: told.
bool td_hierarchy_check_options(const td_cli_session *session, const char *bench);

// A definition that borrows the arrays.
td_mesh_def td_hierarchy_mesh_def(const td_hierarchy_subject *subject);

// Contexts with one thread and, if these are more, with the session's; then, where the session has a device,
// that one. Returns how many; 0: the error was told.
typedef struct td_hierarchy_worker {
    td_context *context;
    uint32_t threads;  // of a device, its compute units
    td_device *device; // null: native. Else the context is the session's
} td_hierarchy_worker;

uint32_t td_hierarchy_workers_open(td_hierarchy_worker out[TD_HIERARCHY_WORKERS],
                                   const td_cli_session *session);
void td_hierarchy_workers_close(td_hierarchy_worker *workers, uint32_t count);

#endif
