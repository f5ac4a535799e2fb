// Which triangles of one mesh intersect each other: against GMP by the rules (pairs that share a position
// and, if not asked for, triangles without area are left out), against brute force on shapes, and the known
// pairs of the meshes of the data folder.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <tandem/io.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef test_mesh test_make_fn(test_random *random, uint32_t count);

static test_mesh test_make_stack(test_random *random, uint32_t count) {
    (void)random;
    return test_stack(1 + count / 16);
}

// Two sheets of one kind through each other, vertices of the second partly on the first.
static test_mesh test_make_sheets(test_random *random, uint32_t count) {
    test_mesh a = test_sheet(2 + count / 32, 0);
    test_mesh b = test_sheet(2 + count / 32, test_random_int(random, 0, 1) * 0.1);
    test_mesh_shift(&b, test_random_int(random, 0, 2) * 0.5, 0.25, 0);
    const test_mesh joined = test_join(&a, &b);
    test_mesh_free(&a);
    test_mesh_free(&b);
    return joined;
}

static test_mesh test_make_repeated(test_random *random, uint32_t count) {
    (void)random;
    return test_repeated_triangle(count);
}

static test_mesh test_make_near(test_random *random, uint32_t count) {
    test_mesh a = test_soup(random, 1 + count / 2), b = test_near_soup(random, &a, 1 + count / 2);
    const test_mesh joined = test_join(&a, &b);
    test_mesh_free(&a);
    test_mesh_free(&b);
    return joined;
}

static const struct {
    const char *name;
    test_make_fn *make;
} test_kinds[] = {
    {"soup", test_soup},          {"grid", test_grid_soup},
    {"flat", test_flat_soup},     {"thin", test_thin_soup},
    {"strip", test_strip},        {"stack", test_make_stack},
    {"sheets", test_make_sheets}, {"repeated", test_make_repeated},
    {"near", test_make_near},
};

static const double test_scales[] = {1, 1, 1, 1e300, 1e-300, 0x1p-1074, 1.0 / 3};

enum {
    TEST_KINDS = sizeof test_kinds / sizeof *test_kinds,
    TEST_SCALES = sizeof test_scales / sizeof *test_scales
};

// Every strategy whose name is not `but`, every mode.
static void test_ask(const test_variant *variant, const td_mesh *mesh, const test_pairs *expected, bool keep,
                     const char *but, td_pair first[], bool first_variant, const char *name) {
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
            td_collide_def def = td_default_collide_def();
            def.mode = (td_mode)mode;
            def.strategy = td_strategy_name(s);
            def.keep_degenerate = keep;
            if (strcmp(def.strategy, but) == 0) {
                continue;
            }
            char what[256];
            snprintf(what, sizeof what, "%s, %s on %s, mode %d%s", name, def.strategy, variant->name, mode,
                     keep ? ", degenerate triangles kept" : "");
            td_collide_result answer;
            const td_result result = td_self_collide(&answer, variant->query, mesh, &def);
            if (!td_strategy_can(s).self) {
                assert_int_equal(result, TD_ERROR_UNSUPPORTED);
                continue;
            }
            if (result != TD_OK) {
                fail_msg("%s: %s", what, td_error_message());
            }
            test_expect_answer(&answer, expected, def.mode, what);
            assert_int_equal(answer.inside, TD_INSIDE_NONE);
            if (mode == TD_MODE_FIRST && answer.colliding) {
                first[s] = first_variant ? answer.pairs[0] : first[s];
                assert_memory_equal(&first[s], answer.pairs, sizeof *first);
            }
        }
    }
}

static void test_against_gmp(void **state) {
    const test_variants *variants = *state;
    size_t found = 0, kept = 0, clean = 0;
    for (int round = 0; round < test_rounds(9 * 14); ++round) {
        test_random random = {(uint64_t)round + 1};
        const int kind = round % TEST_KINDS, scale = round / TEST_KINDS % TEST_SCALES;
        static const uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 64, 65};
        const uint32_t size = sizes[test_random_int(&random, 0, test_scales[scale] == 1 ? 11 : 8)];
        test_mesh mesh = test_kinds[kind].make(&random, size);
        test_mesh_scale(&mesh, test_scales[scale]);
        char name[64];
        snprintf(name, sizeof name, "%s, round %d", test_kinds[kind].name, round);
        for (int keep = 0; keep < 2; ++keep) {
            test_pairs expected = test_exact_self_pairs(&mesh, keep != 0);
            *(keep ? &kept : &found) += expected.count;
            clean += expected.count == 0;
            td_pair first[8];
            for (int v = 0; v < variants->count; ++v) {
                td_mesh *built = test_mesh_build(variants->items[v].context, &mesh);
                test_ask(&variants->items[v], built, &expected, keep != 0, "", first, v == 0, name);
                td_destroy_mesh(built);
            }
            test_pairs_free(&expected);
        }
        test_mesh_free(&mesh);
    }
    print_message("%zu pairs, %zu with degenerate triangles, %zu clean meshes\n", found, kept, clean);
    assert_true(found > 0 && kept > found && clean > 0);
}

