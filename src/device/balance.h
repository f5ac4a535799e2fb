// Work distribution on a device (paper 001, section 3.3): every task, which is a work-group, has a queue of
// work units of its own, takes units from it and puts there what they lead to. A task whose queue is empty,
// or too full to go on, is idle and says so in a counter that all tasks read after every unit; when
// `threshold` of them are idle, all stop, and a balancing pass deals the units out anew.
//
// Tasks never wait for each other, so nothing is assumed about which of them run at the same time.
#ifndef TD_DEVICE_BALANCE_H
#define TD_DEVICE_BALANCE_H

#include "device.h"

// What kernels get: `units`, task t's from t * capacity on; how many each has in `counts`; `idle`. They leave
// the new numbers in `counts` and, once more, in `starts`.
typedef struct td_work_queues {
    td_device_buffer units, other; // the queues, and as much room
    td_device_buffer counts, starts, idle;
    uint32_t unit_words; // of 32 bits
    uint32_t task_count, capacity;
    uint32_t step; // the most units by which a queue grows before its task looks again: it needs that room
    uint32_t threshold; // idle tasks at which all stop: half
    uint32_t total;     // units in all queues
    uint32_t most;      // ... there have been at a balancing pass
    uint32_t passes;    // balancing passes so far
} td_work_queues;

typedef struct td_queue_sizes {
    uint32_t unit_words, task_count, capacity, step; // as above
} td_queue_sizes;

// Deals out `count` units, which may be reused when the call returns. `queues` is {0} or has been used
// before.
td_result td_queues_begin(td_device *device, td_work_queues *queues, const td_queue_sizes *sizes,
                          const void *units, uint32_t count);

// After a launch: deals out anew what is left, sets the idle counter to 0 and queues->total to the number of
// units. Where the queues were more than half full all in all, there are twice as many tasks then, if there
// is memory for that, or if none could go on without. Waits.
td_result td_queues_balance(td_device *device, td_work_queues *queues);

void td_queues_release(td_device *device, td_work_queues *queues);
uint64_t td_queues_bytes(const td_work_queues *queues);

#endif
