// Numbers and meshes from a fuzzer's bytes. When they run out, zeros follow.
#ifndef TD_TESTS_FUZZ_INPUT_H
#define TD_TESTS_FUZZ_INPUT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline uint8_t fuzz_byte(fuzz_input *input) {
    if (input->size == 0) {
        return 0;
    }
    --input->size;
    return *input->data++;
}

static inline double fuzz_bits(fuzz_input *input) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits = bits << 8 | fuzz_byte(input);
    }
    double x = 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

enum { FUZZ_MODES = 6 };

// A coordinate: a small integer, one at the ends of float64, one among the last places of a number, a tenth,
// a number of a few bits at any power of two, or any bits at all (NaN included).
static inline double fuzz_coordinate(fuzz_input *input, int mode) {
    static const int exponents[8] = {0, -1074, -1022, -540, -251, 251, 540, 1000};
    const uint8_t byte = fuzz_byte(input);
    switch (mode) {
    case 0:
        return byte % 5 - 2;
    case 1:
        return ldexp(byte % 5 - 2, exponents[byte >> 5]);
    case 2:
        return 1 + (byte - 128) * 0x1p-52;
    case 3:
        return 0.1 * (byte % 16);
    case 4:
        return ldexp((int8_t)byte, fuzz_byte(input) % 64 - 32);
    default:
        return fuzz_bits(input);
    }
}

// How many triangles are worth their time: at the ends of float64 every pair takes long numbers.
static inline uint32_t fuzz_most_triangles(int mode, uint32_t most) {
    return most > 3 && (mode == 1 || mode == 5) ? 3 : most;
}

static inline void fuzz_require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

#endif
