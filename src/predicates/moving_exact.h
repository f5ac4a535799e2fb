// Whether and when four moving points meet (moving.h), exactly, for all finite doubles. Host only.
#ifndef TD_PREDICATES_MOVING_EXACT_H
#define TD_PREDICATES_MOVING_EXACT_H

#include "big_int.h"
#include "moving.h"

// Limbs that serve any finite doubles, and those that serve coordinates of about the same magnitude, down to
// rounding errors of each other, which may be had from the stack.
//
// Coordinates are divided by the last bit of the smallest, so they have at most 1024 + 1074 = 2098 bits, and
// their differences and those over time at most B = 2100. In bits: coefficients of cross products and dot
// products 2 B + 3, of conditions 2 B + 5, of F 3 B + 6. Tarski's chain for F and a condition g: F' g has 5 B
// + 14, modulo F 11 B + 30; F modulo that 25 B + 70; the last remainder 61 B + 180, i.e. 2,005 limbs of 64
// bits. Signs at points of degree 2 take no more than 60 B. A step of the remainder makes at most three
// numbers for each of at most four coefficients: in the chain's 6 steps fewer than 54 numbers, 12 of the
// longest kind (61 B), 18 of 25 B, 24 of 11 B, 1446 B in all: 47,500 limbs. All else (four points, some ten
// cross products with their partial products, F, roots) is fewer than 1,500 numbers of at most 4 B: 6000 B,
// 197,000 limbs.
enum {
    TD_MOVING_EXACT_LIMBS = (1 << 18) * (64 / TD_LIMB_BITS),
    TD_MOVING_STACK_LIMBS = (1 << 12) * (64 / TD_LIMB_BITS),
};

// `window` is what the filter knows: UNDECIDED. The state is UNDECIDED again if the arena is exhausted, which
// one of TD_MOVING_EXACT_LIMBS never is.
td_moving_result td_moving_exact(td_big_arena *arena, const td_moving_points *points, int kind,
                                 td_moving_result window);

// The window of which nothing is known.
td_moving_result td_moving_anywhere(void);

#endif
