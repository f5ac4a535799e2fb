// Prefix sums, one work-group per block of TD_SCAN_GROUP * TD_SCAN_WORDS words: see src/device/scan.c, which
// defines both. Words go through local memory, so that neighbours read neighbours.
#include "../src/math/shared.h"

#define TD_SCAN_BLOCK (TD_SCAN_GROUP * TD_SCAN_WORDS)

// The words of this group's block; beyond `count` they are 0.
static void td_load_block(__local td_u32 *block, TD_GLOBAL const td_u32 *words, td_u32 count) {
    const td_u32 first = (td_u32)get_group_id(0) * TD_SCAN_BLOCK;
    for (td_u32 k = 0; k < TD_SCAN_WORDS; ++k) {
        const td_u32 i = k * TD_SCAN_GROUP + (td_u32)get_local_id(0);
        block[i] = 0;
        if (i < count - first) { // not "first + i < count": blocks may end beyond 2^32
            block[i] = words[first + i];
        }
    }
}

static td_u32 td_sum_of_item(__local const td_u32 *block, td_u32 item) {
    td_u32 sum = 0;
    for (td_u32 k = 0; k < TD_SCAN_WORDS; ++k) {
        sum += block[item * TD_SCAN_WORDS + k];
    }
    return sum;
}

__kernel __attribute__((reqd_work_group_size(TD_SCAN_GROUP, 1, 1))) void
td_scan_sum_blocks(TD_GLOBAL td_u32 *sums, TD_GLOBAL const td_u32 *words, td_u32 count) {
    __local td_u32 partial[TD_SCAN_GROUP];
    const td_u32 item = (td_u32)get_local_id(0);
    const td_u32 first = (td_u32)get_group_id(0) * TD_SCAN_BLOCK;
    td_u32 sum = 0;
    for (td_u32 k = 0; k < TD_SCAN_WORDS; ++k) {
        const td_u32 i = k * TD_SCAN_GROUP + item;
        if (i < count - first) {
            sum += words[first + i];
        }
    }
    partial[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (td_u32 half_size = TD_SCAN_GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) {
            partial[item] += partial[item + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        sums[get_group_id(0)] = partial[0];
    }
}

// The last block knows the sum of all words and leaves it in *total.
__kernel __attribute__((reqd_work_group_size(TD_SCAN_GROUP, 1, 1))) void
td_scan_blocks(TD_GLOBAL td_u32 *words, td_u32 count, TD_GLOBAL const td_u32 *starts, td_u32 has_starts,
               TD_GLOBAL td_u32 *total) {
    __local td_u32 block[TD_SCAN_BLOCK];
    __local td_u32 before[2][TD_SCAN_GROUP]; // sums up to and including each item; two, to read and to write
    const td_u32 item = (td_u32)get_local_id(0);
    const td_u32 group = (td_u32)get_group_id(0);
    const td_u32 first = group * TD_SCAN_BLOCK;
    const td_u32 start = has_starts ? starts[group] : 0;
    td_load_block(block, words, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    const td_u32 own = td_sum_of_item(block, item);
    before[0][item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    td_u32 side = 0;
    for (td_u32 distance = 1; distance < TD_SCAN_GROUP; distance *= 2) {
        const td_u32 left = item >= distance ? before[side][item - distance] : 0;
        before[1 - side][item] = before[side][item] + left;
        side = 1 - side;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    td_u32 sum = start + before[side][item] - own;
    for (td_u32 k = 0; k < TD_SCAN_WORDS; ++k) {
        const td_u32 word = block[item * TD_SCAN_WORDS + k];
        block[item * TD_SCAN_WORDS + k] = sum;
        sum += word;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (td_u32 k = 0; k < TD_SCAN_WORDS; ++k) {
        const td_u32 i = k * TD_SCAN_GROUP + item;
        if (i < count - first) {
            words[first + i] = block[i];
        }
    }
    if (group == get_num_groups(0) - 1 && item == TD_SCAN_GROUP - 1) {
        *total = sum;
    }
}
