// Based on: William D. Clinger, "How to read floating point numbers accurately" (1990), for the short
// numbers. Numbers of up to 19 digits with a modest exponent, which is nearly every number in a mesh file,
// are rounded from an exact 128-bit product or quotient. What is left goes to strtod, rewritten without a
// decimal point, which is all that a locale could change.
#include "decimal.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if FLT_EVAL_METHOD != 0
#error "the short path needs double arithmetic that rounds to double"
#endif

__extension__ typedef unsigned __int128 td_u128;

// A decimal as it was written: digits x 10^exponent, or a little more if digits were cut off.
typedef struct td_decimal {
    uint64_t digits; // the first 19 significant ones
    int64_t exponent;
    bool negative;
    bool cut;          // there are more: the value lies in [digits, digits + 1) x 10^exponent
    const char *first; // the mantissa's text, first digit or point ...
    const char *last;  // ... to behind its last
    int64_t written_exponent;
} td_decimal;

#define TD_MAX_DIGITS 19 // 10^19 < 2^64

// No mantissa is long enough to bring a larger exponent back into range.
#define TD_EXPONENT_CLAMP INT64_C(100000000000000000)

static bool td_is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

static const char *td_parse_sign(bool *negative, const char *at, const char *end) {
    *negative = at < end && *at == '-';
    return at < end && (*at == '-' || *at == '+') ? at + 1 : at;
}

// An exponent without digits is none: the 'e' is left for the caller to complain about.
static const char *td_parse_exponent(int64_t *out, const char *at, const char *end) {
    *out = 0;
    if (at == end || (*at != 'e' && *at != 'E')) {
        return at;
    }
    bool negative;
    const char *p = td_parse_sign(&negative, at + 1, end);
    if (p == end || !td_is_digit(*p)) {
        return at;
    }
    int64_t exponent = 0;
    for (; p < end && td_is_digit(*p); ++p) {
        if (exponent < TD_EXPONENT_CLAMP) {
            exponent = exponent * 10 + (*p - '0');
        }
    }
    *out = negative ? -exponent : exponent;
    return p;
}

// The first 19 significant digits of a mantissa that has more than 19 digits, leading zeros included.
static void td_cut_digits(td_decimal *decimal) {
    int count = 0;
    bool fraction = false;
    decimal->digits = 0;
    decimal->exponent = decimal->written_exponent;
    for (const char *p = decimal->first; p < decimal->last; ++p) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        if (count < TD_MAX_DIGITS) {
            decimal->digits = decimal->digits * 10 + (uint64_t)(*p - '0');
            count += decimal->digits != 0;
            decimal->exponent -= fraction;
        } else {
            decimal->cut |= *p != '0';
            decimal->exponent += !fraction;
        }
    }
}

