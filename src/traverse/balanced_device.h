// Strategy `balanced` on a device: paper 001, section 3.3.
#ifndef TD_TRAVERSE_BALANCED_DEVICE_H
#define TD_TRAVERSE_BALANCED_DEVICE_H

#include "device_state.h"

td_result td_balanced_run_on_device(td_device_batch *batch);

#endif
