// Two triangles whose swept boxes meet: which of the 15 pairs of their features are to be tested, and what a
// pair to be tested looks like. C17 and OpenCL C.
//
// Two triangles meet in two tiles of 4 x 4 lanes, lane i + 4 j for item i of A and item j of B. In the first,
// items 0 to 2 are vertices and item 3 is the triangle: lanes (i, 3) are vertices of A with B's face, lanes
// (3, j) the reverse. In the second, items are edges.
#ifndef TD_TRAVERSE_SWEPT_LANES_H
#define TD_TRAVERSE_SWEPT_LANES_H

#include "../bvh/swept_node.h"

#ifdef __OPENCL_VERSION__
#define TD_CONTACT_EDGE_EDGE   0 // as in tandem/continuous.h
#define TD_CONTACT_VERTEX_FACE 1
#define TD_CONTACT_FACE_VERTEX 2
typedef td_u32 td_contact_kind;
#else
#include <tandem/continuous.h>
_Static_assert(TD_CONTACT_EDGE_EDGE == 0 && TD_CONTACT_VERTEX_FACE == 1 && TD_CONTACT_FACE_VERTEX == 2 &&
                   sizeof(td_contact_kind) == 4,
               "kernels know the numbers above");
#endif

// Lanes of both tiles.
typedef struct td_feature_lanes {
    td_u32 vertex_face, edge_edge;
} td_feature_lanes;

// Bit 4 j of the result: bit j of three.
TD_INLINE td_u32 td_spread_three(td_u32 three) {
    return (three & 1u) | (three & 2u) << 3 | (three & 4u) << 6;
}

// What both own, from td_swept_triangle.owns.
TD_INLINE td_feature_lanes td_owned_lanes(td_u32 owns_a, td_u32 owns_b) {
    const td_u32 spread_edges = td_spread_three(owns_b & 7u),
                 spread_vertices = td_spread_three(owns_b >> 4 & 7u);
    td_feature_lanes lanes;
    lanes.vertex_face = (owns_a >> 4 & 7u) << 12 | spread_vertices << 3;
    lanes.edge_edge = (owns_a & 7u) * spread_edges;
    return lanes;
}

// Lanes of features that have a vertex in common, from those (i, j) of equal vertices.
TD_INLINE td_feature_lanes td_sharing_lanes(td_u32 equal) {
    const td_u32 next_a = equal | (equal >> 1 & 0x333u) | (equal << 2 & 0x444u); // or vertex i + 1 of A
    const td_u32 next_b = (next_a >> 4 & 0x077u) | (next_a << 8 & 0x700u);
    const td_u32 of_a = (equal | equal >> 4 | equal >> 8) & 0x7u;
    const td_u32 of_b = (equal | equal >> 1 | equal >> 2) & 0x111u;
    td_feature_lanes lanes;
    lanes.vertex_face = of_a << 12 | of_b << 3;
    lanes.edge_edge = next_a | next_b;
    return lanes;
}

// Whether two triangles own features that share no vertex; of two meshes none is shared.
TD_INLINE int td_own_features(TD_GLOBAL const td_swept_triangle *a, TD_GLOBAL const td_swept_triangle *b,
                              td_u32 self) {
    td_feature_lanes lanes = td_owned_lanes(a->owns, b->owns);
    td_u32 equal = 0;
    for (td_u32 lane = 0; self && lane < 12; ++lane) {
        if ((lane & 3u) < 3 && a->vertex[lane & 3u] == b->vertex[lane >> 2]) {
            equal |= 1u << lane;
        }
    }
    const td_feature_lanes sharing = td_sharing_lanes(equal);
    lanes.vertex_face &= ~sharing.vertex_face;
    lanes.edge_edge &= ~sharing.edge_edge;
    return (lanes.vertex_face | lanes.edge_edge) != 0;
}

// A pair of features whose boxes meet: its four points, v f0 f1 f2 or a0 a1 b0 b1, and its numbers.
typedef struct td_candidate {
    td_u32 vertex[4];
    td_u32 a, b;
    td_contact_kind kind;
} td_candidate;

// An edge: its number and its ends, the lower first.
typedef struct td_swept_edge {
    td_u32 number, low, high;
} td_swept_edge;

TD_INLINE td_swept_edge td_swept_edge_make(td_u32 number, td_u32 p, td_u32 q) {
    td_swept_edge edge;
    edge.number = number;
    edge.low = p < q ? p : q;
    edge.high = p < q ? q : p;
    return edge;
}

// A mesh's own edges come in the order of their numbers, so that the elementary test always sees the same
// points.
TD_INLINE td_candidate td_candidate_of_edges(int self, td_swept_edge a, td_swept_edge b) {
    const int turn = self && a.number > b.number;
    const td_swept_edge first = turn ? b : a, second = turn ? a : b;
    td_candidate candidate;
    candidate.vertex[0] = first.low;
    candidate.vertex[1] = first.high;
    candidate.vertex[2] = second.low;
    candidate.vertex[3] = second.high;
    candidate.a = first.number;
    candidate.b = second.number;
    candidate.kind = TD_CONTACT_EDGE_EDGE;
    return candidate;
}

TD_INLINE td_candidate td_candidate_of_vertex(td_u32 vertex, td_u32 face, td_u32 corner0, td_u32 corner1,
                                              td_u32 corner2, td_contact_kind kind) {
    const int turn = kind == TD_CONTACT_FACE_VERTEX;
    td_candidate candidate;
    candidate.vertex[0] = vertex;
    candidate.vertex[1] = corner0;
    candidate.vertex[2] = corner1;
    candidate.vertex[3] = corner2;
    candidate.a = turn ? face : vertex;
    candidate.b = turn ? vertex : face;
    candidate.kind = kind;
    return candidate;
}

// Whether point i of a candidate is of B.
TD_INLINE int td_is_of_b(td_contact_kind kind, int i) {
    return kind == TD_CONTACT_EDGE_EDGE ? i >= 2 : (i == 0) == (kind == TD_CONTACT_FACE_VERTEX);
}

#endif
