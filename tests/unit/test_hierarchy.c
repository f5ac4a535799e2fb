// The blocked hierarchy over every kind of mesh: valid, the same for every number of threads, reported as it
// is.
#include "query/mesh.h"
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <tandem/io.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_CONTEXTS = 3 };

typedef struct test_fixture {
    td_context *contexts[TEST_CONTEXTS]; // with 1, 2, 3 threads
} test_fixture;

static void test_same_bytes(const td_blocked *a, const td_blocked *b, const char *name) {
    if (a == NULL || b == NULL) {
        fail_msg("%s: no hierarchy", name);
        return;
    }
    assert_int_equal(a->block_count, b->block_count);
    assert_int_equal(a->quad_count, b->quad_count);
    assert_int_equal(a->slabs_count, b->slabs_count);
    assert_int_equal(a->height, b->height);
    if (memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) != 0 ||
        memcmp(a->quads, b->quads, a->quad_count * sizeof *a->quads) != 0 ||
        memcmp(a->slabs, b->slabs, a->slabs_count * sizeof *a->slabs) != 0 ||
        memcmp(a->corners, b->corners, a->quad_count * sizeof *a->corners) != 0) {
        fail_msg("%s: the hierarchy depends on the number of threads", name);
    }
}

// What the report says, counted again.
static void test_check_report(td_context *context, const td_mesh *mesh) {
    td_hierarchy_report report;
    assert_int_equal(td_inspect_hierarchy(&report, context, mesh), TD_OK);
    const td_blocked *blocked = &mesh->hierarchy;
    uint32_t leaf_blocks = 0, nodes = 0, triangles = 0;
    for (uint32_t i = 0; i < blocked->block_count; ++i) {
        leaf_blocks += blocked->blocks[i].leaf;
        nodes += blocked->blocks[i].node_count;
    }
    for (uint32_t i = 0; i < 4 * blocked->quad_count; ++i) {
        triangles += blocked->quads[i / 4].triangle[i % 4] != TD_NONE;
    }
    assert_int_equal(triangles, td_mesh_triangle_count(mesh));
    assert_int_equal(report.blocks, blocked->block_count);
    assert_int_equal(report.leaf_blocks, leaf_blocks);
    assert_int_equal(report.quads, blocked->quad_count);
    assert_int_equal(report.imaginary_nodes, 4 * blocked->block_count - nodes);
    assert_int_equal(report.height, blocked->height);
    assert_int_equal(nodes, blocked->block_count - 1 + blocked->quad_count);
    assert_true(isfinite(report.sah_cost) && report.sah_cost > 0);
    assert_true(report.mesh_bytes > 0 && report.hierarchy_bytes > 0 && report.build_ms >= 0);
}

static void test_check(const test_fixture *fixture, const test_mesh *mesh, const char *name) {
    td_mesh *built[TEST_CONTEXTS];
    for (int i = 0; i < TEST_CONTEXTS; ++i) {
        built[i] = test_mesh_build(fixture->contexts[i], mesh);
        if (built[i] == NULL) {
            fail_msg("%s: %s", name, td_error_message());
        }
        if (td_blocked_validate(&built[i]->hierarchy, &built[i]->triangles) != TD_OK) {
            fail_msg("%s (%u triangles): %s", name, mesh->triangle_count, td_error_message());
        }
        test_same_bytes(&built[0]->hierarchy, &built[i]->hierarchy, name);
    }
    test_check_report(fixture->contexts[0], built[0]);
    for (int i = 0; i < TEST_CONTEXTS; ++i) {
        td_destroy_mesh(built[i]);
    }
}

static void test_check_and_free(const test_fixture *fixture, test_mesh mesh, const char *name) {
    test_check(fixture, &mesh, name);
    test_mesh_free(&mesh);
}

// ---------------------------------------------------------------------------------------------------------

