// Continuous collision on a device: two swept hierarchies (src/bvh/swept.h) are walked together, breadth
// first, a work-item per pair of blocks; pairs of quads that are left become candidates, a work-item per pair
// of triangles. What is found is counted with one atomic operation per work-item; its order says nothing.
#include "../src/traverse/device_pair.h"
#include "../src/traverse/swept_counts.h"

#define TD_ABOVE_DIAGONAL 0x7310u
#define TD_DIAGONAL_LANES 0x8421u

static uint td_lane_meets(__global const float *lower_a, __global const float *upper_a, uint i,
                          __global const float *lower_b, __global const float *upper_b, uint j) {
    uint meet = 1;
    for (uint k = 0; k < 3; ++k) {
        meet &= lower_a[4 * k + i] <= upper_b[4 * k + j];
        meet &= lower_b[4 * k + j] <= upper_a[4 * k + i];
    }
    return meet;
}

// Lane i + 4 j: box i of one, box j of the other. Imaginary ones are NaN and meet nothing.
static uint td_lanes_that_meet(__global const td_swept_block *a, __global const td_swept_block *b) {
    uint bits = 0;
    for (uint lane = 0; lane < 16; ++lane) {
        bits |= td_lane_meets(a->lower[0], a->upper[0], lane % 4, b->lower[0], b->upper[0], lane / 4) << lane;
    }
    return bits;
}

// One side stays at a leaf block while the other is opened: of the lanes of an opened node the lowest row or
// column stands for all.
static uint td_one_lane_per_node(uint bits, uint leaf_a, uint leaf_b) {
    if (leaf_a) {
        bits |= bits >> 2;
        return (bits | bits >> 1) & 0x1111u;
    }
    if (leaf_b) {
        bits |= bits >> 8;
        return (bits | bits >> 4) & 0xfu;
    }
    return bits;
}

static void td_append_places(volatile __global uint *count, __global td_swept_place *list,
                             __global const uint *child_a, uint held_a, uint leaf_a,
                             __global const uint *child_b, uint held_b, uint leaf_b, uint bits) {
    uint at = atomic_add(count, popcount(bits));
    for (uint lane = 0; lane < 16; ++lane) {
        if (bits >> lane & 1u) {
            list[at].a = leaf_a ? held_a : child_a[lane % 4];
            list[at].b = leaf_b ? held_b : child_b[lane / 4];
            ++at;
        }
    }
}

// Visits `count` pairs of blocks from `first` on. There is room for 16 places per pair behind next_first and
// tiles_first. A mesh against itself visits a block with itself: pairs of nodes i < j, and every node with
// itself.
__kernel void td_visit_swept_blocks(__global const td_swept_block *blocks_a,
                                    __global const td_swept_block *blocks_b, uint self,
                                    __global td_swept_place *places, uint first, uint count, uint next_first,
                                    __global td_swept_place *tiles, uint tiles_first,
                                    volatile __global uint *counts) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_swept_place place = places[first + item];
    __global const td_swept_block *a = blocks_a + place.a, *b = blocks_b + place.b;
    const uint leaf_a = a->leaf, leaf_b = b->leaf;
    uint bits = td_lanes_that_meet(a, b);
    if (self && place.a == place.b) {
        bits = (bits & TD_ABOVE_DIAGONAL) | (((1u << a->node_count) - 1u) * 0x1111u & TD_DIAGONAL_LANES);
    }
    atomic_add(counts + TD_SWEPT_BOXES, a->node_count * b->node_count);
    if (bits == 0) {
        return;
    }
    if (leaf_a && leaf_b) {
        td_append_places(counts + TD_SWEPT_TILES, tiles + tiles_first, a->child, 0, 0, b->child, 0, 0, bits);
    } else {
        td_append_places(counts + TD_SWEPT_NEXT, places + next_first, a->child, place.a, leaf_a, b->child,
                         place.b, leaf_b, td_one_lane_per_node(bits, leaf_a, leaf_b));
    }
}

// ---------------------------------------------------------------------------------------------------------
// Candidates

// Boxes of a triangle's vertices, and of the triangle.
typedef struct td_corner_boxes {
    float lower[4][3], upper[4][3];
} td_corner_boxes;

