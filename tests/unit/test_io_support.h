// What the tests of src/io share: a context, reading from text, expecting a sentence.
#ifndef TD_TESTS_IO_SUPPORT_H
#define TD_TESTS_IO_SUPPORT_H

#include "support/cmocka_all.h"

#include <tandem/io.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline td_context *test_context(void) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

static inline int test_make_context(void **state) {
    *state = test_context();
    return 0;
}

static inline int test_drop_context(void **state) {
    td_destroy_context(*state);
    return 0;
}

static inline td_load_def test_load_def(bool weld) {
    td_load_def def = td_default_load_def();
    def.weld = weld;
    return def;
}

// Unwelded, from bytes that end where their memory ends, so that sanitizers see a read too far.
static inline td_result test_read_bytes(td_mesh_arrays *out, td_context *context, const char *name,
                                        const void *bytes, size_t size, bool weld) {
    char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const td_load_def def = test_load_def(weld);
    const td_result result = td_read_mesh_memory(out, context, copy, size, name, &def);
    free(copy);
    return result;
}

static inline td_mesh_arrays test_read_text(td_context *context, const char *name, const char *text) {
    td_mesh_arrays arrays;
    const td_result result = test_read_bytes(&arrays, context, name, text, strlen(text), false);
    if (result != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return arrays;
}

// The call failed with this result, and its sentence has `part` in it.
static inline void test_expect_sentence(td_result found, td_result expected, const char *part) {
    if (found != expected || strstr(td_error_message(), part) == NULL) {
        fail_msg("expected %s with '%s', found %s with '%s'", td_result_name(expected), part,
                 td_result_name(found), found == TD_OK ? "" : td_error_message());
    }
}

static inline void test_expect_bad_bytes(td_context *context, const char *name, const void *bytes,
                                         size_t size, const char *part) {
    td_mesh_arrays arrays;
    test_expect_sentence(test_read_bytes(&arrays, context, name, bytes, size, true), TD_ERROR_FORMAT, part);
    assert_null(arrays.positions);
    assert_null(arrays.triangles);
}

static inline void test_expect_bad_text(td_context *context, const char *name, const char *text,
                                        const char *part) {
    test_expect_bad_bytes(context, name, text, strlen(text), part);
}

static inline void test_expect_triangles(const td_mesh_arrays *arrays, uint32_t count,
                                         const uint32_t (*wanted)[3]) {
    assert_int_equal(arrays->triangle_count, count);
    assert_memory_equal(arrays->triangles, wanted, count * sizeof *wanted);
}

static inline void test_expect_positions(const td_mesh_arrays *arrays, uint32_t count,
                                         const double (*wanted)[3]) {
    assert_int_equal(arrays->vertex_count, count);
    for (uint32_t v = 0; v < count; ++v) {
        for (int k = 0; k < 3; ++k) {
            assert_true(arrays->positions[3 * v + (uint32_t)k] == wanted[v][k]);
        }
    }
}

// A folder of its own below the system's folder for temporary files.
static inline void test_make_folder(char out[256]) {
    const char *base = getenv("TMPDIR");
    snprintf(out, 256, "%s/tandem-test-XXXXXX", base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(out));
}

static inline void test_write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
