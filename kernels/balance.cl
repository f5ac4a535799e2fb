// The balancing pass (src/device/balance.h): units are numbered through all queues by prefix sums, and unit i
// goes to queue i % tasks. One work-group per queue that was.
#include "../src/math/shared.h"

__kernel void td_deal_units(__global uint *to, __global const uint *from, __global const uint *counts,
                            __global const uint *starts, uint from_tasks, uint from_capacity, uint tasks,
                            uint capacity, uint words) {
    const uint queue = (uint)get_group_id(0);
    if (queue >= from_tasks) {
        return;
    }
    for (uint i = (uint)get_local_id(0); i < counts[queue]; i += (uint)get_local_size(0)) {
        const uint number = starts[queue] + i;
        __global const uint *source = from + ((size_t)queue * from_capacity + i) * words;
        __global uint *target = to + ((size_t)(number % tasks) * capacity + number / tasks) * words;
        for (uint k = 0; k < words; ++k) {
            target[k] = source[k];
        }
    }
}

// How many of `total` units each queue has then.
__kernel void td_count_units(__global uint *counts, uint tasks, uint total) {
    const uint queue = (uint)get_global_id(0);
    if (queue < tasks) {
        counts[queue] = total / tasks + (queue < total % tasks);
    }
}
