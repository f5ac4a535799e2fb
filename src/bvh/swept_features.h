// The features of a mesh's connectivity: vertices, edges, faces, and which triangle answers for which of
// them.
//
// Several triangles share an edge or a vertex, and pairs of all of them lead to the same pair of features. So
// every vertex and every edge has one owner, the first triangle that uses it, and a pair of triangles tests
// only what the two own: each pair of features is met exactly once, and is met at all because the boxes of
// the owners hold the features.
//
// based on: Curtis, Tamstorf and Manocha, Fast collision detection for deformable models using
// representative-triangles, 2008.
#ifndef TD_BVH_SWEPT_FEATURES_H
#define TD_BVH_SWEPT_FEATURES_H

#include "swept_node.h"

#include <tandem/query.h>

typedef struct td_features {
    td_swept_triangle *triangles;
    td_pair *edges; // a < b, by b, then by a
    uint32_t triangle_count, edge_count;
    uint32_t edge_room; // of the array
} td_features;

// Vertices are told apart by their index alone. Vertices that no triangle uses are no features; a side that
// begins and ends at one vertex is no edge. At most 2^30 triangles, as meshes have. Fails only for want of
// memory; then nothing is left to release.
td_result td_features_create(td_features *out, td_context *context, const uint32_t *indices,
                             uint32_t triangle_count, uint32_t vertex_count);
void td_features_release(td_features *features, td_context *context);
uint64_t td_features_bytes(const td_features *features);

#endif
