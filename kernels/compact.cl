// Compaction of a bit field, one work-item per word: see src/device/compact.c.
#include "../src/math/shared.h"

// The word's bits below `count`.
static td_u32 td_flags_of(TD_GLOBAL const td_u32 *flags, td_u32 word, td_u32 count) {
    const td_u32 left = count - 32 * word;
    return left >= 32 ? flags[word] : flags[word] & ((1u << left) - 1);
}

static td_u32 td_words_of(td_u32 count) {
    return count / 32 + (count % 32 != 0);
}

__kernel void td_compact_count(TD_GLOBAL td_u32 *counts, TD_GLOBAL const td_u32 *flags, td_u32 count) {
    const td_u32 word = (td_u32)get_global_id(0);
    if (word < td_words_of(count)) {
        counts[word] = popcount(td_flags_of(flags, word, count));
    }
}

__kernel void td_compact_write(TD_GLOBAL td_u32 *out, TD_GLOBAL const td_u32 *starts,
                               TD_GLOBAL const td_u32 *flags, td_u32 count) {
    const td_u32 word = (td_u32)get_global_id(0);
    if (word >= td_words_of(count)) {
        return;
    }
    td_u32 bits = td_flags_of(flags, word, count);
    td_u32 at = starts[word];
    while (bits != 0) {
        const td_u32 lowest = bits & (0u - bits);
        out[at++] = 32 * word + 31 - clz(lowest);
        bits ^= lowest;
    }
}
