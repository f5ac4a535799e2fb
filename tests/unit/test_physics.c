// What mechanics says must stay, stays: momentum, angular momentum, energy; friction holds up to its angle.
#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/stage.h"

#include <math.h>
#include <stdio.h>

static td_world_def test_weightless(void) {
    td_world_def def = td_default_world_def();
    def.gravity[1] = 0;
    def.sleep_speed = 0;
    return def;
}

static double test_distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void test_same_momenta(const test_sums *now, const test_sums *before, double tolerance) {
    const double linear = test_distance(now->momentum, before->momentum) / before->momentum_scale;
    const double angular =
        test_distance(now->angular_momentum, before->angular_momentum) / before->angular_scale;
    if (!(linear <= tolerance) || !(angular <= tolerance)) {
        fail_msg("momentum changed by %g, angular momentum by %g; at most %g is expected", linear, angular,
                 tolerance);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Free flight

static void test_free_flight(void **state) {
    (void)state;
    const td_world_def def = test_weightless();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    static const char *const shapes[] = {"cow", "knot", "torus", "box"};
    test_random random = {7};
    for (int i = 0; i < 4; ++i) {
        td_body_def body = test_body(test_stage_shape(&stage, shapes[i], 0), 10.0 * i, 3, -2);
        body.pose = test_random_pose(&random, 0);
        body.pose.position[0] = 10.0 * i;
        for (int k = 0; k < 3; ++k) {
            body.velocity[k] = test_random_range(&random, -1, 1);
            body.spin[k] = test_random_range(&random, -8, 8);
        }
        (void)test_stage_add(&stage, &body);
    }
    const test_sums before = test_stage_sums(&stage, NULL);
    test_stage_run(&stage, 1000);
    const test_sums after = test_stage_sums(&stage, NULL);
    test_same_momenta(&after, &before, 1e-9);
    assert_true(fabs(after.kinetic_energy - before.kinetic_energy) <= 1e-4 * before.kinetic_energy);
    test_stage_clear(&stage);
}

// A handle like a T, spun about the axis of its middle moment of inertia, turns over again and again.
static void test_handle_flips(void **state) {
    (void)state;
    const td_world_def def = test_weightless();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const double parts[2][6] = {{0, 0, 0, 1.2, 0.2, 0.2}, {0, -0.5, 0, 0.2, 0.8, 0.2}};
    td_body_def body = test_body(test_stage_boxes(&stage, parts, 2), 0, 0, 0);
    body.spin[0] = 6;
    body.spin[1] = 0.01;
    body.velocity[2] = 0.5;
    const td_body_id handle = test_stage_add(&stage, &body);
    const test_sums before = test_stage_sums(&stage, NULL);
    int flips = 0;
    double last = 1;
    for (int i = 0; i < 3000; ++i) {
        test_stage_run(&stage, 1);
        const double *q = test_stage_body(&stage, handle).pose.rotation;
        const double up = 1 - 2 * (q[1] * q[1] + q[2] * q[2]); // the handle's own x along the world's
        if (fabs(up) > 0.9) {
            flips += up * last < 0;
            last = up;
        }
    }
    const test_sums after = test_stage_sums(&stage, NULL);
    print_message("the handle flipped %d times in 50 s; energy changed by %.2g of itself\n", flips,
                  after.kinetic_energy / before.kinetic_energy - 1);
    assert_true(flips >= 4);
    test_same_momenta(&after, &before, 1e-9);
    assert_true(fabs(after.kinetic_energy - before.kinetic_energy) <= 1e-4 * before.kinetic_energy);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Collisions

// A crowd that flies together; returns the largest energy seen, as a part of the first.
static double test_crowd(double restitution, double friction, double tolerance) {
    const td_world_def def = test_weightless();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    static const char *const shapes[] = {"cow", "knot", "torus", "box"};
    const td_mesh *meshes[4];
    test_random random = {11};
    for (int i = 0; i < 4; ++i) {
        meshes[i] = test_stage_shape(&stage, shapes[i], 0);
    }
    for (int i = 0; i < 27; ++i) {
        td_body_def body = test_body(meshes[i % 4], 0, 0, 0);
        body.pose = test_random_pose(&random, 0);
        const double place[3] = {3.0 * (i % 3 - 1), 3.0 * (i / 3 % 3 - 1), 3.0 * (i / 9 - 1)};
        for (int k = 0; k < 3; ++k) {
            body.pose.position[k] = place[k];
            body.velocity[k] = -0.5 * place[k] + test_random_range(&random, -0.3, 0.3);
            body.spin[k] = test_random_range(&random, -1, 1);
        }
        body.restitution = restitution;
        body.friction = friction;
        (void)test_stage_add(&stage, &body);
    }
    const test_sums before = test_stage_sums(&stage, NULL);
    double most = 0;
    uint64_t contacts = 0;
    for (int i = 0; i < 1000; ++i) {
        test_stage_run(&stage, 1);
        contacts += stage.report.contacts;
        most = fmax(most, stage.report.kinetic_energy / before.kinetic_energy);
    }
    const test_sums after = test_stage_sums(&stage, NULL);
    print_message("restitution %g, friction %g: %llu contacts; energy at most %.5f, at the end %.5f\n",
                  restitution, friction, (unsigned long long)contacts, most,
                  after.kinetic_energy / before.kinetic_energy);
    assert_true(contacts > 200);
    test_same_momenta(&after, &before, tolerance);
    test_stage_clear(&stage);
    return most;
}

static void test_collisions_without_bounce(void **state) {
    (void)state;
    assert_true(test_crowd(0, 0.5, 1e-4) <= 1.01);
    assert_true(test_crowd(0, 0, 1e-4) <= 1.01);
}

static void test_collisions_with_bounce(void **state) {
    (void)state;
    assert_true(test_crowd(1, 0, 1e-4) <= 1.03);
    assert_true(test_crowd(1, 0.5, 1e-4) <= 1.03);
}

// Two balls meet head on: with restitution 1 they exchange their velocities, with 0 they go on together.
static void test_two_balls(void **state) {
    (void)state;
    for (int bounce = 0; bounce < 2; ++bounce) {
        const td_world_def def = test_weightless();
        test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
        const td_mesh *ball = test_stage_shape(&stage, "sphere", 1);
        td_body_def body = test_body(ball, -2, 0, 0);
        body.velocity[0] = 2;
        body.restitution = bounce;
        body.friction = 0;
        const td_body_id left = test_stage_add(&stage, &body);
        body.pose.position[0] = 2;
        body.velocity[0] = 0;
        const td_body_id right = test_stage_add(&stage, &body);
        test_stage_run(&stage, 180);
        const double a = test_stage_body(&stage, left).velocity[0];
        const double b = test_stage_body(&stage, right).velocity[0];
        print_message("restitution %d: 2 and 0 m/s become %.4f and %.4f\n", bounce, a, b);
        assert_true(fabs(a - (bounce ? 0 : 1)) < 0.03);
        assert_true(fabs(b - (bounce ? 2 : 1)) < 0.03);
        test_stage_clear(&stage);
    }
}

// Dropped on the ground, nothing gains energy.
static void test_dropped_energy(void **state) {
    (void)state;
    static const char *const shapes[] = {"cow", "torus", "box", "knot"};
    for (int bounce = 0; bounce < 2; ++bounce) {
        for (int i = 0; i < 4; ++i) {
            const td_world_def def = td_default_world_def();
            test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
            (void)test_stage_add_static(&stage, test_stage_box(&stage, 40, 1, 40), 0, -0.5, 0);
            test_random random = {(uint64_t)i + 3};
            td_body_def body = test_body(test_stage_shape(&stage, shapes[i], 0), 0, 0, 0);
            body.pose = test_random_pose(&random, 0);
            body.pose.position[1] = 3;
            body.restitution = bounce;
            (void)test_stage_add(&stage, &body);
            const test_sums before = test_stage_sums(&stage, def.gravity);
            const double first = before.kinetic_energy + before.potential_energy;
            double most = 0;
            for (int s = 0; s < 400; ++s) {
                test_stage_run(&stage, 1);
                most = fmax(most, (stage.report.kinetic_energy + stage.report.potential_energy) / first);
            }
            print_message("%s, restitution %d: energy at most %.5f of the first\n", shapes[i], bounce, most);
            assert_true(most <= (bounce ? 1.03 : 1.01));
            test_stage_clear(&stage);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Friction

// How far a box slides in three seconds on a plane at `degrees`.
static double test_slide(double degrees, double friction) {
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    td_body_def plane = test_body(test_stage_box(&stage, 60, 1, 20), 0, 0, 0);
    plane.kind = TD_BODY_STATIC;
    plane.friction = friction;
    test_turn(plane.pose.rotation, 0, 0, 1, degrees);
    (void)test_stage_add(&stage, &plane);
    td_body_def box = test_body(test_stage_box(&stage, 1, 0.5, 1), 0, 0, 0);
    const double turn = degrees * 3.141592653589793 / 180;
    box.pose.position[0] = -0.75 * sin(turn);
    box.pose.position[1] = 0.75 * cos(turn);
    test_turn(box.pose.rotation, 0, 0, 1, degrees);
    box.friction = friction;
    const td_body_id id = test_stage_add(&stage, &box);
    test_stage_run(&stage, 30); // to settle
    double from[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = test_stage_body(&stage, id).centre[k];
    }
    test_stage_run(&stage, 180);
    const td_body_state end = test_stage_body(&stage, id);
    const double moved = test_distance(end.centre, from);
    test_stage_clear(&stage);
    return moved;
}

static void test_friction_angle(void **state) {
    (void)state;
    static const double angles[] = {10, 20, 30, 40};
    for (int i = 0; i < 4; ++i) {
        const double friction = tan(angles[i] * 3.141592653589793 / 180);
        const double below = test_slide(angles[i] - 1, friction), above = test_slide(angles[i] + 1, friction);
        print_message(
            "friction %.3f (%g degrees): one degree below it moves %.2g m in 3 s, one above %.2g m\n",
            friction, angles[i], below, above);
        assert_true(below < 0.002);
        assert_true(above > 0.3); // g (sin - friction cos) t^2 / 2 is 0.75 m and more
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_handle_flips),
        cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_collisions_without_bounce),
        cmocka_unit_test(test_collisions_with_bounce),
        cmocka_unit_test(test_dropped_energy),
        cmocka_unit_test(test_friction_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
