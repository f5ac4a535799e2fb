// Opening and closing a device, and what is told about it. Its commands and their times are in queue.c.
#include "check.h"
#include "program_cache.h"
#include "state.h"

#include <stdarg.h>
#include <stdio.h>

td_result td_device_fail(td_device *device, cl_int code, const char *doing, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, doing);
    vsnprintf(sentence, sizeof sentence, doing, arguments);
    va_end(arguments);
    device->is_short = td_opencl_is_short(code);
    if (device->is_short) {
        return td_fail(TD_ERROR_DEVICE,
                       "device %s ran out of memory: %s: %s (%d); %llu of %llu bytes are in use",
                       device->info.name, sentence, td_opencl_error_name(code), code,
                       (unsigned long long)device->memory_used, (unsigned long long)device->memory_limit);
    }
    return td_fail(TD_ERROR_DEVICE, "device %s: %s: %s (%d)", device->info.name, sentence,
                   td_opencl_error_name(code), code);
}

// "opencl:0 (NAME), opencl:1 (NAME)", as far as it fits.
static void td_join_devices(char *text, size_t size, const td_found_devices *found) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < found->list.count && used < size; ++i) {
        const td_device_info *info = &found->list.items[i].info;
        used += (size_t)snprintf(text + used, size - used, "%sopencl:%u (%s)", i > 0 ? ", " : "", info->index,
                                 info->name);
    }
}

static td_result td_choose_device(td_device *device, uint32_t index) {
    td_found_devices found = {0};
    td_result result = td_find_devices(&found, device->context, &device->cl);
    if (result == TD_OK && index >= found.list.count) {
        char names[700];
        td_join_devices(names, sizeof names, &found);
        result = td_fail(TD_ERROR_DEVICE, "there is no OpenCL device %u; there is: %s", index, names);
    } else if (result == TD_OK) {
        const td_found_device *chosen = &found.list.items[index];
        device->platform = chosen->platform;
        device->id = chosen->id;
        device->info = chosen->info;
        if (!chosen->info.usable) {
            result = td_fail(TD_ERROR_DEVICE,
                             "device opencl:%u (%s, %s) is not usable: expected OpenCL 1.2 with a compiler, "
                             "available, little-endian",
                             index, chosen->info.name, chosen->info.version);
        }
    }
    td_array_release(device->context, &found.list);
    return result;
}

static td_result td_open_queue(td_device *device) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform,
                                                0};
    cl_int code = CL_SUCCESS;
    device->cl_context = device->cl.clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    if (device->cl_context == NULL) {
        return td_device_fail(device, code, "cannot make a context");
    }
    device->queue =
        device->cl.clCreateCommandQueue(device->cl_context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (device->queue == NULL) {
        return td_device_fail(device, code, "cannot make a command queue");
    }
    return TD_OK;
}

// How prefix sums are shared out. A GPU: groups of the largest power of two that the device allows, up to 256
// (beyond, work-items only wait longer for each other). A CPU runs the work-items of a group one after the
// other: there a group is one work-item with a block that its cache holds.
static td_result td_choose_scan_group(td_device *device) {
    if (device->info.kind == TD_DEVICE_CPU) {
        device->scan_group = 1;
        device->scan_words = 2048;
        return TD_OK;
    }
    size_t largest = 0;
    const cl_int code =
        device->cl.clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, NULL);
    if (code != CL_SUCCESS || largest == 0) {
        return td_device_fail(device, code, "cannot ask for the largest work-group");
    }
    device->scan_group = 256;
    device->scan_words = 8;
    while (device->scan_group > largest) {
        device->scan_group /= 2;
    }
    return TD_OK;
}

static td_result td_open_device(td_device *device, const td_device_def *def) {
    TD_TRY(td_open_opencl(&device->cl));
    TD_TRY(td_choose_device(device, def->index));
    device->float64 = device->info.float64 && !def->without_float64;
    device->memory_limit = device->info.memory;
    if (def->memory_limit != 0 && def->memory_limit < device->memory_limit) {
        device->memory_limit = def->memory_limit;
    }
    TD_TRY(td_open_queue(device));
    TD_TRY(td_choose_scan_group(device));
    TD_TRY(td_find_cache_folder(&device->cache_folder, &device->cache_folder_size, device->context,
                                def->cache_folder));
    TD_TRY(td_check_device(device));
    td_device_reset_times(device);
    return TD_OK;
}

td_result td_create_device(td_device **out, td_context *context, const td_device_def *def) {
    *out = NULL;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_DEVICE, "td_default_device_def"));
    td_device *device = TD_NEW(context, td_device, 1);
    if (device == NULL) {
        return TD_ERROR_MEMORY;
    }
    *device = (td_device){.context = context};
    const td_result result = td_open_device(device, def);
    if (result != TD_OK) {
        td_destroy_device(device);
        return result;
    }
    *out = device;
    return TD_OK;
}

td_device *td_device_retain(td_device *device) {
    device->references++;
    return device;
}

void td_destroy_device(td_device *device) {
    if (device == NULL || device->references-- > 0) {
        return;
    }
    const td_opencl *cl = &device->cl;
    if (device->queue != NULL) {
        cl->clFinish(device->queue); // a command that failed has nobody left to hear of it
    }
    for (size_t i = 0; i < device->events.count; ++i) {
        cl->clReleaseEvent(device->events.items[i].handle);
    }
    td_array_release(device->context, &device->events);
    for (int i = 0; i < TD_SCAN_LEVELS; ++i) {
        td_buffer_release(device, &device->scan_sums[i]);
    }
    td_buffer_release(device, &device->scan_total);
    td_buffer_release(device, &device->compact_counts);
    td_release_programs(device);
    if (device->queue != NULL) {
        cl->clReleaseCommandQueue(device->queue);
    }
    if (device->cl_context != NULL) {
        cl->clReleaseContext(device->cl_context);
    }
    td_release(device->context, device->cache_folder, device->cache_folder_size, 1);
    td_close_opencl(&device->cl);
    TD_DELETE(device->context, td_device, device, 1);
}

void td_device_describe(td_device_info *out, const td_device *device) {
    *out = device->info;
}

td_context *td_device_context(const td_device *device) {
    return device->context;
}

bool td_device_has_float64(const td_device *device) {
    return device->float64;
}

uint32_t td_device_compute_units(const td_device *device) {
    return device->info.compute_units;
}

uint64_t td_device_memory_left(const td_device *device) {
    return device->memory_used < device->memory_limit ? device->memory_limit - device->memory_used : 0;
}

bool td_device_is_short(const td_device *device) {
    return device->is_short;
}
