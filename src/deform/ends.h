// The hierarchy over a lap: the blocks and quads of a mesh's blocked hierarchy (bvh/blocked.h), with boxes of
// where everything is at the beginning of the lap and of where it is at its end.
//
// Vertices go along straight lines, all at the same time. So what is between two boxes that go from the one
// to the other is bounded by them at any time in between, and of two of these the one is beyond the other
// along an axis all the time if it is at both ends: a difference of what changes linearly is least at an end.
// Boxes over the whole way (bvh/swept.h) forget when something was where. That is much: a sheet that moves by
// four of its edges has neighbours of which each passes where the other was, and nothing comes near anything.
//
// based on: boxes at both ends of a motion as rays with motion blur have them: Glassner, Spacetime Ray
// Tracing for Animation, 1988; Woop et al., STBVH, 2017.
#ifndef TD_DEFORM_ENDS_H
#define TD_DEFORM_ENDS_H

#include "../bvh/blocked.h"
#include "../bvh/swept.h"

// Of four nodes or triangles, in local coordinates (td_swept_frame), at both ends. Lanes that are not there
// are apart from everything.
typedef struct td_ends_boxes {
    _Alignas(64) float lower[2][3][4];
    float upper[2][3][4];
} td_ends_boxes;

typedef struct td_ends_block {
    td_ends_boxes boxes;
    uint32_t child[4]; // block or quad
    uint32_t leaf;     // 1: the nodes are quads
    uint32_t node_count;
    uint32_t marked; // one bit per node with something in it that is marked
    uint32_t spare;
} td_ends_block;

typedef struct td_ends_quad {
    td_ends_boxes boxes;
    uint32_t triangle[4]; // TD_NONE: empty lane
    uint32_t lane_count;
    uint32_t marked; // one bit per lane
    uint32_t spare[2];
} td_ends_quad;

// A triangle of a quad, as td_swept_triangle has it. 32 bytes.
typedef struct td_ends_cell {
    uint32_t vertex[4]; // the fourth is the first again: edge k goes from vertex k to k + 1
    uint32_t edge[3];
    uint32_t owns; // and again from bit 8 (edges) and 20 (vertices) on, four bits apart: rows of a tile
} td_ends_cell;

// Where a vertex is at both ends, in local coordinates; the fourth are zero.
typedef struct td_ends_point {
    _Alignas(32) float at[2][4];
} td_ends_point;

typedef struct td_ends {
    td_ends_point *points;
    td_ends_block *blocks;
    td_ends_quad *quads;
    td_ends_cell *cells; // four per quad
    uint32_t vertex_count, block_count, quad_count, height;
    const void *linked; // the hierarchy that the links are of
} td_ends;

// Makes room for a mesh with this hierarchy, keeping what is there if it is of the same; links are made,
// boxes not. TD_ERROR_MEMORY: nothing is lost. `out` is zeroed before its first use.
td_result td_ends_reserve(td_ends *out, td_context *context, const td_features *features,
                          const td_blocked *blocked, uint32_t vertex_count);
void td_ends_release(td_ends *ends, td_context *context);

// All that td_ends_fit makes boxes from.
typedef struct td_ends_fitting {
    td_ends *ends;
    const td_path *paths;
    const uint8_t *marks; // per vertex, bit 0; null: nothing is marked
    bool marked_only;     // the others' paths and boxes are as they were
    td_swept_frame frame;
    double margin; // m, on every side
} td_ends_fitting;

// Boxes and marks: a triangle is marked if one of its vertices is, a node if something in it is. By this
// thread alone, or with the others of the context.
void td_ends_fit(const td_ends_fitting *fitting);
void td_ends_fit_together(const td_ends_fitting *fitting, td_context *context);

#endif
