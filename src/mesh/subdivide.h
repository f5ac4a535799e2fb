// 1:4 subdivision: each triangle is split at the midpoints of its edges, which neighbours share.
#ifndef TD_MESH_SUBDIVIDE_H
#define TD_MESH_SUBDIVIDE_H

#include "../math/vec3.h"

#include <tandem/io.h>

// The most triangles that may be split: so that the result is still within the limits of edges.h.
#define TD_SUBDIVIDE_MAX_TRIANGLES (1u << 28)

// The vertex to put on the edge from a to b, in place of its midpoint. Must not depend on their order.
typedef td_vec3 td_edge_point_fn(td_vec3 a, td_vec3 b);

// Vertices keep their numbers, the new ones follow; triangle t becomes 4t ... 4t + 3: its three corners, then
// its middle. Edges are told by vertex index: weld first what should stay together. A triangle that names one
// vertex twice splits into four that do. `point` null: the midpoint. TD_ERROR_ARGUMENT if there are more
// triangles than the limit above, or TD_ERROR_MEMORY.
td_result td_subdivide(td_mesh_arrays *out, td_context *context, const td_mesh_arrays *mesh,
                       td_edge_point_fn *point);

#endif
