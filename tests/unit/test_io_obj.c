// OBJ: what is read, what is passed over, what is refused and in which words.
#include "test_io_support.h"

static const double test_square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

#define TEST_SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void test_faces(void **state) {
    static const struct {
        const char *text;
        uint32_t count;
        uint32_t triangles[3][3];
    } cases[] = {
        {TEST_SQUARE "f 1 2 3\nf 1 3 4\n", 2, {{0, 1, 2}, {0, 2, 3}}},
        {TEST_SQUARE "f 1 2 3 4", 2, {{0, 1, 2}, {0, 2, 3}}},               // a fan, no line end
        {TEST_SQUARE "f 1/9/8 2/7 3//6 4/5/\n", 2, {{0, 1, 2}, {0, 2, 3}}}, // references of all kinds
        {TEST_SQUARE "f -4 -3/-1 -2//-2\n", 1, {{0, 1, 2}}},                // from the last vertex back
        {TEST_SQUARE "f 1 \\\n 2 \\\r\n3\\\n\n", 1, {{0, 1, 2}}},           // continued lines
        {TEST_SQUARE "f 1 2 3 # four would be more\n", 1, {{0, 1, 2}}},
        {TEST_SQUARE "  f\t1  2 \t3  \n", 1, {{0, 1, 2}}},
        {TEST_SQUARE "fo 1 2 3\n", 1, {{0, 1, 2}}},                          // the old word for a face
        {"f 1 2 3\n" TEST_SQUARE "f -1 -2 -3\n", 2, {{0, 1, 2}, {3, 2, 1}}}, // forward
        {TEST_SQUARE "f 1 1 1\n", 1, {{0, 0, 0}}},                           // degenerate is no error
        {"\xef\xbb\xbf" TEST_SQUARE "f 1 2 3\n", 1, {{0, 1, 2}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        td_mesh_arrays arrays = test_read_text(*state, "a.obj", cases[i].text);
        test_expect_triangles(&arrays, cases[i].count, cases[i].triangles);
        test_expect_positions(&arrays, 4, test_square);
        assert_false(arrays.single_precision);
        td_release_mesh_arrays(&arrays, *state);
    }
}

// The same file with the line ends of three systems.
static void test_line_ends(void **state) {
    static const char *const texts[] = {
        TEST_SQUARE "f 1 2 3\n\n# end\n",
        "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\n\r\nf 1 2 3\r\n# end\r\n",
        "v 0 0 0\rv 1 0 0\rv 1 1 0\rv 0 1 0\r\rf 1 2 3\r# end\r"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        td_mesh_arrays arrays = test_read_text(*state, "a.obj", texts[i]);
        test_expect_positions(&arrays, 4, test_square);
        assert_int_equal(arrays.triangle_count, 1);
        td_release_mesh_arrays(&arrays, *state);
    }
}

static void test_passed_over(void **state) {
    const char *text = "# comment with a continuation \\\nmtllib a.mtl\no thing\ng part one\ns 1\n"
                       "v 0 0 0 0.5 0.25 1\nv 1 0 0 1.0\nvn 0 0 1\nvt 0 \\\n0\nv 1 1 0 # corner\n"
                       "usemtl red\np 1\nl 1 2 3\nv 0 1 0\nvp 1 2\nf 1/1/1 2/1/1 3/1/1\ns off\nunheard of\n";
    td_mesh_arrays arrays = test_read_text(*state, "a.obj", text);
    test_expect_positions(&arrays, 4, test_square);
    assert_int_equal(arrays.triangle_count, 1);
    td_release_mesh_arrays(&arrays, *state);
}

static void test_exact_numbers(void **state) {
    const char *text = "v 0.1 -31165.1952999999994062819 1e-400\nv +.5 2. 3E2\nv 1 2 3\nf 1 2 3\n";
    const double wanted[3][3] = {{0.1, -31165.1952999999994062819, 0}, {0.5, 2, 300}, {1, 2, 3}};
    td_mesh_arrays arrays = test_read_text(*state, "a.obj", text);
    test_expect_positions(&arrays, 3, wanted);
    td_release_mesh_arrays(&arrays, *state);
}

static void test_weld(void **state) {
    // Vertices 2 and 4 repeat 0 and 1; 5 is used by nobody and stays.
    const char *text = "v 0 0 0\nv 1 0 0\nv -0.0 0 0\nv 0 1 0\nv 1 0 0\nv 9 9 9\nv 2 2 2\n"
                       "f 3 5 4\nf 1 2 7\n";
    td_mesh_arrays arrays;
    assert_int_equal(test_read_bytes(&arrays, *state, "a.obj", text, strlen(text), true), TD_OK);
    const double positions[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}, {2, 2, 2}};
    const uint32_t triangles[][3] = {{0, 1, 2}, {0, 1, 4}};
    test_expect_positions(&arrays, 5, positions);
    test_expect_triangles(&arrays, 2, triangles);
    td_release_mesh_arrays(&arrays, *state);
}

