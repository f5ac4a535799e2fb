// Triangle against triangle, and segment against triangle, compared with exact clipping in GMP integers.
#include "math/rigid.h"
#include "predicates/orient.h"
#include "predicates/tri_tri.h"
#include "support/cmocka_all.h"
#include "support/exact_oracle.h"
#include "support/random.h"

typedef struct test_state {
    test_oracle *oracle;
    test_random random;
    long meet, apart;
    long coplanar, degenerate; // among all
} test_state;

static test_state test_begin(uint64_t seed) {
    return (test_state){.oracle = test_oracle_create(), .random = {seed}};
}

static void test_end(test_state *s, const char *what) {
    print_message("%s: %ld meet, %ld apart (%ld coplanar, %ld with a degenerate one)\n", what, s->meet,
                  s->apart, s->coplanar, s->degenerate);
    assert_true(s->meet > 0 && s->apart > 0);
    test_oracle_destroy(s->oracle);
}

static void test_print_triangle(const char *name, td_triangle t) {
    print_error("  %s = (%a, %a, %a) (%a, %a, %a) (%a, %a, %a)\n", name, t.p0.x, t.p0.y, t.p0.z, t.p1.x,
                t.p1.y, t.p1.z, t.p2.x, t.p2.y, t.p2.z);
}

static void test_count_kind(test_state *s, td_triangle a, td_triangle b) {
    if (td_triangle_is_degenerate(a) || td_triangle_is_degenerate(b)) {
        ++s->degenerate;
    } else if (td_orient3d(a.p0, a.p1, a.p2, b.p0) == 0 && td_orient3d(a.p0, a.p1, a.p2, b.p1) == 0 &&
               td_orient3d(a.p0, a.p1, a.p2, b.p2) == 0) {
        ++s->coplanar;
    }
}

