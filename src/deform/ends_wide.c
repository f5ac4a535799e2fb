// Two hierarchies over a lap walked together, depth first: 16 boxes of blocks at a time, 16 boxes of
// triangles, then the features that the triangles own. A leaf block is held whole while the other side is
// opened, so no pair of blocks is visited twice; a mesh against itself visits a block with itself: as in
// traverse/swept_wide.c, whose features and rules these are.
#include "../math/f4.h"
#include "../math/wide.h"
#include "ends_walk.h"

#define TD_ABOVE_DIAGONAL 0x7310u
#define TD_DIAGONAL_LANES 0x8421u
#define TD_ALL_LANES      0xffffu

// How far a is beyond b along an axis, at the end where it is least.
static inline td_wf td_least_beyond(const float lower[2][3][4], const float upper[2][3][4], int k, int group,
                                    bool turned) {
    const td_wf low0 = turned ? td_wf_spread(lower[0][k], group) : td_wf_repeat(lower[0][k], group);
    const td_wf low1 = turned ? td_wf_spread(lower[1][k], group) : td_wf_repeat(lower[1][k], group);
    const td_wf up0 = turned ? td_wf_repeat(upper[0][k], group) : td_wf_spread(upper[0][k], group);
    const td_wf up1 = turned ? td_wf_repeat(upper[1][k], group) : td_wf_spread(upper[1][k], group);
    return td_wf_min(td_wf_sub(low0, up0), td_wf_sub(low1, up1));
}

// Lane k: box k & 3 of one, box k >> 2 of the other. A difference of floats has the right sign, whatever it
// is rounded to.
static inline uint32_t td_ends_overlap(const td_ends_boxes *a, const td_ends_boxes *b) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        td_wf beyond = td_least_beyond(a->lower, b->upper, 0, group, false);
        beyond = td_wf_max(beyond, td_least_beyond(b->lower, a->upper, 0, group, true));
        for (int k = 1; k < 3; ++k) {
            beyond = td_wf_max(beyond, td_least_beyond(a->lower, b->upper, k, group, false));
            beyond = td_wf_max(beyond, td_least_beyond(b->lower, a->upper, k, group, true));
        }
        bits |= td_wm_bits(td_wf_le(beyond, td_wf_set1(0))) << (group * TD_LANES);
    }
    return bits;
}

// Lanes of which one side is marked.
static inline uint32_t td_marked_lanes(const td_ends_question *question, uint32_t marks_a, uint32_t marks_b) {
    const uint32_t a = marks_a & question->heeded_a, b = (marks_b & question->heeded_b) | question->all_b;
    const uint32_t spread = (b & 1u) | (b & 2u) << 3 | (b & 4u) << 6 | (b & 8u) << 9;
    return a * 0x1111u | spread * 0xfu;
}

// ---------------------------------------------------------------------------------------------------------
// Features

typedef struct td_ends_box {
    td_f4 lower[2], upper[2];
} td_ends_box;

static inline td_ends_box td_box_of_point(const td_ends_point *p) {
    const td_f4 at[2] = {td_f4_load(p->at[0]), td_f4_load(p->at[1])};
    return (td_ends_box){{at[0], at[1]}, {at[0], at[1]}};
}

static inline td_ends_box td_box_with(td_ends_box box, const td_ends_point *p) {
    for (int t = 0; t < 2; ++t) {
        const td_f4 at = td_f4_load(p->at[t]);
        box.lower[t] = td_f4_min(box.lower[t], at);
        box.upper[t] = td_f4_max(box.upper[t], at);
    }
    return box;
}

static inline bool td_come_near(const td_ends_box *a, const td_ends_box *b, td_f4 apart) {
    const td_f4 ab = td_f4_min(td_f4_sub(a->lower[0], b->upper[0]), td_f4_sub(a->lower[1], b->upper[1]));
    const td_f4 ba = td_f4_min(td_f4_sub(b->lower[0], a->upper[0]), td_f4_sub(b->lower[1], a->upper[1]));
    return td_f4_signs(td_f4_sub(apart, td_f4_max(ab, ba))) == 0;
}

// What float32 may be off by along a direction of length 1, twice and more: coordinates are within -1 and 1.
#define TD_MIDDLES_SLACK 0x1p-18f

