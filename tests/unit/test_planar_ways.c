// The ways of the planar simulator against each other and against plain ones: reductions, hit times, broad
// phases, threads, rotations.
#include "planar/advance.h"
#include "test_planar_support.h"

// ---------------------------------------------------------------------------------------------------------
// Reductions

static double test_plain_minimum(const td_planar *planar) {
    double least = TD_PLANAR_NEVER;
    for (size_t i = 0; i < planar->pairs.count; ++i) {
        least = fmin(least, planar->pairs.times[i]);
    }
    return least;
}

static void test_reductions_agree(td_planar *planar) {
    const double least = test_plain_minimum(planar);
    for (int reduction = 0; reduction < 3; ++reduction) {
        assert_true(td_reduce_pairs(planar, (td_planar_reduction)reduction) == least);
    }
}

// Work-items and elements name every place of the triangle once.
static void test_places(void **state) {
    (void)state;
    for (uint32_t size = 2; size <= 80; ++size) {
        const uint32_t count = td_triangle_count(size);
        bool seen[80 * 79 / 2] = {false};
        for (uint32_t item = 0; item < count; ++item) {
            const td_triangle_place place = td_triangle_place_of(item, size), at = td_triangle_place_at(item);
            assert_true(place.row < size && place.column < place.row && at.column < at.row);
            assert_int_equal(td_triangle_at(at.row, at.column), item);
            assert_false(seen[td_triangle_at(place.row, place.column)]);
            seen[td_triangle_at(place.row, place.column)] = true;
        }
    }
    for (uint32_t row = 2; row < 16400; ++row) {
        assert_int_equal(td_triangle_place_at(td_triangle_at(row, 0)).row, row);
        assert_int_equal(td_triangle_place_at(td_triangle_at(row, 0) - 1).row, row - 1);
    }
}

// Every place of the least element, in matrices of all small sizes.
static void test_reduce_every_place(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= 40; ++count) {
        test_plane plane = test_scatter(count, 0, count);
        plane.def.stepping = TD_PLANAR_FIRST_COLLISION;
        plane.def.broad = TD_PLANAR_ALL_PAIRS;
        test_begin(&plane);
        double *times = plane.planar->pairs.times;
        for (size_t i = 0; i < plane.planar->pairs.count; ++i) {
            times[i] = 0.5 + 1e-6 * (double)i;
        }
        for (size_t i = 0; i < plane.planar->pairs.count; ++i) {
            const double kept = times[i];
            times[i] = 0.25;
            test_reductions_agree(plane.planar);
            times[i] = kept;
        }
        test_end(&plane);
    }
}

static void test_reduce_every_step(void **state) {
    (void)state;
    for (uint32_t corners = 0; corners <= 3; corners += 3) {
        test_plane plane = test_scatter(256, corners, 1);
        plane.def.stepping = TD_PLANAR_FIRST_COLLISION;
        plane.def.broad = TD_PLANAR_ALL_PAIRS;
        test_begin(&plane);
        for (int step = 0; step < 1000; ++step) {
            test_ok(td_step_planar(plane.planar, 1));
            test_reductions_agree(plane.planar);
        }
        test_end(&plane);
    }
}

