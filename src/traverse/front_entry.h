// An entry of a front (front.h). C17 and OpenCL C.
#ifndef TD_TRAVERSE_FRONT_ENTRY_H
#define TD_TRAVERSE_FRONT_ENTRY_H

#include "../math/shared.h"

// A pair of nodes. Of two leaves also the lanes of their tile that count, once they have been looked up.
typedef struct td_front_entry {
    td_u32 a, b, lanes;
} td_front_entry;

#define TD_LANES_UNKNOWN 0xffffffffu

#endif
