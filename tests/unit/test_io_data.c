// The meshes of the data folder: triangles and vertices as its table of statistics counts them.
#include "test_io_support.h"

#include <sys/stat.h>

static void test_one_mesh(td_context *context, const char *file, unsigned vertices, unsigned distinct,
                          unsigned triangles) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TD_TEST_DATA, file);
    for (int weld = 0; weld < 2; ++weld) {
        const td_load_def def = test_load_def(weld);
        td_mesh_arrays arrays;
        if (td_read_mesh_file(&arrays, context, path, &def) != TD_OK) {
            fail_msg("%s", td_error_message());
        }
        assert_int_equal(arrays.triangle_count, triangles);
        assert_int_equal(arrays.vertex_count, weld ? distinct : vertices);
        for (size_t i = 0; i < 3 * (size_t)arrays.triangle_count; ++i) {
            assert_true(arrays.triangles[i] < arrays.vertex_count);
        }
        td_release_mesh_arrays(&arrays, context);
    }
}

static void test_statistics(void **state) {
    FILE *table = fopen(TD_TEST_DATA "/meshes/STATS.csv", "r");
    if (table == NULL) {
        print_message("skipped: %s is absent\n", TD_TEST_DATA "/meshes/STATS.csv");
        skip();
    }
    char line[1024], file[512];
    unsigned vertices, distinct, triangles, rows = 0;
    assert_non_null(fgets(line, sizeof line, table));
    while (fgets(line, sizeof line, table) != NULL) {
        assert_int_equal(sscanf(line, "%511[^,],%u,%u,%u", file, &vertices, &distinct, &triangles), 4);
        test_one_mesh(*state, file, vertices, distinct, triangles);
        ++rows;
    }
    fclose(table);
    assert_true(rows > 60);
    print_message("%u meshes\n", rows);
}

// Binary PLY and STL written by others.
static void test_binary_files(void **state) {
    static const struct {
        const char *file;
        uint32_t triangles;
        bool single_precision;
    } cases[] = {{"ccd/frames/cloth-funnel/227.ply", 18484, false},
                 {"ccd/frames/rod-twist/3036.ply", 79864, false},
                 {"scenes/kuka_iiwa/meshes/link_0.stl", 0, true},
                 {"scenes/kuka_iiwa/meshes/finger_tip_left.stl", 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", TD_TEST_DATA, cases[i].file);
        struct stat status;
        if (stat(path, &status) != 0) {
            print_message("skipped: %s is absent\n", path);
            continue;
        }
        const td_load_def def = td_default_load_def();
        td_mesh_arrays arrays;
        if (td_read_mesh_file(&arrays, *state, path, &def) != TD_OK) {
            fail_msg("%s", td_error_message());
        }
        const uint32_t wanted =
            cases[i].triangles != 0 ? cases[i].triangles : (uint32_t)((status.st_size - 84) / 50);
        assert_int_equal(arrays.triangle_count, wanted);
        assert_int_equal(arrays.single_precision, cases[i].single_precision);
        td_release_mesh_arrays(&arrays, *state);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_statistics),
                                       cmocka_unit_test(test_binary_files)};
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
