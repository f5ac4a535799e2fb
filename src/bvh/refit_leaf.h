// Leaf blocks from the corners of their triangles, sixteen at a time: what each quad has once (box, normal,
// slab) by the four quads of the block. C17 and OpenCL C with float64: the bits are the same everywhere.
//
// Everything that ends in float32 is computed in float64 from the positions as they are, so that the filters'
// bounds hold (blocked_node.h).
#ifndef TD_BVH_REFIT_LEAF_H
#define TD_BVH_REFIT_LEAF_H

#include "corners.h"
#include "refit_node.h"

typedef struct td_leaf {
    td_corners quads[4];
    td_box_lanes boxes;
    td_d4 normal[3][4]; // axis, quad: of length twice the area, per triangle
    td_d4 low[4], high[4];
} td_leaf;

// ---------------------------------------------------------------------------------------------------------
// Boxes

// Rounding to float32 keeps the order, so it may come before the comparisons, and so does the slack.
TD_OP void td_box_quads(td_leaf *leaf, td_u32 count) {
    for (int axis = 0; axis < 3; ++axis) {
        td_f4 lower[4], upper[4];
        for (td_u32 q = 0; q < 4; ++q) {
            const td_corners *quad = &leaf->quads[q < count ? q : 0];
            const td_f4 a = td_d4_narrow(quad->at[0][axis]), b = td_d4_narrow(quad->at[1][axis]),
                        c = td_d4_narrow(quad->at[2][axis]);
            lower[q] = td_f4_min(a, td_f4_min(b, c));
            upper[q] = td_f4_max(a, td_f4_max(b, c));
        }
        const td_f4 least = td_f4_least(lower), greatest = td_f4_greatest(upper);
        leaf->boxes.lower[axis] = td_f4_sub(least, td_slack(least));
        leaf->boxes.upper[axis] = td_f4_add(greatest, td_slack(greatest));
    }
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

TD_OP td_d4 td_dot4(const td_d4 a[3], const td_d4 b[3]) {
    return td_d4_add(td_d4_add(td_d4_mul(a[0], b[0]), td_d4_mul(a[1], b[1])), td_d4_mul(a[2], b[2]));
}

// Corners become relative to the quad's centre.
TD_OP void td_fill_triangles(td_quad *quad, td_leaf *leaf, td_u32 q, const td_block *block) {
    td_corners *corners = &leaf->quads[q];
    td_d4 edge0[3], edge1[3];
    for (int axis = 0; axis < 3; ++axis) {
        quad->center[axis] = block->center[axis][q];
        const td_d4 center = td_d4_set1((double)quad->center[axis]);
        for (int k = 0; k < 3; ++k) {
            corners->at[k][axis] = td_d4_sub(corners->at[k][axis], center);
        }
        edge0[axis] = td_d4_sub(corners->at[1][axis], corners->at[0][axis]);
        edge1[axis] = td_d4_sub(corners->at[2][axis], corners->at[0][axis]);
        td_f4_store(quad->origin[axis], td_d4_narrow(corners->at[0][axis]));
        td_f4_store(quad->edge0[axis], td_d4_narrow(edge0[axis]));
        td_f4_store(quad->edge1[axis], td_d4_narrow(edge1[axis]));
    }
    const td_d4 square = td_d4_max(td_dot4(edge0, edge0), td_dot4(edge1, edge1));
    td_f4_store(quad->scale, td_d4_narrow(td_d4_mul(td_d4_sqrt(square), td_d4_set1(1.000001))));
    for (int axis = 0; axis < 3; ++axis) {
        const int y = (axis + 1) % 3, z = (axis + 2) % 3;
        leaf->normal[axis][q] = td_d4_sub(td_d4_mul(edge0[y], edge1[z]), td_d4_mul(edge0[z], edge1[y]));
    }
    if (quad->triangle[3] == TD_NONE) {
        for (int lane = 1; lane < 4; ++lane) {
            quad->scale[lane] = quad->triangle[lane] == TD_NONE ? -1 : quad->scale[lane];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Slabs

// Across the mean normal of the triangles; zero without one (no area), and then the slab is everything:
// 0 <= 0.
TD_OP void td_fill_normals(td_slabs *slabs, td_leaf *leaf) {
    td_d4 sum[3];
    for (int axis = 0; axis < 3; ++axis) {
        td_d4 *n = leaf->normal[axis];
        td_d4_transpose(n);
        sum[axis] = td_d4_add(td_d4_add(td_d4_add(n[0], n[1]), n[2]), n[3]);
    }
    const td_d4 factor = td_d4_inverse(td_d4_sqrt(td_dot4(sum, sum)));
    for (int axis = 0; axis < 3; ++axis) {
        td_f4_store(slabs->normal[axis], td_d4_narrow(td_d4_mul(sum[axis], factor)));
    }
}

// The heights of the corners over the plane through the centre.
TD_OP void td_find_heights(td_leaf *leaf, td_u32 q, const td_slabs *slabs) {
    const td_d4 normal[3] = {td_d4_set1((double)slabs->normal[0][q]), td_d4_set1((double)slabs->normal[1][q]),
                             td_d4_set1((double)slabs->normal[2][q])};
    const td_corners *corners = &leaf->quads[q];
    const td_d4 a = td_dot4(normal, corners->at[0]), b = td_dot4(normal, corners->at[1]),
                c = td_dot4(normal, corners->at[2]);
    leaf->low[q] = td_d4_min(a, td_d4_min(b, c));
    leaf->high[q] = td_d4_max(a, td_d4_max(b, c));
}

TD_OP void td_fill_slabs(td_slabs *slabs, td_leaf *leaf, td_f4 sizes) {
    td_d4_transpose(leaf->low);
    td_d4_transpose(leaf->high);
    const td_d4 *l = leaf->low, *h = leaf->high;
    const td_d4 lower = td_d4_min(td_d4_min(l[0], l[1]), td_d4_min(l[2], l[3]));
    const td_d4 upper = td_d4_max(td_d4_max(h[0], h[1]), td_d4_max(h[2], h[3]));
    const td_f4 middle = td_d4_narrow(td_d4_mul(td_d4_set1(0.5), td_d4_add(lower, upper)));
    const td_d4 exact = td_d4_widen(middle);
    const td_d4 reach = td_d4_max(td_d4_sub(upper, exact), td_d4_sub(exact, lower));
    // The float64 heights and the float32 rounding are covered by a few parts in 2^22 of the quad.
    const td_d4 slack = td_d4_mul(td_d4_widen(sizes), td_d4_set1(0x1p-22));
    td_f4_store(slabs->middle, middle);
    td_f4_store(slabs->half, td_d4_narrow(td_d4_add(reach, slack)));
}

// ---------------------------------------------------------------------------------------------------------

// Everything of a leaf block of `count` nodes, once the corners of its quads are in `leaf`. `quads` are those
// of the block: they stand in a row. Returns half the surface areas of the nodes.
TD_OP td_f4 td_refit_gathered(td_block *block, td_block_bounds *bounds, td_slabs *slabs, td_quad *quads,
                              td_leaf *leaf, td_u32 count) {
    td_box_quads(leaf, count);
    td_set_bounds(bounds, &leaf->boxes);
    td_f4 half[3];
    const td_f4 areas = td_set_boxes(block, half, &leaf->boxes);
    const td_f4 sizes = td_f4_add(td_f4_add(half[0], half[1]), half[2]);
    TD_ALIGN16 float size[4];
    td_f4_store(size, sizes);
    for (td_u32 q = 0; q < count; ++q) {
        quads[q].size = size[q];
        td_fill_triangles(&quads[q], leaf, q, block);
    }
    for (td_u32 q = count; q < 4; ++q) { // imaginary nodes: no slab, their boxes overlap nothing
        leaf->normal[0][q] = leaf->normal[1][q] = leaf->normal[2][q] = td_d4_set1(0);
        leaf->low[q] = leaf->high[q] = td_d4_set1(0);
    }
    td_fill_normals(slabs, leaf);
    for (td_u32 q = 0; q < count; ++q) {
        td_find_heights(leaf, q, slabs);
    }
    td_fill_slabs(slabs, leaf, sizes);
    return areas;
}

#endif
