// Starting kernels.
#include "state.h"

static td_result td_set_argument(td_device *device, const td_kernel *kernel, uint32_t index,
                                 const td_kernel_argument *argument) {
    cl_int code;
    if (argument->buffer != NULL) {
        void *memory = argument->buffer->memory; // a cl_mem
        code = device->cl.clSetKernelArg(kernel->handle, index, sizeof memory, &memory);
    } else {
        code = device->cl.clSetKernelArg(kernel->handle, index, argument->size, argument->value);
    }
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "argument %u of kernel %s", index, kernel->name);
    }
    return TD_OK;
}

td_result td_run_kernel(td_device *device, const td_kernel *kernel, size_t items, size_t group_size,
                        const td_kernel_argument *arguments, uint32_t argument_count, td_device_stage stage) {
    if (argument_count != kernel->argument_count) {
        return td_fail(TD_ERROR_ARGUMENT, "kernel %s has %u arguments: %u were given", kernel->name,
                       kernel->argument_count, argument_count);
    }
    if (group_size == 0 || items > SIZE_MAX - group_size) {
        return td_fail(TD_ERROR_ARGUMENT, "kernel %s: %zu work-items in groups of %zu", kernel->name, items,
                       group_size);
    }
    if (items == 0) {
        return TD_OK;
    }
    for (uint32_t i = 0; i < argument_count; ++i) {
        TD_TRY(td_set_argument(device, kernel, i, &arguments[i]));
    }
    if (!device->untimed) {
        TD_TRY(td_make_event_room(device));
    }
    const size_t rounded = (items + group_size - 1) / group_size * group_size;
    cl_event event = NULL;
    const cl_int code =
        device->cl.clEnqueueNDRangeKernel(device->queue, kernel->handle, 1, NULL, &rounded, &group_size, 0,
                                          NULL, device->untimed ? NULL : &event);
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "kernel %s with %zu work-items in groups of %zu", kernel->name,
                              rounded, group_size);
    }
    if (!device->untimed) {
        td_keep_event(device, event, stage);
    }
    ++device->times.launches;
    return TD_OK;
}
