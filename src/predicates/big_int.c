#include "big_int.h"

#include <math.h>
#include <string.h>

// A number is a mantissa of 53 bits times a power of two.
typedef struct td_number_parts {
    uint64_t mantissa;
    int exponent;
} td_number_parts;

static td_number_parts td_parts_of(double x) {
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    const int field = (int)(bits >> 52 & 0x7ffu);
    const uint64_t fraction = bits & 0xfffffffffffffu;
    return field == 0 ? (td_number_parts){fraction, -1074}
                      : (td_number_parts){fraction | 0x10000000000000u, field - 1075};
}

int td_last_bit_of(double x) {
    td_number_parts parts = td_parts_of(x);
    for (; (parts.mantissa & 0xffu) == 0; parts.mantissa >>= 8) {
        parts.exponent += 8;
    }
    for (; (parts.mantissa & 1u) == 0; parts.mantissa >>= 1) {
        ++parts.exponent;
    }
    return parts.exponent;
}

// Room for `count` limbs; null where there is none.
static td_limb *td_big_take(td_big_arena *arena, size_t count) {
    if (arena->exhausted || count > arena->size - arena->used) {
        arena->exhausted = true;
        return NULL;
    }
    td_limb *limbs = arena->limbs + arena->used;
    arena->used += count;
    arena->most = arena->used > arena->most ? arena->used : arena->most;
    return limbs;
}

static td_big_int td_big_trimmed(td_limb *limbs, uint32_t length, int sign) {
    while (length > 0 && limbs[length - 1] == 0) {
        --length;
    }
    return (td_big_int){limbs, length, length == 0 ? 0 : sign};
}

td_big_int td_big_from(td_big_arena *arena, double x, int base) {
    if (x == 0.0) {
        return (td_big_int){0};
    }
    td_number_parts parts = td_parts_of(x);
    int shift = parts.exponent - base;
    if (shift < 0) { // the bits below the base are zeros
        parts.mantissa >>= -shift;
        shift = 0;
    }
    const uint32_t first = (uint32_t)shift / TD_LIMB_BITS, bits = (uint32_t)shift % TD_LIMB_BITS;
    const uint32_t length = first + 64 / TD_LIMB_BITS + 1;
    td_limb *limbs = td_big_take(arena, length);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    memset(limbs, 0, first * sizeof *limbs);
    td_two_limbs carry = 0;
    uint64_t rest = parts.mantissa;
    for (uint32_t i = first; i < length; ++i) {
        carry |= (td_two_limbs)(td_limb)rest << bits;
        limbs[i] = (td_limb)carry;
        carry >>= TD_LIMB_BITS;
        rest = (uint64_t)((td_two_limbs)rest >> TD_LIMB_BITS);
    }
    return td_big_trimmed(limbs, length, x > 0.0 ? 1 : -1);
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
    td_limb *limbs = td_big_take(arena, (size_t)longer.length + 1);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    td_two_limbs carry = 0;
    for (uint32_t i = 0; i < shorter.length; ++i) {
        carry += (td_two_limbs)longer.limbs[i] + shorter.limbs[i];
        limbs[i] = (td_limb)carry;
        carry >>= TD_LIMB_BITS;
    }
    for (uint32_t i = shorter.length; i < longer.length; ++i) {
        carry += longer.limbs[i];
        limbs[i] = (td_limb)carry;
        carry >>= TD_LIMB_BITS;
    }
    limbs[longer.length] = (td_limb)carry;
    return td_big_trimmed(limbs, longer.length + 1, sign);
}

