#include "quads.h"

enum { TD_QUAD = 4 };

// The corners of one triangle relative to the centre of its quad's box, in local coordinates.
static td_triangle td_about(const td_blocked *blocked, const td_trimesh *mesh, uint32_t triangle,
                            td_vec3 center) {
    td_triangle t = td_trimesh_triangle(mesh, triangle);
    t.p0 = td_sub(td_to_local(blocked, t.p0), center);
    t.p1 = td_sub(td_to_local(blocked, t.p1), center);
    t.p2 = td_sub(td_to_local(blocked, t.p2), center);
    return t;
}

static void td_put(float out[3][4], uint32_t lane, td_vec3 v) {
    out[0][lane] = (float)v.x;
    out[1][lane] = (float)v.y;
    out[2][lane] = (float)v.z;
}

static void td_fill_lane(td_quad *quad, uint32_t lane, uint32_t triangle, td_triangle t) {
    const td_vec3 e0 = td_sub(t.p1, t.p0), e1 = td_sub(t.p2, t.p0);
    td_put(quad->origin, lane, t.p0);
    td_put(quad->edge0, lane, e0);
    td_put(quad->edge1, lane, e1);
    const double square0 = td_dot(e0, e0), square1 = td_dot(e1, e1);
    quad->scale[lane] = (float)(sqrt(square0 > square1 ? square0 : square1) * 1.000001);
    quad->triangle[lane] = triangle;
}

// The slab of a quad: across the mean normal of its triangles. Without one (no area) it is everything: 0 <=
// 0.
static void td_fill_slab(td_slabs *slabs, uint32_t lane, const td_triangle *t, uint32_t count, float size) {
    td_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        sum = td_add(sum, td_cross(td_sub(t[i].p1, t[i].p0), td_sub(t[i].p2, t[i].p0)));
    }
    const double length = sqrt(td_dot(sum, sum));
    td_put(slabs->normal, lane, length > 0 ? td_scale(sum, 1 / length) : td_vec3_make(0, 0, 0));
    const td_vec3 normal = td_vec3_make((double)slabs->normal[0][lane], (double)slabs->normal[1][lane],
                                        (double)slabs->normal[2][lane]);
    double lower = INFINITY, upper = -INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        const double heights[3] = {td_dot(normal, t[i].p0), td_dot(normal, t[i].p1), td_dot(normal, t[i].p2)};
        for (int k = 0; k < 3; ++k) {
            lower = heights[k] < lower ? heights[k] : lower;
            upper = heights[k] > upper ? heights[k] : upper;
        }
    }
    slabs->middle[lane] = (float)(0.5 * (lower + upper));
    const double middle = (double)slabs->middle[lane];
    // The float64 heights and the float32 rounding are covered by a few parts in 2^22 of the quad.
    slabs->half[lane] = (float)(fmax(upper - middle, middle - lower) + (double)size * 0x1p-22);
}

static void td_fill_quad(td_blocked *blocked, const td_block *block, uint32_t node, const td_trimesh *mesh,
                         const td_prim *prims, uint32_t count) {
    td_quad *quad = &blocked->quads[block->child[node]];
    td_quad_corners *corners = &blocked->corners[block->child[node]];
    quad->size = 0;
    for (int k = 0; k < 3; ++k) {
        quad->center[k] = block->center[k][node];
        quad->size += block->half[k][node];
    }
    const td_vec3 center =
        td_vec3_make((double)quad->center[0], (double)quad->center[1], (double)quad->center[2]);
    td_triangle t[TD_QUAD];
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        // An empty lane repeats the first triangle: harmless numbers that nobody counts.
        const bool empty = i >= count;
        t[i] = empty ? t[0] : td_about(blocked, mesh, prims[i].id, center);
        td_fill_lane(quad, i, empty ? TD_NONE : prims[i].id, t[i]);
        if (empty) {
            quad->scale[i] = -1;
        }
        for (uint32_t k = 0; k < 3; ++k) {
            corners->corner[k][i] =
                empty ? TD_NONE : td_trimesh_welded(mesh, mesh->indices[3 * (size_t)prims[i].id + k]);
        }
    }
    td_fill_slab(&blocked->slabs[block->slabs], node, t, count, quad->size);
}

void td_fill_quads(td_blocked *blocked, uint32_t index, const td_trimesh *mesh, const td_prim *prims,
                   const td_run *runs) {
    const td_block *block = &blocked->blocks[index];
    blocked->slabs[block->slabs] = (td_slabs){0}; // imaginary nodes: no slab, their boxes overlap nothing
    for (uint32_t i = 0; i < block->node_count; ++i) {
        const td_run run = runs[block->child[i]];
        td_fill_quad(blocked, block, i, mesh, prims + run.first, run.count);
    }
}
