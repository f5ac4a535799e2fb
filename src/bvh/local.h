// The local coordinates of a hierarchy.
#ifndef TD_BVH_LOCAL_H
#define TD_BVH_LOCAL_H

#include "blocked.h"

// Sets origin, exponent, scale and half from the bounds of the mesh, which fits [-1, 1] after a scaling by a
// power of two: that is exact.
void td_choose_frame(td_blocked *out, const td_trimesh *mesh);

#endif
