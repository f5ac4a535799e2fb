// Many poses in one call: the same answers as one by one, all valid at once, bad poses refused before any
// work, progress reported and cancelled.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_POSES = 400 }; // more than two rounds between progress reports, with three threads

static void test_make_poses(td_pose *poses) {
    test_random random = {41};
    for (int i = 0; i < TEST_POSES; ++i) {
        poses[i] = test_random_pose(&random, 1.2);
    }
    poses[0] = td_pose_identity(); // collides for certain
}

static void test_same_as_one_by_one(void **state) {
    const test_variants *variants = *state;
    td_pose poses[TEST_POSES];
    test_make_poses(poses);
    test_pairs expected[TEST_POSES] = {{0}};
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *a = NULL, *b = NULL;
        assert_int_equal(td_create_shape(&a, variant->context, "knot", 0), TD_OK);
        assert_int_equal(td_create_shape(&b, variant->context, "torus", 0), TD_OK);
        td_collide_def def = td_default_collide_def();
        for (int i = 0; v == 0 && i < TEST_POSES; ++i) {
            td_collide_result answer;
            assert_int_equal(td_collide(&answer, variant->query, a, b, &poses[i], &def), TD_OK);
            for (size_t k = 0; k < answer.pair_count; ++k) {
                test_pairs_add(&expected[i], answer.pairs[k].a, answer.pairs[k].b);
            }
        }
        for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
            def.mode = (td_mode)mode;
            td_collide_result answers[TEST_POSES];
            assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, TEST_POSES, &def), TD_OK);
            for (int i = 0; i < TEST_POSES; ++i) { // only now: all are valid together
                test_expect_answer(&answers[i], &expected[i], def.mode, variant->name);
                assert_true(answers[i].ms >= 0);
            }
        }
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
    int colliding = 0;
    for (int i = 0; i < TEST_POSES; ++i) {
        colliding += expected[i].count > 0;
        test_pairs_free(&expected[i]);
    }
    assert_true(colliding > 0 && colliding < TEST_POSES);
}

static void test_no_poses(void **state) {
    const test_variant *variant = ((test_variants *)*state)->items;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, variant->context, "box", 0), TD_OK);
    const td_collide_def def = td_default_collide_def();
    assert_int_equal(td_collide_batch(NULL, variant->query, mesh, mesh, NULL, 0, &def), TD_OK);
    td_destroy_mesh(mesh);
}

static void test_expect_refused(const test_variant *variant, const td_mesh *mesh, const td_pose *poses,
                                size_t count, const char *part) {
    const td_collide_def def = td_default_collide_def();
    td_collide_result answers[3];
    memset(answers, 0x5a, sizeof answers);
    const td_result result = td_collide_batch(answers, variant->query, mesh, mesh, poses, count, &def);
    if (result != TD_ERROR_POSE || strstr(td_error_message(), part) == NULL) {
        fail_msg("expected a pose error with '%s', found %s: %s", part, td_result_name(result),
                 td_error_message());
    }
    for (size_t i = 0; i < sizeof answers; ++i) { // before any work
        assert_int_equal(((unsigned char *)answers)[i], 0x5a);
    }
}

static void test_bad_poses(void **state) {
    const test_variant *variant = ((test_variants *)*state)->items;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, variant->context, "box", 0), TD_OK);
    const td_pose good = td_pose_identity();
    td_pose poses[3] = {good, good, good};
    poses[2].position[1] = NAN;
    test_expect_refused(variant, mesh, poses, 3, "pose 2");
    test_expect_refused(variant, mesh, poses + 2, 1, "position y");
    poses[2] = good;
    poses[1].rotation[3] = 1.01;
    test_expect_refused(variant, mesh, poses, 3, "pose 1");
    test_expect_refused(variant, mesh, poses, 3, "1.01");
    poses[1] = good;
    poses[0].position[0] = -1e308;
    test_expect_refused(variant, mesh, poses, 3, "pose 0");
    test_expect_refused(variant, mesh, poses, 3, "beyond the range of float64");
    td_destroy_mesh(mesh);
}