static void test_check(test_state *s, td_triangle a, td_triangle b) {
    const int expected = test_oracle_intersect(s->oracle, a, b);
    const int found = td_triangles_intersect(a, b);
    const int swapped = td_triangles_intersect(b, a);
    if (found != expected || swapped != expected) {
        test_print_triangle("a", a);
        test_print_triangle("b", b);
        fail_msg("should be %d, is %d, and %d with a and b swapped", expected, found, swapped);
    }
    *(expected ? &s->meet : &s->apart) += 1;
    test_count_kind(s, a, b);
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

static td_vec3 test_uniform_point(test_random *random, double size) {
    const double x = test_random_range(random, -size, size);
    const double y = test_random_range(random, -size, size);
    return td_vec3_make(x, y, test_random_range(random, -size, size));
}

static td_triangle test_uniform_triangle(test_random *random, double size) {
    td_triangle t;
    t.p0 = test_uniform_point(random, size);
    t.p1 = test_uniform_point(random, size);
    t.p2 = test_uniform_point(random, size);
    return t;
}

static td_vec3 test_grid_point(test_random *random, int extent) {
    const int x = test_random_int(random, -extent, extent);
    const int y = test_random_int(random, -extent, extent);
    return td_vec3_make(x, y, test_random_int(random, -extent, extent));
}

static td_triangle test_grid_triangle(test_random *random, int extent) {
    td_triangle t;
    t.p0 = test_grid_point(random, extent);
    t.p1 = test_grid_point(random, extent);
    t.p2 = test_grid_point(random, extent);
    return t;
}

static td_vec3 test_map_point(td_vec3 p, td_vec3 scale, td_vec3 shift) {
    return td_vec3_make(p.x * scale.x + shift.x, p.y * scale.y + shift.y, p.z * scale.z + shift.z);
}

static td_triangle test_map(td_triangle t, td_vec3 scale, td_vec3 shift) {
    return (td_triangle){test_map_point(t.p0, scale, shift), test_map_point(t.p1, scale, shift),
                         test_map_point(t.p2, scale, shift)};
}

static double test_nudge(test_random *random, double x) {
    const int direction = test_random_int(random, -2, 2);
    return direction == 1 ? nextafter(x, INFINITY) : direction == -1 ? nextafter(x, -INFINITY) : x;
}

static td_vec3 test_nudge_point(test_random *random, td_vec3 p) {
    const double x = test_nudge(random, p.x);
    const double y = test_nudge(random, p.y);
    return td_vec3_make(x, y, test_nudge(random, p.z));
}

static td_triangle test_nudge_triangle(test_random *random, td_triangle t) {
    t.p0 = test_nudge_point(random, t.p0);
    t.p1 = test_nudge_point(random, t.p1);
    t.p2 = test_nudge_point(random, t.p2);
    return t;
}

static td_rigid test_random_motion(test_random *random) {
    const td_pose p = test_random_pose(random, 10);
    return td_rigid_make(td_vec3_make(p.position[0], p.position[1], p.position[2]), p.rotation[0],
                         p.rotation[1], p.rotation[2], p.rotation[3]);
}

// Some point of the triangle, as nearly as doubles can say: inside, on an edge or a corner.
static td_vec3 test_point_of(test_random *random, td_triangle t) {
    double u = test_random_unit(random);
    double v = test_random_unit(random) * (1 - u);
    if (test_random_int(random, 0, 1)) {
        v = 0;
    }
    if (test_random_int(random, 0, 3) == 0) {
        u = test_random_int(random, 0, 4) * 0.25;
    }
    return td_add(t.p0, td_add(td_scale(td_sub(t.p1, t.p0), u), td_scale(td_sub(t.p2, t.p0), v)));
}

// ---------------------------------------------------------------------------------------------------------

static void test_random_pairs(void **state) {
    (void)state;
    test_state s = test_begin(11);
    for (int i = 0; i < 60000; ++i) {
        const td_triangle a = test_uniform_triangle(&s.random, 1);
        test_check(&s, a, test_uniform_triangle(&s.random, 1));
    }
    test_end(&s, "random");
}

// Corners on a small grid touch, share, coincide and degenerate all the time.
static void test_grid_pairs(void **state) {
    (void)state;
    test_state s = test_begin(12);
    for (int i = 0; i < 300000; ++i) {
        const int extent = 1 + i % 2;
        td_triangle a = test_grid_triangle(&s.random, extent);
        td_triangle b = test_grid_triangle(&s.random, extent);
        if (i % 8 == 7) {
            a.p0.z = a.p1.z = a.p2.z = b.p0.z = b.p1.z = b.p2.z = 1;
        }
        test_check(&s, a, b);
    }
    assert_true(s.coplanar > 1000 && s.degenerate > 1000);
    test_end(&s, "grid");
}

// The same under maps that are exact, so that the answers must stay: any power of two per axis, and offsets.
static void test_mapped_grid_pairs(void **state) {
    (void)state;
    const int exponents[] = {-1074, -1000, -700, -400, -250, -120, 0, 120, 249, 400, 700, 1021, 1022};
    const int exponent_count = (int)(sizeof exponents / sizeof *exponents);
    const td_vec3 origin = {0, 0, 0};
    const td_vec3 one = {1, 1, 1};
    test_state s = test_begin(13);
    for (int i = 0; i < 60000; ++i) {
        const td_triangle a = test_grid_triangle(&s.random, 1);
        const td_triangle b = test_grid_triangle(&s.random, 1);
        const int found = td_triangles_intersect(a, b);
        double scale[3];
        for (int k = 0; k < 3; ++k) {
            const int pick = i % 2 ? i % exponent_count : test_random_int(&s.random, 0, exponent_count - 1);
            scale[k] = ldexp(1, exponents[pick]);
        }
        const td_vec3 unit = {scale[0], scale[1], scale[2]};
        const td_triangle scaled_a = test_map(a, unit, origin);
        const td_triangle scaled_b = test_map(b, unit, origin);
        assert_int_equal(td_triangles_intersect(scaled_a, scaled_b), found);
        if (i % 10 == 0) {
            test_check(&s, scaled_a, scaled_b);
        }
        const td_vec3 shift =
            td_scale(test_grid_point(&s.random, 3), ldexp(1, test_random_int(&s.random, 3, 50)));
        assert_int_equal(td_triangles_intersect(test_map(a, one, shift), test_map(b, one, shift)), found);
    }
    test_end(&s, "mapped grid");
}

// As above, with an offset and a unit that round, and corners moved by a unit in the last place.
static void test_nudged_grid_pairs(void **state) {
    (void)state;
    test_state s = test_begin(14);
    for (int i = 0; i < 60000; ++i) {
        const double unit =
            i % 3 ? 0.1 : ldexp(test_random_unit(&s.random), test_random_int(&s.random, -500, 500));
        const td_vec3 scale = {unit, unit, unit};
        const td_vec3 shift =
            td_scale(test_uniform_point(&s.random, unit), ldexp(1, test_random_int(&s.random, -5, 52)));
        td_triangle a = test_map(test_grid_triangle(&s.random, 1), scale, shift);
        td_triangle b = test_map(test_grid_triangle(&s.random, 1), scale, shift);
        if (i % 2) {
            a = test_nudge_triangle(&s.random, a);
            b = test_nudge_triangle(&s.random, b);
        }
        test_check(&s, a, b);
    }
    test_end(&s, "nudged grid");
}

// Coplanar before a rotation, nearly so after it; sharing edges and corners exactly.
static void test_rotated_coplanar_pairs(void **state) {
    (void)state;
    test_state s = test_begin(15);
    for (int i = 0; i < 60000; ++i) {
        td_triangle a = test_grid_triangle(&s.random, 2);
        td_triangle b = test_grid_triangle(&s.random, 2);
        a.p0.z = a.p1.z = a.p2.z = b.p0.z = b.p1.z = b.p2.z = 1;
        const td_rigid motion = test_random_motion(&s.random);
        test_check(&s, td_rigid_apply_triangle(motion, a), td_rigid_apply_triangle(motion, b));
    }
    test_end(&s, "rotated coplanar");
}

// A corner, an edge or an inner point of b at a point of a, as nearly as doubles can say.
static void test_touching_pairs(void **state) {
    (void)state;
    test_state s = test_begin(16);
    for (int i = 0; i < 60000; ++i) {
        const td_triangle a = test_uniform_triangle(&s.random, 1);
        td_triangle b = test_uniform_triangle(&s.random, 1);
        const td_vec3 touch = test_nudge_point(&s.random, test_point_of(&s.random, a));
        const td_vec3 move = td_sub(touch, i % 2 ? test_point_of(&s.random, b) : b.p0);
        b = (td_triangle){td_add(b.p0, move), td_add(b.p1, move), td_add(b.p2, move)};
        if (i % 2 == 0) {
            b.p0 = touch;
        }
        if (i % 16 == 0) {
            b.p2 = td_scale(td_add(b.p0, b.p1), 0.5); // a sliver or a segment
        }
        test_check(&s, a, b);
    }
    test_end(&s, "touching");
}

// Any finite coordinates at all, some of them equal.
static void test_wild_pairs(void **state) {
    (void)state;
    test_state s = test_begin(17);
    for (int i = 0; i < 6000; ++i) {
        double x[18];
        for (int k = 0; k < 18; ++k) {
            const int from = test_random_int(&s.random, 0, 17);
            const double mantissa = test_random_range(&s.random, -2, 2);
            x[k] = from < k ? x[from] : ldexp(mantissa, test_random_int(&s.random, -1074, 1022));
        }
        const td_triangle a = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
        const td_triangle b = {{x[9], x[10], x[11]}, {x[12], x[13], x[14]}, {x[15], x[16], x[17]}};
        test_check(&s, a, b);
    }
    test_end(&s, "wild");
}

static td_triangle test_reorder(td_triangle t, int order) {
    const td_vec3 p[3] = {t.p0, t.p1, t.p2};
    const int first = order % 3;
    const int second = (first + 1 + order / 3) % 3;
    return (td_triangle){p[first], p[second], p[3 - first - second]};
}

// All 6 x 6 x 2 orders of corners and triangles.
static void test_order_does_not_matter(void **state) {
    (void)state;
    test_random random = {18};
    for (int i = 0; i < 30000; ++i) {
        const td_triangle a = test_grid_triangle(&random, 1 + i % 2);
        const td_triangle b = test_grid_triangle(&random, 1 + i % 2);
        const int found = td_triangles_intersect(a, b);
        for (int order = 0; order < 36; ++order) {
            const td_triangle c = test_reorder(a, order % 6);
            const td_triangle d = test_reorder(b, order / 6);
            assert_int_equal(td_triangles_intersect(c, d), found);
            assert_int_equal(td_triangles_intersect(d, c), found);
        }
    }
}

// A segment is a degenerate triangle to the oracle. Where the crossing is ambiguous, something must be zero.
static void test_segments(void **state) {
    (void)state;
    test_state s = test_begin(19);
    long count[3] = {0, 0, 0};
    for (int i = 0; i < 100000; ++i) {
        const bool grid = i % 2;
        const td_triangle t = grid ? test_grid_triangle(&s.random, 2) : test_uniform_triangle(&s.random, 1);
        const td_vec3 p = grid ? test_grid_point(&s.random, 2) : test_uniform_point(&s.random, 1);
        const td_vec3 q = grid ? test_grid_point(&s.random, 2) : test_uniform_point(&s.random, 1);
        const int expected = test_oracle_intersect(s.oracle, t, (td_triangle){p, q, p});
        assert_int_equal(td_segment_intersects_triangle(p, q, t), expected);
        *(expected ? &s.meet : &s.apart) += 1;
        const int product = test_oracle_orient3d(s.oracle, t.p0, t.p1, t.p2, p) *
                            test_oracle_orient3d(s.oracle, t.p0, t.p1, t.p2, q) *
                            test_oracle_orient3d(s.oracle, p, q, t.p0, t.p1) *
                            test_oracle_orient3d(s.oracle, p, q, t.p1, t.p2) *
                            test_oracle_orient3d(s.oracle, p, q, t.p2, t.p0);
        const int crossing = td_segment_crosses_triangle(p, q, t);
        ++count[crossing + 1];
        assert_true(crossing == -1 ? product == 0 : crossing == expected);
        assert_true(crossing != 1 || product != 0);
    }
    print_message("crossings: %ld, misses: %ld, ambiguous: %ld\n", count[2], count[1], count[0]);
    assert_true(count[0] > 0 && count[1] > 0 && count[2] > 0);
    test_end(&s, "segments");
}

static void test_degenerate_triangles(void **state) {
    (void)state;
    test_state s = test_begin(20);
    long flat = 0;
    for (int i = 0; i < 60000; ++i) {
        td_triangle t = test_grid_triangle(&s.random, 1);
        if (i % 2) {
            const double unit = i % 4 == 1 ? 0.1 : ldexp(1, test_random_int(&s.random, -1074, 1023));
            t = test_map(t, (td_vec3){unit, unit, unit}, (td_vec3){0, 0, 0});
        }
        if (i % 3 == 0) {
            t = test_nudge_triangle(&s.random, t);
        }
        const int expected = test_oracle_degenerate(s.oracle, t);
        assert_int_equal(td_triangle_is_degenerate(t), expected);
        flat += expected;
    }
    assert_true(flat > 0 && flat < 60000);
    test_oracle_destroy(s.oracle);
}

// By hand, so that the oracle is held against something too.
static void test_known_pairs(void **state) {
    (void)state;
    test_oracle *oracle = test_oracle_create();
    const td_triangle a = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const struct {
        td_triangle b;
        int meet;
    } cases[] = {
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, 1},                    // identical
        {{{1, 1, -1}, {1, 1, 1}, {5, 5, 1}}, 1},                   // through the interior
        {{{1, 1, 0}, {1, 1, 1}, {5, 5, 1}}, 1},                    // a corner on the interior
        {{{4, 0, 0}, {5, 0, 1}, {5, 1, 1}}, 1},                    // a corner on a corner
        {{{2, 2, -1}, {2, 2, 1}, {5, 5, 0}}, 1},                   // an edge across an edge
        {{{2, 2, 0}, {5, 5, 0}, {5, 4, 0}}, 1},                    // coplanar, a corner on an edge
        {{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, 1},                    // coplanar, inside
        {{{-9, -9, 0}, {99, -9, 0}, {-9, 99, 0}}, 1},              // coplanar, around
        {{{3, 3, 0}, {5, 5, 0}, {5, 4, 0}}, 0},                    // coplanar, apart with boxes that overlap
        {{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, 1},                    // a point inside
        {{{3, 3, 0}, {3, 3, 0}, {3, 3, 0}}, 0},                    // a point in the plane, outside
        {{{1, 1, 1}, {1, 1, 0}, {1, 1, -1}}, 1},                   // a segment through
        {{{3, 3, 1}, {3, 3, 0}, {3, 3, -1}}, 0},                   // a segment past
        {{{1, 1, 5e-324}, {2, 1, 1}, {1, 2, 1}}, 0},               // above by the smallest double
        {{{2, 2, 1}, {2, 2, 3}, {2, 2, 2}}, 0},                    // a segment above
        {{{-1, 2, 0}, {9, 2, 0}, {0, 2, 0}}, 1},                   // a coplanar segment across
        {{{1.7e308, 1, 0}, {-1.7e308, 1, 0}, {0, 1, 1.7e308}}, 1}, // differences beyond the largest double
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(test_oracle_intersect(oracle, a, cases[i].b), cases[i].meet);
        assert_int_equal(test_oracle_intersect(oracle, cases[i].b, a), cases[i].meet);
        assert_int_equal(td_triangles_intersect(a, cases[i].b), cases[i].meet);
    }
    test_oracle_destroy(oracle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_pairs),
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_grid_pairs),
        cmocka_unit_test(test_mapped_grid_pairs),
        cmocka_unit_test(test_nudged_grid_pairs),
        cmocka_unit_test(test_rotated_coplanar_pairs),
        cmocka_unit_test(test_touching_pairs),
        cmocka_unit_test(test_wild_pairs),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_degenerate_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
