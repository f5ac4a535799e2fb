// Known answers: see src/device/check.h. The operands come from memory, so that the device computes and not
// its compiler.
#include "../src/math/shared.h"
#ifdef TD_HAS_FLOAT64
#include "../src/predicates/orient.h"
#endif

// The numbers of td_check_operation.
#define TD_ADD               0
#define TD_MULTIPLY          1
#define TD_FMA               2
#define TD_MULTIPLY_SUBTRACT 3
#define TD_LESS              4
#define TD_NOT_LESS          5
#define TD_EQUAL             6
#define TD_NOT_EQUAL         7

// Four words per case: operation, a, b, c.
__kernel void td_check_float32(TD_GLOBAL td_u32 *answers, TD_GLOBAL const td_u32 *cases, td_u32 count) {
    const td_u32 i = (td_u32)get_global_id(0);
    if (i >= count) {
        return;
    }
    const float a = as_float(cases[4 * i + 1]);
    const float b = as_float(cases[4 * i + 2]);
    const float c = as_float(cases[4 * i + 3]);
    td_u32 answer = 0;
    switch (cases[4 * i]) {
    case TD_ADD:
        answer = as_uint(a + b);
        break;
    case TD_MULTIPLY:
        answer = as_uint(a * b);
        break;
    case TD_FMA:
        answer = as_uint(fma(a, b, c));
        break;
    case TD_MULTIPLY_SUBTRACT:
        answer = as_uint(a * b - c);
        break;
    case TD_LESS:
        answer = a < b;
        break;
    case TD_NOT_LESS:
        answer = !(a < b);
        break;
    case TD_EQUAL:
        answer = a == b;
        break;
    case TD_NOT_EQUAL:
        answer = a != b;
        break;
    }
    answers[i] = answer;
}

#ifdef TD_HAS_FLOAT64
__kernel void td_check_float64(TD_GLOBAL ulong *answers, TD_GLOBAL const ulong *cases, td_u32 count) {
    const td_u32 i = (td_u32)get_global_id(0);
    if (i >= count) {
        return;
    }
    const double a = as_double(cases[4 * i + 1]);
    const double b = as_double(cases[4 * i + 2]);
    const double c = as_double(cases[4 * i + 3]);
    ulong answer = 0;
    switch ((td_u32)cases[4 * i]) {
    case TD_ADD:
        answer = as_ulong(a + b);
        break;
    case TD_MULTIPLY:
        answer = as_ulong(a * b);
        break;
    case TD_FMA:
        answer = as_ulong(fma(a, b, c));
        break;
    case TD_MULTIPLY_SUBTRACT:
        answer = as_ulong(a * b - c);
        break;
    case TD_LESS:
        answer = a < b;
        break;
    case TD_NOT_LESS:
        answer = !(a < b);
        break;
    case TD_EQUAL:
        answer = a == b;
        break;
    case TD_NOT_EQUAL:
        answer = a != b;
        break;
    }
    answers[i] = answer;
}

static td_vec3 td_corner(TD_GLOBAL const double *corners, td_u32 i) {
    return td_vec3_make(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
}

__kernel void td_check_orientation(TD_GLOBAL td_i32 *signs, TD_GLOBAL const double *corners, td_u32 count) {
    const td_u32 i = (td_u32)get_global_id(0);
    if (i < count) {
        signs[i] = td_orient3d(td_corner(corners, 4 * i), td_corner(corners, 4 * i + 1),
                               td_corner(corners, 4 * i + 2), td_corner(corners, 4 * i + 3));
    }
}
#endif
