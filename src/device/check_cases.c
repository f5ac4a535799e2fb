// The questions of the known-answer checks and what IEEE arithmetic answers, bit for bit.
//
// Not asked: subnormal numbers in float32, which a device may take for zero; the filters do not lean on them.
#include "check.h"

static const td_check_case td_float32_cases[] = {
    {"a tie goes to even, down", TD_CHECK_ADD, 0x3f800000u, 0x33800000u, 0, 0x3f800000u},
    {"a tie goes to even, up", TD_CHECK_ADD, 0x3f800001u, 0x33800000u, 0, 0x3f800002u},
    {"just above a tie", TD_CHECK_ADD, 0x3f800000u, 0x33800001u, 0, 0x3f800001u},
    {"a difference next to a power of two", TD_CHECK_ADD, 0x3f800000u, 0xb3000000u, 0, 0x3f800000u},
    {"a difference that cancels", TD_CHECK_ADD, 0x3f800001u, 0xbf800000u, 0, 0x34000000u},
    {"a sum that overflows", TD_CHECK_ADD, 0x7f7fffffu, 0x7f7fffffu, 0, 0x7f800000u},
    {"a product rounded up", TD_CHECK_MULTIPLY, 0x3f800001u, 0x3f800003u, 0, 0x3f800004u},
    {"a product that ties", TD_CHECK_MULTIPLY, 0x3f800001u, 0x3fc00000u, 0, 0x3fc00002u},
    {"a product of half the digits", TD_CHECK_MULTIPLY, 0x3f800800u, 0x3f800800u, 0, 0x3f801000u},
    {"a product by a third", TD_CHECK_MULTIPLY, 0x3eaaaaabu, 0x40400000u, 0, 0x3f800000u},
    {"fma keeps the low half", TD_CHECK_FMA, 0x3f800800u, 0x3f800800u, 0xbf801000u, 0x33800000u},
    {"fma rounds once", TD_CHECK_FMA, 0x3f800001u, 0x3f7ffffeu, 0xbf800000u, 0xa8800000u},
    {"fma just below a tie", TD_CHECK_FMA, 0x3f800001u, 0x3fc00000u, 0x8d800000u, 0x3fc00001u},
    {"no contraction", TD_CHECK_MULTIPLY_SUBTRACT, 0x3f800800u, 0x3f800800u, 0x3f801000u, 0},
    {"no contraction next to one", TD_CHECK_MULTIPLY_SUBTRACT, 0x3f800001u, 0x3f7ffffeu, 0x3f800000u, 0},
    {"one is less than two", TD_CHECK_LESS, 0x3f800000u, 0x40000000u, 0, 1},
    {"NaN is not less", TD_CHECK_LESS, 0x7fc00000u, 0x3f800000u, 0, 0},
    {"nothing is less than NaN", TD_CHECK_LESS, 0x3f800000u, 0x7fc00000u, 0, 0},
    {"not less than NaN", TD_CHECK_NOT_LESS, 0x3f800000u, 0x7fc00000u, 0, 1},
    {"NaN is not NaN", TD_CHECK_EQUAL, 0x7fc00000u, 0x7fc00000u, 0, 0},
    {"NaN differs from itself", TD_CHECK_NOT_EQUAL, 0x7fc00000u, 0x7fc00000u, 0, 1},
    {"zeros are equal", TD_CHECK_EQUAL, 0x80000000u, 0, 0, 1},
};

