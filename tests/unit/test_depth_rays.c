// Rays against facets: as one facet after the other says, whatever their number, with every instruction set.
#include "support/cmocka_all.h"
#include "support/random.h"

#include "dynamics/depth_rays.h"

#include <math.h>

enum { TEST_FACETS = 37 };

static td_vec3 test_point(test_random *random) {
    return td_vec3_make(test_random_range(random, -1, 1), test_random_range(random, -1, 1),
                        test_random_range(random, -1, 1));
}

static td_facet test_facet(td_vec3 p, td_vec3 q, td_vec3 r) {
    return (td_facet){.x = {p.x, q.x, r.x, p.x}, .y = {p.y, q.y, r.y, p.y}, .z = {p.z, q.z, r.z, p.z}};
}

// By volumes of tetrahedra; infinity if it is missed. `sure`: clearly within or clearly beside.
static double test_cast(td_vec3 from, td_vec3 direction, const td_facet *facet, bool *sure) {
    td_vec3 to[3];
    double volumes[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        to[k] = td_sub(td_facet_corner(facet, k), from);
    }
    for (int k = 0; k < 3; ++k) {
        volumes[k] = td_dot(direction, td_cross(to[(k + 1) % 3], to[(k + 2) % 3]));
        sum += volumes[k];
    }
    const td_vec3 normal = td_cross(td_sub(to[1], to[0]), td_sub(to[2], to[0]));
    const double along = td_dot(direction, normal), at = td_dot(to[0], normal) / along;
    *sure = *sure && fabs(along) > 1e-3 && fabs(at) > 1e-6;
    bool met = at >= 0;
    for (int k = 0; k < 3; ++k) {
        *sure = *sure && fabs(volumes[k] / sum) > 1e-4;
        met = met && volumes[k] / sum >= 0;
    }
    return met ? at : INFINITY;
}

static void test_casts(void **state) {
    (void)state;
    test_random random = {5};
    int met = 0, missed = 0;
    for (int round = 0; round < 400; ++round) {
        td_facet facets[TEST_FACETS];
        uint32_t numbers[TEST_FACETS];
        const size_t count = (size_t)round % (TEST_FACETS + 1);
        for (uint32_t i = 0; i < TEST_FACETS; ++i) {
            facets[i] = test_facet(test_point(&random), test_point(&random), test_point(&random));
            numbers[i] = 5 * i % TEST_FACETS;
        }
        if (round % 5 == 0) { // without area
            facets[0] = test_facet(td_facet_corner(&facets[0], 0), td_facet_corner(&facets[0], 0),
                                   td_facet_corner(&facets[0], 1));
        }
        td_ray_facets room[TEST_FACETS / TD_RAY_FACETS + 1];
        td_rays rays = {.direction = test_point(&random), .facets = {.items = room}};
        const td_vec3 from = test_point(&random);
        bool sure = round % 5 != 0;
        double expected = INFINITY;
        for (size_t i = 0; i < count; ++i) {
            expected = fmin(expected, test_cast(from, rays.direction, &facets[numbers[i]], &sure));
        }
        td_rays_aim(&rays, TD_ISA_SCALAR, facets, numbers, count);
        const double first = td_rays_cast(&rays, TD_ISA_SCALAR, from, -INFINITY);
        assert_true(!sure || first == expected || fabs(first - expected) <= 1e-9 * expected);
        met += sure && first < INFINITY;
        missed += sure && first == INFINITY;
        for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
            if (td_isa_available((td_isa)isa)) {
                td_rays_aim(&rays, (td_isa)isa, facets, numbers, count);
                assert_true(td_rays_cast(&rays, (td_isa)isa, from, -INFINITY) == first);
                assert_true(td_rays_cast(&rays, (td_isa)isa, from, first) <= first);
                assert_true(td_rays_cast(&rays, (td_isa)isa, from, 0.5 * first) == first);
            }
        }
    }
    print_message("%d met, %d missed\n", met, missed);
    assert_true(met > 50 && missed > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
