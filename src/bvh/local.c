#include "local.h"

#include "../core/tasks.h"

enum { TD_CHUNK = 8192 }; // vertices per task

typedef struct td_local_fill {
    td_local_vertex *vertices;
    const td_blocked *blocked;
    const td_trimesh *mesh;
} td_local_fill;

static void td_local_task(uint32_t item, void *payload) {
    const td_local_fill *fill = payload;
    const td_blocked frame = *fill->blocked;
    const td_trimesh mesh = *fill->mesh;
    const uint32_t first = item * TD_CHUNK;
    const uint32_t end = mesh.vertex_count - first < TD_CHUNK ? mesh.vertex_count : first + TD_CHUNK;
    for (uint32_t v = first; v < end; ++v) {
        fill->vertices[v] = td_local_of(&frame, &mesh, v);
    }
}

void td_fill_local(td_local_vertex *vertices, const td_blocked *blocked, const td_trimesh *mesh) {
    td_local_fill fill = {vertices, blocked, mesh};
    td_run_tasks(mesh->context, td_local_task, (mesh->vertex_count + TD_CHUNK - 1) / TD_CHUNK, &fill);
}
