// OFF and STL.
#include "test_io_support.h"

static const double test_square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t test_fan[2][3] = {{0, 1, 2}, {0, 2, 3}};

static void test_off(void **state) {
    static const char *const texts[] = {
        "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
        "OFF 4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3",
        "# first\nOFF # kind\n# counts\n4 1\n\n0 0 0\n1 0 0 # two\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0 # red\n",
        "4 1 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n", // the keyword may be left out
        "COFF\r\n4 1 0\r\n0 0 0 1 0 0 1\r\n1 0 0 1 0 0 1\r\n1 1 0 1 0 0 1\r\n0 1 0 1 0 0 1\r\n4 0 1 2 3\r\n",
        "NOFF\n4 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n4 0 1 2 3\n",
        "STCNOFF\n4 1 0\n0 0 0 0 0 1 0\n1 0 0 0 0 1 0\n1 1 0 0 0 1 0\n0 1 0 0 0 1 0\n4 0 1 2 3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        td_mesh_arrays arrays = test_read_text(*state, "a.off", texts[i]);
        test_expect_positions(&arrays, 4, test_square);
        test_expect_triangles(&arrays, 2, test_fan);
        td_release_mesh_arrays(&arrays, *state);
    }
}

static void test_bad_off(void **state) {
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"OFF\n", "a.off:2: expected the number of vertices, found the end of the file"},
        {"OFF\n3\n", "a.off:2: expected the number of faces"},
        {"OFF\n3 x\n", "a.off:2: expected the number of faces, found 'x'"},
        {"OFF\n3 1 x\n", "a.off:2: expected the number of edges, found 'x'"},
        {"OFF\n3 1 0 7\n", "a.off:2: expected the end of the line, found '7'"},
        {"hello\n", "a.off:1: expected the number of vertices, found 'hello'"},
        {"4OFF\n1 1 1\n", "a.off:1: expected vertices of three coordinates"},
        {"nOFF\n3\n1 1 1\n", "a.off:1: expected vertices of three coordinates"},
        {"OFF\n99999999999 1 0\n", "a.off:2: 99999999999 vertices and 1 faces announced, at most 4294967294"},
        {"OFF\n4294967294 4294967294 0\n0 0 0\n", "a.off:4: expected vertex 2 of 4294967294, found the end"},
        {"OFF\n1 1 0\n0 0\n", "a.off:3: expected a number for z of vertex 1, found the end of the line"},
        {"OFF\n1 1 0\n0 inf 0\n", "a.off:3: expected a finite number for y of vertex 1, found 'inf'"},
        {"OFF\n1 1 0\n0 0 0\n", "a.off:4: expected face 1 of 1, found the end of the file"},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n",
         "a.off:4: face 1 names vertex 1, but the file has 1 vertices from 0"},
        {"OFF\n1 1 0\n0 0 0\n3 0 0\n", "a.off:4: expected a vertex index in face 1"},
        {"OFF\n1 1 0\n0 0 0\n2 0 0\n", "a.off:4: face 1 has 2 vertices, expected at least 3"},
        {"OFF\n1 1 0\n0 0 0\nthree\n", "a.off:4: expected the number of vertices of face 1, found 'three'"},
        {"OFF\n1 0 0\n0 0 0\n", "a.off: no triangles"},
        {"OFF\n0 0 0\n", "a.off: no triangles"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_expect_bad_text(*state, "a.off", cases[i].text, cases[i].sentence);
    }
    const char *binary = "OFF BINARY\n\0\0\0\1";
    td_mesh_arrays arrays;
    test_expect_sentence(test_read_bytes(&arrays, *state, "a.off", binary, 15, true), TD_ERROR_UNSUPPORTED,
                         "binary OFF is not supported");
}

// ---------------------------------------------------------------------------------------------------------

#define TEST_FACET(a, b, c)                                                                                  \
    "facet normal 0 0 1\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"
#define TEST_TWO_FACETS TEST_FACET("0 0 0", "1 0 0", "1 1 0") TEST_FACET("0 0 0", "1 1 0", "0 1 0")

static void test_ascii_stl(void **state) {
    static const char *const texts[] = {
        "solid square\n" TEST_TWO_FACETS "endsolid square\n",
        "solid\n" TEST_FACET("0 0 0", "1 0 0", "1 1 0") "endsolid\nsolid other facet\n" TEST_FACET(
            "0 0 0", "1 1 0", "0 1 0") "endsolid\n",
        "SOLID X\r\nFACET NORMAL nan nan nan\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\nVERTEX 1 0 0\r\nVERTEX 1 1 "
        "0\r\n"
        "ENDLOOP\r\nENDFACET\r\n" TEST_FACET("-0.0 0 0", "1 1 0", "0 1 0") "ENDSOLID X",
        "  solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 endloop "
        "endfacet\n" TEST_FACET("0 0 0", "1 1 0", "0 1 0") "endsolid",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        td_mesh_arrays arrays = test_read_text(*state, "a.stl", texts[i]);
        assert_int_equal(arrays.vertex_count, 6);
        assert_false(arrays.single_precision);
        td_release_mesh_arrays(&arrays, *state);
        assert_int_equal(test_read_bytes(&arrays, *state, "a.stl", texts[i], strlen(texts[i]), true), TD_OK);
        test_expect_positions(&arrays, 4, test_square);
        test_expect_triangles(&arrays, 2, test_fan);
        td_release_mesh_arrays(&arrays, *state);
    }
}

