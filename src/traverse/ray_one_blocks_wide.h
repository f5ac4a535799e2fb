// A ray that is alone: its next place stays in a register, and there is nobody to take turns with
// (ray_stream_wide.h). For files that are compiled once per instruction set.
#ifndef TD_TRAVERSE_RAY_ONE_BLOCKS_WIDE_H
#define TD_TRAVERSE_RAY_ONE_BLOCKS_WIDE_H

#include "ray_stream_wide.h"

// Ray 0 of the group, whose lanes are ready, through all of the hierarchy. `below` does what is beneath a
// block where the trail has become too long.
TD_OP void td_walk_one(td_ray_group *group, td_ray_mode mode, td_stream_fn *below) {
    const td_blocked *h = group->batch->hierarchy;
    const td_ray_sheet *sheet = group->sheet;
    td_ray_trail *trail = group->trails;
    td_ray_place place = td_place_of(0, 0), *top = trail->places;
    *top++ = td_place_of(0, TD_TRAIL_END);
    for (;;) {
        const uint32_t item = (uint32_t)place;
        if ((item & TD_QUAD_PLACE) == 0) {
            if (top > trail->places + TD_TRAIL) {
                td_ray_trail detour;
                if (below(group, 1, item, &detour, 0) != 0) {
                    return;
                }
            } else {
                top += td_meet_block(top, &h->blocks[item], &group->lanes[0]);
            }
        } else if (item == TD_TRAIL_END || td_visit_quad(group, 0, &h->quads[item & ~TD_QUAD_PLACE], mode)) {
            return;
        }
        do {
            place = *--top;
        } while (td_place_time(place) > sheet->t_end[0]); // the end is at 0
    }
}

#endif
