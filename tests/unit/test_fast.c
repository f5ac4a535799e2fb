// Nothing passes through anything: fast cows and thin walls, small balls, plates, bars that spin, sheets of
// two triangles, at steps in which they travel many times their own size.
#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/stage.h"

#include <float.h>
#include <math.h>

enum { TEST_SEEDS = 5 };

static const double test_speeds[] = {5, 20, 100, 300}; // m/s
enum { TEST_SPEEDS = sizeof test_speeds / sizeof *test_speeds };

static const double test_wall = 0.01; // m thick

static test_stage test_weightless(void) {
    td_world_def def = td_default_world_def();
    def.gravity[1] = 0;
    return test_stage_make(&def, 1, TD_ISA_AUTO);
}

// How many were tried, how many got through, and how many were left sticking in what they hit.
typedef struct test_tally {
    uint32_t tried, passed, stuck;
} test_tally;

static void test_conclude(const char *what, const test_tally *tally) {
    print_message("%s: %u of %u passed through, %u stuck\n", what, tally->passed, tally->tried, tally->stuck);
    assert_true(tally->tried > 0);
    assert_int_equal(tally->passed, 0);
    assert_int_equal(tally->stuck, 0);
}

// The largest x of a body's vertices, times `way` (1 or -1).
static double test_reach(const td_body_state *body, double way) {
    double most = -DBL_MAX;
    const double *q = body->pose.rotation;
    // First row of the rotation.
    const double row[3] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] - q[2] * q[3]),
                           2 * (q[0] * q[2] + q[1] * q[3])};
    for (uint32_t v = 0; v < td_mesh_vertex_count(body->mesh); ++v) {
        double p[3];
        td_mesh_vertex(p, body->mesh, v);
        most = fmax(most, way * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + body->pose.position[0]));
    }
    return most;
}

static void test_random_turn(double out[4], test_random *random) {
    const td_pose pose = test_random_pose(random, 1);
    for (int k = 0; k < 4; ++k) {
        out[k] = pose.rotation[k];
    }
}

// ---------------------------------------------------------------------------------------------------------
// Against something static across x = 0

typedef struct test_shot {
    const td_mesh *bullet, *wall;
    double thickness; // m, of the wall
    double size;      // m, of the bullet, about
    double speed;     // m/s, along x
    double spin;      // rad/s, about a random axis
    uint64_t seed;
} test_shot;

static void test_fire(test_tally *tally, test_stage *stage, const test_shot *shot) {
    test_random random = {shot->seed};
    (void)test_stage_add_static(stage, shot->wall, 0, 0, 0);
    td_body_def body = test_body(shot->bullet, -test_random_range(&random, 1.5, 4) * shot->size,
                                 test_random_range(&random, -1, 1), test_random_range(&random, -1, 1));
    test_random_turn(body.pose.rotation, &random);
    body.velocity[0] = shot->speed;
    body.velocity[1] = test_random_range(&random, -0.1, 0.1) * shot->speed;
    const td_pose axis = test_random_pose(&random, 1);
    for (int k = 0; k < 3; ++k) {
        body.spin[k] = shot->spin * axis.position[k];
    }
    const td_body_id id = test_stage_add(stage, &body);
    const int steps = 40 + (int)(240 * shot->size / shot->speed);
    ++tally->tried;
    for (int s = 0; s < steps; ++s) {
        test_stage_run(stage, 1);
        const td_body_state now = test_stage_body(stage, id);
        if (now.centre[0] > 0.5 * shot->thickness) {
            print_message(
                "  seed %llu, %g m/s, %g rad/s: behind the wall in step %d, at %.4f %.4f %.4f, velocity %.3g "
                "%.3g %.3g\n",
                (unsigned long long)shot->seed, shot->speed, shot->spin, s, now.centre[0], now.centre[1],
                now.centre[2], now.velocity[0], now.velocity[1], now.velocity[2]);
            ++tally->passed;
            return;
        }
    }
    const td_body_state end = test_stage_body(stage, id);
    const double through = test_reach(&end, 1) - 0.5 * shot->thickness;
    if (through > 0.01 * shot->size) {
        print_message("  seed %llu, %g m/s, %g rad/s: sticks out of the wall by %.4f m\n",
                      (unsigned long long)shot->seed, shot->speed, shot->spin, through);
        ++tally->stuck;
    }
}

typedef td_mesh *test_make_fn(test_stage *stage);

static td_mesh *test_make_cow(test_stage *stage) {
    return test_stage_shape(stage, "cow", 0);
}

static td_mesh *test_make_knot(test_stage *stage) {
    return test_stage_shape(stage, "knot", 0);
}

static td_mesh *test_make_plate(test_stage *stage) {
    return test_stage_box(stage, 1, 0.01, 1);
}

