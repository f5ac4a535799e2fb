// Meshes of the field in poses where they touch and where they nearly do: every strategy and volume, natively
// and on devices, finds the same pairs.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <tandem/io.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { TEST_POSES = 4 };

static const char *const test_files[] = {"cow.obj", "spot.obj", "bunny-7k.obj", "armadillo-52k.obj"};

static td_mesh *test_load(const test_variant *variant, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/meshes/%s", TD_TEST_DATA, file);
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not there\n", path);
        return NULL;
    }
    const td_load_def def = td_default_load_def();
    td_mesh *mesh = NULL;
    if (td_load_mesh(&mesh, variant->context, path, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return mesh;
}

// Side by side along x: the boxes touch, overlap a little, and a lot; and turned, in the middle of it.
static void test_make_poses(td_pose poses[TEST_POSES], const td_mesh *mesh, uint64_t seed) {
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    const double size = upper[0] - lower[0];
    const double parts[TEST_POSES] = {1, 0.85, 0.6, 0.4};
    test_random random = {seed};
    for (int i = 0; i < TEST_POSES; ++i) {
        poses[i] = i < 3 ? td_pose_identity() : test_random_pose(&random, 0);
        poses[i].position[0] = parts[i] * size;
    }
}

static void test_ask(test_pairs *expected, const test_variant *variant, const td_mesh *mesh,
                     const td_pose *poses, const char *name) {
    test_ways ways;
    test_ways_list(&ways, variant->device, TEST_WAYS_ONE_ITEM);
    for (int w = 0; w < ways.count; ++w) {
        td_collide_result answers[TEST_POSES];
        char what[192];
        snprintf(what, sizeof what, "%s, %s on %s", name, ways.items[w].name, variant->name);
        if (td_collide_batch(answers, variant->query, mesh, mesh, poses, TEST_POSES, &ways.items[w].def) !=
            TD_OK) {
            fail_msg("%s: %s", what, td_error_message());
        }
        for (int i = 0; i < TEST_POSES; ++i) {
            test_expect_answer(&answers[i], &expected[i], TD_MODE_PAIRS, what);
            test_expect_state_bits(&answers[i], &ways.items[w].def, mesh, mesh, what);
        }
    }
}

// What `wide` finds natively: brute force would take too long on the larger ones.
static void test_expect(test_pairs *expected, const test_variant *variant, const td_mesh *mesh,
                        const td_pose *poses, const char *name) {
    td_collide_result answers[TEST_POSES];
    td_collide_def def = td_default_collide_def();
    def.strategy = "wide";
    assert_int_equal(td_collide_batch(answers, variant->query, mesh, mesh, poses, TEST_POSES, &def), TD_OK);
    for (int i = 0; i < TEST_POSES; ++i) {
        expected[i] = test_pairs_copy(&answers[i]);
        print_message("%-18s %5.2f aside: %zu pairs\n", name, poses[i].position[0], expected[i].count);
    }
    assert_true(expected[2].count > 0 || expected[3].count > 0);
}

static void test_one_mesh(const test_variants *variants, const char *file, uint64_t seed) {
    test_pairs expected[TEST_POSES] = {{0}};
    td_pose poses[TEST_POSES];
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *mesh = test_load(variant, file);
        if (mesh == NULL) {
            return;
        }
        if (v == 0) {
            test_make_poses(poses, mesh, seed);
            test_expect(expected, variant, mesh, poses, file);
        }
        test_ask(expected, variant, mesh, poses, file);
        td_destroy_mesh(mesh);
    }
    for (int i = 0; i < TEST_POSES; ++i) {
        test_pairs_free(&expected[i]);
    }
}

static void test_meshes(void **state) {
    for (size_t i = 0; i < sizeof test_files / sizeof *test_files; ++i) {
        test_one_mesh(*state, test_files[i], 61 + i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meshes)};
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
