// Two triangles from bytes; every predicate on them against GMP. The first byte picks how coordinates are
// made, so that the fuzzer reaches exact coincidences as well as any bit pattern.
#include "predicates/big_orient.h"
#include "predicates/orient.h"
#include "predicates/tri_tri.h"
#include "support/exact_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static uint8_t fuzz_byte(fuzz_input *input) {
    if (input->size == 0) {
        return 0;
    }
    --input->size;
    return *input->data++;
}

// Eight bytes as they are; what is not finite becomes a small integer.
static double fuzz_bits(fuzz_input *input) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits = bits << 8 | fuzz_byte(input);
    }
    double x = 0;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : (double)(bits & 15);
}

static double fuzz_small(fuzz_input *input) {
    return fuzz_byte(input) % 5 - 2;
}

// A small integer at one of 8 magnitudes, perhaps a unit in the last place beside it.
static double fuzz_scaled(fuzz_input *input) {
    static const int exponents[8] = {0, -1074, -1022, -540, -251, 251, 540, 1022};
    const uint8_t byte = fuzz_byte(input);
    const double x = ldexp(byte % 3 - 1, exponents[byte >> 5]);
    const int step = byte >> 3 & 3;
    const double moved = step == 1 ? nextafter(x, INFINITY) : step == 2 ? nextafter(x, -INFINITY) : x;
    return isfinite(moved) ? moved : x;
}

static double fuzz_coordinate(fuzz_input *input, int mode, double *before, int count) {
    switch (mode) {
    case 0:
        return fuzz_small(input);
    case 1:
        return fuzz_scaled(input);
    case 2:
        return fuzz_bits(input);
    case 3: // tenths
        return 0.1 * (fuzz_byte(input) % 9) + 1e6 * (fuzz_byte(input) % 2);
    default: { // any bits, or one of the coordinates before
        const int from = fuzz_byte(input) % 32;
        return from < count ? before[from] : fuzz_bits(input);
    }
    }
}

static void fuzz_expect(int found, int expected, const char *what, const double *x) {
    if (found == expected) {
        return;
    }
    fprintf(stderr, "%s is %d, should be %d, for\n", what, found, expected);
    for (int i = 0; i < 18; ++i) {
        fprintf(stderr, "%a%s", x[i], i % 3 == 2 ? "\n" : " ");
    }
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static test_oracle *oracle = NULL;
    if (oracle == NULL) {
        oracle = test_oracle_create();
    }
    fuzz_input input = {data, size};
    const int mode = fuzz_byte(&input) % 5;
    double x[18];
    for (int i = 0; i < 18; ++i) {
        x[i] = fuzz_coordinate(&input, mode, x, i);
    }
    const td_vec3 p[6] = {{x[0], x[1], x[2]},   {x[3], x[4], x[5]},    {x[6], x[7], x[8]},
                          {x[9], x[10], x[11]}, {x[12], x[13], x[14]}, {x[15], x[16], x[17]}};
    const td_triangle a = {p[0], p[1], p[2]};
    const td_triangle b = {p[3], p[4], p[5]};
    const int meet = test_oracle_intersect(oracle, a, b);
    fuzz_expect(td_triangles_intersect(a, b), meet, "a meets b", x);
    fuzz_expect(td_triangles_intersect(b, a), meet, "b meets a", x);
    fuzz_expect(td_triangle_is_degenerate(a), test_oracle_degenerate(oracle, a), "a degenerate", x);
    const td_triangle segment = {p[3], p[4], p[4]};
    const int cut = test_oracle_intersect(oracle, a, segment);
    fuzz_expect(td_segment_intersects_triangle(p[3], p[4], a), cut, "segment b0 b1 meets a", x);
    const int crossing = td_segment_crosses_triangle(p[3], p[4], a);
    fuzz_expect(crossing == -1 ? cut : crossing, cut, "segment b0 b1 crosses a", x);
    for (int i = 0; i < 3; ++i) {
        const int sign = test_oracle_orient3d(oracle, p[0], p[1], p[2], p[3 + i]);
        fuzz_expect(td_orient3d(p[0], p[1], p[2], p[3 + i]), sign, "orient3d", x);
        fuzz_expect(td_big_orient3d(p[0], p[1], p[2], p[3 + i]), sign, "big orient3d", x);
    }
    const int turn = test_oracle_orient2d(oracle, x, x + 3, x + 6);
    fuzz_expect(td_orient2d(x[0], x[1], x[3], x[4], x[6], x[7]), turn, "orient2d", x);
    return 0;
}
