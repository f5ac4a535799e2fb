// Hierarchies that follow deforming meshes, as other libraries refit them. One file per library implements
// it: refits_NAME.cpp.
#ifndef TD_BENCH_REFITS_H
#define TD_BENCH_REFITS_H

#include "peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_refit_peer {
    const char *name, *volume;
    const char *(*version)(void);
    bool threaded;                                                    // else it has one row, of one thread
    void *(*create)(const td_peer_mesh *mesh, uint32_t thread_count); // null: the library refuses it
    void (*destroy)(void *instance);
    // Hands new positions over, in the library's own form (not timed), and refits: the time in milliseconds.
    double (*refit)(void *instance, const double *positions);
} td_refit_peer;

#ifdef TD_PEER_WITH_EMBREE
extern const td_refit_peer td_refits_embree;
#endif
#ifdef TD_PEER_WITH_FCL
extern const td_refit_peer td_refits_fcl_obb, td_refits_fcl_obbrss;
#endif

#ifdef __cplusplus
}
#endif
#endif
