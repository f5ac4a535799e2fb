// Self-intersections on a device: the pairs that the native strategies find, for every strategy and box there
// is, with the device's float64 and without; on meshes with known pairs, on the galloping horse, on soups
// where much touches, with triangles without area and after deformations.
#include "test_sequence_support.h"

#include <dirent.h>

typedef struct test_self_way {
    const char *strategy;
    td_volume volume;
} test_self_way;

static const test_self_way test_self_ways[] = {
    {"blocked", TD_VOLUME_AABB},  {"stack", TD_VOLUME_AABB},   {"stack", TD_VOLUME_OBB},
    {"balanced", TD_VOLUME_AABB}, {"balanced", TD_VOLUME_OBB}, {"binary", TD_VOLUME_AABB},
    {"binary", TD_VOLUME_OBB},    {"front", TD_VOLUME_AABB},   {"front", TD_VOLUME_OBB},
};

enum { TEST_SELF_WAYS = sizeof test_self_ways / sizeof *test_self_ways };

// The answer of `wide` by every way on the variant's device; `only` of them if it is not negative.
static size_t test_ask_self(const test_variant *variant, const td_mesh *mesh, bool keep_degenerate, int only,
                            const char *name) {
    td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    def.keep_degenerate = keep_degenerate;
    assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
    test_pairs expected = test_pairs_copy(&answer);
    static const td_mode modes[] = {TD_MODE_PAIRS, TD_MODE_COUNT};
    for (int w = 0; w < TEST_SELF_WAYS; ++w) {
        if (only >= 0 && w != only) {
            continue;
        }
        def.device = variant->device;
        def.strategy = test_self_ways[w].strategy;
        def.volume = test_self_ways[w].volume;
        for (int m = 0; m < 2; ++m) {
            char what[192];
            def.mode = modes[m];
            snprintf(what, sizeof what, "%s on %s by %s %s", name, variant->name, def.strategy,
                     td_volume_name(def.volume));
            if (td_self_collide(&answer, variant->query, mesh, &def) != TD_OK) {
                fail_msg("%s: %s", what, td_error_message());
            }
            test_expect_answer(&answer, &expected, modes[m], what);
        }
    }
    const size_t found = expected.count;
    test_pairs_free(&expected);
    return found;
}

static void test_soups(void **state) {
    const test_variants *variants = *state;
    size_t found = 0;
    for (int round = 0; round < test_rounds(30); ++round) {
        test_random random = {(uint64_t)round + 3};
        const uint32_t count = 1 + (uint32_t)test_random_int(&random, 0, 200);
        test_mesh rest = round % 5 == 0   ? test_grid_soup(&random, count)
                         : round % 5 == 1 ? test_strip(&random, count)
                         : round % 5 == 2 ? test_flat_soup(&random, count)
                         : round % 5 == 3 ? test_thin_soup(&random, count)
                                          : test_soup(&random, count);
        for (uint32_t t = 0; round % 3 == 0 && t < rest.triangle_count; t += 4) { // without area
            rest.triangles[3 * t + 2] = rest.triangles[3 * t + 1];
        }
        for (int v = 0; v < variants->count; ++v) {
            const test_variant *variant = &variants->items[v];
            if (variant->device != NULL) {
                char name[64];
                snprintf(name, sizeof name, "round %d", round);
                td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
                found += test_ask_self(variant, mesh, round % 2 == 0, -1, name);
                td_destroy_mesh(mesh);
            }
        }
        test_mesh_free(&rest);
    }
    print_message("%zu pairs\n", found);
}

// New positions, refitted on the device; and those whose size float32 cannot take.
static void test_deformed_meshes(void **state) {
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        if (variant->device == NULL) {
            continue;
        }
        test_mesh rest;
        td_destroy_mesh(test_shape_mesh(&rest, variant->context, "cow", 0));
        td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
        static const int order[] = {2, 1, 3, 0, 5, 7, 9};
        for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
            test_mesh deformed = test_deformed(&rest, &test_deformations[order[i]]);
            test_set(mesh, deformed.positions, i == 3 ? TD_REBUILD_ALWAYS : TD_REBUILD_NEVER);
            test_ask_self(variant, mesh, false, -1, test_deformations[order[i]].name);
            test_mesh_free(&deformed);
        }
        td_destroy_mesh(mesh);
        test_mesh_free(&rest);
    }
}

static int test_is_list(const struct dirent *entry) {
    return strstr(entry->d_name, ".pairs.csv") != NULL;
}

// That the native pairs of these are the known ones is what the test `self` says.
static void test_known_pairs(void **state) {
    const test_variants *variants = *state;
    struct dirent **entries = NULL;
    const char *folder = TD_TEST_DATA "/meshes/selfint";
    const int count = scandir(folder, &entries, test_is_list, alphasort);
    if (count <= 0) {
        print_message("skipped: no lists of pairs in %s\n", folder);
        return;
    }
    for (int i = 0; i < count; ++i) {
        for (int v = 0; v < variants->count; ++v) {
            const test_variant *variant = &variants->items[v];
            const int length = (int)(strlen(entries[i]->d_name) - strlen(".pairs.csv"));
            char path[512];
            const td_load_def load = td_default_load_def();
            td_mesh *mesh = NULL;
            snprintf(path, sizeof path, "%s/meshes/%.*s.obj", TD_TEST_DATA, length, entries[i]->d_name);
            if (variant->device == NULL) {
                continue;
            }
            if (td_load_mesh(&mesh, variant->context, path, &load) != TD_OK) {
                snprintf(path, sizeof path, "%s/meshes/nasty/%.*s.obj", TD_TEST_DATA, length,
                         entries[i]->d_name);
                assert_int_equal(td_load_mesh(&mesh, variant->context, path, &load), TD_OK);
            }
            assert_true(test_ask_self(variant, mesh, false, -1, path) > 0);
            td_destroy_mesh(mesh);
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d meshes with known pairs\n", count);
}

// The known number of pairs in every frame, by one way after the other.
static void test_horse(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = NULL;
    for (int v = 0; v < variants->count && variant == NULL; ++v) {
        variant = variants->items[v].device != NULL ? &variants->items[v] : NULL;
    }
    test_horse_sequence horse;
    if (variant == NULL) {
        print_message("skipped: there is no device\n");
        return;
    }
    if (!test_horse_open(&horse, variant->context)) {
        return;
    }
    for (int i = 0; i < test_rounds(TEST_FRAMES); ++i) {
        test_horse_read(&horse);
        test_horse_set(&horse, TD_REBUILD_NEVER);
        assert_int_equal(test_ask_self(variant, horse.mesh, false, i % TEST_SELF_WAYS, "horse"),
                         horse.counts[i]);
    }
    test_horse_close(&horse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_deformed_meshes),
        cmocka_unit_test(test_known_pairs),
        cmocka_unit_test(test_horse),
    };
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
