// Rays around the hierarchy: brute force, and the choice of the instruction set.
#include "ray.h"

#define TD_FOUR(bits)                                                                                        \
    { (bits), (bits), (bits), (bits) }

const struct td_one_limits td_one_limits = {.size = TD_FOUR(INT32_MAX),
                                            .exponent = TD_FOUR(0x7f800000),
                                            .farthest = TD_FOUR(0x42000000),
                                            .slowest = TD_FOUR(0x21800000),
                                            .fastest = TD_FOUR(0x5d800000),
                                            .one = TD_FOUR(0x3f800000),
                                            .steepest = TD_FOUR(0x53800000),
                                            .inverse = TD_FOUR(0x7f000000)};

// A meeting in the plane begins where the range does, if that is later.
static void td_ray_cut_meeting(td_meeting *m, double t_min) {
    if (m->t < t_min && t_min <= m->t_end) {
        const double length = m->t_end - m->t, part = length > 0 ? (t_min - m->t) / length : 0;
        m->u += part * (m->u_end - m->u);
        m->v += part * (m->v_end - m->v);
        m->t = t_min;
    }
}

int td_ray_side_of(const td_trimesh *mesh, uint32_t triangle, td_vec3 point) {
    const td_triangle t = td_trimesh_triangle(mesh, triangle);
    return td_orient3d(t.p0, t.p1, t.p2, point);
}

bool td_ray_consider_carefully(td_ray_hit *best, const td_ray_question *q, const td_trimesh *mesh,
                               uint32_t triangle) {
    const td_triangle corners = td_trimesh_triangle(mesh, triangle);
    td_meeting m;
    if (!td_line_meets_triangle(&m, &q->line, &corners)) {
        return false;
    }
    if (m.side == 0) {
        td_ray_cut_meeting(&m, q->t_min);
    }
    if (!td_ray_prefers(best, q, m.t, triangle)) {
        return false;
    }
    *best = (td_ray_hit){triangle, true, (int8_t)m.side, m.t, m.u, m.v};
    return true;
}

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

td_ray_run_one_fn *td_ray_run_one_for(td_isa isa, td_ray_mode mode) {
    const bool any = mode == TD_RAY_ANY;
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return any ? td_ray_run_any_sse4 : td_ray_run_closest_sse4;
    case TD_ISA_AVX2:
        return any ? td_ray_run_any_avx2 : td_ray_run_closest_avx2;
    case TD_ISA_AVX512:
        return any ? td_ray_run_any_avx512 : td_ray_run_closest_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return any ? td_ray_run_any_neon : td_ray_run_closest_neon;
#endif
    default:
        return any ? td_ray_run_any_scalar : td_ray_run_closest_scalar;
    }
}
