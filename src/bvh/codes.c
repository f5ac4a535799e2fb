#include "codes.h"

#include "../core/context.h"
#include "../core/tasks.h"

#include <float.h>

enum {
    TD_CHUNK = 8192,  // triangles per task
    TD_AXIS_BITS = 24 // float32 has no more
};

// Deals out the bits, highest first: axes[b] is where bit b goes.
static void td_deal_bits(td_coding *coding, int axes[TD_CODE_BITS], const float extent[3]) {
    float cell[3] = {extent[0], extent[1], extent[2]};
    for (int bit = TD_CODE_BITS; bit-- > 0;) {
        int longest = cell[1] > cell[0] ? 1 : 0;
        longest = cell[2] > cell[longest] ? 2 : longest;
        if (coding->bits[longest] >= TD_AXIS_BITS) {
            longest = coding->bits[0] < TD_AXIS_BITS ? 0 : 1;
        }
        axes[bit] = longest;
        cell[longest] *= 0.5f;
        coding->bits[longest]++;
    }
}

static void td_fill_spread(td_coding *coding, const int axes[TD_CODE_BITS]) {
    int next[3] = {0, 0, 0}; // bit of the cell
    for (int bit = 0; bit < TD_CODE_BITS; ++bit) {
        const int axis = axes[bit], byte = next[axis] / 8, shift = next[axis] % 8;
        for (uint32_t value = 0; value < 256; ++value) {
            coding->spread[axis][byte][value] |= (value >> shift & 1) << bit;
        }
        next[axis]++;
    }
}

void td_choose_coding(td_coding *coding, const double half[3]) {
    const float extent[3] = {(float)(2 * half[0]), (float)(2 * half[1]), (float)(2 * half[2])};
    int axes[TD_CODE_BITS];
    *coding = (td_coding){.short_cells = true};
    td_deal_bits(coding, axes, extent);
    td_fill_spread(coding, axes);
    for (int k = 0; k < 3; ++k) {
        const float cells = (float)(1u << coding->bits[k]);
        const float scale = extent[k] > 0 ? cells / extent[k] : 0; // a flat axis has one cell
        coding->scale[k] = scale < FLT_MAX ? scale : 0;            // denormal extent
        coding->offset[k] = -0.5f * extent[k];
        coding->last[k] = cells - 1;
        coding->short_cells = coding->short_cells && coding->bits[k] <= 16;
    }
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
