// The entry of the wide traversal, one per instruction set (wide_wide.c).
#ifndef TD_TRAVERSE_WIDE_H
#define TD_TRAVERSE_WIDE_H

#include "traversal.h"

// Visits everything below the given block pairs.
typedef void td_wide_run_fn(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                            size_t start_count);

td_wide_run_fn td_wide_run_scalar;
#if defined(__x86_64__)
td_wide_run_fn td_wide_run_sse4, td_wide_run_avx2, td_wide_run_avx512;
#elif defined(__aarch64__)
td_wide_run_fn td_wide_run_neon;
#endif

#endif
