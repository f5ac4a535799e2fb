// Where to put a question without changing the answer: each instruction set this processor has, with one, two
// and three threads, and devices. Strategies, volumes and descent rules are parameters of the question itself
// (ways.h).
#ifndef TD_TESTS_VARIANTS_H
#define TD_TESTS_VARIANTS_H

#include "cases.h"

#include <tandem/query.h>

enum {
    TEST_MOST_THREADS = 3,
    TEST_DEVICE_KINDS = 2, // with the device's float64, and as if it had none
    TEST_MOST_VARIANTS = TD_ISA_COUNT * TEST_MOST_THREADS + TEST_DEVICE_KINDS
};

typedef struct test_variant {
    char name[32]; // "avx2 x 3", "opencl"
    td_context *context;
    td_query *query;
    td_device *device; // null: native
} test_variant;

typedef struct test_variants {
    test_variant items[TEST_MOST_VARIANTS];
    int count;
} test_variants;

// Native ones. Aborts if a context cannot be made: nothing could be tested then.
void test_variants_create(test_variants *out);
void test_variants_create_widest(test_variants *out); // only the widest instruction set, with two threads

// The first OpenCL device, in both kinds. Where there is none this says so, adds nothing and returns false;
// with TD_TEST_NEED_DEVICE in the environment it aborts, so that a machine that should have one cannot pass
// without.
bool test_variants_add_devices(test_variants *variants);

// As test_variants_add_devices, on its own: null where there is no device. `limit` as in td_device_def.
td_device *test_open_device(td_context *context, bool without_float64, uint64_t limit);

void test_variants_destroy(test_variants *variants);

// The same as fixtures of a group of tests: *state becomes the test_variants.
int test_setup_native(void **state);
int test_setup_with_devices(void **state);
int test_setup_widest_with_devices(void **state);
int test_teardown_variants(void **state);

// ---------------------------------------------------------------------------------------------------------
// Answers

// The pairs that a question should give, sorted.
typedef struct test_pairs {
    td_pair *items;
    size_t count, capacity;
} test_pairs;

void test_pairs_add(test_pairs *pairs, uint32_t a, uint32_t b);
void test_pairs_sort(test_pairs *pairs);
void test_pairs_free(test_pairs *pairs);
test_pairs test_pairs_copy(const td_collide_result *answer); // of TD_MODE_PAIRS
bool test_pairs_hold(const test_pairs *pairs, td_pair pair); // sorted pairs only

// What triangle pairs of two meshes intersect, b placed at `pose`: every pair by GMP. Pairs whose bounding
// boxes, compared exactly, are apart are not asked about.
test_pairs test_exact_pairs(const test_mesh *a, const test_mesh *b, const td_pose *pose);

// The same for one mesh, by the rules of td_self_collide.
test_pairs test_exact_self_pairs(const test_mesh *mesh, bool keep_degenerate);

// Fails the running test with `what` in the message unless the answer says just this, in the way of `mode`.
void test_expect_answer(const td_collide_result *answer, const test_pairs *expected, td_mode mode,
                        const char *what);

#endif
