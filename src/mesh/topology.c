#include "topology.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"
#include "edges.h"

#include <string.h>

// Whether each upper vertex occurs an even number of times in the group. `odd` has an entry per vertex, all
// zero before and, if so, after.
static bool td_group_is_even(const uint32_t *uses, uint32_t count, uint8_t *odd) {
    int32_t odd_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t now = odd[uses[i] / 2] ^= 1;
        odd_count += 2 * now - 1;
    }
    return odd_count == 0;
}

static bool td_edges_are_even(const td_edge_table *edges, uint8_t *odd) {
    memset(odd, 0, edges->vertex_count);
    for (size_t v = 0; v < edges->vertex_count; ++v) {
        const uint32_t start = edges->first[v];
        if (!td_group_is_even(edges->uses + start, edges->first[v + 1] - start, odd)) {
            return false;
        }
    }
    return true;
}

// Union-find. A parent is never higher than its child, so a root is the lowest vertex of its set; paths are
// halved on the way up.
static uint32_t td_find_root(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// Joins the ends of each edge. Visited in the order of the lower ends, most upper ends are still alone or
// hang from the same root already, so that few paths are climbed.
static void td_unite_edges(uint32_t *parent, const td_edge_table *edges) {
    for (uint32_t v = 0; v < edges->vertex_count; ++v) {
        parent[v] = v;
    }
    for (uint32_t v = 0; v < edges->vertex_count; ++v) {
        uint32_t root = td_find_root(parent, v);
        const uint32_t end = edges->first[(size_t)v + 1];
        for (uint32_t i = edges->first[v]; i < end; ++i) {
            const uint32_t upper = edges->uses[i] / 2;
            if (parent[upper] == root) {
                continue;
            }
            const uint32_t other = td_find_root(parent, upper);
            const uint32_t low = root < other ? root : other;
            parent[root] = low;
            parent[other] = low;
            parent[upper] = low;
            root = low;
        }
    }
}

// Marks the vertices whose component is a single point: triangles with all three corners there have no edge.
// Only to be looked for if some sides are missing among the edges' uses.
static void td_mark_points(uint8_t *marks, const td_connectivity *mesh, const td_edge_table *edges) {
    memset(marks, 0, mesh->vertex_count);
    if (edges->first[edges->vertex_count] == 3 * mesh->triangle_count) {
        return;
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        uint32_t corner[3];
        for (int k = 0; k < 3; ++k) {
            const uint32_t v = mesh->triangles[3 * t + (size_t)k];
            corner[k] = mesh->weld == NULL ? v : mesh->weld[v];
        }
        marks[corner[0]] |= corner[0] == corner[1] && corner[0] == corner[2];
    }
}

// The root of a component with edges is their lowest vertex, hence the lower end of one of them.
static bool td_is_seed(const td_edge_table *edges, const uint32_t *parent, const uint8_t *points,
                       uint32_t v) {
    return parent[v] == v && (edges->first[v] != edges->first[(size_t)v + 1] || points[v]);
}

static td_result td_collect_seeds(td_topology *out, td_context *context, const td_edge_table *edges,
                                  const uint32_t *parent, const uint8_t *points) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < edges->vertex_count; ++v) {
        count += td_is_seed(edges, parent, points, v);
    }
    out->seeds = TD_NEW(context, uint32_t, count);
    if (out->seeds == NULL) {
        return TD_ERROR_MEMORY;
    }
    out->seed_count = 0;
    for (uint32_t v = 0; out->seed_count < count; ++v) {
        if (td_is_seed(edges, parent, points, v)) {
            out->seeds[out->seed_count++] = v;
        }
    }
    return TD_OK;
}

// The two questions, which know nothing of each other: a task each.
typedef struct td_reading {
    const td_edge_table *edges;
    uint8_t *marks;   // scratch of one entry per vertex
    uint32_t *parent; // per vertex
    bool closed;
} td_reading;

static void td_reading_task(uint32_t item, void *payload) {
    td_reading *reading = payload;
    if (item == 0) {
        td_unite_edges(reading->parent, reading->edges);
    } else {
        reading->closed = td_edges_are_even(reading->edges, reading->marks);
    }
}

static td_result td_read_edges(td_topology *out, td_context *context, const td_connectivity *mesh,
                               td_reading *reading) {
    if (reading->marks == NULL || reading->parent == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_run_tasks(context, td_reading_task, 2, reading);
    out->closed = reading->closed;
    td_mark_points(reading->marks, mesh, reading->edges);
    return td_collect_seeds(out, context, reading->edges, reading->parent, reading->marks);
}

td_result td_find_topology(td_topology *out, td_context *context, const td_connectivity *mesh) {
    td_edge_table edges;
    TD_TRY(td_edge_table_create(&edges, context, mesh->triangles, mesh->triangle_count, mesh->weld,
                                mesh->vertex_count));
    td_reading reading = {.edges = &edges,
                          .marks = TD_NEW(context, uint8_t, mesh->vertex_count),
                          .parent = TD_NEW(context, uint32_t, mesh->vertex_count)};
    const td_result result = td_read_edges(out, context, mesh, &reading);
    TD_DELETE(context, uint8_t, reading.marks, mesh->vertex_count);
    TD_DELETE(context, uint32_t, reading.parent, mesh->vertex_count);
    td_edge_table_destroy(&edges, context);
    return result;
}
