// Welding against comparison of every pair.
#include "mesh/weld.h"
#include "mesh/weld_hash.h"
#include "support/cmocka_all.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static int test_make_context(void **state) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    return td_create_context((td_context **)state, &def) == TD_OK ? 0 : 1;
}

static int test_drop_context(void **state) {
    td_destroy_context(*state);
    return 0;
}

static void test_check_brute(td_context *context, const double (*points)[3], uint32_t count) {
    uint32_t *first = malloc(count * sizeof *first);
    assert_non_null(first);
    assert_int_equal(
        td_weld(first, context, (const unsigned char *)points, TD_FLOAT64, sizeof *points, count), TD_OK);
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t lowest = 0;
        while (points[lowest][0] != points[v][0] || points[lowest][1] != points[v][1] ||
               points[lowest][2] != points[v][2]) {
            ++lowest;
        }
        assert_int_equal(first[v], lowest);
    }
    free(first);
}

static void test_grid(void **state) {
    test_random random = {1};
    for (int round = 0; round < 20; ++round) {
        double points[700][3];
        const int span = 1 + round;
        for (int v = 0; v < 700; ++v) {
            for (int k = 0; k < 3; ++k) {
                const double x = test_random_int(&random, -span, span) * 0.25;
                points[v][k] = x == 0 && test_random_int(&random, 0, 1) ? -0.0 : x;
            }
        }
        test_check_brute(*state, (const double(*)[3])points, 700);
    }
}

static void test_neighbours_stay_apart(void **state) {
    const double points[][3] = {{1, 1, 1}, {1, 1, 1 + 0x1p-52}, {1, 1, 1},      {5e-324, 0, 0},
                                {0, 0, 0}, {-5e-324, 0, 0},     {-0.0, 0, -0.0}};
    test_check_brute(*state, points, sizeof points / sizeof *points);
}

static void test_none(void **state) {
    uint32_t untouched = 5;
    assert_int_equal(td_weld(&untouched, *state, (const unsigned char *)"", TD_FLOAT64, 24, 0), TD_OK);
    assert_int_equal(untouched, 5);
}

// float32, a stride beyond the position, and no alignment at all.
static void test_strided_floats(void **state) {
    const float points[4][3] = {{1, 2, 3}, {-0.0f, 0, 0}, {1, 2, 3}, {0, 0, 0}};
    unsigned char bytes[1 + 4 * 17];
    memset(bytes, 0xee, sizeof bytes);
    for (size_t v = 0; v < 4; ++v) {
        memcpy(bytes + 1 + 17 * v, points[v], sizeof points[v]);
    }
    uint32_t first[4];
    assert_int_equal(td_weld(first, *state, bytes + 1, TD_FLOAT32, 17, 4), TD_OK);
    const uint32_t wanted[4] = {0, 1, 0, 1};
    assert_memory_equal(first, wanted, sizeof wanted);
}

// Positions chosen to fall into one slot of the table, each there twice: hashing gives up, sorting answers.
static void test_flooding(void **state) {
    enum { COUNT = 3000 };
    static double points[COUNT][3];
    const int bits = td_weld_table_bits(COUNT);
    int found = 0;
    for (int i = 0; found < COUNT; ++i) {
        if (td_weld_slot(i, 0.5, -2, bits) == 3) {
            for (int copy = 0; copy < 2; ++copy) {
                points[found][0] = i;
                points[found][1] = 0.5;
                points[found][2] = -2;
                ++found;
            }
        }
    }
    test_check_brute(*state, (const double(*)[3])points, COUNT);
    // Mixed with others, out of order.
    test_random random = {9};
    for (int v = COUNT - 1; v > 0; --v) {
        const int other = test_random_int(&random, 0, v);
        const double x = points[v][0];
        points[v][0] = points[other][0];
        points[other][0] = x;
        points[v][1] = v % 7 == 0 ? 1.5 : points[v][1];
    }
    test_check_brute(*state, (const double(*)[3])points, COUNT);
}

// Regular grids, where weak hashes cluster: a million points in time that a quadratic search would not have.
static void test_large_grid(void **state) {
    enum { SIDE = 100, COUNT = SIDE * SIDE * SIDE };
    double(*points)[3] = malloc(COUNT * sizeof *points);
    uint32_t *first = malloc(COUNT * sizeof *first);
    assert_non_null(points);
    assert_non_null(first);
    for (uint32_t v = 0; v < COUNT; ++v) {
        const uint32_t cell[3] = {v % SIDE, v / SIDE % SIDE, v / SIDE / SIDE};
        for (int k = 0; k < 3; ++k) {
            points[v][k] = cell[k];
        }
    }
    assert_int_equal(td_weld(first, *state, (const unsigned char *)points, TD_FLOAT64, 24, COUNT), TD_OK);
    for (uint32_t v = 0; v < COUNT; ++v) {
        assert_int_equal(first[v], v);
    }
    free(points);
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),     cmocka_unit_test(test_neighbours_stay_apart),
        cmocka_unit_test(test_none),     cmocka_unit_test(test_strided_floats),
        cmocka_unit_test(test_flooding), cmocka_unit_test(test_large_grid),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
