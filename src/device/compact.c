// Compaction of a bit field: the bits of each word are counted, prefix sums of the counts say where the
// numbers of its bits go, and each word writes them. Order is kept, so results do not depend on the device.
#include "state.h"

enum { TD_COMPACT_GROUP = 64 };

static td_result td_count_bits(td_device *device, const td_device_buffer *flags, uint32_t count) {
    const td_kernel *kernel;
    TD_TRY(td_find_kernel(&kernel, device, "compact", NULL, "td_compact_count"));
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&device->compact_counts), TD_ARG_BUFFER(flags),
                                            TD_ARG_VALUE(count)};
    return td_run_kernel(device, kernel, count / 32 + (count % 32 != 0), TD_COMPACT_GROUP, arguments, 3,
                         TD_STAGE_COLLECT);
}

static td_result td_write_numbers(td_device *device, const td_device_buffer *out,
                                  const td_device_buffer *flags, uint32_t count) {
    const td_kernel *kernel;
    TD_TRY(td_find_kernel(&kernel, device, "compact", NULL, "td_compact_write"));
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(out), TD_ARG_BUFFER(&device->compact_counts),
                                            TD_ARG_BUFFER(flags), TD_ARG_VALUE(count)};
    return td_run_kernel(device, kernel, count / 32 + (count % 32 != 0), TD_COMPACT_GROUP, arguments, 4,
                         TD_STAGE_COLLECT);
}

td_result td_device_compact(td_device *device, td_device_buffer *out, const td_device_buffer *flags,
                            uint32_t count, uint32_t *total) {
    *total = 0;
    if (count == 0) {
        return TD_OK;
    }
    const uint32_t words = count / 32 + (count % 32 != 0);
    if (flags->size / sizeof words < words) {
        return td_fail(TD_ERROR_ARGUMENT, "%u flags in a device buffer of %zu bytes", count, flags->size);
    }
    TD_TRY(td_buffer_reserve(device, &device->compact_counts, words * sizeof words, 0));
    TD_TRY(td_count_bits(device, flags, count));
    uint32_t set = 0;
    TD_TRY(td_device_scan(device, &device->compact_counts, words, &set));
    TD_TRY(td_buffer_reserve(device, out, (size_t)set * sizeof set, 0));
    if (set > 0) {
        TD_TRY(td_write_numbers(device, out, flags, count));
    }
    *total = set;
    return TD_OK;
}
