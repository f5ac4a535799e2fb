#include "keyed.h"

static bool td_keyed_before(const td_keyed *a, const td_keyed *b) {
    return a->key < b->key || (a->key == b->key && a->index < b->index);
}

// Merge sort from short sorted runs.
void td_sort_keyed(td_keyed *items, td_keyed *spare, size_t count) {
    enum { TD_RUN = 12 };
    for (size_t begin = 0; begin < count; begin += TD_RUN) {
        const size_t end = begin + TD_RUN < count ? begin + TD_RUN : count;
        for (size_t i = begin + 1; i < end; ++i) {
            const td_keyed item = items[i];
            size_t k = i;
            for (; k > begin && td_keyed_before(&item, &items[k - 1]); --k) {
                items[k] = items[k - 1];
            }
            items[k] = item;
        }
    }
    for (size_t run = TD_RUN; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            const size_t middle = begin + run < count ? begin + run : count;
            const size_t end = begin + 2 * run < count ? begin + 2 * run : count;
            size_t i = begin, j = middle;
            for (size_t k = begin; k < end; ++k) {
                const bool left = j == end || (i < middle && !td_keyed_before(&items[j], &items[i]));
                spare[k] = left ? items[i++] : items[j++];
            }
        }
        for (size_t k = 0; k < count; ++k) {
            items[k] = spare[k];
        }
    }
}
