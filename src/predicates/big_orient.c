// All coordinates of one call are multiples of 2^base, base being the exponent of the last mantissa bit of
// the smallest of them; divided by it they are integers, and the determinant of integers is a matter of
// schoolbook addition and multiplication. Only the limbs in use are touched, so coordinates of similar
// magnitude, huge or tiny, stay cheap.
#include "big_orient.h"

#include <string.h>

// frexp gives mantissas of 53 bits and exponents (of the last bit) from -1126, a subnormal normalised, to
// 971. A coordinate thus has at most 971 + 1126 + 53 = 2150 bits, a difference 2151, a product of three 6453,
// and a sum of six such products 6456.
#define TD_BIG_LIMBS 204
_Static_assert(32 * TD_BIG_LIMBS >= 6456, "a 3x3 determinant of differences of doubles must fit");

typedef struct td_big {
    int sign;   // -1, 0, +1; 0 exactly if length is 0
    int length; // limbs in use; the last of them is not zero
    uint32_t limb[TD_BIG_LIMBS];
} td_big;

// Exponent of the last bit of the 53-bit mantissa of x, which must not be 0.
static int td_last_bit(double x) {
    int exponent = 0;
    frexp(x, &exponent);
    return exponent - 53;
}

static int td_common_base(const double *x, int count) {
    int base = 1024;
    for (int i = 0; i < count; ++i) {
        if (x[i] != 0.0 && td_last_bit(x[i]) < base) {
            base = td_last_bit(x[i]);
        }
    }
    return base;
}

static void td_big_trim(td_big *r, int sign) {
    while (r->length > 0 && r->limb[r->length - 1] == 0) {
        --r->length;
    }
    r->sign = r->length == 0 ? 0 : sign;
}

// r = x / 2^base.
static void td_big_from_double(td_big *r, double x, int base) {
    if (x == 0.0) {
        r->sign = 0;
        r->length = 0;
        return;
    }
    int exponent = 0;
    const uint64_t mantissa = (uint64_t)ldexp(fabs(frexp(x, &exponent)), 53);
    const int shift = exponent - 53 - base;
    const int first = shift / 32;
    const int bits = shift % 32;
    const uint64_t low = mantissa << bits;
    memset(r->limb, 0, sizeof r->limb[0] * (size_t)first);
    r->limb[first] = (uint32_t)low;
    r->limb[first + 1] = (uint32_t)(low >> 32);
    r->limb[first + 2] = bits == 0 ? 0 : (uint32_t)(mantissa >> (64 - bits));
    r->length = first + 3;
    td_big_trim(r, x > 0.0 ? 1 : -1);
}

static int td_big_compare_magnitude(const td_big *a, const td_big *b) {
    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    for (int i = a->length - 1; i >= 0; --i) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

// r = (|longer| + |shorter|) sign; r may be either.
static void td_big_add_magnitude(td_big *r, const td_big *longer, const td_big *shorter, int sign) {
    const int length = longer->length;
    const int other = shorter->length;
    uint64_t carry = 0;
    for (int i = 0; i < length; ++i) {
        carry += (uint64_t)longer->limb[i] + (i < other ? shorter->limb[i] : 0);
        r->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    r->length = length;
    if (carry != 0) {
        r->limb[r->length++] = (uint32_t)carry;
    }
    r->sign = sign;
}

// r = (|larger| - |smaller|) sign; r may be either.
static void td_big_subtract_magnitude(td_big *r, const td_big *larger, const td_big *smaller, int sign) {
    const int length = larger->length;
    const int other = smaller->length;
    uint64_t borrow = 0;
    for (int i = 0; i < length; ++i) {
        const uint64_t take = (i < other ? smaller->limb[i] : 0) + borrow;
        const uint64_t from = larger->limb[i];
        borrow = from < take;
        r->limb[i] = (uint32_t)(from - take);
    }
    r->length = length;
    td_big_trim(r, sign);
}

// r = a + b b_sign, b_sign being +1 or -1; r may be a or b.
static void td_big_add(td_big *r, const td_big *a, const td_big *b, int b_sign) {
    const int sign = b->sign * b_sign;
    const int order = td_big_compare_magnitude(a, b);
    const td_big *larger = order >= 0 ? a : b;
    const td_big *smaller = order >= 0 ? b : a;
    const int larger_sign = order >= 0 ? a->sign : sign;
    if (a->sign * sign >= 0) {
        td_big_add_magnitude(r, larger, smaller, larger_sign);
    } else {
        td_big_subtract_magnitude(r, larger, smaller, larger_sign);
    }
}

// r = a b; r must be neither.
static void td_big_multiply(td_big *r, const td_big *a, const td_big *b) {
    r->length = a->length + b->length;
    memset(r->limb, 0, sizeof r->limb[0] * (size_t)r->length);
    for (int i = 0; i < a->length; ++i) {
        if (a->limb[i] == 0) {
            continue; // most limbs, if magnitudes differ much
        }
        uint64_t carry = 0;
        for (int j = 0; j < b->length; ++j) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + r->limb[i + j];
            r->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        r->limb[i + b->length] = (uint32_t)carry;
    }
    td_big_trim(r, a->sign * b->sign);
}

// r = a d - b c; r must be none of them.
static void td_big_minor(td_big *r, const td_big *a, const td_big *b, const td_big *c, const td_big *d) {
    td_big bc;
    td_big_multiply(&bc, b, c);
    td_big_multiply(r, a, d);
    td_big_add(r, r, &bc, -1);
}

// r = (p - q) / 2^base.
static void td_big_difference(td_big *r, double p, double q, int base) {
    td_big subtrahend;
    td_big_from_double(r, p, base);
    td_big_from_double(&subtrahend, q, base);
    td_big_add(r, r, &subtrahend, -1);
}

int td_big_orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
    const double all[6] = {ax, ay, bx, by, cx, cy};
    const int base = td_common_base(all, 6);
    td_big acx;
    td_big acy;
    td_big bcx;
    td_big bcy;
    td_big_difference(&acx, ax, cx, base);
    td_big_difference(&acy, ay, cy, base);
    td_big_difference(&bcx, bx, cx, base);
    td_big_difference(&bcy, by, cy, base);
    td_big det;
    td_big_minor(&det, &acx, &acy, &bcx, &bcy);
    return det.sign;
}

int td_big_orient3d(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    const double origin[3] = {a.x, a.y, a.z};
    const double rows[3][3] = {{b.x, b.y, b.z}, {c.x, c.y, c.z}, {d.x, d.y, d.z}};
    int base = td_common_base(origin, 3);
    for (int i = 0; i < 3; ++i) {
        const int row_base = td_common_base(rows[i], 3);
        base = row_base < base ? row_base : base;
    }
    td_big m[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            td_big_difference(&m[i][j], rows[i][j], origin[j], base);
        }
    }
    td_big det = {0};
    for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3;
        const int l = (j + 2) % 3;
        td_big minor;
        td_big term;
        td_big_minor(&minor, &m[0][k], &m[0][l], &m[1][k], &m[1][l]);
        td_big_multiply(&term, &minor, &m[2][j]);
        td_big_add(&det, &det, &term, 1);
    }
    return det.sign;
}
