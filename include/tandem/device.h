// Devices: OpenCL processors that queries may run on. OpenCL is loaded when first asked for; a machine
// without it can do everything natively, and these calls say what is missing (TD_ERROR_DEVICE).
//
// Answers never depend on the device: what its float32 arithmetic cannot decide is decided exactly, on the
// device where it has float64, else on the host.
#ifndef TANDEM_DEVICE_H
#define TANDEM_DEVICE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_device_kind {
    TD_DEVICE_CPU,
    TD_DEVICE_GPU,
    TD_DEVICE_ACCELERATOR,
    TD_DEVICE_OTHER
} td_device_kind;

// "cpu", "gpu", ... Never null.
TD_API const char *td_device_kind_name(td_device_kind kind);

typedef struct td_device_info {
    uint32_t index; // the N of "opencl:N": devices of all platforms, in the order OpenCL lists them
    td_device_kind kind;
    char name[128];
    char platform[128];
    char version[64]; // of OpenCL on this device
    char driver[64];
    uint32_t compute_units;
    uint64_t memory;             // bytes
    uint64_t largest_allocation; // bytes
    bool float64;
    bool usable; // OpenCL 1.2 with a compiler, online, little-endian
} td_device_info;

// Fills at most `capacity` of them and sets *count to how many there are. TD_ERROR_DEVICE, with what was
// looked for, if there is no OpenCL library or no device.
TD_API td_result td_list_devices(td_device_info *out, uint32_t capacity, uint32_t *count,
                                 td_context *context);

typedef struct td_device td_device;

typedef struct td_device_def {
    uint32_t cookie;
    uint32_t index;           // of td_device_info
    bool without_float64;     // leave the device's float64 alone, as if it had none
    const char *cache_folder; // compiled kernels are kept here; null: $XDG_CACHE_HOME/tandem or
                              // ~/.cache/tandem; "": nowhere
    uint64_t memory_limit;    // bytes of device memory that may be used; 0: what the device has
} td_device_def;

TD_API td_device_def td_default_device_def(void);

// Opens a device, compiles or loads the kernels that check it, and puts known questions to it: a device that
// gives wrong answers is refused. One thread at a time may use a device.
TD_API td_result td_create_device(td_device **out, td_context *context, const td_device_def *def);
TD_API void td_destroy_device(td_device *device); // null is fine

// What a user types: "native" gives null; "opencl" the first usable device; "opencl:N" device N; "auto" the
// first usable device or, with a note in the context's log, null. TD_ERROR_ARGUMENT if the text is none of
// these, TD_ERROR_DEVICE if there is no such device, with a list of those there are.
TD_API td_result td_create_device_by_name(td_device **out, td_context *context, const char *text);

TD_API void td_device_describe(td_device_info *out, const td_device *device);

#ifdef __cplusplus
}
#endif
#endif