// Whether the first feature is ahead of the second at both ends, by more than they may be apart, along the
// way from middle to middle. Most that are left by their boxes are neighbours in the plane of a sheet, and
// far enough from each other in it. One sequence of operations without fused ones: the same in every
// instruction set.
static inline bool td_middles_apart(const td_ends_point *const p[4], bool edges, float apart) {
    float way[3], square = 0;
    for (int k = 0; k < 3; ++k) {
        const float first = edges ? p[0]->at[0][k] + p[1]->at[0][k] : 3 * p[0]->at[0][k];
        const float second = p[2]->at[0][k] + p[3]->at[0][k];
        way[k] = first - (edges ? second : second + p[1]->at[0][k]);
        square += way[k] * way[k];
    }
    const float within = apart + TD_MIDDLES_SLACK, most_square = within * within * square;
    for (int t = 0; t < 2; ++t) {
        float height[4];
        for (int i = 0; i < 4; ++i) {
            height[i] = way[0] * (p[i]->at[t][0] - p[3]->at[t][0]) +
                        way[1] * (p[i]->at[t][1] - p[3]->at[t][1]) +
                        way[2] * (p[i]->at[t][2] - p[3]->at[t][2]);
        }
        const float least = edges && height[1] < height[0] ? height[1] : height[0];
        float most = edges || height[2] > height[1] ? height[2] : height[1];
        most = height[3] > most ? height[3] : most;
        const float ahead = least - most;
        if (!(ahead > 0 && ahead * ahead > most_square)) {
            return false;
        }
    }
    return true;
}

static inline bool td_edges_near(const td_ends_point *a0, const td_ends_point *a1, const td_ends_point *b0,
                                 const td_ends_point *b1, float apart) {
    const td_ends_box a = td_box_with(td_box_of_point(a0), a1), b = td_box_with(td_box_of_point(b0), b1);
    return td_come_near(&a, &b, td_f4_set1(apart)) &&
           !td_middles_apart((const td_ends_point *const[]){a0, a1, b0, b1}, true, apart);
}

static inline bool td_vertex_near(const td_ends_point *v, const td_ends_point *const face[3], float apart) {
    const td_ends_box vertex = td_box_of_point(v);
    const td_ends_box box = td_box_with(td_box_with(td_box_of_point(face[0]), face[1]), face[2]);
    return td_come_near(&vertex, &box, td_f4_set1(apart)) &&
           !td_middles_apart((const td_ends_point *const[]){v, face[0], face[1], face[2]}, false, apart);
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

static inline uint32_t td_equal_corners(const td_ends_cell *a, const td_ends_cell *b) {
    uint32_t equal = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        equal |= td_wm_bits(td_wu_equal(a->vertex, b->vertex, group)) << (group * TD_LANES);
    }
    return equal & 0x777u;
}

static inline td_swept_edge td_edge_of(const td_ends_cell *cell, int edge) {
    return td_swept_edge_make(cell->edge[edge], cell->vertex[edge], cell->vertex[edge == 2 ? 0 : edge + 1]);
}

static inline td_candidate td_with_face(uint32_t vertex, uint32_t face, const td_ends_cell *cell,
                                        td_contact_kind kind) {
    return td_candidate_of_vertex(vertex, face, cell->vertex[0], cell->vertex[1], cell->vertex[2], kind);
}

// The 9 + 6 pairs of features of two triangles, as far as the two own them, as they share no vertex and come
// near each other: less than three of them, mostly.
static inline void td_test_triangles(td_swept_worker *worker, const td_ends_question *question,
                                     td_pair triangles, const td_ends_cell *a, const td_ends_cell *b) {
    const bool self = question->swept.self;
    td_feature_lanes lanes = td_owned_lanes(a->owns, b->owns);
    if (self) {
        const td_feature_lanes sharing = td_sharing_lanes(td_equal_corners(a, b));
        lanes.vertex_face &= ~sharing.vertex_face;
        lanes.edge_edge &= ~sharing.edge_edge;
    }
    const td_ends_point *pa[3], *pb[3];
    for (int k = 0; k < 3; ++k) {
        pa[k] = &question->a->points[a->vertex[k]];
        pb[k] = &question->b->points[b->vertex[k]];
    }
    td_candidate *out = worker->candidates.items + worker->candidates.count;
    for (; lanes.edge_edge != 0; lanes.edge_edge &= lanes.edge_edge - 1) {
        const int lane = __builtin_ctz(lanes.edge_edge), i = lane & 3, j = lane >> 2;
        if (td_edges_near(pa[i], pa[i == 2 ? 0 : i + 1], pb[j], pb[j == 2 ? 0 : j + 1], question->apart)) {
            *out++ = td_candidate_of_edges(self, td_edge_of(a, i), td_edge_of(b, j));
        }
    }
    for (; lanes.vertex_face != 0; lanes.vertex_face &= lanes.vertex_face - 1) {
        const int lane = __builtin_ctz(lanes.vertex_face), i = lane & 3, j = lane >> 2;
        if (lane >= 12 && td_vertex_near(pa[i], pb, question->apart)) {
            *out++ = td_with_face(a->vertex[i], triangles.b, b, TD_CONTACT_VERTEX_FACE);
        } else if (lane < 12 && td_vertex_near(pb[j], pa, question->apart)) {
            *out++ = td_with_face(b->vertex[j], triangles.a, a,
                                  self ? TD_CONTACT_VERTEX_FACE : TD_CONTACT_FACE_VERTEX);
        }
    }
    worker->candidates.count = (size_t)(out - worker->candidates.items);
}

