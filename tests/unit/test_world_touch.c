// Bodies that meet: beginnings and ends, contacts at rest, who meets whom, friction and bounce, sleep.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>

static void test_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.15g, expected %.15g within %g", value, expected, tolerance);
    }
}

static bool test_same_id(td_body_id a, td_body_id b) {
    return a.index == b.index && a.generation == b.generation;
}

static bool test_is_touch(td_touch touch, td_body_id a, td_body_id b) {
    return (test_same_id(touch.a, a) && test_same_id(touch.b, b)) ||
           (test_same_id(touch.a, b) && test_same_id(touch.b, a));
}

// A ground, and a box on it or above it.
typedef struct test_scene {
    test_stage stage;
    const td_mesh *box;
    td_body_id ground, top;
} test_scene;

static test_scene test_scene_make(double height, const td_world_def *def) {
    test_scene scene = {.stage = test_stage_make(def, 1, TD_ISA_AUTO)};
    scene.box = test_stage_box(&scene.stage, 1, 1, 1);
    scene.ground = test_stage_add_static(&scene.stage, test_stage_box(&scene.stage, 20, 1, 20), 0, -0.5, 0);
    const td_body_def body = test_body(scene.box, 0, 0.5 + height, 0);
    scene.top = test_stage_add(&scene.stage, &body);
    return scene;
}

static td_body_id test_add_box(test_scene *scene, double x, double y, double z) {
    const td_body_def body = test_body(scene->box, x, y, z);
    return test_stage_add(&scene->stage, &body);
}

// Runs and counts how often two began and ceased to touch.
typedef struct test_tally {
    int began, ended;
} test_tally;

static test_tally test_run_and_count(test_scene *scene, td_body_id a, td_body_id b, int steps) {
    test_tally tally = {0};
    for (int i = 0; i < steps; ++i) {
        test_stage_run(&scene->stage, 1);
        const td_touches touches = td_last_touches(scene->stage.world);
        for (size_t k = 0; k < touches.began_count; ++k) {
            tally.began += test_is_touch(touches.began[k], a, b);
        }
        for (size_t k = 0; k < touches.ended_count; ++k) {
            tally.ended += test_is_touch(touches.ended[k], a, b);
        }
    }
    return tally;
}

