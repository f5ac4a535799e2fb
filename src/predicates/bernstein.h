// Quadratics and cubics on [0, 1] by their Bernstein coefficients, of which their values are means: where all
// coefficients have a sign, so has the polynomial. C17 and OpenCL C. Errors are the business of the caller.
#ifndef TD_PREDICATES_BERNSTEIN_H
#define TD_PREDICATES_BERNSTEIN_H

#include "../math/shared.h"

typedef struct td_quadratic {
    double c[3];
} td_quadratic;

typedef struct td_cubic {
    double c[4];
} td_cubic;

TD_INLINE double td_mix_numbers(double a, double b, double t) {
    return (1.0 - t) * a + t * b;
}

// Coefficients on [a, b].
TD_INLINE td_quadratic td_quadratic_on(td_quadratic f, double a, double b) {
    const double a0 = td_mix_numbers(f.c[0], f.c[1], a), a1 = td_mix_numbers(f.c[1], f.c[2], a);
    const double b0 = td_mix_numbers(f.c[0], f.c[1], b), b1 = td_mix_numbers(f.c[1], f.c[2], b);
    td_quadratic r;
    r.c[0] = td_mix_numbers(a0, a1, a);
    r.c[1] = td_mix_numbers(a0, a1, b);
    r.c[2] = td_mix_numbers(b0, b1, b);
    return r;
}

TD_INLINE td_cubic td_cubic_on(td_cubic f, double a, double b) {
    const double a0 = td_mix_numbers(f.c[0], f.c[1], a), a1 = td_mix_numbers(f.c[1], f.c[2], a),
                 a2 = td_mix_numbers(f.c[2], f.c[3], a);
    const double b0 = td_mix_numbers(f.c[0], f.c[1], b), b1 = td_mix_numbers(f.c[1], f.c[2], b),
                 b2 = td_mix_numbers(f.c[2], f.c[3], b);
    const double aa0 = td_mix_numbers(a0, a1, a), aa1 = td_mix_numbers(a1, a2, a);
    const double bb0 = td_mix_numbers(b0, b1, b), bb1 = td_mix_numbers(b1, b2, b);
    td_cubic r;
    r.c[0] = td_mix_numbers(aa0, aa1, a);
    r.c[1] = td_mix_numbers(aa0, aa1, b);
    r.c[2] = td_mix_numbers(bb0, bb1, a);
    r.c[3] = td_mix_numbers(bb0, bb1, b);
    return r;
}

TD_INLINE double td_cubic_at(td_cubic f, double t) {
    const double a = td_mix_numbers(f.c[0], f.c[1], t), b = td_mix_numbers(f.c[1], f.c[2], t),
                 c = td_mix_numbers(f.c[2], f.c[3], t);
    return td_mix_numbers(td_mix_numbers(a, b, t), td_mix_numbers(b, c, t), t);
}

// +1 or -1: all of f on the interval has this sign for certain; else 0.
TD_INLINE int td_quadratic_sign(td_quadratic f, double error) {
    const double low = td_smaller(td_smaller(f.c[0], f.c[1]), f.c[2]);
    const double high = td_larger(td_larger(f.c[0], f.c[1]), f.c[2]);
    return low > error ? 1 : high < -error ? -1 : 0;
}

TD_INLINE int td_cubic_sign(td_cubic f, double error) {
    const double low = td_smaller(td_smaller(f.c[0], f.c[1]), td_smaller(f.c[2], f.c[3]));
    const double high = td_larger(td_larger(f.c[0], f.c[1]), td_larger(f.c[2], f.c[3]));
    return low > error ? 1 : high < -error ? -1 : 0;
}

#endif