// ---------------------------------------------------------------------------------------------------------
// Quads

static inline void td_visit_quads(td_swept_worker *worker, const td_ends_question *question, td_pair pair,
                                  uint32_t lanes) {
    const td_ends_quad *a = &question->a->quads[pair.a], *b = &question->b->quads[pair.b];
    const td_ends_cell *cells_a = &question->a->cells[4 * (size_t)pair.a],
                       *cells_b = &question->b->cells[4 * (size_t)pair.b];
    lanes &= question->marked ? td_marked_lanes(question, a->marked, b->marked) : TD_ALL_LANES;
    for (uint32_t bits = td_ends_overlap(&a->boxes, &b->boxes) & lanes; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits), i = lane & 3, j = lane >> 2;
        td_test_triangles(worker, question, (td_pair){a->triangle[i], b->triangle[j]}, &cells_a[i],
                          &cells_b[j]);
    }
    if (worker->candidates.count >= TD_CANDIDATES_AT) {
        td_decide_candidates(worker, &question->swept);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Blocks

static inline uint32_t td_lanes_of(uint32_t node_count) {
    const uint32_t lanes = (1u << node_count) - 1u;
    return lanes * 0x1111u & TD_DIAGONAL_LANES;
}

static inline uint32_t td_blocks_overlap(const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    uint32_t bits = td_ends_overlap(&a->boxes, &b->boxes);
    if (question->swept.self && pair.a == pair.b) {
        bits = (bits & TD_ABOVE_DIAGONAL) | td_lanes_of(a->node_count);
    }
    return bits & (question->marked ? td_marked_lanes(question, a->marked, b->marked) : TD_ALL_LANES);
}

static void td_visit_leaves(td_swept_worker *worker, const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    for (uint32_t bits = td_blocks_overlap(question, pair); bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const td_pair quads = {a->child[lane & 3], b->child[lane >> 2]};
        td_visit_quads(worker, question, quads,
                       question->swept.self && quads.a == quads.b ? TD_ABOVE_DIAGONAL : TD_ALL_LANES);
    }
}

// Pairs that follow from one that is not of two leaf blocks, at most 16, go to `out`.
static inline uint32_t td_open_pair(td_pair *out, const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    const uint32_t held_a[4] = {pair.a, pair.a, pair.a, pair.a}, held_b[4] = {pair.b, pair.b, pair.b, pair.b};
    uint32_t bits = td_blocks_overlap(question, pair);
    if (a->leaf) { // lane 0 of a row stands for all of it
        bits |= bits >> 2;
        bits = (bits | bits >> 1) & 0x1111u;
    } else if (b->leaf) {
        bits |= bits >> 8;
        bits = (bits | bits >> 4) & 0xfu;
    }
    return td_wide_pairs((td_wide_pair *)(void *)out, a->leaf ? held_a : a->child,
                         b->leaf ? held_b : b->child, bits);
}

void TD_WIDE(td_ends_run)(td_swept_worker *worker, const td_ends_question *question, td_pair start) {
    // A pair leaves at most 16 in its place, and those above it in the stack are of lower levels.
    const size_t room = 16 * ((size_t)question->a->height + question->b->height + 2);
    worker->stack.count = worker->candidates.count = 0;
    if (td_array_reserve(question->swept.context, &worker->stack, room) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    if (!td_swept_ready(worker, &question->swept)) {
        return;
    }
    worker->stack.items[worker->stack.count++] = start;
    while (worker->stack.count > 0 && worker->result == TD_OK) {
        const td_pair pair = worker->stack.items[--worker->stack.count];
        if (question->a->blocks[pair.a].leaf && question->b->blocks[pair.b].leaf) {
            td_visit_leaves(worker, question, pair);
        } else {
            worker->stack.count += td_open_pair(worker->stack.items + worker->stack.count, question, pair);
        }
    }
    td_decide_candidates(worker, &question->swept);
}
