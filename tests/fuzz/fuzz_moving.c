// Four moving points from a fuzzer's bytes: the filter, the integers in its window and the integers alone
// must agree, as must the answers of a bounded budget and of a separation, as far as these go.
#include "input.h"
#include "predicates/moving_decide.h"
#include "predicates/moving_exact.h"
#include "predicates/moving_filter.h"

#include <limits.h>

enum { FUZZ_LIMBS = TD_MOVING_EXACT_LIMBS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_agree(td_moving_result a, td_moving_result b, const char *what) {
    fuzz_require(a.state == b.state, what);
    if (a.state == TD_MOVING_TOUCHING) {
        fuzz_require(a.lower <= b.upper && b.lower <= a.upper, what);
        fuzz_require(a.upper - a.lower <= 1e-6 && b.upper - b.lower <= 1e-6, what);
    }
}

// Finite, and not so far apart in magnitude that the integers take seconds: unit tests go there.
static int fuzz_read_points(fuzz_input *input, td_moving_points *points) {
    const int mode = fuzz_byte(input) % FUZZ_MODES;
    int lowest = INT_MAX, highest = INT_MIN;
    for (int i = 0; i < 24; ++i) {
        const double x = fuzz_coordinate(input, mode);
        td_vec3 *point = &points->at[i / 12][i / 3 % 4];
        *(i % 3 == 0 ? &point->x : i % 3 == 1 ? &point->y : &point->z) = x;
        if (!isfinite(x)) {
            return 0;
        }
        if (x != 0.0) {
            const int low = td_last_bit_of(x), high = ilogb(x);
            lowest = low < lowest ? low : lowest;
            highest = high > highest ? high : highest;
        }
    }
    return highest < lowest || highest - lowest < 500;
}

static void fuzz_check_bounded(const td_moving_points *points, int kind, td_moving_result truth) {
    td_moving_def def = td_default_moving_def();
    td_moving_contact contact;
    def.budget = 5;
    fuzz_require(td_decide_moving(&contact, NULL, points, kind, &def) == TD_OK, "a budget fails");
    fuzz_require(contact.touching || (contact.certain && truth.state == TD_MOVING_APART), "a budget misses");
    fuzz_require(truth.state == TD_MOVING_APART || contact.time <= truth.upper, "a budget is late");
    def.separation = 1e-3;
    fuzz_require(td_decide_moving(&contact, NULL, points, kind, &def) == TD_OK, "a separation fails");
    fuzz_require(contact.touching || truth.state == TD_MOVING_APART, "a separation misses");
    fuzz_require(truth.state == TD_MOVING_APART || contact.time <= truth.upper, "a separation is late");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    const int kind = fuzz_byte(&input) % 2;
    td_moving_points points;
    if (!fuzz_read_points(&input, &points)) {
        return 0;
    }
    td_big_arena arena = {.limbs = malloc(FUZZ_LIMBS * sizeof(td_limb)), .size = FUZZ_LIMBS};
    fuzz_require(arena.limbs != NULL, "no memory");
    const td_moving_result filtered = td_moving_filter(&points, kind, TD_MOVING_MOST_STEPS);
    const td_moving_result alone = td_moving_exact(&arena, &points, kind, td_moving_anywhere());
    fuzz_require(!arena.exhausted, "the integers are longer than was proven");
    if (filtered.state == TD_MOVING_UNDECIDED) {
        fuzz_agree(td_moving_exact(&arena, &points, kind, filtered), alone, "the window changes the answer");
    } else {
        fuzz_agree(filtered, alone, "the filter is wrong");
    }
    fuzz_check_bounded(&points, kind, alone);
    free(arena.limbs);
    return 0;
}
