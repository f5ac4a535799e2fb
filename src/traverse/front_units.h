// What entries of a front are and do while a device steps them (front_device.h). C17 and OpenCL C.
#ifndef TD_TRAVERSE_FRONT_UNITS_H
#define TD_TRAVERSE_FRONT_UNITS_H

#include "front_entry.h"

// How an entry moves.
#define TD_MOVE_STAYS    0u // it is apart
#define TD_MOVE_MEETS    1u // two quads that overlap: it stays, and its triangles are tested
#define TD_MOVE_ASCENDS  2u // the parent takes its place, and that of its sibling
#define TD_MOVE_DESCENDS 3u
#define TD_MOVE_GONE     4u // nothing takes its place

// The lanes of an entry that was tested in this step. TD_LANES_UNKNOWN, and lanes as they are: it is apart.
#define TD_UNIT_STATE 0xffff0000u
#define TD_UNIT_LANES 0x0000ffffu
#define TD_UNIT_KNOWN 0x00010000u // two quads that overlap, with the lanes that count ...
#define TD_UNIT_MEETS 0x00020000u // ... and such as have not been looked up
#define TD_UNIT_OPENS 0x00030000u // other nodes that overlap: what follows takes their place

// What kernels are told of a question.
typedef struct td_front_way {
    td_u32 pair;      // its number
    td_u32 one_frame; // as in td_test_tree
    float ratio;
} td_front_way;

#endif
