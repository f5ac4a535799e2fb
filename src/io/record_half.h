// Numbers of which three digits do: the upper half of a float32. Not negative, and finite.
#ifndef TD_IO_RECORD_HALF_H
#define TD_IO_RECORD_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TD_UPPER_HALF_MOST = 0x7f7f };

// Rounded to the nearest, ties to even: off by 1/256 at most, which is 0.4 %, in the normal
// range of float32. What is negative or no number
// becomes 0, what is too large the largest.
static inline uint16_t td_to_upper_half(double number) {
    number = fmin(fmax(number, 0), 0x1.fep127);
    const float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    // Made odd where float32 rounded: rounding twice would take what is just off the middle for the middle.
    if ((double)single > number) {
        --bits;
    }
    if ((double)single != number) {
        bits |= 1u;
    }
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static inline bool td_is_upper_half(uint16_t half) {
    return half <= TD_UPPER_HALF_MOST;
}

static inline double td_from_upper_half(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float single;
    memcpy(&single, &bits, sizeof single);
    return single;
}

#endif
