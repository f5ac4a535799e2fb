// Lines and triangles with the edges side by side in registers (predicates/ray_tri_edges.h): bit by bit what
// one edge after the other gives. It is the code of the instruction set that tests are compiled
// for; the others are compared through rays (test_ray_exact.c, test_ray_walk.c).
#include "predicates/ray_tri.h"
#include "predicates/ray_tri_edges.h"
#include "support/cases.h"
#include "support/cmocka_all.h"

#include <string.h>

typedef struct test_seen {
    int meets, misses, open, astride;
} test_seen;

static bool test_same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_compare(const td_line *line, const td_triangle *t, test_seen *seen) {
    const td_corner_trio trio = {{{t->p0.x, t->p1.x, t->p2.x, 0},
                                  {t->p0.y, t->p1.y, t->p2.y, NAN},
                                  {t->p0.z, t->p1.z, t->p2.z, INFINITY}}};
    td_plain_meeting plain = td_line_meets_trio(line, &trio);
    const td_crossing crossing = td_line_crossing(*line, *t);
    td_meeting m;
    const bool meets = td_line_meets_triangle(&m, line, t);
    seen->open += plain.state == TD_LINE_OPEN;
    if (plain.state == TD_LINE_MISSES) {
        assert_int_equal(crossing.state, TD_LINE_MISSES);
        ++seen->misses;
    } else if (plain.state == TD_LINE_MEETS) {
        assert_true(meets && crossing.state == TD_LINE_MEETS);
        assert_int_equal(plain.astride, td_side_of_corners(crossing.corner) == 0);
        if (plain.astride) {
            plain.t = td_signed_t(plain.t, plain.side * td_orient3d(t->p0, t->p1, t->p2, line->origin));
        }
        assert_int_equal(plain.side, m.side);
        assert_true(test_same_bits(plain.t, m.t) && test_same_bits(plain.u, m.u) &&
                    test_same_bits(plain.v, m.v));
        ++seen->meets;
        seen->astride += plain.astride;
    } else {
        assert_int_equal(crossing.state, TD_LINE_OPEN);
    }
}

static td_vec3 test_point(test_random *random, double size, bool integers) {
    double x[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = integers ? size * test_random_int(random, -3, 3) : test_random_range(random, -size, size);
    }
    return td_vec3_make(x[0], x[1], x[2]);
}

static void test_lines(void **state) {
    (void)state;
    static const double sizes[] = {1, 1e-3, 1e6, 1e-150, 1e150, 1e-308, 1e300};
    test_seen seen = {0};
    test_random random = {23};
    for (int i = 0; i < 200000; ++i) {
        const bool integers = i % 3 == 0;
        const double size = sizes[i % 7], far = i % 5 == 0 ? 100 * size : size;
        const td_triangle t = {test_point(&random, size, integers), test_point(&random, size, integers),
                               test_point(&random, size, integers)};
        const td_vec3 origin = test_point(&random, far < 1e300 ? far : size, integers);
        td_vec3 direction = test_point(&random, i % 2 == 0 ? 1 : size, integers);
        if (i % 2 == 0 && !integers) { // towards a point of the triangle
            const double a = test_random_range(&random, 0, 0.7), b = test_random_range(&random, 0, 0.4);
            direction = td_sub(
                td_add(td_scale(t.p0, 1 - a - b), td_add(td_scale(t.p1, a), td_scale(t.p2, b))), origin);
        }
        if (direction.x != 0 || direction.y != 0 || direction.z != 0) {
            const td_line line = td_line_make(origin, direction, size * 0x1p-22);
            test_compare(&line, &t, &seen);
        }
    }
    assert_true(seen.meets > 20000 && seen.misses > 20000 && seen.open > 1000 && seen.astride > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
