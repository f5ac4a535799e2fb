// Pose files: both forms, blanks and commas, and every way to be wrong.
#include "test_io_support.h"

// From bytes that end where their memory ends, so that sanitizers see a read too far.
static td_result test_read(td_pose **poses, size_t *count, td_context *context, const char *text) {
    const size_t size = strlen(text);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    for (size_t i = 0; i < size; ++i) {
        copy[1 + i] = text[i];
    }
    const td_result result = td_read_pose_memory(poses, count, context, copy + 1, size, "poses.txt");
    free(copy);
    return result;
}

static void test_good(void **state) {
    const char *text = "# tx ty tz qx qy qz qw\n"
                       "1 2 3 0 0 0 1\n"
                       "\n"
                       "  1.5,-2.5, 3e2\t0,0,1,0   # half a turn about z\r\n"
                       "1 0 0 4  0 1 0 5  0 0 1 6\n"
                       "0 -1 0 7, 1 0 0 8, 0 0 1 9"; // a quarter turn about z, no line end
    td_pose *poses = NULL;
    size_t count = 0;
    if (test_read(&poses, &count, *state, text) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    assert_int_equal(count, 4);
    const td_pose wanted[3] = {
        {{1, 2, 3}, {0, 0, 0, 1}}, {{1.5, -2.5, 300}, {0, 0, 1, 0}}, {{4, 5, 6}, {0, 0, 0, 1}}};
    for (size_t i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            assert_true(poses[i].position[k] == wanted[i].position[k]);
        }
        for (int k = 0; k < 4; ++k) {
            assert_true(poses[i].rotation[k] == wanted[i].rotation[k]);
        }
    }
    const double x[3] = {1, 0, 0};
    double turned[3];
    td_pose_apply(turned, &poses[3], x);
    assert_float_equal((float)turned[0], 7, 1e-6);
    assert_float_equal((float)turned[1], 9, 1e-6);
    assert_float_equal((float)turned[2], 9, 1e-6);
    td_release_poses(poses, count, *state);
}

static void test_bad(void **state) {
    static const struct {
        const char *text;
        td_result result;
        const char *sentence;
    } cases[] = {
        {"", TD_ERROR_FORMAT, "poses.txt: no poses"},
        {"# none\n\n", TD_ERROR_FORMAT, "poses.txt: no poses"},
        {"1 2 3\n", TD_ERROR_FORMAT,
         "poses.txt:1: expected 7 numbers (tx ty tz qx qy qz qw) or 12 (a row-major 3x4 matrix), found 3"},
        {"0 0 0 0 0 0 1\n0 0 0 0 0 0 1 0\n", TD_ERROR_FORMAT, "poses.txt:2: expected 7 numbers"},
        {"1 0 0 0 0 1 0 0 0 0 1\n", TD_ERROR_FORMAT, "found 11"},
        {"1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n", TD_ERROR_FORMAT, "found 16"},
        {"0 0 0 0 0 0 one\n", TD_ERROR_FORMAT, "poses.txt:1: expected a number, found 'one'"},
        {"0 0 0 0 0 0 1;\n", TD_ERROR_FORMAT, "found '1;'"},
        {"0 0 0 0 0 0 1\n\n0 0 nan 0 0 0 1\n", TD_ERROR_FORMAT,
         "poses.txt:3: expected a finite number, found 'nan'"},
        {"1e999 0 0 0 0 0 1\n", TD_ERROR_FORMAT, "poses.txt:1: expected a finite number, found '1e999'"},
        {"#\n0 0 0 0 0 0 2\n", TD_ERROR_POSE, "poses.txt:2: "},
        {"0 0 0 0 0 0 0\n", TD_ERROR_POSE, "poses.txt:1: "},
        {"2 0 0 0 0 2 0 0 0 0 2 0\n", TD_ERROR_POSE, "poses.txt:1: "},
        {"1 0 0 0 0 1 0 0 0 0 -1 0\n", TD_ERROR_POSE, "poses.txt:1: "},
        {"1 1 0 0 0 1 0 0 0 0 1 0\n", TD_ERROR_POSE, "poses.txt:1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        td_pose *poses = (td_pose *)state;
        size_t count = 7;
        test_expect_sentence(test_read(&poses, &count, *state, cases[i].text), cases[i].result,
                             cases[i].sentence);
        assert_null(poses);
        assert_int_equal(count, 0);
    }
}

static void test_files(void **state) {
    char folder[256], path[512];
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/poses.csv", folder);
    td_pose *poses = NULL;
    size_t count = 0;
    test_expect_sentence(td_read_pose_file(&poses, &count, *state, path), TD_ERROR_FILE,
                         "poses.csv: cannot be opened");
    test_expect_sentence(td_read_pose_file(&poses, &count, *state, folder), TD_ERROR_FILE, "is a folder");
    test_write_file(path, "", 0);
    test_expect_sentence(td_read_pose_file(&poses, &count, *state, path), TD_ERROR_FORMAT,
                         "the file is empty");
    const char *text = "0 0 0 0 0 0 1\n0,0,1,0,0,0,1\n";
    test_write_file(path, text, strlen(text));
    assert_int_equal(td_read_pose_file(&poses, &count, *state, path), TD_OK);
    assert_int_equal(count, 2);
    td_release_poses(poses, count, *state);
    assert_int_equal(td_read_pose_file(NULL, &count, *state, path), TD_ERROR_ARGUMENT);
    unlink(path);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
