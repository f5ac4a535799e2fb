#include "edges.h"

#include "../core/memory.h"

#include <string.h>

static inline uint32_t td_representative(uint32_t vertex, const uint32_t *weld) {
    return weld == NULL ? vertex : weld[vertex];
}

static inline void td_count_use(uint32_t *first, uint32_t from, uint32_t to) {
    first[(size_t)td_edge_lower(from, to) + 1] += from != to;
}

// Leaves in first[v + 1] the number of uses whose lower vertex is v.
static void td_count_uses(td_edge_table *table, const uint32_t *triangles, const uint32_t *weld) {
    uint32_t *first = table->first;
    const uint32_t triangle_count = table->triangle_count;
    memset(first, 0, ((size_t)table->vertex_count + 1) * sizeof *first);
    for (size_t t = 0; t < triangle_count; ++t) {
        const uint32_t a = td_representative(triangles[3 * t], weld);
        const uint32_t b = td_representative(triangles[3 * t + 1], weld);
        const uint32_t c = td_representative(triangles[3 * t + 2], weld);
        td_count_use(first, a, b);
        td_count_use(first, b, c);
        td_count_use(first, c, a);
    }
}

// Turns the counts into the places where the groups start, kept one entry late: first[v + 1] is where group v
// starts. td_place_uses then moves each to where its group ends, which is where the next one starts.
static void td_counts_to_starts(td_edge_table *table) {
    uint32_t sum = 0;
    for (size_t v = 1; v <= table->vertex_count; ++v) {
        const uint32_t count = table->first[v];
        table->first[v] = sum;
        sum += count;
    }
}

static inline void td_place_use(uint32_t *uses, uint32_t *first, uint32_t from, uint32_t to) {
    if (from != to) {
        uses[first[(size_t)td_edge_lower(from, to) + 1]++] = td_edge_use(from, to);
    }
}

static void td_place_uses(td_edge_table *table, const uint32_t *triangles, const uint32_t *weld) {
    uint32_t *first = table->first;
    uint32_t *uses = table->uses;
    const uint32_t triangle_count = table->triangle_count;
    for (size_t t = 0; t < triangle_count; ++t) {
        const uint32_t a = td_representative(triangles[3 * t], weld);
        const uint32_t b = td_representative(triangles[3 * t + 1], weld);
        const uint32_t c = td_representative(triangles[3 * t + 2], weld);
        td_place_use(uses, first, a, b);
        td_place_use(uses, first, b, c);
        td_place_use(uses, first, c, a);
    }
}

td_result td_edge_table_create(td_edge_table *out, td_context *context, const uint32_t *triangles,
                               uint32_t triangle_count, const uint32_t *weld, uint32_t vertex_count) {
    td_edge_table table = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    table.first = TD_NEW(context, uint32_t, (size_t)vertex_count + 1);
    table.uses = TD_NEW(context, uint32_t, 3 * (size_t)triangle_count);
    if (table.first == NULL || table.uses == NULL) {
        td_edge_table_destroy(&table, context);
        return TD_ERROR_MEMORY;
    }
    td_count_uses(&table, triangles, weld);
    td_counts_to_starts(&table);
    td_place_uses(&table, triangles, weld);
    *out = table;
    return TD_OK;
}

void td_edge_table_destroy(td_edge_table *table, td_context *context) {
    TD_DELETE(context, uint32_t, table->first, (size_t)table->vertex_count + 1);
    TD_DELETE(context, uint32_t, table->uses, 3 * (size_t)table->triangle_count);
    *table = (td_edge_table){0};
}
