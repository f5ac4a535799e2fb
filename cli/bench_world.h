// A built-in scene to measure on: loaded, brought to the state that is wanted, and its object pairs as they
// stand.
#ifndef TD_CLI_BENCH_WORLD_H
#define TD_CLI_BENCH_WORLD_H

#include "session.h"

#include <tandem/scene.h>

typedef struct td_bench_world_def {
    const char *scene;
    uint32_t n;           // the scene's parameter: bodies, or bodies along an edge
    uint32_t subdivide;   // likewise
    const char *mesh;     // file to read the scene's mesh from; null: the built-in one
    const char *strategy; // of the narrow phase; null: the fastest
    td_volume volume;
    td_descent descent;
    td_device *device; // null: native
} td_bench_world_def;

// False: the error was told.
bool td_bench_world_open(td_scene **out, td_cli_session *session, const td_bench_world_def *def);

// One step. False: the error was told.
bool td_bench_world_step(td_step_report *out, td_scene *scene);

// Steps that are not looked at, with progress.
bool td_bench_world_settle(td_cli_session *session, td_scene *scene, uint32_t steps);

// Of all bodies together: instances of one mesh count each.
uint64_t td_bench_world_triangles(const td_scene *scene);

// The most common mesh among the bodies: that which the scene is about.
const td_mesh *td_bench_world_mesh(const td_scene *scene);

// Pairs of bodies of which one is dynamic and whose boxes overlap, where they stand now. A body's box is that
// of its mesh, turned, and the box along the axes of the world about it.
typedef struct td_bench_pairs {
    td_object_pair *pairs; // freed by the caller
    uint32_t count;
} td_bench_pairs;

bool td_bench_world_pairs(td_bench_pairs *out, const td_scene *scene);

#endif