static const td_check_case td_float64_cases[] = {
    {"a tie goes to even, down", TD_CHECK_ADD, 0x3ff0000000000000u, 0x3ca0000000000000u, 0,
     0x3ff0000000000000u},
    {"a tie goes to even, up", TD_CHECK_ADD, 0x3ff0000000000001u, 0x3ca0000000000000u, 0,
     0x3ff0000000000002u},
    {"just above a tie", TD_CHECK_ADD, 0x3ff0000000000000u, 0x3ca0000000000001u, 0, 0x3ff0000000000001u},
    {"a difference next to a power of two", TD_CHECK_ADD, 0x3ff0000000000000u, 0xbc90000000000000u, 0,
     0x3ff0000000000000u},
    {"a difference that cancels", TD_CHECK_ADD, 0x3ff0000000000001u, 0xbff0000000000000u, 0,
     0x3cb0000000000000u},
    {"a sum that overflows", TD_CHECK_ADD, 0x7fefffffffffffffu, 0x7fefffffffffffffu, 0, 0x7ff0000000000000u},
    {"a product rounded up", TD_CHECK_MULTIPLY, 0x3ff0000000000001u, 0x3ff0000000000003u, 0,
     0x3ff0000000000004u},
    {"a product that ties", TD_CHECK_MULTIPLY, 0x3ff0000000000001u, 0x3ff8000000000000u, 0,
     0x3ff8000000000002u},
    {"a product by a third", TD_CHECK_MULTIPLY, 0x3fd5555555555555u, 0x4008000000000000u, 0,
     0x3ff0000000000000u},
    {"fma keeps the low half", TD_CHECK_FMA, 0x3ff0000002000000u, 0x3ff0000002000000u, 0xbff0000004000000u,
     0x3c90000000000000u},
    {"fma rounds once", TD_CHECK_FMA, 0x3ff0000000000001u, 0x3feffffffffffffeu, 0xbff0000000000000u,
     0xb970000000000000u},
    {"fma just below a tie", TD_CHECK_FMA, 0x3ff0000000000001u, 0x3ff8000000000000u, 0xb9b0000000000000u,
     0x3ff8000000000001u},
    {"no contraction", TD_CHECK_MULTIPLY_SUBTRACT, 0x3ff0000002000000u, 0x3ff0000002000000u,
     0x3ff0000004000000u, 0},
    {"no contraction next to one", TD_CHECK_MULTIPLY_SUBTRACT, 0x3ff0000000000001u, 0x3feffffffffffffeu,
     0x3ff0000000000000u, 0},
    {"the smallest subnormals", TD_CHECK_ADD, 1, 1, 0, 2},
    {"a difference that is subnormal", TD_CHECK_ADD, 0x0010000000000001u, 0x8010000000000000u, 0, 1},
    {"a product that is subnormal", TD_CHECK_MULTIPLY, 0x1e30000100000000u, 0x1f70000000000000u, 0, 0x4000},
    {"a subnormal product that ties", TD_CHECK_MULTIPLY, 3, 0x3fe0000000000000u, 0, 2},
    {"fma of subnormals", TD_CHECK_FMA, 0x1e60000000000000u, 0x1e60000000000000u, 1, 2},
    {"one is less than two", TD_CHECK_LESS, 0x3ff0000000000000u, 0x4000000000000000u, 0, 1},
    {"NaN is not less", TD_CHECK_LESS, 0x7ff8000000000000u, 0x3ff0000000000000u, 0, 0},
    {"not less than NaN", TD_CHECK_NOT_LESS, 0x3ff0000000000000u, 0x7ff8000000000000u, 0, 1},
    {"NaN is not NaN", TD_CHECK_EQUAL, 0x7ff8000000000000u, 0x7ff8000000000000u, 0, 0},
    {"NaN differs from itself", TD_CHECK_NOT_EQUAL, 0x7ff8000000000000u, 0x7ff8000000000000u, 0, 1},
    {"zeros are equal", TD_CHECK_EQUAL, 0x8000000000000000u, 0, 0, 1},
};

// The signs of exact rational arithmetic; where the name says so, rounded arithmetic gives another.
static const td_check_orientation td_orientations[] = {
    {"rounded: -1", {2.8, 2.4, -1.2, -0.8, -2.0, -2.1, -2.6, -1.2, 0.6, -14.300000000000002, -9.5, 3.975}, 1},
    {"rounded: +1", {-2.6, -0.9, -1.2, 1.2, -1.9, -0.2, -1.9, -1.5, 2.6, 4.300000000000001, -2.3, -3.0}, -1},
    {"rounded: 0, below",
     {-1.2, 0.3, 2.2, -1.4, 3.0, -1.8, 0.5, 0.7, -1.9, -0.8749999999999998, 1.75, -0.8249999999999997},
     -1},
    {"rounded: 0, above",
     {-2.8, 2.3, -0.1, 1.6, -3.0, -0.2, 2.3, 0.7, -0.4, -12.299999999999999, 9.2, 0.30000000000000004},
     1},
    {"one plane, rounded: -1",
     {-0.2, 1.3, 2.5, 0.2, -1.4, 2.9, 0.1, -2.4, 2.8, 0.0, -3.4, 2.6999999999999997},
     0},
    {"one plane, rounded: +1",
     {1.4, 1.4, 2.4, 1.2, 2.2, -2.9, -2.4, -2.5, -1.0, -0.6, -0.1499999999999999, -1.95},
     0},
    {"far from the origin",
     {1e6, 1e6, 1e6, 1000001.0, 1e6, 1e6, 1e6, 1000001.0, 1e6, 1000000.5, 1000000.25, 999999.9999999999},
     -1},
    {"large and small", {0x1p-250, 0, 0, 0, 0x1p250, 0, 0, 0, 0x1p250, 0x1p-250, 0x1p-250, 0x1p-250}, 1},
};

#define TD_COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
_Static_assert(TD_COUNT_OF(td_float32_cases) <= TD_CHECK_CASES_MOST, "");
_Static_assert(TD_COUNT_OF(td_float64_cases) <= TD_CHECK_CASES_MOST, "");
_Static_assert(TD_COUNT_OF(td_orientations) <= TD_CHECK_CASES_MOST, "");

td_check_cases td_float32_checks(void) {
    return (td_check_cases){td_float32_cases, TD_COUNT_OF(td_float32_cases)};
}

td_check_cases td_float64_checks(void) {
    return (td_check_cases){td_float64_cases, TD_COUNT_OF(td_float64_cases)};
}

const td_check_orientation *td_orientation_checks(uint32_t *count) {
    *count = TD_COUNT_OF(td_orientations);
    return td_orientations;
}