static void test_bad_ascii_stl(void **state) {
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"solid\n", "a.stl:2: expected 'facet' or 'endsolid' after triangle 0, found the end of the file"},
        {"solid\nendsolid\n", "a.stl: no triangles"},
        {"solid\n" TEST_TWO_FACETS, "expected 'facet' or 'endsolid' after triangle 2"},
        {"solid\nfacet\n", "a.stl:3: expected 'normal' in triangle 1, found the end of the file"},
        {"solid\nfacet normal 0 0\n", "a.stl:2: expected three components of the normal of triangle 1"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n",
         "a.stl:4: expected a number for z of a vertex of "
         "triangle 1, found the end of the line"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n",
         "a.stl:4: expected a finite number for z"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop\n",
         "a.stl:6: expected 'vertex' in triangle 1, found 'endloop'"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n",
         "a.stl:7: expected 'endloop' in triangle 1, found 'vertex'"},
        {"solid\n" TEST_TWO_FACETS "endsolid\njunk\n", "expected 'solid', found 'junk'"},
        {"solid\nsolid\n", "a.stl:2: expected 'facet' or 'endsolid', found 'solid'"},
        {"hello", "a.stl: 5 bytes are no STL file: expected 'solid', or a binary header of 84 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_expect_bad_text(*state, "a.stl", cases[i].text, cases[i].sentence);
    }
}

// The square in binary, its 80 bytes of comment beginning with `comment`.
static size_t test_build_stl(unsigned char out[256], const char *comment) {
    memset(out, 0, 256);
    snprintf((char *)out, 80, "%s", comment);
    out[80] = 2;
    for (size_t t = 0; t < 2; ++t) {
        for (size_t k = 0; k < 9; ++k) {
            const float value = (float)test_square[test_fan[t][k / 3]][k % 3];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (size_t b = 0; b < 4; ++b) {
                out[84 + 50 * t + 12 + 4 * k + b] = (unsigned char)(bits >> (8 * b));
            }
        }
    }
    return 84 + 100;
}

static void test_binary_stl(void **state) {
    static const char *const comments[] = {"made by hand", "solid square", "solid\nfacet normal"};
    // By extension, and by its size alone.
    static const char *const names[] = {"a.stl", "A.STL", "a.bin"};
    for (size_t i = 0; i < 3; ++i) {
        unsigned char bytes[256];
        const size_t size = test_build_stl(bytes, comments[i]);
        td_mesh_arrays arrays;
        assert_int_equal(test_read_bytes(&arrays, *state, names[i], bytes, size, true), TD_OK);
        test_expect_positions(&arrays, 4, test_square);
        test_expect_triangles(&arrays, 2, test_fan);
        assert_true(arrays.single_precision);
        td_release_mesh_arrays(&arrays, *state);
    }
}

static void test_bad_binary_stl(void **state) {
    unsigned char bytes[256];
    const size_t size = test_build_stl(bytes, "solid, but binary");
    for (size_t cut = 84; cut < size; ++cut) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "a.stl: triangle %d of 2 (byte %d): the file ends here",
                 cut < 134 ? 1 : 2, cut < 134 ? 84 : 134);
        test_expect_bad_bytes(*state, "a.stl", bytes, cut, sentence);
    }
    memset(bytes + 80, 0xff, 4); // four billion triangles announced
    test_expect_bad_bytes(*state, "a.stl", bytes, size, "triangle 3 of 4294967295 (byte 184)");
    test_build_stl(bytes, "x");
    memset(bytes + 84 + 50 + 12 + 4, 0xff, 4); // y of the first corner of the second: not a number
    test_expect_bad_bytes(*state, "a.stl", bytes, size,
                          "triangle 2 (byte 150): y of corner 1 is not a finite");
    test_build_stl(bytes, "x");
    bytes[80] = 0;
    test_expect_bad_bytes(*state, "a.stl", bytes, 84, "a.stl: no triangles");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off),        cmocka_unit_test(test_bad_off),
        cmocka_unit_test(test_ascii_stl),  cmocka_unit_test(test_bad_ascii_stl),
        cmocka_unit_test(test_binary_stl), cmocka_unit_test(test_bad_binary_stl),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
