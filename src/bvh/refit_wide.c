// Leaf blocks from positions, sixteen triangles at a time: gathered by the four of a quad, then what each
// quad has once (box, normal, slab) by the four quads of the block.
//
// Everything that ends in float32 is computed in float64 from the positions as they are, so that the filters'
// bounds hold (blocked_node.h).
#include "corners_wide.h"
#include "refit_node.h"

enum { TD_AHEAD = 2 }; // blocks between asking for memory and using it

typedef struct td_leaf {
    td_corners quads[4];
    td_box_lanes boxes;
    td_d4 normal[3][4]; // axis, quad: of length twice the area, per triangle
    td_d4 low[4], high[4];
} td_leaf;

// ---------------------------------------------------------------------------------------------------------
// Gathering

// Vertices of an empty lane: its triangle shrinks to a point of the quad, which changes neither box nor
// normal.
static void td_fill_empty_lanes(td_quad_corners *out, const td_quad_corners *vertices) {
    *out = *vertices;
    for (int k = 0; k < 3; ++k) {
        for (int lane = 1; lane < 4; ++lane) {
            out->corner[k][lane] =
                vertices->corner[k][lane] == TD_NONE ? vertices->corner[0][0] : vertices->corner[k][lane];
        }
    }
}

TD_OP void td_gather_quad(td_corners *out, const td_quad_corners *vertices, const td_refit_source *source) {
    td_quad_corners filled;
    if (vertices->corner[0][3] == TD_NONE) {
        td_fill_empty_lanes(&filled, vertices);
        vertices = &filled;
    }
    td_gather_corners(out, vertices, source);
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

// Rounding to float32 keeps the order, so it may come before the comparisons, and so does the slack.
TD_OP void td_box_quads(td_leaf *leaf, uint32_t count) {
    for (int axis = 0; axis < 3; ++axis) {
        td_f4 lower[4], upper[4];
        for (uint32_t q = 0; q < 4; ++q) {
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
TD_OP void td_fill_triangles(td_quad *quad, td_leaf *leaf, uint32_t q, const td_block *block) {
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
TD_OP void td_find_heights(td_leaf *leaf, uint32_t q, const td_slabs *slabs) {
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

TD_OP td_f4 td_refit_quads(td_blocked *blocked, const td_refit_source *source, uint32_t index,
                           uint32_t count) {
    td_block *block = &blocked->blocks[index];
    td_slabs *slabs = &blocked->slabs[block->slabs];
    const uint32_t first = block->child[0]; // quads of a block stand in a row
    td_leaf leaf;
    for (uint32_t q = 0; q < count; ++q) {
        td_gather_quad(&leaf.quads[q], &blocked->plan.vertices[first + q], source);
    }
    td_box_quads(&leaf, count);
    td_set_bounds(&blocked->plan.bounds[index], &leaf.boxes);
    td_f4 half[3];
    const td_f4 areas = td_set_boxes(block, half, &leaf.boxes);
    const td_f4 sizes = td_f4_add(td_f4_add(half[0], half[1]), half[2]);
    _Alignas(16) float size[4];
    td_f4_store(size, sizes);
    for (uint32_t q = 0; q < count; ++q) {
        td_quad *quad = &blocked->quads[first + q];
        quad->size = size[q];
        td_fill_triangles(quad, &leaf, q, block);
    }
    for (uint32_t q = count; q < 4; ++q) { // imaginary nodes: no slab, their boxes overlap nothing
        leaf.normal[0][q] = leaf.normal[1][q] = leaf.normal[2][q] = td_d4_set1(0);
        leaf.low[q] = leaf.high[q] = td_d4_set1(0);
    }
    td_fill_normals(slabs, &leaf);
    for (uint32_t q = 0; q < count; ++q) {
        td_find_heights(&leaf, q, slabs);
    }
    td_fill_slabs(slabs, &leaf, sizes);
    return areas;
}

// Full blocks have code of their own, without loops of unknown length.
TD_OP td_f4 td_refit_leaf(td_blocked *blocked, const td_refit_source *source, uint32_t index) {
    const uint32_t count = blocked->blocks[index].node_count;
    return count == 4 ? td_refit_quads(blocked, source, index, 4)
                      : td_refit_quads(blocked, source, index, count);
}

// Asks for what the leaf block will read and write. Positions lie anywhere, and there is little to do between
// asking and waiting for them.
TD_OP void td_ask_for_leaf(const td_blocked *blocked, const td_refit_source *source, uint32_t index) {
    const td_block *block = &blocked->blocks[index];
    if (!block->leaf) {
        return;
    }
    for (uint32_t q = block->child[0]; q < block->child[0] + block->node_count; ++q) {
        const uint32_t *vertices = blocked->plan.vertices[q].corner[0];
        for (int i = 0; i < 12; ++i) { // that of an empty lane is nowhere, which is no error
            __builtin_prefetch(source->positions + vertices[i] * source->stride, 0);
        }
        const char *quad = (const char *)&blocked->quads[q];
        __builtin_prefetch(quad, 1);
        __builtin_prefetch(quad + 64, 1);
        __builtin_prefetch(quad + 128, 1);
    }
}

double TD_WIDE(td_refit_blocks)(td_blocked *blocked, const td_refit_source *source, uint32_t first,
                                uint32_t end) {
    td_d4 areas = td_d4_set1(0);
    for (uint32_t index = end; index-- > first;) {
        td_block *block = &blocked->blocks[index];
        if (index > first + TD_AHEAD) {
            td_ask_for_leaf(blocked, source, index - TD_AHEAD);
        }
        const td_f4 area = block->leaf
                               ? td_refit_leaf(blocked, source, index)
                               : td_refit_inner(block, &blocked->plan.bounds[index], blocked->plan.bounds);
        areas = td_d4_add(areas, td_d4_widen(area));
    }
    return td_d4_sum(areas);
}
