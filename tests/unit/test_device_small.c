// Every kernel that queries start, on meshes so small that an interpreter can run them: `make oclgrind` does,
// and checks every access to memory. Natively the same questions are answered by brute force.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <string.h>

enum { TEST_PAIRS = 6 };

typedef struct test_scene {
    td_mesh *meshes[4];
    td_object_pair pairs[TEST_PAIRS];
    test_pairs expected[TEST_PAIRS];
} test_scene;

// Undecided by float32 (sheets in one plane), decided by it (soups), too small a scale for the expansions of
// the device's exact predicate, apart, and one whose frame float32 cannot hold.
static void test_scene_open(test_scene *scene, const test_variant *variant) {
    test_random random = {91};
    test_mesh meshes[4] = {test_soup(&random, 21), test_sheet(2, 0), test_grid_soup(&random, 9),
                           test_grid_soup(&random, 5)};
    test_mesh_scale(&meshes[2], 1e-290);
    test_mesh_scale(&meshes[3], 1e40);
    for (int i = 0; i < 4; ++i) {
        scene->meshes[i] = test_mesh_build(variant->context, &meshes[i]);
        assert_non_null(scene->meshes[i]);
        test_mesh_free(&meshes[i]);
    }
    const td_pose here = td_pose_identity(), away = {{50, 0, 0}, {0, 0, 0, 1}};
    td_mesh **m = scene->meshes;
    const td_object_pair pairs[TEST_PAIRS] = {{m[0], m[0], test_random_pose(&random, 0.1)},
                                              {m[1], m[1], here},
                                              {m[2], m[2], here},
                                              {m[0], m[1], here},
                                              {m[0], m[1], away},
                                              {m[0], m[3], here}};
    memcpy(scene->pairs, pairs, sizeof pairs);
    td_collide_def def = td_default_collide_def();
    def.strategy = "brute";
    td_collide_result answers[TEST_PAIRS];
    assert_int_equal(td_collide_pairs(answers, variant->query, pairs, TEST_PAIRS, &def), TD_OK);
    for (int i = 0; i < TEST_PAIRS; ++i) {
        scene->expected[i] = test_pairs_copy(&answers[i]);
    }
    assert_true(scene->expected[0].count > 0 && scene->expected[1].count > 0 && scene->expected[2].count > 0);
}

static void test_scene_close(test_scene *scene) {
    for (int i = 0; i < 4; ++i) {
        td_destroy_mesh(scene->meshes[i]);
    }
    for (int i = 0; i < TEST_PAIRS; ++i) {
        test_pairs_free(&scene->expected[i]);
    }
}

static void test_kernels(void **state) {
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        test_scene scene;
        test_scene_open(&scene, variant);
        test_ways ways;
        test_ways_list(&ways, variant->device, TEST_WAYS_DESCENTS | TEST_WAYS_ONE_ITEM);
        for (int w = 0; w < ways.count; ++w) {
            char what[128];
            snprintf(what, sizeof what, "%s on %s", ways.items[w].name, variant->name);
            td_collide_result answers[TEST_PAIRS];
            if (td_collide_pairs(answers, variant->query, scene.pairs, TEST_PAIRS, &ways.items[w].def) !=
                TD_OK) {
                fail_msg("%s: %s", what, td_error_message());
            }
            for (int i = 0; i < TEST_PAIRS; ++i) {
                test_expect_answer(&answers[i], &scene.expected[i], TD_MODE_PAIRS, what);
                test_expect_state_bits(&answers[i], &ways.items[w].def, scene.pairs[i].a, scene.pairs[i].b,
                                       what);
            }
        }
        print_message("%s: %d ways\n", variant->name, ways.count);
        if (variant->device != NULL) { // scripts/run-oclgrind.sh looks for it
            td_device_info info;
            td_device_describe(&info, variant->device);
            print_message("device: %s\n", info.name);
        }
        test_scene_close(&scene);
    }
}

// More candidates than there is room for: walks are put aside and taken up again, rounds and lists are cut.
static void test_little_memory(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    if (variant->device == NULL) {
        return; // as was said
    }
    test_mesh stack = test_repeated_triangle(70);
    td_mesh *mesh = test_mesh_build(variant->context, &stack);
    test_pairs expected = {0};
    for (uint32_t i = 0; i < 70 * 70; ++i) {
        test_pairs_add(&expected, i / 70, i % 70);
    }
    td_device *device = test_open_device(variant->context, false, 1 << 18);
    assert_non_null(device);
    test_ways ways;
    test_ways_list(&ways, device, TEST_WAYS_ONE_ITEM);
    for (int w = 0; w < ways.count; ++w) {
        td_query *query = NULL;
        assert_int_equal(td_create_query(&query, variant->context), TD_OK);
        td_collide_result answer;
        if (td_collide(&answer, query, mesh, mesh, NULL, &ways.items[w].def) != TD_OK) {
            fail_msg("%s: %s", ways.items[w].name, td_error_message());
        }
        test_expect_answer(&answer, &expected, TD_MODE_PAIRS, ways.items[w].name);
        assert_true(td_last_times(query).launches > 6); // at ease, a walk takes 3 or 4
        td_destroy_query(query);
    }
    td_destroy_device(device);
    td_destroy_mesh(mesh);
    test_mesh_free(&stack);
    test_pairs_free(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