static td_corner_boxes td_boxes_of(__global const td_swept_box *boxes,
                                   __global const td_swept_triangle *triangle) {
    td_corner_boxes r;
    for (uint i = 0; i < 3; ++i) {
        __global const td_swept_box *box = boxes + triangle->vertex[i];
        for (uint k = 0; k < 3; ++k) {
            r.lower[i][k] = box->lower[k];
            r.upper[i][k] = box->upper[k];
        }
    }
    for (uint k = 0; k < 3; ++k) {
        r.lower[3][k] = fmin(fmin(r.lower[0][k], r.lower[1][k]), r.lower[2][k]);
        r.upper[3][k] = fmax(fmax(r.upper[0][k], r.upper[1][k]), r.upper[2][k]);
    }
    return r;
}

static uint td_corners_meet(const td_corner_boxes *a, uint i, const td_corner_boxes *b, uint j) {
    uint meet = 1;
    for (uint k = 0; k < 3; ++k) {
        meet &= a->lower[i][k] <= b->upper[j][k];
        meet &= b->lower[j][k] <= a->upper[i][k];
    }
    return meet;
}

static uint td_edges_meet(const td_corner_boxes *a, uint i, const td_corner_boxes *b, uint j) {
    const uint i1 = i == 2 ? 0 : i + 1, j1 = j == 2 ? 0 : j + 1;
    uint meet = 1;
    for (uint k = 0; k < 3; ++k) {
        meet &= fmin(a->lower[i][k], a->lower[i1][k]) <= fmax(b->upper[j][k], b->upper[j1][k]);
        meet &= fmin(b->lower[j][k], b->lower[j1][k]) <= fmax(a->upper[i][k], a->upper[i1][k]);
    }
    return meet;
}

// Those of the lanes that are to be tested: whose boxes meet and that, of one mesh, share no vertex.
static td_feature_lanes td_lanes_to_test(td_feature_lanes lanes, uint self,
                                         __global const td_swept_triangle *a, const td_corner_boxes *boxes_a,
                                         __global const td_swept_triangle *b,
                                         const td_corner_boxes *boxes_b) {
    if (self) {
        uint equal = 0;
        for (uint j = 0; j < 3; ++j) {
            for (uint i = 0; i < 3; ++i) {
                equal |= (uint)(a->vertex[i] == b->vertex[j]) << (4 * j + i);
            }
        }
        const td_feature_lanes sharing = td_sharing_lanes(equal);
        lanes.vertex_face &= ~sharing.vertex_face;
        lanes.edge_edge &= ~sharing.edge_edge;
    }
    td_feature_lanes kept;
    kept.vertex_face = kept.edge_edge = 0;
    for (uint lane = 0; lane < 16; ++lane) {
        if (lanes.vertex_face >> lane & 1u) {
            kept.vertex_face |= td_corners_meet(boxes_a, lane % 4, boxes_b, lane / 4) << lane;
        }
        if (lanes.edge_edge >> lane & 1u) {
            kept.edge_edge |= td_edges_meet(boxes_a, lane % 4, boxes_b, lane / 4) << lane;
        }
    }
    return kept;
}

static td_swept_edge td_edge_of(__global const td_swept_triangle *triangle, uint i) {
    return td_swept_edge_make(triangle->edge[i], triangle->vertex[i], triangle->vertex[i == 2 ? 0 : i + 1]);
}

// Candidate of a lane of the first tile: a vertex with a face.
static td_candidate td_vertex_and_face(uint lane, uint self, __global const td_swept_triangle *a,
                                       uint number_a, __global const td_swept_triangle *b, uint number_b) {
    if (lane >= 12) {
        return td_candidate_of_vertex(a->vertex[lane % 4], number_b, b->vertex[0], b->vertex[1], b->vertex[2],
                                      TD_CONTACT_VERTEX_FACE);
    }
    return td_candidate_of_vertex(b->vertex[lane / 4], number_a, a->vertex[0], a->vertex[1], a->vertex[2],
                                  self ? TD_CONTACT_VERTEX_FACE : TD_CONTACT_FACE_VERTEX);
}

// The two meshes of a step.
typedef struct td_swept_meshes {
    __global const td_swept_triangle *triangles_a, *triangles_b;
    __global const td_swept_box *boxes_a, *boxes_b;
    uint self; // b is a
} td_swept_meshes;

static td_swept_meshes td_meshes_of(__global const td_swept_triangle *triangles_a,
                                    __global const td_swept_box *boxes_a,
                                    __global const td_swept_triangle *triangles_b,
                                    __global const td_swept_box *boxes_b, uint self) {
    td_swept_meshes meshes;
    meshes.triangles_a = triangles_a;
    meshes.triangles_b = triangles_b;
    meshes.boxes_a = boxes_a;
    meshes.boxes_b = boxes_b;
    meshes.self = self;
    return meshes;
}