// Shapes that a pull through themselves makes intersect; the large ones are shared out over the threads.
static void test_shapes(void **state) {
    const test_variants *variants = *state;
    static const struct {
        const char *name;
        uint32_t subdivide;
    } shapes[] = {{"cow", 0}, {"knot", 0}, {"torus", 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        td_mesh *shape = NULL;
        assert_int_equal(
            td_create_shape(&shape, variants->items[0].context, shapes[i].name, shapes[i].subdivide), TD_OK);
        test_mesh mesh = test_copy_of(shape);
        td_destroy_mesh(shape);
        for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
            double *p = mesh.positions + 3 * (size_t)v;
            p[0] = fabs(p[0] - 0.11) + 0.1 * p[2]; // folds one half over the other
        }
        test_pairs expected = {0};
        td_pair first[8];
        for (int v = 0; v < variants->count; ++v) {
            td_mesh *built = test_mesh_build(variants->items[v].context, &mesh);
            if (v == 0) {
                td_collide_def def = td_default_collide_def();
                def.strategy = "brute";
                td_collide_result answer;
                assert_int_equal(td_self_collide(&answer, variants->items[v].query, built, &def), TD_OK);
                for (size_t k = 0; k < answer.pair_count; ++k) {
                    test_pairs_add(&expected, answer.pairs[k].a, answer.pairs[k].b);
                }
            }
            test_ask(&variants->items[v], built, &expected, false, "brute", first, v == 0, shapes[i].name);
            td_destroy_mesh(built);
        }
        print_message("folded %s: %zu pairs\n", shapes[i].name, expected.count);
        assert_true(expected.count > 0);
        test_pairs_free(&expected);
        test_mesh_free(&mesh);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The data folder

static test_pairs test_read_pairs(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    test_pairs pairs = {0};
    unsigned a, b;
    while (fscanf(file, "%u,%u", &a, &b) == 2) {
        test_pairs_add(&pairs, a < b ? a : b, a < b ? b : a);
    }
    assert_true(feof(file) != 0);
    fclose(file);
    test_pairs_sort(&pairs);
    return pairs;
}

static td_mesh *test_load(td_context *context, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/meshes/%s.obj", TD_TEST_DATA, name);
    if (access(path, R_OK) != 0) {
        snprintf(path, sizeof path, "%s/meshes/nasty/%s.obj", TD_TEST_DATA, name);
    }
    const td_load_def def = td_default_load_def();
    td_mesh *mesh = NULL;
    if (td_load_mesh(&mesh, context, path, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return mesh;
}

static int test_is_list(const struct dirent *entry) {
    return strstr(entry->d_name, ".pairs.csv") != NULL;
}

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
        char path[512], name[256];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        snprintf(name, sizeof name, "%.*s", (int)(strlen(entries[i]->d_name) - strlen(".pairs.csv")),
                 entries[i]->d_name);
        test_pairs expected = test_read_pairs(path);
        assert_true(expected.count > 0);
        td_pair first[8];
        for (int v = 0; v < variants->count; ++v) {
            td_mesh *mesh = test_load(variants->items[v].context, name);
            // Brute force takes its time on thousands of triangles.
            const char *but = td_mesh_triangle_count(mesh) > 1000 ? "brute" : "";
            test_ask(&variants->items[v], mesh, &expected, false, but, first, v == 0, name);
            td_destroy_mesh(mesh);
        }
        test_pairs_free(&expected);
        free(entries[i]);
    }
    free(entries);
    print_message("%d meshes with known pairs\n", count);
}

// The other meshes of the folder intersect themselves nowhere: the statistics say so.
static void test_known_clean(void **state) {
    const test_variants *variants = *state;
    static const char *const names[] = {"armadillo-52k", "bunny-7k", "spot",   "fandisk",
                                        "rocker-arm",    "cheese",   "blobby", "knot1"};
    const test_pairs none = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/meshes/%s.obj", TD_TEST_DATA, names[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        for (int v = 0; v < variants->count; ++v) {
            td_mesh *mesh = test_load(variants->items[v].context, names[i]);
            td_collide_def def = td_default_collide_def();
            td_collide_result answer;
            assert_int_equal(td_self_collide(&answer, variants->items[v].query, mesh, &def), TD_OK);
            test_expect_answer(&answer, &none, def.mode, names[i]);
            td_destroy_mesh(mesh);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_gmp),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_known_pairs),
        cmocka_unit_test(test_known_clean),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
