// The strategies that walk post-order hierarchies, on a device.
#ifndef TD_TRAVERSE_WALK_DEVICE_H
#define TD_TRAVERSE_WALK_DEVICE_H

#include "device_state.h"

td_result td_binary_run_on_device(td_device_batch *batch);
td_result td_stack_run_on_device(td_device_batch *batch);

#endif