// False if there is no digit.
static bool td_parse_parts(td_decimal *out, const char **at, const char *end) {
    *out = (td_decimal){0};
    const char *p = td_parse_sign(&out->negative, *at, end);
    out->first = p;
    uint64_t digits = 0;
    for (; p < end && td_is_digit(*p); ++p) {
        digits = digits * 10 + (uint64_t)(*p - '0');
    }
    int64_t digit_count = p - out->first;
    int64_t fraction_count = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        for (; p < end && td_is_digit(*p); ++p) {
            digits = digits * 10 + (uint64_t)(*p - '0');
        }
        fraction_count = p - fraction;
        digit_count += fraction_count;
    }
    if (digit_count == 0) {
        return false;
    }
    out->last = p;
    *at = td_parse_exponent(&out->written_exponent, p, end);
    out->digits = digits;
    out->exponent = out->written_exponent - fraction_count;
    if (digit_count > TD_MAX_DIGITS) {
        td_cut_digits(out);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Rounding of digits x 10^exponent, |exponent| <= 27.

#define TD_MAX_POWER 27 // 5^27 < 2^63

static const uint64_t td_power_of_5[TD_MAX_POWER + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

// The powers of ten that float64 holds exactly.
static const double td_power_of_10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// bits x 2^exponent, plus something below one unit of `bits` if `more`, rounded to nearest even. The top bit
// of `bits` is set; the result is a normal number (|exponent| <= 256).
static double td_round_bits(uint64_t bits, int exponent, bool more) {
    uint64_t mantissa = bits >> 11;
    const uint64_t rest = bits & 0x7ff;
    const uint64_t half = 0x400;
    if (rest > half || (rest == half && (more || (mantissa & 1) != 0))) {
        ++mantissa;
    }
    const uint64_t scale_bits = (uint64_t)(exponent + 11 + 1023) << 52;
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return (double)mantissa * scale; // both exact: a mantissa of at most 2^53, a power of two
}

static int td_leading_zeros(uint64_t x) {
    return __builtin_clzll(x);
}

// digits x 5^power x 2^power
static double td_round_product(uint64_t digits, int power) {
    td_u128 product = (td_u128)digits * td_power_of_5[power]; // < 2^127
    const uint64_t high = (uint64_t)(product >> 64);
    const int shift = high != 0 ? td_leading_zeros(high) : 64 + td_leading_zeros((uint64_t)product);
    product <<= shift;
    return td_round_bits((uint64_t)(product >> 64), 64 - shift + power, (uint64_t)product != 0);
}

// digits / 5^power / 2^power. With both sides normalised to a top bit in bit 63, the 63 bits more below the
// numerator give a quotient in [2^62, 2^64): 9 bits at least beyond a mantissa, and the remainder tells
// whether there is more. When the quotient has 63 bits, the shift puts an unknown bit at the bottom, far
// below the half; it is part of what `more` says.
static double td_round_quotient(uint64_t digits, int power) {
    const int digit_shift = td_leading_zeros(digits);
    const int divisor_shift = td_leading_zeros(td_power_of_5[power]);
    const td_u128 numerator = (td_u128)(digits << digit_shift) << 63;
    const uint64_t divisor = td_power_of_5[power] << divisor_shift;
    const uint64_t quotient = (uint64_t)(numerator / divisor);
    const bool more = numerator != (td_u128)quotient * divisor;
    const int shift = td_leading_zeros(quotient);
    return td_round_bits(quotient << shift, divisor_shift - digit_shift - 63 - shift - power, more);
}

static double td_round_decimal(uint64_t digits, int power) {
    if (digits == 0) {
        return 0.0;
    }
    // Both operands are exact, so the one operation rounds correctly (Clinger).
    if (digits <= (UINT64_C(1) << 53) && power >= -22 && power <= 22) {
        return power < 0 ? (double)digits / td_power_of_10[-power] : (double)digits * td_power_of_10[power];
    }
    return power < 0 ? td_round_quotient(digits, -power) : td_round_product(digits, power);
}

// ---------------------------------------------------------------------------------------------------------
// The rest: very long, very large or very small numbers.

// No float64, and no midpoint of two, has more than 767 significant digits: behind those it matters only
// whether there is anything.
#define TD_ENOUGH_DIGITS 800

static double td_round_by_strtod(const td_decimal *decimal) {
    char text[TD_ENOUGH_DIGITS + 1 + 16];
    int count = 0;
    bool fraction = false, more = false;
    int64_t exponent = decimal->written_exponent;
    for (const char *p = decimal->first; p < decimal->last; ++p) {
        if (*p == '.') {
            fraction = true;
        } else if (count < TD_ENOUGH_DIGITS) {
            if (*p != '0' || count > 0) {
                text[count++] = *p;
            }
            exponent -= fraction;
        } else {
            more |= *p != '0';
            exponent += !fraction;
        }
    }
    if (more) {
        text[count++] = '1';
        --exponent;
    }
    // Far beyond float64 even with 801 digits in front.
    const int64_t limit = 10000;
    exponent = exponent > limit ? limit : exponent < -limit ? -limit : exponent;
    snprintf(text + count, sizeof text - (size_t)count, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static double td_decimal_value(const td_decimal *decimal) {
    if (decimal->digits == 0) {
        return 0.0;
    }
    if (decimal->exponent < -TD_MAX_POWER || decimal->exponent > TD_MAX_POWER) {
        return td_round_by_strtod(decimal);
    }
    const int power = (int)decimal->exponent;
    const double value = td_round_decimal(decimal->digits, power);
    // Rounding is monotone: if both ends of the interval round to one float64, so does what lies between.
    if (decimal->cut && td_round_decimal(decimal->digits + 1, power) != value) {
        return td_round_by_strtod(decimal);
    }
    return value;
}

static bool td_starts_with(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && strncasecmp(at, word, length) == 0;
}

static td_decimal_status td_parse_word(const char **at, const char *end) {
    static const char *const words[] = {"infinity", "inf", "nan"};
    bool negative;
    const char *p = td_parse_sign(&negative, *at, end);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (td_starts_with(p, end, words[i])) {
            *at = p + strlen(words[i]);
            return TD_DECIMAL_NOT_FINITE;
        }
    }
    return TD_DECIMAL_MALFORMED;
}

td_decimal_status td_decimal_parse(double *out, const char **at, const char *end) {
    td_decimal decimal;
    if (!td_parse_parts(&decimal, at, end)) {
        return td_parse_word(at, end);
    }
    const double value = td_decimal_value(&decimal);
    if (value > DBL_MAX) {
        return TD_DECIMAL_NOT_FINITE;
    }
    *out = decimal.negative ? -value : value;
    return TD_DECIMAL_OK;
}

// ---------------------------------------------------------------------------------------------------------

// Puts a '.' where the locale put its own decimal point, which may have several bytes.
static int td_normalise_point(char *text, int length) {
    int kept = 0;
    for (int i = 0; i < length; ++i) {
        const bool ours = strchr("0123456789+-einfa", text[i]) != NULL;
        if (ours) {
            text[kept++] = text[i];
        } else if (kept == 0 || text[kept - 1] != '.') {
            text[kept++] = '.';
        }
    }
    text[kept] = '\0';
    return kept;
}

int td_decimal_format(char out[TD_DECIMAL_BYTES], double value) {
    int length = 0;
    for (int digits = 15; digits <= 17; ++digits) {
        length = snprintf(out, TD_DECIMAL_BYTES, "%.*g", digits, value);
        length = td_normalise_point(out, length);
        double back;
        const char *at = out;
        if (td_decimal_parse(&back, &at, out + length) == TD_DECIMAL_OK && back == value) {
            break;
        }
    }
    return length;
}
