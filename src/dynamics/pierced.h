// The edges that are pierced: a table from edges to the ends of crossings on them.
//
// Where an edge pierces a face, two crossings meet, one for each triangle at the edge: the same pierce is
// seen twice. The table keeps it once, and tells who saw it before.
#ifndef TD_DYNAMICS_PIERCED_H
#define TD_DYNAMICS_PIERCED_H

#include "../core/array.h"
#include "crossing.h"

typedef TD_ARRAY(td_crossing) td_crossings;

#define TD_NO_PIERCE UINT32_MAX

// Ends of crossings are numbered 2 * crossing + end.
static inline const td_pierce *td_pierce_at(const td_crossings *crossings, uint32_t end) {
    return &crossings->items[end >> 1].ends[end & 1];
}

typedef struct td_pierced_edge {
    uint64_t key; // side, lower and upper vertex
    uint32_t epoch;
    uint32_t first; // end; the others through `next`
} td_pierced_edge;

typedef struct td_pierced_edges {
    TD_ARRAY(td_pierced_edge) slots; // open addressing; cleared by counting up
    uint32_t bits;                   // 2^bits slots are in use: as few as do, which stay in the cache
    uint32_t epoch;
    TD_ARRAY(uint32_t) used; // slots, in the order of their first use
    TD_ARRAY(uint32_t) next; // per end: the next one on the same edge
    TD_ARRAY(uint8_t) met;   // per end: it was seen twice
} td_pierced_edges;

void td_pierced_release(td_pierced_edges *edges, td_context *context);

// Empties the table and makes room for the ends of so many crossings.
td_result td_pierced_start(td_pierced_edges *edges, td_context *context, size_t crossings);

// Enters an end. Returns the end that is the same pierce, seen before, or TD_NO_PIERCE.
uint32_t td_pierced_enter(td_pierced_edges *edges, const td_crossings *crossings, uint32_t end);

#endif
