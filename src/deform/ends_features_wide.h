// Pairs of triangles whose boxes meet: of the 15 pairs of their features those that the two own, that share
// no vertex and that come near each other. Part of ends_wide.c.
//
// Two triangles have about two such pairs to be tested. So pairs of triangles are collected from many quads,
// and pairs of features from many triangles, and these are tested one per lane, edges and faces apart: no
// loop is so short that its end cannot be foreseen, and no lane is idle.
#ifndef TD_DEFORM_ENDS_FEATURES_WIDE_H
#define TD_DEFORM_ENDS_FEATURES_WIDE_H

#include "../math/wide_rows.h"
#include "ends_walk.h"

enum {
    TD_TRIANGLES_AT = 128, // so many pairs of triangles are tested together
    TD_TRIANGLES_MOST = TD_TRIANGLES_AT + TD_TILE,
};

// A list of pairs of cells; td_wide_pairs may write a tile beyond its end.
typedef struct td_cell_pairs {
    td_wide_pair items[TD_TRIANGLES_MOST + TD_TILE];
    uint32_t count;
} td_cell_pairs;

// Pairs of features: 16 times the place of their cells in the list, and the lane within a tile
// (swept_lanes.h), of edges or of vertices and faces. td_wide_lanes may write a tile beyond the end.
typedef struct td_feature_batch {
    td_cell_pairs strangers, neighbours; // that share no vertex; that may
    uint32_t edges[9 * TD_TRIANGLES_MOST + TD_TILE], faces[6 * TD_TRIANGLES_MOST + TD_TILE];
} td_feature_batch;

static inline uint32_t td_equal_corners(const td_ends_cell *a, const td_ends_cell *b) {
    uint32_t equal = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        equal |= td_wm_bits(td_wu_equal(a->vertex, b->vertex, group)) << (group * TD_LANES);
    }
    return equal & 0x777u;
}

// What both own, as td_owned_lanes has it.
TD_OP td_feature_lanes td_lanes_of_cells(const td_ends_cell *a, const td_ends_cell *b, bool share) {
    td_feature_lanes lanes = {.vertex_face = (a->owns & 0x70u) << 8 | (b->owns >> 17 & 0x888u),
                              .edge_edge = (a->owns & 7u) * (b->owns >> 8 & 0x111u)};
    if (share) {
        const td_feature_lanes sharing = td_sharing_lanes(td_equal_corners(a, b));
        lanes.vertex_face &= ~sharing.vertex_face;
        lanes.edge_edge &= ~sharing.edge_edge;
    }
    return lanes;
}

// ---------------------------------------------------------------------------------------------------------
// Testing

// A point of every lane, at both ends.
typedef struct td_wide_point {
    td_wf at[2][3];
} td_wide_point;

// How far the two features' boxes are apart along an axis, at the end where that is least: the most of all
// axes. The first feature is p[0], of edges p[0] and p[1]; the second is the others.
TD_OP td_wf td_boxes_apart(const td_wide_point p[4], bool edges) {
    td_wf most = td_wf_set1(-4);
    for (int k = 0; k < 3; ++k) {
        td_wf ahead[2], behind[2];
        for (int t = 0; t < 2; ++t) {
            const td_wf p0 = p[0].at[t][k], p1 = p[1].at[t][k], p2 = p[2].at[t][k], p3 = p[3].at[t][k];
            const td_wf low = td_wf_min(p2, p3), high = td_wf_max(p2, p3);
            ahead[t] = td_wf_sub(edges ? td_wf_min(p0, p1) : p0, edges ? high : td_wf_max(high, p1));
            behind[t] = td_wf_sub(edges ? low : td_wf_min(low, p1), edges ? td_wf_max(p0, p1) : p0);
        }
        most = td_wf_max(most, td_wf_min(ahead[0], ahead[1]));
        most = td_wf_max(most, td_wf_min(behind[0], behind[1]));
    }
    return most;
}

// From the middle of the second feature to that of the first at the beginning, times 2 of edges, 3 of others.
TD_OP void td_way_of_middles(td_wf way[3], const td_wide_point p[4], bool edges) {
    for (int k = 0; k < 3; ++k) {
        const td_wf p0 = p[0].at[0][k], p1 = p[1].at[0][k];
        const td_wf first = edges ? td_wf_add(p0, p1) : td_wf_mul(td_wf_set1(3), p0);
        const td_wf second = td_wf_add(p[2].at[0][k], p[3].at[0][k]);
        way[k] = td_wf_sub(first, edges ? second : td_wf_add(second, p1));
    }
}

// Sums and products in one order without fused ones: the same in every instruction set.
static inline td_wf td_wide_dot(const td_wf a[3], const td_wf b[3]) {
    const td_wf sum = td_wf_add(td_wf_mul(a[0], b[0]), td_wf_mul(a[1], b[1]));
    return td_wf_add(sum, td_wf_mul(a[2], b[2]));
}

