// What is odd about a mesh: the counts of td_mesh_report.
//
// The conventions, all in terms of positions (vertices at the same place count as one), all in file order:
// - A side of a triangle is one use of the edge between its two positions; a side between one position and
//   itself is no edge. So a triangle that names one position twice uses the edge to its third corner twice,
//   once in each direction: alone it makes neither a boundary nor a misoriented edge, beside two other
//   triangles it makes a non-manifold one.
// - boundary: one use. misoriented: two uses, both in the same direction. nonmanifold: three uses or more,
//   whatever their directions.
// - repeated_vertex and zero_area exclude each other: a triangle of zero area has three positions.
// - duplicate_triangles: the three positions of an earlier triangle in whatever order, with the same
//   multiplicities. Triangles that name one position twice take part.
// - unreferenced_vertices counts vertices, not positions: a vertex that no triangle names is one even if
//   another at its place is used.
// - components consist of triangles; an unreferenced vertex is none.
#ifndef TD_QUERY_INSPECT_H
#define TD_QUERY_INSPECT_H

#include "../mesh/trimesh.h"

// Linear time; fails only for want of memory.
td_result td_inspect_trimesh(td_mesh_report *out, td_context *context, const td_trimesh *mesh);

#endif