static void test_every_size(void **state) {
    test_random random = {61};
    for (uint32_t count = 1; count <= 200; ++count) {
        test_check_and_free(*state, test_soup(&random, count), "soup");
        test_check_and_free(*state, test_thin_soup(&random, count), "thin soup");
    }
    const uint32_t large[] = {1000, 2048, 2049, 4096, 4097, 20000};
    for (size_t i = 0; i < sizeof large / sizeof *large; ++i) {
        test_check_and_free(*state, test_grid_soup(&random, large[i]), "grid");
        test_check_and_free(*state, test_strip(&random, large[i]), "strip");
    }
}

static void test_magnitudes(void **state) {
    static const double scales[] = {1e300, 1e-300, 0x1p-1074, 0x1p-1050, 1.7e308 / 2, 1e15, 1e-15};
    test_random random = {62};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
        for (uint32_t count = 1; count < 100; count += 7) {
            test_mesh mesh = test_soup(&random, count);
            test_mesh_scale(&mesh, scales[i] / 2);
            test_check_and_free(*state, mesh, "scaled soup");
            mesh = test_soup(&random, count);
            test_mesh_scale(&mesh, 1e-3);
            test_mesh_shift(&mesh, scales[i] / 2, 0, -scales[i] / 2);
            test_check_and_free(*state, mesh, "soup far away");
        }
    }
}

static void test_degenerate(void **state) {
    test_random random = {63};
    const uint32_t counts[] = {1, 4, 5, 16, 17, 33, 64, 65, 1000, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        const uint32_t count = counts[i];
        test_check_and_free(*state, test_repeated_triangle(count), "one triangle again and again");
        test_check_and_free(*state, test_one_point(count), "one point");
        test_check_and_free(*state, test_flat_soup(&random, count), "in one plane");
        test_check_and_free(*state, test_progression(count < 300 ? count : 300, 10), "growing tenfold");
        test_check_and_free(*state, test_progression(count, pow(10, 30.0 / count)), "growing by 1e30");
        test_check_and_free(*state, test_progression(count, pow(10, -30.0 / count)), "shrinking by 1e30");
        test_check_and_free(*state, test_nested_shells(count < 200 ? count : 200, 0.9), "nested shells");
        test_mesh huge = test_progression(1, 1), tiny = test_soup(&random, count);
        test_mesh_scale(&huge, 1e30);
        test_mesh both = test_join(&huge, &tiny);
        test_check_and_free(*state, both, "one huge, many tiny");
        test_mesh_free(&huge);
        test_mesh_free(&tiny);
    }
}

// As deep as it gets: triangles in a row, each so much smaller than the last that every cut peels off one.
static void test_deep(void **state) {
    test_mesh mesh = test_progression(600, 0.5);
    test_check_and_free(*state, mesh, "halving");
    // And many copies of each, so that the subtrees below are full ones.
    test_mesh many = test_progression(120, 0.25);
    for (int i = 0; i < 5; ++i) {
        test_mesh doubled = test_join(&many, &many);
        test_mesh_free(&many);
        many = doubled;
    }
    test_check_and_free(*state, many, "quartering");
}

static void test_shapes(void **state) {
    const test_fixture *fixture = *state;
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        for (uint32_t subdivide = 0; subdivide < 3; ++subdivide) {
            td_mesh *shape = NULL;
            assert_int_equal(td_create_shape(&shape, fixture->contexts[0], td_shape_name(i), subdivide),
                             TD_OK);
            test_check_and_free(fixture, test_copy_of(shape), td_shape_name(i));
            td_destroy_mesh(shape);
        }
    }
}

static int test_is_obj(const struct dirent *entry) {
    return strstr(entry->d_name, ".obj") != NULL;
}

