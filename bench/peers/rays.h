// Rays against one mesh, as another library casts them: one by one, on one thread, in float32. One file per
// library implements it: rays_NAME.cpp.
#ifndef TD_BENCH_RAYS_H
#define TD_BENCH_RAYS_H

#include "peer.h"

#include <tandem/ray.h>

#ifdef __cplusplus
extern "C" {
#endif

// Only t and triangle matter; triangle is TD_NO_TRIANGLE without a hit.
typedef struct td_peer_hit {
    uint32_t triangle;
    float t;
} td_peer_hit;

typedef struct td_ray_peer {
    const char *name;
    const char *(*version)(void);
    const char *what;                          // one line: what exactly is asked of the library
    void *(*create)(const td_peer_mesh *mesh); // null: the library refuses it
    void (*destroy)(void *instance);
    // Takes the rays over, in whatever form the library wants: not timed.
    void (*take)(void *instance, const td_ray *rays, size_t count);
    void (*closest)(void *instance, td_peer_hit *out); // of the rays taken
    void (*any)(void *instance, bool *out);
} td_ray_peer;

#ifdef TD_PEER_WITH_EMBREE
extern const td_ray_peer td_rays_embree, td_rays_embree_robust;
#endif

#ifdef __cplusplus
}
#endif
#endif
