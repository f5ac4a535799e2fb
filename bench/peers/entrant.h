// One library in the race: tandem on some instruction set and number of threads, or a peer. Both answer the
// same list of poses.
#ifndef TD_BENCH_ENTRANT_H
#define TD_BENCH_ENTRANT_H

#include "compare.h"
#include "subject.h"

typedef struct td_race {
    const td_subject *a, *b;
    const td_pose *poses;
    const td_peer_pose *peer_poses; // the same
    uint32_t pose_count;
    td_peer_mode mode;
} td_race;

typedef struct td_entrant {
    const char *library;
    const char *version;
    const char *isa; // "" for a peer
    uint32_t threads;

    const td_peer *peer; // null: tandem
    void *instance;

    td_context *context;
    td_mesh *mesh_a, *mesh_b; // the same twice if A is B
    td_query *query;
    td_collide_result *results; // one per pose

    uint64_t *counts;             // per pose, of the comparison
    uint64_t pairs;               // their sum
    uint32_t differing;           // poses whose answer is not that of the first entrant
    double times[TD_MAX_REPEATS]; // ms of all poses, per repeat
    uint32_t repeats;
    double spent_ms;
    double ms_per_pose; // median
} td_entrant;

// On failure nothing is left to release. `context` provides memory.
td_result td_enter_tandem(td_entrant *out, const td_race *race, const char *isa_name, uint32_t threads);
td_result td_enter_peer(td_entrant *out, const td_race *race, td_context *context, const td_peer *peer);
void td_release_entrant(td_entrant *entrant, const td_race *race);

// Answers all poses. `counts` gets the number of pairs per pose, or may be null.
td_result td_run_entrant(const td_entrant *entrant, const td_race *race, uint64_t *counts);

#endif