static td_mesh *test_make_needle(test_stage *stage) {
    return test_stage_box(stage, 0.01, 1, 0.01);
}

static td_mesh *test_make_cube(test_stage *stage) {
    return test_stage_box(stage, 0.6, 0.6, 0.6);
}

static td_mesh *test_make_wall(test_stage *stage) {
    return test_stage_box(stage, test_wall, 40, 40);
}

// Two triangles; nothing behind.
static td_mesh *test_two_triangles(test_stage *stage, const uint32_t triangles[6]) {
    static const double positions[12] = {0, -20, -20, 0, 20, -20, 0, 20, 20, 0, -20, 20};
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    return test_stage_keep(stage, mesh);
}

// Its face towards what comes, or its back: a sheet has no inside, and either will do.
static td_mesh *test_make_sheet(test_stage *stage) {
    return test_two_triangles(stage, (const uint32_t[]){0, 2, 1, 0, 3, 2});
}

static td_mesh *test_make_turned_sheet(test_stage *stage) {
    return test_two_triangles(stage, (const uint32_t[]){0, 1, 2, 0, 2, 3});
}

// Many seeds at many speeds.
static void test_barrage(const char *what, test_make_fn *bullet, double size, test_make_fn *wall,
                         double thickness, double spin) {
    test_tally tally = {0};
    for (int s = 0; s < TEST_SPEEDS; ++s) {
        for (uint64_t seed = 1; seed <= TEST_SEEDS; ++seed) {
            test_stage stage = test_weightless();
            const test_shot shot = {.bullet = bullet(&stage),
                                    .wall = wall(&stage),
                                    .thickness = thickness,
                                    .size = size,
                                    .speed = test_speeds[s],
                                    .spin = spin,
                                    .seed = seed};
            test_fire(&tally, &stage, &shot);
            test_stage_clear(&stage);
        }
    }
    test_conclude(what, &tally);
}

static void test_cow_wall(void **state) {
    (void)state;
    test_barrage("cows against a wall of 1 cm", test_make_cow, 2, test_make_wall, test_wall, 0);
}

static void test_spinning_cow_wall(void **state) {
    (void)state;
    test_barrage("spinning cows against a wall of 1 cm", test_make_cow, 2, test_make_wall, test_wall, 30);
}

static void test_knot_wall(void **state) {
    (void)state;
    test_barrage("knots against a wall of 1 cm", test_make_knot, 2, test_make_wall, test_wall, 10);
}

static void test_cube_wall(void **state) {
    (void)state;
    test_barrage("cubes against a wall of 1 cm", test_make_cube, 0.6, test_make_wall, test_wall, 20);
}

static void test_plate_wall(void **state) {
    (void)state;
    test_barrage("thin plates against a wall of 1 cm", test_make_plate, 1, test_make_wall, test_wall, 10);
}

static void test_needle_wall(void **state) {
    (void)state;
    test_barrage("needles against a wall of 1 cm", test_make_needle, 1, test_make_wall, test_wall, 10);
}

static void test_cow_sheet(void **state) {
    (void)state;
    test_barrage("cows against a sheet of two triangles", test_make_cow, 2, test_make_sheet, 0, 5);
}

static void test_cube_sheet(void **state) {
    (void)state;
    test_barrage("cubes against a sheet of two triangles", test_make_cube, 0.6, test_make_sheet, 0, 5);
}

static void test_plate_sheet(void **state) {
    (void)state;
    test_barrage("thin plates against a sheet of two triangles", test_make_plate, 1, test_make_sheet, 0, 5);
}

static void test_cow_turned_sheet(void **state) {
    (void)state;
    test_barrage("cows against the back of a sheet", test_make_cow, 2, test_make_turned_sheet, 0, 5);
}

static void test_cube_turned_sheet(void **state) {
    (void)state;
    test_barrage("cubes against the back of a sheet", test_make_cube, 0.6, test_make_turned_sheet, 0, 5);
}

// ---------------------------------------------------------------------------------------------------------
// Small balls

