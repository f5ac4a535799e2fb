// The edges of a triangle list, grouped by their lower vertex in one counting sort: linear time, whatever the
// valences are. Closedness, inspection and subdivision all read it.
#ifndef TD_MESH_EDGES_H
#define TD_MESH_EDGES_H

#include <tandem/mesh.h>

// Every side of every triangle is one use of the edge between its two vertices. The uses of edges whose lower
// vertex is v are uses[first[v]] ... uses[first[v + 1] - 1], in the order of triangles and corners. Sides
// that begin and end at the same vertex are left out.
typedef struct td_edge_table {
    uint32_t *first; // vertex_count + 1
    uint32_t *uses;  // 2 * the upper vertex + 1 if the side runs from it down to the lower one
    uint32_t vertex_count;
    uint32_t triangle_count;
} td_edge_table;

// So that a use and the number of all uses fit in 32 bits.
#define TD_EDGE_MAX_VERTICES  (1u << 31)
#define TD_EDGE_MAX_TRIANGLES (1u << 30)

static inline uint32_t td_edge_lower(uint32_t from, uint32_t to) {
    return from < to ? from : to;
}

// Without a branch: which way a side runs is as good as random.
static inline uint32_t td_edge_use(uint32_t from, uint32_t to) {
    const uint32_t upper = from > to ? from : to;
    return 2 * upper + (from > to);
}

// `weld` maps each vertex to the one that stands for its position; null: each stands for itself. Indices must
// be in range and the counts within the limits above. Fails only for want of memory; then nothing is left to
// release.
td_result td_edge_table_create(td_edge_table *out, td_context *context, const uint32_t *triangles,
                               uint32_t triangle_count, const uint32_t *weld, uint32_t vertex_count);
void td_edge_table_destroy(td_edge_table *table, td_context *context);

#endif
