#include "big_int.h"

#include <math.h>
#include <string.h>

int td_last_bit_of(double x) {
    int exponent = 0;
    uint64_t mantissa = (uint64_t)ldexp(fabs(frexp(x, &exponent)), 53);
    exponent -= 53;
    for (; (mantissa & 1u) == 0; mantissa >>= 1) {
        ++exponent;
    }
    return exponent;
}

// Room for `count` limbs; where there is none, the beginning of the arena, so that what follows writes where
// it may.
static uint32_t *td_big_take(td_big_arena *arena, size_t count) {
    if (arena->exhausted || count > arena->size - arena->used) {
        arena->exhausted = true;
        return NULL;
    }
    uint32_t *limbs = arena->limbs + arena->used;
    arena->used += count;
    return limbs;
}

static td_big_int td_big_trimmed(uint32_t *limbs, uint32_t length, int sign) {
    while (length > 0 && limbs[length - 1] == 0) {
        --length;
    }
    return (td_big_int){limbs, length, length == 0 ? 0 : sign};
}

td_big_int td_big_from(td_big_arena *arena, double x, int base) {
    if (x == 0.0) {
        return (td_big_int){0};
    }
    int exponent = 0;
    uint64_t mantissa = (uint64_t)ldexp(fabs(frexp(x, &exponent)), 53);
    int shift = exponent - 53 - base;
    if (shift < 0) { // the bits below the base are zeros
        mantissa >>= -shift;
        shift = 0;
    }
    const uint32_t first = (uint32_t)shift / 32, bits = (uint32_t)shift % 32;
    uint32_t *limbs = td_big_take(arena, first + 3);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    memset(limbs, 0, first * sizeof *limbs);
    const uint64_t low = mantissa << bits;
    limbs[first] = (uint32_t)low;
    limbs[first + 1] = (uint32_t)(low >> 32);
    limbs[first + 2] = bits == 0 ? 0 : (uint32_t)(mantissa >> (64 - bits));
    return td_big_trimmed(limbs, first + 3, x > 0.0 ? 1 : -1);
}

static int td_compare_magnitudes(td_big_int a, td_big_int b) {
    if (a.length != b.length) {
        return a.length < b.length ? -1 : 1;
    }
    for (uint32_t i = a.length; i-- > 0;) {
        if (a.limbs[i] != b.limbs[i]) {
            return a.limbs[i] < b.limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

static td_big_int td_add_magnitudes(td_big_arena *arena, td_big_int longer, td_big_int shorter, int sign) {
    uint32_t *limbs = td_big_take(arena, (size_t)longer.length + 1);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    uint64_t carry = 0;
    for (uint32_t i = 0; i < longer.length; ++i) {
        carry += (uint64_t)longer.limbs[i] + (i < shorter.length ? shorter.limbs[i] : 0);
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    limbs[longer.length] = (uint32_t)carry;
    return td_big_trimmed(limbs, longer.length + 1, sign);
}

static td_big_int td_subtract_magnitudes(td_big_arena *arena, td_big_int larger, td_big_int smaller,
                                         int sign) {
    uint32_t *limbs = td_big_take(arena, larger.length);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < larger.length; ++i) {
        const uint64_t take = (i < smaller.length ? smaller.limbs[i] : 0) + borrow;
        borrow = larger.limbs[i] < take;
        limbs[i] = (uint32_t)(larger.limbs[i] - take);
    }
    return td_big_trimmed(limbs, larger.length, sign);
}

td_big_int td_big_sum(td_big_arena *arena, td_big_int a, td_big_int b) {
    if (a.sign == 0 || b.sign == 0) {
        return a.sign == 0 ? b : a;
    }
    const bool a_larger = td_compare_magnitudes(a, b) >= 0;
    const td_big_int larger = a_larger ? a : b, smaller = a_larger ? b : a;
    return a.sign == b.sign ? td_add_magnitudes(arena, larger, smaller, larger.sign)
                            : td_subtract_magnitudes(arena, larger, smaller, larger.sign);
}

td_big_int td_big_negated(td_big_int a) {
    a.sign = -a.sign;
    return a;
}

td_big_int td_big_difference_of(td_big_arena *arena, td_big_int a, td_big_int b) {
    return td_big_sum(arena, a, td_big_negated(b));
}

td_big_int td_big_product(td_big_arena *arena, td_big_int a, td_big_int b) {
    const uint32_t length = a.length + b.length;
    if (a.sign == 0 || b.sign == 0) {
        return (td_big_int){0};
    }
    uint32_t *limbs = td_big_take(arena, length);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    memset(limbs, 0, length * sizeof *limbs);
    for (uint32_t i = 0; i < a.length; ++i) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < b.length && a.limbs[i] != 0; ++j) {
            carry += (uint64_t)a.limbs[i] * b.limbs[j] + limbs[i + j];
            limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        limbs[i + b.length] = (uint32_t)carry;
    }
    return td_big_trimmed(limbs, length, a.sign * b.sign);
}

td_big_int td_big_shifted(td_big_arena *arena, td_big_int a, uint32_t bits) {
    const uint32_t first = bits / 32, part = bits % 32;
    if (a.sign == 0 || bits == 0) {
        return a;
    }
    uint32_t *limbs = td_big_take(arena, (size_t)a.length + first + 1);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    memset(limbs, 0, first * sizeof *limbs);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a.length; ++i) {
        carry |= (uint64_t)a.limbs[i] << part;
        limbs[first + i] = (uint32_t)carry;
        carry >>= 32;
    }
    limbs[first + a.length] = (uint32_t)carry;
    return td_big_trimmed(limbs, a.length + first + 1, a.sign);
}

uint32_t td_big_trailing_zeros(td_big_int a) {
    uint32_t zeros = 0;
    while (a.limbs[zeros / 32] == 0) {
        zeros += 32;
    }
    while ((a.limbs[zeros / 32] >> zeros % 32 & 1u) == 0) {
        ++zeros;
    }
    return zeros;
}

td_big_int td_big_shift_down(td_big_int a, uint32_t bits) {
    const uint32_t first = bits / 32, part = bits % 32;
    if (a.sign == 0 || bits == 0) {
        return a;
    }
    for (uint32_t i = 0; i + first < a.length; ++i) {
        const uint64_t high = i + first + 1 < a.length ? a.limbs[i + first + 1] : 0;
        a.limbs[i] = (uint32_t)((high << 32 | a.limbs[i + first]) >> part);
    }
    return td_big_trimmed(a.limbs, a.length - first, a.sign);
}