// How far the first feature is ahead of the second along a direction, times its length, at one end.
TD_OP td_wf td_ahead_along(const td_wf way[3], const td_wide_point p[4], int t, bool edges) {
    td_wf height[3];
    for (int i = 0; i < 3; ++i) {
        td_wf from[3];
        for (int k = 0; k < 3; ++k) {
            from[k] = td_wf_sub(p[i].at[t][k], p[3].at[t][k]);
        }
        height[i] = td_wide_dot(way, from);
    }
    const td_wf least = edges ? td_wf_min(height[0], height[1]) : height[0];
    const td_wf most = edges ? height[2] : td_wf_max(height[1], height[2]);
    return td_wf_sub(least, td_wf_max(most, td_wf_set1(0)));
}

// What float32 may be off by along a direction of length 1, twice and more: coordinates are within -1 and 1.
#define TD_MIDDLES_SLACK 0x1p-18f

// Lanes of features that come near each other: that are not apart along an axis, nor is the first ahead of
// the second at both ends, by more than they may be apart, along the way from middle to middle. Most that are
// left by their boxes are neighbours in the plane of a sheet, and far enough from each other in it.
TD_OP uint32_t td_near_lanes(const td_wide_point p[4], bool edges, float apart) {
    const td_wm near = td_wf_le(td_boxes_apart(p, edges), td_wf_set1(apart));
    if (td_wm_bits(near) == 0) {
        return 0; // often, where a register has few lanes
    }
    td_wf way[3];
    td_way_of_middles(way, p, edges);
    const td_wf ahead = td_wf_min(td_ahead_along(way, p, 0, edges), td_ahead_along(way, p, 1, edges));
    const float within = apart + TD_MIDDLES_SLACK;
    const td_wf most_square = td_wf_mul(td_wf_set1(within * within), td_wide_dot(way, way));
    // Not apart either if the square is no number: of a reach without bounds.
    const td_wm apart_in_plane = td_wf_lt(most_square, td_wf_mul(ahead, td_wf_abs(ahead)));
    return td_wm_bits(near) & ~td_wm_bits(apart_in_plane);
}

// ---------------------------------------------------------------------------------------------------------
// Pairs of features

// Two cells and a lane of them.
typedef struct td_cells_lane {
    const td_ends_cell *a, *b;
    td_wide_pair cells;
    uint32_t i, j;
} td_cells_lane;

TD_OP td_cells_lane td_cells_of(const td_ends_question *question, const td_cell_pairs *list, uint32_t entry) {
    const td_wide_pair cells = list->items[entry >> 4];
    return (td_cells_lane){&question->a->cells[cells.a], &question->b->cells[cells.b], cells, entry & 3,
                           entry >> 2 & 3};
}

static inline td_swept_edge td_edge_of(const td_ends_cell *cell, uint32_t edge) {
    return td_swept_edge_make(cell->edge[edge], cell->vertex[edge], cell->vertex[edge + 1]);
}

static inline td_candidate td_edges_of_lane(const td_cells_lane *of, bool self) {
    return td_candidate_of_edges(self, td_edge_of(of->a, of->i), td_edge_of(of->b, of->j));
}

static inline uint32_t td_triangle_of(const td_ends *ends, uint32_t cell) {
    return ends->quads[cell >> 2].triangle[cell & 3];
}

static inline td_candidate td_face_of_lane(const td_cells_lane *of, const td_ends_question *question) {
    if (of->i < 3) {
        const uint32_t *corner = of->b->vertex, face = td_triangle_of(question->b, of->cells.b);
        return td_candidate_of_vertex(of->a->vertex[of->i], face, corner[0], corner[1], corner[2],
                                      TD_CONTACT_VERTEX_FACE);
    }
    const uint32_t *corner = of->a->vertex, face = td_triangle_of(question->a, of->cells.a);
    return td_candidate_of_vertex(of->b->vertex[of->j], face, corner[0], corner[1], corner[2],
                                  question->swept.self ? TD_CONTACT_VERTEX_FACE : TD_CONTACT_FACE_VERTEX);
}

TD_OP void td_points_of_edges(const td_ends_point *at[4], const td_ends_question *question,
                              const td_cells_lane *of) {
    const uint32_t *a = of->a->vertex + of->i, *b = of->b->vertex + of->j;
    at[0] = &question->a->points[a[0]];
    at[1] = &question->a->points[a[1]];
    at[2] = &question->b->points[b[0]];
    at[3] = &question->b->points[b[1]];
}

TD_OP void td_points_of_face(const td_ends_point *at[4], const td_ends_question *question,
                             const td_cells_lane *of) {
    const bool turned = of->i == 3; // the face is A's
    const td_ends_point *points_a = question->a->points, *points_b = question->b->points;
    const uint32_t *corner = turned ? of->a->vertex : of->b->vertex;
    const td_ends_point *points = turned ? points_a : points_b;
    at[0] = turned ? &points_b[of->b->vertex[of->j]] : &points_a[of->a->vertex[of->i]];
    for (int k = 0; k < 3; ++k) {
        at[1 + k] = &points[corner[k]];
    }
}

