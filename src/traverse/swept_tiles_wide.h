// A pair of quads: of the 15 pairs of features of each pair of triangles whose boxes meet, those that the two
// own, whose own boxes meet and that share no vertex (swept_lanes.h). Part of swept_wide.c.
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

static inline uint32_t td_diagonals_overlap(const td_swept_diagonals *a, const td_swept_diagonals *b) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        td_wm meet = td_wf_le(td_wf_repeat(a->lower[0], group), td_wf_spread(b->upper[0], group));
        meet = td_wf_le_and(meet, td_wf_spread(b->lower[0], group), td_wf_repeat(a->upper[0], group));
        for (int k = 1; k < TD_DIAGONALS; ++k) {
            meet = td_wf_le_and(meet, td_wf_repeat(a->lower[k], group), td_wf_spread(b->upper[k], group));
            meet = td_wf_le_and(meet, td_wf_spread(b->lower[k], group), td_wf_repeat(a->upper[k], group));
        }
        bits |= td_wm_bits(meet) << (group * TD_LANES);
    }
    return bits;
}

static inline uint32_t td_equal_corners(const td_swept_corners *a, const td_swept_corners *b) {
    uint32_t equal = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        equal |= td_wm_bits(td_wu_equal(a->vertex, b->vertex, group)) << (group * TD_LANES);
    }
    return equal & 0x777u;
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
        const td_feature_lanes sharing = td_sharing_lanes(td_equal_corners(a, b));
        lanes.vertex_face &= ~sharing.vertex_face;
        lanes.edge_edge &= ~sharing.edge_edge;
    }
    return lanes;
}

// Whether two triangles have a pair of features to be tested, wherever they are.
static inline bool td_own_something(const td_swept_question *question, const td_swept_corners *a,
                                    const td_swept_corners *b) {
    td_feature_lanes lanes = td_owned_lanes(a->owns, b->owns);
    if (question->self) {
        const td_feature_lanes sharing = td_sharing_lanes(td_equal_corners(a, b));
        lanes.vertex_face &= ~sharing.vertex_face;
        lanes.edge_edge &= ~sharing.edge_edge;
    }
    return (lanes.vertex_face | lanes.edge_edge) != 0;
}

static inline td_swept_edge td_edge_of(const td_swept_corners *corners, int edge) {
    return td_swept_edge_make(corners->edge[edge], corners->vertex[edge],
                              corners->vertex[edge == 2 ? 0 : edge + 1]);
}

static inline td_candidate td_candidate_with_face(uint32_t vertex, uint32_t face,
                                                  const td_swept_corners *corners, td_contact_kind kind) {
    return td_candidate_of_vertex(vertex, face, corners->vertex[0], corners->vertex[1], corners->vertex[2],
                                  kind);
}

// The 9 + 6 pairs of features of two triangles, as far as they are in the lanes.
static inline void td_add_candidates(td_swept_worker *worker, const td_swept_question *question,
                                     td_pair triangles, const td_swept_corners *a, const td_swept_corners *b,
                                     td_feature_lanes lanes) {
    td_candidate *out = worker->candidates.items + worker->candidates.count;
    for (; lanes.edge_edge != 0; lanes.edge_edge &= lanes.edge_edge - 1) {
        const int lane = __builtin_ctz(lanes.edge_edge);
        *out++ = td_candidate_of_edges(question->self, td_edge_of(a, lane & 3), td_edge_of(b, lane >> 2));
    }
    for (; lanes.vertex_face != 0; lanes.vertex_face &= lanes.vertex_face - 1) {
        const int lane = __builtin_ctz(lanes.vertex_face);
        *out++ =
            lane >= 12
                ? td_candidate_with_face(a->vertex[lane & 3], triangles.b, b, TD_CONTACT_VERTEX_FACE)
                : td_candidate_with_face(b->vertex[lane >> 2], triangles.a, a,
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
    for (; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits), i = lane & 3, j = lane >> 2;
        const td_feature_lanes lanes = td_lanes_to_test(question, &a[i], &b[j]);
        td_add_candidates(worker, question, (td_pair){triangles_a[i], triangles_b[j]}, &a[i], &b[j], lanes);
    }
}

#endif
