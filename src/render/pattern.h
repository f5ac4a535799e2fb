// The pattern that takes the place of chance: for each pixel its own points in the unit square, spread evenly
// however many are taken. Integers only, so that every processor computes the same.
//
// based on: Burley, Practical Hash-based Owen Scrambling (2020): Sobol's sequence in two dimensions, its
// digits scrambled and its order shuffled by hashes, anew for every use.
#ifndef TD_RENDER_PATTERN_H
#define TD_RENDER_PATTERN_H

#include <stdint.h>

typedef struct td_spot {
    double x, y; // 0 <= x, y < 1
} td_spot;

static inline uint32_t td_hash(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static inline uint32_t td_hash_with(uint32_t seed, uint32_t x) {
    return td_hash(seed ^ (x + 0x9e3779b9u + (seed << 6) + (seed >> 2)));
}

static inline uint32_t td_reverse_bits(uint32_t x) {
    x = x >> 16 | x << 16;
    x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
    x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
    x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
    return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}

// Each bit is flipped, or not, depending on the bits below it: Owen scrambling of the number read backwards.
static inline uint32_t td_scramble_backwards(uint32_t x, uint32_t seed) {
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= seed >> 16 | 1;
    x ^= x * 0x05526c56u;
    return x ^ x * 0x53a22864u;
}

// Number `index` of Sobol's sequence in its second dimension, read backwards: bit j is the sum, modulo 2, of
// the bits i of the index for which the binomial coefficient (i over j) is odd, so for which i has all bits
// of j.
static inline uint32_t td_sobol_backwards(uint32_t index) {
    index ^= index >> 1 & 0x55555555u;
    index ^= index >> 2 & 0x33333333u;
    index ^= index >> 4 & 0x0f0f0f0fu;
    index ^= index >> 8 & 0x00ff00ffu;
    return index ^ (index >> 16 & 0x0000ffffu);
}

// Number `index` of the points that pixel `seed` has for `purpose`.
static inline td_spot td_pattern(uint32_t seed, uint32_t purpose, uint32_t index) {
    const uint32_t own = td_hash_with(seed, purpose);
    const uint32_t shuffled = td_reverse_bits(td_scramble_backwards(td_reverse_bits(index), own));
    // The first dimension of the sequence is the index itself, read backwards.
    const uint32_t x = td_scramble_backwards(shuffled, td_hash_with(own, 1));
    const uint32_t y = td_scramble_backwards(td_sobol_backwards(shuffled), td_hash_with(own, 2));
    return (td_spot){td_reverse_bits(x) * 0x1p-32, td_reverse_bits(y) * 0x1p-32};
}

#endif