static void test_refused(void **state) {
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "a.obj: the file is empty"},
        {"# nothing\n", "a.obj: no triangles"},
        {TEST_SQUARE, "a.obj: no triangles"},
        {"<html>\n<p>\n",
         "a.obj:1: expected an OBJ statement such as v or f (the file has no faces), found '<html>'"},
        {"v 0 0\n", "a.obj:1: expected a number for z of vertex 1, found the end of the line"},
        {"v 0 0 0\n\nv 1 x 2\n", "a.obj:3: expected a number for y of vertex 2, found 'x'"},
        {"v 0 0 0\nv 1 2.5.5 2\n", "a.obj:2: expected a number for y of vertex 2, found '2.5.5'"},
        {"v 0 0 0\r\nv 1 nan 2\r\n", "a.obj:2: expected a finite number for y of vertex 2, found 'nan'"},
        {"v 0 0 -inf\n", "a.obj:1: expected a finite number for z of vertex 1, found '-inf'"},
        {"v 0 0 1e999\n", "a.obj:1: expected a finite number for z of vertex 1, found '1e999'"},
        {TEST_SQUARE "f 1 2\n", "a.obj:5: face 1 has 2 vertices, expected at least 3"},
        {TEST_SQUARE "f\n", "a.obj:5: face 1 has 0 vertices, expected at least 3"},
        {TEST_SQUARE "f 1 2 3\nf 1 2 0\n", "a.obj:6: vertex 0 in face 2: indices start at 1"},
        {TEST_SQUARE "f 1 2 3\n#\nf 1 2 5\nf 1 2 3\n",
         "a.obj:7: a face names vertex 5, but the file has 4 vertices"},
        {TEST_SQUARE "f 1 2 99999999999999999999999\n", "but the file has 4 vertices"},
        {TEST_SQUARE "f 1 2 4294967297\n", "a.obj:5: a face names vertex 4294967297, but the file has 4"},
        {TEST_SQUARE "f -1 -2 -5\n", "a.obj:5: vertex -5 in face 1: only 4 vertices come before it"},
        {TEST_SQUARE "f 1 2 b\n",
         "a.obj:5: expected a vertex index like 7, 7/1, 7//3 or -1 in face 1, found 'b'"},
        {TEST_SQUARE "f 1 2 3x\n", "found '3x'"},
        {TEST_SQUARE "f 1 2 3/x\n", "found '3/x'"},
        {TEST_SQUARE "f 1 2 /3\n", "found '/3'"},
        {TEST_SQUARE "f 1 2 -\n", "found '-'"},
        {TEST_SQUARE "f 1 2 3.5\n", "found '3.5'"},
        {TEST_SQUARE "f 1 2 \\3\n", "found '\\3'"},
        {TEST_SQUARE "f 1 2 \\", "found '\\'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_expect_bad_text(*state, "a.obj", cases[i].text, cases[i].sentence);
    }
}

// A byte that cannot be printed does not reach the terminal, and long words are cut.
static void test_quoting(void **state) {
    test_expect_bad_text(*state, "a.obj", "v 0 \x1b[31m 0\n", "found '?[31m'");
    char text[5000] = "v 0 0 ";
    memset(text + 6, 'x', sizeof text - 6);
    test_expect_bad_bytes(*state, "a.obj", text, sizeof text, "xxx'...");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces),       cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_passed_over), cmocka_unit_test(test_exact_numbers),
        cmocka_unit_test(test_weld),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_quoting),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
