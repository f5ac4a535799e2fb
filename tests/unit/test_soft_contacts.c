// Which side of each other two features are on by what they did in a lap, against the exact continuous test:
// who went through is pushed back, who went around a border is not.
#include "deform/closest.h"
#include "deform/evaluate.h"
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
    uint8_t rest;
    td_acting acting;
    bool acts;
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
    sides->softs.rests.items = &sides->rest;
}

static void test_evaluate(test_sides *sides) {
    td_evaluation evaluation;
    td_evaluation_begin(&evaluation, &sides->softs, 1);
    (void)td_evaluation_add(&evaluation, 0);
    sides->acts = td_evaluation_finish(&sides->acting, &evaluation) == 1;
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
    return td_dot(way, sides->acting.normal);
}

static void test_vertex_and_face(void **state) {
    (void)state;
    test_sides sides = {0};
    test_begin(&sides);
    test_random random = {7};
    int through = 0, around = 0;
    for (int i = 0; i < 200000; ++i) {
        test_draw(&sides, &random, TD_VERTEX_FACE);
        test_evaluate(&sides);
        const td_vec3 *x = sides.x;
        const td_vec3 up = td_cross(td_sub(x[2], x[1]), td_sub(x[3], x[1]));
        const bool other = (td_dot(up, td_sub(x[0], x[1])) < 0) != (sides.contact.sign < 0);
        const double *w = sides.acting.weight;
        if (!sides.acts || !(w[1] < 0 && w[2] < 0 && w[3] < 0) || !other) {
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
        test_evaluate(&sides);
        if (!sides.acts) {
            continue; // nearest at an end
        }
        const bool touches = test_touches(&sides);
        const bool turned = td_dot(sides.acting.normal, sides.contact.from_normal) < 0;
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

// ---------------------------------------------------------------------------------------------------------

// On a small grid, where much is parallel, at one place, or at a border.
static void test_ask(td_gaps_asked *asked, test_random *random) {
    for (uint32_t lane = 0; lane < TD_GAPS_MOST; ++lane) {
        for (int i = 0; i < 4; ++i) {
            const td_vec3 p = test_point(random, 2);
            const td_vec3 near = lane % 2 ? p : td_vec3_make(round(p.x), round(p.y), round(p.z));
            td_lanes3_put(&asked->point[i], lane, near);
        }
        td_lanes3_put(&asked->from_normal, lane, test_point(random, 1));
        asked->sign[lane] = lane % 3 ? 1 : -1;
    }
}

static void test_compare_lane(const td_gaps_found *found, const td_gaps_asked *asked, uint32_t lane,
                              bool edges) {
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_lanes3_at(&asked->point[i], lane);
    }
    const td_closest near =
        edges ? td_closest_edges(p[0], p[1], p[2], p[3]) : td_closest_vertex_face(p[0], p[1], p[2], p[3]);
    if (!(near.way.x == near.way.x)) {
        return; // a triangle that is a line
    }
    for (int i = 0; i < 4; ++i) {
        assert_true(found->weight[i][lane] == near.weight[i]);
    }
    assert_true(found->length[lane] == td_length(near.way));
    if (edges) {
        assert_true((found->gap[lane] < INFINITY) == near.within);
    }
}

// The lanes of every instruction set against closest.h.
static void test_lanes(void **state) {
    (void)state;
    static const td_isa all[] = {TD_ISA_SCALAR, TD_ISA_SSE4, TD_ISA_AVX2, TD_ISA_AVX512, TD_ISA_NEON};
    test_random random = {9};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        for (int round = 0; td_isa_available(all[k]) && round < 2000; ++round) {
            td_gaps_asked asked;
            td_gaps_found found;
            test_ask(&asked, &random);
            for (int edges = 0; edges < 2; ++edges) {
                td_gap_finder_for(all[k])[edges].find(&found, &asked, TD_GAPS_MOST);
                for (uint32_t lane = 0; lane < TD_GAPS_MOST; ++lane) {
                    test_compare_lane(&found, &asked, lane, edges == 1);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertex_and_face),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
