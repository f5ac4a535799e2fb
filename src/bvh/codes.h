// Morton codes of the triangles of a mesh: their places along a curve that fills the mesh's box.
#ifndef TD_BVH_CODES_H
#define TD_BVH_CODES_H

#include "morton.h"
#include "refit.h"

// How codes are made (morton.h), with tables that make them faster.
typedef struct td_coding {
    td_morton morton;
    bool short_cells;           // at most 16 bits per axis
    uint32_t spread[3][3][256]; // per axis and byte of the cell: its bits at their places
} td_coding;

// For meshes that reach as far as `reach` from the origin.
void td_choose_coding(td_coding *coding, const double reach[3]);

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
