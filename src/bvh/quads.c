// Four triangles at a time, each coordinate of each corner an array of four lanes: the loops over lanes are
// what the compiler makes vectors of.
#include "quads.h"

#include "collapse.h"

typedef double td_lanes[TD_QUAD];

// The corners of a quad's triangles relative to the centre of its box, in local coordinates.
typedef struct td_corners {
    td_lanes p[3][3]; // [corner][coordinate]
} td_corners;

// The lanes of v for every coordinate, narrowed.
static inline void td_narrow(float out[3][4], td_lanes v[3]) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < TD_QUAD; ++i) {
            out[k][i] = (float)v[k][i];
        }
    }
}

static inline void td_dot_lanes(td_lanes out, td_lanes a[3], td_lanes b[3]) {
    for (int i = 0; i < TD_QUAD; ++i) {
        out[i] = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
    }
}

static inline void td_sub_lanes(td_lanes out[3], td_lanes a[3], td_lanes b[3]) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < TD_QUAD; ++i) {
            out[k][i] = a[k][i] - b[k][i];
        }
    }
}

static inline void td_cross_lanes(td_lanes out[3], td_lanes a[3], td_lanes b[3]) {
    for (int i = 0; i < TD_QUAD; ++i) {
        out[0][i] = a[1][i] * b[2][i] - a[2][i] * b[1][i];
        out[1][i] = a[2][i] * b[0][i] - a[0][i] * b[2][i];
        out[2][i] = a[0][i] * b[1][i] - a[1][i] * b[0][i];
    }
}

// Reads the triangles. An empty lane repeats the first one: harmless numbers that nobody counts, its slab
// neither.
static void td_gather(td_corners *out, td_quad *quad, td_quad_corners *corners, const td_quad_source *source,
                      const td_prim *prims, uint32_t count) {
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        const bool empty = i >= count;
        const uint32_t triangle = prims[empty ? 0 : i].id;
        const uint32_t *corner = source->mesh->indices + 3 * (size_t)triangle;
        quad->triangle[i] = empty ? TD_NONE : triangle;
        for (int k = 0; k < 3; ++k) {
            const td_local_vertex *v = &source->vertices[corner[k]];
            out->p[k][0][i] = v->x;
            out->p[k][1][i] = v->y;
            out->p[k][2][i] = v->z;
            corners->corner[k][i] = empty ? TD_NONE : td_trimesh_welded(source->mesh, corner[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            const double center = (double)quad->center[axis];
            for (int i = 0; i < TD_QUAD; ++i) {
                out->p[k][axis][i] -= center;
            }
        }
    }
}

// At least the length of either edge.
static void td_fill_scales(td_quad *quad, td_lanes edge0[3], td_lanes edge1[3], uint32_t count) {
    td_lanes square0, square1;
    td_dot_lanes(square0, edge0, edge0);
    td_dot_lanes(square1, edge1, edge1);
    for (int i = 0; i < TD_QUAD; ++i) {
        quad->scale[i] = (float)(sqrt(square0[i] > square1[i] ? square0[i] : square1[i]) * 1.000001);
    }
    for (uint32_t i = count; i < TD_QUAD; ++i) {
        quad->scale[i] = -1;
    }
}

// Across the mean normal of the triangles; zero without one (no area), and then the slab is everything: 0 <=
// 0.
static void td_fill_normal(td_slabs *slabs, uint32_t lane, td_lanes edge0[3], td_lanes edge1[3],
                           uint32_t count) {
    td_lanes normal[3];
    td_cross_lanes(normal, edge0, edge1);
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        for (int k = 0; k < 3; ++k) {
            sum[k] += i < count ? normal[k][i] : 0;
        }
    }
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    const double factor = length > 0 ? 1 / length : 0;
    for (int k = 0; k < 3; ++k) {
        slabs->normal[k][lane] = (float)(sum[k] * factor);
    }
}

// The heights of the corners over the plane through the centre.
static void td_fill_slab(td_slabs *slabs, uint32_t lane, td_corners *corners, float size) {
    td_lanes normal[3], lowest, highest;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < TD_QUAD; ++i) {
            normal[k][i] = (double)slabs->normal[k][lane];
        }
    }
    td_dot_lanes(lowest, normal, corners->p[0]);
    for (int i = 0; i < TD_QUAD; ++i) {
        highest[i] = lowest[i];
    }
    for (int c = 1; c < 3; ++c) {
        td_lanes height;
        td_dot_lanes(height, normal, corners->p[c]);
        for (int i = 0; i < TD_QUAD; ++i) {
            lowest[i] = height[i] < lowest[i] ? height[i] : lowest[i];
            highest[i] = height[i] > highest[i] ? height[i] : highest[i];
        }
    }
    double lower = lowest[0], upper = highest[0];
    for (int i = 1; i < TD_QUAD; ++i) {
        lower = lowest[i] < lower ? lowest[i] : lower;
        upper = highest[i] > upper ? highest[i] : upper;
    }
    slabs->middle[lane] = (float)(0.5 * (lower + upper));
    const double middle = (double)slabs->middle[lane];
    const double above = upper - middle, below = middle - lower;
    // The float64 heights and the float32 rounding are covered by a few parts in 2^22 of the quad.
    slabs->half[lane] = (float)((above > below ? above : below) + (double)size * 0x1p-22);
}

static void td_fill_quad(td_blocked *blocked, const td_block *block, uint32_t node,
                         const td_quad_source *source, td_run run) {
    td_quad *quad = &blocked->quads[block->child[node]];
    quad->size = 0;
    for (int k = 0; k < 3; ++k) {
        quad->center[k] = block->center[k][node];
        quad->size += block->half[k][node];
    }
    td_corners corners;
    td_gather(&corners, quad, &blocked->corners[block->child[node]], source, source->prims + run.first,
              run.count);
    td_lanes edge0[3], edge1[3];
    td_sub_lanes(edge0, corners.p[1], corners.p[0]);
    td_sub_lanes(edge1, corners.p[2], corners.p[0]);
    td_narrow(quad->origin, corners.p[0]);
    td_narrow(quad->edge0, edge0);
    td_narrow(quad->edge1, edge1);
    td_fill_scales(quad, edge0, edge1, run.count);
    td_slabs *slabs = &blocked->slabs[block->slabs];
    td_fill_normal(slabs, node, edge0, edge1, run.count);
    td_fill_slab(slabs, node, &corners, quad->size);
}

void td_fill_quads(td_blocked *blocked, const td_block *block, const td_quad_source *source,
                   const td_run *runs) {
    blocked->slabs[block->slabs] = (td_slabs){0}; // imaginary nodes: no slab, their boxes overlap nothing
    for (uint32_t i = 0; i < block->node_count; ++i) {
        td_fill_quad(blocked, block, i, source, runs[i]);
    }
}