static void test_data_folder(const test_fixture *fixture, const char *folder) {
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, test_is_obj, alphasort);
    if (count <= 0) {
        print_message("skipped: no meshes in %s\n", folder);
        return;
    }
    for (int i = 0; i < count; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        const td_load_def def = td_default_load_def();
        td_mesh *mesh = NULL;
        if (td_load_mesh(&mesh, fixture->contexts[0], path, &def) == TD_OK) {
            test_check_and_free(fixture, test_copy_of(mesh), entries[i]->d_name);
            td_destroy_mesh(mesh);
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d meshes in %s\n", count, folder);
}

static void test_data(void **state) {
    test_data_folder(*state, TD_TEST_DATA "/meshes");
    test_data_folder(*state, TD_TEST_DATA "/meshes/nasty");
}

// ---------------------------------------------------------------------------------------------------------
// The validator itself: each kind of damage is found.

static void test_expect_damage(td_mesh *mesh, const char *part) {
    const td_result result = td_blocked_validate(&mesh->hierarchy, &mesh->triangles);
    if (result != TD_ERROR_MESH || strstr(td_error_message(), part) == NULL) {
        fail_msg("expected '%s', found %s: %s", part, td_result_name(result), td_error_message());
    }
}

static void test_damage(void **state) {
    const test_fixture *fixture = *state;
    test_random random = {64};
    test_mesh soup = test_soup(&random, 100);
    td_mesh *mesh = test_mesh_build(fixture->contexts[0], &soup);
    td_blocked *h = &mesh->hierarchy;
    uint32_t leaf = 0;
    while (!h->blocks[leaf].leaf) {
        ++leaf;
    }
    td_block *block = &h->blocks[leaf];
    const td_block whole = *block;
    block->half[1][0] *= 0.5f;
    test_expect_damage(mesh, "sticks out");
    *block = whole;
    block->leaf = 0;
    test_expect_damage(mesh, "block");
    *block = whole;
    td_quad *quad = &h->quads[block->child[0]];
    const td_quad kept = *quad;
    quad->triangle[0] =
        h->quads[0].triangle[1] == kept.triangle[0] ? h->quads[0].triangle[0] : h->quads[0].triangle[1];
    test_expect_damage(mesh, "");
    *quad = kept;
    quad->triangle[0] = TD_NONE;
    test_expect_damage(mesh, "marked wrongly");
    *quad = kept;
    td_block *root = &h->blocks[0];
    const td_block kept_root = *root;
    root->child[0] = 0;
    test_expect_damage(mesh, "child");
    *root = kept_root;
    root->half[0][0] *= 0.25f;
    test_expect_damage(mesh, "sticks out of its parent");
    *root = kept_root;
    assert_int_equal(td_blocked_validate(h, &mesh->triangles), TD_OK);
    td_destroy_mesh(mesh);
    test_mesh_free(&soup);
}

static bool test_stop(uint64_t done, uint64_t total, void *user) {
    (void)done;
    (void)total;
    return ++*(int *)user != 2;
}

static void test_cancelled_build(void **state) {
    const test_fixture *fixture = *state;
    test_random random = {65};
    test_mesh soup = test_soup(&random, 20000);
    td_mesh_def def = td_default_mesh_def();
    int calls = 0;
    def.positions = soup.positions;
    def.vertex_count = soup.vertex_count;
    def.triangles = soup.triangles;
    def.triangle_count = soup.triangle_count;
    def.progress = test_stop;
    def.progress_user = &calls;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_mesh(&mesh, fixture->contexts[1], &def), TD_ERROR_CANCELLED);
    assert_null(mesh);
    assert_int_equal(calls, 2);
    assert_int_equal(td_create_mesh(&mesh, fixture->contexts[1], &def), TD_OK);
    td_destroy_mesh(mesh);
    test_mesh_free(&soup);
}

static int test_setup(void **state) {
    static test_fixture fixture;
    *state = &fixture;
    for (uint32_t i = 0; i < TEST_CONTEXTS; ++i) {
        td_context_def def = td_default_context_def();
        def.thread_count = i + 1;
        if (td_create_context(&fixture.contexts[i], &def) != TD_OK) {
            return 1;
        }
    }
    return 0;
}

static int test_teardown(void **state) {
    test_fixture *fixture = *state;
    for (int i = 0; i < TEST_CONTEXTS; ++i) {
        td_destroy_context(fixture->contexts[i]);
    }
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size), cmocka_unit_test(test_magnitudes),
        cmocka_unit_test(test_degenerate), cmocka_unit_test(test_deep),
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_data),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_cancelled_build),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
