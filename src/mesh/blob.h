// A smooth solid, as an implicit surface: round cones (balls that grow or shrink along a segment) melted
// together, and cut off by a floor. Only + - * / and square roots, so that it is the same on every machine.
//
// based on: Wyvill, McPheeters, Wyvill, "Data structure for soft objects" (1986) for the idea of melting
// parts; Quilez, "Smooth minimum" (2013) for the quadratic blend used here.
#ifndef TD_MESH_BLOB_H
#define TD_MESH_BLOB_H

#include "../math/vec3.h"

typedef struct td_blob_part {
    td_vec3 a, b;              // the segment; its ends differ
    double radius_a, radius_b; // of the ball at its ends
    double blend;              // how far from the others it melts with them; > 0
    int mirrored;              // 1: the part's mirror image in the plane z = 0 is there, too
} td_blob_part;

typedef struct td_blob {
    const td_blob_part *parts;
    int part_count;
    double floor;       // nothing lies below this y
    double floor_blend; // how round the edge is there; > 0
} td_blob;

// Negative inside; near the surface about the distance to it. Its gradient points outward.
typedef struct td_blob_sample {
    double value;
    td_vec3 gradient;
} td_blob_sample;

td_blob_sample td_blob_evaluate(const td_blob *blob, td_vec3 p);

// Moves *p along the gradient, by Newton's method, to the surface, and returns the sample there. *p should be
// nearer to the surface than the solid is thick.
td_blob_sample td_blob_project(const td_blob *blob, td_vec3 *p);

// How thin the solid is about p: the radius of the thinnest part there. Grows with the distance from a part
// with slope 1/2 at most, so that what follows it is graded, too.
double td_blob_thickness(const td_blob *blob, td_vec3 p);

#endif
