// Cuts at a given number of prims: finds the key of that rank, then partitions by it.
#include "cut.h"

#include <string.h>

// Keys are made unique by the place of their prim, so that every rank has one key.
static uint64_t td_rank_key(const td_prim *prim, int axis, uint32_t place)
{
    // float32 order as unsigned order: negative numbers are flipped whole, others get the sign bit.
    const float key = td_prim_key(prim, axis);
    uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << 32 | place;
}

static uint64_t td_median(uint64_t a, uint64_t b, uint64_t c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

// The key of the given rank. Quickselect (Hoare 1961), median of three.
static uint64_t td_select(uint64_t *keys, uint32_t count, uint32_t rank)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        const uint64_t pivot = td_median(keys[low], keys[low + (high - low) / 2], keys[high]);
        uint32_t i = low, j = high;
        for (;;) {
            while (keys[i] < pivot) {
                ++i;
            }
            while (keys[j] > pivot) {
                --j;
            }
            if (i >= j) {
                break;
            }
            const uint64_t swap = keys[i];
            keys[i++] = keys[j];
            keys[j--] = swap;
        }
        // Keys are unique: everything up to j is at most the pivot, everything behind at least.
        if (rank <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return keys[rank];
}

void td_cut_at_rank(td_prim *prims, uint32_t count, int axis, uint32_t left, td_prim *scratch,
                    uint64_t *keys)
{
    for (uint32_t i = 0; i < count; ++i) {
        keys[i] = td_rank_key(&prims[i], axis, i);
    }
    const uint64_t pivot = td_select(keys, count, left);
    uint32_t front = 0, back = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t goes_back = td_rank_key(&prims[i], axis, i) >= pivot;
        scratch[back] = prims[i];
        prims[front] = prims[i];
        back += goes_back;
        front += 1 - goes_back;
    }
    memcpy(prims + front, scratch, back * sizeof *prims);
}
