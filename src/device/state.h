// What the files of this room know of an open device.
#ifndef TD_DEVICE_STATE_H
#define TD_DEVICE_STATE_H

#include "../core/array.h"
#include "../core/context.h"
#include "../core/error.h"
#include "device.h"
#include "opencl.h"

// kernels/NAME.cl with all it includes; the table is written by the build (cmake/embed_kernels.c).
typedef struct td_kernel_source {
    const char *name;
    const unsigned char *text;
    size_t size; // bytes, without the null that follows
} td_kernel_source;

extern const td_kernel_source td_kernel_sources[];
extern const uint32_t td_kernel_source_count;

typedef struct td_device_program {
    struct td_device_program *next; // of the device's list
    const td_kernel_source *source;
    char *options; // all of them, as they were given to the compiler; the program's own
    size_t options_size;
    const char *asked; // those that td_find_kernel was given, behind what every program is compiled with
    cl_program handle;
} td_device_program;

struct td_kernel {
    struct td_kernel *next; // of the device's list
    cl_kernel handle;
    uint32_t argument_count;
    const td_device_program *program;
    char name[64];
};

typedef struct td_device_event {
    cl_event handle;
    td_device_stage stage;
} td_device_event;

enum { TD_SCAN_LEVELS = 11 }; // of 2^32 words in blocks of 8, where groups are of one work-item

struct td_device {
    td_context *context;
    uint32_t references; // beside the creator's: queries that hold memory on it
    td_opencl cl;
    td_device_info info;
    cl_platform_id platform;
    cl_device_id id;
    cl_context cl_context;
    cl_command_queue queue;
    bool float64;
    bool is_short;         // the last failure was for want of memory
    bool untimed;          // kernels are not timed
    uint64_t memory_limit; // bytes
    uint64_t memory_used;  // bytes in all buffers that live
    uint32_t scan_group;   // work-items in a group of scan.cl, a power of two
    uint32_t scan_words;   // words for each of them
    char *cache_folder;    // null: none
    size_t cache_folder_size;
    td_device_program *programs; // lists: what was found stays where it is
    td_kernel *kernels;
    TD_ARRAY(td_device_event) events; // of commands whose times are not summed yet
    td_device_times times;
    // Scratch memory of td_device_scan and td_device_compact.
    td_device_buffer scan_sums[TD_SCAN_LEVELS];
    td_device_buffer scan_total;
    td_device_buffer compact_counts;
};

// Devices of all platforms, in OpenCL's order.
typedef struct td_found_device {
    cl_platform_id platform;
    cl_device_id id;
    td_device_info info;
} td_found_device;

typedef struct td_found_devices {
    TD_ARRAY(td_found_device) list;
} td_found_devices;

// TD_ERROR_DEVICE if there is none. To be released by the caller with td_array_release, also on failure.
td_result td_find_devices(td_found_devices *out, td_context *context, const td_opencl *cl);

// TD_ERROR_DEVICE with "device NAME: DOING: CL_X"; where memory ran out, with how much is in use.
__attribute__((format(printf, 3, 4))) td_result td_device_fail(td_device *device, cl_int code,
                                                               const char *doing, ...);

// Commands are timed: make room before one is enqueued, then hand its event over.
td_result td_make_event_room(td_device *device);
void td_keep_event(td_device *device, cl_event event, td_device_stage stage);

// To be called when all but the last `kept` commands are known to be done: takes their times, and fails if
// one of them failed. A command that fails on the device tells it only so.
td_result td_sum_events_before(td_device *device, size_t kept);

void td_release_programs(td_device *device);

#endif
