// The room in a build without OpenCL (TANDEM_OPENCL=OFF): no device can be opened, so that whatever is asked
// of one is answered by the same sentence.
#include "../core/error.h"
#include "device.h"

static td_result td_refuse(void) {
    return td_fail(TD_ERROR_DEVICE, "this build has no OpenCL");
}

td_result td_list_devices(td_device_info *out, uint32_t capacity, uint32_t *count, td_context *context) {
    (void)out, (void)capacity, (void)context;
    *count = 0;
    return td_refuse();
}

td_result td_create_device(td_device **out, td_context *context, const td_device_def *def) {
    (void)context, (void)def;
    *out = NULL;
    return td_refuse();
}

void td_destroy_device(td_device *device) {
    (void)device;
}

void td_device_describe(td_device_info *out, const td_device *device) {
    (void)device;
    *out = (td_device_info){.kind = TD_DEVICE_OTHER};
}

td_device *td_device_retain(td_device *device) {
    return device;
}

td_context *td_device_context(const td_device *device) {
    (void)device;
    return NULL;
}

bool td_device_has_float64(const td_device *device) {
    (void)device;
    return false;
}

uint32_t td_device_compute_units(const td_device *device) {
    (void)device;
    return 0;
}

uint64_t td_device_memory_left(const td_device *device) {
    (void)device;
    return 0;
}

td_result td_device_finish(td_device *device) {
    (void)device;
    return td_refuse();
}

void td_device_time_kernels(td_device *device, bool timed) {
    (void)device, (void)timed;
}

void td_device_reset_times(td_device *device) {
    (void)device;
}

td_device_times td_device_sum_times(const td_device *device) {
    (void)device;
    return (td_device_times){0};
}

bool td_device_is_short(const td_device *device) {
    (void)device;
    return false;
}

td_result td_buffer_reserve(td_device *device, td_device_buffer *buffer, size_t size, size_t keep) {
    (void)device, (void)buffer, (void)size, (void)keep;
    return td_refuse();
}

void td_buffer_release(td_device *device, td_device_buffer *buffer) {
    (void)device, (void)buffer;
}

td_result td_buffer_write(td_device *device, td_device_buffer *buffer, size_t offset, const void *source,
                          size_t size) {
    (void)device, (void)buffer, (void)offset, (void)source, (void)size;
    return td_refuse();
}

td_result td_buffer_read(td_device *device, void *target, const td_device_buffer *buffer, size_t offset,
                         size_t size) {
    (void)device, (void)target, (void)buffer, (void)offset, (void)size;
    return td_refuse();
}

td_result td_buffer_read_begin(td_device_ticket *out, td_device *device, void *target,
                               const td_device_buffer *buffer, size_t offset, size_t size) {
    (void)device, (void)target, (void)buffer, (void)offset, (void)size;
    *out = (td_device_ticket){0};
    return td_refuse();
}

td_result td_buffer_read_end(td_device *device, td_device_ticket *ticket) {
    (void)device, (void)ticket;
    return td_refuse();
}

td_result td_buffer_fill(td_device *device, td_device_buffer *buffer, size_t offset, size_t count,
                         uint32_t value) {
    (void)device, (void)buffer, (void)offset, (void)count, (void)value;
    return td_refuse();
}

td_result td_find_kernel(const td_kernel **out, td_device *device, const char *program, const char *options,
                         const char *name) {
    (void)device, (void)program, (void)options, (void)name;
    *out = NULL;
    return td_refuse();
}

td_result td_run_kernel(td_device *device, const td_kernel *kernel, size_t items, size_t group_size,
                        const td_kernel_argument *arguments, uint32_t argument_count, td_device_stage stage) {
    (void)device, (void)kernel, (void)items, (void)group_size, (void)arguments, (void)argument_count;
    (void)stage;
    return td_refuse();
}

td_result td_device_scan(td_device *device, td_device_buffer *words, uint32_t count, uint32_t *total) {
    (void)device, (void)words, (void)count;
    if (total != NULL) {
        *total = 0;
    }
    return td_refuse();
}

td_result td_device_compact(td_device *device, td_device_buffer *out, const td_device_buffer *flags,
                            uint32_t count, uint32_t *total) {
    (void)device, (void)out, (void)flags, (void)count;
    *total = 0;
    return td_refuse();
}
