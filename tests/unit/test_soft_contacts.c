// Which side of each other two features are on by what they did in a lap, against the exact continuous test:
// who went through is pushed back, who went around a border is not.
#include "deform/softs.h"
#include "predicates/moving_decide.h"
#include "support/cmocka_all.h"
#include "support/random.h"

typedef struct test_sides {
    td_context *context;
    td_softs softs; // with the four points of one contact
    td_vec3 start[4], x[4];
    double weight[4];
    td_four_points pair;
    td_soft_contact contact;
    td_acting acting;
} test_sides;

static void test_begin(test_sides *sides) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    assert_int_equal(td_create_context(&sides->context, &def), TD_OK);
    sides->softs.context = sides->context;
    sides->softs.start.items = sides->start;
    sides->softs.x.items = sides->x;
    sides->softs.weight.items = sides->weight;
    sides->softs.near_pairs.items = &sides->pair;
    sides->softs.contacts.items = &sides->contact;
}

static td_vec3 test_point(test_random *random, double size) {
    return td_vec3_make(test_random_range(random, -size, size), test_random_range(random, -size, size),
                        test_random_range(random, -size, size));
}

// The second feature stands, the first goes: so a line is crossed once.
static void test_draw(test_sides *sides, test_random *random, int kind) {
    const int split = kind == TD_EDGE_EDGE ? 2 : 1;
    const td_vec3 way = test_point(random, 1.5);
    for (int i = 0; i < 4; ++i) {
        sides->start[i] = test_point(random, 1);
        sides->x[i] = i < split ? td_add(sides->start[i], way) : sides->start[i];
        sides->pair.point[i] = (uint32_t)i;
    }
    sides->pair.kind = (uint8_t)kind;
    sides->pair.obstacle = TD_NONE;
    const td_vec3 *p = sides->start;
    const td_vec3 up = td_cross(td_sub(p[2], p[1]), td_sub(p[3], p[1]));
    const td_vec3 apart = td_sub(td_scale(td_add(p[0], p[1]), 0.5), td_scale(td_add(p[2], p[3]), 0.5));
    sides->contact = (td_soft_contact){.thickness = 10, .distance = 10, .from = 10, .pace = 1};
    sides->contact.sign = td_dot(up, td_sub(p[0], p[1])) < 0 ? -1 : 1;
    sides->contact.from_normal = td_scale(apart, 1 / td_length(apart));
}

static bool test_touches(const test_sides *sides) {
    td_moving_points points;
    for (int i = 0; i < 4; ++i) {
        points.at[0][i] = sides->start[i];
        points.at[1][i] = sides->x[i];
    }
    const td_moving_def def = {.cookie = TD_COOKIE_MOVING};
    td_moving_contact found;
    assert_int_equal(td_decide_moving(&found, sides->context, &points, sides->pair.kind, &def), TD_OK);
    return found.touching;
}

// Along the normal, from the second feature to the first.
static double test_gap(const test_sides *sides) {
    td_vec3 way = td_vec3_make(0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        way = td_add(way, td_scale(sides->x[i], sides->acting.weight[i]));
    }
    return td_dot(way, sides->contact.normal);
}

static void test_vertex_and_face(void **state) {
    (void)state;
    test_sides sides = {0};
    test_begin(&sides);
    test_random random = {7};
    int through = 0, around = 0;
    for (int i = 0; i < 200000; ++i) {
        test_draw(&sides, &random, TD_VERTEX_FACE);
        (void)td_evaluate_contact(&sides.acting, &sides.softs, 0, 1);
        const td_vec3 *x = sides.x;
        const td_vec3 up = td_cross(td_sub(x[2], x[1]), td_sub(x[3], x[1]));
        const bool other = (td_dot(up, td_sub(x[0], x[1])) < 0) != (sides.contact.sign < 0);
        const double *w = sides.acting.weight;
        if (!sides.contact.active || !(w[1] < 0 && w[2] < 0 && w[3] < 0) || !other) {
            continue; // nearest at a border, or on the side where it began
        }
        const bool touches = test_touches(&sides);
        assert_true(touches == (test_gap(&sides) < 0));
        through += touches;
        around += !touches;
    }
    assert_true(through > 1000 && around > 1000);
    td_destroy_context(sides.context);
}

static void test_edges(void **state) {
    (void)state;
    test_sides sides = {0};
    test_begin(&sides);
    test_random random = {8};
    int through = 0, around = 0;
    for (int i = 0; i < 200000; ++i) {
        test_draw(&sides, &random, TD_EDGE_EDGE);
        (void)td_evaluate_contact(&sides.acting, &sides.softs, 0, 1);
        if (!sides.contact.active) {
            continue; // nearest at an end
        }
        const bool touches = test_touches(&sides);
        const bool turned = td_dot(sides.contact.normal, sides.contact.from_normal) < 0;
        if (test_gap(&sides) < 0) {
            assert_true(touches && !turned);
        }
        through += test_gap(&sides) < 0;
        around += turned;
        assert_false(turned && touches); // what went through is pushed back to where it began
    }
    assert_true(through > 1000 && around > 1000);
    td_destroy_context(sides.context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertex_and_face),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
