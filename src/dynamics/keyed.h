// Sorting small records by a 64-bit key; ties by index, so that there is one outcome.
#ifndef TD_DYNAMICS_KEYED_H
#define TD_DYNAMICS_KEYED_H

#include "../core/array.h"

typedef struct td_keyed {
    uint64_t key;
    uint32_t index;
} td_keyed;

typedef TD_ARRAY(td_keyed) td_keyed_list;

void td_sort_keyed(td_keyed *items, td_keyed *spare, size_t count);

static inline uint64_t td_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
