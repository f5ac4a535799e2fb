// Sorting of codes, in parallel.
#ifndef TD_BVH_RADIX_H
#define TD_BVH_RADIX_H

#include "tree.h"

#include <tandem/base.h>

// Sorts by code; equal codes keep their order, so the result does not depend on the number of threads.
// `scratch` has as much room. Fails only for want of memory.
td_result td_sort_codes(td_coded *items, td_coded *scratch, uint32_t count, td_context *context);

#endif
