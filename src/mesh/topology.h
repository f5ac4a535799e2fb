// The little topology that queries need: whether a mesh is closed, and which pieces it is made of. Vertices
// at the same position count as one throughout. Linear time.
#ifndef TD_MESH_TOPOLOGY_H
#define TD_MESH_TOPOLOGY_H

#include <tandem/mesh.h>

// A triangle list whose indices are in range and whose counts are within the limits of edges.h.
typedef struct td_connectivity {
    const uint32_t *triangles;
    uint32_t triangle_count;
    const uint32_t *weld; // as td_weld finds it; null: no two vertices coincide
    uint32_t vertex_count;
} td_connectivity;

typedef struct td_topology {
    // Every edge is used an even number of times, so that a ray which meets no edge tells inside from outside
    // by parity. A triangle that names one position twice uses the edge to its third corner twice, which
    // changes nothing.
    bool closed;
    // Of each component (triangles connected through shared positions) the lowest welded vertex, ascending. A
    // block of seed_count entries, the caller's to release.
    uint32_t *seeds;
    uint32_t seed_count;
} td_topology;

// Fails only for want of memory.
td_result td_find_topology(td_topology *out, td_context *context, const td_connectivity *mesh);

#endif
