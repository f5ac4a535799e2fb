#include "pierced.h"

#include "../core/error.h"
#include "keyed.h"

void td_pierced_release(td_pierced_edges *edges, td_context *context) {
    td_array_release(context, &edges->slots);
    td_array_release(context, &edges->used);
    td_array_release(context, &edges->next);
    td_array_release(context, &edges->met);
}

td_result td_pierced_start(td_pierced_edges *edges, td_context *context, size_t crossings) {
    uint32_t bits = 6;
    while ((size_t)1 << bits < 4 * crossings) {
        ++bits;
    }
    const size_t slots = (size_t)1 << bits;
    edges->used.count = edges->next.count = edges->met.count = 0;
    TD_TRY(td_array_reserve(context, &edges->used, 2 * crossings));
    TD_TRY(td_array_reserve(context, &edges->next, 2 * crossings));
    TD_TRY(td_array_reserve(context, &edges->met, 2 * crossings));
    if (slots > edges->slots.count) {
        TD_TRY(td_array_reserve(context, &edges->slots, slots - edges->slots.count));
    }
    if (slots > edges->slots.count || edges->epoch == UINT32_MAX) {
        edges->slots.count = slots > edges->slots.count ? slots : edges->slots.count;
        for (size_t i = 0; i < edges->slots.count; ++i) {
            edges->slots.items[i].epoch = 0;
        }
        edges->epoch = 0;
    }
    edges->bits = bits;
    ++edges->epoch;
    return TD_OK;
}

uint32_t td_pierced_enter(td_pierced_edges *edges, const td_crossings *crossings, uint32_t end) {
    const td_pierce *pierce = td_pierce_at(crossings, end);
    const uint64_t key = (uint64_t)pierce->side << 63 | (uint64_t)pierce->low << 32 | pierce->high;
    const size_t mask = ((size_t)1 << edges->bits) - 1;
    size_t slot = key * 0x9e3779b97f4a7c15u >> (64 - edges->bits);
    while (edges->slots.items[slot].epoch == edges->epoch && edges->slots.items[slot].key != key) {
        slot = (slot + 1) & mask;
    }
    td_pierced_edge *edge = &edges->slots.items[slot];
    edges->met.items[end] = 0;
    if (edge->epoch != edges->epoch) {
        *edge = (td_pierced_edge){key, edges->epoch, end};
        edges->next.items[end] = TD_NO_PIERCE;
        edges->used.items[edges->used.count++] = (uint32_t)slot;
        return TD_NO_PIERCE;
    }
    for (uint32_t other = edge->first; other != TD_NO_PIERCE; other = edges->next.items[other]) {
        if (td_pierce_at(crossings, other)->face == pierce->face) {
            edges->met.items[end] = edges->met.items[other] = 1;
            return other;
        }
    }
    edges->next.items[end] = edge->first;
    edge->first = end;
    return TD_NO_PIERCE;
}
