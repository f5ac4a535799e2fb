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
    ++device->times.waits; // until the source may be reused
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
    ++device->times.waits;
    return td_sum_events_before(device, 1); // what was read is worth nothing if a kernel before it failed
}

td_result td_buffer_read_begin(td_device_ticket *out, td_device *device, void *target,
                               const td_device_buffer *buffer, size_t offset, size_t size) {
    *out = (td_device_ticket){0};
    TD_TRY(td_check_range(buffer, offset, size));
    cl_event event;
    const cl_int code = device->cl.clEnqueueReadBuffer(device->queue, td_memory_of(buffer), CL_FALSE, offset,
                                                       size, target, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        return td_device_fail(device, code, "copying %zu bytes from the device", size);
    }
    device->times.bytes_out += size;
    out->event = event;
    return TD_OK;
}

td_result td_buffer_read_end(td_device *device, td_device_ticket *ticket) {
    if (ticket->event == NULL) {
        return TD_OK;
    }
    cl_event event = (cl_event)ticket->event;
    *ticket = (td_device_ticket){0};
    ++device->times.waits;
    const cl_int code = device->cl.clWaitForEvents(1, &event);
    device->cl.clReleaseEvent(event);
    return code == CL_SUCCESS ? TD_OK : td_device_fail(device, code, "waiting for a copy from the device");
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