// Two triangles whose boxes meet. Candidates are counted beyond their room: then fewer pairs are to be
// visited at once.
static void td_add_candidates(const td_swept_meshes *meshes, uint number_a, uint number_b,
                              __global td_candidate *candidates, uint room, volatile __global uint *counts) {
    atomic_inc(counts + TD_SWEPT_TRIANGLES);
    const uint self = meshes->self;
    __global const td_swept_triangle *a = meshes->triangles_a + number_a, *b = meshes->triangles_b + number_b;
    td_feature_lanes lanes = td_owned_lanes(a->owns, b->owns);
    if ((lanes.vertex_face | lanes.edge_edge) == 0) {
        return;
    }
    const td_corner_boxes own_a = td_boxes_of(meshes->boxes_a, a), own_b = td_boxes_of(meshes->boxes_b, b);
    lanes = td_lanes_to_test(lanes, self, a, &own_a, b, &own_b);
    const uint found = popcount(lanes.vertex_face) + popcount(lanes.edge_edge);
    if (found == 0) {
        return;
    }
    uint at = atomic_add(counts + TD_SWEPT_CANDIDATES, found);
    if (at > room || found > room - at) {
        return;
    }
    for (uint k = 0; k < 16; ++k) {
        if (lanes.edge_edge >> k & 1u) {
            candidates[at++] = td_candidate_of_edges(self, td_edge_of(a, k % 4), td_edge_of(b, k / 4));
        }
        if (lanes.vertex_face >> k & 1u) {
            candidates[at++] = td_vertex_and_face(k, self, a, number_a, b, number_b);
        }
    }
}

// Tile `number` of a list whose items have two words, or more in front of them.
static td_swept_place td_tile_at(__global const uint *tiles, uint words, uint number) {
    __global const uint *end = tiles + (size_t)words * number + words;
    td_swept_place tile;
    tile.a = end[-2];
    tile.b = end[-1];
    return tile;
}

// `count` pairs of quads from `first` on, 16 work-items each.
__kernel void
td_visit_swept_tiles(__global const td_swept_quad *quads_a, __global const td_swept_triangle *triangles_a,
                     __global const td_swept_box *boxes_a, __global const td_swept_quad *quads_b,
                     __global const td_swept_triangle *triangles_b, __global const td_swept_box *boxes_b,
                     uint self, __global const uint *tiles, uint words, uint first, uint count,
                     __global td_candidate *candidates, uint room, volatile __global uint *counts) {
    const uint item = get_global_id(0), lane = item % 16;
    if (item / 16 >= count) {
        return;
    }
    const td_swept_place tile = td_tile_at(tiles, words, first + item / 16);
    __global const td_swept_quad *quad_a = quads_a + tile.a, *quad_b = quads_b + tile.b;
    if ((self && tile.a == tile.b && !(TD_ABOVE_DIAGONAL >> lane & 1u)) ||
        !td_lane_meets(quad_a->lower[0], quad_a->upper[0], lane % 4, quad_b->lower[0], quad_b->upper[0],
                       lane / 4)) {
        return;
    }
    const td_swept_meshes meshes = td_meshes_of(triangles_a, boxes_a, triangles_b, boxes_b, self);
    td_add_candidates(&meshes, quad_a->triangle[lane % 4], quad_b->triangle[lane / 4], candidates, room,
                      counts);
}

// `count` pairs of leaves of binary trees from `first` on, whose boxes meet, a work-item each
// (kernels/walk.cl and kernels/balanced.cl find them).
__kernel void
td_visit_swept_leaves(__global const td_swept_quad *quads_a, __global const td_swept_triangle *triangles_a,
                      __global const td_swept_box *boxes_a, __global const td_swept_quad *quads_b,
                      __global const td_swept_triangle *triangles_b, __global const td_swept_box *boxes_b,
                      uint self, __global const uint *leaves, uint words, uint first, uint count,
                      __global td_candidate *candidates, uint room, volatile __global uint *counts) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_swept_place place = td_tile_at(leaves, words, first + item);
    const td_swept_meshes meshes = td_meshes_of(triangles_a, boxes_a, triangles_b, boxes_b, self);
    td_add_candidates(&meshes, quads_a[place.a / 4].triangle[place.a % 4],
                      quads_b[place.b / 4].triangle[place.b % 4], candidates, room, counts);
}
