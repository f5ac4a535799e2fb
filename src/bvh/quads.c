// Four triangles at a time, each coordinate of each corner a vector of four lanes.
#include "quads.h"

#include "collapse.h"

// Two lanes, as gcc and clang know them for every processor.
typedef double td_d2 __attribute__((vector_size(16)));

typedef struct td_lanes {
    td_d2 half[2];
} td_lanes;

// A vector per lane.
typedef struct td_lanes3 {
    td_lanes x, y, z;
} td_lanes3;

static inline td_lanes td_lanes_set1(double a) {
    return (td_lanes){{{a, a}, {a, a}}};
}

static inline td_lanes td_lanes_add(td_lanes a, td_lanes b) {
    return (td_lanes){{a.half[0] + b.half[0], a.half[1] + b.half[1]}};
}

static inline td_lanes td_lanes_sub(td_lanes a, td_lanes b) {
    return (td_lanes){{a.half[0] - b.half[0], a.half[1] - b.half[1]}};
}

static inline td_lanes td_lanes_mul(td_lanes a, td_lanes b) {
    return (td_lanes){{a.half[0] * b.half[0], a.half[1] * b.half[1]}};
}

static inline td_lanes3 td_lanes3_sub(td_lanes3 a, td_lanes3 b) {
    return (td_lanes3){td_lanes_sub(a.x, b.x), td_lanes_sub(a.y, b.y), td_lanes_sub(a.z, b.z)};
}

static inline td_lanes td_lanes3_dot(td_lanes3 a, td_lanes3 b) {
    return td_lanes_add(td_lanes_add(td_lanes_mul(a.x, b.x), td_lanes_mul(a.y, b.y)), td_lanes_mul(a.z, b.z));
}

static inline td_lanes td_cross_term(td_lanes a, td_lanes b, td_lanes c, td_lanes d) {
    return td_lanes_sub(td_lanes_mul(a, b), td_lanes_mul(c, d));
}

static inline td_lanes3 td_lanes3_cross(td_lanes3 a, td_lanes3 b) {
    return (td_lanes3){td_cross_term(a.y, b.z, a.z, b.y), td_cross_term(a.z, b.x, a.x, b.z),
                       td_cross_term(a.x, b.y, a.y, b.x)};
}

static inline double td_lane(td_lanes a, uint32_t lane) {
    return a.half[lane / 2][lane % 2];
}

static inline void td_narrow(float out[4], td_lanes a) {
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        out[i] = (float)td_lane(a, i);
    }
}

static inline void td_narrow3(float out[3][4], td_lanes3 a) {
    td_narrow(out[0], a.x);
    td_narrow(out[1], a.y);
    td_narrow(out[2], a.z);
}

// Corner k of the four triangles relative to the quad's centre.
static inline td_lanes3 td_gather(const td_local_vertex *vertices, const uint32_t *const indices[4], int k,
                                  td_lanes3 center) {
    const td_local_vertex *a = &vertices[indices[0][k]], *b = &vertices[indices[1][k]];
    const td_local_vertex *c = &vertices[indices[2][k]], *d = &vertices[indices[3][k]];
    const td_lanes3 corner = {
        {{{a->x, b->x}, {c->x, d->x}}}, {{{a->y, b->y}, {c->y, d->y}}}, {{{a->z, b->z}, {c->z, d->z}}}};
    return td_lanes3_sub(corner, center);
}

// Finds the indices of the triangles. An empty lane repeats the first one: harmless numbers that nobody
// counts.
static void td_name_triangles(td_quad *quad, td_quad_corners *corners, const uint32_t *indices[4],
                              const td_quad_source *source, td_run run) {
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        const bool empty = i >= run.count;
        const uint32_t triangle = source->prims[run.first + (empty ? 0 : i)].id;
        indices[i] = source->mesh->indices + 3 * (size_t)triangle;
        quad->triangle[i] = empty ? TD_NONE : triangle;
        for (int k = 0; k < 3; ++k) {
            corners->corner[k][i] = empty ? TD_NONE : td_trimesh_welded(source->mesh, indices[i][k]);
        }
    }
}

