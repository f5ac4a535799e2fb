// A pair of quads: of the 15 pairs of features of each pair of triangles whose boxes meet, those that the two
// own, whose own boxes meet and that share no vertex. Part of swept_wide.c.
//
// Two triangles meet in two tiles. In the first, items 0 to 2 are vertices and item 3 is the triangle: lanes
// (i, 3) are vertices of A with B's face, lanes (3, j) the reverse. In the second, items are edges.
#ifndef TD_TRAVERSE_SWEPT_TILES_WIDE_H
#define TD_TRAVERSE_SWEPT_TILES_WIDE_H

#include "../math/wide.h"
#include "swept.h"

// Lane k: box k & 3 of one, box k >> 2 of the other.
static inline uint32_t td_swept_overlap(const float lower_a[3][4], const float upper_a[3][4],
                                        const float lower_b[3][4], const float upper_b[3][4]) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        td_wm meet = td_wf_le(td_wf_repeat(lower_a[0], group), td_wf_spread(upper_b[0], group));
        meet = td_wf_le_and(meet, td_wf_spread(lower_b[0], group), td_wf_repeat(upper_a[0], group));
        for (int k = 1; k < 3; ++k) {
            meet = td_wf_le_and(meet, td_wf_repeat(lower_a[k], group), td_wf_spread(upper_b[k], group));
            meet = td_wf_le_and(meet, td_wf_spread(lower_b[k], group), td_wf_repeat(upper_a[k], group));
        }
        bits |= td_wm_bits(meet) << (group * TD_LANES);
    }
    return bits;
}

// Bit 4 j of the result: bit j of three.
static inline uint32_t td_spread_three(uint32_t three) {
    return (three & 1u) | (three & 2u) << 3 | (three & 4u) << 6;
}

// Lanes of both tiles.
typedef struct td_feature_lanes {
    uint32_t vertex_face, edge_edge;
} td_feature_lanes;

static inline td_feature_lanes td_owned_lanes(uint32_t owns_a, uint32_t owns_b) {
    const uint32_t spread_edges = td_spread_three(owns_b & 7u),
                   spread_vertices = td_spread_three(owns_b >> 4 & 7u);
    return (td_feature_lanes){(owns_a >> 4 & 7u) << 12 | spread_vertices << 3, (owns_a & 7u) * spread_edges};
}

// Lanes of features that have a vertex in common, from those (i, j) of equal vertices.
static inline td_feature_lanes td_sharing_lanes(uint32_t equal) {
    const uint32_t next_a = equal | (equal >> 1 & 0x333u) | (equal << 2 & 0x444u); // or vertex i + 1 of A
    const uint32_t next_b = (next_a >> 4 & 0x077u) | (next_a << 8 & 0x700u);
    const uint32_t of_a = (equal | equal >> 4 | equal >> 8) & 0x7u;
    const uint32_t of_b = (equal | equal >> 1 | equal >> 2) & 0x111u;
    return (td_feature_lanes){of_a << 12 | of_b << 3, next_a | next_b};
}

static inline td_feature_lanes td_lanes_to_test(const td_swept_question *question, const td_swept_corners *a,
                                                const td_swept_corners *b) {
    td_feature_lanes lanes = td_owned_lanes(a->owns, b->owns);
    if ((lanes.vertex_face | lanes.edge_edge) == 0) {
        return lanes;
    }
    lanes.vertex_face &= td_swept_overlap(a->lower, a->upper, b->lower, b->upper);
    lanes.edge_edge &= td_swept_overlap(a->edge_lower, a->edge_upper, b->edge_lower, b->edge_upper);
    if (question->self && (lanes.vertex_face | lanes.edge_edge) != 0) {
        uint32_t equal = 0;
        for (int group = 0; group < TD_GROUPS; ++group) {
            equal |= td_wm_bits(td_wu_equal(a->vertex, b->vertex, group)) << (group * TD_LANES);
        }
        const td_feature_lanes sharing = td_sharing_lanes(equal & 0x777u);
        lanes.vertex_face &= ~sharing.vertex_face;
        lanes.edge_edge &= ~sharing.edge_edge;
    }
    return lanes;
}

static inline td_pair td_ends_of_edge(const td_swept_corners *corners, int edge) {
    const uint32_t p = corners->vertex[edge], q = corners->vertex[edge == 2 ? 0 : edge + 1];
    return p < q ? (td_pair){p, q} : (td_pair){q, p};
}

// The 9 + 6 pairs of features of two triangles, as far as they are in the lanes.
static inline void td_add_candidates(td_swept_worker *worker, const td_swept_question *question,
                                     td_pair triangles, const td_swept_corners *a, const td_swept_corners *b,
                                     td_feature_lanes lanes) {
    td_candidate *out = worker->candidates.items + worker->candidates.count;
    for (; lanes.edge_edge != 0; lanes.edge_edge &= lanes.edge_edge - 1) {
        const int lane = __builtin_ctz(lanes.edge_edge);
        *out++ = td_candidate_of_edges(question->self, a->edge[lane & 3], td_ends_of_edge(a, lane & 3),
                                       b->edge[lane >> 2], td_ends_of_edge(b, lane >> 2));
    }
    for (; lanes.vertex_face != 0; lanes.vertex_face &= lanes.vertex_face - 1) {
        const int lane = __builtin_ctz(lanes.vertex_face);
        *out++ =
            lane >= 12
                ? td_candidate_of_vertex(a->vertex[lane & 3], triangles.b, b->vertex, TD_CONTACT_VERTEX_FACE)
                : td_candidate_of_vertex(b->vertex[lane >> 2], triangles.a, a->vertex,
                                         question->self ? TD_CONTACT_VERTEX_FACE : TD_CONTACT_FACE_VERTEX);
    }
    worker->candidates.count = (size_t)(out - worker->candidates.items);
}

// Puts the candidates of all pairs of triangles in `bits` into the worker's list, which has room for all.
static void td_test_tile(td_swept_worker *worker, const td_swept_question *question, td_pair quads,
                         uint32_t bits) {
    const td_swept_corners *a = &question->a->corners[4 * (size_t)quads.a],
                           *b = &question->b->corners[4 * (size_t)quads.b];
    const uint32_t *triangles_a = question->a->quads[quads.a].triangle,
                   *triangles_b = question->b->quads[quads.b].triangle;
    worker->counters.triangle_tests += (uint64_t)__builtin_popcount(bits);
    for (; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits), i = lane & 3, j = lane >> 2;
        const td_feature_lanes lanes = td_lanes_to_test(question, &a[i], &b[j]);
        td_add_candidates(worker, question, (td_pair){triangles_a[i], triangles_b[j]}, &a[i], &b[j], lanes);
    }
}

#endif
