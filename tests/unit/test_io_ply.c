// PLY: ascii and both binary forms, any types, other elements, and every place where a file can end too soon.
#include "test_io_support.h"

#include <math.h>

static const double test_points[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-2, 1, 3}};
static const uint32_t test_fan[3][3] = {{0, 1, 2}, {0, 2, 3}, {3, 2, 1}};

#define TEST_HEADER(format) "ply\nformat " format " 1.0\ncomment made by hand\nobj_info more\n"
#define TEST_BODY                                                                                            \
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"                               \
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"

static void test_ascii(void **state) {
    static const char *const texts[] = {
        TEST_HEADER("ascii") TEST_BODY "0 0 0\n1 0 0\n1 1 0\n-2 1 3\n4 0 1 2 3\n3 3 2 1\n",
        // CR LF, blank lines, no line end at the end.
        "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty double x\r\nproperty double y\r\nproperty "
        "double "
        "z\r\nelement face 2\r\nproperty list uint8 uint32 vertex_index\r\nend_header\r\n0 0 0\r\n1 0 "
        "0\r\n\r\n1 1 "
        "0\r\n-2 1 3\r\n4 0 1 2 3\r\n3 3 2 1",
        // Other properties and elements before, between and behind, other order, lists among them.
        TEST_HEADER(
            "ascii") "element camera 1\nproperty float f\nproperty list uchar float k\nelement empty 7\n"
                     "element vertex 4\nproperty uchar red\nproperty int z\nproperty list int char tags\n"
                     "property float x\nproperty float y\nelement face 2\nproperty float quality\n"
                     "property list uchar int vertex_indices\nproperty list uchar float texcoord\n"
                     "element edge 1\nproperty int a\nend_header\n"
                     "1.5 2 nan 4\n255 0 0 0 0\n255 0 1 7 1 0\n255 0 2 7 8 1 1\n255 3 0 -2 1\n"
                     "0.5 4 0 1 2 3 0\n0.5 3 3 2 1 2 0.5 0.5\n12\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        td_mesh_arrays arrays = test_read_text(*state, "a.ply", texts[i]);
        test_expect_positions(&arrays, 4, test_points);
        test_expect_triangles(&arrays, 3, test_fan);
        assert_false(arrays.single_precision);
        td_release_mesh_arrays(&arrays, *state);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Binary files put together value by value.

typedef struct test_file {
    char bytes[4096];
    size_t size;
    bool big_endian;
} test_file;

static void test_put_text(test_file *file, const char *text) {
    memcpy(file->bytes + file->size, text, strlen(text));
    file->size += strlen(text);
}

static void test_put_integer(test_file *file, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        const size_t shift = 8 * (file->big_endian ? size - 1 - i : i);
        file->bytes[file->size++] = (char)(bits >> shift & 0xff);
    }
}

static void test_put_number(test_file *file, const char *type, double value) {
    const float narrow = (float)value;
    uint32_t narrow_bits;
    uint64_t bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(&bits, &value, sizeof bits);
    if (strstr(type, "float32") != NULL || strcmp(type, "float") == 0) {
        test_put_integer(file, narrow_bits, 4);
    } else if (strcmp(type, "double") == 0 || strcmp(type, "float64") == 0) {
        test_put_integer(file, bits, 8);
    } else {
        const size_t size = strstr(type, "char") || strstr(type, "int8")  ? 1
                            : strstr(type, "short") || strstr(type, "16") ? 2
                                                                          : 4;
        test_put_integer(file, (uint64_t)(int64_t)value, size);
    }
}

// Vertices of `scalar`, corners of `index` counted by `count`; extra properties everywhere if `crowded`.
static void test_build(test_file *file, bool big_endian, const char *scalar, const char *count,
                       const char *index, bool crowded) {
    char header[1024];
    *file = (test_file){.big_endian = big_endian};
    snprintf(
        header, sizeof header,
        "ply\nformat binary_%s_endian 1.0\n%selement vertex 4\n%sproperty %s x\nproperty %s y\n%sproperty %s "
        "z\nelement face 2\n%sproperty list %s %s vertex_indices\n%send_header\n",
        big_endian ? "big" : "little", crowded ? "element other 2\nproperty list ushort double d\n" : "",
        crowded ? "property double w\n" : "", scalar, scalar, crowded ? "property list uchar short t\n" : "",
        scalar, crowded ? "property uchar flag\n" : "", count, index,
        crowded ? "property list uint float uv\n" : "");
    test_put_text(file, header);
    for (int i = 0; crowded && i < 2; ++i) {
        test_put_integer(file, (uint64_t)i, 2);
        for (int k = 0; k < i; ++k) {
            test_put_number(file, "double", 7);
        }
    }
    for (int v = 0; v < 4; ++v) {
        if (crowded) {
            test_put_number(file, "double", 1e300);
        }
        test_put_number(file, scalar, test_points[v][0]);
        test_put_number(file, scalar, test_points[v][1]);
        if (crowded) {
            test_put_integer(file, 2, 1);
            test_put_integer(file, 0x12345678, 4);
        }
        test_put_number(file, scalar, test_points[v][2]);
    }
    static const uint32_t faces[2][5] = {{4, 0, 1, 2, 3}, {3, 3, 2, 1}};
    for (int f = 0; f < 2; ++f) {
        if (crowded) {
            test_put_integer(file, 1, 1);
        }
        test_put_number(file, count, faces[f][0]);
        for (uint32_t k = 1; k <= faces[f][0]; ++k) {
            test_put_number(file, index, faces[f][k]);
        }
        if (crowded) {
            test_put_integer(file, 1, 4);
            test_put_number(file, "float", 0.5);
        }
    }
}

static void test_binary(void **state) {
    static const char *const scalars[] = {"float", "double", "float32", "float64",
                                          "char",  "short",  "int",     "int32"};
    static const char *const counts[] = {"uchar", "char", "ushort", "short", "int", "uint"};
    static const char *const indices[] = {"int", "uint", "uchar", "short", "uint16", "int8"};
    test_file file;
    for (size_t s = 0; s < sizeof scalars / sizeof *scalars; ++s) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            for (int variant = 0; variant < 4; ++variant) {
                test_build(&file, variant & 1, scalars[s], counts[i], indices[i], variant & 2);
                td_mesh_arrays arrays;
                if (test_read_bytes(&arrays, *state, "a.ply", file.bytes, file.size, false) != TD_OK) {
                    fail_msg("%s", td_error_message());
                }
                test_expect_positions(&arrays, 4, test_points);
                test_expect_triangles(&arrays, 3, test_fan);
                assert_int_equal(arrays.single_precision, strcmp(scalars[s], "float") == 0 || s == 2);
                td_release_mesh_arrays(&arrays, *state);
            }
        }
    }
}