// At least the length of either edge.
static inline void td_fill_scales(td_quad *quad, td_lanes3 edge0, td_lanes3 edge1, uint32_t count) {
    const td_lanes square0 = td_lanes3_dot(edge0, edge0), square1 = td_lanes3_dot(edge1, edge1);
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        const double a = td_lane(square0, i), b = td_lane(square1, i);
        quad->scale[i] = i < count ? (float)(sqrt(a > b ? a : b) * 1.000001) : -1;
    }
}

static inline double td_sum_lanes(td_lanes a, uint32_t count) {
    double sum = td_lane(a, 0);
    for (uint32_t i = 1; i < TD_QUAD; ++i) {
        sum += i < count ? td_lane(a, i) : 0;
    }
    return sum;
}

// Across the mean normal of the triangles; zero without one (no area), and then the slab is everything: 0 <=
// 0.
static inline void td_fill_normal(td_slabs *slabs, uint32_t lane, td_lanes3 edge0, td_lanes3 edge1,
                                  uint32_t count) {
    const td_lanes3 normals = td_lanes3_cross(edge0, edge1);
    const td_vec3 sum = td_vec3_make(td_sum_lanes(normals.x, count), td_sum_lanes(normals.y, count),
                                     td_sum_lanes(normals.z, count));
    const double length = sqrt(td_dot(sum, sum));
    const double factor = length > 0 ? 1 / length : 0;
    slabs->normal[0][lane] = (float)(sum.x * factor);
    slabs->normal[1][lane] = (float)(sum.y * factor);
    slabs->normal[2][lane] = (float)(sum.z * factor);
}

// From the heights of the corners over the plane through the centre.
static inline void td_fill_slab(td_slabs *slabs, uint32_t lane, const td_lanes3 corners[3], float size) {
    const td_lanes3 normal = {td_lanes_set1((double)slabs->normal[0][lane]),
                              td_lanes_set1((double)slabs->normal[1][lane]),
                              td_lanes_set1((double)slabs->normal[2][lane])};
    double lower = INFINITY, upper = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        const td_lanes heights = td_lanes3_dot(normal, corners[k]);
        for (uint32_t i = 0; i < TD_QUAD; ++i) {
            const double height = td_lane(heights, i);
            lower = height < lower ? height : lower;
            upper = height > upper ? height : upper;
        }
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
    const uint32_t *indices[4];
    td_name_triangles(quad, &blocked->corners[block->child[node]], indices, source, run);
    const td_lanes3 center = {td_lanes_set1((double)quad->center[0]), td_lanes_set1((double)quad->center[1]),
                              td_lanes_set1((double)quad->center[2])};
    td_lanes3 corners[3];
    for (int k = 0; k < 3; ++k) {
        corners[k] = td_gather(source->vertices, indices, k, center);
    }
    const td_lanes3 edge0 = td_lanes3_sub(corners[1], corners[0]);
    const td_lanes3 edge1 = td_lanes3_sub(corners[2], corners[0]);
    td_narrow3(quad->origin, corners[0]);
    td_narrow3(quad->edge0, edge0);
    td_narrow3(quad->edge1, edge1);
    td_fill_scales(quad, edge0, edge1, run.count);
    td_slabs *slabs = &blocked->slabs[block->slabs];
    td_fill_normal(slabs, node, edge0, edge1, run.count);
    td_fill_slab(slabs, node, corners, quad->size);
}

void td_fill_quads(td_blocked *blocked, const td_block *block, const td_quad_source *source,
                   const td_run *runs) {
    blocked->slabs[block->slabs] = (td_slabs){0}; // imaginary nodes: no slab, their boxes overlap nothing
    for (uint32_t i = 0; i < block->node_count; ++i) {
        td_fill_quad(blocked, block, i, source, runs[i]);
    }
}
