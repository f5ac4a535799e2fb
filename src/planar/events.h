// Collisions that are predicted, in a heap: the earliest first, and of equal times the lower pair, so that
// the order is that of the events and not of how they came in.
#ifndef TD_PLANAR_EVENTS_H
#define TD_PLANAR_EVENTS_H

#include "../core/array.h"

typedef struct td_planar_event {
    double time;   // s, within the step
    uint32_t a, b; // a > b; a wall is the higher
    uint32_t generation_a, generation_b;
    uint32_t sure; // 0: the bodies may still be apart then, and are to be asked about again
} td_planar_event;

typedef struct td_planar_events {
    TD_ARRAY(td_planar_event) heap;
} td_planar_events;

td_result td_push_event(td_planar_events *events, td_context *context, const td_planar_event *event);
td_planar_event td_pop_event(td_planar_events *events); // of a heap that is not empty

// Whether `a` comes before `b`.
static inline bool td_event_is_before(const td_planar_event *a, const td_planar_event *b) {
    return a->time != b->time ? a->time < b->time : a->a != b->a ? a->a < b->a : a->b < b->b;
}

#endif
