// Integers of any length in an arena. Host only: what the filters leave undecided.
#ifndef TD_PREDICATES_BIG_INT_H
#define TD_PREDICATES_BIG_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SIZEOF_INT128__
typedef uint64_t td_limb;
__extension__ typedef unsigned __int128 td_two_limbs;
#define TD_LIMB_BITS 64u
#else
typedef uint32_t td_limb;
typedef uint64_t td_two_limbs;
#define TD_LIMB_BITS 32u
#endif

// Memory that is taken in a row and given back by setting `used` to what it was.
typedef struct td_big_arena {
    td_limb *limbs;
    size_t used, size;
    size_t most;    // the largest `used` so far
    bool exhausted; // more was asked for than there is: all results since are worthless, but defined
} td_big_arena;

typedef struct td_big_int {
    td_limb *limbs; // lowest first; the last of them is not zero
    uint32_t length;
    int sign; // -1, 0, +1; 0 exactly if length is 0
} td_big_int;

// The exponent of the last bit of x that is set, -1074 ... 1023; x must be finite and not 0.
int td_last_bit_of(double x);

td_big_int td_big_from(td_big_arena *arena, double x, int base); // x / 2^base, which must be whole
td_big_int td_big_sum(td_big_arena *arena, td_big_int a, td_big_int b);
td_big_int td_big_difference(td_big_arena *arena, td_big_int a, td_big_int b);
td_big_int td_big_product(td_big_arena *arena, td_big_int a, td_big_int b);
td_big_int td_big_shifted(td_big_arena *arena, td_big_int a, uint32_t bits); // a 2^bits
td_big_int td_big_negated(td_big_int a);
uint32_t td_big_trailing_zeros(td_big_int a); // a must not be 0
// Shifts down in place: a / 2^bits, which must be whole.
td_big_int td_big_shift_down(td_big_int a, uint32_t bits);
// a = result 2^exponent within 2^-50 of it, 0.5 <= |result| < 1; 0 for 0.
double td_big_mantissa(td_big_int a, int *exponent);

#endif
