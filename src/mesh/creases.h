// How a mesh is shaded: which corners of its triangles share a normal, and these normals. Corner k of
// triangle t is number 3 t + k.
//
// Triangles that meet at an edge at less than 40 degrees share their normals there; of each run of such
// triangles about a vertex the normal is their mean, weighted by the angles at the vertex (Thurmer and
// Wuthrich, Computing Vertex Normals from Polygonal Facets, 1998).
#ifndef TD_MESH_CREASES_H
#define TD_MESH_CREASES_H

#include "../math/vec3.h"
#include "topology.h"

// Of length 1; 0 for a triangle without area. `positions` are x y z per vertex.
void td_find_face_normals(td_vec3 *normals, const double *positions, const uint32_t *triangles,
                          uint32_t triangle_count);

// shared[c] becomes the number of the normal of corner c, counted in the order in which corners need them;
// *count is how many there are. TD_ERROR_UNSUPPORTED if there are too many triangles or vertices.
td_result td_find_creases(uint32_t *shared, uint32_t *count, td_context *context,
                          const td_connectivity *connectivity, const td_vec3 *face_normals);

// normals[n] of length 1 for n < count. Where all triangles are without area it is y: any will do.
void td_find_shared_normals(td_vec3 *normals, uint32_t count, const uint32_t *shared,
                            const td_vec3 *face_normals, const double *positions, const uint32_t *triangles,
                            uint32_t triangle_count);

#endif
