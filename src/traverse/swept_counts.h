// What the kernels of a step count, and the contacts they tell. C17 and OpenCL C.
#ifndef TD_TRAVERSE_SWEPT_COUNTS_H
#define TD_TRAVERSE_SWEPT_COUNTS_H

#include "swept_lanes.h"

// Words of the buffer of counters; all are zero before a launch.
#define TD_SWEPT_NEXT       0 // pairs of blocks found
#define TD_SWEPT_TILES      1 // pairs of quads found
#define TD_SWEPT_BOXES      2 // box tests
#define TD_SWEPT_TRIANGLES  3 // pairs of triangles whose boxes meet
#define TD_SWEPT_CANDIDATES 4 // pairs of features whose boxes meet; counted beyond their room
#define TD_SWEPT_CONTACTS   5
#define TD_SWEPT_HANDED     6 // candidates left to the host
#define TD_SWEPT_COUNTS     8

// A pair of blocks or of quads.
typedef struct td_swept_place {
    td_u32 a, b;
} td_swept_place;

#ifdef TD_HAS_FLOAT64
// What the filter found to touch; see td_feature_contact.
typedef struct td_swept_contact {
    td_u32 a, b;
    td_u32 kind, certain;
    double time;
} td_swept_contact;
#endif

#endif
