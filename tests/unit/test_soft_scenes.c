// The scenes with objects and sheets that fall on an irregular ground: to the end, at rest, with nothing lost
// and nothing through anything. Small ones; `make test-soft` (TD_TEST_LONG) runs them as they are built in.
#include "support/cmocka_all.h"

#include <tandem/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct test_play {
    td_context *context;
    td_scene *scene;
    td_world *world;
    td_step_report report; // of the last step
    uint64_t held, passed;
    double ms, search_ms, elements_ms, contacts_ms, exact_ms; // sums
} test_play;

static bool test_is_long(void) {
    return getenv("TD_TEST_LONG") != NULL;
}

static test_play test_begin(const char *name, const char *const *parameters, size_t count) {
    test_play play = {0};
    td_context_def context = td_default_context_def();
    assert_int_equal(td_create_context(&play.context, &context), TD_OK);
    td_scene_def def = td_default_scene_def();
    def.parameters = parameters;
    def.parameter_count = count;
    if (td_load_scene(&play.scene, play.context, name, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    play.world = td_scene_world(play.scene);
    return play;
}

static void test_end(test_play *play) {
    td_destroy_scene(play->scene);
    td_destroy_context(play->context);
}

static void test_run(test_play *play, uint64_t steps) {
    for (uint64_t i = 0; i < steps; ++i) {
        if (td_step_scene(&play->report, play->scene) != TD_OK) {
            fail_msg("%s", td_error_message());
        }
        play->held += play->report.soft_held;
        play->passed += play->report.soft_passed;
        play->ms += play->report.total_ms;
        play->search_ms += play->report.soft_search_ms;
        play->elements_ms += play->report.soft_elements_ms;
        play->contacts_ms += play->report.soft_contacts_ms;
        play->exact_ms += play->report.soft_exact_ms;
    }
}

static td_body_state test_body_at(const test_play *play, uint32_t place) {
    td_body_state state;
    assert_int_equal(td_get_body(&state, play->world, td_body_at(play->world, place)), TD_OK);
    return state;
}

// Soft bodies that intersect something, as the exact queries of td_find_overlaps have it.
static size_t test_soft_overlaps(test_play *play) {
    const td_touch *overlaps;
    size_t count, soft = 0;
    assert_int_equal(td_find_overlaps(&overlaps, &count, play->world), TD_OK);
    for (size_t i = 0; i < count; ++i) {
        td_body_state a, b;
        assert_int_equal(td_get_body(&a, play->world, overlaps[i].a), TD_OK);
        assert_int_equal(td_get_body(&b, play->world, overlaps[i].b), TD_OK);
        soft += a.kind == TD_BODY_SOFT || b.kind == TD_BODY_SOFT;
    }
    return soft;
}

// All bodies are above the ground, whose lowest point is at 0, and within its rim.
static void test_none_lost(const test_play *play, double rim) {
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state state = test_body_at(play, i);
        if (state.kind == TD_BODY_STATIC) {
            continue;
        }
        assert_true(state.centre[1] > 0 && fabs(state.centre[0]) < rim && fabs(state.centre[2]) < rim);
        if (state.kind == TD_BODY_SOFT) {
            const double *x;
            uint32_t count;
            assert_int_equal(td_get_positions(&x, &count, play->world, td_body_at(play->world, i)), TD_OK);
            for (uint32_t v = 0; v < count; ++v) {
                assert_true(x[3 * v + 1] > 0);
            }
        }
    }
}

// Mean energy per mass: of things that have come to rest, or as good as.
static void test_is_at_rest(const test_play *play) {
    double mass = 0;
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        mass += test_body_at(play, i).mass;
    }
    assert_true(play->report.kinetic_energy / mass < 0.5 * 0.1 * 0.1);
}

static void test_objects(void **state) {
    (void)state;
    static const char *const small[] = {"n=2", "layers=2"};
    test_play play = test_begin("rigid-objects", small, test_is_long() ? 0 : 2);
    assert_int_equal(td_body_count(play.world), test_is_long() ? 1001 : 33);
    test_run(&play, test_is_long() ? td_scene_steps(play.scene) : 360);
    test_none_lost(&play, 14);
    test_is_at_rest(&play);
    if (test_is_long()) {
        assert_true(play.report.awake < 20); // of 1,000: some rock for long
    }
    print_message("rigid-objects: %u awake at the end, %.1f ms per step\n", play.report.awake,
                  play.ms / (double)(play.report.step + 1));
    test_end(&play);
}

