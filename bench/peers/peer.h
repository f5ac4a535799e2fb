// What another collision library has to offer to be measured beside tandem. One file per library implements
// it: peer_NAME.cpp; peers.c lists those that were built.
//
// All adapters answer the same question, the pairs of triangles of A and of B placed at a pose, in the way
// that is the fastest for their library, on one thread. What a library cannot answer it does not claim.
#ifndef TD_BENCH_PEER_H
#define TD_BENCH_PEER_H

#include <tandem/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Arrays outlive what is created from them.
typedef struct td_peer_mesh {
    const double *positions; // x y z per vertex
    const uint32_t *triangles;
    uint32_t vertex_count;
    uint32_t triangle_count;
} td_peer_mesh;

// x -> rotation x + position, the rotation row-major: the matrix that td_pose_apply uses.
typedef struct td_peer_pose {
    double rotation[9];
    double position[3];
} td_peer_pose;

typedef enum td_peer_mode {
    TD_PEER_ALL,  // every pair
    TD_PEER_FIRST // whether there is one: 0 or 1
} td_peer_mode;

// Where pairs go if they are asked for; `count` is the true number even if it exceeds the capacity.
typedef struct td_peer_pairs {
    td_pair *pairs;
    size_t capacity;
    size_t count;
} td_peer_pairs;

enum {
    TD_PEER_COLLIDES = 1,    // create, query, destroy
    TD_PEER_LISTS = 2,       // query can also list the pairs
    TD_PEER_HIDES_PAIRS = 4, // finds all pairs but only tells whether there are any: query returns 0 or 1
    TD_PEER_EXACT = 8,       // its answers must equal tandem's
    TD_PEER_SELF = 16,       // self
    TD_PEER_BUILDS = 32      // build
};

typedef struct td_peer {
    const char *name;
    const char *(*version)(void);
    const char *what; // one line: what exactly is asked of the library
    unsigned supports;

    void *(*create)(const td_peer_mesh *a, const td_peer_mesh *b); // null: the library refuses these meshes

    // The number of pairs. `list` may be null; else TD_PEER_LISTS must be supported.
    uint64_t (*query)(void *instance, const td_peer_pose *pose, td_peer_mode mode, td_peer_pairs *list);
    void (*destroy)(void *instance);

    // The pairs of one mesh that intersect, as the library itself counts them, and the time in milliseconds
    // including whatever hierarchy it needs. False: the library refuses this mesh.
    bool (*self)(double *ms, td_peer_pairs *list, const td_peer_mesh *mesh);

    // The time in milliseconds to build a hierarchy over the mesh, at quality 0 (the library's best that is
    // meant for daily use), 1, ...; false: there is no such quality. *quality_name gets its name.
    bool (*build)(double *ms, const char **quality_name, const td_peer_mesh *mesh, uint32_t quality,
                  uint32_t thread_count);
} td_peer;

// The peers of this build, in the order of reports.
uint32_t td_peer_count(void);
const td_peer *td_peer_at(uint32_t index);
const td_peer *td_find_peer(const char *name); // null: not in this build

td_peer_pose td_peer_pose_from(const td_pose *pose);

#ifdef __cplusplus
}
#endif
#endif
