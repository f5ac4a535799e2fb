#include "peer.h"

#include "math/rigid.h"

#include <string.h>

extern const td_peer td_peer_fcl, td_peer_ode, td_peer_ode_opcode, td_peer_bullet, td_peer_cgal,
    td_peer_embree;

static const td_peer *const td_peers[] = {
#ifdef TD_PEER_WITH_FCL
    &td_peer_fcl,
#endif
#ifdef TD_PEER_WITH_ODE
    &td_peer_ode,
    &td_peer_ode_opcode,
#endif
#ifdef TD_PEER_WITH_BULLET
    &td_peer_bullet,
#endif
#ifdef TD_PEER_WITH_EMBREE
    &td_peer_embree,
#endif
#ifdef TD_PEER_WITH_CGAL
    &td_peer_cgal,
#endif
    NULL // the table is never empty
};

uint32_t td_peer_count(void) {
    return (uint32_t)(sizeof td_peers / sizeof td_peers[0]) - 1;
}

const td_peer *td_peer_at(uint32_t index) {
    return td_peers[index];
}

const td_peer *td_find_peer(const char *name) {
    for (uint32_t i = 0; i < td_peer_count(); ++i) {
        if (strcmp(td_peers[i]->name, name) == 0) {
            return td_peers[i];
        }
    }
    return NULL;
}

td_peer_pose td_peer_pose_from(const td_pose *pose) {
    const double *p = pose->position;
    const double *q = pose->rotation;
    const td_rigid m = td_rigid_make(td_vec3_make(p[0], p[1], p[2]), q[0], q[1], q[2], q[3]);
    return (td_peer_pose){
        {m.row0.x, m.row0.y, m.row0.z, m.row1.x, m.row1.y, m.row1.z, m.row2.x, m.row2.y, m.row2.z},
        {p[0], p[1], p[2]}};
}
