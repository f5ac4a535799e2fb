// Morton codes of the triangles of a mesh: their places along a curve that fills the mesh's box.
//
// The bits of a code are dealt out by extent: each goes to the axis along which the cells are longest by
// then, so that a sheet gets 16 bits along each of its sides and none across.
#ifndef TD_BVH_CODES_H
#define TD_BVH_CODES_H

#include "radix.h"
#include "refit.h"

enum { TD_CODE_BITS = 32 };

// From a centre in local coordinates to its code: cell = (centre - offset) * scale, from 0 to `last`.
typedef struct td_coding {
    float offset[3], scale[3], last[3];
    uint8_t bits[3];            // per axis
    bool short_cells;           // at most 16 bits per axis
    uint32_t spread[3][3][256]; // per axis and byte of the cell: its bits at their places
} td_coding;

// For meshes that reach as far as `half` from the origin.
void td_choose_coding(td_coding *coding, const double half[3]);

// codes[i] gets the code of triangle i and the id i. Parallel; the same for every instruction set.
void td_code_triangles(td_coded *codes, const td_coding *coding, const td_blocked *frame,
                       const td_trimesh *mesh);

// One per instruction set (codes_wide.c): triangles first ... end - 1.
typedef void td_fill_codes_fn(td_coded *codes, const td_coding *coding, const td_refit_source *source,
                              const uint32_t *indices, uint32_t first, uint32_t end);
td_fill_codes_fn td_fill_codes_scalar;
#if defined(__x86_64__)
td_fill_codes_fn td_fill_codes_sse4, td_fill_codes_avx2, td_fill_codes_avx512;
#elif defined(__aarch64__)
td_fill_codes_fn td_fill_codes_neon;
#endif

#endif
