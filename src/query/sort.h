// Pairs in the order the answers promise: by a, then by b.
#ifndef TD_QUERY_SORT_H
#define TD_QUERY_SORT_H

#include <tandem/query.h>

// `spare` has room for `count` pairs. `limit_a` and `limit_b` are above every index.
void td_sort_pairs(td_pair *pairs, td_pair *spare, size_t count, uint32_t limit_a, uint32_t limit_b);

#endif
