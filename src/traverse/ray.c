// Rays around the hierarchy: brute force, and the choice of the instruction set.
#include "ray.h"

void td_ray_visit_all(td_ray_hit *best, td_ray_question question, const td_ray_batch *batch) {
    for (uint32_t i = 0; i < batch->mesh->triangle_count; ++i) {
        if (td_ray_consider(best, &question, batch->mesh, i)) {
            question.t_max = best->t;
            if (batch->mode == TD_RAY_ANY) {
                *best = td_some_hit(true);
                return;
            }
        }
    }
}

size_t td_ray_run_brute(const td_ray_batch *batch, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
        td_ray_question question = {.t_min = batch->rays[i].t_min, .t_max = batch->rays[i].t_max};
        if (!td_ray_line(&question.line, batch, &batch->rays[i])) {
            return i;
        }
        batch->out[i] = td_no_hit;
        td_ray_visit_all(&batch->out[i], question, batch);
    }
    return end;
}

td_ray_run_fn *td_ray_run_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_ray_run_sse4;
    case TD_ISA_AVX2:
        return td_ray_run_avx2;
    case TD_ISA_AVX512:
        return td_ray_run_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_ray_run_neon;
#endif
    default:
        return td_ray_run_scalar;
    }
}

td_ray_run_one_fn *td_ray_run_one_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_ray_run_one_sse4;
    case TD_ISA_AVX2:
        return td_ray_run_one_avx2;
    case TD_ISA_AVX512:
        return td_ray_run_one_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_ray_run_one_neon;
#endif
    default:
        return td_ray_run_one_scalar;
    }
}
