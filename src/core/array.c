#include "array.h"

#include <string.h>

td_result td_array_reserve_bytes(td_context *context, void **items, size_t count, size_t *capacity,
                                 size_t extra, size_t item_size) {
    const size_t minimum = 64;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count + extra) {
        wanted = count + extra;
    }
    if (wanted < minimum) {
        wanted = minimum;
    }
    void *grown = td_allocate(context, wanted, item_size);
    if (grown == NULL) {
        return TD_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(grown, *items, count * item_size);
    }
    td_release(context, *items, *capacity, item_size);
    *items = grown;
    *capacity = wanted;
    return TD_OK;
}
