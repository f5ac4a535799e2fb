// Where two triangles cross: a segment of the curve along which two surfaces intersect.
#ifndef TD_DYNAMICS_CROSSING_H
#define TD_DYNAMICS_CROSSING_H

#include "../math/quat.h"

#include <tandem/query.h>

#include <stdbool.h>
#include <stddef.h>

// The two meshes of a pair are told apart as side 0 (a) and side 1 (b).

// One end of a segment: an edge of one mesh pierces a face of the other.
typedef struct td_pierce {
    td_vec3 point;
    double along;       // where on the edge: 0 at `low`, 1 at `high`
    uint32_t low, high; // the edge: its vertices, that stand for their positions, low < high
    uint32_t face;      // of the other mesh
    uint8_t side;       // of the edge
    bool enters;        // the edge, from low to high, enters the other mesh here; else it leaves it
} td_pierce;

// The ends are in such an order that, walking along, the part of a inside b lies to the left, seen from
// outside of a.
typedef struct td_crossing {
    td_pierce ends[2];
    double length;      // m
    uint32_t facets[2]; // numbers of the two triangles' facets
    uint32_t region;
} td_crossing;

// A triangle with what is known of it, in doubles up to `offset`. Of each coordinate: the three corners, and
// the first again.
typedef struct td_facet {
    _Alignas(32) double x[4];
    double y[4], z[4];
    double vertices[4]; // that stand for their positions; picked in lanes, as coordinates are
    td_vec3 normal;     // outward, unit; zero: no area
    double offset;      // normal . corner: the plane is normal . p = offset
    uint32_t triangle;
    uint32_t listed; // scratch of who lists facets
} td_facet;

// Where they are among the doubles of a facet.
enum {
    TD_FACET_X = offsetof(td_facet, x) / sizeof(double),
    TD_FACET_Y = offsetof(td_facet, y) / sizeof(double),
    TD_FACET_Z = offsetof(td_facet, z) / sizeof(double),
    TD_FACET_VERTICES = offsetof(td_facet, vertices) / sizeof(double),
    TD_FACET_NORMAL = offsetof(td_facet, normal) / sizeof(double),
    TD_FACET_OFFSET = offsetof(td_facet, offset) / sizeof(double)
};

static inline td_vec3 td_facet_corner(const td_facet *facet, int corner) {
    return td_vec3_make(facet->x[corner], facet->y[corner], facet->z[corner]);
}

// The segments in which triangles that intersect cross, pairs[i].a of `a` with pairs[i].b of `b`, in their
// order; returns how many there are. Left out are pairs that only touch (in a point, or along an edge from
// one side) or lie in one plane: their neighbours have the curve then. A vertex that lies in the other's
// plane counts as being outside, which keeps the choice the same for all triangles around it. `out` has room
// for as many as there are pairs. The same bits on every instruction set.
size_t td_find_crossings(td_crossing *out, td_isa isa, const td_facet *a, const td_facet *b,
                         const td_pair *pairs, size_t count);

// One per instruction set (crossing_wide.c).
typedef size_t td_find_crossings_fn(td_crossing *out, const td_facet *a, const td_facet *b,
                                    const td_pair *pairs, size_t count);

td_find_crossings_fn td_find_crossings_scalar;
#if defined(__x86_64__)
td_find_crossings_fn td_find_crossings_sse4, td_find_crossings_avx2, td_find_crossings_avx512;
#elif defined(__aarch64__)
td_find_crossings_fn td_find_crossings_neon;
#endif

#endif