// What one pass reads, counted element by element, is what section 2.2 says.
static void test_readings(void **state) {
    (void)state;
    for (uint32_t size = 256; size <= 4096; size *= 2) {
        uint64_t six = 0, four_six = 0, classic = 0;
        for (uint64_t m = size / 2; m >= 1; m /= 2) {
            classic += 4 * m * m;
            for (uint64_t row = 1; row < m; ++row) {
                six += 6 * row;
                four_six += 4 * (row - 1) + 6;
            }
        }
        assert_int_equal(td_count_readings(TD_PLANAR_CLASSIC, size), classic);
        assert_int_equal(td_count_readings(TD_PLANAR_SIX, size), six);
        assert_int_equal(td_count_readings(TD_PLANAR_FOUR_SIX, size), four_six);
        assert_true(four_six < six && six < classic);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Hit times

static td_planar_body test_random_circle(test_random *random) {
    td_planar_body body = {.shape = {.kind = TD_SHAPE_CIRCLE, .inverse_mass = 1}};
    body.shape.radius = test_random_range(random, 0.2, 1);
    body.motion.x = test_random_range(random, -3, 3);
    body.motion.y = test_random_range(random, -3, 3);
    body.motion.vx = test_random_range(random, -4, 4);
    body.motion.vy = test_random_range(random, -4, 4);
    return body;
}

static double test_bisected(td_planar_body a, td_planar_body b, double skin, uint32_t halvings,
                            const td_planar_corner *corners) {
    return td_planar_bisect(td_planar_search_at(0, 0), 100000, halvings, a, b, 1, skin, corners).lower;
}

// Grazing is when the formula itself is undecided: a hair less of a radius, and there is no meeting.
static void test_bisection_is_algebraic(void **state) {
    (void)state;
    test_random random = {42};
    const uint32_t halvings = 20;
    const double epsilon = 0x1p-20, skin = 1e-6;
    int met = 0, missed = 0;
    for (int i = 0; i < 20000; ++i) {
        const td_planar_body a = test_random_circle(&random), b = test_random_circle(&random);
        if (td_planar_gap_circles(a, b).separation < 0) {
            continue;
        }
        const double exact = td_planar_algebraic(a, b, 1, skin, NULL);
        const double found = test_bisected(a, b, skin, halvings, NULL);
        td_planar_body less = b;
        less.shape.radius -= 1e-3;
        const bool grazing = td_planar_algebraic(a, less, 1, skin, NULL) > 1;
        if (exact > 1) {
            assert_true(found > 1 || found > 1 - 1e-3 || td_planar_gap_circles(a, b).separation < 1e-3 ||
                        td_planar_meet_discs(td_planar_between(a, b), td_planar_relative(a, b),
                                             a.shape.radius + b.shape.radius + 1e-3) < 1);
            ++missed;
        } else if (!grazing) {
            assert_true(found <= exact + 1e-12 && exact - found < 2 * epsilon);
            ++met;
        } else {
            assert_true(found <= exact + 1e-12);
        }
    }
    assert_true(met > 1000 && missed > 1000);
}

// Polygons: at the time that is found they are apart, a moment later nearer than their target; and before it
// they never were.
static void test_bisection_of_polygons(void **state) {
    (void)state;
    test_plane plane = test_scatter(400, 3, 9);
    plane.def.stepping = TD_PLANAR_FIRST_COLLISION;
    plane.def.broad = TD_PLANAR_ALL_PAIRS;
    test_begin(&plane);
    const td_planar *planar = plane.planar;
    int met = 0;
    for (uint32_t i = 0; i < planar->size; ++i) {
        for (uint32_t k = 0; k < i && k < planar->count; ++k) {
            td_planar_body a = td_planar_body_in(planar, k), b = td_planar_body_in(planar, i);
            const double found = test_bisected(a, b, 1e-6, 20, planar->corners);
            int sure;
            const double advanced = td_planar_advance(&sure, a, b, 1, 1e-6, planar->corners);
            assert_true(sure);
            const double free_until = found > 1 ? 1 : found;
            for (int n = 0; n <= 64; ++n) {
                td_planar_body then_a = a, then_b = b;
                then_a.motion = td_planar_forward(a.motion, free_until * n / 64);
                then_b.motion = td_planar_forward(b.motion, free_until * n / 64);
                assert_true(td_planar_gap_between(then_a, then_b, planar->corners).separation >= 0.99e-6);
            }
            assert_true((found > 1) == (advanced > 1));
            if (found <= 1) {
                assert_true(fabs(found - advanced) < 1e-4);
                ++met;
            }
        }
    }
    print_message("%d pairs of triangles meet\n", met);
    assert_true(met > 20);
    test_end(&plane);
}

// ---------------------------------------------------------------------------------------------------------
// The same bits

static uint64_t test_hash_of(test_plane *plane, uint32_t steps) {
    test_begin(plane);
    test_ok(td_step_planar(plane->planar, steps));
    const uint64_t hash = test_report(plane).hash;
    td_destroy_planar(plane->planar);
    plane->planar = NULL;
    return hash;
}

static void test_broads_agree(void **state) {
    (void)state;
    for (uint32_t corners = 0; corners <= 4; corners += 4) {
        for (int stepping = 0; stepping < 2; ++stepping) {
            test_plane plane = test_scatter(200, corners, 21);
            plane.def.stepping = (td_planar_stepping)stepping;
            plane.def.broad = TD_PLANAR_GRID;
            const uint64_t grid = test_hash_of(&plane, 300);
            plane.def.broad = TD_PLANAR_ALL_PAIRS;
            assert_int_equal(grid, test_hash_of(&plane, 300));
            test_end(&plane);
        }
    }
}

// A slab half as long as the room, which would make the cells of the grid as wide as itself.
static void test_large_among_small(void **state) {
    (void)state;
    for (int stepping = 0; stepping < 2; ++stepping) {
        test_plane plane = test_scatter(300, 3, 4);
        const double length = 0.5 * plane.side, slab[] = {0, 0, length, 0, length, 1, 0, 1};
        plane.bodies = realloc(plane.bodies, 301 * sizeof *plane.bodies);
        plane.bodies[300] = td_default_planar_body_def();
        plane.bodies[300].kind = TD_PLANAR_POLYGON;
        plane.bodies[300].corners = slab;
        plane.bodies[300].corner_count = 4;
        plane.bodies[300].position[0] = 0.5 * length;
        plane.bodies[300].position[1] = plane.side;
        plane.bodies[300].mass = 1000;
        plane.count = 301;
        plane.def.room[1] = plane.side + 1.5;
        plane.def.stepping = (td_planar_stepping)stepping;
        plane.def.broad = TD_PLANAR_GRID;
        test_begin(&plane);
        assert_int_equal(plane.planar->large.count, 1);
        td_destroy_planar(plane.planar);
        const uint64_t grid = test_hash_of(&plane, 200);
        plane.def.broad = TD_PLANAR_ALL_PAIRS;
        assert_int_equal(grid, test_hash_of(&plane, 200));
        test_end(&plane);
    }
}

// Halving inside one pass or in many, three reductions, one thread or three.
static void test_variants_agree(void **state) {
    (void)state;
    test_plane plane = test_scatter(400, 3, 2);
    plane.def.stepping = TD_PLANAR_FIRST_COLLISION;
    plane.def.broad = TD_PLANAR_ALL_PAIRS;
    const uint64_t hash = test_hash_of(&plane, 60);
    plane.def.halve_outside = true;
    assert_int_equal(hash, test_hash_of(&plane, 60));
    plane.def.halve_outside = false;
    for (int reduction = 0; reduction < 3; ++reduction) {
        plane.def.reduction = (td_planar_reduction)reduction;
        assert_int_equal(hash, test_hash_of(&plane, 60));
    }
    td_destroy_context(plane.context);
    plane.context = test_plane_context(3);
    assert_int_equal(hash, test_hash_of(&plane, 60));
    test_end(&plane);
}

// Known states, whatever compiler and level of optimisation.
static void test_golden(void **state) {
    (void)state;
    static const struct {
        uint32_t corners;
        td_planar_stepping stepping;
        uint64_t hash;
    } golden[] = {{0, TD_PLANAR_ORDERED, 0x1cebe49f707db362},
                  {0, TD_PLANAR_FIRST_COLLISION, 0x236ae7d00fc5eb2b},
                  {3, TD_PLANAR_ORDERED, 0x9649b5ddd9881cac},
                  {3, TD_PLANAR_FIRST_COLLISION, 0x87a6c8636a362efc}};
    for (size_t i = 0; i < sizeof golden / sizeof *golden; ++i) {
        test_plane plane = test_scatter(100, golden[i].corners, 77);
        plane.def.stepping = golden[i].stepping;
        const uint64_t hash = test_hash_of(&plane, 100);
        if (hash != golden[i].hash) {
            fail_msg("row %zu: 0x%016llx, expected 0x%016llx", i, (unsigned long long)hash,
                     (unsigned long long)golden[i].hash);
        }
        test_end(&plane);
    }
}

static void test_turns(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 100000; ++i) {
        const double angle = test_random_range(&random, -50, 50);
        const td_planar_turn turn = td_planar_turn_of(angle);
        assert_true(fabs(turn.c - cos(angle)) < 4e-16 && fabs(turn.s - sin(angle)) < 4e-16);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_reduce_every_place),
        cmocka_unit_test(test_reduce_every_step),
        cmocka_unit_test(test_readings),
        cmocka_unit_test(test_bisection_is_algebraic),
        cmocka_unit_test(test_bisection_of_polygons),
        cmocka_unit_test(test_broads_agree),
        cmocka_unit_test(test_large_among_small),
        cmocka_unit_test(test_variants_agree),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
