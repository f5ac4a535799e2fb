// Free and steady turning against what is known of them: invariants, closed forms, order of convergence.
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/random.h"

#include "dynamics/integrate.h"

#include <math.h>

static td_vec3 test_momentum(td_quat q, td_vec3 spin, td_sym3 inertia) {
    const td_mat3 r = td_quat_matrix(q);
    return td_mat3_apply(r, td_sym3_apply(inertia, td_mat3_unapply(r, spin)));
}

static double test_energy(td_quat q, td_vec3 spin, td_sym3 inertia) {
    return 0.5 * td_dot(spin, test_momentum(q, spin, inertia));
}

static double test_apart(td_quat a, td_quat b) {
    const double same = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z) +
                        (a.w - b.w) * (a.w - b.w);
    return sqrt(same);
}

// One body alone.
static td_quat test_turn(td_quat q, td_vec3 *spin, td_sym3 inertia, td_sym3 inverse, double time) {
    td_turning body = {q, *spin, inertia, inverse};
    td_turn_freely(&body, 1, TD_ISA_SCALAR, time);
    *spin = body.spin;
    return body.rotation;
}

// A body that spins about its middle axis turns over again and again.
static void test_handle_flips(void **state) {
    (void)state;
    const td_sym3 inertia = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0}, inverse = td_sym3_inverse(inertia);
    td_quat q = {0.0, 0.0, 0.0, 1.0};
    td_vec3 spin = {0.01, 10.0, 0.01};
    const td_vec3 l = test_momentum(q, spin, inertia);
    const double energy = test_energy(q, spin, inertia);
    int flips = 0;
    double side = 1.0, worst_energy = 0.0, worst_momentum = 0.0;
    for (int i = 0; i < 10000; ++i) {
        q = test_turn(q, &spin, inertia, inverse, 1.0 / 240.0);
        const double up = td_mat3_apply(td_quat_matrix(q), td_vec3_make(0.0, 1.0, 0.0)).y;
        if (up * side < -0.5) {
            side = -side;
            flips++;
        }
        worst_energy = fmax(worst_energy, fabs(test_energy(q, spin, inertia) / energy - 1.0));
        const td_vec3 off = td_sub(test_momentum(q, spin, inertia), l);
        worst_momentum = fmax(worst_momentum, td_length(off) / td_length(l));
    }
    print_message("%d flips, energy off by %.1e, angular momentum by %.1e\n", flips, worst_energy,
                  worst_momentum);
    assert_true(flips >= 10);
    assert_true(worst_energy < 1e-6);
    assert_true(worst_momentum < 1e-9);
}

// A body with one axis of symmetry precesses at a known rate: l / i1.
static void test_precession(void **state) {
    (void)state;
    const td_sym3 inertia = {2.0, 2.0, 1.0, 0.0, 0.0, 0.0}, inverse = td_sym3_inverse(inertia);
    td_quat q = {0.0, 0.0, 0.0, 1.0};
    td_vec3 spin = {0.0, 3.0, 4.0};
    const td_vec3 l = test_momentum(q, spin, inertia);
    const double rate = td_length(l) / inertia.xx;
    const int steps = 2000;
    const double time = 2.0 * 3.14159265358979323846 / rate; // once round
    for (int i = 0; i < steps; ++i) {
        q = test_turn(q, &spin, inertia, inverse, time / steps);
    }
    const td_vec3 axis = td_mat3_apply(td_quat_matrix(q), td_vec3_make(0.0, 0.0, 1.0));
    assert_true(td_length(td_sub(axis, td_vec3_make(0.0, 0.0, 1.0))) < 1e-9);
}

// Of any body, with any axes: halving the step divides what is wrong by sixteen.
static void test_free_order(void **state) {
    (void)state;
    const td_sym3 inertia = {1.5, 2.5, 2.0, 0.3, -0.2, 0.1}, inverse = td_sym3_inverse(inertia);
    const td_vec3 start = {3.0, -2.0, 4.0};
    td_quat ends[3];
    const int steps[3] = {50, 100, 3200};
    for (int k = 0; k < 3; ++k) {
        td_vec3 spin = start;
        ends[k] = td_quat_normalise((td_quat){0.1, 0.2, -0.3, 0.9});
        for (int i = 0; i < steps[k]; ++i) {
            ends[k] = test_turn(ends[k], &spin, inertia, inverse, 1.0 / steps[k]);
        }
    }
    const double ratio = test_apart(ends[0], ends[2]) / test_apart(ends[1], ends[2]);
    print_message("half the step: %.1f times better\n", ratio);
    assert_true(ratio > 13.0);
    assert_true(test_apart(ends[0], ends[2]) < 1e-4);
}

