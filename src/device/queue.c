// The commands of a device and how long they took, by OpenCL's own clock.
#include "state.h"

// Events hold memory of the driver: past this many, the older half is waited for and summed.
enum { TD_EVENTS_KEPT = 1024 };

// Takes the times of the first `count` events, which have finished.
static td_result td_sum_events(td_device *device, size_t count) {
    const td_opencl *cl = &device->cl;
    cl_int failed = CL_SUCCESS;
    for (size_t i = 0; i < count; ++i) {
        const td_device_event *event = &device->events.items[i];
        cl_int status = CL_SUCCESS;
        cl_ulong start = 0, end = 0;
        cl_int code = cl->clGetEventInfo(event->handle, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                         &status, NULL);
        if (code == CL_SUCCESS && status < 0) {
            code = status;
        }
        if (code == CL_SUCCESS) {
            code = cl->clGetEventProfilingInfo(event->handle, CL_PROFILING_COMMAND_START, sizeof start,
                                               &start, NULL);
        }
        if (code == CL_SUCCESS) {
            code =
                cl->clGetEventProfilingInfo(event->handle, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        }
        if (code == CL_SUCCESS && end > start) {
            device->times.ms[event->stage] += (double)(end - start) * 1e-6;
        }
        failed = failed == CL_SUCCESS ? code : failed;
        cl->clReleaseEvent(event->handle);
    }
    const size_t left = device->events.count - count;
    for (size_t i = 0; i < left; ++i) {
        device->events.items[i] = device->events.items[count + i];
    }
    device->events.count = left;
    return failed == CL_SUCCESS ? TD_OK : td_device_fail(device, failed, "a command failed while it ran");
}

td_result td_make_event_room(td_device *device) {
    if (device->events.count >= TD_EVENTS_KEPT) {
        const size_t half = TD_EVENTS_KEPT / 2;
        ++device->times.waits;
        const cl_int code = device->cl.clWaitForEvents(1, &device->events.items[half - 1].handle);
        if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
            return td_device_fail(device, code, "waiting for commands");
        }
        TD_TRY(td_sum_events(device, half)); // the queue is in order: those before it are done as well
    }
    return td_array_reserve(device->context, &device->events, 1);
}

void td_keep_event(td_device *device, cl_event event, td_device_stage stage) {
    device->events.items[device->events.count++] = (td_device_event){event, stage};
}

td_result td_sum_events_before(td_device *device, size_t kept) {
    return td_sum_events(device, device->events.count - kept);
}

td_result td_device_finish(td_device *device) {
    ++device->times.waits;
    const cl_int code = device->cl.clFinish(device->queue);
    const td_result result = td_sum_events(device, device->events.count);
    return code == CL_SUCCESS ? result : td_device_fail(device, code, "waiting for all commands");
}

void td_device_time_kernels(td_device *device, bool timed) {
    device->untimed = !timed;
}

void td_device_reset_times(td_device *device) {
    device->times = (td_device_times){0};
}

td_device_times td_device_sum_times(const td_device *device) {
    return device->times;
}
