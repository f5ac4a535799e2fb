// A front in the memory of a device (paper 001, section 4.2, Figs. 4 and 5).
//
// A step tests every entry by a work-item of its own, and moves it as natively (front.h): siblings are
// neighbours in the list, on the device as well. What is below the entries that descend is found round by
// round, as units of a list that keeps the order of a walk; then prefix sums tell every entry and every unit
// its place in the next front, which is written beside the last one. So it is the native one, entry by entry.
//
// A front that outgrows its limit, or the memory of the device, is dropped, and the question answered without
// one: units are then what waits to be visited, the last first, so that memory is bounded by the heights of
// the hierarchies.
#ifndef TD_TRAVERSE_FRONT_DEVICE_H
#define TD_TRAVERSE_FRONT_DEVICE_H

#include "../device/device.h"
#include "traversal.h"

typedef struct td_device_front {
    td_device *device; // whose memory holds it; null: none does
    td_device_buffer entries, next;
    uint32_t count;
    uint64_t most_entries; // 0: nothing is kept
    bool held;             // the entries are a cut through the test tree of the question
    td_front_moves moves;  // of the last step
} td_device_front;

void td_device_front_release(td_device_front *front); // {0} is fine
uint64_t td_device_front_bytes(const td_device_front *front);

// Entries from the host, on this device; and back.
td_result td_device_front_write(td_device_front *front, td_device *device, const td_front_list *entries);
td_result td_device_front_read(td_front_list *out, const td_device_front *front, td_context *context);

// Of the strategy: all questions, one after the other.
td_result td_front_run_on_device(td_device_batch *batch);

#endif
