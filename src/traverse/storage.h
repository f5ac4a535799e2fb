// What a traversal of two hierarchies has to remember at most: Eqs. 1 and 2 of paper 000, in bits.
#ifndef TD_TRAVERSE_STORAGE_H
#define TD_TRAVERSE_STORAGE_H

#include "../bvh/postorder.h"

enum {
    TD_PAIR_BITS = 64, // the paper's k: two node indices
    TD_LABEL_BITS = 1  // its l
};

typedef struct td_storage {
    uint64_t stack_printed; // Eq. 1 as printed: k (c - 1) max(height A, height B). Not a bound
    uint64_t stack;         // Eq. 1 corrected: k ((c - 1) (height A + height B) + 1)
    uint64_t binary;        // Eq. 2: k + l (height A + height B)
} td_storage;

td_storage td_storage_bounds(const td_postorder *a, const td_postorder *b);

#endif
