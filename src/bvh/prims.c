#include "prims.h"

#include "../core/context.h"
#include "../core/tasks.h"

enum { TD_CHUNK = 4096 }; // triangles per task

typedef struct td_prim_fill {
    td_prim *prims;
    td_refit_source source;
    const td_trimesh *mesh;
    td_fill_prims_fn *fill;
} td_prim_fill;

static td_fill_prims_fn *td_fill_prims_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_fill_prims_sse4;
    case TD_ISA_AVX2:
        return td_fill_prims_avx2;
    case TD_ISA_AVX512:
        return td_fill_prims_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_fill_prims_neon;
#endif
    default:
        return td_fill_prims_scalar;
    }
}

static void td_prim_task(uint32_t item, void *payload) {
    const td_prim_fill *fill = payload;
    const uint32_t first = item * TD_CHUNK, count = fill->mesh->triangle_count;
    const uint32_t end = count - first < TD_CHUNK ? count : first + TD_CHUNK;
    fill->fill(fill->prims, &fill->source, fill->mesh->indices, first, end);
}

void td_fill_prims(td_prim *prims, const td_blocked *blocked, const td_trimesh *mesh) {
    td_prim_fill fill = {prims, td_refit_source_of(blocked, mesh), mesh,
                         td_fill_prims_for(mesh->context->isa)};
    td_run_tasks(mesh->context, td_prim_task, (mesh->triangle_count + TD_CHUNK - 1) / TD_CHUNK, &fill);
}
