// Whether one mesh lies inside the other, when their surfaces do not touch.
#ifndef TD_QUERY_INSIDE_H
#define TD_QUERY_INSIDE_H

#include "../traverse/frame.h"

#include <tandem/query.h>

// To be asked only if no triangles intersect: then every connected component of one mesh is wholly inside or
// wholly outside the other. A mesh is inside if the other is closed and all its components are inside.
td_inside td_find_inside(const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                         const td_blocked *b, const td_frame *frame);

#endif
