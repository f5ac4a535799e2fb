#include "numbers.h"

// No item is below its parent: that of i is (i - 1) / 2.

void td_push_number(td_free_numbers *numbers, uint32_t number) {
    uint32_t *heap = numbers->items;
    size_t at = numbers->count++;
    while (at > 0 && heap[(at - 1) / 2] > number) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = number;
}

uint32_t td_pop_lowest_number(td_free_numbers *numbers) {
    uint32_t *heap = numbers->items;
    const uint32_t lowest = heap[0];
    const uint32_t last = heap[--numbers->count];
    size_t at = 0;
    for (size_t child = 1; child < numbers->count; child = 2 * at + 1) {
        if (child + 1 < numbers->count && heap[child + 1] < heap[child]) {
            ++child;
        }
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return lowest;
}
