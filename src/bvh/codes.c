#include "codes.h"

#include "../core/context.h"
#include "../core/tasks.h"

enum { TD_CHUNK = 8192 }; // triangles per task

static void td_fill_spread(td_coding *coding) {
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < coding->morton.bits[axis]; ++i) {
            for (uint32_t value = 0; value < 256; ++value) {
                coding->spread[axis][i / 8][value] |= (value >> i % 8 & 1) << coding->morton.place[axis][i];
            }
        }
    }
}

void td_choose_coding(td_coding *coding, const double reach[3]) {
    *coding = (td_coding){.morton = td_choose_morton(reach)};
    const td_u32 *bits = coding->morton.bits;
    coding->short_cells = bits[0] <= 16 && bits[1] <= 16 && bits[2] <= 16;
    td_fill_spread(coding);
}

// ---------------------------------------------------------------------------------------------------------

typedef struct td_code_fill {
    td_coded *codes;
    const td_coding *coding;
    td_refit_source source;
    const td_trimesh *mesh;
    td_fill_codes_fn *fill;
} td_code_fill;

static td_fill_codes_fn *td_fill_codes_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_fill_codes_sse4;
    case TD_ISA_AVX2:
        return td_fill_codes_avx2;
    case TD_ISA_AVX512:
        return td_fill_codes_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_fill_codes_neon;
#endif
    default:
        return td_fill_codes_scalar;
    }
}

static void td_code_task(uint32_t item, void *payload) {
    const td_code_fill *fill = payload;
    const uint32_t first = item * TD_CHUNK, count = fill->mesh->triangle_count;
    const uint32_t end = count - first < TD_CHUNK ? count : first + TD_CHUNK;
    fill->fill(fill->codes, fill->coding, &fill->source, fill->mesh->indices, first, end);
}

void td_code_triangles(td_coded *codes, const td_coding *coding, const td_blocked *frame,
                       const td_trimesh *mesh) {
    td_code_fill fill = {codes, coding, td_refit_source_of(frame, mesh), mesh,
                         td_fill_codes_for(mesh->context->isa)};
    td_run_tasks(mesh->context, td_code_task, (mesh->triangle_count + TD_CHUNK - 1) / TD_CHUNK, &fill);
}
