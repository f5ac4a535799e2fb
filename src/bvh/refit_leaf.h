// Leaf blocks from the corners of their triangles: a part is a quad, a lane of it a triangle (f4s.h). C17 and
// OpenCL C with float64: the bits are the same everywhere.
//
// Positions become float32 in one place: corners relative to the centre of their quad, and edges, are
// differences in float64 of the positions as they are, so that the filters' bounds hold (blocked_node.h).
// Whatever else a quad has is computed in float32 from these.
//
// Blocks, and quads, are about as often full as not, which no processor foresees. So triangles that are not
// there are a point of their quad, and quads that are not there repeat the first one as far as a register has
// room for them: nothing branches on it.
#ifndef TD_BVH_REFIT_LEAF_H
#define TD_BVH_REFIT_LEAF_H

#include "../math/f4s.h"
#include "corners.h"
#include "refit_node.h"

// What some quads of a leaf block are made of.
typedef struct td_leaf {
    td_d4s at[3][3]; // corner, axis: as the mesh has them
    td_f4s triangle; // the bits of td_quad.triangle
} td_leaf;

// Their rows, as td_quad has them.
typedef struct td_quad_rows {
    td_f4s origin[3], edge0[3], edge1[3];
    td_f4s scale, triangle;
    td_f4s place; // center and size
} td_quad_rows;

// What is known of all quads before their boxes are.
typedef struct td_leaf_sums {
    td_f4s lower[3][TD_PART_GROUPS], upper[3][TD_PART_GROUPS];
    td_f4s normal[3][TD_PART_GROUPS]; // of length twice the area, per triangle
} td_leaf_sums;

// ---------------------------------------------------------------------------------------------------------
// Before the boxes are known

TD_OP void td_to_local_leaf(td_leaf *leaf, const td_local_frame *frame) {
    for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            td_d4s *x = &leaf->at[k][axis];
            *x = td_d4s_mul(td_d4s_sub(*x, td_d4s_set1(frame->origin[axis])), td_d4s_set1(frame->scale[0]));
            if (frame->scale[1] != 1) { // rare: meshes of huge or tiny extent
                *x = td_d4s_mul(*x, td_d4s_set1(frame->scale[1]));
            }
        }
    }
}

TD_OP void td_fill_edges(td_quad_rows *rows, const td_leaf *leaf) {
    for (int axis = 0; axis < 3; ++axis) {
        const td_d4s a = leaf->at[0][axis], b = leaf->at[1][axis], c = leaf->at[2][axis];
        rows->edge0[axis] = td_d4s_narrow(td_d4s_sub(b, a));
        rows->edge1[axis] = td_d4s_narrow(td_d4s_sub(c, a));
    }
}

// Rounding to float32 keeps the order, so it may come before the comparisons.
TD_OP void td_sum_up_quads(td_leaf_sums *sums, int group, const td_quad_rows *rows, const td_leaf *leaf) {
    for (int axis = 0; axis < 3; ++axis) {
        const int y = (axis + 1) % 3, z = (axis + 2) % 3;
        const td_f4s a = td_d4s_narrow(leaf->at[0][axis]), b = td_d4s_narrow(leaf->at[1][axis]),
                     c = td_d4s_narrow(leaf->at[2][axis]);
        sums->lower[axis][group] = td_f4s_min(a, td_f4s_min(b, c));
        sums->upper[axis][group] = td_f4s_max(a, td_f4s_max(b, c));
        sums->normal[axis][group] = td_f4s_sub(td_f4s_mul(rows->edge0[y], rows->edge1[z]),
                                               td_f4s_mul(rows->edge0[z], rows->edge1[y]));
    }
}

