// What `bench traverse` measures on: two meshes and many placements of the second against the first, as the
// touching objects of a pile stand to each other.
#ifndef TD_CLI_BENCH_SCENE_H
#define TD_CLI_BENCH_SCENE_H

#include "load.h"

#include <tandem/query.h>

typedef struct td_bench_scene {
    char name[TD_CLI_DEVICE_LABEL]; // "cows"; "files" for two meshes of the user
    char mesh_name[64];             // of a scene's own mesh, as td_cli_load takes it
    td_cli_mesh loaded[2];
    uint32_t loaded_count; // 1: the second is the first
    const td_mesh *a, *b;
    td_object_pair *pairs;
    uint32_t pair_count;
    uint32_t seed;
} td_bench_scene;

enum { TD_BENCH_PAIRS_MOST = 10000000 };

// The built-in scene `name`: so far "cows", the built-in cow against itself, subdivided.
bool td_bench_scene_open(td_bench_scene *out, td_cli_session *session, const char *name, uint32_t subdivide);

// Two meshes of the user.
bool td_bench_scene_open_files(td_bench_scene *out, td_cli_session *session, const char *a, const char *b);

// Places B against A `count` times: turned by a uniform random rotation, its vertex centroid in a uniform
// random direction from A's, at f x (sum of the mean distances of the vertices from their centroid), f
// uniform in 0.3 ... 1.1. The same seed gives the same poses on every machine, a longer list starts with the
// shorter one. It is the `near` set of bench/peers.
bool td_bench_scene_place(td_bench_scene *scene, uint32_t count, uint32_t seed);

void td_bench_scene_close(td_bench_scene *scene); // fine on a zeroed one

// Triangle tests of brute force over the whole scene.
double td_bench_scene_brute_tests(const td_bench_scene *scene);

#endif
