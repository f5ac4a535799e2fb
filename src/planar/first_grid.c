// The paper's stepping on the neighbours that the grid finds, in place of all pairs: the same collision, the
// same bits.
#include "planar.h"

static double td_hit_time(const td_planar *planar, uint32_t row, uint32_t column) {
    const td_planar_rules rules = planar->rules;
    td_planar_hit hit = td_phase_begin(planar->shapes, planar->motions, planar->corners, rules, row, column);
    hit = td_phase_halve(hit, TD_QUESTIONS_PER_HALVING * rules.halvings, planar->shapes, planar->motions,
                         planar->corners, rules, row, column);
    return hit.time;
}

// Keeps the pairs whose time is the least so far.
static td_result td_offer(td_planar *planar, double *first, uint32_t row, uint32_t column) {
    const double time = td_hit_time(planar, row, column);
    if (time > 1 || time > *first) {
        return TD_OK;
    }
    if (time < *first) {
        planar->candidates.count = 0;
        *first = time;
    }
    TD_TRY(td_array_reserve(planar->context, &planar->candidates, 1));
    planar->candidates.items[planar->candidates.count++] =
        (td_planar_event){.time = time, .a = row, .b = column};
    return TD_OK;
}

static td_result td_find_first(td_planar *planar, double *first) {
    for (uint32_t i = 0; i < planar->size; ++i) {
        td_phase_update(planar->boxes, planar->shapes, planar->motions, planar->corners, planar->rules, i);
    }
    TD_TRY(td_fill_planar_grid(planar));
    *first = TD_PLANAR_NEVER;
    planar->candidates.count = 0;
    for (uint32_t i = 0; i < planar->count; ++i) {
        TD_TRY(td_find_neighbours(planar, i, true));
        for (size_t n = 0; n < planar->found.count; ++n) {
            const uint32_t k = planar->found.items[n];
            TD_TRY(td_offer(planar, first, i > k ? i : k, i > k ? k : i));
        }
    }
    return TD_OK;
}

// Whether a pair before this one, in the order of the triangle, has a body that moves with it in common.
static bool td_is_taken(const td_planar *planar, const td_planar_event *event) {
    for (size_t i = 0; i < planar->candidates.count; ++i) {
        const td_planar_event *other = &planar->candidates.items[i];
        const bool before = other->a != event->a ? other->a < event->a : other->b < event->b;
        const bool shares_a = other->a == event->a || other->b == event->a;
        const bool shares_b = other->a == event->b || other->b == event->b;
        if (before && ((shares_a && td_planar_is_movable(planar->shapes[event->a])) ||
                       (shares_b && td_planar_is_movable(planar->shapes[event->b])))) {
            return true;
        }
    }
    return false;
}

td_result td_step_first_of_grid(td_planar *planar) {
    double first;
    TD_TRY(td_find_first(planar, &first));
    for (size_t i = 0; i < planar->candidates.count; ++i) {
        const td_planar_event *event = &planar->candidates.items[i];
        if (!td_is_taken(planar, event)) {
            td_phase_strike(planar->struck, planar->marks, planar->shapes, planar->motions, planar->corners,
                            planar->rules, first, event->a, event->b);
        }
    }
    for (uint32_t i = 0; i < planar->count; ++i) {
        td_phase_forward(planar->motions, planar->tallies, planar->marks, planar->struck, planar->shapes,
                         planar->rules, first, i);
    }
    planar->clock = td_phase_tick(planar->clock, planar->rules, first);
    return TD_OK;
}
