#include "refit.h"

#include "../core/context.h"
#include "../core/tasks.h"
#include "local.h"
#include "refit_node.h"

td_refit_source td_refit_source_of(const td_blocked *blocked, const td_trimesh *mesh) {
    return (td_refit_source){.positions = mesh->positions,
                             .stride = mesh->stride,
                             .scalar = mesh->scalar,
                             .frame = td_local_frame_of(blocked)};
}

td_local_frame td_local_frame_of(const td_blocked *blocked) {
    return (td_local_frame){.origin = {blocked->origin.x, blocked->origin.y, blocked->origin.z},
                            .scale = {blocked->scale[0], blocked->scale[1]}};
}

static td_refit_blocks_fn *td_refit_blocks_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_refit_blocks_sse4;
    case TD_ISA_AVX2:
        return td_refit_blocks_avx2;
    case TD_ISA_AVX512:
        return td_refit_blocks_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_refit_blocks_neon;
#endif
    default:
        return td_refit_blocks_scalar;
    }
}

void td_refit_range(td_blocked *blocked, const td_refit_source *source, uint32_t item, td_isa isa) {
    const td_block_range range = blocked->plan.ranges[item];
    blocked->plan.areas[item] = td_refit_blocks_for(isa)(blocked, source, range.first, range.end);
}

void td_refit_crown(td_blocked *blocked) {
    const td_refit_plan *plan = &blocked->plan;
    double area = 0;
    for (uint32_t i = 0; i < plan->range_count; ++i) {
        area += plan->areas[i];
    }
    for (uint32_t i = plan->crown_count; i-- > 0;) {
        const uint32_t index = plan->crown[i];
        area += td_d4_sum(
            td_d4_widen(td_refit_inner(&blocked->blocks[index], &plan->bounds[index], plan->bounds)));
    }
    blocked->area = area;
}

typedef struct td_refit_work {
    td_blocked *blocked;
    td_refit_source source;
    td_isa isa;
} td_refit_work;

static void td_refit_task(uint32_t item, void *payload) {
    const td_refit_work *work = payload;
    td_refit_range(work->blocked, &work->source, item, work->isa);
}

void td_refit_blocked(td_blocked *blocked, const td_trimesh *mesh) {
    td_choose_frame(blocked, mesh);
    td_refit_work work = {blocked, td_refit_source_of(blocked, mesh), mesh->context->isa};
    td_run_tasks(mesh->context, td_refit_task, blocked->plan.range_count, &work);
    td_refit_crown(blocked);
}
