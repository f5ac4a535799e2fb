// Radix sort, least significant digit first, over the bits that can differ at all.
#include "sort.h"

#include <string.h>

enum { TD_MOST_RANKED = 64 }; // a multiple of 8

static uint64_t td_pair_key(td_pair pair) {
    return (uint64_t)pair.a << 32 | pair.b;
}

static void td_insertion_sort(td_pair *pairs, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const td_pair moving = pairs[i];
        size_t k = i;
        while (k > 0 && td_pair_key(pairs[k - 1]) > td_pair_key(moving)) {
            pairs[k] = pairs[k - 1];
            --k;
        }
        pairs[k] = moving;
    }
}

// Few pairs of small indices: each counts those before it. More comparisons than an insertion sort has, but
// four at a time and without a branch that depends on an answer. Pairs differ, so every place is taken once.
static void td_rank_sort(td_pair *pairs, td_pair *spare, size_t count) {
    int32_t keys[TD_MOST_RANKED] = {0}, ranks[TD_MOST_RANKED];
    const size_t padded = (count + 7) / 8 * 8;
    for (size_t i = 0; i < padded; ++i) {
        const td_pair pair = pairs[i < count ? i : 0];
        keys[i] = (int32_t)((pair.a << 16 | pair.b) ^ 0x80000000u); // in the order of signed numbers
        ranks[i] = 0;
    }
    for (size_t k = 0; k < count; ++k) {
        const int32_t key = keys[k];
        for (size_t i = 0; i < padded; ++i) {
            ranks[i] += keys[i] > key;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        spare[ranks[i]] = pairs[i];
    }
    memcpy(pairs, spare, count * sizeof *pairs);
}

// Digits of at most 8 bits.
static void td_radix_pass(td_pair *out, const td_pair *in, size_t count, int shift, int width) {
    size_t place[256];
    const uint32_t digits = 1u << width, mask = digits - 1;
    memset(place, 0, digits * sizeof *place);
    for (size_t i = 0; i < count; ++i) {
        place[td_pair_key(in[i]) >> shift & mask]++;
    }
    size_t sum = 0;
    for (uint32_t digit = 0; digit < digits; ++digit) {
        const size_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; ++i) {
        out[place[td_pair_key(in[i]) >> shift & mask]++] = in[i];
    }
}

static int td_bits_below(uint32_t limit) {
    int bits = 0;
    while (bits < 32 && (limit - 1) >> bits != 0) {
        ++bits;
    }
    return bits;
}

// By the indices from bit `shift` of the key on, which are below the limit: as few digits as bytes would be,
// and no wider than they have to be. Returns where the pairs are then: `from` or `to`.
static td_pair *td_radix_sort(td_pair *from, td_pair *to, size_t count, int shift, uint32_t limit) {
    const int bits = limit > 1 ? td_bits_below(limit) : 0, passes = (bits + 7) / 8;
    for (int done = 0, pass = 0; pass < passes; ++pass) {
        const int width = (bits - done + passes - pass - 1) / (passes - pass);
        td_radix_pass(to, from, count, shift + done, width);
        td_pair *swap = from;
        from = to;
        to = swap;
        done += width;
    }
    return from;
}

void td_sort_pairs(td_pair *pairs, td_pair *spare, size_t count, uint32_t limit_a, uint32_t limit_b) {
    if (count > 4 && count <= TD_MOST_RANKED && limit_a <= 0x10000u && limit_b <= 0x10000u) {
        td_rank_sort(pairs, spare, count);
        return;
    }
    if (count <= 32) {
        td_insertion_sort(pairs, count);
        return;
    }
    td_pair *sorted = td_radix_sort(pairs, spare, count, 0, limit_b);
    sorted = td_radix_sort(sorted, sorted == pairs ? spare : pairs, count, 32, limit_a);
    if (sorted != pairs) {
        memcpy(pairs, sorted, count * sizeof *pairs);
    }
}
