// Files by name: opening, telling formats apart, loading, saving, and outputs that are whole or absent.
#include "io/output.h"
#include "test_io_support.h"

#include <dirent.h>
#include <sys/stat.h>

typedef struct test_place {
    td_context *context;
    char folder[256];
    char path[512]; // of test_at
} test_place;

static int test_setup(void **state) {
    test_place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    place->context = test_context();
    test_make_folder(place->folder);
    *state = place;
    return 0;
}

static int test_teardown(void **state) {
    test_place *place = *state;
    DIR *folder = opendir(place->folder);
    if (folder == NULL) {
        return 1;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", place->folder, entry->d_name);
        unlink(path);
    }
    closedir(folder);
    rmdir(place->folder);
    td_destroy_context(place->context);
    free(place);
    return 0;
}

static const char *test_at(test_place *place, const char *name) {
    snprintf(place->path, sizeof place->path, "%s/%s", place->folder, name);
    return place->path;
}

static int test_entries(const test_place *place) {
    DIR *folder = opendir(place->folder);
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static td_result test_read_path(td_mesh_arrays *arrays, test_place *place, const char *path) {
    const td_load_def def = td_default_load_def();
    return td_read_mesh_file(arrays, place->context, path, &def);
}

#define TEST_TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

static void test_no_such_file(void **state) {
    test_place *place = *state;
    td_mesh_arrays arrays;
    const char *path = test_at(place, "absent.obj");
    test_expect_sentence(test_read_path(&arrays, place, path), TD_ERROR_FILE, path);
    assert_non_null(strstr(td_error_message(), "cannot be opened: No such file"));
    test_expect_sentence(test_read_path(&arrays, place, place->folder), TD_ERROR_FILE, "is a folder");
    test_expect_sentence(test_read_path(&arrays, place, "/dev/zero"), TD_ERROR_FILE, "is a device");
    path = test_at(place, "empty.obj");
    test_write_file(path, "", 0);
    test_expect_sentence(test_read_path(&arrays, place, path), TD_ERROR_FORMAT,
                         "empty.obj: the file is empty");
    path = test_at(place, "locked.obj");
    test_write_file(path, TEST_TRIANGLE, strlen(TEST_TRIANGLE));
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) == 0) {
        print_message("skipped: this user may read every file\n");
    } else {
        test_expect_sentence(test_read_path(&arrays, place, path), TD_ERROR_FILE, "Permission denied");
    }
}

static void test_formats(void **state) {
    test_place *place = *state;
    assert_true(td_mesh_format_known("a.obj") && td_mesh_format_known("x/y.PLY") &&
                td_mesh_format_known("a.b.Off") && td_mesh_format_known(".stl"));
    assert_false(td_mesh_format_known("a.glb") || td_mesh_format_known("obj") || td_mesh_format_known("") ||
                 td_mesh_format_known("a.obj/b") || td_mesh_format_known("a.obj.txt"));
    // The content decides where it has a signature.
    td_mesh_arrays arrays;
    const char *off = "# note\nCOFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    assert_int_equal(test_read_bytes(&arrays, place->context, "a.obj", off, strlen(off), true), TD_OK);
    td_release_mesh_arrays(&arrays, place->context);
    const char *ply =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
        "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 "
        "1 2\n";
    assert_int_equal(test_read_bytes(&arrays, place->context, "none", ply, strlen(ply), true), TD_OK);
    td_release_mesh_arrays(&arrays, place->context);
    test_expect_sentence(test_read_bytes(&arrays, place->context, "a.glb", "glTF", 4, true),
                         TD_ERROR_UNSUPPORTED,
                         "a.glb: unknown mesh format, expected .obj, .ply, .off or .stl");
}

static void test_arguments(void **state) {
    test_place *place = *state;
    td_mesh_arrays arrays;
    td_load_def def = {0};
    test_expect_sentence(td_read_mesh_memory(&arrays, place->context, "v", 1, "a.obj", &def),
                         TD_ERROR_ARGUMENT, "td_default_load_def");
    assert_int_equal(td_read_mesh_memory(&arrays, place->context, "v", 1, "a.obj", NULL), TD_ERROR_ARGUMENT);
    assert_int_equal(td_read_mesh_file(&arrays, place->context, NULL, &def), TD_ERROR_ARGUMENT);
    assert_int_equal(td_save_mesh(place->context, NULL, "a.obj"), TD_ERROR_ARGUMENT);
}

// Through a pipe, which has no size.
static void test_pipe(void **state) {
    test_place *place = *state;
    const char *off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], off, strlen(off)), strlen(off));
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    td_mesh_arrays arrays;
    if (test_read_path(&arrays, place, path) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    assert_int_equal(arrays.triangle_count, 1);
    td_release_mesh_arrays(&arrays, place->context);
    close(ends[0]);
}

// ---------------------------------------------------------------------------------------------------------

typedef struct test_progress {
    uint64_t last, total;
    int calls, stop_at;
} test_progress;