static td_big_int td_subtract_magnitudes(td_big_arena *arena, td_big_int larger, td_big_int smaller,
                                         int sign) {
    td_limb *limbs = td_big_take(arena, larger.length);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    td_limb borrow = 0;
    for (uint32_t i = 0; i < larger.length; ++i) {
        const td_two_limbs take = (td_two_limbs)(i < smaller.length ? smaller.limbs[i] : 0) + borrow;
        borrow = larger.limbs[i] < take;
        limbs[i] = (td_limb)(larger.limbs[i] - take);
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

td_big_int td_big_difference(td_big_arena *arena, td_big_int a, td_big_int b) {
    return td_big_sum(arena, a, td_big_negated(b));
}

td_big_int td_big_product(td_big_arena *arena, td_big_int a, td_big_int b) {
    const uint32_t length = a.length + b.length;
    if (a.sign == 0 || b.sign == 0) {
        return (td_big_int){0};
    }
    td_limb *limbs = td_big_take(arena, length);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    memset(limbs, 0, length * sizeof *limbs);
    for (uint32_t i = 0; i < a.length; ++i) {
        if (a.limbs[i] == 0) {
            continue; // most limbs, if magnitudes differ much
        }
        td_two_limbs carry = 0;
        for (uint32_t j = 0; j < b.length; ++j) {
            carry += (td_two_limbs)a.limbs[i] * b.limbs[j] + limbs[i + j];
            limbs[i + j] = (td_limb)carry;
            carry >>= TD_LIMB_BITS;
        }
        limbs[i + b.length] = (td_limb)carry;
    }
    return td_big_trimmed(limbs, length, a.sign * b.sign);
}

td_big_int td_big_shifted(td_big_arena *arena, td_big_int a, uint32_t bits) {
    const uint32_t first = bits / TD_LIMB_BITS, part = bits % TD_LIMB_BITS;
    if (a.sign == 0 || bits == 0) {
        return a;
    }
    td_limb *limbs = td_big_take(arena, (size_t)a.length + first + 1);
    if (limbs == NULL) {
        return (td_big_int){0};
    }
    memset(limbs, 0, first * sizeof *limbs);
    td_two_limbs carry = 0;
    for (uint32_t i = 0; i < a.length; ++i) {
        carry |= (td_two_limbs)a.limbs[i] << part;
        limbs[first + i] = (td_limb)carry;
        carry >>= TD_LIMB_BITS;
    }
    limbs[first + a.length] = (td_limb)carry;
    return td_big_trimmed(limbs, a.length + first + 1, a.sign);
}

uint32_t td_big_trailing_zeros(td_big_int a) {
    uint32_t zeros = 0;
    while (a.limbs[zeros / TD_LIMB_BITS] == 0) {
        zeros += TD_LIMB_BITS;
    }
    while ((a.limbs[zeros / TD_LIMB_BITS] >> zeros % TD_LIMB_BITS & 1u) == 0) {
        ++zeros;
    }
    return zeros;
}

td_big_int td_big_shift_down(td_big_int a, uint32_t bits) {
    const uint32_t first = bits / TD_LIMB_BITS, part = bits % TD_LIMB_BITS;
    if (a.sign == 0 || bits == 0) {
        return a;
    }
    for (uint32_t i = 0; i + first < a.length; ++i) {
        const td_two_limbs high = i + first + 1 < a.length ? a.limbs[i + first + 1] : 0;
        a.limbs[i] = (td_limb)((high << TD_LIMB_BITS | a.limbs[i + first]) >> part);
    }
    return td_big_trimmed(a.limbs, a.length - first, a.sign);
}

// The limbs below the highest three, or five of 32 bits, are less than 2^-64 of the number.
double td_big_mantissa(td_big_int a, int *exponent) {
    const uint32_t most = 64 / TD_LIMB_BITS + 2;
    const uint32_t from = a.length > most ? a.length - most : 0;
    double sum = 0.0;
    for (uint32_t i = a.length; i-- > from;) {
        sum = sum * (2.0 * (double)((td_limb)1 << (TD_LIMB_BITS - 1))) + (double)a.limbs[i];
    }
    int bits = 0;
    const double mantissa = frexp(a.sign * sum, &bits);
    *exponent = bits + (int)(from * TD_LIMB_BITS);
    return mantissa;
}
