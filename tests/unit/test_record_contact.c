// Contacts and motions as they are put down: how far off they come back, however odd they are.
#include "io/record_contact.h"
#include "io/record_half.h"
#include "support/random.h"
#include "test_record_support.h"

#include <float.h>

static const double test_degree = 0.017453292519943295;

// ---------------------------------------------------------------------------------------------------------
// Numbers of three digits

static void test_halves(void **state) {
    (void)state;
    for (uint32_t half = 0; half <= TD_UPPER_HALF_MOST; ++half) {
        const double number = td_from_upper_half((uint16_t)half);
        assert_true(isfinite(number) && td_is_upper_half((uint16_t)half));
        assert_int_equal(td_to_upper_half(number), half);
        if (half == TD_UPPER_HALF_MOST) {
            continue;
        }
        // Just below and above the middle to the next, and on it, where the even one is taken.
        const double next = td_from_upper_half((uint16_t)(half + 1)), middle = 0.5 * (number + next);
        assert_int_equal(td_to_upper_half(nextafter(middle, 0)), half);
        assert_int_equal(td_to_upper_half(nextafter(middle, INFINITY)), half + 1);
        assert_int_equal(td_to_upper_half(middle), half + (half & 1u));
    }
    assert_int_equal(td_to_upper_half(-1), 0);
    assert_int_equal(td_to_upper_half(-0.0), 0);
    assert_int_equal(td_to_upper_half(NAN), 0);
    assert_int_equal(td_to_upper_half(DBL_TRUE_MIN), 0);
    assert_int_equal(td_to_upper_half(FLT_MAX), TD_UPPER_HALF_MOST);
    assert_int_equal(td_to_upper_half(DBL_MAX), TD_UPPER_HALF_MOST);
    assert_int_equal(td_to_upper_half(INFINITY), TD_UPPER_HALF_MOST);
    assert_false(td_is_upper_half(0x7f80) || td_is_upper_half(0x8000) || td_is_upper_half(0xffff));
    test_random random = {1};
    for (int i = 0; i < 100000; ++i) {
        const double number =
            ldexp(0.5 + 0.5 * test_random_unit(&random), test_random_int(&random, -120, 120));
        assert_true(fabs(td_from_upper_half(td_to_upper_half(number)) - number) <= number / 256);
    }
}

