#include "events.h"

#include "../core/error.h"

td_result td_push_event(td_planar_events *events, td_context *context, const td_planar_event *event) {
    TD_TRY(td_array_reserve(context, &events->heap, 1));
    td_planar_event *heap = events->heap.items;
    size_t at = events->heap.count++;
    while (at > 0 && td_event_is_before(event, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = *event;
    return TD_OK;
}

td_planar_event td_pop_event(td_planar_events *events) {
    td_planar_event *heap = events->heap.items;
    const td_planar_event first = heap[0];
    const size_t count = --events->heap.count;
    const td_planar_event last = heap[count];
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && td_event_is_before(&heap[child + 1], &heap[child]);
        if (!td_event_is_before(&heap[child], &last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}