static void test_steady(void **state) {
    (void)state;
    test_random random = {5};
    for (int round = 0; round < test_rounds(1000); ++round) {
        const td_pose pose = test_random_pose(&random, 1.0);
        const td_quat q = {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]};
        const td_vec3 spin = {test_random_range(&random, -20.0, 20.0),
                              test_random_range(&random, -20.0, 20.0),
                              test_random_range(&random, -20.0, 20.0)};
        const double time = test_random_range(&random, 0.0, 0.01);
        const td_quat turned = td_turn_steadily(q, spin, time);
        const double half = 0.5 * time * td_length(spin), s = sin(half) / td_length(spin);
        const td_quat exact = td_quat_mul(td_quat_make(s * spin.x, s * spin.y, s * spin.z, cos(half)), q);
        assert_true(test_apart(turned, exact) < 1e-9);
        // A ball's spin is steady, too.
        const td_sym3 ball = {0.4, 0.4, 0.4, 0.0, 0.0, 0.0};
        td_vec3 kept = spin;
        const td_quat freely = test_turn(q, &kept, ball, td_sym3_inverse(ball), time);
        const double angle = 2.0 * half;
        assert_true(test_apart(freely, exact) < 0.02 * pow(angle, 5.0) + 1e-14);
        assert_true(td_length(td_sub(kept, spin)) < 1e-12 * td_length(spin));
    }
}

// Nothing moves by no time or no spin, and the result is always a unit quaternion.
static void test_rest(void **state) {
    (void)state;
    const td_quat q = td_quat_normalise((td_quat){0.1, 0.2, -0.3, 0.9});
    const td_sym3 inertia = {1.0, 2.0, 2.5, 0.0, 0.0, 0.0}, inverse = td_sym3_inverse(inertia);
    td_vec3 none = {0.0, 0.0, 0.0}, fast = {300.0, -500.0, 800.0};
    assert_true(test_apart(test_turn(q, &none, inertia, inverse, 0.01), q) < 1e-15);
    assert_true(td_length(none) == 0.0);
    assert_true(test_apart(td_turn_steadily(q, none, 0.01), q) < 1e-15);
    assert_true(test_apart(td_turn_steadily(q, fast, 0.0), q) < 1e-15);
    const td_vec3 l = test_momentum(q, fast, inertia);
    const td_quat wild = test_turn(q, &fast, inertia, inverse, 1.0 / 60.0);
    assert_true(fabs(wild.x * wild.x + wild.y * wild.y + wild.z * wild.z + wild.w * wild.w - 1.0) < 1e-14);
    assert_true(td_length(td_sub(test_momentum(wild, fast, inertia), l)) < 1e-12 * td_length(l));
}

// Together with others, on any instruction set: the same bits as alone. Some turn a little, some far.
static void test_together(void **state) {
    (void)state;
    test_random random = {6};
    for (int round = 0; round < test_rounds(200); ++round) {
        td_turning alone[TD_TURNED_TOGETHER], together[TD_TURNED_TOGETHER];
        const size_t count = (size_t)round % (TD_TURNED_TOGETHER + 1);
        for (size_t i = 0; i < count; ++i) {
            const td_pose pose = test_random_pose(&random, 1.0);
            const double most = (i + (size_t)round) % 5 == 0 ? 3000.0 : 20.0;
            td_turning *body = &alone[i];
            body->rotation =
                td_quat_make(pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]);
            body->spin =
                td_vec3_make(test_random_range(&random, -most, most), test_random_range(&random, -most, most),
                             test_random_range(&random, -most, most));
            body->inertia = (td_sym3){1.5, test_random_range(&random, 1.6, 2.5), 2.0, 0.3, -0.2, 0.1};
            body->inverse_inertia = td_sym3_inverse(body->inertia);
        }
        for (td_isa isa = TD_ISA_AUTO + 1; isa < TD_ISA_COUNT; ++isa) {
            if (!td_isa_available(isa)) {
                continue;
            }
            td_turning expected[TD_TURNED_TOGETHER];
            for (size_t i = 0; i < count; ++i) {
                expected[i] = together[i] = alone[i];
                td_turn_freely(&expected[i], 1, TD_ISA_SCALAR, 0.01);
            }
            td_turn_freely(together, count, isa, 0.01);
            assert_memory_equal(together, expected, count * sizeof *expected);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handle_flips), cmocka_unit_test(test_precession),
        cmocka_unit_test(test_free_order),   cmocka_unit_test(test_steady),
        cmocka_unit_test(test_rest),         cmocka_unit_test(test_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