static bool test_tell(uint64_t done, uint64_t total, void *user) {
    test_progress *progress = user;
    assert_true(done >= progress->last && done <= total);
    progress->last = done;
    progress->total = total;
    return ++progress->calls != progress->stop_at;
}

static void test_progress_and_cancel(void **state) {
    test_place *place = *state;
    const size_t lines = 300000;
    char *text = malloc(lines * 16 + 64);
    assert_non_null(text);
    size_t size = 0;
    for (size_t i = 0; i < lines; ++i) {
        size += (size_t)sprintf(text + size, "v %zu 0 1\n", i);
    }
    size += (size_t)sprintf(text + size, "f 1 2 3\n");
    const char *path = test_at(place, "large.obj");
    test_write_file(path, text, size);
    free(text);
    test_progress progress = {0};
    td_load_def def = td_default_load_def();
    def.progress = test_tell;
    def.progress_user = &progress;
    td_mesh_arrays arrays;
    assert_int_equal(td_read_mesh_file(&arrays, place->context, path, &def), TD_OK);
    td_release_mesh_arrays(&arrays, place->context);
    assert_true(progress.last == size && progress.total == size);
    assert_true(progress.calls > 4);
    const int calls = progress.calls;
    for (int stop = 1; stop <= calls; ++stop) {
        progress = (test_progress){.stop_at = stop};
        test_expect_sentence(td_read_mesh_file(&arrays, place->context, path, &def), TD_ERROR_CANCELLED,
                             "large.obj: reading was cancelled");
    }
}

// ---------------------------------------------------------------------------------------------------------

