// The hash behind td_weld, apart so that a test can look for positions that collide.
#ifndef TD_MESH_WELD_HASH_H
#define TD_MESH_WELD_HASH_H

#include <stdint.h>
#include <string.h>

// A table of 2^bits slots is at most two thirds full with so many vertices.
static inline int td_weld_table_bits(uint32_t vertex_count) {
    int bits = 4;
    while ((UINT64_C(2) << bits) < 3 * (uint64_t)vertex_count) {
        ++bits;
    }
    return bits;
}

// The finaliser of SplitMix64: every input bit reaches every output bit.
static inline uint64_t td_weld_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t td_weld_bits(double coordinate) {
    const double positive_zero = coordinate + 0.0; // -0.0 becomes 0.0
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits;
}

static inline uint64_t td_weld_slot(double x, double y, double z, int table_bits) {
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = td_weld_mix(td_weld_bits(x) + golden);
    hash = td_weld_mix(hash + td_weld_bits(y));
    hash = td_weld_mix(hash + td_weld_bits(z));
    return hash >> (64 - table_bits);
}

#endif
