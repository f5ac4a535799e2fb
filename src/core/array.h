// A growable array of any plain type: `TD_ARRAY(td_pair) pairs = {0};`. Keeps its memory when cleared, so
// that warm buffers never allocate.
#ifndef TD_CORE_ARRAY_H
#define TD_CORE_ARRAY_H

#include "memory.h"

#define TD_ARRAY(type)                                                                                       \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

// Makes room for `extra` more items behind `count`; TD_ERROR_MEMORY leaves the array as it was. Grows by half
// at least, so that appending one by one costs constant time on average.
td_result td_array_reserve_bytes(td_context *context, void **items, size_t count, size_t *capacity,
                                 size_t extra, size_t item_size);

#define td_array_reserve(context, array, extra)                                                              \
    ((extra) <= (array)->capacity - (array)->count                                                           \
         ? TD_OK                                                                                             \
         : td_array_reserve_bytes((context), (void **)&(array)->items, (array)->count, &(array)->capacity,   \
                                  (extra), sizeof *(array)->items))

#define td_array_release(context, array)                                                                     \
    (td_release((context), (array)->items, (array)->capacity, sizeof *(array)->items),                       \
     (array)->items = NULL, (array)->count = (array)->capacity = 0)

#endif
