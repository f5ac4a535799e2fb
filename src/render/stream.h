// A stream of rays on its way through a set of bodies.
//
// Up to TD_STREAM_RAYS rays go down the tree of boxes together. At every node those that miss its box are
// left behind; at a leaf the others are cast at the body in one call, so that the packets of the ray queries
// are full although each body has a hierarchy and a pose of its own.
#ifndef TD_RENDER_STREAM_H
#define TD_RENDER_STREAM_H

#include "set.h"

#include <tandem/ray.h>

enum { TD_STREAM_RAYS = 1024 };

// What the test of a box needs of a ray: a cache line.
typedef struct td_slab_ray {
    double origin[3], inverse[3]; // one over the direction
    double t_min, t_max;          // of a closest hit, t_max is the best so far
} td_slab_ray;

typedef struct td_stream {
    // While it goes down:
    _Alignas(64) td_slab_ray slabs[TD_STREAM_RAYS];
    td_ray gathered[TD_STREAM_RAYS];    // those that are cast at a body
    td_ray_hit answers[TD_STREAM_RAYS]; // of these
    uint16_t *lists;                    // of rays, one per level of the tree
    size_t list_room;
    // The caller's: rays go in, answers come out.
    size_t count;
    td_ray rays[TD_STREAM_RAYS];
    td_ray_hit hits[TD_STREAM_RAYS];
    uint32_t bodies[TD_STREAM_RAYS]; // whose hit it is; meaningless without one
} td_stream;

td_result td_start_stream(td_stream *stream, const td_set *set);
void td_end_stream(td_stream *stream, const td_set *set);

// Finds for every ray the closest hit among all bodies (of equal ones that of the lowest body), or whether
// there is any. All on the calling thread. The rays must be good ones: a message
// of td_cast_rays is returned otherwise.
td_result td_cast_stream(td_stream *stream, const td_set *set, td_ray_mode mode);

#endif
