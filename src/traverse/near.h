// Testing the tiles of a near list, one entry per instruction set (near_wide.c). How such lists are made:
// td_traversal.near_by.
#ifndef TD_TRAVERSE_NEAR_H
#define TD_TRAVERSE_NEAR_H

#include "traversal.h"

// Tests the triangles of the given pairs of quads; what intersects is put into the worker's result. `frame`
// must be usable.
typedef void td_test_tiles_fn(td_worker *worker, const td_traversal *traversal, const td_pair *tiles,
                              size_t count);

td_test_tiles_fn td_test_tiles_scalar;
#if defined(__x86_64__)
td_test_tiles_fn td_test_tiles_sse4, td_test_tiles_avx2, td_test_tiles_avx512;
#elif defined(__aarch64__)
td_test_tiles_fn td_test_tiles_neon;
#endif

// By the instruction set of the traversal's context.
td_test_tiles_fn td_test_tiles;

#endif
