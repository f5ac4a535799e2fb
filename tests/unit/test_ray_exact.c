// Rays against an oracle in rational numbers: random ones, through corners and edges, in planes, against
// triangles without area, and where float64 ends. Every instruction set and number of threads gives the same
// bits.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "test_ray_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_MOST_RAYS = 512 };

typedef struct test_cast {
    test_mesh mesh;
    td_ray rays[TEST_MOST_RAYS];
    size_t count;
    const char *name;
} test_cast;

// What was there to be seen, over all cases.
typedef struct test_seen {
    uint64_t hits, misses, flat, ties;
} test_seen;

// ---------------------------------------------------------------------------------------------------------
// Checks

// Exact about whether and which sign; within the promised error about where.
static void test_check_answer(test_ray_oracle *oracle, const test_cast *cast, size_t index,
                              const td_ray_hit *hit, test_seen *seen) {
    const td_ray *ray = &cast->rays[index];
    mpq_t t, given, nearest, error;
    mpq_inits(t, given, nearest, error, NULL);
    bool expected = false;
    for (uint32_t i = 0; i < cast->mesh.triangle_count; ++i) {
        const td_triangle triangle = test_mesh_triangle(&cast->mesh, i);
        const test_meeting *m = test_meet(oracle, ray, triangle);
        if (!m->meets || mpq_sgn(m->t[1]) < 0) {
            assert_true(!hit->hit || hit->triangle != i);
            continue;
        }
        mpq_set(t, m->t[0]);
        if (mpq_sgn(t) < 0) {
            mpq_set_ui(t, 0, 1); // begins behind, in the plane
        }
        const double bound = test_t_error(ray, triangle);
        mpq_set_d(error, fmin(bound, 1e300));
        assert_true(hit->hit);
        mpq_set_d(given, hit->t);
        expected = true;
        if (i == hit->triangle) {
            assert_int_equal(hit->side, m->side);
            assert_int_equal(mpq_sgn(t), (hit->t > 0) - (hit->t < 0));
            seen->flat += m->side == 0;
            mpq_sub(nearest, t, given);
            mpq_abs(nearest, nearest);
            if (mpq_cmp(nearest, error) > 0) {
                fail_msg("%s, ray %zu, triangle %u: t = %.17g is off by %g, more than %g", cast->name, index,
                         i, hit->t, mpq_get_d(nearest), bound);
            }
        } else { // not nearer than what was found
            mpq_add(t, t, error);
            if (mpq_cmp(t, given) < 0) {
                fail_msg("%s, ray %zu: triangle %u is nearer than %u", cast->name, index, i, hit->triangle);
            }
            mpq_sub(t, t, error);
            seen->ties += mpq_cmp(t, given) == 0;
        }
    }
    if (hit->hit != expected) {
        fail_msg("%s, ray %zu: %s", cast->name, index, expected ? "a hit was missed" : "nothing is there");
    }
    seen->hits += expected;
    seen->misses += !expected;
    mpq_clears(t, given, nearest, error, NULL);
}

typedef enum test_way { TEST_BRUTE, TEST_TOGETHER, TEST_ALONE } test_way;

static void test_cast_with(td_ray_hit *out, const test_cast *cast, td_context *context, td_ray_mode mode,
                           test_way way) {
    td_mesh *mesh = test_mesh_build(context, &cast->mesh);
    assert_non_null(mesh);
    td_ray_def def = td_default_ray_def();
    def.mode = mode;
    def.brute = way == TEST_BRUTE;
    memset(out, 0xee, sizeof *out * cast->count);
    if (way != TEST_ALONE) {
        assert_int_equal(td_cast_rays(out, mesh, NULL, cast->rays, cast->count, &def), TD_OK);
    }
    for (int round = 0; way == TEST_ALONE && round < 2; ++round) { // the first may not have all that is kept
        for (size_t i = 0; i < cast->count; ++i) {
            assert_int_equal(td_cast_rays(&out[i], mesh, NULL, &cast->rays[i], 1, &def), TD_OK);
        }
    }
    td_destroy_mesh(mesh);
}

static bool test_same_hit(const td_ray_hit *a, const td_ray_hit *b) {
    return a->hit == b->hit && a->triangle == b->triangle && a->side == b->side &&
           memcmp(&a->t, &b->t, 24) == 0;
}

static void test_check_same(const td_ray_hit *first, const test_cast *cast, const test_variant *variant,
                            test_way way) {
    static td_ray_hit again[TEST_MOST_RAYS];
    const char *const how = way == TEST_ALONE ? "one by one" : "together";
    test_cast_with(again, cast, variant->context, TD_RAY_CLOSEST, way);
    for (size_t i = 0; i < cast->count; ++i) {
        if (!test_same_hit(&first[i], &again[i])) {
            fail_msg("%s, %s, %s, ray %zu: triangle %u at %.17g, by brute force %u at %.17g", cast->name,
                     variant->name, how, i, again[i].triangle, again[i].t, first[i].triangle, first[i].t);
        }
    }
    test_cast_with(again, cast, variant->context, TD_RAY_ANY, way);
    for (size_t i = 0; i < cast->count; ++i) {
        if (again[i].hit != first[i].hit) {
            fail_msg("%s, %s, %s, ray %zu: any hit says %d", cast->name, variant->name, how, i, again[i].hit);
        }
    }
}

