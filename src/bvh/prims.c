#include "prims.h"

#include "../core/tasks.h"
#include "../math/f4.h"

enum { TD_CHUNK = 4096 }; // triangles per task

typedef struct td_prim_fill {
    td_prim *prims;
    const td_blocked *blocked;       // null: the vertices are at hand
    const td_local_vertex *vertices; // null: they are not
    const td_trimesh *mesh;
} td_prim_fill;

// How far float32 may be from what float64 may mean: local coordinates carry an error of at most 2^-52, the
// conversion and the subtraction (addition) of this 2^-24 of the value each.
static inline td_f4 td_slack(td_f4 a) {
    const td_f4 magnitude = td_f4_max(a, td_f4_sub(td_f4_set1(0), a));
    return td_f4_add(td_f4_mul(magnitude, td_f4_set1(0x3p-24f)), td_f4_set1(0x1p-49f));
}

// Rounding to float32 keeps the order, so it may come before the comparisons.
static inline td_f4 td_f4_of(td_local_vertex v) {
    return td_f4_set((float)v.x, (float)v.y, (float)v.z, 0);
}

static inline void td_set_prim(td_prim *prim, uint32_t id, td_f4 p, td_f4 q, td_f4 r) {
    const td_f4 lower = td_f4_min(p, td_f4_min(q, r)), upper = td_f4_max(p, td_f4_max(q, r));
    td_f4_store(prim->lower, td_f4_sub(lower, td_slack(lower)));
    td_f4_store(prim->upper, td_f4_add(upper, td_slack(upper)));
    prim->id = id;
    prim->spare = 0;
}

static void td_prim_task(uint32_t item, void *payload) {
    const td_prim_fill *fill = payload;
    const td_local_vertex *vertices = fill->vertices;
    const uint32_t first = item * TD_CHUNK;
    const uint32_t count = fill->mesh->triangle_count;
    const uint32_t end = count - first < TD_CHUNK ? count : first + TD_CHUNK;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t *corner = fill->mesh->indices + 3 * (size_t)i;
        if (vertices != NULL) {
            td_set_prim(&fill->prims[i], i, td_f4_of(vertices[corner[0]]), td_f4_of(vertices[corner[1]]),
                        td_f4_of(vertices[corner[2]]));
        } else {
            td_set_prim(&fill->prims[i], i, td_f4_of(td_local_of(fill->blocked, fill->mesh, corner[0])),
                        td_f4_of(td_local_of(fill->blocked, fill->mesh, corner[1])),
                        td_f4_of(td_local_of(fill->blocked, fill->mesh, corner[2])));
        }
    }
}

static void td_run_prim_tasks(td_prim_fill fill) {
    td_run_tasks(fill.mesh->context, td_prim_task, (fill.mesh->triangle_count + TD_CHUNK - 1) / TD_CHUNK,
                 &fill);
}

void td_fill_prims(td_prim *prims, const td_blocked *blocked, const td_trimesh *mesh) {
    td_run_prim_tasks((td_prim_fill){.prims = prims, .blocked = blocked, .mesh = mesh});
}

void td_fill_prims_from(td_prim *prims, const td_local_vertex *vertices, const td_trimesh *mesh) {
    td_run_prim_tasks((td_prim_fill){.prims = prims, .vertices = vertices, .mesh = mesh});
}
