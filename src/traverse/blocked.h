// The entry of the blocked traversal, one per instruction set (blocked_wide.c).
#ifndef TD_TRAVERSE_BLOCKED_H
#define TD_TRAVERSE_BLOCKED_H

#include "traversal.h"

// How much is worked off at once. At least 1 each; the answer does not depend on them.
typedef struct td_slices {
    size_t blocks; // pairs of blocks; the array of the next iteration grows by at most 16 times as many
    size_t leaves; // pairs of leaf blocks
    size_t tiles;  // the array of tiles is worked off before it grows beyond this, or beyond 16 `leaves`
    size_t first;  // pairs of blocks in TD_MODE_FIRST
} td_slices;

td_slices td_default_slices(void);

// Visits everything below the given block pairs.
typedef void td_blocked_run_fn(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                               size_t start_count, const td_slices *slices);

td_blocked_run_fn td_blocked_run_scalar;
#if defined(__x86_64__)
td_blocked_run_fn td_blocked_run_sse4, td_blocked_run_avx2, td_blocked_run_avx512;
#elif defined(__aarch64__)
td_blocked_run_fn td_blocked_run_neon;
#endif

// The one of an instruction set.
td_blocked_run_fn *td_blocked_run_for(td_isa isa);

#endif
