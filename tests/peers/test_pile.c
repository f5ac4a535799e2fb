// The pile of the benchmarks, small: every library of this build gets the same scene, and what comes out is
// the motion of the same bodies, not an answer that is fast because it is wrong.
#include "support/cmocka_all.h"

#include "pile_race.h"
#include "pile_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TEST_BODIES    8
#define TEST_STEPS     50
#define TEST_FREE_FALL 8 // steps before anything can touch

static void test_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
    }
}

typedef struct test_pile {
    td_context *context;
    td_subject subject;
    td_pile_scene scene;
} test_pile;

static int test_set_up(void **state) {
    static test_pile pile;
    const td_context_def def = td_default_context_def();
    assert_int_equal(td_create_context(&pile.context, &def), TD_OK);
    assert_int_equal(td_load_subject(&pile.subject, pile.context, "cow"), TD_OK);
    td_pile_settings settings = td_default_pile_settings();
    settings.count = TEST_BODIES;
    assert_int_equal(td_make_pile_scene(&pile.scene, pile.context, &pile.subject, &settings), TD_OK);
    *state = &pile;
    return 0;
}

static int test_tear_down(void **state) {
    test_pile *pile = *state;
    td_release_pile_scene(&pile->scene, pile->context);
    td_release_subject(&pile->subject, pile->context);
    td_destroy_context(pile->context);
    return 0;
}

static void test_scene_is_a_grid(void **state) {
    const td_pile_scene *scene = &((test_pile *)*state)->scene;
    const double size[3] = {scene->upper[0] - scene->lower[0], scene->upper[1] - scene->lower[1],
                            scene->upper[2] - scene->lower[2]};
    test_near(fmax(size[0], fmax(size[1], size[2])), 2.0, 1e-12);
    assert_true(scene->mass > 0.0 && scene->mass < scene->density * size[0] * size[1] * size[2]);
    test_near(scene->moments[0] + scene->moments[1] + scene->moments[2],
              scene->inertia[0][0] + scene->inertia[1][1] + scene->inertia[2][2], 1e-9 * scene->moments[2]);
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const double *p = scene->starts + 3 * (size_t)i;
        assert_true(p[1] + scene->lower[1] > 0.0); // above the ground
        for (uint32_t j = 0; j < i; ++j) {
            const double *q = scene->starts + 3 * (size_t)j;
            assert_true(fabs(p[0] - q[0]) > size[0] || fabs(p[1] - q[1]) > size[1] ||
                        fabs(p[2] - q[2]) > size[2]); // boxes are apart
        }
    }
}

static uint32_t test_enter(td_pile_entrant *entrants) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < td_pile_library_count(); ++i) {
        entrants[count++] = (td_pile_entrant){.library = td_pile_library_at(i), .threads = 1};
    }
    entrants[count++] = (td_pile_entrant){.library = td_find_pile_library("tandem"), .threads = 2};
    return count;
}

// Before the first contact all must agree with Galileo, turned and read back through their own frames.
static void test_all_fall_alike(void **state) {
    test_pile *pile = *state;
    const td_pile_race race = {.scene = &pile->scene, .steps = TEST_FREE_FALL, .slice = 3, .rounds = 1};
    td_pile_entrant entrants[TD_MOST_PILES];
    const uint32_t count = test_enter(entrants);
    assert_int_equal(td_race_piles(entrants, count, pile->context, &race), TD_OK);
    const double time = TEST_FREE_FALL * pile->scene.step;
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(entrants[i].samples[TEST_FREE_FALL - 1].contacts, 0);
        for (uint32_t k = 0; k < TEST_BODIES; ++k) {
            const td_pile_body *body = &entrants[i].bodies[k];
            const double *start = pile->scene.starts + 3 * (size_t)k;
            test_near(body->velocity[1], -pile->scene.gravity * time, 1e-5);
            // Euler's step may run ahead of the parabola by half a step's way, at most.
            test_near(body->pose.position[1], start[1] - 0.5 * pile->scene.gravity * time * time,
                      0.5 * pile->scene.gravity * time * pile->scene.step + 1e-5);
            test_near(body->pose.position[0], start[0], 1e-5);
            test_near(fabs(body->pose.rotation[3]), 1.0, 1e-5); // not turned
        }
    }
    td_release_piles(entrants, count, pile->context, &race);
}

static void test_all_land(void **state) {
    test_pile *pile = *state;
    const td_pile_race race = {.scene = &pile->scene, .steps = TEST_STEPS, .slice = 20, .rounds = 1};
    td_pile_entrant entrants[TD_MOST_PILES];
    const uint32_t count = test_enter(entrants);
    assert_int_equal(td_race_piles(entrants, count, pile->context, &race), TD_OK);
    for (uint32_t i = 0; i < count; ++i) {
        const td_pile_outcome *outcome = &entrants[i].outcome;
        const td_pile_sample *last = &entrants[i].samples[TEST_STEPS - 1];
        printf("%s, %u threads: lowest %.3f m, highest %.3f m, %.4f m in the ground, %llu contacts\n",
               entrants[i].library->name, entrants[i].threads, outcome->lowest, outcome->highest,
               outcome->sunk, (unsigned long long)last->contacts);
        assert_int_equal(entrants[i].done, TEST_STEPS);
        assert_int_equal(outcome->fell, 0);
        assert_int_equal(outcome->escaped, 0);
        assert_true(last->contacts > 0 && last->touching > 0);
        assert_true(outcome->sunk < 0.1 * pile->scene.radius);
        assert_true(outcome->highest < pile->scene.height - pile->scene.radius); // has come down
    }
    assert_memory_equal(entrants[0].bodies, entrants[count - 1].bodies, TEST_BODIES * sizeof(td_pile_body));
    td_release_piles(entrants, count, pile->context, &race);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scene_is_a_grid),
                                       cmocka_unit_test(test_all_fall_alike),
                                       cmocka_unit_test(test_all_land)};
    for (const char *const *name = (const char *const[]){"ode", "bullet", NULL}; *name != NULL; ++name) {
        if (td_find_pile_library(*name) == NULL) {
            printf("skipped: %s was not found when the tests were configured\n", *name);
        }
    }
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
