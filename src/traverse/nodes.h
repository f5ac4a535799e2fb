// Single nodes of a blocked hierarchy, for the strategies that test one pair of boxes at a time.
#ifndef TD_TRAVERSE_NODES_H
#define TD_TRAVERSE_NODES_H

#include "../predicates/box_box.h"
#include "traversal.h"

// A node by the number of its block and its lane.
static inline uint32_t td_node(uint32_t block, uint32_t lane) {
    return 4 * block + lane;
}

static inline const td_block *td_node_block(const td_blocked *blocked, uint32_t node) {
    return &blocked->blocks[node / 4];
}

static inline td_boxf td_node_box(const td_blocked *blocked, uint32_t node) {
    const td_block *block = td_node_block(blocked, node);
    const uint32_t lane = node % 4;
    return (td_boxf){{block->center[0][lane], block->center[1][lane], block->center[2][lane]},
                     {block->half[0][lane], block->half[1][lane], block->half[2][lane]}};
}

static inline td_placef td_place_of(const td_frame *frame) {
    td_placef place = {.ratio = (float)frame->ratio, .slack = frame->slack};
    for (int k = 0; k < 9; ++k) {
        place.unit[k] = frame->unit[k];
    }
    for (int k = 0; k < 3; ++k) {
        place.shift[k] = frame->shift_f[k];
    }
    return place;
}

#endif
