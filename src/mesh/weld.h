// Which vertices lie at exactly the same position. Linear time, by hashing.
#ifndef TD_MESH_WELD_H
#define TD_MESH_WELD_H

#include <tandem/mesh.h>

// first[v] becomes the lowest vertex index whose position equals that of v (so first[v] <= v, and
// first[first[v]] == first[v]). Equality is that of ==: -0.0 equals 0.0. The coordinates must be finite.
//
// `positions` is x y z of type `scalar` per vertex, `stride` bytes apart (at least three scalars, not 0), of
// any alignment. Fails only for want of memory.
td_result td_weld(uint32_t *first, td_context *context, const unsigned char *positions, td_scalar scalar,
                  size_t stride, uint32_t vertex_count);

#endif
