// Continuous collision from a front that is kept from step to step: the same contacts as from the root, for
// meshes that deform and pairs of them, along the axes and with oriented boxes; and after every step the
// front is a cut through the test tree.
#include "query/front.h"
#include "test_sequence_support.h"
#include "traverse/front.h"
#include "traverse/swept.h"

typedef struct test_steps {
    const test_variant *variant;
    td_continuous *cold, *warm;
    td_front *front;
    td_volume volume;
    td_worker worker;
    uint64_t cold_boxes, warm_boxes, found;
    int warm_steps;
} test_steps;

static test_steps test_steps_begin(const test_variant *variant, td_volume volume) {
    test_steps steps = {.variant = variant, .volume = volume};
    const td_front_def def = td_default_front_def();
    assert_int_equal(td_create_front(&steps.front, variant->context, &def), TD_OK);
    assert_int_equal(td_create_continuous(&steps.cold, variant->context), TD_OK);
    assert_int_equal(td_create_continuous(&steps.warm, variant->context), TD_OK);
    return steps;
}

static void test_steps_end(test_steps *steps) {
    td_worker_release(&steps->worker, steps->variant->context);
    td_destroy_front(steps->front);
    td_destroy_continuous(steps->cold);
    td_destroy_continuous(steps->warm);
}

// The front is a cut; pairs of quads that are in it are those that own features that share no vertex.
static void test_expect_cut(test_steps *steps, const td_mesh *a, const td_mesh *b, bool self,
                            const char *what) {
    td_context *context = steps->variant->context;
    td_features features[2];
    const td_mesh *const meshes[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        const td_trimesh *mesh = &meshes[i]->triangles;
        assert_int_equal(td_features_create(&features[i], context, mesh->indices, mesh->triangle_count,
                                            mesh->vertex_count),
                         TD_OK);
    }
    const td_swept_question question = {
        .context = context, .features_a = &features[0], .features_b = &features[1], .self = self};
    const td_frame frame = {.ratio = 1};
    const td_traversal traversal = {.context = context,
                                    .mesh_a = &a->triangles,
                                    .mesh_b = &b->triangles,
                                    .a = &a->hierarchy,
                                    .b = &b->hierarchy,
                                    .split_a = &a->late->split,
                                    .split_b = &b->late->split,
                                    .frame = &frame,
                                    .ratio = steps->front->ratio,
                                    .self = self,
                                    .moving = &question};
    if (steps->front->held &&
        td_front_validate(&steps->front->entries, &steps->worker, &traversal) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    td_features_release(&features[0], context);
    td_features_release(&features[1], context);
}

static td_continuous_result test_ask(td_continuous *query, const td_moving_mesh *a, const td_moving_mesh *b,
                                     const td_continuous_def *def, const char *what) {
    td_continuous_result found;
    const td_result result =
        b == NULL ? td_continuous_self(&found, query, a, def) : td_continuous_pair(&found, query, a, b, def);
    if (result != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    return found;
}

// One step, cold by `strategy` and from the front. `b` null: against itself.
static void test_compare(test_steps *steps, const td_moving_mesh *a, const td_moving_mesh *b,
                         const char *strategy, const char *what) {
    td_continuous_def cold = td_default_continuous_def(), warm = td_default_continuous_def();
    cold.strategy = strategy;
    warm.strategy = "front";
    warm.volume = steps->volume;
    warm.front = steps->front;
    const td_continuous_result expected = test_ask(steps->cold, a, b, &cold, what),
                               found = test_ask(steps->warm, a, b, &warm, what);
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        if (found.count[kind] != expected.count[kind]) {
            fail_msg("%s: %llu contacts of kind %d from the front; expected %llu", what,
                     (unsigned long long)found.count[kind], kind, (unsigned long long)expected.count[kind]);
        }
        for (uint64_t i = 0; i < found.count[kind]; ++i) {
            const td_feature_contact x = found.contacts[kind][i], y = expected.contacts[kind][i];
            assert_true(x.a == y.a && x.b == y.b && x.time == y.time && x.certain == y.certain);
        }
        steps->found += found.count[kind];
    }
    assert_true(found.earliest == expected.earliest && found.touching == expected.touching);
    steps->warm_steps += td_last_front(steps->front).start == TD_FRONT_WARM;
    steps->cold_boxes += expected.counters.box_tests;
    steps->warm_boxes += found.counters.box_tests;
    test_expect_cut(steps, a->mesh, b == NULL ? a->mesh : b->mesh, b == NULL, what);
}

static td_moving_mesh test_to(const td_mesh *mesh, const double *positions) {
    return (td_moving_mesh){.mesh = mesh, .positions = positions, .vertex_count = td_mesh_vertex_count(mesh)};
}

// Small meshes, some on a grid where much touches, by turns against themselves and each other; against brute
// force.
static void test_shaking(void **state) {
    const test_variants *variants = *state;
    uint64_t found = 0;
    for (int round = 0; round < test_rounds(24); ++round) {
        const test_variant *variant = &variants->items[round % variants->count];
        test_random random = {(uint64_t)round + 31};
        test_mesh rest = test_small_mesh(round, &random);
        test_mesh other = test_soup(&random, 1 + rest.triangle_count / 2);
        td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
        td_mesh *still = test_build_deformable(variant->context, &other, TD_BUILDER_SAH);
        const td_volume volume = round % 2 == 0 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
        test_steps self = test_steps_begin(variant, volume), pair = test_steps_begin(variant, volume);
        for (int step = 0; step < 8; ++step) {
            test_shake_all(&rest, &random, round % 4 < 2);
            char what[64];
            snprintf(what, sizeof what, "round %d, step %d", round, step);
            const td_moving_mesh a = test_to(mesh, rest.positions), b = {.mesh = still};
            test_compare(&self, &a, NULL, "brute", what);
            test_compare(&pair, &a, &b, "brute", what);
            test_set(mesh, rest.positions, step == 4 ? TD_REBUILD_ALWAYS : TD_REBUILD_NEVER);
        }
        assert_int_equal(self.warm_steps, 6); // all but the first, and the one after the rebuild
        assert_int_equal(pair.warm_steps, 6);
        found += self.found + pair.found;
        test_steps_end(&self);
        test_steps_end(&pair);
        td_destroy_mesh(mesh);
        td_destroy_mesh(still);
        test_mesh_free(&rest);
        test_mesh_free(&other);
    }
    print_message("%llu contacts\n", (unsigned long long)found);
    assert_true(found > 1000);
}

// Whole meshes through all kinds of deformations: a torus, and a box also through those in which everything
// touches everything.
static void test_deforming(void **state) {
    const test_variants *variants = *state;
    for (int round = 0; round < 8; ++round) {
        const test_variant *variant = &variants->items[round % 4 < 2 ? 0 : variants->count - 1];
        const td_volume volume = round % 2 == 0 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
        const char *shape = round < 4 ? "torus" : "box";
        test_mesh rest;
        td_destroy_mesh(test_shape_mesh(&rest, variant->context, shape, 0));
        td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
        test_steps steps = test_steps_begin(variant, volume);
        static const int order[] = {3, 0, 1, 0, 2, 3, 0, 7, 0, 5, 6, 0, 9, 0};
        const int steps_of = round < 4 ? 8 : (int)(sizeof order / sizeof *order);
        for (int i = 0; i < steps_of; ++i) {
            const test_deformation *how = &test_deformations[order[i]];
            test_mesh deformed = test_deformed(&rest, how);
            const td_moving_mesh moving = test_to(mesh, deformed.positions);
            char what[96];
            snprintf(what, sizeof what, "%s on %s to '%s', %s", shape, variant->name, how->name,
                     td_volume_name(volume));
            test_compare(&steps, &moving, NULL, "wide", what);
            test_set(mesh, deformed.positions, TD_REBUILD_NEVER);
            test_mesh_free(&deformed);
        }
        print_message("%s on %s, %s: %d warm, %llu contacts\n", shape, variant->name, td_volume_name(volume),
                      steps.warm_steps, (unsigned long long)steps.found);
        assert_int_equal(steps.warm_steps, steps_of - 1);
        test_steps_end(&steps);
        td_destroy_mesh(mesh);
        test_mesh_free(&rest);
    }
}

// A front of a mesh at a moment is none of its steps, nor the reverse: other pairs of triangles count.
static void test_other(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, variant->context, "cow", 0));
    td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
    test_steps steps = test_steps_begin(variant, TD_VOLUME_AABB);
    const td_moving_mesh moving = {.mesh = mesh};
    td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    def.strategy = "front";
    def.front = steps.front;
    static const td_front_start starts[] = {TD_FRONT_FIRST, TD_FRONT_OTHER, TD_FRONT_OTHER, TD_FRONT_WARM};
    for (int i = 0; i < 4; ++i) {
        if (i == 1) {
            assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
        } else {
            test_compare(&steps, &moving, NULL, "wide", "a cow that stands still");
        }
        assert_string_equal(td_front_start_name(td_last_front(steps.front).start),
                            td_front_start_name(starts[i]));
    }
    td_continuous_def wrong = td_default_continuous_def();
    td_continuous_result found;
    wrong.front = steps.front;
    assert_int_equal(td_continuous_self(&found, steps.cold, &moving, &wrong), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "has no use for a front"));
    test_steps_end(&steps);
    td_destroy_mesh(mesh);
    test_mesh_free(&rest);
}

