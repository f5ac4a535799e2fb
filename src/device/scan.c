// Prefix sums: the words are cut into blocks of one work-group each. First the sum of each block, then the
// prefix sums of those (the same again, one level up, until one block is left), then each block by itself,
// starting from its sum. Two readings and one writing of the words.
//
// based on: Merrill, Grimshaw, Parallel Scan for Stream Architectures, 2009 (reduce, then scan).
#include "state.h"

#include <stdio.h>

static td_result td_find_scan_kernel(const td_kernel **out, td_device *device, const char *name) {
    char options[64];
    snprintf(options, sizeof options, "-DTD_SCAN_GROUP=%u -DTD_SCAN_WORDS=%u", device->scan_group,
             device->scan_words);
    return td_find_kernel(out, device, "scan", options, name);
}

static uint32_t td_block_count(const td_device *device, uint32_t count) {
    const uint32_t block = device->scan_group * device->scan_words;
    return count / block + (count % block != 0);
}

static td_result td_sum_blocks(td_device *device, const td_device_buffer *sums, const td_device_buffer *words,
                               uint32_t count) {
    const td_kernel *kernel;
    TD_TRY(td_find_scan_kernel(&kernel, device, "td_scan_sum_blocks"));
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(sums), TD_ARG_BUFFER(words), TD_ARG_VALUE(count)};
    return td_run_kernel(device, kernel, (size_t)td_block_count(device, count) * device->scan_group,
                         device->scan_group, arguments, 3, TD_STAGE_COLLECT);
}

// `starts` null: the only block, which starts from 0.
static td_result td_scan_blocks(td_device *device, td_device_buffer *words, uint32_t count,
                                const td_device_buffer *starts) {
    const td_kernel *kernel;
    TD_TRY(td_find_scan_kernel(&kernel, device, "td_scan_blocks"));
    const uint32_t has_starts = starts != NULL;
    const td_device_buffer *total = &device->scan_total;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(words), TD_ARG_VALUE(count),
                                            TD_ARG_BUFFER(starts != NULL ? starts : total),
                                            TD_ARG_VALUE(has_starts), TD_ARG_BUFFER(total)};
    return td_run_kernel(device, kernel, (size_t)td_block_count(device, count) * device->scan_group,
                         device->scan_group, arguments, 5, TD_STAGE_COLLECT);
}

td_result td_device_scan(td_device *device, td_device_buffer *words, uint32_t count, uint32_t *total) {
    if (total != NULL) {
        *total = 0;
    }
    if (count == 0) {
        return TD_OK;
    }
    if (words->size / sizeof count < count) {
        return td_fail(TD_ERROR_ARGUMENT, "a prefix sum of %u words in a device buffer of %zu bytes", count,
                       words->size);
    }
    TD_TRY(td_buffer_reserve(device, &device->scan_total, sizeof *total, 0));
    // Up: the words of level k + 1 are the sums of the blocks of level k.
    td_device_buffer *level_words[TD_SCAN_LEVELS + 1] = {words};
    uint32_t level_count[TD_SCAN_LEVELS + 1] = {count};
    int top = 0;
    while (td_block_count(device, level_count[top]) > 1) {
        const uint32_t blocks = td_block_count(device, level_count[top]);
        td_device_buffer *sums = &device->scan_sums[top];
        TD_TRY(td_buffer_reserve(device, sums, blocks * sizeof(uint32_t), 0));
        TD_TRY(td_sum_blocks(device, sums, level_words[top], level_count[top]));
        ++top;
        level_words[top] = sums;
        level_count[top] = blocks;
    }
    TD_TRY(td_scan_blocks(device, level_words[top], level_count[top], NULL));
    for (int level = top - 1; level >= 0; --level) {
        TD_TRY(td_scan_blocks(device, level_words[level], level_count[level], level_words[level + 1]));
    }
    return total != NULL ? td_buffer_read(device, total, &device->scan_total, 0, sizeof *total) : TD_OK;
}