static td_mesh *test_awkward_mesh(td_context *context) {
    static const double positions[5][3] = {
        {0.1, 1.0 / 3, -1e-300}, {1e22, -0.0, 5e-324}, {-12345.678901234567, 1, 2}, {0, 0, 0}, {7, 7, 7}};
    static const uint32_t triangles[3][3] = {{2, 1, 0}, {0, 1, 3}, {3, 3, 2}}; // vertex 4 is used by none
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 5;
    def.triangles = &triangles[0][0];
    def.triangle_count = 3;
    td_mesh *mesh = NULL;
    if (td_create_mesh(&mesh, context, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return mesh;
}

static void test_same_mesh(const td_mesh *a, const td_mesh *b, bool narrow) {
    assert_int_equal(td_mesh_vertex_count(a), td_mesh_vertex_count(b));
    assert_int_equal(td_mesh_triangle_count(a), td_mesh_triangle_count(b));
    for (uint32_t v = 0; v < td_mesh_vertex_count(a); ++v) {
        double p[3], q[3];
        td_mesh_vertex(p, a, v);
        td_mesh_vertex(q, b, v);
        for (int k = 0; k < 3; ++k) {
            assert_true(narrow ? (double)(float)p[k] == q[k] : p[k] == q[k]);
        }
    }
    for (uint32_t t = 0; t < td_mesh_triangle_count(a); ++t) {
        uint32_t i[3], j[3];
        td_mesh_triangle(i, a, t);
        td_mesh_triangle(j, b, t);
        assert_memory_equal(i, j, sizeof i);
    }
}

static void test_save_and_load(void **state) {
    test_place *place = *state;
    td_mesh *mesh = test_awkward_mesh(place->context);
    static const char *const names[] = {"a.obj", "a.ply", "A.OFF"};
    const td_load_def def = td_default_load_def();
    for (size_t i = 0; i < 3; ++i) {
        const char *path = test_at(place, names[i]);
        assert_int_equal(td_save_mesh(place->context, mesh, path), TD_OK);
        td_mesh *back = NULL;
        assert_int_equal(td_load_mesh(&back, place->context, path, &def), TD_OK);
        assert_string_equal(td_mesh_name(back), names[i]);
        test_same_mesh(mesh, back, false);
        td_destroy_mesh(back);
    }
    assert_int_equal(test_entries(place), 3);
    td_destroy_mesh(mesh);
}

// STL knows no vertices: a shape whose triangles use all of theirs in order comes back.
static void test_save_stl(void **state) {
    test_place *place = *state;
    td_mesh *box = NULL, *back = NULL;
    assert_int_equal(td_create_shape(&box, place->context, "box", 0), TD_OK);
    const char *path = test_at(place, "box.stl");
    assert_int_equal(td_save_mesh(place->context, box, path), TD_OK);
    const td_load_def def = td_default_load_def();
    assert_int_equal(td_load_mesh(&back, place->context, path, &def), TD_OK);
    assert_int_equal(td_mesh_triangle_count(back), td_mesh_triangle_count(box));
    assert_int_equal(td_mesh_vertex_count(back), td_mesh_vertex_count(box));
    for (uint32_t t = 0; t < td_mesh_triangle_count(box); ++t) {
        uint32_t i[3], j[3];
        td_mesh_triangle(i, box, t);
        td_mesh_triangle(j, back, t);
        for (int k = 0; k < 3; ++k) {
            double p[3], q[3];
            td_mesh_vertex(p, box, i[k]);
            td_mesh_vertex(q, back, j[k]);
            assert_true((float)p[0] == (float)q[0] && (float)p[1] == (float)q[1] &&
                        (float)p[2] == (float)q[2]);
        }
    }
    td_destroy_mesh(box);
    td_destroy_mesh(back);
    // What float32 cannot hold is refused, and leaves no file.
    const double far[3][3] = {{0, 0, 0}, {1e39, 0, 0}, {0, 1, 0}};
    const uint32_t triangle[3] = {0, 1, 2};
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = far;
    mesh_def.vertex_count = 3;
    mesh_def.triangles = triangle;
    mesh_def.triangle_count = 1;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_mesh(&mesh, place->context, &mesh_def), TD_OK);
    path = test_at(place, "far.stl");
    test_expect_sentence(td_save_mesh(place->context, mesh, path), TD_ERROR_MESH,
                         "far.stl: vertex 1: x is 1e+39");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(test_entries(place), 1);
    td_destroy_mesh(mesh);
}

static void test_save_errors(void **state) {
    test_place *place = *state;
    td_mesh *mesh = test_awkward_mesh(place->context);
    test_expect_sentence(td_save_mesh(place->context, mesh, "a.gif"), TD_ERROR_UNSUPPORTED,
                         "a.gif: unknown mesh format");
    test_expect_sentence(td_save_mesh(place->context, mesh, test_at(place, "no/such/folder/a.obj")),
                         TD_ERROR_FILE, "a.obj: cannot be written: No such file");
    char path[600];
    snprintf(path, sizeof path, "%s/folder.obj", place->folder);
    assert_int_equal(mkdir(path, 0777), 0);
    test_expect_sentence(td_save_mesh(place->context, mesh, path), TD_ERROR_FILE, "is a folder");
    rmdir(path);
    // A device that is always full, behind a link with the right extension.
    snprintf(path, sizeof path, "%s/full.obj", place->folder);
    if (access("/dev/full", W_OK) == 0 && symlink("/dev/full", path) == 0) {
        test_expect_sentence(td_save_mesh(place->context, mesh, path), TD_ERROR_FILE,
                             "full.obj: could not be written completely: No space left on device");
        assert_int_equal(access("/dev/full", W_OK), 0);
    }
    td_destroy_mesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------

static size_t test_file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void test_output_appears_when_complete(void **state) {
    test_place *place = *state;
    const char *path = test_at(place, "out.txt");
    td_output output;
    assert_int_equal(td_output_open(&output, path), TD_OK);
    fputs("complete", output.file);
    fflush(output.file);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(output.temporary, F_OK), 0);
    assert_int_equal(td_output_commit(&output), TD_OK);
    assert_int_equal(test_file_size(path), 8);
    assert_int_equal(test_entries(place), 1);
    // Abandoned, the old content stays.
    assert_int_equal(td_output_open(&output, path), TD_OK);
    fputs("half of some", output.file);
    td_output_abandon(&output);
    td_output_abandon(&output);
    assert_int_equal(test_file_size(path), 8);
    assert_int_equal(test_entries(place), 1);
}

static void test_output_keeps_mode_and_link(void **state) {
    test_place *place = *state;
    char real[600], link[600];
    snprintf(real, sizeof real, "%s/real", place->folder);
    snprintf(link, sizeof link, "%s/link", place->folder);
    test_write_file(real, "old", 3);
    assert_int_equal(chmod(real, 0640), 0);
    assert_int_equal(symlink(real, link), 0);
    td_output output;
    assert_int_equal(td_output_open(&output, link), TD_OK);
    fputs("newer", output.file);
    assert_int_equal(td_output_commit(&output), TD_OK);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(real, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(status.st_size, 5);
}

// Two at the same time do not get in each other's way; the null device is written to, not replaced.
static void test_output_side_by_side(void **state) {
    test_place *place = *state;
    const char *path = test_at(place, "out.txt");
    td_output first, second;
    assert_int_equal(td_output_open(&first, path), TD_OK);
    assert_int_equal(td_output_open(&second, path), TD_OK);
    assert_string_not_equal(first.temporary, second.temporary);
    fputs("1", first.file);
    fputs("22", second.file);
    assert_int_equal(td_output_commit(&second), TD_OK);
    assert_int_equal(td_output_commit(&first), TD_OK);
    assert_int_equal(test_file_size(path), 1);
    assert_int_equal(test_entries(place), 1);
    assert_int_equal(td_output_open(&first, "/dev/null"), TD_OK);
    assert_string_equal(first.temporary, "");
    fputs("gone", first.file);
    assert_int_equal(td_output_commit(&first), TD_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_setup, test_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_no_such_file),
        TEST(test_formats),
        TEST(test_arguments),
        TEST(test_pipe),
        TEST(test_progress_and_cancel),
        TEST(test_save_and_load),
        TEST(test_save_stl),
        TEST(test_save_errors),
        TEST(test_output_appears_when_complete),
        TEST(test_output_keeps_mode_and_link),
        TEST(test_output_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
