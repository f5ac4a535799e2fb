// All coordinates of one call are multiples of 2^base, the last bit of the smallest of them; divided by it
// they are integers (big_int.h), and the determinant of integers is a matter of schoolbook addition and
// multiplication. Coordinates of similar magnitude, huge or tiny, stay cheap.
#include "big_orient.h"

#include "big_int.h"

// A coordinate has at most 1024 + 1074 = 2098 bits, a difference 2099, a product of two 4198 and of three
// 6297. In limbs of 64 bits, with what conversions and sums take before they are trimmed: 9 differences of
// two coordinates, 33 + 33 + 34 each; 3 minors, 66 + 66 + 67; 3 products of three, 99, and 2 sums, 100: 1,994
// in all. In those of 32 bits 3,974.
enum { TD_ORIENT_LIMBS = 2048 * (64 / TD_LIMB_BITS) };

typedef struct td_orient_scratch {
    td_limb limbs[TD_ORIENT_LIMBS];
    td_big_arena arena;
} td_orient_scratch;

static td_big_arena *td_open_scratch(td_orient_scratch *scratch) {
    scratch->arena = (td_big_arena){.limbs = scratch->limbs, .size = TD_ORIENT_LIMBS};
    return &scratch->arena;
}

static int td_common_base(const double *x, int count) {
    int base = 1024;
    for (int i = 0; i < count; ++i) {
        if (x[i] != 0.0) {
            const int bit = td_last_bit_of(x[i]);
            base = bit < base ? bit : base;
        }
    }
    return base;
}

// (p - q) / 2^base.
static td_big_int td_scaled_difference(td_big_arena *arena, double p, double q, int base) {
    return td_big_difference(arena, td_big_from(arena, p, base), td_big_from(arena, q, base));
}

// a d - b c.
static td_big_int td_minor(td_big_arena *arena, td_big_int a, td_big_int b, td_big_int c, td_big_int d) {
    return td_big_difference(arena, td_big_product(arena, a, d), td_big_product(arena, b, c));
}

int td_big_orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
    td_orient_scratch scratch;
    td_big_arena *arena = td_open_scratch(&scratch);
    const double all[6] = {ax, ay, bx, by, cx, cy};
    const int base = td_common_base(all, 6);
    const td_big_int acx = td_scaled_difference(arena, ax, cx, base);
    const td_big_int acy = td_scaled_difference(arena, ay, cy, base);
    const td_big_int bcx = td_scaled_difference(arena, bx, cx, base);
    const td_big_int bcy = td_scaled_difference(arena, by, cy, base);
    return td_minor(arena, acx, acy, bcx, bcy).sign;
}

int td_big_orient3d(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    td_orient_scratch scratch;
    td_big_arena *arena = td_open_scratch(&scratch);
    const double all[12] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    const int base = td_common_base(all, 12);
    td_big_int m[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = td_scaled_difference(arena, all[3 * i + 3 + j], all[j], base);
        }
    }
    td_big_int det = {0};
    for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3;
        const int l = (j + 2) % 3;
        const td_big_int minor = td_minor(arena, m[0][k], m[0][l], m[1][k], m[1][l]);
        det = td_big_sum(arena, det, td_big_product(arena, minor, m[2][j]));
    }
    return det.sign;
}
