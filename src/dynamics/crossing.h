// Where two triangles cross: a segment of the curve along which two surfaces intersect.
#ifndef TD_DYNAMICS_CROSSING_H
#define TD_DYNAMICS_CROSSING_H

#include "../math/quat.h"

#include <stdbool.h>

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

// Four numbers at once; how many the processor does at once changes no bits.
typedef double td_lanes4 __attribute__((vector_size(32)));

// A triangle with what is known of it. Of each coordinate: the three corners, and the first again.
typedef struct td_facet {
    td_lanes4 x, y, z;
    td_vec3 normal;       // outward, unit; zero: no area
    double offset;        // normal . corner: the plane is normal . p = offset
    uint32_t vertices[3]; // that stand for their positions
    uint32_t triangle;
    uint32_t listed; // scratch of who lists facets
} td_facet;

static inline td_vec3 td_facet_corner(const td_facet *facet, int corner) {
    return td_vec3_make(facet->x[corner], facet->y[corner], facet->z[corner]);
}

// The segment in which two triangles that intersect cross. False if they only touch (in a point, or along an
// edge from one side) or lie in one plane: their neighbours have the curve then. A vertex that lies in the
// other's plane counts as being outside, which keeps the choice the same for all triangles around it.
bool td_find_crossing(td_crossing *out, const td_facet *a, const td_facet *b);

#endif