// Coordinates that could overflow in a sum are refused for either mesh, by name.
static void test_oversized_meshes(void **state) {
    const test_variant *variant = ((test_variants *)*state)->items;
    test_mesh cube = test_cube(0, 1);
    td_mesh *small = test_mesh_build(variant->context, &cube);
    test_mesh_scale(&cube, 1.7e308);
    td_mesh *large = test_mesh_build(variant->context, &cube);
    assert_non_null(large);
    const td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, variant->query, large, small, NULL, &def), TD_ERROR_UNSUPPORTED);
    assert_non_null(strstr(td_error_message(), "1.7e+308"));
    assert_int_equal(td_collide(&answer, variant->query, small, large, NULL, &def), TD_ERROR_UNSUPPORTED);
    // Alone it is moved by nobody.
    assert_int_equal(td_self_collide(&answer, variant->query, large, &def), TD_OK);
    assert_int_equal(answer.pair_count, 0);
    td_destroy_mesh(small);
    td_destroy_mesh(large);
    test_mesh_free(&cube);
}

// ---------------------------------------------------------------------------------------------------------
// Progress

typedef struct test_progress {
    uint64_t calls, done, total, stop_at;
    bool backwards;
} test_progress;

static bool test_report(uint64_t done, uint64_t total, void *user) {
    test_progress *progress = user;
    progress->backwards |= done < progress->done || done > total;
    progress->calls++;
    progress->done = done;
    progress->total = total;
    return progress->calls != progress->stop_at;
}

static void test_progress_of(const test_variant *variant, const td_mesh *a, const td_mesh *b,
                             const td_pose *poses, size_t pose_count, const char *strategy) {
    td_collide_result *answers = calloc(pose_count, sizeof *answers),
                      *plain = calloc(pose_count, sizeof *plain);
    test_progress progress = {0};
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_COUNT;
    def.strategy = strategy;
    assert_int_equal(td_collide_batch(plain, variant->query, a, b, poses, pose_count, &def), TD_OK);
    def.progress = test_report;
    def.progress_user = &progress;
    assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, pose_count, &def), TD_OK);
    assert_true(progress.calls > 2 && !progress.backwards);
    assert_true(progress.done == progress.total && progress.total > 0);
    for (size_t i = 0; i < pose_count; ++i) {
        assert_int_equal(answers[i].pair_count, plain[i].pair_count);
    }
    const uint64_t calls = progress.calls;
    for (uint64_t stop = 1; stop <= calls; stop += 1 + calls / 5) {
        progress = (test_progress){.stop_at = stop};
        assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, pose_count, &def),
                         TD_ERROR_CANCELLED);
        assert_non_null(strstr(td_error_message(), "cancelled"));
        assert_int_equal(progress.calls, stop);
        // The query is as good as before.
        def.progress = NULL;
        assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, 1, &def), TD_OK);
        assert_int_equal(answers[0].pair_count, plain[0].pair_count);
        def.progress = test_report;
    }
    free(answers);
    free(plain);
}

static void test_progress_and_cancel(void **state) {
    const test_variants *variants = *state;
    td_pose poses[TEST_POSES];
    test_make_poses(poses);
    for (int v = 0; v < TEST_MOST_THREADS; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *knot = NULL, *box = NULL;
        assert_int_equal(td_create_shape(&knot, variant->context, "knot", 1), TD_OK);
        assert_int_equal(td_create_shape(&box, variant->context, "box", 0), TD_OK);
        test_progress_of(variant, box, box, poses, TEST_POSES, NULL); // rounds of 64 per worker
        if (v == 0) {
            test_progress_of(variant, box, knot, poses, TEST_POSES, "stack");
        }
        test_progress_of(variant, knot, box, poses, 1, "brute");
        td_destroy_mesh(knot);
        td_destroy_mesh(box);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_one_by_one),  cmocka_unit_test(test_no_poses),
        cmocka_unit_test(test_bad_poses),           cmocka_unit_test(test_oversized_meshes),
        cmocka_unit_test(test_progress_and_cancel),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