static td_mesh *test_make_ball(test_stage *stage) {
    // An octahedron of radius 1 cm.
    static const double positions[18] = {0.01, 0,     0, -0.01, 0, 0,    0, 0.01, 0,
                                         0,    -0.01, 0, 0,     0, 0.01, 0, 0,    -0.01};
    static const uint32_t triangles[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                           2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 6;
    def.triangles = triangles;
    def.triangle_count = 8;
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    return test_stage_keep(stage, mesh);
}

static td_mesh *test_make_foil(test_stage *stage) {
    return test_stage_box(stage, 0.001, 40, 40);
}

static void test_ball_wall(void **state) {
    (void)state;
    test_barrage("balls of 1 cm against a wall of 1 cm", test_make_ball, 0.02, test_make_wall, test_wall, 0);
}

static void test_ball_foil(void **state) {
    (void)state;
    test_barrage("balls of 1 cm against a wall of 1 mm", test_make_ball, 0.02, test_make_foil, 0.001, 100);
}

// ---------------------------------------------------------------------------------------------------------
// Two that move

// Towards each other along x, b from the right. They have passed if they changed sides while they were still
// in each other's way: within `width` across.
static void test_meet(test_tally *tally, test_make_fn *make, double size, double width, double speed,
                      uint64_t seed) {
    test_stage stage = test_weightless();
    test_random random = {seed};
    const td_mesh *mesh = make(&stage);
    td_body_id ids[2];
    for (int i = 0; i < 2; ++i) {
        const double side = i == 0 ? -1 : 1;
        td_body_def body = test_body(mesh, side * test_random_range(&random, 1, 3) * size,
                                     test_random_range(&random, -0.05, 0.05) * size,
                                     test_random_range(&random, -0.05, 0.05) * size);
        test_random_turn(body.pose.rotation, &random);
        body.velocity[0] = -side * speed;
        ids[i] = test_stage_add(&stage, &body);
    }
    ++tally->tried;
    const int steps = 40 + (int)(360 * size / speed);
    for (int s = 0; s < steps; ++s) {
        test_stage_run(&stage, 1);
        const td_body_state a = test_stage_body(&stage, ids[0]), b = test_stage_body(&stage, ids[1]);
        if (a.centre[0] > b.centre[0] &&
            hypot(a.centre[1] - b.centre[1], a.centre[2] - b.centre[2]) < width) {
            print_message("  seed %llu, %g m/s each: passed in step %d, %.4f %.4f %.4f apart\n",
                          (unsigned long long)seed, speed, s, a.centre[0] - b.centre[0],
                          a.centre[1] - b.centre[1], a.centre[2] - b.centre[2]);
            ++tally->passed;
            break;
        }
    }
    test_stage_clear(&stage);
}

static void test_head_on(const char *what, test_make_fn *make, double size, double width) {
    test_tally tally = {0};
    for (int s = 0; s < TEST_SPEEDS; ++s) {
        for (uint64_t seed = 1; seed <= TEST_SEEDS; ++seed) {
            test_meet(&tally, make, size, width, test_speeds[s], seed);
        }
    }
    test_conclude(what, &tally);
}

static void test_cows_meet(void **state) {
    (void)state;
    test_head_on("cows head on", test_make_cow, 2, 0.3);
}

static void test_cubes_meet(void **state) {
    (void)state;
    test_head_on("cubes head on", test_make_cube, 0.6, 0.3);
}

// Where b's centre is in the frame of a.
static void test_centre_in(double out[3], const td_body_state *a, const td_body_state *b) {
    const double *q = a->pose.rotation;
    const double d[3] = {b->centre[0] - a->centre[0], b->centre[1] - a->centre[1],
                         b->centre[2] - a->centre[2]};
    const double t[3] = {2 * (q[1] * d[2] - q[2] * d[1]), 2 * (q[2] * d[0] - q[0] * d[2]),
                         2 * (q[0] * d[1] - q[1] * d[0])};
    // By the conjugate quaternion.
    out[0] = d[0] - q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = d[1] - q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = d[2] - q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

// Two thin plates, face to face but for 20 degrees. One has passed through the other if its centre went from
// one side of the other to the opposite one well within the outline: whichever way the two have turned
// meanwhile, there is matter in between.
static void test_plates_meet(void **state) {
    (void)state;
    const double within = 0.4; // m, of half a side of 0.5
    test_tally tally = {0};
    for (int s = 0; s < TEST_SPEEDS; ++s) {
        for (uint64_t seed = 1; seed <= TEST_SEEDS; ++seed) {
            test_stage stage = test_weightless();
            test_random random = {seed};
            const td_mesh *mesh = test_make_plate(&stage);
            td_body_id ids[2];
            for (int i = 0; i < 2; ++i) {
                const double side = i == 0 ? -1 : 1;
                td_body_def body = test_body(mesh, side * test_random_range(&random, 1, 3),
                                             test_random_range(&random, -0.05, 0.05),
                                             test_random_range(&random, -0.05, 0.05));
                test_turn(body.pose.rotation, 0, 0, 1, 90 + test_random_range(&random, -20, 20));
                body.velocity[0] = -side * test_speeds[s];
                ids[i] = test_stage_add(&stage, &body);
            }
            ++tally.tried;
            double before[2] = {0};
            bool passed = false;
            for (int step = 0; step < 40 + (int)(360 / test_speeds[s]) && !passed; ++step) {
                test_stage_run(&stage, 1);
                for (int i = 0; i < 2; ++i) {
                    const td_body_state a = test_stage_body(&stage, ids[i]),
                                        b = test_stage_body(&stage, ids[1 - i]);
                    double at[3];
                    test_centre_in(at, &a, &b);
                    const bool inside = fabs(at[0]) < within && fabs(at[2]) < within;
                    passed = passed || (inside && before[i] * at[1] < 0);
                    before[i] = inside ? at[1] : 0;
                }
            }
            if (passed) {
                print_message("  seed %llu, %g m/s each\n", (unsigned long long)seed, test_speeds[s]);
            }
            tally.passed += passed;
            test_stage_clear(&stage);
        }
    }
    test_conclude("thin plates head on", &tally);
}

// A kinematic plate sweeps up what lies in its way. Nothing halts it, so that it is only asked for speeds at
// which it moves by no more than a fraction of what it sweeps up in a step.
static void test_swept_up(void **state) {
    (void)state;
    test_tally tally = {0};
    test_make_fn *const things[] = {test_make_ball, test_make_cube, test_make_cow};
    for (int s = 0; s < TEST_SPEEDS && test_speeds[s] <= 20; ++s) {
        for (size_t t = 0; t < sizeof things / sizeof *things; ++t) {
            test_stage stage = test_weightless();
            const td_body_def thing = test_body(things[t](&stage), 0, 0.3, 0.2);
            td_body_def plate = test_body(test_make_wall(&stage), -3, 0, 0);
            plate.kind = TD_BODY_KINEMATIC;
            plate.velocity[0] = test_speeds[s];
            const td_body_id ids[2] = {test_stage_add(&stage, &plate), test_stage_add(&stage, &thing)};
            ++tally.tried;
            for (int i = 0; i < 30 + (int)(240 / test_speeds[s]); ++i) {
                test_stage_run(&stage, 1);
                const double ahead =
                    test_stage_body(&stage, ids[1]).centre[0] - test_stage_body(&stage, ids[0]).centre[0];
                if (ahead < 0) {
                    print_message("  thing %zu, %g m/s: overtaken in step %d\n", t, test_speeds[s], i);
                    ++tally.passed;
                    break;
                }
            }
            test_stage_clear(&stage);
        }
    }
    test_conclude("a moving plate and what lies in its way", &tally);
}

// ---------------------------------------------------------------------------------------------------------
// Spin

// A bar of 2 m beside a wall that its ends reach: they stay on its side.
static void test_spinning_bar(void **state) {
    (void)state;
    test_tally tally = {0};
    const double spins[] = {5, 30, 100, 300};
    for (size_t s = 0; s < sizeof spins / sizeof *spins; ++s) {
        for (int d = 0; d < 4; ++d) {
            test_stage stage = test_weightless();
            (void)test_stage_add_static(&stage, test_make_wall(&stage), 0, 0, 0);
            td_body_def bar = test_body(test_stage_box(&stage, 0.05, 2, 0.05), -0.2 - 0.2 * d, 0, 0);
            bar.spin[2] = spins[s];
            const td_body_id id = test_stage_add(&stage, &bar);
            ++tally.tried;
            double through = 0;
            td_body_state body = {0};
            for (int i = 0; i < 120; ++i) {
                test_stage_run(&stage, 1);
                body = test_stage_body(&stage, id);
                if (body.centre[0] > 0) {
                    print_message("  %g rad/s, %.1f m off: behind the wall in step %d\n", spins[s],
                                  0.2 + 0.2 * d, i);
                    ++tally.passed;
                    break;
                }
                through = test_reach(&body, 1) - 0.5 * test_wall;
            }
            if (body.centre[0] < 0 && through > 0.02) {
                print_message("  %g rad/s, %.1f m off: sticks out of the wall by %.4f m\n", spins[s],
                              0.2 + 0.2 * d, through);
                ++tally.stuck;
            }
            test_stage_clear(&stage);
        }
    }
    test_conclude("spinning bars beside a wall of 1 cm", &tally);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cow_wall),          cmocka_unit_test(test_spinning_cow_wall),
        cmocka_unit_test(test_knot_wall),         cmocka_unit_test(test_cube_wall),
        cmocka_unit_test(test_plate_wall),        cmocka_unit_test(test_needle_wall),
        cmocka_unit_test(test_cow_sheet),         cmocka_unit_test(test_cube_sheet),
        cmocka_unit_test(test_plate_sheet),       cmocka_unit_test(test_cow_turned_sheet),
        cmocka_unit_test(test_cube_turned_sheet), cmocka_unit_test(test_ball_wall),
        cmocka_unit_test(test_ball_foil),         cmocka_unit_test(test_cows_meet),
        cmocka_unit_test(test_cubes_meet),        cmocka_unit_test(test_plates_meet),
        cmocka_unit_test(test_swept_up),          cmocka_unit_test(test_spinning_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