TD_OP void td_complete_sums(td_leaf_sums *sums, int groups) {
    for (int axis = 0; axis < 3; ++axis) {
        td_f4s_complete(sums->lower[axis], groups);
        td_f4s_complete(sums->upper[axis], groups);
        td_f4s_complete(sums->normal[axis], groups);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Boxes and normals

TD_OP td_box_lanes td_box_quads(const td_leaf_sums *sums) {
    td_box_lanes boxes;
    for (int axis = 0; axis < 3; ++axis) {
        const td_f4 least = td_f4s_least(sums->lower[axis]), greatest = td_f4s_greatest(sums->upper[axis]);
        boxes.lower[axis] = td_f4_sub(least, td_slack(least));
        boxes.upper[axis] = td_f4_add(greatest, td_slack(greatest));
    }
    return boxes;
}

// The mean normals of the triangles; zero without one (no area), and then the slab is everything: 0 <= 0. Any
// direction is a right one for a slab, so it does not matter how well float32 knows it.
TD_OP void td_find_normals(td_f4 normal[3], const td_leaf_sums *sums) {
    td_d4 sum[3], square[3];
    for (int axis = 0; axis < 3; ++axis) {
        sum[axis] = td_d4_widen(td_f4s_sum(sums->normal[axis]));
        square[axis] = td_d4_mul(sum[axis], sum[axis]);
    }
    const td_d4 factor = td_d4_inverse(td_d4_sqrt(td_d4_add(td_d4_add(square[0], square[1]), square[2])));
    for (int axis = 0; axis < 3; ++axis) {
        normal[axis] = td_d4_narrow(td_d4_mul(sum[axis], factor));
    }
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

TD_OP td_f4s td_dot4s(const td_f4s a[3], const td_f4s b[3]) {
    return td_f4s_add(td_f4s_add(td_f4s_mul(a[0], b[0]), td_f4s_mul(a[1], b[1])), td_f4s_mul(a[2], b[2]));
}

TD_OP void td_fill_origins(td_quad_rows *rows, int group, const td_leaf *leaf, const td_f4 center[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        rows->origin[axis] = td_d4s_narrow(td_d4s_sub(leaf->at[0][axis], td_d4s_spread(center[axis], group)));
    }
}

// At least the length of the longer edge. With u = 2^-24 the squares are off by 3 u, so lengths by 1.5 u;
// edges by u, and the result by u: 4 u, and 16 are added. Squares that underflow, or whose terms a device
// flushes, lose less than 2^-122.
TD_OP void td_fill_scale(td_quad_rows *rows, const td_leaf *leaf) {
    const td_f4s square = td_f4s_max(td_dot4s(rows->edge0, rows->edge0), td_dot4s(rows->edge1, rows->edge1));
    const td_d4s length = td_d4s_sqrt(td_d4s_add(td_d4s_widen(square), td_d4s_set1(0x1p-120)));
    const td_f4s scale = td_d4s_narrow(td_d4s_mul(length, td_d4s_set1(1.000001)));
    rows->triangle = leaf->triangle;
    rows->scale = td_f4s_mark(scale, leaf->triangle, td_f4s_set1(-1));
}

// ---------------------------------------------------------------------------------------------------------
// Slabs

// The least and the greatest height of a corner over the plane through the centre.
typedef struct td_heights {
    td_f4s low[TD_PART_GROUPS], high[TD_PART_GROUPS];
} td_heights;

TD_OP void td_find_heights(td_heights *heights, int group, const td_quad_rows *rows, const td_f4 normal[3]) {
    const td_f4s n[3] = {td_f4s_spread(normal[0], group), td_f4s_spread(normal[1], group),
                         td_f4s_spread(normal[2], group)};
    const td_f4s a = td_dot4s(n, rows->origin);
    const td_f4s b = td_f4s_add(a, td_dot4s(n, rows->edge0)), c = td_f4s_add(a, td_dot4s(n, rows->edge1));
    heights->low[group] = td_f4s_min(a, td_f4s_min(b, c));
    heights->high[group] = td_f4s_max(a, td_f4s_max(b, c));
}

TD_OP void td_complete_heights(td_heights *heights, int groups) {
    td_f4s_complete(heights->low, groups);
    td_f4s_complete(heights->high, groups);
}

// Everything is at most `sizes`, but for edges, which are at most twice that, along |n|_max <= 1 + 2 u, with
// u = 2^-24. In units of u sizes: the height of the origin is off by 1 (its rounding), 1 (products) and 2
// (sums), that of an edge likewise by 8, their sum by 1: 13. The middle is what it is; the reach from there
// is off by 1, and half by 1: 15 in all, and 24 are added.
TD_OP void td_fill_slabs(td_slabs *slabs, const td_heights *heights, const td_f4 normal[3], td_f4 sizes) {
    const td_f4 low = td_f4s_least(heights->low), high = td_f4s_greatest(heights->high);
    const td_f4 middle = td_f4_mul(td_f4_set1(0.5f), td_f4_add(low, high));
    const td_f4 reach = td_f4_max(td_f4_sub(high, middle), td_f4_sub(middle, low));
    for (int axis = 0; axis < 3; ++axis) {
        td_f4_store(slabs->normal[axis], normal[axis]);
    }
    td_f4_store(slabs->middle, middle);
    td_f4_store(slabs->half, td_f4_add(reach, td_f4_mul(sizes, td_f4_set1(0x18p-24f))));
}

// ---------------------------------------------------------------------------------------------------------

// Writes those of the quads that are among the first `count`, each three lines of four rows.
TD_OP void td_write_quads(TD_GLOBAL td_quad *quads, td_u32 count, const td_quad_rows *rows, bool stream) {
    const td_f4s line[3][4] = {{rows->origin[0], rows->origin[1], rows->origin[2], rows->edge0[0]},
                               {rows->edge0[1], rows->edge0[2], rows->edge1[0], rows->edge1[1]},
                               {rows->edge1[2], rows->scale, rows->triangle, rows->place}};
    for (int i = 0; i < 3; ++i) {
        td_f4s_write((TD_GLOBAL char *)quads + 64 * i, sizeof *quads, line[i], count, stream);
    }
}

// Everything of a leaf block of `count` nodes, once the corners of its quads are in `leaf`. `quads` are those
// of the block: they stand in a row. `stream`: they are written past the caches. Returns half the surface
// areas of the nodes.
TD_OP td_f4 td_refit_gathered(td_block *block, td_block_bounds *bounds, td_slabs *slabs,
                              TD_GLOBAL td_quad *quads, td_leaf leaf[TD_PART_GROUPS], td_u32 count,
                              const td_local_frame *frame, bool stream) {
    const int groups = td_part_groups(count);
    td_quad_rows rows[TD_PART_GROUPS];
    td_leaf_sums sums;
    for (int g = 0; g < groups; ++g) {
        td_to_local_leaf(&leaf[g], frame);
        td_fill_edges(&rows[g], &leaf[g]);
        td_sum_up_quads(&sums, g, &rows[g], &leaf[g]);
    }
    td_complete_sums(&sums, groups);
    td_f4 normal[3]; // first: roots and quotients take long, and boxes need not wait for them
    td_find_normals(normal, &sums);
    const td_box_lanes boxes = td_box_quads(&sums);
    const td_centered_lanes centered = td_center_boxes(&boxes);
    const td_f4 *center = centered.center, *half = centered.half;
    const td_f4 sizes = td_f4_add(td_f4_add(half[0], half[1]), half[2]);
    const td_f4 columns[4] = {center[0], center[1], center[2], sizes};
    td_f4 places[4];
    td_f4_transposed(places, columns);
    td_heights heights;
    for (int g = 0; g < groups; ++g) {
        const int first = g * TD_PARTS;
        td_fill_origins(&rows[g], g, &leaf[g], center);
        td_find_heights(&heights, g, &rows[g], normal);
        td_fill_scale(&rows[g], &leaf[g]);
        rows[g].place = td_f4s_join(places + first);
        td_write_quads(quads + first, count - (td_u32)first, &rows[g], stream);
    }
    td_complete_heights(&heights, groups);
    td_fill_slabs(slabs, &heights, normal, sizes);
    td_set_bounds(bounds, &boxes);
    return td_set_boxes(block, &centered);
}

#endif
