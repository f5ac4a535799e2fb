// `blocked` on a device.
#ifndef TD_TRAVERSE_BLOCKED_DEVICE_H
#define TD_TRAVERSE_BLOCKED_DEVICE_H

#include "device_state.h"

td_result td_blocked_run_on_device(td_device_batch *batch);

#endif
