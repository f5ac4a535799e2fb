#include "moving_cases.h"

#include "cmocka_all.h"
#include "moving_oracle.h"
#include "predicates/moving_decide.h"
#include "predicates/moving_exact.h"
#include "predicates/moving_filter.h"

#include <math.h>
#include <stdlib.h>

typedef double test_coordinate_fn(test_random *random);

static double test_few_bits(test_random *random) {
    return test_random_int(random, -16, 16) / 16.0;
}

static double test_on_grid(test_random *random) {
    return test_random_int(random, -2, 2);
}

static double test_on_small_grid(test_random *random) {
    return test_random_int(random, -1, 1);
}

static double test_any_unit(test_random *random) {
    return test_random_range(random, -1, 1);
}

// A grid with what rotations leave of zeros and ones.
static double test_noisy(test_random *random) {
    const double x = test_random_int(random, -1, 1);
    return test_random_int(random, 0, 2) == 0 ? x + test_random_int(random, -3, 3) * 0x1p-53 : x;
}

static double test_subnormal(test_random *random) {
    return test_random_int(random, -3, 3) * 0x1p-1074;
}

static double test_of_any_power(test_random *random) {
    static const int exponents[] = {-1074, -900, -500, 0, 500, 900, 1020};
    return ldexp(test_random_int(random, -3, 3), exponents[test_random_int(random, 0, 6)]);
}

static double test_of_900(test_random *random) {
    return ldexp(test_random_int(random, -4, 4), test_random_int(random, 0, 1) ? 900 : -900);
}

static td_vec3 test_point_of(test_random *random, test_coordinate_fn *coordinate) {
    const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
    return td_vec3_make(x, y, z);
}

static td_moving_points test_points_of(test_random *random, test_coordinate_fn *coordinate) {
    td_moving_points p;
    for (int i = 0; i < 8; ++i) {
        p.at[i / 4][i % 4] = test_point_of(random, coordinate);
    }
    return p;
}

static td_vec3 test_mix_points(td_vec3 a, td_vec3 b, double t) {
    return td_add(td_scale(a, 1 - t), td_scale(b, t));
}

// A part of 1: often one of its ends.
static double test_weight(test_random *random) {
    const int choice = test_random_int(random, 0, 5);
    return choice < 2 ? choice : choice == 2 ? 0.5 : test_random_unit(random);
}

// Moves the first point so that it passes, but for rounding, a point of the other feature at time t.
static void test_aim(td_moving_points *p, test_random *random, int kind, double t) {
    td_vec3 at[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = test_mix_points(p->at[0][i], p->at[1][i], t);
    }
    const double a = test_weight(random), b = test_weight(random);
    td_vec3 target = test_mix_points(at[2], at[3], a);
    if (kind == TD_VERTEX_FACE) {
        target = test_mix_points(target, at[1], b);
    } else if (b < 1) { // the point a0 + b (a1 - a0) is to be there
        target = td_scale(td_sub(target, td_scale(at[1], b)), 1 / (1 - b));
    }
    if (t > 0) {
        p->at[1][0] = td_add(p->at[0][0], td_scale(td_sub(target, p->at[0][0]), 1 / t));
    } else {
        p->at[0][0] = target;
    }
}

static td_moving_points test_scaled_points(td_moving_points p, double scale, td_vec3 shift) {
    for (int i = 0; i < 8; ++i) {
        p.at[i / 4][i % 4] = td_add(td_scale(p.at[i / 4][i % 4], scale), shift);
    }
    return p;
}

const char *test_moving_mode_name(int mode) {
    static const char *const names[TEST_MOVING_MODES] = {
        "few bits", "grid", "uniform", "aimed", "aimed, few bits", "scaled and shifted", "rounding noise"};
    return names[mode];
}

td_moving_points test_random_moving(test_random *random, int mode, int kind) {
    td_moving_points p;
    switch (mode) {
    case 0:
        return test_points_of(random, test_few_bits);
    case 1:
        return test_points_of(random, test_on_grid);
    case 2:
        return test_points_of(random, test_any_unit);
    case 3:
        p = test_points_of(random, test_any_unit);
        test_aim(&p, random, kind, test_random_unit(random));
        return p;
    case 4:
        p = test_points_of(random, test_few_bits);
        test_aim(&p, random, kind, test_random_int(random, 0, 4) / 4.0);
        return p;
    case 5:
        p = test_points_of(random, test_few_bits);
        return test_scaled_points(p, ldexp(1, test_random_int(random, -60, 60)),
                                  td_scale(test_point_of(random, test_any_unit), 1e6));
    default:
        return test_points_of(random, test_noisy);
    }
}

// ---------------------------------------------------------------------------------------------------------

const char *test_moving_degenerate_name(int mode) {
    static const char *const names[TEST_MOVING_DEGENERATE] = {
        "coincident points",    "no length",       "on a line",         "in a plane", "no motion",
        "contact at 0, 1/2, 1", "touch and leave", "subnormal numbers", "2^+-900",    "any powers of two",
        "always in contact",    "same motion"};
    return names[mode];
}

bool test_moving_is_slow(int mode) {
    return mode == 8 || mode == 9;
}

static void test_collapse(td_moving_points *p, int from, int to) {
    p->at[0][to] = p->at[0][from];
    p->at[1][to] = p->at[1][from];
}

