// What is refused before anything moves.
#include "planar.h"

#include <math.h>

static td_result td_check_choice(const td_planar_def *def, uint32_t count) {
    if (def->device != NULL &&
        (def->stepping != TD_PLANAR_FIRST_COLLISION || def->broad != TD_PLANAR_ALL_PAIRS)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "a device does the stepping 'first' on all pairs only: the ordered "
                       "stepping and the grid are native");
    }
    if (def->stepping == TD_PLANAR_FIRST_COLLISION && def->broad == TD_PLANAR_ALL_PAIRS &&
        count > TD_PLANAR_ALL_PAIRS_MOST) {
        return td_fail(
            TD_ERROR_ARGUMENT,
            "object %d of %u does not fit: all pairs of more than %d objects are not kept; the grid takes "
            "%d",
            TD_PLANAR_ALL_PAIRS_MOST, count, TD_PLANAR_ALL_PAIRS_MOST, TD_PLANAR_BODIES_MOST);
    }
    return TD_OK;
}

td_result td_check_planar_def(const td_planar_def *def, uint32_t count) {
    for (int k = 0; k < 2; ++k) {
        if (!(def->room[k] > 0) || !(def->room[k] <= 1e12)) {
            return td_fail(TD_ERROR_ARGUMENT, "the room is %g m %s: expected a number > 0 and at most 1e12",
                           def->room[k], k == 0 ? "wide" : "high");
        }
    }
    if (!(def->restitution >= 0) || !(def->restitution <= 1)) {
        return td_fail(TD_ERROR_ARGUMENT, "restitution %g: expected 0 to 1", def->restitution);
    }
    if (!(def->step > 0) || !(def->step <= 1)) {
        return td_fail(TD_ERROR_ARGUMENT, "step %g s: expected a number > 0 and at most 1", def->step);
    }
    if (!(def->epsilon >= 0x1p-40) || !(def->epsilon < 1)) {
        return td_fail(TD_ERROR_ARGUMENT, "epsilon %g: expected at least 2^-40 and less than 1",
                       def->epsilon);
    }
    if (!(def->skin >= 0) || !isfinite(def->skin)) {
        return td_fail(TD_ERROR_ARGUMENT, "skin %g m: expected a number >= 0", def->skin);
    }
    if (count == 0 || count > TD_PLANAR_BODIES_MOST) {
        return td_fail(TD_ERROR_ARGUMENT, "%u objects: expected 1 to %d", count, TD_PLANAR_BODIES_MOST);
    }
    return td_check_choice(def, count);
}

static td_result td_check_in_room(const td_planar *planar, uint32_t i, td_planar_box box) {
    const double *room = planar->def.room;
    if (!(box.low_x >= 0) || !(box.low_y >= 0) || !(box.high_x <= room[0]) || !(box.high_y <= room[1])) {
        return td_fail(
            TD_ERROR_ARGUMENT,
            "object %u is outside the room: it takes x from %g to %g and y from %g to %g, of 0 to %g and 0 "
            "to %g",
            i, box.low_x, box.high_x, box.low_y, box.high_y, room[0], room[1]);
    }
    return TD_OK;
}

static td_result td_check_overlaps_of(td_planar *planar, uint32_t i) {
    TD_TRY(td_find_neighbours(planar, i, true));
    for (size_t n = 0; n < planar->found.count; ++n) {
        const uint32_t k = planar->found.items[n];
        if (k < planar->count) {
            const td_planar_gap gap = td_planar_gap_between(td_planar_body_in(planar, k),
                                                            td_planar_body_in(planar, i), planar->corners);
            if (gap.separation < 0) {
                return td_fail(TD_ERROR_ARGUMENT, "object %u overlaps object %u at the start, by %g m", i, k,
                               -gap.separation);
            }
        }
    }
    return TD_OK;
}

td_result td_check_planar_start(td_planar *planar) {
    for (uint32_t i = 0; i < planar->size; ++i) {
        const td_planar_body body = td_planar_body_in(planar, i);
        const bool is_wall = i >= planar->count;
        const td_planar_box box = is_wall ? td_planar_box_of_wall(body, planar->corners, 0)
                                          : td_planar_box_at(body, planar->corners);
        td_set_planar_box(planar, i, box);
        if (!is_wall) {
            TD_TRY(td_check_in_room(planar, i, box));
        }
    }
    TD_TRY(td_fill_planar_grid(planar));
    for (uint32_t i = 0; i < planar->count; ++i) {
        TD_TRY(td_check_overlaps_of(planar, i));
    }
    return TD_OK;
}