static void test_counts(test_tally tally, int began, int ended) {
    if (tally.began != began || tally.ended != ended) {
        fail_msg("began %d times and ended %d times, expected %d and %d", tally.began, tally.ended, began,
                 ended);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Beginnings and ends

static void test_one_touch(void **state) {
    (void)state;
    test_scene scene = test_scene_make(0.5, NULL);
    test_stage *stage = &scene.stage;
    test_counts(test_run_and_count(&scene, scene.ground, scene.top, 10), 0, 0); // on its way
    test_counts(test_run_and_count(&scene, scene.ground, scene.top, 290), 1, 0);
    assert_false(test_stage_body(stage, scene.top).awake);
    test_counts(test_run_and_count(&scene, scene.ground, scene.top, 60), 0, 0); // asleep, and touching
    const double up[3] = {0, 8000, 0};
    assert_int_equal(td_apply_impulse(stage->world, scene.top, up, NULL), TD_OK);
    test_counts(test_run_and_count(&scene, scene.ground, scene.top, 20), 0, 1);
    test_counts(test_run_and_count(&scene, scene.ground, scene.top, 280), 1, 0);
    const td_body_id gone = scene.top;
    assert_int_equal(td_remove_body(stage->world, scene.top), TD_OK);
    test_counts(test_run_and_count(&scene, scene.ground, gone, 10), 0, 1);
    test_stage_clear(stage);
}

// The place of a removed body is taken by another one at once, which touches, too.
static void test_replaced(void **state) {
    (void)state;
    test_scene scene = test_scene_make(0, NULL);
    test_stage_run(&scene.stage, 60);
    const td_body_id gone = scene.top;
    assert_int_equal(td_remove_body(scene.stage.world, gone), TD_OK);
    const td_body_id fresh = test_add_box(&scene, 0, 0.499, 0);
    assert_int_equal(fresh.index, gone.index);
    test_stage_run(&scene.stage, 1);
    const td_touches touches = td_last_touches(scene.stage.world);
    assert_int_equal(touches.began_count, 1);
    assert_int_equal(touches.ended_count, 1);
    assert_true(test_is_touch(touches.began[0], scene.ground, fresh));
    assert_true(test_is_touch(touches.ended[0], scene.ground, gone));
    test_stage_clear(&scene.stage);
}

// Until the next step the last one's contacts can be looked at. Those of a body that is gone are not another
// one's that has got its place.
static void test_contacts_of_removed(void **state) {
    (void)state;
    test_scene scene = test_scene_make(0, NULL);
    test_stage_run(&scene.stage, 60);
    const td_body_id gone = scene.top;
    assert_int_equal(td_remove_body(scene.stage.world, gone), TD_OK);
    (void)test_add_box(&scene, 5, 7, 5);
    for (size_t i = 0; i < td_contact_count(scene.stage.world); ++i) {
        const td_contact contact = td_get_contact(scene.stage.world, i);
        assert_true(test_is_touch((td_touch){contact.a, contact.b}, scene.ground, gone));
        test_near(fabs(contact.point[0]), 0.5, 1e-3);
        test_near(contact.point[1], 0, 1e-3);
    }
    test_stage_clear(&scene.stage);
}

// ---------------------------------------------------------------------------------------------------------
// Contacts

static void test_contacts_at_rest(void **state) {
    (void)state;
    td_world_def def = td_default_world_def();
    def.sleep_speed = 0;
    test_scene scene = test_scene_make(0, &def);
    test_stage *stage = &scene.stage;
    test_stage_run(stage, 120);
    assert_int_equal(td_contact_count(stage->world), 4);
    uint32_t ids[4];
    for (size_t i = 0; i < 4; ++i) {
        ids[i] = td_get_contact(stage->world, i).id;
        assert_true(ids[i] > 0 && (i == 0 || ids[i] != ids[i - 1]));
    }
    for (int step = 0; step < 60; ++step) {
        test_stage_run(stage, 1);
        assert_int_equal(td_contact_count(stage->world), 4);
        double sum = 0;
        for (size_t i = 0; i < 4; ++i) {
            const td_contact c = td_get_contact(stage->world, i);
            assert_int_equal(c.id, ids[i]);
            assert_true(test_same_id(c.a, scene.ground) && test_same_id(c.b, scene.top));
            assert_true(c.normal[0] == 0 && c.normal[1] == 1 && c.normal[2] == 0);
            test_near(fabs(c.point[0]), 0.5, 1e-3);
            test_near(fabs(c.point[2]), 0.5, 1e-3);
            test_near(c.point[1], 0, 1e-3);
            assert_true(c.depth >= 0 && c.depth < 0.001);
            assert_int_equal(c.region, 0);
            sum += c.impulse;
        }
        test_near(sum, 1000 * 9.81 / 60, 0.01 * 1000 * 9.81 / 60); // m g dt
        test_near(stage->report.penetration, 0.0005, 0.0005);
        assert_true(stage->report.contacts == 4 && stage->report.regions == 1);
    }
    test_stage_clear(stage);
}

// What a report says agrees with what the bodies say.
static void test_report(void **state) {
    (void)state;
    test_scene scene = test_scene_make(1, NULL);
    test_stage *stage = &scene.stage;
    for (int i = 0; i < 4; ++i) {
        td_body_def def = test_body(test_stage_shape(stage, "torus", 0), i - 1.5, 3 + i, 0.3 * i);
        def.gravity_scale = 1 + 0.25 * i;
        (void)test_stage_add(stage, &def);
    }
    for (int step = 0; step < 200; ++step) {
        test_stage_run(stage, 1);
        double kinetic = 0, potential = 0;
        uint32_t awake = 0;
        for (uint32_t i = 0; i < td_body_count(stage->world); ++i) {
            const td_body_state body = test_stage_body(stage, td_body_at(stage->world, i));
            kinetic += body.kinetic_energy;
            const double scale = i < 2 ? 1 : 1 + 0.25 * (i - 2);
            potential += body.mass * scale * 9.81 * body.centre[1];
            awake += body.awake && body.kind == TD_BODY_DYNAMIC;
        }
        const td_step_report *report = &stage->report;
        test_near(report->kinetic_energy, kinetic, 1e-9 * kinetic);
        test_near(report->potential_energy, potential, 1e-9 * potential);
        assert_int_equal(report->awake, awake);
        assert_int_equal(report->bodies, 6);
        assert_int_equal(report->step, step);
        assert_int_equal(report->contacts, td_contact_count(stage->world));
        assert_true(report->islands <= 5 && report->regions <= report->contacts);
        assert_true(report->colliding_pairs <= report->broad_pairs);
        assert_true((report->contacts > 0) == (report->regions > 0));
        assert_true(report->faces >= report->colliding_pairs && report->penetration >= 0);
    }
    test_stage_clear(stage);
}

// ---------------------------------------------------------------------------------------------------------
// Who meets whom, and how

// Whether a box that falls on a ground lands on it.
static bool test_lands(uint64_t group, uint64_t collides_with, uint64_t ground_group, uint64_t ground_with) {
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_body_def ground = test_body(test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    ground.kind = TD_BODY_STATIC;
    ground.group = ground_group;
    ground.collides_with = ground_with;
    (void)test_stage_add(&stage, &ground);
    td_body_def box = test_body(test_stage_box(&stage, 1, 1, 1), 0, 0.6, 0);
    box.group = group;
    box.collides_with = collides_with;
    const td_body_id id = test_stage_add(&stage, &box);
    test_stage_run(&stage, 60);
    const bool landed = test_stage_body(&stage, id).centre[1] > 0.4;
    assert_true(landed == (td_contact_count(stage.world) > 0));
    test_stage_clear(&stage);
    return landed;
}

static void test_filters(void **state) {
    (void)state;
    const uint64_t all = UINT64_MAX, high = 1ull << 63;
    assert_true(test_lands(1, all, 1, all));
    assert_true(test_lands(high, 2, 2, high));
    assert_true(test_lands(6, 4, 12, 2));
    assert_false(test_lands(1, 2, 1, all)); // the box does not want to
    assert_false(test_lands(1, all, 1, 2)); // the ground does not want to
    assert_false(test_lands(0, all, 1, all));
    assert_false(test_lands(1, 0, 1, all));
}

// How far a box slides that begins at 2 m/s: v^2 / (2 mu g).
static double test_slide(double friction, double ground_friction) {
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_body_def ground = test_body(test_stage_box(&stage, 40, 1, 40), 0, -0.5, 0);
    ground.kind = TD_BODY_STATIC;
    ground.friction = ground_friction;
    (void)test_stage_add(&stage, &ground);
    td_body_def box = test_body(test_stage_box(&stage, 2, 0.2, 2), 0, 0.0995, 0);
    box.friction = friction;
    box.velocity[0] = 2;
    const td_body_id id = test_stage_add(&stage, &box);
    test_stage_run(&stage, 180);
    const double x = test_stage_body(&stage, id).centre[0];
    test_stage_clear(&stage);
    return x;
}

static void test_friction(void **state) {
    (void)state;
    test_near(test_slide(0.5, 0.5), 4 / (2 * 0.5 * 9.81), 0.02);
    test_near(test_slide(0.9, 0.1), 4 / (2 * 0.3 * 9.81), 0.03); // the geometric mean
    test_near(test_slide(0.1, 0.9), 4 / (2 * 0.3 * 9.81), 0.03);
    test_near(test_slide(0, 0.9), 6, 0.02); // none at all: 3 s of 2 m/s
}

// How high a ball bounces that was dropped from 1 m.
static double test_bounce(double restitution, double ground_restitution) {
    td_world_def def = td_default_world_def();
    def.substeps = 8;
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    td_body_def ground = test_body(test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    ground.kind = TD_BODY_STATIC;
    ground.restitution = ground_restitution;
    (void)test_stage_add(&stage, &ground);
    td_body_def ball = test_body(test_stage_shape(&stage, "octahedron", 0), 0, 2, 0);
    ball.restitution = restitution;
    const td_body_id id = test_stage_add(&stage, &ball);
    double highest = 0, before = 0;
    for (int i = 0; i < 120; ++i) {
        test_stage_run(&stage, 1);
        const td_body_state body = test_stage_body(&stage, id);
        if (before > 0 || (body.velocity[1] > 0 && i > 0)) { // after the first impact
            before = 1;
            highest = fmax(highest, body.centre[1] - 1);
        }
    }
    test_stage_clear(&stage);
    return highest;
}

static void test_restitution(void **state) {
    (void)state;
    test_near(test_bounce(0.8, 0), 0.64, 0.06); // the larger one, whose square is the height
    test_near(test_bounce(0, 0.8), 0.64, 0.06);
    test_near(test_bounce(0.5, 0.5), 0.25, 0.04);
    assert_true(test_bounce(0, 0) < 0.02);
}

static void test_overlaps(void **state) {
    (void)state;
    test_scene scene = test_scene_make(3, NULL);
    test_stage *stage = &scene.stage;
    const td_body_id low = test_add_box(&scene, 4, 0.4, 0);      // in the ground
    const td_body_id pair = test_add_box(&scene, 0.6, 3.7, 0.2); // in `top`
    (void)test_stage_add_static(stage, scene.box, 8, 0, 0);      // in the ground, but neither moves
    const td_body_def inner = test_body(test_stage_box(stage, 0.2, 0.2, 0.2), 4, 0.5, 0); // inside `low`
    const td_body_id swallowed = test_stage_add(stage, &inner);
    const td_touch *overlaps;
    size_t count;
    const uint64_t hash = td_hash_world(stage->world);
    assert_int_equal(td_find_overlaps(&overlaps, &count, stage->world), TD_OK);
    assert_int_equal(count, 3);
    int found = 0;
    for (size_t i = 0; i < count; ++i) {
        found += test_is_touch(overlaps[i], scene.ground, low) ? 1 : 0;
        found += test_is_touch(overlaps[i], scene.top, pair) ? 10 : 0;
        found += test_is_touch(overlaps[i], low, swallowed) ? 100 : 0;
    }
    assert_int_equal(found, 111);
    assert_true(td_hash_world(stage->world) == hash);
    test_stage_clear(stage);
}

// ---------------------------------------------------------------------------------------------------------
// Sleep

static void test_sleep_and_waking(void **state) {
    (void)state;
    test_scene scene = test_scene_make(0, NULL);
    test_stage *stage = &scene.stage;
    const td_body_id upper = test_add_box(&scene, 0, 1.5, 0), other = test_add_box(&scene, 6, 0.5, 0);
    test_stage_run(stage, 120);
    assert_int_equal(stage->report.awake, 0);
    const uint64_t asleep = td_hash_world(stage->world);
    test_stage_run(stage, 60);
    assert_true(td_hash_world(stage->world) == asleep);
    assert_int_equal(stage->report.tested_pairs, 0);
    // An impulse wakes the whole island, and only it.
    const double nudge[3] = {100, 0, 0};
    assert_int_equal(td_apply_impulse(stage->world, upper, nudge, NULL), TD_OK);
    assert_true(test_stage_body(stage, upper).awake);
    test_stage_run(stage, 1);
    assert_true(test_stage_body(stage, scene.top).awake);
    assert_false(test_stage_body(stage, other).awake);
    test_stage_run(stage, 120);
    assert_int_equal(stage->report.awake, 0);
    // What rested on a body falls when it is taken away.
    assert_int_equal(td_remove_body(stage->world, scene.top), TD_OK);
    test_stage_run(stage, 1);
    assert_true(test_stage_body(stage, upper).awake);
    test_stage_run(stage, 120);
    test_near(test_stage_body(stage, upper).centre[1], 0.5, 0.01);
    // A body that falls on one asleep wakes it.
    const td_body_def hammer = test_body(scene.box, 6.2, 4, 0.1);
    (void)test_stage_add(stage, &hammer);
    bool woke = false;
    for (int i = 0; i < 90; ++i) {
        test_stage_run(stage, 1);
        woke = woke || test_stage_body(stage, other).awake;
    }
    assert_true(woke);
    test_stage_clear(stage);
}

// A lift on which a box sleeps goes down: the box does not stay in the air.
static void test_support_sinks(void **state) {
    (void)state;
    static const double speeds[] = {0.01, 0.2, 2};
    for (int i = 0; i < 3; ++i) {
        test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
        const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
        td_body_def lift = test_body(box, 0, -0.5, 0);
        lift.kind = TD_BODY_KINEMATIC;
        const td_body_def load = test_body(box, 0, 0.5, 0);
        const td_body_id below = test_stage_add(&stage, &lift), above = test_stage_add(&stage, &load);
        test_stage_run(&stage, 120);
        assert_false(test_stage_body(&stage, above).awake);
        const double down[3] = {0, -speeds[i], 0}, still[3] = {0};
        assert_int_equal(td_set_body_velocity(stage.world, below, down, still), TD_OK);
        test_stage_run(&stage, 60);
        const td_body_state body = test_stage_body(&stage, above);
        if (!body.awake || body.centre[1] > 0.5 - 0.4 * speeds[i]) {
            fail_msg("a lift sank by %g m, and the box on it by %g m", speeds[i], 0.5 - body.centre[1]);
        }
        test_stage_clear(&stage);
    }
}

// A body put elsewhere by hand, into one asleep, wakes it.
static void test_placed_into_sleeper(void **state) {
    (void)state;
    static const td_body_kind kinds[] = {TD_BODY_DYNAMIC, TD_BODY_KINEMATIC, TD_BODY_STATIC};
    for (int i = 0; i < 3; ++i) {
        test_scene scene = test_scene_make(0, NULL);
        td_body_def def = test_body(scene.box, 0, 20, 0);
        def.kind = kinds[i];
        def.gravity_scale = 0;
        const td_body_id id = test_stage_add(&scene.stage, &def);
        test_stage_run(&scene.stage, 120);
        assert_false(test_stage_body(&scene.stage, scene.top).awake);
        def.pose.position[1] = 1.4;
        assert_int_equal(td_set_body_pose(scene.stage.world, id, &def.pose), TD_OK);
        test_stage_run(&scene.stage, 2);
        if (!test_stage_body(&scene.stage, scene.top).awake) {
            fail_msg("a %s body was put into one asleep, which did not wake", td_body_kind_name(kinds[i]));
        }
        test_stage_clear(&scene.stage);
    }
}

// With no patience at all, what moves does not sleep all the same.
static void test_short_sleep_time(void **state) {
    (void)state;
    td_world_def def = td_default_world_def();
    def.sleep_time = 0;
    test_scene scene = test_scene_make(5, &def);
    test_stage_run(&scene.stage, 30);
    const td_body_state body = test_stage_body(&scene.stage, scene.top);
    assert_true(body.awake);
    test_near(body.velocity[1], -9.81 / 2, 0.01);
    test_stage_clear(&scene.stage);
}

static void test_may_not_sleep(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    (void)test_stage_add_static(&stage, test_stage_box(&stage, 20, 1, 20), 0, -0.5, 0);
    td_body_def def = test_body(box, 0, 0.5, 0);
    def.may_sleep = false;
    const td_body_id watchful = test_stage_add(&stage, &def);
    def.pose.position[1] = 1.5;
    def.may_sleep = true;
    const td_body_id above = test_stage_add(&stage, &def);
    def.pose.position[0] = 5;
    def.pose.position[1] = 0.5;
    const td_body_id alone = test_stage_add(&stage, &def);
    test_stage_run(&stage, 180);
    assert_true(test_stage_body(&stage, watchful).awake);
    assert_true(test_stage_body(&stage, above).awake); // its island does not
    assert_false(test_stage_body(&stage, alone).awake);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_touch),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_contacts_of_removed),
        cmocka_unit_test(test_contacts_at_rest),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_sleep_and_waking),
        cmocka_unit_test(test_support_sinks),
        cmocka_unit_test(test_placed_into_sleeper),
        cmocka_unit_test(test_short_sleep_time),
        cmocka_unit_test(test_may_not_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