static size_t test_header_size(const test_file *file) {
    const char *end = memmem(file->bytes, file->size, "end_header\n", 11);
    return (size_t)(end - file->bytes) + 11;
}

// Cut anywhere, the file is refused; cut in its body, the element and the byte are named.
static void test_truncated(void **state) {
    test_file file;
    test_build(&file, false, "double", "uchar", "int", true);
    const size_t header = test_header_size(&file);
    for (size_t size = 0; size < file.size; ++size) {
        test_expect_bad_bytes(*state, "a.ply", file.bytes, size, size == 0 ? "empty" : "a.ply:");
        if (size >= header) {
            char *sentence = strdup(td_error_message());
            assert_non_null(strstr(sentence, "(byte "));
            assert_non_null(strstr(sentence, "truncated"));
            const size_t byte = strtoull(strstr(sentence, "(byte ") + 6, NULL, 10);
            assert_in_range(byte, header, size);
            free(sentence);
        }
    }
    test_build(&file, true, "float", "uchar", "int", false);
    test_expect_bad_bytes(*state, "a.ply", file.bytes, test_header_size(&file) + 12 * 2 + 5,
                          "vertex 3 of 4 (byte ");
}

static void test_bad_values(void **state) {
    test_file file;
    test_build(&file, false, "double", "uchar", "int", false);
    const size_t body = test_header_size(&file);
    char *bytes = file.bytes + body;
    const double bad[] = {(double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 2; ++i) {
        test_file copy = file;
        memcpy(copy.bytes + body + 24 + 8, &bad[i], 8);
        test_expect_bad_bytes(*state, "a.ply", copy.bytes, copy.size, "vertex 2 of 4 (byte ");
        assert_non_null(strstr(td_error_message(), "not a finite number"));
    }
    const size_t faces = 4 * 24;
    assert_int_equal(bytes[faces], 4);
    test_file copy = file;
    copy.bytes[body + faces + 1] = 4; // one past the last vertex
    test_expect_bad_bytes(*state, "a.ply", copy.bytes, copy.size, "face 1 of 2");
    assert_non_null(strstr(td_error_message(), "out of range"));
    memset(copy.bytes + body + faces + 1, 0xff, 4); // -1
    test_expect_bad_bytes(*state, "a.ply", copy.bytes, copy.size, "out of range");
    copy = file;
    copy.bytes[body + faces] = 2;
    test_expect_bad_bytes(*state, "a.ply", copy.bytes, copy.size, "a face needs at least 3 vertices");
    copy = file;
    copy.bytes[body + faces] = (char)255;
    test_expect_bad_bytes(*state, "a.ply", copy.bytes, copy.size, "truncated");
    test_build(&copy, false, "double", "char", "int", false);
    copy.bytes[test_header_size(&copy) + faces] = (char)-4;
    test_expect_bad_bytes(*state, "a.ply", copy.bytes, copy.size, "the length of a list is negative");
}

#define TEST_XYZ  "property float x\nproperty float y\nproperty float z\n"
#define TEST_LIST "property list uchar int vertex_indices\n"

static void test_bad_headers(void **state) {
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"ply\n", "a.ply:2: the PLY header has no end_header"},
        {"ply\nformat ascii 1.0\nelement vertex 1\n", "no end_header"},
        {"ply\nformat text 1.0\nend_header\n", "a.ply:2: expected the format ascii, binary_little_endian or"},
        {"ply\nformat ascii 2.0\nend_header\n", "a.ply:2: expected format version 1.0, found '2.0'"},
        {"ply\nelement vertex 0\n" TEST_XYZ "element face 0\n" TEST_LIST "end_header\n",
         "has no format line"},
        {"ply\nformat ascii 1.0\nend_header\n", "has no element vertex"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float z\nend_header\n",
         "a.ply:3: element vertex has no property y"},
        {"ply\nformat ascii 1.0\nelement vertex 1\n" TEST_XYZ "end_header\n0 0 0\n", "no element face"},
        {"ply\nformat ascii 1.0\nelement vertex 1\n" TEST_XYZ "element face 1\nproperty int a\nend_header\n",
         "a.ply:7: element face has no list property vertex_indices"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list uchar float vertex_indices\nend_header\n",
         "a.ply:4: vertex indices must have an integer type"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\nend_header\n",
         "a.ply:4: the length of a list must have an integer type"},
        {"ply\nformat ascii 1.0\nproperty float x\nend_header\n",
         "a.ply:3: a property before the first element"},
        {"ply\nformat ascii 1.0\nelement vertex many\nend_header\n",
         "a.ply:3: expected the number of entries"},
        {"ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "found '-1'"},
        {"ply\nformat ascii 1.0\nelement vertex 99999999999999999999999\nend_header\n",
         "a.ply:3: expected the"},
        {"ply\nformat ascii 1.0\nelement vertex 4294967295\nend_header\n", "at most 4294967294 can be read"},
        {"ply\nformat ascii 1.0\nelement\nend_header\n", "a.ply:3: expected the name of an element"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n", "a.ply:4: expected a PLY type"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float\n",
         "a.ply:4: expected the name of a property"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\n",
         "property x is there twice"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\nend_header\n",
         "element vertex is there twice"},
        {"ply\nformat ascii 1.0\nwhat is this\nend_header\n", "a.ply:3: expected format, comment, element"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_expect_bad_text(*state, "a.ply", cases[i].text, cases[i].sentence);
    }
    const char *strips = "ply\nformat ascii 1.0\nelement vertex 1\n" TEST_XYZ
                         "element tristrips 1\n" TEST_LIST "end_header\n0 0 0\n1 0\n";
    td_mesh_arrays arrays;
    test_expect_sentence(test_read_bytes(&arrays, *state, "a.ply", strips, strlen(strips), true),
                         TD_ERROR_UNSUPPORTED, "triangle strips are not supported");
}

static void test_bad_ascii(void **state) {
    static const struct {
        const char *body, *sentence;
    } cases[] = {
        {"", "a.ply:12: expected the values in vertex 1 of 4, found the end of the file"},
        {"0 0 0\n1 0\n", "a.ply:13: expected a number in vertex 2 of 4, found the end of the line"},
        {"0 0 0\n1 0 b\n", "a.ply:13: expected a number in vertex 2 of 4, found 'b'"},
        {"0 0 nan\n", "a.ply:12: expected a finite number in vertex 1 of 4, found 'nan'"},
        {"0 0 0 0\n", "a.ply:12: expected the end of the line in vertex 1 of 4, found '0'"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\n3 0 1 4\n",
         "a.ply:16: face 1 of 2 names vertex 4, but there are only 0 to 3"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\n3 0 1\n", "a.ply:16: expected a vertex index in face 1 of 2"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\n3 0 1 -1\n", "found '-1'"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\n2 0 1\n", "a.ply:16: face 1 of 2 has 2 vertices, expected at least 3"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\nx 0 1\n",
         "a.ply:16: expected the length of a list in face 1 of 2, found 'x'"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\n18446744073709551615 0 1 2\n",
         "expected a vertex index in face 1 of 2"},
        {"0 0 0\n0 0 0\n0 0 0\n0 0 0\n3 0 1 2\n",
         "expected the values in face 2 of 2, found the end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", TEST_HEADER("ascii") TEST_BODY, cases[i].body);
        test_expect_bad_text(*state, "a.ply", text, cases[i].sentence);
    }
}

// A header that announces billions costs neither memory nor time.
static void test_huge_counts(void **state) {
    static const char *const formats[] = {"ascii", "binary_little_endian"};
    for (size_t i = 0; i < 2; ++i) {
        char text[512];
        snprintf(
            text, sizeof text,
            "ply\nformat %s 1.0\nelement nothing 18446744073709551615\nelement vertex 4294967294\n" TEST_XYZ
            "element face 4294967294\n" TEST_LIST "end_header\n0 0 0\n",
            formats[i]);
        test_expect_bad_text(*state, "a.ply", text,
                             i == 0 ? "vertex 2 of 4294967294" : "vertex 1 of 4294967294");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascii),       cmocka_unit_test(test_binary),
        cmocka_unit_test(test_truncated),   cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_headers), cmocka_unit_test(test_bad_ascii),
        cmocka_unit_test(test_huge_counts),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
