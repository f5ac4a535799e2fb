// Exact arithmetic on sums of doubles. C17 and OpenCL C.
//
// based on: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
// 1997;
//           Dekker, A Floating-Point Technique for Extending the Available Precision, 1971 (the split).
//
// An expansion is an array of doubles, smallest magnitude first, whose exact sum is the number meant. All
// expansions here are *strongly nonoverlapping* in Shewchuk's sense and hold no zero components, so zero is
// the empty expansion and the sign of an expansion is the sign of its last component:
//   - the error-free product of two doubles is (nonadjacent);
//   - td_expansion_sum (his FAST-EXPANSION-SUM) and td_expansion_scale (his SCALE-EXPANSION) keep it under
//     round-to-even; dropping zeros changes nothing.
// Sums are exact unless they overflow. Products are exact unless they overflow or their error term falls
// below the smallest subnormal: the callers bound their inputs so that neither happens (orient_adaptive.h).
#ifndef TD_PREDICATES_EXPANSION_H
#define TD_PREDICATES_EXPANSION_H

#include "../math/shared.h"

#ifndef __OPENCL_VERSION__
#include <float.h>
_Static_assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53, "double must be IEEE 754 binary64");
_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be rounded after every operation (no x87 arithmetic)");
#endif

// high + low is the exact result, high the rounded one.
typedef struct td_double2 {
    double high, low;
} td_double2;

// Knuth's sum: no order of magnitude is asked of a and b.
TD_INLINE td_double2 td_two_sum(double a, double b) {
    td_double2 r;
    r.high = a + b;
    const double b_used = r.high - a;
    const double a_used = r.high - b_used;
    r.low = (a - a_used) + (b - b_used);
    return r;
}

TD_INLINE td_double2 td_two_diff(double a, double b) {
    return td_two_sum(a, -b);
}

// fma() is one instruction on every OpenCL device with doubles and where the compiler says so; elsewhere it
// is a slow library call, and Dekker's product of halves is faster.
#if defined(__OPENCL_VERSION__) || defined(FP_FAST_FMA)
TD_INLINE td_double2 td_two_product(double a, double b) {
    td_double2 r;
    r.high = a * b;
    r.low = fma(a, b, -r.high);
    return r;
}
#else
// The high 26 bits of a in `high`, the rest, with its sign, in `low`. |a| must be below 2^996.
TD_INLINE td_double2 td_split(double a) {
    const double scaled = a * 134217729.0; // 2^27 + 1
    td_double2 r;
    r.high = scaled - (scaled - a);
    r.low = a - r.high;
    return r;
}

TD_INLINE td_double2 td_two_product(double a, double b) {
    const td_double2 s = td_split(a);
    const td_double2 t = td_split(b);
    td_double2 r;
    r.high = a * b;
    r.low = s.low * t.low - (((r.high - s.high * t.high) - s.low * t.high) - s.high * t.low);
    return r;
}
#endif

// h = e + f; returns the length of h, at most e_length + f_length. h must not overlap e or f in memory.
TD_INLINE int td_expansion_sum(double *h, const double *e, int e_length, const double *f, int f_length) {
    int i = 0;
    int j = 0;
    int length = 0;
    double carry = 0.0;
    while (i < e_length || j < f_length) {
        const int take_e = j >= f_length || (i < e_length && fabs(e[i]) < fabs(f[j]));
        const double next = take_e ? e[i] : f[j];
        i += take_e;
        j += !take_e;
        const td_double2 sum = td_two_sum(carry, next);
        carry = sum.high;
        if (sum.low != 0.0) {
            h[length++] = sum.low;
        }
    }
    if (carry != 0.0) {
        h[length++] = carry;
    }
    return length;
}

// h = e * scale; returns the length of h, at most 2 * e_length.
TD_INLINE int td_expansion_scale(double *h, const double *e, int e_length, double scale) {
    int length = 0;
    double carry = 0.0;
    for (int i = 0; i < e_length; ++i) {
        const td_double2 product = td_two_product(e[i], scale);
        const td_double2 low = td_two_sum(carry, product.low);
        const td_double2 high = td_two_sum(product.high, low.high);
        if (low.low != 0.0) {
            h[length++] = low.low;
        }
        if (high.low != 0.0) {
            h[length++] = high.low;
        }
        carry = high.high;
    }
    if (carry != 0.0) {
        h[length++] = carry;
    }
    return length;
}

// h = a * b - c * d; returns the length of h, at most 4.
TD_INLINE int td_expansion_minor(double *h, double a, double b, double c, double d) {
    const td_double2 ab = td_two_product(a, b);
    const td_double2 cd = td_two_product(-c, d);
    // A zero component would break the order of magnitudes that td_expansion_sum merges by, not its sum; it
    // is first in its pair, where it is smallest, so both are kept.
    const double plus[2] = {ab.low, ab.high};
    const double minus[2] = {cd.low, cd.high};
    return td_expansion_sum(h, plus, 2, minus, 2);
}

TD_INLINE int td_sign(double x) {
    return (x > 0.0) - (x < 0.0);
}

TD_INLINE int td_expansion_sign(const double *e, int length) {
    return length == 0 ? 0 : td_sign(e[length - 1]);
}

#endif