// Points 1, 2, 3 on a line at all times, or only at the ends.
static void test_line_up(td_moving_points *p, test_random *random) {
    for (int i = 0; i < 2; ++i) {
        const int part = test_random_int(random, -2, 2);
        p->at[i][3] = td_add(p->at[i][1], td_scale(td_sub(p->at[i][2], p->at[i][1]), part));
    }
}

static void test_flatten(td_moving_points *p, test_random *random) {
    const int axis = test_random_int(random, 0, 2);
    for (int i = 0; i < 8; ++i) {
        td_vec3 *v = &p->at[i / 4][i % 4];
        *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = i < 4 ? 0 : 1;
    }
}

// The first point comes to z = 0, where the others stay, and leaves: the sign of F does not change. Its speed
// cannot turn, so the others' plane does.
static td_moving_points test_touch_and_leave(test_random *random) {
    td_moving_points p = test_points_of(random, test_on_grid);
    for (int i = 0; i < 2; ++i) {
        for (int j = 1; j < 4; ++j) {
            p.at[i][j].z = 0;
        }
        p.at[i][0].z = i == 0 ? -1 : 1;
        // z = 2 t - 1, and so is this height of a corner at x = 1 - 2 t or its like.
        p.at[i][3].z = (i == 0 ? -1 : 1) * test_random_int(random, 0, 1);
    }
    return p;
}

td_moving_points test_degenerate_moving(test_random *random, int mode, int kind) {
    td_moving_points p =
        test_points_of(random, test_random_int(random, 0, 1) ? test_on_grid : test_on_small_grid);
    switch (mode) {
    case 0:
        test_collapse(&p, test_random_int(random, 0, 3), test_random_int(random, 0, 3));
        break;
    case 1:
        test_collapse(&p, 2, 3);
        if (test_random_int(random, 0, 1)) {
            test_collapse(&p, kind == TD_VERTEX_FACE ? 2 : 0, 1);
        }
        break;
    case 2:
        test_line_up(&p, random);
        break;
    case 3:
        test_flatten(&p, random);
        break;
    case 4:
        for (int i = 0; i < 4; ++i) {
            p.at[1][i] = p.at[0][i];
        }
        break;
    case 5:
        test_aim(&p, random, kind, test_random_int(random, 0, 2) / 2.0);
        break;
    case 6:
        return test_touch_and_leave(random);
    case 7:
        return test_points_of(random, test_subnormal);
    case 8:
        return test_points_of(random, test_of_900);
    case 9:
        return test_points_of(random, test_of_any_power);
    case 10: // the first point is a corner of the other feature
        test_collapse(&p, test_random_int(random, 2, 3), 0);
        break;
    default:
        for (int i = 0; i < 4; ++i) {
            p.at[1][i] = td_add(p.at[0][i], td_vec3_make(1, 2, -1));
        }
        break;
    }
    return p;
}

// ---------------------------------------------------------------------------------------------------------

void test_print_moving(const td_moving_points *points, int kind) {
    print_error("%s\n", kind == TD_VERTEX_FACE ? "vertex-face" : "edge-edge");
    for (int i = 0; i < 8; ++i) {
        const td_vec3 v = points->at[i / 4][i % 4];
        print_error("  t = %d, point %d: (%a, %a, %a)\n", i / 4, i % 4, v.x, v.y, v.z);
    }
}

static bool test_same_answer(td_moving_result a, td_moving_result b) {
    return a.state == b.state && (a.state == TD_MOVING_APART || (a.lower <= b.upper && b.lower <= a.upper));
}

void test_check_moving(test_moving_counts *counts, const td_moving_points *points, int kind) {
    td_big_arena arena = {.limbs = malloc(TD_MOVING_EXACT_LIMBS * sizeof(td_limb)),
                          .size = TD_MOVING_EXACT_LIMBS};
    const td_moving_result filtered = td_moving_filter(points, kind, TD_MOVING_MOST_STEPS);
    const td_moving_result anywhere = td_moving_exact(&arena, points, kind, td_moving_anywhere());
    const td_moving_result whole =
        filtered.state == TD_MOVING_UNDECIDED ? td_moving_exact(&arena, points, kind, filtered) : filtered;
    const test_moving_truth truth = test_moving_oracle(points, kind, whole.lower, whole.upper);
    bool right = !arena.exhausted && whole.state == (truth.touching ? TD_MOVING_TOUCHING : TD_MOVING_APART) &&
                 test_same_answer(whole, anywhere);
    if (truth.touching) {
        right = right && truth.none_before && truth.some_until && whole.upper - whole.lower <= 1e-6 &&
                anywhere.upper - anywhere.lower <= 1e-6;
    }
    if (!right) {
        test_print_moving(points, kind);
        fail_msg(
            "the truth is %s; filter %d, integers %d in [%.17g, %.17g], alone %d in [%.17g, %.17g]; none "
            "before %d, some until %d",
            truth.touching ? "touching" : "apart", filtered.state, whole.state, whole.lower, whole.upper,
            anywhere.state, anywhere.lower, anywhere.upper, truth.none_before, truth.some_until);
    }
    counts->touching += truth.touching;
    counts->apart += !truth.touching;
    counts->undecided += filtered.state == TD_MOVING_UNDECIDED;
    counts->most_limbs = arena.most > counts->most_limbs ? arena.most : counts->most_limbs;
    free(arena.limbs);
}
