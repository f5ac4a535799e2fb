// Rays on a device. They are set out natively (ray_sheet.h), walk there (kernels/rays.cl), and those that
// doubles cannot decide are answered by the host: so hits are the native ones, to the bit.
#ifndef TD_TRAVERSE_RAY_DEVICE_H
#define TD_TRAVERSE_RAY_DEVICE_H

#include "device_state.h"
#include "ray.h"

// Answers `count` rays of the batch; `stamp`: of its mesh, which stays on the device. *bad becomes the
// lowest number of a ray that is no good, or `count`; then answers are worthless. The device must have
// float64.
td_result td_ray_run_on_device(size_t *bad, td_device_state *state, const td_ray_batch *batch,
                               td_mesh_stamp stamp, size_t count);

#endif