// In every tenth step it is looked for what should not be.
static void test_run_clean(test_play *play, uint64_t steps) {
    for (uint64_t done = 0; done < steps; done += 10) {
        test_run(play, 10);
        assert_int_equal(test_soft_overlaps(play), 0);
        test_none_lost(play, 10);
        if (test_is_long() && done % 50 == 40) {
            print_message("rigid-and-sheets: step %u, %u rigid and %u soft awake, %.1f ms per step\n",
                          (unsigned)done + 10, play->report.awake, play->report.soft_awake,
                          play->ms / (double)(done + 10));
        }
    }
    assert_int_equal(play->passed, 0);
    test_is_at_rest(play);
}

// All objects are thrown up: sheets that slept upon them wake, and sleep again in the end.
static void test_disturb(test_play *play) {
    assert_int_equal(play->report.awake, 0);
    assert_int_equal(play->report.soft_awake, 0);
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state body = test_body_at(play, i);
        if (body.kind == TD_BODY_DYNAMIC) {
            const double impulse[3] = {0, 2 * body.mass, 0};
            assert_int_equal(td_apply_impulse(play->world, td_body_at(play->world, i), impulse, NULL), TD_OK);
        }
    }
    test_run(play, 5);
    assert_int_equal(play->report.soft_awake, 2);
    test_run_clean(play, 600);
    assert_int_equal(play->report.awake, 0);
    assert_int_equal(play->report.soft_awake, 0);
}

static void test_objects_and_sheets(void **state) {
    (void)state;
    static const char *const small[] = {"n=1", "layers=2", "cells=16", "sheets=1", "sheet_layers=2"};
    test_play play = test_begin("rigid-and-sheets", small, test_is_long() ? 0 : 5);
    assert_int_equal(td_body_count(play.world), test_is_long() ? 253 : 11);
    test_run_clean(&play, td_scene_steps(play.scene));
    print_message(
        "rigid-and-sheets: %u rigid and %u soft awake at the end, held back %llu times, %.1f ms per "
        "step\n",
        play.report.awake, play.report.soft_awake, (unsigned long long)play.held,
        play.ms / (double)(play.report.step + 1));
    if (test_is_long()) {
        assert_int_equal(play.report.soft_awake, 0);
        assert_true(play.report.awake < 20); // of 216
    } else {
        test_disturb(&play);
    }
    test_end(&play);
}

// A ninth of the objects with four sheets on one spot, which used to tremble for good: everything sleeps.
static void test_heap_sleeps(void **state) {
    (void)state;
    static const char *const heap[] = {"n=1", "sheets=1", "cells=32"};
    test_play play = test_begin("rigid-and-sheets", heap, 3);
    test_run_clean(&play, td_scene_steps(play.scene));
    assert_int_equal(play.report.awake, 0);
    assert_int_equal(play.report.soft_awake, 0);
    test_end(&play);
}

// 92,450 triangles over a sphere, with the time of each part; else a sixteenth of that.
static void test_fine_cloth(void **state) {
    (void)state;
    static const char *const fine[] = {"cells=215", "thickness=0.004", "substeps=20"};
    static const char *const coarse[] = {"cells=32", "thickness=0.02"};
    test_play play = test_begin("cloth", test_is_long() ? fine : coarse, test_is_long() ? 3 : 2);
    const int steps = test_is_long() ? 120 : 60;
    test_run(&play, (uint64_t)steps);
    assert_int_equal(test_soft_overlaps(&play), 0);
    const td_body_state cloth = test_body_at(&play, 2);
    assert_true(cloth.kind == TD_BODY_SOFT && cloth.centre[1] > 0.5);
    print_message(
        "cloth of %u triangles: %.1f ms per step, of these search %.1f, elements %.1f, contacts %.1f, "
        "exact tests %.1f\n",
        td_mesh_triangle_count(cloth.mesh), play.ms / steps, play.search_ms / steps, play.elements_ms / steps,
        play.contacts_ms / steps, play.exact_ms / steps);
    test_end(&play);
}

// The scene as it is built in calms down: folds that are held back again and again lose their speed there,
// and a step does not get slower and slower.
static void test_cloth_calms(void **state) {
    (void)state;
    test_play play = test_begin("cloth", NULL, 0);
    test_run(&play, 120);
    print_message("cloth after 120 steps: %g J, held back %llu times\n", play.report.kinetic_energy,
                  (unsigned long long)play.held);
    assert_true(play.report.kinetic_energy < 0.5);
    assert_true(play.held < 10000);
    assert_int_equal(play.passed, 0);
    assert_int_equal(test_soft_overlaps(&play), 0);
    test_end(&play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),     cmocka_unit_test(test_objects_and_sheets),
        cmocka_unit_test(test_heap_sleeps), cmocka_unit_test(test_fine_cloth),
        cmocka_unit_test(test_cloth_calms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
