// Eq. 1 takes the longest way through the bounding volume test tree to be as long as the higher of the two
// hierarchies. But every step down opens one side only, so the way to a pair of leaves is as long as both of
// their depths together. On it each step leaves the siblings of the node it went to on the stack, and the
// last step its own pair.
#include "storage.h"

td_storage td_storage_bounds(const td_postorder *a, const td_postorder *b) {
    const uint64_t arity = a->arity > b->arity ? a->arity : b->arity;
    const uint64_t siblings = arity > 0 ? arity - 1 : 0; // two single leaves: no node has children
    const uint64_t higher = a->height > b->height ? a->height : b->height;
    const uint64_t path = (uint64_t)a->height + b->height;
    return (td_storage){
        .stack_printed = TD_PAIR_BITS * siblings * higher,
        .stack = TD_PAIR_BITS * (siblings * path + 1),
        .binary = TD_PAIR_BITS + TD_LABEL_BITS * path,
    };
}