static void test_motions(void **state) {
    (void)state;
    static const td_body_kind kinds[] = {TD_BODY_STATIC, TD_BODY_KINEMATIC, TD_BODY_DYNAMIC};
    for (int k = 0; k < 3; ++k) {
        for (int awake = 0; awake < 2; ++awake) {
            const td_recorded_motion motion = {.speed = 2.5, .awake = awake != 0};
            const td_recorded_motion back =
                td_motion_from_grid(td_motion_to_grid(&motion, kinds[k]), kinds[k]);
            const bool moving = kinds[k] == TD_BODY_DYNAMIC && awake != 0;
            assert_int_equal(back.awake, moving);
            assert_true(back.speed == (moving || kinds[k] == TD_BODY_KINEMATIC ? 2.5 : 0));
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Contacts

// Two bodies, the first with the box given, the second much larger.
typedef struct test_pair {
    td_cast_body bodies[2];
    td_cast_box boxes[2];
    td_cast cast;
    td_pose poses[2];
    double diagonal;
} test_pair;

static void test_make_pair(test_pair *pair, test_random *random, const double sides[3], double at) {
    *pair = (test_pair){.bodies = {{TD_BODY_DYNAMIC, 0, 0}, {TD_BODY_DYNAMIC, 1, 0}}};
    for (int k = 0; k < 3; ++k) {
        pair->boxes[0].lower[k] = -0.25 * sides[k];
        pair->boxes[0].upper[k] = 0.75 * sides[k];
        pair->boxes[1].lower[k] = -1e3 * (sides[0] + sides[1] + sides[2]);
        pair->boxes[1].upper[k] = 1e3 * (sides[0] + sides[1] + sides[2]);
    }
    pair->cast = (td_cast){.bodies = pair->bodies, .boxes = pair->boxes, .body_count = 2, .mesh_count = 2};
    pair->diagonal = sqrt(td_box_square(&pair->boxes[0]));
    for (int body = 0; body < 2; ++body) {
        pair->poses[body] = test_random_pose(random, at);
    }
}

static double test_distance(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void test_random_normal(double out[3], test_random *random) {
    double length = 0;
    while (!(length > 0.01 && length < 1)) {
        for (int k = 0; k < 3; ++k) {
            out[k] = 2 * test_random_unit(random) - 1;
        }
        length = test_distance(out, (double[3]){0, 0, 0});
    }
    for (int k = 0; k < 3; ++k) {
        out[k] /= length;
    }
}

static void test_expect_normal(const double found[3], const double wanted[3]) {
    const double angle = 2 * asin(0.5 * test_distance(found, wanted));
    assert_true(angle < 0.97 * test_degree);
    assert_true(fabs(test_distance(found, (double[3]){0, 0, 0}) - 1) < 1e-14);
}

// Of boxes of all sizes, flat ones and needles among them, near and far from the origin.
static void test_places(void **state) {
    (void)state;
    static const double shapes[][3] = {{1, 1, 1}, {1, 2, 0}, {3, 0, 0}, {1e-3, 1, 20}, {1, 1, 1e-9}};
    static const double sizes[] = {1e-12, 1e-3, 1, 1e6, 1e12};
    test_random random = {2};
    for (size_t s = 0; s < 25; ++s) {
        const double *shape = shapes[s / 5], size = sizes[s % 5];
        const double sides[3] = {size * shape[0], size * shape[1], size * shape[2]};
        for (int i = 0; i < 400; ++i) {
            test_pair pair;
            test_make_pair(&pair, &random, sides, i % 2 == 0 ? 0 : 30 * size);
            double inside[3];
            td_recorded_contact contact = {.a = 0, .b = 1, .impulse = 1};
            for (int k = 0; k < 3; ++k) { // an eighth of the diagonal around the box, too
                inside[k] = (test_random_unit(&random) - 0.25) * sides[k] +
                            0.2 * (test_random_unit(&random) - 0.5) * pair.diagonal;
            }
            td_pose_apply(contact.point, &pair.poses[0], inside);
            test_random_normal(contact.normal, &random);
            const td_grid_contact coded = td_contact_to_grid(&contact, &pair.cast, pair.poses);
            const td_recorded_contact back = td_contact_from_grid(&coded, &pair.cast, pair.poses);
            assert_true(test_distance(back.point, contact.point) < 0.72e-3 * pair.diagonal);
            test_expect_normal(back.normal, contact.normal);
            assert_true(back.a == 0 && back.b == 1 && back.impulse == 1);
            // Told from the other side, it is the same.
            const td_recorded_contact other = {
                .a = 1,
                .b = 0,
                .point = {contact.point[0], contact.point[1], contact.point[2]},
                .normal = {-contact.normal[0], -contact.normal[1], -contact.normal[2]},
                .impulse = 1};
            const td_grid_contact swapped = td_contact_to_grid(&other, &pair.cast, pair.poses);
            assert_memory_equal(&swapped, &coded, sizeof coded);
        }
    }
}

// A point outside is put on the widened box, coordinate by coordinate.
static void test_places_outside(void **state) {
    (void)state;
    test_random random = {3};
    test_pair pair;
    test_make_pair(&pair, &random, (double[3]){2, 2, 1}, 0); // a box from -0.5, -0.5, -0.25; diagonal 3
    pair.poses[0] = td_pose_identity();
    const td_recorded_contact contact = {.a = 0, .b = 1, .point = {-50, 0.5, 1e300}, .normal = {0, 0, 1}};
    const td_grid_contact coded = td_contact_to_grid(&contact, &pair.cast, pair.poses);
    const td_recorded_contact back = td_contact_from_grid(&coded, &pair.cast, pair.poses);
    assert_true(fabs(back.point[0] - (-0.5 - 0.375)) < 1e-12);
    assert_true(fabs(back.point[1] - 0.5) < 2e-3);
    assert_true(fabs(back.point[2] - (0.75 + 0.375)) < 1e-12);
}

// The place is told in the frame of the smaller body: if that moves on, the contact goes along.
static void test_smaller_body(void **state) {
    (void)state;
    test_random random = {4};
    test_pair pair;
    test_make_pair(&pair, &random, (double[3]){1, 1, 1}, 0);
    const td_cast_box boxes[3][2] = {
        {pair.boxes[0], pair.boxes[1]}, {pair.boxes[1], pair.boxes[0]}, {pair.boxes[0], pair.boxes[0]}};
    static const int smaller[3] = {0, 1, 0}; // of equal ones the first
    for (int i = 0; i < 3; ++i) {
        memcpy(pair.boxes, boxes[i], sizeof pair.boxes);
        pair.poses[0] = pair.poses[1] = td_pose_identity();
        const td_recorded_contact contact = {.a = 0, .b = 1, .point = {0.1, 0.2, 0.3}, .normal = {0, 1, 0}};
        const td_grid_contact coded = td_contact_to_grid(&contact, &pair.cast, pair.poses);
        pair.poses[0].position[0] = 10;
        pair.poses[1].position[0] = 20;
        const td_recorded_contact back = td_contact_from_grid(&coded, &pair.cast, pair.poses);
        assert_true(fabs(back.point[0] - (smaller[i] == 0 ? 10.1 : 20.1)) < 2e-3);
    }
}

// Along axes, diagonals and edges of the octahedron, where signs may go wrong.
static void test_special_normals(void **state) {
    (void)state;
    test_random random = {5};
    test_pair pair;
    test_make_pair(&pair, &random, (double[3]){1, 1, 1}, 0);
    for (int i = 0; i < 27; ++i) {
        td_recorded_contact contact = {.a = 0, .b = 1, .normal = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}};
        const double length = test_distance(contact.normal, (double[3]){0, 0, 0});
        for (int k = 0; k < 3 && length > 0; ++k) {
            contact.normal[k] /= length;
        }
        const td_grid_contact coded = td_contact_to_grid(&contact, &pair.cast, pair.poses);
        const td_recorded_contact back = td_contact_from_grid(&coded, &pair.cast, pair.poses);
        if (length > 0) {
            test_expect_normal(back.normal, contact.normal);
        }
        if (length == 1) {
            assert_true(test_distance(back.normal, contact.normal) == 0); // the axes come back as they are
        }
    }
    for (unsigned u = 0; u <= TD_NORMAL_MOST; ++u) { // every place of the square is some normal, and its own
        for (unsigned v = 0; v <= TD_NORMAL_MOST; ++v) {
            const td_grid_contact coded = {.a = 0, .b = 1, .normal = {(uint8_t)u, (uint8_t)v}};
            const td_recorded_contact back = td_contact_from_grid(&coded, &pair.cast, pair.poses);
            assert_true(fabs(test_distance(back.normal, (double[3]){0, 0, 0}) - 1) < 1e-14);
            const td_grid_contact again = td_contact_to_grid(&back, &pair.cast, pair.poses);
            const td_recorded_contact twice = td_contact_from_grid(&again, &pair.cast, pair.poses);
            assert_true(test_distance(twice.normal, back.normal) < 1e-14);
        }
    }
}

// Contacts that no world makes, and meshes that are one point or larger than float64 can measure.
static void test_odd_contacts(void **state) {
    (void)state;
    test_random random = {6};
    static const double numbers[] = {0, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN};
    static const double sizes[] = {0, DBL_TRUE_MIN, 1e-200, 1, 1e200, 1e305};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        test_pair pair;
        test_make_pair(&pair, &random, (double[3]){sizes[s], sizes[s], 0}, 1);
        pair.boxes[1] = pair.boxes[0];
        for (int i = 0; i < 7 * 7 * 7; ++i) {
            const double x = numbers[i % 7], y = numbers[i / 7 % 7], z = numbers[i / 49];
            const td_recorded_contact contact = {
                .a = 1, .b = 0, .point = {x, y, z}, .normal = {y, z, x}, .impulse = x};
            const td_grid_contact coded = td_contact_to_grid(&contact, &pair.cast, pair.poses);
            const td_recorded_contact back = td_contact_from_grid(&coded, &pair.cast, pair.poses);
            assert_int_equal(coded.where >> 30, 0);
            assert_true(isfinite(back.impulse) && back.impulse >= 0);
            for (int k = 0; k < 3; ++k) {
                assert_true(isfinite(back.point[k]) && isfinite(back.normal[k]));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),       cmocka_unit_test(test_motions),
        cmocka_unit_test(test_places),       cmocka_unit_test(test_places_outside),
        cmocka_unit_test(test_smaller_body), cmocka_unit_test(test_special_normals),
        cmocka_unit_test(test_odd_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
