// An open OpenCL device: its queue, its programs, and how long its work took.
//
// Work is enqueued in order; nothing waits but td_buffer_read and td_device_finish. A call that fails says
// what the device was asked to do and what OpenCL answered (TD_ERROR_DEVICE); td_device_is_short tells
// whether it was for want of memory.
#ifndef TD_DEVICE_DEVICE_H
#define TD_DEVICE_DEVICE_H

#include <tandem/device.h>

// What the time of a device goes into. Kernels say at launch which they belong to.
typedef enum td_device_stage {
    TD_STAGE_COPY_IN,
    TD_STAGE_COPY_OUT,
    TD_STAGE_BOXES,     // traversal
    TD_STAGE_COLLECT,   // prefix sums and compaction
    TD_STAGE_TRIANGLES, // float32 filter
    TD_STAGE_EXACT,     // exact predicate
    TD_STAGE_HIERARCHY, // refitting and building
    TD_STAGE_OTHER,
    TD_STAGE_COUNT
} td_device_stage;

const char *td_device_stage_name(td_device_stage stage); // "copy in", "boxes", ...

typedef struct td_device_times {
    double ms[TD_STAGE_COUNT]; // by OpenCL's own clock (profiling events)
    uint64_t launches;         // kernels started
    uint64_t bytes_in, bytes_out;
    uint64_t waits; // of the host for the device
} td_device_times;

// One more user: the device lives until td_destroy_device has been called once more. Returns the device.
td_device *td_device_retain(td_device *device);

td_context *td_device_context(const td_device *device);
bool td_device_has_float64(const td_device *device); // and may use it
uint32_t td_device_compute_units(const td_device *device);
uint64_t td_device_memory_left(const td_device *device); // bytes, by the device's size and the def's limit

// Waits for everything and adds the times of all events since to the device's sums.
td_result td_device_finish(td_device *device);
void td_device_reset_times(td_device *device);

// Whether kernels are timed from now on; they are, unless this says no. Times take events, and events are
// waited for now and then: without them nothing waits, however many kernels are started.
void td_device_time_kernels(td_device *device, bool timed);
td_device_times td_device_sum_times(const td_device *device); // up to the last td_device_finish

// Whether the calling thread's last failure on this device was that memory ran out.
bool td_device_is_short(const td_device *device);

// ---------------------------------------------------------------------------------------------------------
// Buffers: memory of the device. {0} is an empty one.

typedef struct td_device_buffer {
    void *memory; // cl_mem
    size_t size;  // bytes
} td_device_buffer;

// At least `size` bytes, of which the first `keep` hold what they held. Grows by half at least. On failure
// the buffer is what it was.
td_result td_buffer_reserve(td_device *device, td_device_buffer *buffer, size_t size, size_t keep);
void td_buffer_release(td_device *device, td_device_buffer *buffer);

// `source` may be reused as soon as the call returns.
td_result td_buffer_write(td_device *device, td_device_buffer *buffer, size_t offset, const void *source,
                          size_t size);
td_result td_buffer_read(td_device *device, void *target, const td_device_buffer *buffer, size_t offset,
                         size_t size); // waits

// A copy that is asked for, and one that is waited for: `target` holds it after td_buffer_read_end. The null
// ticket is none.
typedef struct td_device_ticket {
    void *event; // cl_event
} td_device_ticket;

td_result td_buffer_read_begin(td_device_ticket *out, td_device *device, void *target,
                               const td_device_buffer *buffer, size_t offset, size_t size);
td_result td_buffer_read_end(td_device *device, td_device_ticket *ticket);

td_result td_buffer_fill(td_device *device, td_device_buffer *buffer, size_t offset, size_t count,
                         uint32_t value); // `count` words of 32 bits from byte `offset` on

// ---------------------------------------------------------------------------------------------------------
// Kernels. Sources are the files kernels/NAME.cl with all they include, embedded by the build. A program is
// compiled, or found in the cache, when a kernel of it is first asked for, and kept as long as the device.

typedef struct td_kernel td_kernel;

// Kernel `name` of kernels/PROGRAM.cl compiled with `options` ("-DTD_X=1"; null: none). The device adds what
// every program needs (-cl-std=CL1.2, TD_DEVICE_FLOAT64). The kernel belongs to the device.
td_result td_find_kernel(const td_kernel **out, td_device *device, const char *program, const char *options,
                         const char *name);

// An argument: a buffer, a value, or (value null) `size` bytes of local memory.
typedef struct td_kernel_argument {
    const td_device_buffer *buffer;
    const void *value;
    size_t size;
} td_kernel_argument;

#define TD_ARG_BUFFER(device_buffer) ((td_kernel_argument){.buffer = (device_buffer)})
#define TD_ARG_VALUE(variable)       ((td_kernel_argument){.value = &(variable), .size = sizeof(variable)})
#define TD_ARG_LOCAL(bytes)          ((td_kernel_argument){.size = (bytes)})

// Starts `items` work-items, rounded up to whole groups of `group_size`: kernels compare their number with a
// count they are given. The group size must suit the kernel's needs, not the device's: it is taken as it is.
td_result td_run_kernel(td_device *device, const td_kernel *kernel, size_t items, size_t group_size,
                        const td_kernel_argument *arguments, uint32_t argument_count, td_device_stage stage);

// ---------------------------------------------------------------------------------------------------------
// Prefix sum: words[i] becomes the sum of the words before it; *total (may be null: then nothing waits) the
// sum of all. The sum must fit 32 bits.
td_result td_device_scan(td_device *device, td_device_buffer *words, uint32_t count, uint32_t *total);

// Compaction: writes the numbers i, ascending, of the set bits of `flags` (bit i % 32 of word i / 32, `count`
// bits) to `out`, which is made large enough, and their number to *total.
td_result td_device_compact(td_device *device, td_device_buffer *out, const td_device_buffer *flags,
                            uint32_t count, uint32_t *total);

#endif