static void test_check_cast(const test_variants *variants, test_ray_oracle *oracle, const test_cast *cast,
                            test_seen *seen) {
    static td_ray_hit first[TEST_MOST_RAYS];
    test_cast_with(first, cast, variants->items[0].context, TD_RAY_CLOSEST, TEST_BRUTE);
    for (size_t i = 0; i < cast->count; ++i) {
        test_check_answer(oracle, cast, i, &first[i], seen);
    }
    for (int v = 0; v < variants->count; ++v) {
        test_check_same(first, cast, &variants->items[v], TEST_TOGETHER);
        test_check_same(first, cast, &variants->items[v], TEST_ALONE);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Rays

static td_ray test_ray(const double origin[3], const double direction[3]) {
    td_ray ray = {.t_min = 0, .t_max = INFINITY};
    memcpy(ray.origin, origin, sizeof ray.origin);
    memcpy(ray.direction, direction, sizeof ray.direction);
    return ray;
}

static bool test_is_zero(const double v[3]) {
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

// Small integers, often zero: through corners, along edges and planes of meshes on a grid.
static td_ray test_integer_ray(test_random *random) {
    double o[3], d[3];
    do {
        for (int k = 0; k < 3; ++k) {
            o[k] = test_random_int(random, -4, 4);
            d[k] = test_random_int(random, -2, 2);
        }
    } while (test_is_zero(d));
    return test_ray(o, d);
}

static td_ray test_random_ray(test_random *random, const test_mesh *mesh) {
    double o[3], d[3];
    const size_t v = (size_t)test_random_int(random, 0, (int)mesh->vertex_count - 1);
    const int kind = test_random_int(random, 0, 3);
    for (int k = 0; k < 3; ++k) {
        o[k] = test_random_range(random, -3, 3);
        d[k] = test_random_range(random, -1, 1);
        if (kind == 1) { // towards a corner, as near as rounding lets it come
            d[k] = mesh->positions[3 * v + (size_t)k] - o[k];
        } else if (kind == 2) { // from a corner
            o[k] = mesh->positions[3 * v + (size_t)k];
        }
    }
    if (kind == 3) {
        d[test_random_int(random, 0, 2)] *= 0x1p-60; // all but along an axis plane
    }
    return test_ray(o, d);
}

// Every second sheet of sixteen rays starts from one place, so that these walk the hierarchy together.
static void test_fill_rays(test_cast *cast, test_random *random, size_t count, bool integers) {
    cast->count = count;
    for (size_t i = 0; i < count; ++i) {
        cast->rays[i] = integers ? test_integer_ray(random) : test_random_ray(random, &cast->mesh);
        if (i / 16 % 2 == 1 && i % 16 != 0) {
            memcpy(cast->rays[i].origin, cast->rays[i - 1].origin, sizeof cast->rays[i].origin);
        }
    }
}

// By a power of two, so that nothing is rounded; directions by another.
static void test_scale_cast(test_cast *cast, int points, int directions) {
    test_mesh_scale(&cast->mesh, ldexp(1, points));
    for (size_t i = 0; i < cast->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            cast->rays[i].origin[k] = ldexp(cast->rays[i].origin[k], points);
            cast->rays[i].direction[k] = ldexp(cast->rays[i].direction[k], directions);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

typedef test_mesh test_soup_fn(test_random *random, uint32_t count);

static void test_kind(void **state, const char *name, test_soup_fn *soup, bool integers, int points,
                      int directions) {
    test_ray_oracle oracle;
    test_ray_oracle_init(&oracle);
    test_seen seen = {0};
    test_random random = {42};
    const uint32_t sizes[] = {1, 5, 40, 200};
    for (int round = 0; round < 4; ++round) {
        static test_cast cast;
        cast.name = name;
        cast.mesh = soup(&random, sizes[round]);
        test_fill_rays(&cast, &random, round == 3 ? 60 : 200, integers);
        test_scale_cast(&cast, points, directions);
        test_check_cast(*state, &oracle, &cast, &seen);
        test_mesh_free(&cast.mesh);
    }
    assert_true(seen.hits > 0 && seen.misses > 0);
    assert_true(!integers || seen.flat > 0);
    print_message("%s: %llu hits (%llu in a plane), %llu misses, %llu ties\n", name,
                  (unsigned long long)seen.hits, (unsigned long long)seen.flat,
                  (unsigned long long)seen.misses, (unsigned long long)seen.ties);
    test_ray_oracle_clear(&oracle);
}

static void test_random_soups(void **state) {
    test_kind(state, "soup", test_soup, false, 0, 0);
    test_kind(state, "strip", test_strip, false, 0, 0);
}

static void test_grids(void **state) {
    test_kind(state, "grid", test_grid_soup, true, 0, 0);
    test_kind(state, "flat", test_flat_soup, true, 0, 0);
    test_kind(state, "thin", test_thin_soup, true, 0, 0);
}

static void test_grazing(void **state) {
    test_kind(state, "random rays at a grid", test_grid_soup, false, 0, 0);
    test_kind(state, "random rays at a plane", test_flat_soup, false, 0, 0);
}

static void test_ends_of_float64(void **state) {
    test_kind(state, "huge", test_grid_soup, true, 1000, 0);
    test_kind(state, "huge and fast", test_soup, false, 900, 900);
    test_kind(state, "huge and slow", test_thin_soup, true, 400, -400);
    test_kind(state, "tiny", test_grid_soup, true, -1060, 0);
    test_kind(state, "tiny and slow", test_soup, false, -800, -800);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_soups),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_ends_of_float64),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
