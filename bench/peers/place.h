// The coordinates that a pose means, for adapters that have to transform B themselves: the sequence of
// operations of td_pose_apply.
#ifndef TD_BENCH_PLACE_H
#define TD_BENCH_PLACE_H

#include "math/rigid.h"
#include "peer.h"

static inline td_rigid td_peer_rigid(const td_peer_pose *pose) {
    const double *r = pose->rotation;
    td_rigid m;
    m.row0 = td_vec3_make(r[0], r[1], r[2]);
    m.row1 = td_vec3_make(r[3], r[4], r[5]);
    m.row2 = td_vec3_make(r[6], r[7], r[8]);
    m.position = td_vec3_make(pose->position[0], pose->position[1], pose->position[2]);
    return m;
}

#endif
