// Memory of the device. All of it is counted, so that a limit below what the device has can be kept.
#include "state.h"

static cl_mem td_memory_of(const td_device_buffer *buffer) {
    return (cl_mem)buffer->memory;
}

static bool td_fits(const td_device *device, uint64_t size) {
    return size <= td_device_memory_left(device) && size <= device->info.largest_allocation;
}

static td_result td_refuse(td_device *device, size_t size) {
    device->is_short = true;
    return td_fail(TD_ERROR_DEVICE,
                   "device %s ran out of memory: a buffer of %zu bytes was asked for; %llu of %llu bytes are "
                   "in use, and a buffer may have %llu",
                   device->info.name, size, (unsigned long long)device->memory_used,
                   (unsigned long long)device->memory_limit,
                   (unsigned long long)device->info.largest_allocation);
}

static td_result td_copy_kept(td_device *device, cl_mem target, const td_device_buffer *source, size_t keep) {
    if (keep == 0 || source->size == 0) {
        return TD_OK;
    }
    TD_TRY(td_make_event_room(device));
    cl_event event;
    const cl_int code = device->cl.clEnqueueCopyBuffer(device->queue, td_memory_of(source), target, 0, 0,
                                                       keep, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "copying %zu bytes to a larger buffer", keep);
    }
    td_keep_event(device, event, TD_STAGE_OTHER);
    return TD_OK;
}

td_result td_buffer_reserve(td_device *device, td_device_buffer *buffer, size_t size, size_t keep) {
    if (size <= buffer->size) {
        return TD_OK;
    }
    size_t grown = buffer->size + buffer->size / 2;
    if (grown < size || !td_fits(device, grown)) {
        grown = size;
    }
    if (!td_fits(device, grown)) {
        return td_refuse(device, grown);
    }
    cl_int code = CL_SUCCESS;
    cl_mem memory = device->cl.clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, grown, NULL, &code);
    if (memory == NULL) {
        return td_device_fail(device, code, "a buffer of %zu bytes", grown);
    }
    const td_result result = td_copy_kept(device, memory, buffer, keep < buffer->size ? keep : buffer->size);
    if (result != TD_OK) {
        device->cl.clReleaseMemObject(memory);
        return result;
    }
    td_buffer_release(device, buffer); // OpenCL keeps it until the commands that use it are done
    *buffer = (td_device_buffer){memory, grown};
    device->memory_used += grown;
    return TD_OK;
}

void td_buffer_release(td_device *device, td_device_buffer *buffer) {
    if (buffer->memory != NULL) {
        device->cl.clReleaseMemObject(td_memory_of(buffer));
        device->memory_used -= buffer->size;
    }
    *buffer = (td_device_buffer){0};
}

// A range that is not inside the buffer is a programmer's mistake, which a device may not notice.
static td_result td_check_range(const td_device_buffer *buffer, size_t offset, size_t size) {
    if (offset > buffer->size || size > buffer->size - offset) {
        return td_fail(TD_ERROR_ARGUMENT, "%zu bytes from byte %zu on are not inside a device buffer of %zu",
                       size, offset, buffer->size);
    }
    return TD_OK;
}

td_result td_buffer_write(td_device *device, td_device_buffer *buffer, size_t offset, const void *source,
                          size_t size) {
    TD_TRY(td_check_range(buffer, offset, size));
    if (size == 0) {
        return TD_OK;
    }
    TD_TRY(td_make_event_room(device));
    cl_event event;
    const cl_int code = device->cl.clEnqueueWriteBuffer(device->queue, td_memory_of(buffer), CL_TRUE, offset,
                                                        size, source, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "copying %zu bytes to the device", size);
    }
    td_keep_event(device, event, TD_STAGE_COPY_IN);
    device->times.bytes_in += size;
    return TD_OK;
}

td_result td_buffer_read(td_device *device, void *target, const td_device_buffer *buffer, size_t offset,
                         size_t size) {
    TD_TRY(td_check_range(buffer, offset, size));
    if (size == 0) {
        return TD_OK;
    }
    TD_TRY(td_make_event_room(device));
    cl_event event;
    const cl_int code = device->cl.clEnqueueReadBuffer(device->queue, td_memory_of(buffer), CL_TRUE, offset,
                                                       size, target, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "copying %zu bytes from the device", size);
    }
    td_keep_event(device, event, TD_STAGE_COPY_OUT);
    device->times.bytes_out += size;
    return td_sum_events_before(device, 1); // what was read is worth nothing if a kernel before it failed
}

td_result td_buffer_fill(td_device *device, td_device_buffer *buffer, size_t offset, size_t count,
                         uint32_t value) {
    const size_t size = count * sizeof value;
    TD_TRY(td_check_range(buffer, offset, size));
    if (size == 0) {
        return TD_OK;
    }
    TD_TRY(td_make_event_room(device));
    cl_event event;
    const cl_int code = device->cl.clEnqueueFillBuffer(device->queue, td_memory_of(buffer), &value,
                                                       sizeof value, offset, size, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "filling %zu bytes", size);
    }
    td_keep_event(device, event, TD_STAGE_OTHER);
    return TD_OK;
}