// The galloping horse, from each frame to the next: the contacts are those of `wide`; what the front saves.
static void test_horse(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    test_horse_sequence horse;
    if (!test_horse_open(&horse, variant->context)) {
        return;
    }
    test_steps steps[2] = {test_steps_begin(variant, TD_VOLUME_AABB),
                           test_steps_begin(variant, TD_VOLUME_OBB)};
    const int frames = test_rounds(12);
    for (int frame = 0; frame < frames; ++frame) {
        test_horse_read(&horse);
        const td_moving_mesh moving = {.mesh = horse.mesh,
                                       .positions = horse.positions,
                                       .scalar = TD_FLOAT32,
                                       .vertex_count = horse.rest.vertex_count};
        for (int i = 0; i < 2; ++i) {
            test_compare(&steps[i], &moving, NULL, "front", "horse");
        }
        test_horse_set(&horse, TD_REBUILD_NEVER);
    }
    print_message("horse, %d steps: %llu box tests from the root, %llu from the front; oriented: %llu\n",
                  frames, (unsigned long long)steps[0].cold_boxes, (unsigned long long)steps[0].warm_boxes,
                  (unsigned long long)steps[1].warm_boxes);
    assert_true(steps[0].warm_boxes < steps[0].cold_boxes);
    assert_true(steps[1].warm_boxes < steps[0].warm_boxes); // fewer pairs of oriented boxes overlap
    test_steps_end(&steps[0]);
    test_steps_end(&steps[1]);
    test_horse_close(&horse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shaking),
        cmocka_unit_test(test_deforming),
        cmocka_unit_test(test_other),
        cmocka_unit_test(test_horse),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