// W pairs of one kind. Lanes beyond the last repeat it.
TD_OP uint32_t td_test_lanes(const td_ends_question *question, const td_cell_pairs *list,
                             const uint32_t *entries, uint32_t count, bool edges) {
    const float *at[4][TD_LANES];
    for (uint32_t lane = 0; lane < TD_LANES; ++lane) {
        const td_cells_lane of = td_cells_of(question, list, entries[lane < count ? lane : count - 1]);
        const td_ends_point *points[4];
        if (edges) {
            td_points_of_edges(points, question, &of);
        } else {
            td_points_of_face(points, question, &of);
        }
        for (int i = 0; i < 4; ++i) {
            at[i][lane] = points[i]->at[0];
        }
    }
    td_wide_point p[4];
    for (int i = 0; i < 4; ++i) {
        td_wf_columns(p[i].at, at[i]);
    }
    const uint32_t there = count < TD_LANES ? (1u << count) - 1u : UINT32_MAX;
    return td_near_lanes(p, edges, question->apart) & there;
}

TD_OP void td_test_entries(td_swept_worker *worker, const td_ends_question *question,
                           const td_cell_pairs *list, const uint32_t *entries, uint32_t count, bool edges) {
    for (uint32_t first = 0; first < count; first += TD_LANES) {
        uint32_t near = td_test_lanes(question, list, entries + first, count - first, edges);
        for (; near != 0; near &= near - 1) {
            const uint32_t entry = entries[first + (uint32_t)__builtin_ctz(near)];
            const td_cells_lane of = td_cells_of(question, list, entry);
            worker->candidates.items[worker->candidates.count++] =
                edges ? td_edges_of_lane(&of, question->swept.self) : td_face_of_lane(&of, question);
        }
        if (worker->candidates.count >= TD_CANDIDATES_AT) {
            td_decide_near(worker, question);
        }
    }
}

TD_OP void td_test_list(td_swept_worker *worker, td_feature_batch *batch, const td_ends_question *question,
                        td_cell_pairs *list, bool share) {
    uint32_t edge_count = 0, face_count = 0;
    for (uint32_t p = 0; p < list->count; ++p) {
        const td_wide_pair cells = list->items[p];
        const td_feature_lanes lanes =
            td_lanes_of_cells(&question->a->cells[cells.a], &question->b->cells[cells.b], share);
        edge_count += td_wide_lanes(batch->edges + edge_count, 16 * p, lanes.edge_edge);
        face_count += td_wide_lanes(batch->faces + face_count, 16 * p, lanes.vertex_face);
    }
    td_test_entries(worker, question, list, batch->edges, edge_count, true);
    td_test_entries(worker, question, list, batch->faces, face_count, false);
    list->count = 0;
}

// These empty a list. Each has code of its own.
static void td_test_strangers(td_swept_worker *worker, td_feature_batch *batch,
                              const td_ends_question *question) {
    td_test_list(worker, batch, question, &batch->strangers, false);
}

static void td_test_neighbours(td_swept_worker *worker, td_feature_batch *batch,
                               const td_ends_question *question) {
    td_test_list(worker, batch, question, &batch->neighbours, true);
}

// How far the boxes of two triangles of a mesh that share a vertex are beyond each other, at most: less than
// nothing by both of their margins, but for what float32 makes of these, twice and more.
static inline float td_depth_of_neighbours(float apart) {
    return 0x1p-20f - (1 - 0x1p-18f) * apart;
}

// Pairs of triangles of two quads. Only those of a mesh itself, and as deep in each other as neighbours are,
// need be asked which vertices they share.
static inline void td_collect_cells(td_swept_worker *worker, td_feature_batch *batch,
                                    const td_ends_question *question, td_pair quads, uint32_t bits,
                                    uint32_t deep) {
    const uint32_t a[4] = {4 * quads.a, 4 * quads.a + 1, 4 * quads.a + 2, 4 * quads.a + 3};
    const uint32_t b[4] = {4 * quads.b, 4 * quads.b + 1, 4 * quads.b + 2, 4 * quads.b + 3};
    td_cell_pairs *strangers = &batch->strangers, *neighbours = &batch->neighbours;
    strangers->count += td_wide_pairs(strangers->items + strangers->count, a, b, bits & ~deep);
    if (strangers->count >= TD_TRIANGLES_AT) {
        td_test_strangers(worker, batch, question);
    }
    if ((bits & deep) != 0) {
        neighbours->count += td_wide_pairs(neighbours->items + neighbours->count, a, b, bits & deep);
        if (neighbours->count >= TD_TRIANGLES_AT) {
            td_test_neighbours(worker, batch, question);
        }
    }
}

#endif
