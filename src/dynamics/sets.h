// Disjoint sets of numbers: each points towards the lowest of its set, which stands for all, whatever the
// order of unions.
#ifndef TD_DYNAMICS_SETS_H
#define TD_DYNAMICS_SETS_H

#include <stdint.h>

// The lowest number of the set that i is in. Makes the way shorter for those who ask later.
static inline uint32_t td_lowest(uint32_t *parents, uint32_t i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// Makes the sets of i and j one. Returns whether they were two.
static inline int td_unite(uint32_t *parents, uint32_t i, uint32_t j) {
    i = td_lowest(parents, i);
    j = td_lowest(parents, j);
    parents[i < j ? j : i] = i < j ? i : j;
    return i != j;
}

#endif
